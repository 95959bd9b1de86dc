/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts the decision about a call, for `ambit why`. The call is made up and points into this
 * very process, which stands for the command; from there on it goes the way of every held call, up
 * to the decision. */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "engine/line.h"
#include "line/gate/call-file.h"
#include "line/gate/gate-law.h"
#include "line/gate/gate-private.h"
#include "line/socket/endpoint.h"
#include "perform/act.h"

static uint64_t
argument_of(const char *text)
{
	return (uint64_t)(uintptr_t)text;
}

static bool
is_directory(const char *path, bool follow)
{
	struct stat st;

	return fstatat(AT_FDCWD, path, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode);
}

struct made_call {
	long number;
	uint64_t args[6];
};

static struct made_call
make_call(enum gate_operation operation, const char *path, const char *to, mode_t mode)
{
	const uint64_t here = (uint64_t)AT_FDCWD, text = argument_of(path),
		       second = argument_of(to);

	switch (operation) {
	case OPERATION_WRITE_BENEATH:
		return (struct made_call){ SYS_openat, { here, text, O_WRONLY | O_TMPFILE, 0666 } };
	case OPERATION_WRITE:
		return (struct made_call){ SYS_openat, { here, text, O_WRONLY | O_CREAT, 0666 } };
	case OPERATION_READ:
		return (struct made_call){ SYS_openat, { here, text, O_RDONLY } };
	case OPERATION_DELETE:
		return (struct made_call){ SYS_unlinkat,
			{ here, text, is_directory(path, false) ? AT_REMOVEDIR : 0 } };
	case OPERATION_MKDIR:
		return (struct made_call){ SYS_mkdirat, { here, text, 0777 } };
	case OPERATION_MOVE:
		return (struct made_call){ SYS_renameat2, { here, text, here, second } };
	case OPERATION_LINK:
		return (struct made_call){ SYS_linkat, { here, text, here, second } };
	case OPERATION_SYMLINK:
		return (struct made_call){ SYS_symlinkat, { text, here, second } };
	case OPERATION_CHMOD:
		return (struct made_call){ SYS_fchmodat, { here, text, mode } };
	}
	return (struct made_call){ -1, { 0 } };
}

/* /dev is closed to reads, but for what every program may use. */
static enum object_special
device_kind(const struct call *call)
{
	const struct object *object = &call->object[0];

	if (!str_beneath(object->real, "/dev") || str_beneath(object->real, "/dev/shm") ||
		!object->exists || S_ISDIR(object->st.st_mode))
		return SPECIAL_NONE;
	if (gate_covers(call->gate, object->real))
		return SPECIAL_DEVICE;
	return object_is_pty_slave(&object->st) ? SPECIAL_OTHER_TERMINAL : SPECIAL_OTHER_DEVICE;
}

/* Reads are not held, so no op prepares them: they are resolved as an open for writing is. */
static int
prepare_read(struct call *call, int *ret_error)
{
	int r;

	call_begin(call);
	r = call_resolve(call, 0, call->row->dirfd, call->row->path, OBJECT_FOLLOW);
	if (r < 0)
		return r;
	if (!call->object[0].exists)
		*ret_error = ENOENT;
	else if (call->object[0].slash && !S_ISDIR(call->object[0].st.st_mode))
		*ret_error = ENOTDIR;
	else if (faccessat(call->object[0].fd, "", R_OK, AT_EMPTY_PATH | AT_EACCESS) < 0)
		*ret_error = errno;
	call_need(call, AMBIT_ACCESS_READ, 0);
	call->special = device_kind(call);
	return CALL_DECIDE;
}

static int
leave_to_kernel(struct gate_prediction *prediction, int error, struct ambit_error *err)
{
	struct ambit_outcome *outcome = &prediction->outcome;

	prediction->error = error;
	outcome->verdict = AMBIT_ALLOW;
	outcome->code = AMBIT_CODE_NONE;
	outcome->layer = "kernel";
	outcome->reason = error == 0 ? strdup("nothing of it is decided: the kernel does it")
				     : str_printf("it fails by itself (%s), so nobody is asked",
					       strerror(error));
	return outcome->reason ? 0 : err_nomem(err);
}

/* A pipe, or a namespace: no path names it, so that no request can be made about it. */
static bool
has_nameless_need(const struct call *call)
{
	for (unsigned i = 0; i < call->n_needs; i++)
		if (!object_path_plain(call->object[call->need[i].object].real))
			return true;
	return false;
}

