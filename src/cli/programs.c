/* SPDX-License-Identifier: Apache-2.0 */
/* ambit's own programs, where others are started by their path: the one who is held must not
 * be able to put something else there. */

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "world.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"

/* From where this one lies. */
static const char *const places[] = { "ambit", "ambit-tools", "../bin/ambit", "../../bin/ambit",
	"../libexec/ambit/ambit-tools", NULL };

static int
append_path(void *data, const char *path, bool spine)
{
	(void)spine;
	return strv_append(data, path);
}

int
world_list_writable(
	struct ambit_engine *engine, const char *root, char ***ret_list, struct ambit_error *err)
{
	char **list = NULL;
	int r = strv_append(&list, root);

	if (r == 0)
		r = engine_writable(engine, append_path, &list);
	if (r < 0) {
		strv_free(list);
		return err_sys(err, -r, "what can be written");
	}
	*ret_list = list;
	return 0;
}

static int
check_place(const char *path, char *const *writable, struct ambit_error *err)
{
	auto_free char *real = realpath(path, NULL);

	for (; real != NULL && *writable != NULL; writable++)
		if (str_beneath(real, *writable))
			return err_set(err, EPERM,
				"ambit itself (%s) lies beneath %s, where commands of this session "
				"can write: install it elsewhere",
				real, *writable);
	return 0;
}

int
programs_check(const struct world *world, struct ambit_error *err)
{
	char **writable = NULL;
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int r = n <= 0 ? err_sys(err, errno, "what can be written")
		       : world_list_writable(
				 world->engine, ambit_scope_root(world->scope), &writable, err);

	if (r < 0)
		return r;
	self[n] = '\0';
	strrchr(self, '/')[1] = '\0';
	for (const char *const *place = places; r == 0 && *place != NULL; place++) {
		auto_free char *path = str_printf("%s%s", self, *place);

		r = path != NULL ? check_place(path, writable, err) : err_nomem(err);
	}
	strv_free(writable);
	return r;
}
