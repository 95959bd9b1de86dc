/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from a terminal, in chunks (the first byte of each says how long it is), into
 * a dialogue: no chunk breaks it, and what it has answered was offered. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ask/tty/dialog.h"

#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ambit_choice choices[] = {
	{ .kind = AMBIT_NO, .stores = (char *)"nothing" },
	{ .kind = AMBIT_ONCE, .stores = (char *)"write in ~/a" },
	{ .kind = AMBIT_FOLDER, .path = (char *)"/a/b", .stores = (char *)"beneath ~/a/b" },
	{ .kind = AMBIT_FOLDER, .path = (char *)"/a", .stores = (char *)"beneath ~/a" },
	{ .kind = AMBIT_FILE, .label = (char *)"this file, this session" },
	{ .kind = AMBIT_ALWAYS, .stores = (char *)"always this", .label = (char *)"this file" },
	{ .kind = AMBIT_ALWAYS, .path = (char *)"/a", .stores = (char *)"always" },
};

static const struct ambit_question question = {
	.id = 1,
	.who = (char *)"sed (pid 2)",
	.what = (char *)"write ~/a/b/c",
	.why = (char *)"outside",
	.kind = (char *)"file",
	.act = (char *)"write",
	.object = (char *)"~/a/a-longer-name/\xd0\xb0-name-that-is-longer/and-more-of-them/c",
	.danger = (char *)"RUNS AS YOU at your next git commit",
	.by = (char *)"sed (bash > sed)",
	.because = (char *)"outside ~/work",
	.project = (char *)"~/work",
	.outcome = (char *)"{\"layers\":[]}",
	.choices = choices,
	.n_choices = sizeof(choices) / sizeof(choices[0]),
	.folder = 2,
};

static void
check(const struct dialog *dialog, size_t width)
{
	const struct ambit_answer *answer = dialog_answer(dialog);
	char *text = dialog_text(dialog, width, false);

	assert(text && str_is_utf8(text, strlen(text)));
	for (const char *at = text; *at; at++)
		assert(*at == '\n' || (unsigned char)*at >= 0x20);
	free(text);
	if (!answer)
		return;
	assert(str_is_utf8(answer->message, strlen(answer->message)));
	assert(answer->kind == AMBIT_NO || answer->message[0] == '\0');
	for (size_t i = 0; i < question.n_choices; i++)
		if (choices[i].kind == answer->kind &&
			streq(answer->path, choices[i].path ? choices[i].path : ""))
			return;
	abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dialog *dialog = NULL;

	if (dialog_create(&question, &dialog, NULL) < 0)
		return 0;
	while (size > 1) {
		size_t n = data[0] % 8 + 1, width = data[0];
		const char *chunk = (const char *)data + 1;

		if (n > size - 1)
			n = size - 1;
		if (dialog_state(dialog) == DIALOG_TYPING)
			dialog_type(dialog, chunk, n);
		else
			dialog_key(dialog, key_read(chunk, n, width & 8));
		check(dialog, width);
		data += 1 + n;
		size -= 1 + n;
	}
	dialog_destroy(dialog);
	return 0;
}
