/* SPDX-License-Identifier: Apache-2.0 */
/* A new config of a repository, from the files to a word about it. Both belong
 * to those who are held by the line and may change while they are read, so that
 * what was read is what is judged, and what is handed back. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fd.h"
#include "engine.h"
#include "scope/gitconfig.h"

/* Opened anew: the descriptor may be O_PATH, and its offset is not ours. A
 * regular file only; fd_read_open sees to that, and to its size. */
static int
read_config(int fd, char **ret_text, size_t *ret_len)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return fd_read_file(AT_FDCWD, name, GITCONFIG_MAX, ret_text, ret_len);
}

int
ambit_engine_config_read(struct ambit_engine *engine, int lock, int old, char **ret_text,
	size_t *ret_len, struct ambit_error *err)
{
	auto_free char *before = NULL, *after = NULL;
	size_t before_len = 0, after_len = 0;
	const char *why = NULL;
	int r = old >= 0 ? read_config(old, &before, &before_len) : 0;

	(void)engine;
	if (r == 0)
		r = read_config(lock, &after, &after_len);
	if (r < 0)
		return err_sys(err, -r, "the repository's config");
	if (!gitconfig_plain(before, before_len, after, after_len, &why))
		return err_set(err, EPERM, "the repository's config: %s", why);
	*ret_text = steal_ptr(&after);
	*ret_len = after_len;
	return 0;
}

bool
ambit_engine_config_plain(struct ambit_engine *engine, int lock_fd, int old_fd)
{
	auto_free char *text = NULL;
	size_t len;

	return ambit_engine_config_read(engine, lock_fd, old_fd, &text, &len, NULL) == 0;
}
