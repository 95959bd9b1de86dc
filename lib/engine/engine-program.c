/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that run for the person: a policy and a judge decide or answer, a notify_command tells
 * of questions. The agent must not be able to write what they run, by any way that leads there, now
 * or later: so each name in their arguments is followed step by step, and no step may be
 * the agent's. The words are the person's own and no attack; that one of them is a path is a guess,
 * and a wrong one costs an error that says so. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/judge/judge-ask.h"
#include "base/err.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "engine/engine-private.h"

#define LINKS_MAX 40
/* What a path can stand between, in a word for a shell, a list or an assignment. */
#define BETWEEN " \t\n=:,;'\"()|&<>$`"

static bool
is_agent_writable(const struct ambit_engine *engine, const char *real)
{
	if (scope_holds(engine->scope, real))
		return true;
	for (size_t i = 0; i < engine->n_grants; i++)
		if (engine->grants[i].write && str_beneath(real, engine->grants[i].real))
			return true;
	for (size_t i = 0; i < engine->rules.n; i++) {
		const struct ambit_rule *rule = &engine->rules.list[i];

		if (rule->yes && rule->op == AMBIT_OP_WRITE &&
			(rule->beneath ? str_beneath(real, rule->subject)
				       : streq(real, rule->subject)))
			return true;
	}
	return false;
}

/* One more step. 1: the agent can choose what is there. at has no slash at its end. */
static int
append_path_part(const struct ambit_engine *engine, char *at, const char *name, size_t len)
{
	size_t had = strlen(at);
	struct stat st;
	bool open;

	if (len == 0 || (len == 1 && name[0] == '.'))
		return 0;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		char *slash = strrchr(at, '/');

		if (slash)
			*slash = '\0';
		return 0;
	}
	if (had + 1 + len >= PATH_MAX)
		return -ENAMETOOLONG;
	open = stat(had > 0 ? at : "/", &st) == 0 && (st.st_mode & S_IWOTH);
	at[had] = '/';
	memcpy(at + had + 1, name, len);
	at[had + 1 + len] = '\0';
	if (is_agent_writable(engine, at))
		return 1;
	/* In /tmp whoever comes first. */
	return lstat(at, &st) < 0 && errno == ENOENT && open;
}

/* Relative names begin in "/", where the program is started. 1: as above. */
static int
follow_program_path(const struct ambit_engine *engine, const char *path)
{
	char at[PATH_MAX] = "", rest[PATH_MAX], target[PATH_MAX];
	int links = 0;

	if (strlen(path) >= sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(rest, path, strlen(path) + 1);
	while (rest[0] != '\0') {
		const char *name = rest + strspn(rest, "/");
		size_t len = strcspn(name, "/");
		int r = append_path_part(engine, at, name, len);
		ssize_t n = r == 0 ? readlink(at, target, sizeof(target) - 1) : -1;

		if (r != 0)
			return r;
		memmove(rest, name + len, strlen(name + len) + 1);
		if (n <= 0 || len == 0)
			continue;
		if (++links > LINKS_MAX || (size_t)n + strlen(rest) >= sizeof(rest))
			return -ELOOP;
		memmove(rest + n, rest, strlen(rest) + 1);
		memcpy(rest, target, (size_t)n);
		if (target[0] == '/')
			at[0] = '\0';
		else
			*strrchr(at, '/') = '\0';
	}
	return 0;
}

static int
check_path(const struct ambit_engine *engine, const char *what, const char *path,
	struct ambit_error *err)
{
	int r = strchr(path, '/') ? follow_program_path(engine, path) : 0;

	if (r < 0)
		return err_sys(err, -r, "%s: %.200s", what, path);
	return r == 0 ? 0
		      : err_set(err, EPERM,
				"%s: %s lies where the agent can write: move it elsewhere", what,
				path);
}

/* As a whole, and in parts: a script for a shell is no path, but may name some. */
static int
check_word(const struct ambit_engine *engine, const char *what, const char *word,
	struct ambit_error *err)
{
	int r = strlen(word) < PATH_MAX ? check_path(engine, what, word, err) : 0;

	while (r == 0 && *(word += strspn(word, BETWEEN)) != '\0') {
		size_t len = strcspn(word, BETWEEN);
		auto_free char *piece = strndup(word, len);

		r = piece ? check_path(engine, what, piece, err) : err_nomem(err);
		word += len;
	}
	return r;
}

static int
check_program(const struct ambit_engine *engine, const char *what, char *const *program,
	struct ambit_error *err)
{
	auto_free char *real = NULL;
	int r;

	if (!program || !program[0])
		return 0;
	r = run_resolve(program[0], &real, err);
	if (r == 0)
		r = run_trust(real, err);
	if (r < 0)
		return err_context(err, "%s", what);
	/* It may be started by its name, and every time anew. */
	r = check_path(engine, what, real, err);
	if (r == 0)
		r = check_path(engine, what, program[0], err);
	for (size_t i = 1; r == 0 && program[i]; i++)
		r = check_word(engine, what, program[i], err);
	return r;
}

int
engine_check_programs(const struct ambit_engine *engine, struct ambit_error *err)
{
	int r = check_program(
		engine, "policy_program", settings_person(engine->settings)->policy_program, err);

	if (r == 0 && engine->judge)
		r = check_program(engine, "judge", judge_program(engine->judge), err);
	if (r == 0)
		r = check_program(engine, "notify_command",
			settings_person(engine->settings)->notify_command, err);
	return r;
}

int
engine_open_notify(struct ambit_engine *engine, char *const *envp,
	void (*failed)(void *data, const char *why), void *data, struct ambit_error *err)
{
	const struct notify_options options = {
		.argv = settings_person(engine->settings)->notify_command,
		.envp = envp,
		.failed = failed,
		.data = data,
	};

	return options.argv && !engine->notify ? notify_create(&options, &engine->notify, err) : 0;
}

void
engine_close_notify(struct ambit_engine *engine)
{
	notify_destroy(engine->notify);
	engine->notify = NULL;
}

void
engine_notify(struct ambit_engine *engine, const struct ambit_question *question)
{
	notify_question(engine->notify, question);
}
