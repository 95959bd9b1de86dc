/* SPDX-License-Identifier: Apache-2.0 */
/* The engine as the kernel line sees it: a glance at calls that are plainly
 * allowed, passes for those who act, and what a run puts into the record. A
 * glance is a decision without words; what it does not allow goes on as a
 * request, which is asked about and recorded. The objects come from
 * the supervisor, which resolved them and holds them open. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "decide/destination.h"
#include "engine/doors.h"
#include "engine/engine-private.h"
#include "engine/line.h"
#include "perform/permit.h"
#include "request/host.h"
#include "request/request-object.h"

#define LOOK_AGAIN_MS 20

/* -- passes ------------------------------------------------------------------ */

int
pass_use(struct pass *pass)
{
	if (!pass || !pass->engine)
		return -EPERM;
	pass->engine = NULL;
	return 0;
}

static void
give_pass(const struct ambit_engine *engine, struct pass *ret_pass)
{
	*ret_pass = (struct pass){ .engine = engine, .leftovers = engine->leftovers };
}

void
permit_pass(struct ambit_permit *permit, struct pass *ret_pass)
{
	*ret_pass = (struct pass){ 0 };
	if (!permit || (permit->n_passes == 0 && !permit->placed))
		return;
	if (permit->n_passes > 0)
		permit->n_passes--;
	give_pass(permit->engine, ret_pass);
}

/* -- what a glance looks with ---------------------------------------------------- */

void
engine_look(const struct ambit_engine *engine, const struct ambit_request *request,
	struct decide_input *ret_input)
{
	*ret_input = (struct decide_input){
		.settings = engine->settings,
		.scope = engine->scope,
		.apart = engine->outer != NULL,
		.guards = engine->guards,
		.project = engine->guarded->root.real,
		.session = &engine->session,
		.grants = engine->grants,
		.n_grants = engine->n_grants,
		.opened = engine->opened,
		.rules = engine->rules.list,
		.n_rules = engine->rules.n,
		.once = engine->once,
		.n_once = engine->n_once,
		.policy = engine->policy,
		.run = engine->run,
		.answers = engine->answers,
		.request = request,
		.now = clock_now(),
		.steady = engine->n_once > 0 ? clock_steady() : 0,
	};
}

int64_t
engine_began(const struct ambit_engine *engine)
{
	return engine->began;
}

/* Where the folder is and what the record holds: looked at now and then, and
 * at once after an answer. */
bool
engine_refresh(struct ambit_engine *engine)
{
	struct timespec t;
	int64_t now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
	if (engine->looked != 0 && engine->rules_version != -1 &&
		now - engine->looked < LOOK_AGAIN_MS)
		return engine_search_opened(engine) == 0;
	engine->looked = 0;
	if (scope_refresh(engine->scope, NULL) < 0 || scope_refresh(engine->guarded, NULL) < 0 ||
		engine_reload(engine, NULL) < 0 ||
		guards_ready(engine->guards, engine->guarded, NULL) < 0 ||
		engine_search_opened(engine) < 0)
		return false;
	engine->looked = now;
	return true;
}

/* -- glances ---------------------------------------------------------------------- */

/* decide() over these objects, for nobody in particular: what was allowed one process is not told
 * here. */
static enum ambit_verdict
glance_at_objects(struct ambit_engine *engine, const struct path_facts *objects, size_t n)
{
	struct request_path paths[DECIDE_OBJECTS_MAX];
	struct path_facts own[DECIDE_OBJECTS_MAX];
	struct ambit_request request;
	struct decide_input in;

	if (n > DECIDE_OBJECTS_MAX)
		return AMBIT_ASK;
	memcpy(own, objects, n * sizeof(*own));
	if (request_borrow_objects(own, n, paths, &request) < 0)
		return AMBIT_ASK;
	engine_look(engine, &request, &in);
	return decide_verdict(&in);
}

static bool
is_first_write(const struct ambit_engine *engine, const struct path_facts *objects, size_t n)
{
	for (size_t i = 0; !engine->session.wrote && i < n; i++)
		if (access_writes(objects[i].access) && !objects[i].special)
			return true;
	return false;
}