static int
decide_request(struct call *call, struct gate_prediction *ret, struct ambit_error *err)
{
	struct ambit_request *request;
	int r;

	/* A call that needs no decision is described by its object, and a pipe by the path that was
	 * asked for. */
	if (call->special && call->n_needs == 0)
		call_need(call, AMBIT_ACCESS_WRITE, call->n_objects > 1 ? 1 : 0);
	for (unsigned i = 0; i < call->n_objects; i++)
		if (call->object[i].nameless)
			memcpy(call->object[i].real, call->object[i].written,
				sizeof(call->object[i].real));
	if (has_nameless_need(call))
		return leave_to_kernel(ret, 0, err);
	request = gate_make_request(call);
	if (!request)
		return err_nomem(err);
	r = ambit_engine_decide(call->gate->o.engine, request, &ret->outcome, err);
	ambit_request_destroy(request);
	return r;
}

/* The hand does not move all that may be moved: directories carry rights and guards. */
static int
look_at_move(struct call *call, struct gate_prediction *ret, struct ambit_error *err)
{
	struct hand_end from = gate_end(call, 0), to = gate_end(call, 1);
	struct hand_law law = gate_law(call);

	if (call->row->op != OP_RENAME || ret->outcome.verdict != AMBIT_ALLOW ||
		call->special != SPECIAL_NONE || call->rename.is_config ||
		gate_may_continue(call) ||
		hand_look(&law, &from, &to, call->rename.flags) != -EXDEV)
		return 0;
	ambit_outcome_finish(&ret->outcome);
	ret->outcome = (struct ambit_outcome){ 0 };
	ret->error = EXDEV;
	call->special = SPECIAL_APART;
	return decide_request(call, ret, err);
}

static int
predict_call(struct call *call, bool reads, struct gate_prediction *ret, struct ambit_error *err)
{
	const struct call_op *op = call_op_of(call->row->op);
	int error = 0, r = reads ? prepare_read(call, &error) : op->prepare(call);

	if (r < 0 && call->special == SPECIAL_NONE)
		return leave_to_kernel(ret, -r, err);
	ret->error = r < 0 ? -r : error;
	if (r == CALL_DECIDE && (call->object[0].nameless || call->subject_fd >= 0))
		call->special = SPECIAL_NAMELESS;
	if (call->special == SPECIAL_NONE && call->n_needs == 0)
		return leave_to_kernel(ret, 0, err);
	r = decide_request(call, ret, err);
	return r < 0 ? r : look_at_move(call, ret, err);
}

static int
predict_made_call(struct call *call, struct gate *gate, const struct made_call *made, bool reads,
	struct gate_prediction *ret, struct ambit_error *err)
{
	int r;

	call_init(call);
	call->gate = gate;
	call->row = sys_find((int)made->number);
	memcpy(call->args, made->args, sizeof(call->args));
	target_init(&call->target, getpid());
	call->round = ROUND_FIRST;
	r = call->row ? predict_call(call, reads, ret, err)
		      : err_set(err, ENOSYS, "this operation has no system call here");
	call_finish(call);
	return r;
}

static int
predict_operation(const struct gate_options *options, enum gate_operation operation,
	const char *path, const char *to, mode_t mode, struct gate_prediction *ret_prediction,
	struct ambit_error *err)
{
	/* A directory cannot be written: then a new file in it is meant. */
	bool beneath = operation == OPERATION_WRITE && is_directory(path, true);
	const struct made_call made =
		make_call(beneath ? OPERATION_WRITE_BENEATH : operation, path, to, mode);
	auto_free struct call *call = malloc(sizeof(*call));
	struct gate gate = {
		.o = *options,
		.abi = floor_in_force(options->floor),
		.net = ambit_engine_net(options->engine),
		.network = endpoint_network(),
		.root = geteuid() == 0,
		.made = session_objects_create(),
		.images = images_create(),
	};
	int r;

	if (call && gate.made && gate.images) {
		r = predict_made_call(
			call, &gate, &made, operation == OPERATION_READ, ret_prediction, err);
		if (r == 0 && beneath)
			ret_prediction->error = EISDIR;
	} else {
		r = err_nomem(err);
	}
	session_objects_destroy(gate.made);
	images_destroy(gate.images);
	if (r < 0)
		ambit_outcome_finish(&ret_prediction->outcome);
	return r;
}

/* The gate looks at files without capabilities, for no command has any. The umask stays the
 * command's. */
static int
become_command(struct ambit_error *err)
{
	mode_t mask = umask(0);
	int r = act_thread();

	umask(mask);
	return r < 0 ? err_sys(err, -r, "the rights of a command") : 0;
}

int
gate_predict(const struct gate_options *options, enum gate_operation operation, const char *path,
	const char *to, mode_t mode, struct gate_prediction *ret_prediction,
	struct ambit_error *err)
{
	int r = become_command(err);

	*ret_prediction = (struct gate_prediction){ 0 };
	return r < 0 ? r
		     : predict_operation(options, operation, path, to, mode, ret_prediction, err);
}
