/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of one call. It holds no policy: the engine says what is
 * allowed, at a glance or by a request; this file knows only how an allowed
 * call is carried out so that a racing thread wins nothing. CONTINUE lets the
 * kernel read the arguments again, so it is the answer only where the floor
 * bounds whatever they say by then. */

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "engine/line.h"
#include "line/gate/call-file.h"
#include "line/gate/call-once.h"
#include "line/gate/gate-private.h"
#include "line/gate/self-restricted.h"
#include "perform/permit.h"
#include "request/request-object.h"

/* -- carrying out -------------------------------------------------------------- */

/* Truncating by an open is bounded from ABI 3 on only. Flags in a register are what they are. */
static bool
may_truncate(const struct call *call)
{
	if (call->row->op != OP_OPEN)
		return false;
	if (call->row->form != FORM_OPEN_FLAGS)
		return true;
	return call->args[(int)call->row->flags] & O_TRUNC;
}

/* The access mode 3 (O_WRONLY | O_RDWR): Landlock asks no right for it. */
static bool
opens_for_ioctl(const struct call *call)
{
	return call->row->op == OP_OPEN && call->row->form == FORM_OPEN_FLAGS &&
	       (call->args[(int)call->row->flags] & O_ACCMODE) == O_ACCMODE;
}

/* Whether the floor knows of this call, whatever its arguments are when the kernel
 * looks at them. */
static bool
is_floored(const struct call *call)
{
	int since = call->row->floor;

	if (since == 0 || since > call->gate->abi || opens_for_ioctl(call))
		return false;
	return call->gate->abi >= 3 || !may_truncate(call);
}

bool
gate_is_narrower(struct gate *gate)
{
	bool narrowed;

	gate_lock(gate);
	narrowed = engine_is_narrowed(gate->o.engine);
	gate_unlock(gate);
	return narrowed;
}

bool
gate_closes_reads(struct gate *gate)
{
	bool closes;

	gate_lock(gate);
	closes = engine_closes_reads(gate->o.engine);
	gate_unlock(gate);
	return closes;
}

bool
gate_opens_reads(struct gate *gate, const char *from, const char *to)
{
	bool opens;

	gate_lock(gate);
	opens = engine_opens_reads(gate->o.engine, from, to);
	gate_unlock(gate);
	return opens;
}

/* And bounds it by what holds now: while less is allowed than when the floor was made,
 * whatever is continued could come to mean a write that is not. */
static bool
is_bounded(const struct call *call)
{
	return is_floored(call) && !gate_is_narrower(call->gate);
}

/* Symlinks, links and renames bring a file to a name of their own choice: nothing that
 * went wrong makes them the kernel's alone. */
static bool
moves_names(const struct call *call)
{
	return call->row->op == OP_SYMLINK || call->row->op == OP_LINK ||
	       call->row->op == OP_RENAME;
}

/* Removes something, or drops what it holds. */
static bool
is_destructive_call(const struct call *call)
{
	return call->row->op == OP_UNLINK || call->row->op == OP_TRUNCATE || may_truncate(call);
}

/* What prepare would leave to the floor. */
void
gate_answer_prepared(struct call *call)
{
	if (call->answer.kind == ANSWER_CONTINUE && call->row->floor > 0 &&
		(moves_names(call) || gate_is_narrower(call->gate)))
		gate_fail(call, EACCES);
	else
		gate_answer(call);
}

