/* SPDX-License-Identifier: Apache-2.0 */
/* Extended attributes and inode flags, set and removed, by path, by link and by
 * descriptor. Name and value are copied once and given to the kernel as they
 * are: which names are allowed to whom is its business. */

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/str.h"
#include "line/calls/call-meta.h"
#include "perform/act.h"
#include "perform/permit.h"

/* struct xattr_args and struct file_attr of <linux/xattr.h> and <linux/fs.h>,
 * which are newer than the headers that this may be built with. */
struct at_args {
	uint64_t value;
	uint32_t size;
	uint32_t flags;
};

#define FILE_ATTR_LEAST 24
#define FILE_ATTR_KNOWN 24

/* Where each form has its name; what follows it is the value, or *at_args. */
struct form {
	int name; /* 0: no form of this op */
	bool sets;
	bool itself; /* a symlink is not followed */
};

static const struct form forms[] = {
	[FORM_XATTR_SET] = { .name = 1, .sets = true },
	[FORM_XATTR_SET_LINK] = { .name = 1, .sets = true, .itself = true },
	[FORM_XATTR_SET_AT] = { .name = 3, .sets = true },
	[FORM_XATTR_REMOVE] = { .name = 1 },
	[FORM_XATTR_REMOVE_LINK] = { .name = 1, .itself = true },
	[FORM_XATTR_REMOVE_AT] = { .name = 3 },
};

static const struct form *
form_of(const struct call *call)
{
	size_t at = call->row->form;

	return at < sizeof(forms) / sizeof(forms[0]) && forms[at].name > 0 ? &forms[at] : NULL;
}

static int
copy_name(struct call *call, const struct form *form)
{
	char name[XATTR_NAME_MAX + 1];
	ssize_t len;

	if (call->text)
		return 0;
	len = target_string(&call->target, call->args[form->name], name, sizeof(name));
	if (len == 0 || len == -ENAMETOOLONG)
		return -ERANGE;
	if (len < 0)
		return (int)len;
	call->text = strdup(name);
	return call->text ? 0 : -ENOMEM;
}

static int
read_at_args(const struct call *call, const struct form *form, struct at_args *args)
{
	uint64_t size = call->args[form->name + 2];
	char all[4096];
	int r;

	if (size < sizeof(*args))
		return -EINVAL;
	if (size > sizeof(all))
		return -E2BIG;
	r = target_read(&call->target, call->args[form->name + 1], all, size);
	if (r < 0)
		return r;
	for (size_t i = sizeof(*args); i < size; i++)
		if (all[i])
			return -E2BIG;
	memcpy(args, all, sizeof(*args));
	return 0;
}

static int
copy_value(struct call *call, const struct form *form)
{
	struct at_args args = {
		.value = call->args[2],
		.size = (uint32_t)call->args[3],
		.flags = (uint32_t)call->args[4],
	};
	int r;

	if (call->data)
		return 0;
	if (form->name == 1) {
		if (call->args[3] > XATTR_SIZE_MAX)
			return -E2BIG;
	} else {
		r = read_at_args(call, form, &args);
		if (r < 0)
			return r;
	}
	if (args.flags & ~(uint32_t)(XATTR_CREATE | XATTR_REPLACE))
		return -EINVAL;
	if (args.size > XATTR_SIZE_MAX)
		return -E2BIG;
	call->xattr.flags = (int)args.flags;
	return meta_copy(call, args.value, args.size);
}

static int
check_rights(const struct call *call)
{
	if (call->subject_fd >= 0 || call->object[0].nameless)
		return 0;
	if (str_prefix(call->text, "user."))
		return call_may(call, 0, W_OK);
	if (str_prefix(call->text, "system."))
		return meta_may_own(call);
	return 0;
}

static int
resolve_xattr_object(struct call *call, const struct form *form)
{
	if (call->row->path < 0)
		return meta_resolve_fd(call, (int)call->args[0]);
	return meta_resolve(call, call_int(call, call->row->flags),
		form->itself ? OBJECT_NOFOLLOW : OBJECT_FOLLOW);
}

static int
prepare_xattr(struct call *call)
{
	const struct form *form = form_of(call);
	int r;

	call_begin(call);
	if (!form)
		return -ENOSYS;
	r = copy_name(call, form);
	if (r == 0 && form->sets)
		r = copy_value(call, form);
	if (r == 0)
		r = resolve_xattr_object(call, form);
	if (r == 0)
		r = check_rights(call);
	return r < 0 ? r : meta_decide(call);
}

static int
perform_xattr(struct call *call, struct pass *pass)
{
	int fd = meta_fd(call);

	return meta_done(call, form_of(call)->sets ? act_setxattr(pass, fd, call->text, call->data,
							     call->len, call->xattr.flags)
						   : act_removexattr(pass, fd, call->text));
}

const struct call_op call_xattr = {
	.prepare = prepare_xattr,
	.perform = perform_xattr,
};

/* -- file_setattr(dirfd, path, attr, size, at_flags) ---------------------------------- */

static int
prepare_setattr(struct call *call)
{
	const struct sys_row *row = call->row;
	int r;

	call_begin(call);
	r = meta_copy_struct(call, call->args[row->path + 1], call->args[row->path + 2],
		FILE_ATTR_LEAST, FILE_ATTR_KNOWN);
	if (r == 0)
		r = meta_resolve(call, call_int(call, row->flags), OBJECT_FOLLOW);
	if (r == 0)
		r = meta_may_own(call);
	return r < 0 ? r : meta_decide(call);
}

static int
perform_setattr(struct call *call, struct pass *pass)
{
	return meta_done(call, act_setattr(pass, meta_fd(call), call->data, call->len));
}

const struct call_op call_setattr = {
	.prepare = prepare_setattr,
	.perform = perform_setattr,
};
