/* SPDX-License-Identifier: Apache-2.0 */
/* Names in an archive: written by whoever made it, to be used beneath a directory of
 * ours. The kernel refuses to leave that directory in any case; this says why a name
 * is not used at all, and gives each file one name. */

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "tools/archive/archive-unpack.h"

#define NAME_MAX_BYTES 1024
#define COMPONENT_MAX 255
#define DEPTH_MAX 64

static const char *
text_fault(const char *text)
{
	size_t len = strlen(text);

	if (len == 0)
		return "it has no name";
	if (len > NAME_MAX_BYTES)
		return "its name is too long";
	if (!str_is_utf8(text, len))
		return "its name is not UTF-8";
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return "there are control characters in its name";
	return NULL;
}

static bool
is_same_component(const char *component, size_t n, const char *text)
{
	return strlen(text) == n && memcmp(component, text, n) == 0;
}

int
unpack_name(const char *raw, char **ret_name, const char **ret_why)
{
	auto_buf struct buf out = { 0 };
	int depth = 0;

	*ret_why = text_fault(raw);
	if (!*ret_why && raw[0] == '/')
		*ret_why = "its name is absolute";
	while (!*ret_why && *raw) {
		size_t n = strcspn(raw, "/");

		if (is_same_component(raw, n, ".."))
			*ret_why = "'..' is in its name";
		else if (n > COMPONENT_MAX)
			*ret_why = "its name is too long";
		else if (n > 0 && !is_same_component(raw, n, ".") && ++depth > DEPTH_MAX)
			*ret_why = "it lies too deep";
		else if (n > 0 && !is_same_component(raw, n, ".")) {
			if (out.len > 0)
				buf_putc(&out, '/');
			buf_append(&out, raw, n);
		}
		raw += n;
		raw += *raw == '/';
	}
	if (*ret_why)
		return -EINVAL;
	if (out.len == 0 && !out.failed)
		return 1;
	*ret_name = buf_take(&out);
	return *ret_name ? 0 : -ENOMEM;
}

/* A link may go up only at its beginning, and not above the top: its directory is a
 * real one, so that is what ".." means there. What follows only goes down, through
 * directories and links for which the same holds. "a/.." could go anywhere, for a may
 * be a link. */
const char *
unpack_target_fault(const char *name, const char *target)
{
	const char *last = strrchr(name, '/'), *fault = text_fault(target);
	size_t depth = 0;
	bool down = false;

	/* Who makes .vscode or .claude a link decides what is in it: those names are
	 * guarded by what lies beneath them. */
	if ((last ? last[1] : name[0]) == '.')
		return "it is a symlink with a hidden name";
	if (fault || target[0] == '/')
		return "it is a symlink that leads out";
	for (; *name; name++)
		depth += *name == '/';
	while (*target) {
		size_t n = strcspn(target, "/");

		if (is_same_component(target, n, "..")) {
			if (down || depth == 0)
				return "it is a symlink that leads out";
			depth--;
		} else if (n > 0 && !is_same_component(target, n, ".")) {
			down = true;
		}
		target += n;
		target += *target == '/';
	}
	return NULL;
}
