/* SPDX-License-Identifier: Apache-2.0 */
/* A place that was decided for writing, into whether it may be read as well. Where reads
 * are guarded or limited, a tool that says which lines are nearest to what it was given,
 * or takes a file to where it is not guarded, would be a way around that. Even a plain
 * "not found" tells what is in a file, to whoever asks often enough: so it is decided
 * before anything is looked at. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/line.h"
#include "perform/permit.h"
#include "request/request-object.h"
#include "request/request-private.h"
#include "tools/edit/edit-file.h"
#include "tools/registry/registry-private.h"

static bool
is_plainly_allowed(
	struct tool_run *run, const char *real, enum ambit_access access, const struct stat *st)
{
	const struct path_facts object = {
		.access = access,
		.real = real,
		.written = real,
		.exists = true,
		.mode = st->st_mode,
		.dev = st->st_dev,
		.ino = st->st_ino,
		.nlink = st->st_nlink,
	};
	struct pass pass;
	bool plain;

	plain = engine_allows_fast(run_lock(run), &object, 1, &pass) == AMBIT_ALLOW;
	run_unlock(run);
	return plain;
}

static enum ambit_access
access_of(const struct ambit_place *place)
{
	return S_ISDIR(place->mode) ? AMBIT_ACCESS_READ_TREE : AMBIT_ACCESS_READ;
}

bool
edit_may_read(struct tool_run *run, const struct ambit_place *place)
{
	struct stat st;

	return fstatat(place->parent, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       is_plainly_allowed(run, place->real, access_of(place), &st);
}

bool
edit_may_list(struct tool_run *run, const struct ambit_place *place)
{
	const char *slash = strrchr(place->real, '/');
	auto_free char *dir =
		strndup(place->real, slash == place->real ? 1 : (size_t)(slash - place->real));
	struct stat st;

	return dir && fstat(place->parent, &st) == 0 &&
	       is_plainly_allowed(run, dir, AMBIT_ACCESS_READ, &st);
}

static int
report_read_refusal(struct tool_run *run, const char *shown, const struct ambit_outcome *outcome,
	struct ambit_error *err)
{
	run->code = outcome->code == AMBIT_CODE_NONE ? AMBIT_CODE_DENIED : outcome->code;
	run->refused = true;
	run->asked = outcome->asked;
	return run_fail(run, err, EACCES,
		"This needs what is in it, and so it has to be readable: read it first, which puts "
		"the question. A whole file can be written without.",
		"%s may be changed, but not read: %s", shown,
		outcome->reason ? outcome->reason : "ambit could not decide");
}

static int
decide_read_request(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err)
{
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome = { 0 };
	struct ambit_permit *permit = NULL;
	bool asked = false;
	int r = ambit_request_path(
		access_of(place), place->real, strlen(place->real), &request, err);

	if (r < 0)
		return r;
	request->origin = run->options->origin;
	r = registry_settle(
		run->registry, request, run->options, &outcome, &permit, NULL, &asked, err);
	if (r == 0 && permit) {
		run_lock(run);
		ambit_permit_finish(permit, 0, NULL);
		run_unlock(run);
	} else if (r == 0 || r == -EINPROGRESS) {
		r = report_read_refusal(run, place->shown, &outcome, err);
	}
	ambit_outcome_finish(&outcome);
	return r;
}

int
edit_decide_read(struct tool_run *run, const struct ambit_place *place, struct ambit_error *err)
{
	/* What a link says is no secret, and what it leads to stays where it is. */
	if (!place->exists || S_ISLNK(place->mode) || edit_may_read(run, place))
		return 0;
	return decide_read_request(run, place, err);
}
