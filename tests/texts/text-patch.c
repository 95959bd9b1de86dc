/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds "patch-paths" and "patch-name": a patch becomes the list of files that it can
 * touch, or the line at which it is refused; and a name is tried in every header. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/str.h"
#include "patch/patch.h"
#include "texts.h"

/* Each once. */
static int
collect_path(void *data, const char *path, size_t len, enum ambit_access access)
{
	struct buf *out = data;
	auto_free char *line =
		str_printf("%s %.*s\n", ambit_word_name(ambit_accesses, access), (int)len, path);

	if (!out->data || !strstr(out->data, line))
		buf_puts(out, line);
	return 0;
}

static bool
has_path(const struct buf *list, enum ambit_access access, const char *path)
{
	auto_free char *line =
		str_printf("\n%s %s\n", ambit_word_name(ambit_accesses, access), path);
	auto_free char *all = str_printf("\n%s", list->data ? list->data : "");

	return !path || strstr(all, line);
}

/* What apply_patch would do to the patch, it does to files on the list. */
static bool
covers_strict_reading(const char *patch, size_t len, const struct buf *list)
{
	static const enum ambit_access accesses[] = {
		[PATCH_UPDATE] = AMBIT_ACCESS_WRITE,
		[PATCH_ADD] = AMBIT_ACCESS_WRITE,
		[PATCH_DELETE] = AMBIT_ACCESS_DELETE,
		[PATCH_MOVE] = AMBIT_ACCESS_DELETE,
		[PATCH_COPY] = AMBIT_ACCESS_READ,
	};
	struct ambit_error err = { 0 };
	struct patch_set set = { 0 };
	bool covered = true;

	if (patch_parse(patch, len, &set, &err) < 0)
		return true;
	for (size_t i = 0; i < set.n_files; i++) {
		const struct patch_file *file = &set.files[i];
		enum ambit_access to =
			file->change == PATCH_MOVE ? AMBIT_ACCESS_REPLACE : AMBIT_ACCESS_WRITE;

		covered = covered && has_path(list, accesses[file->change], file->path) &&
			  has_path(list, accesses[file->change], file->other) &&
			  has_path(list, to, file->to);
	}
	patch_finish(&set);
	return covered;
}

/* Appends the list, without a line break at its end. */
static const char *
list_paths(const char *patch, size_t len, struct buf *out)
{
	auto_buf struct buf list = { 0 };
	struct ambit_error err = { 0 };
	size_t line = 0;
	size_t before = out->len;
	int r = patch_paths(patch, len, collect_path, &list, &err);

	if (r == -EINVAL && sscanf(err.text, "line %zu: ", &line) == 1)
		buf_printf(out, "refused at line %zu", line);
	else if (r == 0 && list.len > 0)
		buf_append(out, list.data, list.len - 1);
	if (r == 0 && !covers_strict_reading(patch, len, &list))
		return "apply_patch takes a file that is not on the list";
	if (out->len == before)
		return "neither a list nor a reason";
	return NULL;
}

static const char *
run_paths(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *exact = text_exact(in);
	auto_buf struct buf text = { 0 };
	const char *why = list_paths(exact, in->len, &text);

	if (!why)
		text_put(out, "", text.data, text.len);
	return why;
}

const struct text_kind text_patch_paths = {
	.name = "patch-paths",
	.inputs = "in",
	.run = run_paths,
};

static const char *
run_name(const struct text_test *test, struct text_outputs *out)
{
	static const struct {
		const char *name, *before, *after;
	} headers[] = {
		{ "+++", "+++ ", "\n" },
		{ "---", "--- ", "\n+++ b/x\n" },
		{ "Index", "Index:", "\n" },
		{ "***", "*** ", "\n+++ b/x\n" },
	};
	auto_buf struct buf text = { 0 };
	const char *why = NULL;

	for (size_t i = 0; !why && i < sizeof(headers) / sizeof(headers[0]); i++) {
		auto_free char *patch = str_printf("%s%s%s@@ -1 +1 @@\n-a\n+b\n", headers[i].before,
			text_find(test, "in")->data, headers[i].after);

		buf_printf(&text, "%s: ", headers[i].name);
		why = list_paths(patch, strlen(patch), &text);
		buf_putc(&text, '\n');
	}
	if (!why)
		text_put(out, "", text.data, text.len);
	return why;
}

const struct text_kind text_patch_name = {
	.name = "patch-name",
	.inputs = "in",
	.run = run_name,
};
