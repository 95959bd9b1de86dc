/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds about tools that change files: a folder and a call become the changes of that
 * folder. The sections "file NAME [MODE]" and "dir NAME" are there before.
 *
 *   apply-patch  a patch
 *   edit         args: PATH [all]; the sections old and new, or "OLD => NEW"
 *   multi-edit   the arguments as JSON
 *
 * The output says "done" or "failed CODE", and then which names were made, changed, given
 * another mode, or are gone. A file that was made or changed is an output of its own, with
 * its name. "message" and "structured" are what the caller is told. */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/toolcall.h"

#include "base/buf.h"
#include "texts.h"

/* -- what is in the folder ------------------------------------------------------------- */

struct item {
	char *path;
	char *data; /* NULL: a directory */
	size_t len;
	unsigned mode;
};

struct folder {
	struct item *items;
	size_t n;
};

static int
compare_items(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->path, ((const struct item *)b)->path);
}

static char *
read_item(const char *path, size_t *ret_len)
{
	struct buf out = { 0 };
	FILE *in = fopen(path, "re");
	char part[4096];
	size_t n;

	assert_non_null(in);
	while ((n = fread(part, 1, sizeof(part), in)) > 0)
		buf_append(&out, part, n);
	fclose(in);
	*ret_len = out.len;
	return buf_take(&out);
}

static void
add_item(struct folder *folder, const char *path)
{
	struct item *item;
	struct stat st;

	folder->items = realloc(folder->items, (folder->n + 1) * sizeof(*folder->items));
	assert_non_null(folder->items);
	item = &folder->items[folder->n++];
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
	*item = (struct item){ .path = strdup(path), .mode = st.st_mode & 07777 };
	if (S_ISREG(st.st_mode))
		item->data = read_item(path, &item->len);
}

/* All beneath dir, which is "" for the folder itself. */
static void
read_folder(struct folder *folder, const char *dir)
{
	DIR *stream = opendir(*dir ? dir : ".");
	struct dirent *entry;

	assert_non_null(stream);
	while ((entry = readdir(stream))) {
		auto_free char *path = str_printf("%s%s%s", dir, *dir ? "/" : "", entry->d_name);

		if (streq(entry->d_name, ".") || streq(entry->d_name, ".."))
			continue;
		add_item(folder, path);
		if (!folder->items[folder->n - 1].data)
			read_folder(folder, path);
	}
	closedir(stream);
	if (!*dir && folder->n > 0)
		qsort(folder->items, folder->n, sizeof(*folder->items), compare_items);
}

static const struct item *
find_item(const struct folder *folder, const char *path)
{
	for (size_t i = 0; i < folder->n; i++)
		if (streq(folder->items[i].path, path))
			return &folder->items[i];
	return NULL;
}

static void
finish_folder(struct folder *folder)
{
	for (size_t i = 0; i < folder->n; i++) {
		free(folder->items[i].path);
		free(folder->items[i].data);
	}
	free(folder->items);
}

/* -- what became of it ----------------------------------------------------------------- */

static bool
is_same_item(const struct item *a, const struct item *b)
{
	return !a->data == !b->data && a->len == b->len &&
	       (!a->data || memcmp(a->data, b->data, a->len) == 0);
}

static void
list_item(const struct item *was, const struct item *is, struct buf *list, struct text_outputs *out)
{
	const char *slash = is->data ? "" : "/";

	if (!was)
		buf_printf(list, "made %s%s %o\n", is->path, slash, is->mode);
	else if (!is_same_item(was, is))
		buf_printf(list, "changed %s%s\n", is->path, slash);
	if (was && was->mode != is->mode)
		buf_printf(list, "mode %s%s %o\n", is->path, slash, is->mode);
	if (is->data && (!was || !is_same_item(was, is)))
		text_put(out, is->path, is->data, is->len);
}