static bool
share_parent(const struct object *a, const struct object *b)
{
	struct stat x, y;

	return a->parent >= 0 && b->parent >= 0 && fstat(a->parent, &x) == 0 &&
	       fstat(b->parent, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Whether the call is within the floor in a git directory as well: it makes no symlink,
 * and gives a file no name in another directory. */
static bool
keeps_to_git(const struct call *call)
{
	switch (call->row->op) {
	case OP_SYMLINK:
		return false;
	case OP_RENAME:
	case OP_LINK:
		return S_ISREG(call->object[0].st.st_mode) &&
		       (!call->object[1].exists || S_ISREG(call->object[1].st.st_mode)) &&
		       share_parent(&call->object[0], &call->object[1]);
	default:
		return true;
	}
}

/* All others make, remove or give names. */
static bool
writes_content(const struct call *call)
{
	return call->row->op == OP_OPEN || call->row->op == OP_TRUNCATE;
}

static bool
covers_object(const struct call *call, const struct object *object)
{
	const struct floor *floor = call->gate->o.floor;

	if (object->gone || object->nameless || !floor_covers(floor, object->real))
		return false;
	if (!(object->exists && writes_content(call)) && !floor_covers_name(floor, object->real))
		return false;
	return floor_covers_links(floor, object->real) || keeps_to_git(call);
}

static bool
is_call_covered(const struct call *call)
{
	for (unsigned i = 0; i < call->n_needs; i++)
		if (!covers_object(call, &call->object[call->need[i].object]))
			return false;
	return call->n_needs > 0;
}

bool
gate_may_continue(struct call *call)
{
	return is_bounded(call) && call->may_continue && !call->asked && is_call_covered(call);
}

/* Something else lies there than was decided about: somebody was faster, and
 * an honest program means what is there now. Decided anew, a few times. A call that
 * has to wait is prepared anew for a worker; a worker has nobody to hand it to. */
static bool
may_start_over(struct call *call, int r)
{
	if (r == CALL_HAND_OVER)
		return call->pace != PACE_SLOW;
	return r == -ESTALE && ++call->changes <= GATE_CHANGES_MAX;
}

static bool
try_restart_call(struct call **call, int r)
{
	if (!may_start_over(*call, r))
		return false;
	gate_drop(*call, ESTALE);
	(*call)->round = ROUND_AGAIN;
	(*call)->begun |= r == CALL_HAND_OVER;
	gate_handle((*call)->gate, call);
	return true;
}

static void
perform_call(struct call **call, struct pass *pass)
{
	int r = call_op_of((*call)->row->op)->perform(*call, pass);

	if (try_restart_call(call, r))
		return;
	if (r == -ESTALE || r > CALL_DONE)
		r = -EACCES;
	if (r < 0)
		(*call)->answer = (struct answer){ .error = -r, .fd = -1 };
	gate_answer(*call);
}

/* What is done on behalf is done with the supervisor's rights: only for one
 * who has the same. */
static bool
may_act_for(struct call *call)
{
	/* What a descriptor of its own takes without an address was decided when
	 * it was connected, by the kernel too. */
	bool own = call->row->op == OP_SEND && call->n_needs == 0 && !call->host;

	if (!own && self_restricted_has(call->gate, call->target.tid))
		return false;
	return !call->gate->root || target_is_us(&call->target);
}

void
gate_act(struct call **call, struct pass *pass)
{
	struct call *c = *call;

	if (gate_may_continue(c)) {
		run_counts_pass(c->gate->counts, c->target.tid);
		gate_continue(c);
	} else if (!gate_is_valid(c->gate, c->id)) {
		/* Killed, and its number may be another's by now. If it is alive
		 * here, it was while it was looked at. */
		gate_drop(c, ESRCH);
	} else if (may_act_for(c)) {
		run_counts_pass(c->gate->counts, c->target.tid);
		perform_call(call, pass);
	} else if (is_bounded(c) && !moves_names(c)) {
		gate_continue(c); /* the floor still gives what it gives */
	} else {
		gate_fail(c, is_bounded(c) ? EACCES : EPERM);
	}
}

struct slow {
	struct call *call;
	struct pass pass;
};

static void
perform_slow(void *data)
{
	struct slow *slow = data;

	gate_act(&slow->call, &slow->pass);
	if (slow->call) {
		call_finish(slow->call);
		free(slow->call);
	}
	free(slow);
}

/* Takes the call. */
static int
send_aside(struct call *call, struct pass *pass)
{
	struct slow *slow = malloc(sizeof(*slow));
	int r;

	if (!slow)
		return -ENOMEM;
	*slow = (struct slow){ .call = call, .pass = *pass };
	*pass = (struct pass){ 0 };
	r = work_add(call->gate->work, perform_slow, slow);
	if (r < 0)
		free(slow);
	return r;
}

/* A slow one is taken by its worker. Without one it is not done: here it would
 * keep everybody waiting. */
static void
act_or_send_aside(struct call **call, struct pass *pass)
{
	if ((*call)->pace != PACE_SLOW)
		gate_act(call, pass);
	else if (send_aside(*call, pass) == 0)
		*call = NULL;
	else
		gate_fail(*call, EAGAIN);
}

/* -- refusing ------------------------------------------------------------------- */

static const char *
what_of(const struct call *call)
{
	if (call->host)
		return "connect";
	return call->n_needs > 0 ? ambit_word_name(ambit_accesses, (int)call->need[0].access)
				 : "do";
}

static const struct ambit_outcome_path *
refused_path(const struct ambit_outcome *outcome)
{
	for (size_t i = 0; i < outcome->n_paths; i++)
		if (outcome->paths[i].verdict != AMBIT_ALLOW)
			return &outcome->paths[i];
	return outcome->n_paths > 0 ? &outcome->paths[0] : NULL;
}

/* The path as shown; a mode that denies every write does not look at paths. */
static char *
subject_of(const struct call *call, const struct ambit_outcome *outcome)
{
	const struct ambit_outcome_path *path = refused_path(outcome);

	if (path)
		return strdup(path->shown);
	if (call->n_needs > 0)
		return ambit_scope_display(ambit_engine_scope(call->gate->o.engine),
			call->object[call->need[0].object].real);
	return strdup(outcome->host ? outcome->host : call->row->name);
}

void
gate_refuse(struct call *call, const struct ambit_outcome *outcome, uint64_t key)
{
	const struct ambit_outcome_path *path = refused_path(outcome);
	const char *what =
		path ? ambit_word_name(ambit_accesses, (int)path->access) : what_of(call);
	auto_free char *subject = NULL;

	gate_lock(call->gate);
	subject = subject_of(call, outcome);
	gate_unlock(call->gate);
	gate_tell_refused(
		call->gate, &call->target, what, subject ? subject : "?", outcome, true, key);
	gate_fail(call, EACCES);
	if (!atomic_exchange(&call->gate->caring, true))
		call->gate->o.wake(call->gate->o.data);
}

int
gate_care(struct gate *gate)
{
	int ms;

	if (!atomic_load(&gate->caring))
		return -1;
	gate_lock(gate);
	ms = engine_care(gate->o.engine);
	if (ms < 0)
		atomic_store(&gate->caring, false);
	gate_unlock(gate);
	return ms;
}

/* -- deciding ------------------------------------------------------------------- */

static bool
only_marks(const struct call *call)
{
	return call->row->op == OP_UTIME ||
	       (call->row->op == OP_CHMOD && !(call->chmod.mode & 022));
}

/* Open to everybody, or with somebody's rights to whoever runs it. */
static bool
makes_it_wide(struct call *call, mode_t asked)
{
	mode_t mode;

	if (asked & (S_ISUID | S_ISGID))
		return true;
	if (!(asked & S_IWOTH))
		return false;
	return call_mode(call, 0, asked, &mode) < 0 || (mode & S_IWOTH);
}

/* A rename brings all of that along: what was made in the folder, where it may be. */
static bool
carries_plain(const struct call *call)
{
	for (unsigned i = 0; i < call->n_objects; i++) {
		const struct object *object = &call->object[i];

		if (object->exists && (!S_ISREG(object->st.st_mode) ||
					      (object->st.st_mode & (S_ISUID | S_ISGID | S_IWOTH))))
			return false;
	}
	return true;
}

/* Sets path_facts.plain: a judge may be told of this call. Not of a pipe, a socket or a device,
 * since another program is behind it; nor of an object without a name. Unknown calls are not plain.
 */
static bool
is_plain(struct call *call)
{
	const struct object *object = &call->object[0];

	switch (call->row->op) {
	case OP_UNLINK:
	case OP_TRUNCATE:
	case OP_UTIME:
		return true;
	case OP_RENAME:
		return carries_plain(call);
	case OP_MKDIR:
		return !makes_it_wide(call, call->make.mode);
	case OP_OPEN:
		if (object->exists)
			return S_ISREG(object->st.st_mode);
		return (call->open.flags & O_TMPFILE) != O_TMPFILE &&
		       !makes_it_wide(call, call->open.mode);
	default:
		return false;
	}
}

static bool
is_truncating_call(const struct call *call)
{
	return call->row->op == OP_TRUNCATE ||
	       (call->row->op == OP_OPEN && (call->open.flags & O_TRUNC));
}

/* Where the command may do as it likes in every mode: nothing in there needs
 * deciding, unless something is moved out of it. */
static bool
is_in_temp(const struct call *call)
{
	for (unsigned i = 0; i < call->n_needs; i++) {
		const char *real = call->object[call->need[i].object].real;

		if (!str_beneath(real, call->gate->o.temp) || streq(real, call->gate->o.temp))
			return false;
	}
	return true;
}

static size_t
list_objects(const struct call *call, struct path_facts *list)
{
	bool sets_id = call_sets_id(call);
	size_t n = 0;

	if (is_in_temp(call))
		return 0;
	for (unsigned i = 0; i < call->n_needs; i++) {
		const struct object *object = &call->object[call->need[i].object];

		list[n++] = (struct path_facts){
			.access = call->need[i].access,
			.real = object->real,
			.written = object->written,
			.leads = object->leads,
			.exists = object->exists,
			/* Its own file, but everybody could run it with the person's rights. */
			.own = !sets_id && call_is_own(call, call->need[i].object),
			.sets_id = sets_id,
			.special = call->special,
			.marks = only_marks(call),
			.mode = object->st.st_mode,
			.dev = object->st.st_dev,
			.ino = object->st.st_ino,
			.nlink = object->st.st_nlink,
		};
	}
	return n;
}

/* Keys are compared with those that one session asked for, and a collision
 * refuses a call that is refused a second later anyway. */
uint64_t
gate_key(const struct call *call, bool this_process)
{
	uint64_t key = HASH_FNV_START;
	struct target_who who;

	if (this_process && target_who(&call->target, &who) == 0) {
		key = hash_fnv(key, &who.pid, sizeof(who.pid));
		key = hash_fnv(key, &who.start, sizeof(who.start));
	}

	for (unsigned i = 0; i < call->n_needs; i++) {
		const struct object *object = &call->object[call->need[i].object];

		key = hash_fnv(key, &call->need[i].access, sizeof(call->need[i].access));
		key = hash_fnv(key, object->real, strlen(object->real) + 1);
		key = hash_fnv(key, object->written, strlen(object->written) + 1);
		if (object->leads)
			key = hash_fnv(key, object->leads, strlen(object->leads) + 1);
	}
	if (call->host)
		key = hash_fnv(key, call->host, strlen(call->host) + 1);
	return key;
}

/* While less is open than when it began: a file with more names than one may be one of
 * those that were closed, by another of them. */
static bool
has_other_name(struct call *call)
{
	if (!gate_is_narrower(call->gate))
		return false;
	for (unsigned i = 0; i < call->n_needs; i++) {
		const struct object *object = &call->object[call->need[i].object];

		if (object->exists && S_ISREG(object->st.st_mode) && object->st.st_nlink > 1 &&
			call->need[i].access != AMBIT_ACCESS_READ &&
			call->need[i].access != AMBIT_ACCESS_READ_TREE)
			return true;
	}
	return false;
}

static enum ambit_verdict
glance_at_call(struct call *call, struct pass *ret_pass)
{
	struct path_facts list[sizeof(call->need) / sizeof(call->need[0])];
	struct pass host = { 0 };
	enum ambit_verdict verdict;
	size_t n;

	if (call->routed) {
		*ret_pass = call->pass;
		return call->pass.engine ? AMBIT_ALLOW : AMBIT_ASK;
	}
	for (unsigned i = 0; !call->special && i < call->n_needs; i++)
		if (call->object[call->need[i].object].gone ||
			call->object[call->need[i].object].nameless)
			return AMBIT_DENY;
	/* The kind of a special object settles it, whatever other names it has. */
	if (!call->special && has_other_name(call))
		return AMBIT_DENY;
	n = list_objects(call, list);
	gate_lock(call->gate);
	verdict = engine_allows_fast(call->gate->o.engine, list, n, ret_pass);
	if (verdict == AMBIT_ALLOW && call->host)
		verdict = engine_allows_host_fast(call->gate->o.engine, call->host, &host);
	gate_unlock(call->gate);
	if (verdict != AMBIT_ALLOW)
		*ret_pass = (struct pass){ 0 };
	return verdict;
}

/* path_facts.recent, of what is removed: a directory itself, or the directory that a file lies
 * in. A file may have been written anew in an old place. */
static bool
is_recent(const struct call *call)
{
	const struct object *object = &call->object[0];

	if (call->row->op != OP_UNLINK || !object->exists)
		return false;
	return fd_is_born_since(S_ISDIR(object->st.st_mode) ? object->fd : object->parent,
		engine_began(call->gate->o.engine));
}

/* What a glance does without: a judge is told of it, or it is about a guard. */
static void
describe_objects(struct call *call, struct path_facts *list, size_t n)
{
	bool plain = is_plain(call), recent = is_recent(call);

	for (size_t i = 0; i < n; i++) {
		list[i].plain = plain;
		list[i].truncates = is_truncating_call(call);
		list[i].recent = recent;
	}
}

/* pid and name; and what it runs, where that is to be seen. */
static int
set_who(struct gate *gate, struct ambit_request *request, const struct target_who *who)
{
	char exe[PATH_MAX];
	struct stat st;
	int r = ambit_request_set_who(request, who->pid, who->start, who->program, NULL);

	request_set_image(request, images_find(gate->images, who));
	if (r == 0 && target_exe(who->pid, exe, &st) == 0)
		r = request_set_exe(request, exe, st.st_dev, st.st_ino);
	return r;
}

/* All that was copied from the program's memory, and which call it is. */
static uint64_t
gate_detail(const struct call *call)
{
	const size_t from = offsetof(struct call, open), to = offsetof(struct call, text);
	uint64_t detail = hash_fnv(HASH_FNV_START, &call->row, sizeof(call->row));

	detail = hash_fnv(detail, (const char *)call + from, to - from);
	return call->text ? hash_fnv_text(detail, call->text) : detail;
}

struct ambit_request *
gate_make_request(struct call *call)
{
	struct path_facts list[sizeof(call->need) / sizeof(call->need[0])];
	struct ambit_request *request = NULL;
	struct ambit_error err = { 0 };
	struct target_who who = { 0 };
	size_t n;
	int r;

	if (target_who(&call->target, &who) < 0)
		return NULL;
	n = list_objects(call, list);
	describe_objects(call, list, n);
	call_describe_once(call, list, n);
	/* A call is about paths or about a host; a socket that is bound is both
	 * only by its path. */
	r = call->host ? ambit_request_connect(call->host, &request, &err)
		       : request_objects(list, n, &request, &err);
	if (r < 0)
		return NULL;
	request_set_held(request, true);
	request_set_detail(request, gate_detail(call));
	r = set_who(call->gate, request, &who);
	if (r == 0 && gate_may_ask(call->gate)) { /* nobody else reads them */
		request_set_line(request, tree_names(&call->gate->o.tree, who.pid));
		request_set_programs(request, tree_programs(&call->gate->o.tree, who.pid));
		request_set_words(request, tree_words(who.pid));
		r = gate_describe_server(call, who.pid, request);
	}
	if (r < 0) {
		ambit_request_destroy(request);
		return NULL;
	}
	return request;
}

enum submitted {
	SUBMIT_FAILED = 0,
	SUBMIT_SETTLED,	 /* outcome and permit are filled */
	SUBMIT_HELD,	 /* the call is taken */
	SUBMIT_PROMISED, /* somebody is asked, and the call goes on meanwhile */
};

/* The question is put. */
static enum submitted
hold_or_promise(struct gate *gate, struct call **call, uint64_t ticket)
{
	int r;

	if ((*call)->pace == PACE_PROMISED) {
		r = gate_promise(gate, ticket);
		(*call)->ticket = r == 0 ? ticket : 0;
	} else {
		r = gate_hold(gate, call, ticket);
	}
	if (r < 0) {
		desk_withdraw(gate->o.desk, ticket, "withdrawn: there is no memory");
		return SUBMIT_FAILED;
	}
	return *call ? SUBMIT_PROMISED : SUBMIT_HELD;
}

static enum submitted
submit_call_request(struct gate *gate, struct call **call, struct ambit_outcome *ret_outcome,
	struct ambit_permit **ret_permit)
{
	struct ambit_request *request = gate_make_request(*call);
	enum submitted submitted = SUBMIT_FAILED;
	uint64_t ticket = 0;
	int r;

	*ret_permit = NULL;
	*ret_outcome = (struct ambit_outcome){ 0 };
	if (!request)
		return SUBMIT_FAILED;
	pthread_mutex_lock(&gate->taking);
	r = gate_submit(gate, request, ret_outcome, ret_permit, &ticket);
	if (r == 0)
		submitted = SUBMIT_SETTLED;
	else if (r == 1)
		submitted = hold_or_promise(gate, call, ticket);
	pthread_mutex_unlock(&gate->taking);
	if (submitted == SUBMIT_HELD)
		gate->o.wake(gate->o.data);
	return submitted;
}

static void
act_on_outcome(struct call **call, const struct ambit_outcome *outcome, struct ambit_permit *permit,
	uint64_t key)
{
	struct pass pass = { 0 };

	if (outcome->verdict != AMBIT_ALLOW || !permit) {
		gate_refuse(*call, outcome, key);
		return;
	}
	(*call)->permit = permit;
	permit_pass(permit, &pass);
	act_or_send_aside(call, &pass);
}

/* The same was refused a moment ago. A process that has not heard why hears it now: the other's
 * words may have gone to /dev/null. */
static bool
is_repeated(struct call *call, uint64_t key)
{
	if (!run_counts_is_repeated(call->gate->counts, key))
		return false;
	gate_tell_again(call->gate, &call->target, key);
	return true;
}

void
gate_decide(struct gate *gate, struct call **call)
{
	struct ambit_outcome outcome = { 0 };
	struct ambit_permit *permit = NULL;
	struct pass pass = { 0 };
	enum ambit_verdict verdict = glance_at_call(*call, &pass);
	uint64_t key;

	if (verdict == AMBIT_ALLOW) {
		act_or_send_aside(call, &pass);
		return;
	}
	key = gate_key(*call, false);
	if (verdict == AMBIT_DENY || is_repeated(*call, key) ||
		is_repeated(*call, gate_key(*call, true))) {
		gate_fail(*call, EACCES);
		return;
	}
	switch (submit_call_request(gate, call, &outcome, &permit)) {
	case SUBMIT_HELD:
		return;
	case SUBMIT_PROMISED:
		act_or_send_aside(call, &pass);
		if (*call)
			gate_withdraw(*call);
		break;
	case SUBMIT_SETTLED:
		act_on_outcome(call, &outcome, permit, key);
		break;
	case SUBMIT_FAILED:
		gate_fail(*call, EACCES);
	}
	ambit_outcome_finish(&outcome);
}

/* What is refused to a process that cannot be looked into is told nobody, so that its calls
 * are counted: anybody can make himself one. */
static void
count_unread(struct call *call)
{
	auto_close int cwd = target_cwd(&call->target);

	if (cwd == -EACCES)
		atomic_fetch_add(&call->gate->unread, 1);
}

void
gate_handle(struct gate *gate, struct call **call)
{
	const struct call_op *op = (*call)->row ? call_op_of((*call)->row->op) : NULL;
	struct held *restarted;
	int r;

	if (!op) {
		gate_fail(*call, ENOSYS);
		return;
	}
	staged_settle(gate, false);
	restarted = gate_take_restarted(gate, *call);
	/* The second time it may be a worker that asks. */
	if (!restarted && (*call)->round != ROUND_AGAIN && is_floored(*call) &&
		gate_quick_allows(gate->quick, *call)) {
		run_counts_pass(gate->counts, (*call)->target.tid);
		gate_continue(*call);
		return;
	}
	if ((*call)->round == ROUND_NONE)
		(*call)->round = ROUND_FIRST;
	r = op->prepare(*call);
	if (restarted && r == CALL_DECIDE && gate_hold_again(gate, restarted, call))
		return;
	if (restarted && r != CALL_DECIDE)
		gate_withdraw_restarted(gate, restarted);
	if (r == -EACCES || r == -EPERM)
		count_unread(*call);
	if (r == -EACCES && is_bounded(*call) && !moves_names(*call) &&
		!is_destructive_call(*call)) {
		/* A process that cannot be looked into, or a place that cannot:
		 * the kernel says what the floor gives. What it would destroy or move
		 * is not known: anybody can be such a process, or close a directory
		 * for a moment. */
		gate_continue(*call);
	} else if (r < 0) {
		gate_fail(*call, -r);
	} else if (r == CALL_ANSWERED) {
		gate_answer_prepared(*call);
	} else if (r == CALL_DECIDE) {
		gate_decide(gate, call);
	} else {
		gate_fail(*call, EACCES);
	}
}
