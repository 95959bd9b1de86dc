/* SPDX-License-Identifier: Apache-2.0 */
/* What all commands of one door have in common: the backend, and an environment from
 * which secrets were taken. */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "record/scrub.h"
#include "tools/shell/execute-private.h"

static int
check_program(const char *what, const char *path, struct ambit_error *err)
{
	if (!path || path[0] != '/')
		return err_set(
			err, EINVAL, "%s: '%s' is not an absolute path", what, path ? path : "");
	return access(path, X_OK) == 0 ? 0 : err_sys(err, errno, "%s: %s", what, path);
}

/* In another sandbox the shell may be another file, or there only. */
static int
check_options(const struct ambit_executor_options *options, struct ambit_error *err)
{
	int r = 0;

	if (options->backend == AMBIT_BACKEND_KERNEL)
		r = check_program("the ambit program", options->program, err);
	else if (options->backend == AMBIT_BACKEND_PREFIX)
		r = check_program("the sandbox", options->prefix ? options->prefix[0] : NULL, err);
	if (r == 0 && options->shell && options->backend != AMBIT_BACKEND_PREFIX)
		r = check_program("the shell", options->shell, err);
	return r;
}

static char *
find_shell(const char *given)
{
	if (given)
		return str_dup(given);
	return str_dup(access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh");
}

static int
copy_list(char ***list, char *const *from)
{
	int r = 0;

	for (; r == 0 && from && *from; from++)
		r = strv_append(list, *from);
	return r;
}

int
ambit_executor_create(const struct ambit_executor_options *options,
	struct ambit_executor **ret_executor, struct ambit_error *err)
{
	struct ambit_executor *executor;
	int r = check_options(options, err);

	if (r < 0)
		return r;
	executor = calloc(1, sizeof(*executor));
	if (!executor)
		return err_nomem(err);
	executor->backend = options->backend;
	executor->limits = options->limits;
	executor->within = options->within;
	executor->data = options->data;
	executor->program = str_dup(options->program);
	executor->shell = find_shell(options->shell);
	executor->envp = scrub_env(options->envp, options->keep, &executor->scrubbed);
	if ((options->program && !executor->program) || !executor->shell || !executor->envp ||
		copy_list(&executor->args, options->args) < 0 ||
		copy_list(&executor->program_envp, options->program_envp) < 0 ||
		copy_list(&executor->prefix, options->prefix) < 0) {
		ambit_executor_destroy(executor);
		return err_nomem(err);
	}
	*ret_executor = executor;
	return 0;
}

void
ambit_executor_destroy(struct ambit_executor *executor)
{
	if (!executor)
		return;
	free(executor->program);
	free(executor->shell);
	strv_free(executor->args);
	strv_free(executor->prefix);
	strv_free(executor->envp);
	strv_free(executor->program_envp);
	strv_free(executor->scrubbed);
	free(executor);
}

char *const *
ambit_executor_scrubbed(const struct ambit_executor *executor)
{
	return executor->scrubbed;
}

enum ambit_backend
ambit_executor_backend(const struct ambit_executor *executor)
{
	return executor->backend;
}