static void
list_folder(const struct folder *before, struct buf *list, struct text_outputs *out)
{
	struct folder after = { 0 };

	read_folder(&after, "");
	for (size_t i = 0; i < after.n; i++)
		list_item(find_item(before, after.items[i].path), &after.items[i], list, out);
	for (size_t i = 0; i < before->n; i++)
		if (!find_item(&after, before->items[i].path))
			buf_printf(list, "gone %s%s\n", before->items[i].path,
				before->items[i].data ? "" : "/");
	finish_folder(&after);
}

/* -- a call ---------------------------------------------------------------------------- */

/* "NAME [MODE]" */
static void
make_file(const struct text_section *section)
{
	auto_free char *name = strdup(section->arg);
	char *space = strchr(name, ' ');
	FILE *file;

	if (space)
		*space = '\0';
	file = fopen(name, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(section->data, 1, section->len, file), section->len);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(name, space ? (mode_t)strtoul(space + 1, NULL, 8) : 0644), 0);
}

static const char *
put_result(const struct ambit_result *result, struct buf *list, struct text_outputs *out)
{
	auto_json json_t *structured = json_loads(result->structured, 0, NULL);

	if (!result->text || !str_is_utf8(result->text, strlen(result->text)))
		return "its message is no text";
	if (!json_is_object(structured))
		return "its structured result is no object";
	if (result->failed)
		buf_printf(list, "failed %s\n", ambit_word_name(ambit_codes, (int)result->code));
	else
		buf_puts(list, "done\n");
	text_offer(out, "message", result->text);
	text_offer(out, "structured", result->structured);
	return NULL;
}

/* Takes args. */
static const char *
call_tool(const struct text_test *test, const char *tool, json_t *args, struct text_outputs *out)
{
	struct folder before = { 0 };
	auto_buf struct buf list = { 0 };
	void *state = NULL;
	const char *why;

	umask(022);
	hand_open(&state);
	for (size_t i = 0; i < test->n_sections; i++)
		if (streq(test->sections[i].word, "file"))
			make_file(&test->sections[i]);
		else if (streq(test->sections[i].word, "dir"))
			world_dir(test->sections[i].arg);
	read_folder(&before, "");
	why = put_result(hand_call(state, tool, args), &list, out);
	list_folder(&before, &list, out);
	text_put(out, "", list.data ? list.data : "", list.len);
	finish_folder(&before);
	hand_close(&state);
	return why;
}

static const char *
run_patch(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");

	return call_tool(test, "apply_patch", json_pack("{s:s%}", "patch", in->data, in->len), out);
}

const struct text_kind text_apply_patch = {
	.name = "apply-patch",
	.inputs = "in file? dir?",
	.run = run_patch,
};

static const char *
run_edit(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in"), *new = text_find(test, "new");
	const struct text_section *from = in ? in : text_find(test, "old");
	auto_free char *path = strdup(test->args), *old = strdup(from ? from->data : "");
	char *space = strchr(path, ' '), *arrow = in ? strstr(old, " => ") : NULL;
	json_t *args;

	if (!from || !arrow == !new)
		return "neither 'OLD => NEW' nor the sections old and new";
	if (arrow)
		*arrow = '\0';
	if (space)
		*space = '\0';
	args = json_pack("{ssssss}", "file_path", path, "old_string", old, "new_string",
		arrow ? arrow + 4 : new->data);
	if (space)
		json_object_set_new(args, "replace_all", json_true());
	return call_tool(test, "edit", args, out);
}

const struct text_kind text_edit = {
	.name = "edit",
	.inputs = "in? old? new? file? dir?",
	.run = run_edit,
};

static const char *
run_multi_edit(const struct text_test *test, struct text_outputs *out)
{
	json_t *args = json_loads(text_find(test, "in")->data, 0, NULL);

	return args ? call_tool(test, "multi_edit", args, out) : "the arguments are no JSON";
}

const struct text_kind text_multi_edit = {
	.name = "multi-edit",
	.inputs = "in file? dir?",
	.run = run_multi_edit,
};
