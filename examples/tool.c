/* SPDX-License-Identifier: Apache-2.0 */
/* A tool of a harness' own, bound to the folder like ambit's: "shout" writes a text in
 * capitals into a file. It says which of its arguments is a path and what it does to
 * it; then every call is decided, asked about and recorded before it runs.
 *
 *     tool FOLDER STATE_DIR ASK PATH TEXT
 *
 * ASK is tty, deny, allow or exec:/abs/prog. Build it with
 *     cc tool.c $(pkg-config --cflags --libs ambit-tools jansson) */

#include <ambit/ambit.h>
#include <ambit/tools.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
fail(const char *what, const struct ambit_error *err)
{
	fprintf(stderr, "tool: %s: %s\n", what, err->text);
	return 1;
}

/* Runs when the call is allowed. What it acts on is a place: a directory that is held
 * open and a name in it, and exactly what was decided. A link put there since is not
 * followed. */
static int
shout(struct ambit_invocation *invocation, void *data, struct ambit_error *err)
{
	json_t *args = json_loads(ambit_invocation_args(invocation), 0, NULL);
	const char *path = json_string_value(json_object_get(args, "path"));
	const char *text = json_string_value(json_object_get(args, "text"));
	struct ambit_place place;
	int r = ambit_permit_place(ambit_invocation_permit(invocation), path, AMBIT_ACCESS_WRITE,
		true, true, &place, err);

	(void)data;
	if (r == 0) {
		int fd = openat(place.parent, place.name,
			O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);

		for (const char *c = text; fd >= 0 && *c && r == 0; c++) {
			char big = (char)toupper((unsigned char)*c);

			r = write(fd, &big, 1) == 1 ? 0 : -EIO;
		}
		if (fd < 0 || r < 0) {
			r = -EIO;
			snprintf(err->text, sizeof(err->text), "%s could not be written",
				place.shown);
		} else {
			ambit_invocation_say(invocation, "shouted into ", 13);
			ambit_invocation_say(invocation, place.shown, strlen(place.shown));
			ambit_invocation_set(invocation, "{\"loud\":true}");
		}
		if (fd >= 0)
			close(fd);
		ambit_place_finish(&place);
	}
	json_decref(args);
	return r;
}

static const struct ambit_tool tool = {
	.name = "shout",
	.title = "Shout",
	.text = "Writes a text in capitals into a file.",
	.input = "{\"type\":\"object\",\"required\":[\"path\",\"text\"],\"additionalProperties\":"
		 "false,"
		 "\"properties\":{\"path\":{\"type\":\"string\",\"minLength\":1},"
		 "\"text\":{\"type\":\"string\"}}}",
	.effects = AMBIT_WRITE,
	.danger = AMBIT_DANGER_WRITE,
	.permission = AMBIT_PERMISSION_ALLOW,
	.paths = (const struct ambit_tool_path[]){ { "path", AMBIT_ACCESS_WRITE, true }, { 0 } },
	.run = shout,
};

int
main(int argc, char **argv)
{
	struct ambit_error err = { 0 };
	struct ambit_settings *settings = NULL;
	struct ambit_scope *scope = NULL;
	struct ambit_record *record = NULL;
	struct ambit_approver *approver = NULL;
	struct ambit_engine *engine = NULL;
	struct ambit_registry *registry = NULL;
	struct ambit_result result;

	if (argc != 6)
		return fprintf(stderr, "usage: tool FOLDER STATE_DIR ASK PATH TEXT\n"), 2;
	const char *folder = argv[1], *state = argv[2], *ask = argv[3];

	/* Once per session: the same as in tiny.c, and the registry with the tool in it. */
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
					.door = "tool" },
		    &engine, &err))
		return fail("engine", &err);
	if (ambit_registry_create(
		    &(struct ambit_registry_options){ .engine = engine }, &registry, &err) ||
		ambit_registry_add(registry, &tool, &err))
		return fail("registry", &err);

	/* Once per call, from any thread. Refused or not, there is a result to read. */
	json_t *object = json_pack("{s:s, s:s}", "path", argv[4], "text", argv[5]);
	char *args = json_dumps(object, 0);
	if (!args || ambit_registry_call(registry, "shout", args, strlen(args), NULL, &result))
		return fprintf(stderr, "tool: out of memory, or arguments that are no text\n"), 1;
	puts(result.failed ? result.structured : result.text);
	int failed = result.failed;

	ambit_result_finish(&result);
	ambit_registry_destroy(registry);
	ambit_engine_destroy(engine);
	ambit_approver_destroy(approver);
	ambit_record_close(record);
	ambit_scope_destroy(scope);
	ambit_settings_destroy(settings);
	free(args);
	json_decref(object);
	return failed;
}
