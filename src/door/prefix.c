/* SPDX-License-Identifier: Apache-2.0 */
/* The words of `--prefix`, with the program by its real path, or a refusal: a sandbox
 * that the agent can rewrite with its own file tools holds nothing. The words are the
 * person's; what is looked for is where they lead. */

#include <stdlib.h>
#include <sys/stat.h>

#include "backend.h"

#include "base/err.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"

static int
check_place(const char *real, char *const *writable, struct ambit_error *err)
{
	for (; *writable != NULL; writable++)
		if (str_beneath(real, *writable))
			return err_set(err, EPERM,
				"%s lies beneath %s, where the agent can write: move it elsewhere",
				real, *writable);
	return 0;
}

/* The wrapper is named by its path: what a bare name means is not the server's to
 * guess. */
static int
resolve_program(char **word, char *const *writable, struct ambit_error *err)
{
	auto_free char *path = NULL;
	int r = run_resolve(*word, &path, err);

	if (r == 0)
		r = check_place(path, writable, err);
	if (r == 0)
		r = run_trust(path, err);
	if (r < 0)
		return r;
	free(*word);
	*word = steal_ptr(&path);
	return 0;
}

/* A script that a shell is given to run is as much the sandbox as the shell. Commands
 * start in the folder, so a relative one is there. Directories are what a sandbox is
 * to show: the folder will be among them. */
static int
check_word(const char *word, const char *root, char *const *writable, struct ambit_error *err)
{
	auto_free char *path = NULL, *real = NULL;
	struct stat st;

	if (strchr(word, '/') == NULL || word[0] == '-')
		return 0;
	path = word[0] == '/' ? str_dup(word) : str_printf("%s/%s", root, word);
	if (path == NULL)
		return err_nomem(err);
	real = realpath(path, NULL);
	if (real == NULL || stat(real, &st) < 0 || S_ISDIR(st.st_mode))
		return 0;
	return check_place(real, writable, err);
}

int
prefix_resolve(const struct toolbox *box, char **prefix, struct ambit_error *err)
{
	const char *root = ambit_scope_root(box->world.scope);
	char **writable = NULL;
	int r = world_list_writable(box->world.engine, root, &writable, err);

	if (r == 0)
		r = resolve_program(&prefix[0], writable, err);
	for (size_t i = 1; r == 0 && prefix[i] != NULL; i++)
		r = check_word(prefix[i], root, writable, err);
	strv_free(writable);
	return r < 0 ? err_context(err, "--prefix") : 0;
}
