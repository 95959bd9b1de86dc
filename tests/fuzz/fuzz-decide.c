/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a line says, an allow writes only inside: each written path of an
 * allowed request, resolved again from scratch, lies beneath the folder, is no
 * guard by its name and not ambit's own. The input is a line for `ambit
 * decide`; a world with links in every direction is made once. */

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ambit/ambit.h>

#include "base/str.h"
#include "request/request-private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ambit_settings *settings;
static struct ambit_scope *scope;
static struct ambit_engine *engine;

static void
make_world(void)
{
	const char *tmp = getenv("TMPDIR");
	char top[PATH_MAX];
	struct ambit_error err = { 0 };
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	snprintf(top, sizeof(top), "%s/ambit-fuzz-XXXXXX", tmp ? tmp : "/tmp");
	assert(here >= 0 && mkdtemp(top) && chdir(top) == 0);
	assert(mkdir("w", 0755) == 0 && mkdir("w/s", 0755) == 0 && mkdir("o", 0755) == 0);
	assert(symlink("../o", "w/l") == 0 && symlink("/", "w/r") == 0 && symlink("s", "w/d") == 0);
	assert(symlink("w/s", "in") == 0 && symlink("x", "w/x") == 0 &&
		symlink("../w", "w/u") == 0);
	assert(chdir("w") == 0);
	assert(ambit_settings_load(&(struct ambit_settings_options){ 0 }, &settings, &err) == 0);
	assert(ambit_scope_create(&(struct ambit_scope_options){ .root = ".", .allow_bash = true },
		       &scope, &err) == 0);
	struct ambit_engine_options options = { .settings = settings, .scope = scope };

	assert(ambit_engine_create(&options, &engine, &err) == 0);
	assert(fchdir(here) == 0);
	close(here);
}

/* The C library's own walk, as a second opinion on where a path leads. */
static bool
leads_inside(const char *path)
{
	char copy[PATH_MAX], real[PATH_MAX];

	assert(strlen(path) < sizeof(copy));
	memcpy(copy, path, strlen(path) + 1);
	while (!realpath(copy, real)) {
		char *slash = strrchr(copy, '/');

		assert(slash);
		if (slash == copy)
			return false;
		*slash = '\0';
	}
	return str_beneath(real, ambit_scope_root(scope));
}

/* A whole component: ".envrc.txt" is nobody's business. */
static bool
has_part(const char *path, const char *part)
{
	size_t n = strlen(part);

	for (const char *at = path; (at = strstr(at, part)); at++)
		if (at > path && at[-1] == '/' && (at[n] == '/' || at[n] == '\0'))
			return at[n] == '\0';
	return false;
}

static void
check_allowed(const struct ambit_request *request, const struct ambit_outcome *outcome)
{
	assert(request->bad == AMBIT_CODE_NONE);
	assert(!request->tool || !request->tool->shell);
	assert(!request->host);
	assert(outcome->code == AMBIT_CODE_NONE);
	for (size_t i = 0; i < outcome->n_paths; i++) {
		const struct ambit_outcome_path *path = &outcome->paths[i];

		assert(path->verdict == AMBIT_ALLOW);
		if (path->access == AMBIT_ACCESS_READ || path->access == AMBIT_ACCESS_READ_TREE)
			continue;
		assert(leads_inside(path->path));
		assert(!has_part(path->path, ".envrc") && !has_part(path->path, ".husky"));
		assert(!has_part(path->path, ".bashrc"));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome;
	json_t *parsed;
	char *json;

	if (!engine)
		make_world();
	assert(ambit_request_parse((const char *)data, size, &request, NULL) == 0);
	assert(ambit_engine_decide(engine, request, &outcome, NULL) == 0);
	assert(outcome.verdict <= AMBIT_ALLOW && outcome.reason && outcome.layer);
	if (request->bad != AMBIT_CODE_NONE && request->bad_hard)
		assert(outcome.verdict == AMBIT_DENY);
	if (outcome.verdict == AMBIT_ALLOW)
		check_allowed(request, &outcome);
	json = ambit_outcome_json(&outcome, request, scope, true);
	assert(json && !strchr(json, '\n'));
	parsed = json_loads(json, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	assert(parsed && json_is_string(json_object_get(parsed, "verdict")));
	json_decref(parsed);
	free(json);
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return 0;
}
