/* SPDX-License-Identifier: Apache-2.0 */
/* `ambit mcp`, `serve`, `spawn` and `judge`, in the program that has no tools: becomes the one
 * that has, with the same arguments, and tells it which version it must be. It lies
 * beside this one, or where it is installed from there; nothing in the environment
 * says where. Behind a line it has that done outside, and stands for it. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ambit/ambit.h>

#include "cli/door.h"
#include "line/process/run-doors.h"
#include "run/run-command.h"

#include "base/err.h"
#include "base/own.h"

#define ARGUMENTS_MAX (4u << 20)

static const char *const places[] = { "ambit-tools", "../libexec/ambit/ambit-tools", NULL };

static char tools_version[] = "--tools-version=" AMBIT_VERSION;

/* This process' own arguments, with one more behind the command's name. */
static int
read_arguments(char ***ret_argv, char **ret_text, struct ambit_error *err)
{
	size_t len, n = 0, at = 0;
	char **argv;
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;
	char *text = malloc(ARGUMENTS_MAX);

	for (len = 0; fd >= 0 && text != NULL && len < ARGUMENTS_MAX; len += (size_t)got) {
		got = read(fd, text + len, ARGUMENTS_MAX - len);
		if (got <= 0)
			break;
	}
	if (fd >= 0)
		close(fd);
	if (fd < 0 || text == NULL || got < 0 || len == 0 || len == ARGUMENTS_MAX) {
		free(text);
		return err_set(err, EIO, "/proc/self/cmdline cannot be read");
	}
	for (size_t i = 0; i < len; i++)
		n += text[i] == '\0';
	argv = calloc(n + 2, sizeof(*argv));
	if (argv == NULL) {
		free(text);
		return err_nomem(err);
	}
	for (size_t i = 0; i < n; i++) {
		argv[i < 2 ? i : i + 1] = text + at;
		at += strlen(text + at) + 1;
	}
	argv[2] = tools_version;
	*ret_argv = argv;
	*ret_text = text;
	return 0;
}

static int
exec_tools_program(struct ambit_error *err)
{
	char self[PATH_MAX], path[PATH_MAX + 64], *slash;
	auto_free char **argv = NULL;
	auto_free char *text = NULL;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int r;

	if (n <= 0)
		return err_sys(err, errno, "/proc/self/exe");
	self[n] = '\0';
	r = read_arguments(&argv, &text, err);
	if (r < 0)
		return r;
	slash = strrchr(self, '/');
	slash[1] = '\0';
	for (const char *const *place = places; *place != NULL; place++) {
		snprintf(path, sizeof(path), "%s%s", self, *place);
		execv(path, argv);
		/* What is there may lack the loader that it names. */
		if (errno != ENOENT || faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return err_set(err, errno,
				"%s, which has 'mcp', 'serve' and 'spawn', cannot be run: %s; "
				"install ambit "
				"again",
				path, strerror(errno));
	}
	return err_set(err, ENOENT,
		"ambit-tools, which has 'mcp', 'serve' and 'spawn', is neither in %s nor in "
		"%s../libexec/ambit: install ambit again, all of it",
		self, self);
}

/* A record that those behind the line cannot write to needs somebody outside of it. */
static int
become_or_ask(const struct args *args, enum run_door door, struct ambit_error *err)
{
	int socket, r = args_get(args, OPT_INNER) != NULL ? -ENOENT : run_outside(&socket, err);

	if (r == 0)
		return run_through(args, door, socket, err);
	return r == -ENOENT ? exec_tools_program(err) : r;
}

int
door_mcp(const struct args *args, struct ambit_error *err)
{
	return become_or_ask(args, RUN_DOOR_MCP, err);
}

int
door_spawn(const struct args *args, struct ambit_error *err)
{
	return become_or_ask(args, RUN_DOOR_SPAWN, err);
}

int
door_serve(const struct args *args, struct ambit_error *err)
{
	(void)args;
	return exec_tools_program(err);
}

int
door_judge(const struct args *args, struct ambit_error *err)
{
	(void)args;
	return exec_tools_program(err);
}