enum ambit_verdict
engine_allows_fast(struct ambit_engine *engine, const struct path_facts *objects, size_t n,
	struct pass *ret_pass)
{
	*ret_pass = (struct pass){ 0 };
	if (!engine->record || engine->observe || !engine_refresh(engine))
		return AMBIT_ASK;
	/* The first write of a session is recorded: reads may end with it. */
	if (is_first_write(engine, objects, n) ||
		(n > 0 && glance_at_objects(engine, objects, n) != AMBIT_ALLOW))
		return AMBIT_ASK;
	give_pass(engine, ret_pass);
	return AMBIT_ALLOW;
}

bool
engine_may_make(struct ambit_engine *engine, const char *real)
{
	const struct path_facts object = {
		.access = AMBIT_ACCESS_WRITE,
		.real = real,
		.written = real,
	};
	struct ambit_outcome_path path = { 0 };
	struct ambit_request request;
	const struct guard *guard;
	struct decide_input in;
	bool hard;

	if (!engine_refresh(engine))
		return true;
	request_begin_at(&request, "write");
	engine_look(engine, &request, &in);
	paths_decide_object(&in, &object, &path, &hard, &guard);
	return memory_allows(&in, &path, real) || engine_once_may_make(engine, real);
}

bool
engine_opens_beside(struct ambit_engine *engine, const char *real)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct decide_input in;

	if (!engine_refresh(engine))
		return false;
	engine_look(engine, &request, &in);
	return paths_is_open_beside(&in, real);
}

static enum ambit_verdict
glance_at_host(struct ambit_engine *engine, const char *host, bool lookup, struct pass *ret_pass)
{
	struct ambit_request request;
	auto_free char *name = NULL;
	struct decide_input in;

	*ret_pass = (struct pass){ 0 };
	request_begin_at(&request, "connect");
	if (!engine->record || engine->observe || !engine_refresh(engine) ||
		host_parse(host, &name, &request.port) < 0)
		return AMBIT_ASK;
	request.host = name;
	request.lookup = lookup;
	engine_look(engine, &request, &in);
	if (decide_verdict(&in) != AMBIT_ALLOW)
		return AMBIT_ASK;
	give_pass(engine, ret_pass);
	return AMBIT_ALLOW;
}

enum ambit_verdict
engine_allows_host_fast(struct ambit_engine *engine, const char *host, struct pass *ret_pass)
{
	return glance_at_host(engine, host, false, ret_pass);
}

enum ambit_verdict
engine_allows_lookup_fast(struct ambit_engine *engine, const char *name, struct pass *ret_pass)
{
	return glance_at_host(engine, name, true, ret_pass);
}

int
engine_route(struct ambit_engine *engine, const struct destination *to, struct route *ret_route,
	struct pass *ret_pass)
{
	const struct ambit_request request = { .port = to->port };
	bool fresh = engine_refresh(engine);
	struct decide_input in;
	int r;

	*ret_pass = (struct pass){ 0 };
	engine_look(engine, &request, &in);
	r = destination_decide(&in, to, ret_route);
	if (r == 0 && ret_route->verdict == AMBIT_ALLOW && fresh && engine->record &&
		!engine->observe)
		give_pass(engine, ret_pass);
	return r;
}

/* -- for the hand ----------------------------------------------------------------- */

int
engine_may_stand(struct ambit_engine *engine, int dir, const char *real, bool landed)
{
	int r;

	if (guards_ready(engine->guards, engine->guarded, NULL) < 0)
		return -ESTALE;
	r = guards_look_held(engine->guards, engine->scope, dir, real, landed);
	return r == 0 ? 0 : r > 0 ? -ESTALE : -EXDEV;
}

/* STATE/attic: this user's alone. */
static int
open_attic(const char *state)
{
	auto_close int above = open(state, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int fd = -1;
	struct stat st;

	if (above < 0 || (mkdirat(above, "attic", 0700) < 0 && errno != EEXIST))
		return -1;
	fd = openat(above, "attic", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 077))
		return -1;
	return steal_fd(&fd);
}

