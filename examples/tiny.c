/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest harness: asks libambit before it writes a file.
 *
 *     tiny FOLDER STATE_DIR ASK PATH TEXT
 *
 * ASK is tty, deny, allow or exec:/abs/prog. Build it with
 *     cc tiny.c $(pkg-config --cflags --libs ambit jansson) */

#include <ambit/ambit.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
fail(const char *what, const struct ambit_error *err)
{
	fprintf(stderr, "tiny: %s: %s\n", what, err->text);
	return 1;
}

int
main(int argc, char **argv)
{
	struct ambit_error err = { 0 };
	struct ambit_settings *settings = NULL;
	struct ambit_scope *scope = NULL;
	struct ambit_record *record = NULL;
	struct ambit_approver *approver = NULL;
	struct ambit_engine *engine = NULL;
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome;
	struct ambit_permit *permit = NULL;
	int fd, result;

	if (argc != 6)
		return fprintf(stderr, "usage: tiny FOLDER STATE_DIR ASK PATH TEXT\n"), 2;
	const char *folder = argv[1], *state = argv[2], *ask = argv[3];

	/* Once per session: the settings, the folder, the record, who is asked. */
	if (ambit_settings_load(
		    &(struct ambit_settings_options){ .folder = folder }, &settings, &err))
		return fail("settings", &err);
	if (ambit_scope_create(&(struct ambit_scope_options){ .root = folder,
				       .places = { .home = getenv("HOME"), .state = state } },
		    &scope, &err))
		return fail("folder", &err);
	if (ambit_record_open(state, AMBIT_RECORD_WRITE, &record, &err))
		return fail("record", &err);
	if (ambit_approver_create(ask, &folder, 1, &approver, &err))
		return fail("approver", &err);
	if (ambit_engine_create(&(struct ambit_engine_options){ .settings = settings,
					.scope = scope,
					.record = record,
					.approver = approver,
					.door = "tiny" },
		    &engine, &err))
		return fail("engine", &err);

	/* Once per tool call: make the request, decide, act with the permit. */
	char *args = json_dumps(json_pack("{s:s}", "file_path", argv[4]), 0);
	if (!args || ambit_request_create("write", args, strlen(args), &request, &err))
		return fail("request", &err);
	ambit_engine_request(engine, request, &outcome, &permit, &err);
	if (!permit) {
		char *line = ambit_outcome_json(&outcome, request, scope, false);
		puts(line); /* what the model gets to read */
		return 1;
	}
	result = ambit_permit_open(permit, 0, O_WRONLY | O_CREAT | O_TRUNC, 0644, &fd, &err);
	if (result == 0) {
		result = write(fd, argv[5], strlen(argv[5])) < 0 ? -1 : 0;
		close(fd);
	}
	ambit_permit_finish(permit, result, NULL);
	printf("%s %s\n", result == 0 ? "wrote" : "failed:", result == 0 ? argv[4] : err.text);
	ambit_engine_destroy(engine);
	return result == 0 ? 0 : 1;
}
