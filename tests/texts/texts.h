/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEXTS_TEXTS_H
#define TESTS_TEXTS_TEXTS_H

/* Tests that are text in, text out. A kind is one function under test; textfile.c says
 * how its tests are written down, and texts.c runs them. A new kind is one file
 * text-KIND.c that ends in its `const struct text_kind`, one line below, and one line in
 * the list of texts.c. */

#include <stdbool.h>
#include <stddef.h>

struct text_section {
	char *word, *arg; /* "-- file src/a" has the word "file", and the argument "src/a" */
	char *data;	  /* with escapes replaced, and with a NUL behind it */
	size_t len;
	int line; /* in the data file */
};

struct text_test {
	const char *name;
	const char *args; /* "" if there are none */
	const struct text_section *sections;
	size_t n_sections;
};

/* The outputs of a kind: texts by their names. */
struct text_outputs;

struct text_kind {
	const char *name;
	/* The words of its sections, with spaces between. Every test has each of them, except
	 * one with a '?' behind it. */
	const char *inputs;
	/* NULL, or why the test could not be run. */
	const char *(*run)(const struct text_test *test, struct text_outputs *out);
};

/* The first section with that word. NULL only for a word with a '?' in inputs. */
const struct text_section *text_find(const struct text_test *test, const char *word);

/* A copy without a NUL behind it, so that the sanitizer sees a look past its end. The
 * caller frees it. */
char *text_exact(const struct text_section *section);

/* Each test must say what it expects of every text that was put; "" is the name of the
 * text that "-- expect" is about, "a" of the one that "-- expect a" is about. */
void text_put(struct text_outputs *out, const char *name, const char *data, size_t len);
void text_puts(struct text_outputs *out, const char *name, const char *text);
/* A text that a test may say something about. */
void text_offer(struct text_outputs *out, const char *name, const char *text);

extern const struct text_kind text_apply_patch;
extern const struct text_kind text_echo;
extern const struct text_kind text_edit;
extern const struct text_kind text_edit_diff;
extern const struct text_kind text_gitconfig;
extern const struct text_kind text_gitconfig_changes;
extern const struct text_kind text_gitconfig_entry;
extern const struct text_kind text_gitconfig_worktree;
extern const struct text_kind text_gitmodules;
extern const struct text_kind text_basic;
extern const struct text_kind text_call;
extern const struct text_kind text_chunks;
extern const struct text_kind text_dns_answer;
extern const struct text_kind text_dns_name;
extern const struct text_kind text_dns_query;
extern const struct text_kind text_echo;
extern const struct text_kind text_head;
extern const struct text_kind text_head_begins;
extern const struct text_kind text_hello;
extern const struct text_kind text_host;
extern const struct text_kind text_html;
extern const struct text_kind text_html_charset;
extern const struct text_kind text_multi_edit;
extern const struct text_kind text_patch_name;
extern const struct text_kind text_patch_paths;
extern const struct text_kind text_question;
extern const struct text_kind text_redact;
extern const struct text_kind text_redact_json;
extern const struct text_kind text_summary;
extern const struct text_kind text_plea;
extern const struct text_kind text_request;
extern const struct text_kind text_rpc;
extern const struct text_kind text_rulekey;
extern const struct text_kind text_settings;
extern const struct text_kind text_texts;
extern const struct text_kind text_verdict;

#endif
