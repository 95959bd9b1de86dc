/* SPDX-License-Identifier: Apache-2.0 */
/* A shell command becomes the key under which a person's answer is kept. The
 * command comes from a model, and a shell that is not ours will read it: so
 * this is no shell parser but the opposite, a list of what is so plain that
 * every shell reads it alike. All else is remembered to the letter. A key is
 * comfort for the person; the line in the kernel is the boundary. */

#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/own.h"
#include "base/str.h"
#include "request/arity.h"
#include "request/rulekey.h"

#define WORDS_MAX 256
#define COMMAND_MAX 8192

/* Each of these means something to some shell, quoted or not: history and
 * PowerShell look inside quotes too. */
static const char metacharacters[] = "|&;<>$`(){}[]*?!\\#^\n\r";

struct word {
	char *text;  /* without its quotes */
	bool quoted; /* some part of it was */
};

struct words {
	struct word list[WORDS_MAX];
	size_t n;
};

static void
words_finish(struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->list[i].text);
}

/* Plain bytes are printing ASCII; inside quotes other UTF-8 may stand, if it
 * can be seen. */
static bool
is_plain(const char *command, size_t len)
{
	auto_free char *shown = NULL;

	if (len > COMMAND_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)command[i];

		if ((c < ' ' && c != '\t') || c == 0x7f || strchr(metacharacters, c))
			return false;
	}
	shown = str_escape(command, len);
	if (!shown)
		return false;
	for (const char *c = shown; *c; c++)
		if (*c == '\\' && c[1] != 't')
			return false; /* something that does not show */
	return true;
}

/* One word at *at; false if it cannot be read as one. */
static bool
next_word(const char *command, size_t len, size_t *at, struct word *ret)
{
	auto_buf struct buf out = { 0 };
	struct word word = { 0 };
	char quote = 0;

	for (; *at < len; ++*at) {
		char c = command[*at];

		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
			word.quoted = true;
			continue;
		}
		if (!quote && (c == ' ' || c == '\t'))
			break;
		if (!quote && (unsigned char)c >= 0x80)
			return false;
		buf_putc(&out, c);
	}
	if (quote)
		return false;
	word.text = buf_take(&out);
	*ret = word;
	return word.text != NULL;
}

static bool
split_command_words(const char *command, size_t len, struct words *words)
{
	for (size_t at = 0; at < len;) {
		if (command[at] == ' ' || command[at] == '\t') {
			at++;
			continue;
		}
		if (words->n == WORDS_MAX || !next_word(command, len, &at, &words->list[words->n]))
			return false;
		words->n++;
	}
	return words->n > 0;
}

/* What may stand in a key: a word that shows itself whole, and names neither
 * a path nor a program that runs others. */
static bool
is_key_word(const struct word *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-:.";

	return !word->quoted && word->text[0] != '\0' && !strchr("-.:", word->text[0]) &&
	       word->text[strspn(word->text, plain)] == '\0' && !arity_runs_others(word->text);
}

static bool
row_matches(const struct arity *row, const struct words *words)
{
	const char *at = row->words;

	for (size_t i = 0; i < words->n; i++) {
		size_t n = strcspn(at, " ");

		if (strlen(words->list[i].text) != n || strncmp(words->list[i].text, at, n) != 0)
			return false;
		if (!at[n])
			return true;
		at += n + 1;
	}
	return false;
}

/* In full: what is short for a harmless option today may be short for none,
 * or for another, in the next version. */
static bool
is_listed(const struct arity *row, const char *name)
{
	size_t n = strcspn(name, "="), len;

	for (const char *at = row->longs; at && *at; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		if (len == n && strncmp(at, name, n) == 0)
			return true;
	}
	return false;
}

/* A cluster may hold values too ("-n5"): as letters they must all be harmless,
 * because whose they are cannot be told. */
static bool
option_fits(const struct arity *row, const char *option)
{
	const char *rest = option + 1;

	if (row->any_option)
		return true;
	if (option[1] == '-')
		return is_listed(row, option + 2);
	if (row->one_dash)
		return is_listed(row, rest);
	while (row->shorts && *rest && (strchr(row->shorts, *rest) || strchr("0123456789,", *rest)))
		rest++;
	return *rest == '\0';
}

/* ".." as a whole component: "main..dev" is a range. */
static bool
has_dotdot_step(const char *text)
{
	for (const char *at = strstr(text, ".."); at; at = strstr(at + 1, ".."))
		if ((at == text || strchr("/=:,", at[-1])) && (!at[2] || at[2] == '/'))
			return true;
	return false;
}

static bool
leaves_cwd(const char *text)
{
	static const char *const starts[] = { "=/", ":/", ",/", "=~", ":~", ",~" };

	if (text[0] == '/' || text[0] == '~' || has_dotdot_step(text))
		return true;
	if (text[0] == '-' && (strchr(text, '/') || strstr(text, "..")))
		return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strstr(text, starts[i]))
			return true;
	return false;
}

static bool
argument_fits(const struct arity *row, const char *text)
{
	/* git push +ref, :ref; cargo +toolchain; pytest @more-arguments */
	if (!row->anywhere && (leaves_cwd(text) || (text[0] && strchr("+:@", text[0]))))
		return false;
	if (row->names && strpbrk(text, ":/"))
		return false;
	return text[0] != '-' || text[1] == '\0' || option_fits(row, text);
}

static bool
is_option(const char *text)
{
	return text[0] == '-' && text[1] != '\0';
}

/* Appends one word of the command to the key, if it belongs there; false if
 * the command has no key. */
static bool
take_word(const struct arity *row, const struct word *word, size_t *shown, struct buf *key)
{
	if (streq(word->text, "--")) /* it could end the options before the key is whole */
		return !row->alone && *shown == row->n;
	if (!argument_fits(row, word->text))
		return false;
	if (is_option(word->text))
		return true;
	if (*shown == row->n)
		return !row->bare;
	if (!is_key_word(word))
		return false;
	buf_puts(key, *shown > 0 ? " " : "cmd:");
	buf_puts(key, word->text);
	++*shown;
	return true;
}

static char *
command_key(const struct words *words)
{
	auto_buf struct buf key = { 0 };
	const struct arity *row = arity_table;
	size_t shown = 0;

	while (row->words && !row_matches(row, words))
		row++;
	if (!row->words)
		return NULL;
	for (size_t i = 0; i < words->n; i++)
		if (!take_word(row, &words->list[i], &shown, &key))
			return NULL;
	return buf_take(&key);
}

/* A NUL ends the command for a shell, and would end the key here: two
 * commands must not share one. */
static char *
nul_key(const char *command, size_t len)
{
	char hex[HASH_HEX];

	hash_sha256(command, len, hex);
	return str_printf("nul:%s", hex);
}

char *
rulekey_create(const char *command, size_t len)
{
	struct buf exact = { 0 };
	char *key = NULL;

	if (len > 0 && memchr(command, '\0', len))
		return nul_key(command, len);
	if (is_plain(command, len)) {
		struct words words;

		words.n = 0;
		if (split_command_words(command, len, &words))
			key = command_key(&words);
		words_finish(&words);
	}
	if (key)
		return key;
	buf_puts(&exact, "exact:");
	buf_append(&exact, command, len);
	return buf_take(&exact);
}
