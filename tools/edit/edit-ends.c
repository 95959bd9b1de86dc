/* SPDX-License-Identifier: Apache-2.0 */
/* Two arguments, into two places that were both decided. Where dst leads is looked at
 * once: what it was then is what it must be when something is put there. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/edit/edit-ends.h"
#include "tools/edit/edit-file.h"

void
edit_ends_finish(struct edit_ends *ends)
{
	ambit_place_finish(&ends->from);
	ambit_place_finish(&ends->to);
}

/* dst/NAME, NAME as src was written: that is what was decided for a directory. */
static char *
make_landing_path(const char *src, const char *dst, const struct ambit_place *from)
{
	size_t end = strlen(src), begin;

	while (end > 0 && src[end - 1] == '/')
		end--;
	begin = end;
	while (begin > 0 && src[begin - 1] != '/')
		begin--;
	if (end == begin || (end - begin <= 2 && src[begin] == '.' && src[end - 1] == '.'))
		return str_printf("%s/%s", dst, from->name);
	return str_printf("%s/%.*s", dst, (int)(end - begin), src + begin);
}

static int
take_to(struct tool_run *run, enum ambit_access access, bool follow, struct edit_ends *ends,
	struct ambit_error *err)
{
	const char *src = run_string(run, "src"), *dst = run_string(run, "dst");
	size_t len = strlen(dst);
	auto_free char *into = NULL;
	struct ambit_place found = { .parent = -1 };
	bool is_dir;
	int r = run_place_of(run, dst, AMBIT_ACCESS_WRITE, true, true, &found, err);

	if (r < 0)
		return r;
	is_dir = found.exists && S_ISDIR(found.mode);
	if (!is_dir && len > 0 && dst[len - 1] == '/') {
		r = err_set(err, ENOTDIR, "%s is no directory", found.shown);
		ambit_place_finish(&found);
		return r;
	}
	if (!is_dir && follow) {
		ends->to = found;
		return 0;
	}
	ambit_place_finish(&found);
	if (!is_dir)
		return run_place_of(run, dst, access, false, true, &ends->to, err);
	into = make_landing_path(src, dst, &ends->from);
	return into ? run_place_of(run, into, access, false, false, &ends->to, err)
		    : err_nomem(err);
}

int
edit_ends_take(struct tool_run *run, enum ambit_access access, bool follow,
	enum ambit_access to_access, bool to_follow, struct edit_ends *ret_ends,
	struct ambit_error *err)
{
	int r;

	*ret_ends = (struct edit_ends){ .from = { .parent = -1 }, .to = { .parent = -1 } };
	r = run_place(run, "src", access, follow, false, &ret_ends->from, err);
	if (r == 0 && !ret_ends->from.exists)
		r = edit_missing(run, &ret_ends->from, err);
	if (r == 0)
		r = take_to(run, to_access, to_follow, ret_ends, err);
	return edit_failed(run, r);
}

int
edit_ends_failed(struct tool_run *run, const struct edit_ends *ends, int r)
{
	bool within =
		ends->from.real && ends->to.real && str_beneath(ends->to.real, ends->from.real);

	if (r == -EINVAL && within && !run->hint)
		run->hint = strdup("Choose a dst that is neither src itself nor in it.");
	return edit_failed(run, r);
}

void
edit_ends_tell(struct tool_run *run, const struct edit_ends *ends, const char *done)
{
	auto_buf struct buf text = { 0 };
	bool replaced = ends->to.exists;

	buf_printf(&text, "%s %s to %s%s.\n", done, ends->from.shown, ends->to.shown,
		replaced ? ", in place of the file that was there" : "");
	run_say(run, text.data ? text.data : "", text.len);
	run->structured = json_object();
	json_set_text(run->structured, "src", ends->from.shown);
	json_set_text(run->structured, "dst", ends->to.shown);
	json_object_set_new(run->structured, "replaced", json_boolean(replaced));
}
