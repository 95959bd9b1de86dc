/* SPDX-License-Identifier: Apache-2.0 */
/* Path decisions per second and core, with the default guards: on a path
 * already resolved, its resolution beside it, a whole request from JSON to
 * outcome, and the gate's look at an object. Prints, asserts nothing about time. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "decide/decide.h"
#include "engine/engine-private.h"
#include "engine/line.h"

static double
seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void
die(const char *what, const struct ambit_error *err)
{
	fprintf(stderr, "bench: %s: %s\n", what, err->text);
	exit(1);
}

static void
row(const char *what, double took, long n)
{
	printf("  %-44s %10.0f /s %8.0f ns\n", what, (double)n / took, took / (double)n * 1e9);
}

static const struct {
	const char *path;
	enum ambit_access access;
	const char *text;
} paths[] = {
	{ "src/deep/er/module/file.c", AMBIT_ACCESS_WRITE, "write inside, plain" },
	{ "lib/all/about/lamps.c", AMBIT_ACCESS_WRITE,
		"write inside, names that begin like guards" },
	{ ".git/objects/ab/0123456789abcdef", AMBIT_ACCESS_WRITE, "write inside .git" },
	{ ".git/hooks/pre-commit", AMBIT_ACCESS_WRITE, "write to a guard" },
	{ "/usr/include/linux/landlock.h", AMBIT_ACCESS_READ, "read outside" },
	{ "/usr/include/linux/new.h", AMBIT_ACCESS_WRITE, "write outside" },
};

static void
bench_resolved(struct ambit_engine *engine)
{
	struct ambit_request *request = NULL;
	struct ambit_scope *child = NULL;
	struct decide_input in;

	ambit_request_path(AMBIT_ACCESS_WRITE, "x", 1, &request, NULL);
	engine_input(engine, request, &in, &child, NULL);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct ambit_outcome_path out = { 0 };
		const struct guard *guard;
		struct path_facts resolved;
		long n = 2000000, allowed = 0;
		bool hard;

		if (scope_resolve(engine->scope, NULL, paths[i].path, strlen(paths[i].path), true,
			    &resolved, NULL) < 0)
			continue;
		double from = seconds();

		for (long k = 0; k < n; k++) {
			paths_decide_one(&in, &resolved, paths[i].access, &out, &hard, &guard);
			allowed += out.verdict == AMBIT_ALLOW;
		}
		row(paths[i].text, seconds() - from, n);
		resolved_finish(&resolved);
		if (allowed != 0 && allowed != n)
			abort();
	}
	ambit_request_destroy(request);
}

static void
bench_resolve(struct ambit_engine *engine)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct path_facts resolved;
		long n = 200000;
		double from = seconds();

		for (long k = 0; k < n; k++)
			if (scope_resolve(engine->scope, NULL, paths[i].path, strlen(paths[i].path),
				    true, &resolved, NULL) == 0)
				resolved_finish(&resolved);
		row(paths[i].text, seconds() - from, n);
	}
}

static void
bench_whole(struct ambit_engine *engine, const char *what, long n)
{
	static const char line[] = "{\"id\":1,\"tool\":\"write\","
				   "\"args\":{\"file_path\":\"src/deep/er/module/file.c\"}}";
	double from = seconds();

	for (long k = 0; k < n; k++) {
		struct ambit_request *request = NULL;
		struct ambit_outcome outcome;

		ambit_request_parse(line, sizeof(line) - 1, &request, NULL);
		ambit_engine_decide(engine, request, &outcome, NULL);
		char *json = ambit_outcome_json(&outcome, request, engine->scope, false);

		free(json);
		ambit_outcome_finish(&outcome);
		ambit_request_destroy(request);
	}
	row(what, seconds() - from, n);
}

/* What the supervisor asks the engine about every call that it holds. */
static void
bench_glance(struct ambit_engine *engine)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct path_facts object;
		struct pass pass;
		long n = 1000000;

		if (scope_resolve(engine->scope, NULL, paths[i].path, strlen(paths[i].path), false,
			    &object, NULL) < 0)
			continue;
		object.access = paths[i].access;
		double from = seconds();

		for (long k = 0; k < n; k++)
			engine_allows_fast(engine, &object, 1, &pass);
		row(paths[i].text, seconds() - from, n);
		resolved_finish(&object);
	}
}

int
main(void)
{
	char top[] = "/tmp/ambit-bench-XXXXXX", state[64];
	struct ambit_error err = { 0 };
	struct ambit_settings *settings = NULL;
	struct ambit_scope *scope = NULL;
	struct ambit_record *record = NULL;
	struct ambit_engine *engine = NULL;

	if (!mkdtemp(top) || chdir(top) < 0)
		return 1;
	snprintf(state, sizeof(state), "%s/state", top);
	mkdir("src", 0755);
	mkdir("src/deep", 0755);
	mkdir("src/deep/er", 0755);
	mkdir("src/deep/er/module", 0755);
	if (ambit_settings_load(
		    &(struct ambit_settings_options){ .folder = top }, &settings, &err) < 0 ||
		ambit_settings_set(settings, "loop_limit", "0", "bench", &err) < 0)
		die("settings", &err);
	if (ambit_scope_create(&(struct ambit_scope_options){ .root = top,
				       .places = { .home = "/root", .state = state } },
		    &scope, &err) < 0)
		die("scope", &err);
	struct ambit_engine_options options = { .settings = settings, .scope = scope };

	if (ambit_engine_create(&options, &engine, &err) < 0)
		die("engine", &err);
	printf("decisions on a resolved path, default guards (one core):\n");
	bench_resolved(engine);
	printf("resolution of the same paths by the kernel:\n");
	bench_resolve(engine);
	printf("a request from JSON line to JSON outcome:\n");
	bench_whole(engine, "not recorded", 50000);
	ambit_engine_destroy(engine);

	if (ambit_record_open(state, AMBIT_RECORD_WRITE, &record, &err) < 0)
		die("record", &err);
	options.record = record;
	if (ambit_engine_create(&options, &engine, &err) < 0)
		die("engine", &err);
	bench_whole(engine, "recorded (one event each)", 5000);
	engine->session.wrote = true;
	printf("the gate's look at an object that it holds:\n");
	bench_glance(engine);
	ambit_engine_destroy(engine);
	ambit_record_close(record);
	ambit_scope_destroy(scope);
	ambit_settings_destroy(settings);
	fflush(stdout);
	if (chdir("/") == 0)
		return execlp("rm", "rm", "-rf", top, (char *)NULL);
	return 0;
}
