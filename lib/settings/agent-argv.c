/* SPDX-License-Identifier: Apache-2.0 */
/* From an agent's command and a task to the words that are run. The task and the
 * briefing are a model's and a repository's words: each is put in once, is not looked at
 * again, stays within its word, and does not become an option there. */

#include <stdlib.h>

#include "settings/agents.h"

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "settings/agent.h"

#define WORD_MAX 131072 /* what the kernel takes as one argument, with its NUL */

enum placeholder {
	PLACE_TASK,
	PLACE_BRIEF,
	PLACE_FOLDER,
	PLACES_N,
};

static const char *const places[PLACES_N] = {
	[PLACE_TASK] = "task",
	[PLACE_BRIEF] = "brief",
	[PLACE_FOLDER] = "folder",
};

const char *
agent_placeholder_at(const void *data, size_t i)
{
	(void)data;
	return i < PLACES_N ? places[i] : NULL;
}

/* Which placeholder begins here, and how long it is. */
static bool
parse_placeholder(const char *text, enum placeholder *ret_place, size_t *ret_len)
{
	for (int i = 0; text[0] == '{' && i < PLACES_N; i++) {
		size_t len = strlen(places[i]);

		if (strncmp(text + 1, places[i], len) == 0 && text[1 + len] == '}') {
			*ret_place = (enum placeholder)i;
			*ret_len = len + 2;
			return true;
		}
	}
	return false;
}

static bool
has_place(const struct agent *agent, enum placeholder wanted)
{
	enum placeholder place;
	size_t len;

	for (const char *const *word = agent->command; *word; word++)
		for (const char *at = strchr(*word, '{'); at; at = strchr(at + 1, '{'))
			if (parse_placeholder(at, &place, &len) && place == wanted)
				return true;
	return false;
}

static char *
fill_word(const char *word, const char *const values[PLACES_N], bool options_end)
{
	auto_buf struct buf out = { 0 };
	enum placeholder place;
	size_t len;

	while (*word) {
		if (parse_placeholder(word, &place, &len)) {
			/* A space is nothing to whoever reads it, and no program takes
			 * " -x" for an option. */
			if (out.len == 0 && values[place][0] == '-' && !options_end)
				buf_putc(&out, ' ');
			buf_puts(&out, values[place]);
			word += len;
		} else {
			buf_putc(&out, *word++);
		}
	}
	return buf_take(&out);
}

static int
fill_words(const struct agent *agent, const char *const values[PLACES_N], char ***ret_argv,
	struct ambit_error *err)
{
	bool options_end = false;

	for (const char *const *word = agent->command; *word; word++) {
		auto_free char *text = fill_word(*word, values, options_end);

		if (text && strlen(text) >= WORD_MAX)
			return err_set(err, E2BIG,
				"the task or its briefing is longer than an argument can be (128 "
				"KiB): shorten it, or have agent '%s' read it from stdin, with no "
				"{task} in its command",
				agent->name);
		if (!text || strv_append(ret_argv, text) < 0)
			return err_nomem(err);
		options_end |= streq(*word, "--");
	}
	return 0;
}

void
agent_argv_free(char **argv)
{
	strv_free(argv);
}

int
agent_argv(const struct agent *agent, const char *task, const char *brief, const char *folder,
	char ***ret_argv, char **ret_input, struct ambit_error *err)
{
	bool before = brief[0] != '\0' && !has_place(agent, PLACE_BRIEF);
	auto_free char *text = before ? str_printf("%s\n\n%s", brief, task) : str_dup(task);
	const char *values[PLACES_N] = {
		[PLACE_TASK] = text,
		[PLACE_BRIEF] = brief,
		[PLACE_FOLDER] = folder,
	};
	char **argv = NULL;
	int r = text ? fill_words(agent, values, &argv, err) : err_nomem(err);

	if (r < 0) {
		strv_free(argv);
		return r;
	}
	*ret_argv = argv;
	*ret_input = has_place(agent, PLACE_TASK) ? NULL : steal_ptr(&text);
	return 0;
}
