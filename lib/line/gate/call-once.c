/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a resolved call into the facts that an answer "once" depends on: which of its objects
 * this process made itself under such an answer, and whether the call brings anything but those
 * to a name. Files are known by their inodes, and the process by the program that it runs; the
 * names that it gives are not trusted. */

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "decide/temporary-name.h"
#include "engine/line.h"
#include "line/gate/call-once.h"
#include "line/gate/gate-private.h"
#include "line/object/session-objects.h"

#define SET_ID (S_ISUID | S_ISGID)

/* False: what it runs is not known, and it has made nothing. */
static bool
find_maker(struct call *call, struct session_maker *ret_maker)
{
	struct target_who who;
	char exe[PATH_MAX];
	struct stat st;
	uint64_t image;

	if (target_who(&call->target, &who) < 0 || target_exe(who.pid, exe, &st) < 0)
		return false;
	image = images_find(call->gate->images, &who);
	if (image == 0)
		return false;
	*ret_maker = (struct session_maker){
		.pid = (uint64_t)who.pid,
		.start = who.start,
		.image = image,
		.exe_dev = st.st_dev,
		.exe_ino = st.st_ino,
	};
	gate_lock(call->gate);
	ret_maker->chain = engine_once_chain(call->gate->o.engine, who.pid, who.start);
	gate_unlock(call->gate);
	return true;
}

static bool
is_made(const struct call *call, const struct session_maker *maker, int fd)
{
	struct session_maker by_rule = *maker;

	by_rule.chain = 0;
	return fd >= 0 && (session_objects_has_by(call->gate->made, maker, fd) ||
				  session_objects_has_by(call->gate->made, &by_rule, fd));
}

/* Whether object n may get the name of the other one: a plain file, or within what it made a
 * directory, and its own work. A file with a second name replaces nothing: the other name would
 * stay, and say nothing of what it replaced. */
static bool
may_be_named(const struct call *call, const struct session_maker *maker, unsigned n)
{
	const struct object *object = &call->object[n], *target = &call->object[1 - n];
	mode_t mode = object->st.st_mode;

	if ((S_ISDIR(mode) && !is_made(call, maker, target->parent)) ||
		(target->exists && object->st.st_nlink > 1 && !S_ISDIR(mode)))
		return false;

	if (!object->exists || !(S_ISREG(mode) || S_ISDIR(mode)) ||
		(S_ISREG(mode) && mode & SET_ID))
		return false;
	return is_made(call, maker, object->fd);
}

/* A second name only for a temporary file, or one that has none: one for a file that it replaced
 * would be another way to that one. */
static bool
may_be_linked(const struct call *call, const struct session_maker *maker)
{
	const char *slash = strrchr(call->object[0].real, '/');

	return may_be_named(call, maker, 0) &&
	       (call->object[0].st.st_nlink == 0 || (slash && temporary_name(slash + 1, NULL)));
}

static bool
is_plain_node(mode_t mode)
{
	return ((mode & S_IFMT) == 0 || S_ISREG(mode)) && !(mode & SET_ID);
}

static bool
is_plain_attribute(const char *name)
{
	return name && !str_prefix(name, "security.") && !str_prefix(name, "trusted.");
}

/* A directory hands its group down by that bit, and runs nothing. */
static bool
is_set_id_file(const struct object *object)
{
	return object->exists && S_ISREG(object->st.st_mode) && (object->st.st_mode & SET_ID);
}

bool
call_sets_id(const struct call *call)
{
	const struct object *object = call->object;

	switch (call->row->op) {
	case OP_CHMOD:
		return (call->chmod.mode & SET_ID) &&
		       !(object->exists && S_ISDIR(object->st.st_mode));
	case OP_OPEN:
		return !object->exists && (call->open.mode & SET_ID);
	case OP_MKNOD:
		return call->make.mode & SET_ID;
	case OP_RENAME:
	case OP_LINK:
		return is_set_id_file(&object[0]) || is_set_id_file(&object[1]);
	default:
		return false;
	}
}

/* path_facts.fresh of one need. Unknown calls are not fresh. */
static bool
is_fresh(const struct call *call, const struct session_maker *maker, const struct need *need)
{
	switch (call->row->op) {
	case OP_OPEN:
		return !call->open.staged &&
		       (call->object[0].exists || !(call->open.mode & SET_ID));
	case OP_MKNOD:
		return is_plain_node(call->make.mode);
	case OP_CHMOD:
		return !(call->chmod.mode & SET_ID);
	case OP_XATTR:
		return is_plain_attribute(call->text);
	case OP_RENAME:
		return need->access == AMBIT_ACCESS_DELETE ||
		       may_be_named(call, maker, 1 - need->object);
	case OP_LINK:
		return need->object == 0 || may_be_linked(call, maker);
	case OP_MKDIR:
	case OP_UNLINK:
	case OP_TRUNCATE:
	case OP_CHOWN:
	case OP_UTIME:
		return true;
	default:
		return false;
	}
}

void
call_describe_once(struct call *call, struct path_facts *list, size_t n)
{
	struct session_maker maker;

	if (n != call->n_needs || !find_maker(call, &maker))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct object *object = &call->object[call->need[i].object];

		list[i].made = object->exists && is_made(call, &maker, object->fd);
		list[i].in_made = is_made(call, &maker, object->parent);
		list[i].fresh = is_fresh(call, &maker, &call->need[i]);
	}
}

/* As what was allowed says: by now another answer may be in force. */
static bool
find_permitted_maker(struct call *call, struct session_maker *ret_maker)
{
	if (!permit_is_once(call->permit) || !find_maker(call, ret_maker))
		return false;
	ret_maker->chain = permit_once_chain(call->permit);
	return true;
}

void
call_made_once(struct call *call, int fd)
{
	struct session_maker maker;

	/* If the table is full, the file does not count as made, and the next call asks. */
	if (find_permitted_maker(call, &maker))
		session_objects_add_by(call->gate->made, &maker, fd);
}

void
call_dropped_once(struct call *call, int fd)
{
	struct session_maker maker;

	if (find_permitted_maker(call, &maker))
		session_objects_drop_by(call->gate->made, &maker, fd);
}