int
engine_attic(struct ambit_engine *engine)
{
	if (engine->attic == 0)
		engine->attic = engine->scope->state ? open_attic(engine->scope->state) : -1;
	return engine->attic;
}

/* The path of an evicted thing, or NULL. */
static char *
path_of_evicted(
	const struct ambit_engine *engine, const char *real, bool in_attic, const char *name)
{
	if (!name)
		return NULL;
	if (in_attic)
		return str_printf("%s/attic/%s", engine->scope->state, name);
	return str_printf("%.*s/%s", (int)(strrchr(real, '/') - real), real, name);
}

char *
engine_record_evicted(
	struct ambit_engine *engine, const char *real, bool in_attic, const char *name)
{
	struct ambit_event event = {
		.session = engine->session.name,
		.time = clock_now(),
		.kind = "evict",
		.subject = real,
	};
	auto_free char *kept = path_of_evicted(engine, real, in_attic, name);
	auto_json json_t *body = json_object();

	if (body && json_set_text(body, "kept", kept ? kept : "") == 0 && engine->record &&
		!engine->observe)
		record_append(engine->record, &event, body, NULL);
	if (!kept)
		return strdup("another object was put there during the move: check what is there "
			      "before you go on");
	return str_printf(
		"another object was put there during the move; ambit moved it to %s", kept);
}

int
engine_hold_reads(struct ambit_engine *engine, bool guarded, bool for_call, struct ambit_error *err)
{
	struct ambit_request request = { .bad = AMBIT_CODE_NONE };
	struct decide_input in;
	char fault[1024];
	int r = engine_reload(engine, err);

	if (r < 0)
		return r;
	engine->run = guarded ? RUN_READS_GUARDED : RUN_READS_FREE;
	engine_look(engine, &request, &in);
	return run_reads_find_fault(&in, for_call, fault, sizeof(fault))
		       ? err_set(err, EPERM, "%s", fault)
		       : 0;
}

bool
permit_is_guarded(const struct ambit_permit *permit)
{
	return permit && permit->guarded;
}

bool
permit_is_once(const struct ambit_permit *permit)
{
	return permit && permit->once;
}

uint64_t
permit_once_chain(const struct ambit_permit *permit)
{
	return permit ? permit->chain : 0;
}

/* -- the rest ---------------------------------------------------------------------- */

int
engine_record_note(struct ambit_engine *engine, const char *kind, const char *subject,
	const char *body, struct ambit_error *err)
{
	struct ambit_event event = {
		.session = engine->session.name,
		.time = clock_now(),
		.kind = kind,
		.subject = subject,
	};
	auto_json json_t *object = NULL;
	int r;

	if (!streq(kind, "run") && !streq(kind, "end"))
		return err_set(err, EINVAL, "'%s' is not an event that a run makes", kind);
	r = json_parse(body, strlen(body), &object, err);
	if (r < 0)
		return r;
	if (!json_is_object(object))
		return err_set(err, EINVAL, "the body of an event must be an object");
	if (!engine->record || engine->observe)
		return 0;
	/* The end is the last event; what was counted stands before it. */
	r = streq(kind, "end") ? record_counts_write(engine->record, engine->session.name, err) : 0;
	return r < 0 ? r : record_append(engine->record, &event, object, err);
}

#define CARE_AGAIN_MS 5000 /* after a count could not be written */

int
engine_care(struct ambit_engine *engine)
{
	int64_t due = engine->record ? record_counts_due(engine->record) : -1;

	if (due == 0 && record_counts_write(engine->record, NULL, NULL) < 0)
		return CARE_AGAIN_MS;
	due = due == 0 ? record_counts_due(engine->record) : due;
	return due > INT_MAX ? INT_MAX : (int)due;
}

int
ambit_engine_net(const struct ambit_engine *engine)
{
	return (int)decision_net(engine->settings);
}

const struct ambit_scope *
ambit_engine_scope(const struct ambit_engine *engine)
{
	return engine->scope;
}
