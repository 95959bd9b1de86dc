/* SPDX-License-Identifier: Apache-2.0 */
/* A call to extract was decided by where it unpacks to; what is in the archive nobody
 * knew. So every entry is decided by its own name, as if it were written there by a
 * tool of its own, except that nobody is asked: an archive with a thousand hooks would
 * be a thousand questions. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "engine/line.h"
#include "perform/permit.h"
#include "request/request-object.h"
#include "scope/resolve.h"
#include "tools/archive/archive-guard.h"

#define REFUSED_MAX 200 /* decisions that an archive can put into the record */

/* What the call's own yes covers is everything beneath dst that is not in question
 * for another reason than where it lies. */
static bool
is_covered(const struct ambit_outcome *outcome)
{
	if (outcome->code == AMBIT_CODE_DENIED || outcome->n_paths == 0)
		return false;
	for (size_t i = 0; i < outcome->n_paths; i++)
		if (outcome->paths[i].verdict != AMBIT_ALLOW &&
			outcome->paths[i].code != AMBIT_CODE_OUTSIDE)
			return false;
	return true;
}

/* A decision of its own, so that the record has what was left out. */
static bool
decide_entry(struct ambit_engine *engine, const struct path_facts *object, char **ret_why)
{
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome = { 0 };
	bool yes = false;

	if (request_objects(object, 1, &request, NULL) < 0)
		return false;
	ambit_engine_decide(engine, request, &outcome, NULL);
	yes = is_covered(&outcome);
	if (!yes)
		*ret_why = str_dup(outcome.reason ? outcome.reason : "it could not be decided");
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return yes;
}

static void
fill_object_stat(int dst, const char *name, struct path_facts *object)
{
	auto_close int fd = dst < 0 ? -1
				    : resolve_open(dst, name, O_PATH | O_NOFOLLOW, 0,
					      RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	object->exists = true;
	object->mode = st.st_mode;
	object->dev = st.st_dev;
	object->ino = st.st_ino;
	object->nlink = st.st_nlink;
}

bool
archive_may(struct tool_run *run, int dst, const char *dst_real, const char *name,
	enum unpack_kind kind, const char *target, size_t *refused, char **ret_why)
{
	auto_free char *real = str_printf("%s/%s", streq(dst_real, "/") ? "" : dst_real, name);
	struct ambit_engine *engine;
	struct path_facts object = {
		.access = kind == UNPACK_DIR	? AMBIT_ACCESS_MKDIR
			  : kind == UNPACK_LINK ? AMBIT_ACCESS_REPLACE
						: AMBIT_ACCESS_WRITE,
		.real = real,
		.written = real,
		.leads = target,
	};
	struct pass pass;
	bool yes;

	*ret_why = NULL;
	if (!real)
		return false;
	fill_object_stat(dst, name, &object);
	/* What is there already is not made again. */
	if (kind == UNPACK_DIR && object.exists && S_ISDIR(object.mode))
		return true;
	engine = run_lock(run);
	yes = engine_allows_fast(engine, &object, 1, &pass) == AMBIT_ALLOW;
	if (!yes && *refused < REFUSED_MAX)
		yes = decide_entry(engine, &object, ret_why);
	else if (!yes)
		*ret_why = strdup("it is not plainly allowed, after too many that were refused");
	run_unlock(run);
	*refused += !yes;
	return yes;
}
