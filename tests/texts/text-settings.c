/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "settings": a file of settings is accepted, or refused with an error that
 * points at the place. Files are real, in a directory of the test's own.
 *
 *   args: person | folder | both | either     whose file the row is; either: of the person,
 *                                              then of the folder, with the same result
 *   args: person KEY                           shows what that key then holds, and from which line
 *   -- other                                   the other file
 *
 * FILE stands for the row's file, and OTHER for the other one. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ambit/settings.h>

#include "base/fd.h"
#include "base/str.h"
#include "textframe.h"

/* Its paths are made from one directory. */
struct files {
	char dir[64];
	char *person, *folder, *in_folder;
};

/* One file, or none: text is NULL. */
struct content {
	const char *text;
	size_t len;
};

static const char *
make_files(struct files *files)
{
	snprintf(files->dir, sizeof(files->dir), "/tmp/ambit-texts-settings-XXXXXX");
	if (!mkdtemp(files->dir))
		return "mkdtemp failed";
	files->person = str_printf("%s/config.json", files->dir);
	files->folder = str_printf("%s/folder", files->dir);
	files->in_folder = str_printf("%s/.ambit.json", files->folder);
	return mkdir(files->folder, 0700) < 0 ? "mkdir failed" : NULL;
}

static void
remove_files(struct files *files)
{
	unlink(files->person);
	unlink(files->in_folder);
	rmdir(files->folder);
	rmdir(files->dir);
	free(files->person);
	free(files->folder);
	free(files->in_folder);
}

static const char *
write_file(const char *path, const struct content *content)
{
	FILE *file;
	size_t n;

	if (!content->text)
		return NULL;
	file = fopen(path, "we");
	if (!file)
		return "a file cannot be made";
	n = fwrite(content->text, 1, content->len, file);
	if (fchmod(fileno(file), 0600) < 0) /* not one that others could have written */
		n = SIZE_MAX;
	return fclose(file) == 0 && n == content->len ? NULL : "a file cannot be written";
}

struct shown {
	const struct files *files;
	const char *key;
	bool row_is_folder;
	struct buf *result;
};

/* Text that begins with the path of a file. */
static void
show_place(const struct files *files, const char *text, bool row_is_folder, struct buf *result)
{
	const char *row = row_is_folder ? files->in_folder : files->person;
	const char *other = row_is_folder ? files->person : files->in_folder;

	if (str_prefix(text, row))
		buf_printf(result, "FILE%s", text + strlen(row));
	else if (str_prefix(text, other))
		buf_printf(result, "OTHER%s", text + strlen(other));
	else
		buf_puts(result, text);
}

static int
show_key(void *data, const char *key, const char *value, const char *source, const char *text)
{
	struct shown *shown = data;

	(void)text;
	if (!streq(key, shown->key))
		return 0;
	buf_printf(shown->result, "%s, from ", value);
	show_place(shown->files, source, shown->row_is_folder, shown->result);
	return 0;
}

static const char *
load_settings(const struct files *files, const char *key, bool row_is_folder, struct buf *result)
{
	struct ambit_settings_options options = {
		.person = files->person,
		.folder = files->folder,
		.home = "/home/someone",
	};
	struct ambit_settings *settings = NULL;
	struct ambit_error err = { 0 };
	struct shown shown = { files, key, row_is_folder, result };

	if (ambit_settings_load(&options, &settings, &err) < 0) {
		show_place(files, err.text, row_is_folder, result);
		return settings ? "settings were written" : NULL;
	}
	if (key[0])
		ambit_settings_each(settings, show_key, &shown);
	else
		buf_puts(result, "accepted");
	ambit_settings_destroy(settings);
	return NULL;
}

static const char *
load_files(const struct content *person, const struct content *folder, const char *key,
	bool row_is_folder, struct buf *result)
{
	struct files files = { 0 };
	const char *why = make_files(&files);

	if (!why)
		why = write_file(files.person, person);
	if (!why)
		why = write_file(files.in_folder, folder);
	if (!why)
		why = load_settings(&files, key, row_is_folder, result);
	remove_files(&files);
	return why;
}

static const char *
load_either(const struct content *row, const char *key, struct buf *result)
{
	const struct content none = { 0 };
	auto_buf struct buf again = { 0 };
	const char *why = load_files(row, &none, key, false, result);

	if (!why)
		why = load_files(&none, row, key, true, &again);
	if (!why && !streq(result->data, again.data))
		buf_printf(result, "; and of the folder: %s", again.data);
	return why;
}

static const char *
read_settings(const struct text_test *test, const char *text, size_t len, struct buf *result)
{
	const struct text_section *section = text_find(test, "other");
	struct content row = { text, len }, other = { 0 };
	size_t n = strcspn(test->args, " ");
	const char *key = test->args[n] ? test->args + n + 1 : "";
	auto_free char *whose = strndup(test->args, n);

	if (section)
		other = (struct content){ section->data, section->len };
	if (streq(whose, "person"))
		return load_files(&row, &other, key, false, result);
	if (streq(whose, "folder"))
		return load_files(&other, &row, key, true, result);
	if (section)
		return "there is no other file";
	if (streq(whose, "both"))
		return load_files(&row, &row, key, false, result);
	if (streq(whose, "either"))
		return load_either(&row, key, result);
	return "args: begins with person, folder, both or either";
}

static const char *
run_settings(const struct text_test *test, struct text_outputs *out)
{
	return textframe_run(test, out, read_settings);
}

const struct text_kind text_settings = {
	.name = "settings",
	.inputs = "in other? frame?",
	.run = run_settings,
};
