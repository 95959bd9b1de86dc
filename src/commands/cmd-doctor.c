/* SPDX-License-Identifier: Apache-2.0 */
/* ambit doctor: what this machine offers, and whether the settings, the folder
 * and the record can be used. Changes nothing. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/doors.h"
#include "engine/line.h"
#include "probe/probe.h"

struct report {
	bool json;
	size_t bad; /* what ambit itself needs and does not have */
	json_t *rows;
};

/* detail is escaped: errors come so. */
static void
report_check(
	struct report *report, const char *name, bool ok, const char *detail, const char *advice)
{
	json_t *row = json_pack("{s:s s:b}", "name", name, "ok", ok);

	if (report->json) {
		if (row != NULL && json_set_text(row, "detail", detail) == 0 && advice != NULL &&
			!ok)
			json_object_set_new(row, "advice", json_string(advice));
		json_array_append(report->rows, row);
	} else {
		printf("%-4s %-22s %s\n", ok ? "ok" : "no", name, detail);
		if (!ok && advice != NULL)
			printf("     %-22s %s\n", "", advice);
	}
	json_decref(row);
}

static int
report_probe(void *data, const struct probe *found)
{
	report_check(data, found->name, found->ok, found->detail, found->advice);
	return 0;
}

/* A part of the world that opens, or the reason why it does not. */
static void
try_part(struct report *report, const struct args *args, const char *name, unsigned needs,
	const char *(*detail)(const struct world *world))
{
	auto_free char *shown = NULL;
	struct ambit_error err = { 0 };
	struct world world;
	int r = world_open(&world, args, needs, &err);

	if (r == 0)
		shown = str_escape(detail(&world), strlen(detail(&world)));
	else
		report->bad++;
	report_check(report, name, r == 0, shown != NULL ? shown : err.text, NULL);
	world_finish(&world);
}

static const char *
folder_detail(const struct world *world)
{
	return ambit_scope_root(world->scope);
}

static const char *
settings_detail(const struct world *world)
{
	return world->place.config;
}

static int
chain_is_whole(void *data, const struct ambit_chain *chain)
{
	if (chain->broken != 0)
		*(bool *)data = false;
	return 0;
}

static void
check_record(struct report *report, const struct args *args)
{
	struct ambit_error err = { 0 };
	struct world world;
	bool whole = true;
	int r = world_open(&world, args, WORLD_RECORD, &err);

	if (r == 0 && world.record != NULL)
		r = ambit_record_verify(world.record, NULL, chain_is_whole, &whole, &err);
	if (r != 0 || !whole)
		report->bad++;
	report_check(report, "record", r == 0 && whole,
		r != 0		       ? err.text
		: world.record == NULL ? "none yet"
		: whole		       ? world.place.state
				       : "a chain is broken",
		"see 'ambit log verify'");
	world_finish(&world);
}

static int
ignore_writable_path(void *data, const char *path, bool spine)
{
	(void)data;
	(void)path;
	(void)spine;
	return 0;
}

/* Which guards the kernel holds, and which are for honest programs alone. */
static void
check_guards(struct report *report, const struct args *args)
{
	struct ambit_error err = { 0 };
	struct world world;
	bool cut = false;
	int r = world_open(&world, args, WORLD_ENGINE, &err);

	if (r == 0)
		r = engine_writable(world.engine, ignore_writable_path, NULL);
	if (r == 0)
		cut = engine_search_cut(world.engine);
	report_check(report, "guards", r == 0 && !cut,
		r < 0 ? err.text[0] ? err.text : "cannot be looked for"
		: cut ? "law at the top of the folder and in the repositories that were found; the "
			"folder is too large to be searched whole"
		      : "law at the top of the folder and in every repository in it; deeper "
			"names that appear during a run: for honest programs",
		"take a smaller folder, or keep repositories near its top");
	world_finish(&world);
}

static int
run_doctor(const struct args *args, struct ambit_error *err)
{
	struct report report = { .json = args_get(args, OPT_JSON) != NULL, .rows = json_array() };
	int r = 0;

	if (report.rows == NULL)
		return err_nomem(err);
	try_part(&report, args, "folder", WORLD_SCOPE, folder_detail);
	try_part(&report, args, "settings", WORLD_SETTINGS, settings_detail);
	check_record(&report, args);
	check_guards(&report, args);
	probe_each(report_probe, &report);
	if (report.json)
		r = out_json(json_incref(report.rows), err);
	json_decref(report.rows);
	return r < 0 ? r : report.bad > 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.args = "",
	.text = "what works on this machine, and what does not",
	.about = "Checks the folder, the settings and the record, then looks what the kernel "
		 "offers to\n"
		 "hold the line with. Exits with 1 if the folder, the settings or the record "
		 "cannot be\n"
		 "used.",
	.options = (const enum opt[]){ OPT_FOLDER, OPT_SETTINGS, OPT_JSON, OPT_END },
	.run = run_doctor,
};
