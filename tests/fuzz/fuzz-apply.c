/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a patch says, each file that it would be applied to is one that was listed
 * for the decision, with an access that covers what is done to it; and applying it
 * gives as many lines as it says. The input is a patch and, behind a NUL, the text
 * that it meets. */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "tools/patch/patch-apply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct wanted {
	const char *name;
	enum ambit_access access;
	bool found;
};

static int
each(void *data, const char *path, size_t len, enum ambit_access access)
{
	struct wanted *wanted = data;

	wanted->found |= access == wanted->access && strlen(wanted->name) == len &&
			 memcmp(path, wanted->name, len) == 0;
	return 0;
}

static void
check_listed(const char *text, size_t len, const char *name, enum ambit_access access)
{
	struct wanted wanted = { .name = name, .access = access };
	struct ambit_error err = { 0 };

	if (!name)
		return;
	assert(patch_paths(text, len, each, &wanted, &err) == 0);
	assert(wanted.found);
}

static void
check_file(const char *text, size_t len, const struct patch_file *file)
{
	static const enum ambit_access accesses[] = {
		[PATCH_UPDATE] = AMBIT_ACCESS_WRITE,
		[PATCH_ADD] = AMBIT_ACCESS_WRITE,
		[PATCH_DELETE] = AMBIT_ACCESS_DELETE,
		[PATCH_MOVE] = AMBIT_ACCESS_DELETE,
		[PATCH_COPY] = AMBIT_ACCESS_READ,
	};

	assert(file->path && file->path[0]);
	assert(!file->to == (file->change != PATCH_MOVE && file->change != PATCH_COPY));
	check_listed(text, len, file->path, accesses[file->change]);
	check_listed(text, len, file->other, accesses[file->change]);
	check_listed(text, len, file->to,
		file->change == PATCH_MOVE ? AMBIT_ACCESS_REPLACE : AMBIT_ACCESS_WRITE);
}

static size_t
count_lines(const char *text, size_t len)
{
	size_t n = len > 0 && text[len - 1] != '\n';

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

/* A line without text and end cannot be seen. */
static bool
has_bare(const struct patch_file *file)
{
	for (size_t h = 0; h < file->n_hunks; h++)
		for (size_t i = 0; i < file->hunks[h].n_lines; i++)
			if (file->hunks[h].lines[i].bare)
				return true;
	return false;
}

static void
check_apply(const struct patch_set *set, const struct patch_file *file, const char *old, size_t len)
{
	struct ambit_error err = { 0 };
	struct patch_count count = { 0 };
	struct buf out = { 0 };
	char *detail = NULL;
	int r = patch_apply(set, file, old, len, NULL, &out, &count, &detail, &err);

	assert(r == 0 || r == -ENOENT || r == -EAGAIN || r == -E2BIG);
	if (r == 0 && !has_bare(file))
		assert(count_lines(out.data ? out.data : "", out.len) + count.removed ==
			count_lines(old, len) + count.added);
	if (r < 0)
		assert(err.text[0]);
	if (detail)
		assert(str_is_utf8(detail, strlen(detail)));
	free(detail);
	buf_finish(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = size > 0 ? memchr(text, '\0', size) : NULL;
	size_t len = end ? (size_t)(end - text) : size;
	struct ambit_error err = { 0 };
	struct patch_set set = { 0 };
	int r = patch_parse(text, len, &set, &err);

	assert(r == 0 || r == -EINVAL);
	if (r < 0) {
		assert(err.text[0]);
		return 0;
	}
	assert(set.n_files > 0);
	for (size_t i = 0; i < set.n_files && i < 16; i++) {
		check_file(text, len, &set.files[i]);
		check_apply(&set, &set.files[i], end ? end + 1 : "", end ? size - len - 1 : 0);
	}
	patch_finish(&set);
	return 0;
}
