/* SPDX-License-Identifier: Apache-2.0 */
/* The settings, from all three sides. Whatever the folder's file holds, no
 * value of it is wider than what holds without it; whatever is refused is
 * refused in one clean line. The first byte says where the rest goes. */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "settings/settings-key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(what)                                                                                 \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s\n", #what);                                            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static char folder[64];

static void
leave(void)
{
	auto_free char *file = str_printf("%s/.ambit.json", folder);

	unlink(file);
	rmdir(folder);
}

static void
enter(void)
{
	if (folder[0])
		return;
	snprintf(folder, sizeof(folder), "/tmp/ambit-fuzz-settings-XXXXXX");
	MUST(mkdtemp(folder));
	atexit(leave);
}

static void
check_error(const struct ambit_error *err)
{
	size_t len = strlen(err->text);

	MUST(err->code > 0 && len > 0 && str_is_utf8(err->text, len));
	for (size_t i = 0; i < len; i++)
		MUST((unsigned char)err->text[i] >= 0x20 && err->text[i] != 0x7f);
}

static void
check_narrow(const struct settings_values *values)
{
	MUST(values->ask_mode <= AMBIT_ASK_DANGEROUS && values->net <= AMBIT_NET_ASK);
	MUST(!values->policy_program && !values->unguard_writes && !values->unguard_reads);
	MUST(!values->write && !values->read && !values->allow_hosts && !values->profiles);
	MUST(!values->ask && values->question_timeout == -1);
	for (size_t i = 0; i < values->n_permissions; i++)
		MUST(values->permissions[i].permission != AMBIT_PERMISSION_ALLOW);
	for (size_t i = 0; i < AMBIT_EFFECTS_N; i++)
		MUST(values->by_side_effect[i] != AMBIT_PERMISSION_ALLOW);
}

static int
check_row(void *data, const char *key, const char *value, const char *source, const char *text)
{
	json_t *json = NULL;

	(void)data;
	MUST(key[0] && source[0] && text[0]);
	MUST(json_parse(value, strlen(value), &json, NULL) == 0);
	json_decref(json);
	for (; *value; value++)
		MUST(*value >= 0x20 && *value < 0x7f);
	return 0;
}

static void
load(const void *text, size_t len, bool as_folder)
{
	auto_close int file = -1;
	auto_free char *path = NULL;
	struct ambit_settings_options options = { .home = "/home/u" };
	struct ambit_settings *settings = NULL;
	struct ambit_error err = { 0 };

	if (as_folder) {
		path = str_printf("%s/.ambit.json", folder);
		file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		options.folder = folder;
	} else {
		file = memfd_create("person", MFD_CLOEXEC);
		path = str_printf("/proc/self/fd/%d", file);
		fchmod(file, 0600);
		options.person = path;
	}
	MUST(file >= 0 && path && fd_write_all(file, text, len) == 0);
	if (ambit_settings_load(&options, &settings, &err) < 0) {
		MUST(!settings);
		check_error(&err);
		return;
	}
	check_narrow(settings_folder(settings));
	MUST(ambit_settings_each(settings, check_row, NULL) == 0);
	ambit_settings_destroy(settings);
}

static void
set(const char *key, const char *value)
{
	struct ambit_settings_options options = { .home = "/home/u" };
	struct ambit_settings *settings = NULL;
	struct ambit_error err = { 0 };

	MUST(ambit_settings_load(&options, &settings, NULL) == 0);
	if (ambit_settings_set(settings, key, value, "--fuzz", &err) < 0)
		check_error(&err);
	MUST(ambit_settings_each(settings, check_row, NULL) == 0);
	ambit_settings_destroy(settings);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf struct buf text = { 0 };
	const char *key;

	enter();
	load(data, size, false);
	load(data, size, true);
	if (size < 1)
		return 0;
	/* As the value of some key, so that even noise gets past the object. */
	key = key_at(data[0] % KEYS_N)->name;
	buf_append(&text, data + 1, size - 1);
	MUST(!text.failed);
	set(key, text.data);
	buf_finish(&text);
	buf_printf(&text, "{\"%s\":", key);
	buf_append(&text, data + 1, size - 1);
	buf_putc(&text, '}');
	MUST(!text.failed);
	load(text.data, text.len, false);
	load(text.data, text.len, true);
	return 0;
}
