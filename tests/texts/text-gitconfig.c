/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds about a repository's config: a change of it becomes "plain" or "not plain".
 *
 *   gitconfig           "OLD => NEW", or the section old and NEW
 *   gitconfig-changes   a text: against nothing, from and to the section base, to itself
 *   gitconfig-entry     '[SECTION "SUB"] KEY = VALUE': the same, behind base, in six spellings
 *   gitconfig-worktree  "PLACE => VALUE": core.worktree in the config at that place
 *   gitmodules          the text of a .gitmodules */

#include <stdlib.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/str.h"
#include "scope/gitconfig.h"
#include "texts.h"

/* A reason goes with "not plain", and with nothing else. */
static const char *
name_plain(bool plain, const char *why)
{
	return plain != !why ? "wrong about its reason" : plain ? "plain" : "not plain";
}

static const char *
judge_change(const char *old, size_t old_len, const char *new, size_t new_len)
{
	const char *why = "unset";
	bool plain = gitconfig_plain_at(NULL, old, old_len, new, new_len, &why);

	return name_plain(plain, why);
}

static const char *
run_gitconfig(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in"), *old = text_find(test, "old");
	const char *arrow = old ? NULL : strstr(in->data, " => ");
	const char *new = arrow ? arrow + 4 : in->data;

	if (!old && !arrow)
		return "neither ' => ' nor a section 'old'";
	text_puts(out, "",
		judge_change(old ? old->data : in->data,
			old ? old->len : (size_t)(arrow - in->data), new,
			in->len - (size_t)(new - in->data)));
	return NULL;
}

const struct text_kind text_gitconfig = {
	.name = "gitconfig",
	.inputs = "in old?",
	.run = run_gitconfig,
};

static void
list_changes(const struct text_section *base, const char *text, size_t len, struct buf *out)
{
	buf_printf(out, "new: %s\n", judge_change("", 0, text, len));
	buf_printf(out, "added: %s\n", judge_change(base->data, base->len, text, len));
	buf_printf(out, "removed: %s\n", judge_change(text, len, base->data, base->len));
	buf_printf(out, "kept: %s\n", judge_change(text, len, text, len));
}

static const char *
run_changes(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_buf struct buf list = { 0 };

	list_changes(text_find(test, "base"), in->data, in->len, &list);
	text_put(out, "", list.data, list.len);
	return NULL;
}

const struct text_kind text_gitconfig_changes = {
	.name = "gitconfig-changes",
	.inputs = "in base",
	.run = run_changes,
};

/* [SECTION "SUB"] KEY = VALUE, in a spelling of its own; how: 0 to 5. */
static char *
spell_entry(int how, const char *base, const char *head, const char *key, const char *value)
{
	auto_free char *upper = strdup(head);

	for (char *c = upper; how == 1 && *c && *c != ' '; c++)
		*c = *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
	return str_printf(how == 2   ? "%s[%s] %s = \"%s\"\n"
			  : how == 3 ? "%s[%s]\n%s \t=\\\n%s\n"
			  : how == 4 ? "%s[%s]\r\n%s=%s # x\r\n"
			  : how == 5 ? "%s[%s]#c\n\n ;c\n%s = \"\"%s"
				     : "%s[%s]\n\t%s = %s\n",
		base, upper, key, value);
}

static const char *
run_entry(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *base = text_find(test, "base");
	auto_free char *head = strdup(text_find(test, "in")->data);
	char *key = strstr(head, "] "), *value = key ? strstr(key, " = ") : NULL;
	auto_buf struct buf first = { 0 };

	if (head[0] != '[' || !value)
		return "not '[SECTION] KEY = VALUE'";
	*key = *value = '\0';
	for (int how = 0; how < 6; how++) {
		auto_free char *text = spell_entry(how, base->data, head + 1, key + 2, value + 3);
		auto_buf struct buf list = { 0 };

		list_changes(base, text, strlen(text), how == 0 ? &first : &list);
		if (how > 0 && !streq(first.data, list.data))
			return "its spellings are not all the same";
	}
	text_put(out, "", first.data, first.len);
	return NULL;
}

const struct text_kind text_gitconfig_entry = {
	.name = "gitconfig-entry",
	.inputs = "in base",
	.run = run_entry,
};

static const char *
run_worktree(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *base = text_find(test, "base");
	auto_free char *place = strdup(text_find(test, "in")->data);
	char *arrow = strstr(place, " => ");
	const char *why = "unset";
	bool plain;

	if (!arrow)
		return "not 'PLACE => VALUE'";
	*arrow = '\0';
	auto_free char *text = str_printf("%s\tworktree = %s\n", base->data, arrow + 4);

	plain = gitconfig_plain_at(
		streq(place, "-") ? NULL : place, base->data, base->len, text, strlen(text), &why);
	text_puts(out, "", name_plain(plain, why));
	return NULL;
}

const struct text_kind text_gitconfig_worktree = {
	.name = "gitconfig-worktree",
	.inputs = "in base",
	.run = run_worktree,
};

static const char *
run_gitmodules(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *exact = text_exact(in);
	const char *why = "unset";
	bool plain = gitmodules_plain(exact, in->len, &why);

	text_puts(out, "", name_plain(plain, why));
	return NULL;
}

const struct text_kind text_gitmodules = {
	.name = "gitmodules",
	.inputs = "in",
	.run = run_gitmodules,
};
