/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_QUESTION_COPY_H
#define ASK_QUESTION_COPY_H

#include <ambit/approve.h>

/* Questions that outlive the one who put them, and their words for any screen. */

void question_finish(struct ambit_question *question);

/* -ENOMEM. */
int question_copy(const struct ambit_question *from, struct ambit_question *ret_question);

/* Whether an answer to the one is an answer to the other. An id alone does not say so:
 * what changed meanwhile is asked about anew under the same. */
bool question_same(const struct ambit_question *a, const struct ambit_question *b);

/* A plain text of the question: its key for programs, and where it is. Ends in a row without a
 * key. */
struct question_text {
	const char *key;
	size_t at;
};
extern const struct question_text question_texts[];
char **question_text_at(const struct ambit_question *question, const struct question_text *row);

/* Both are copied. -ENOMEM. */
int question_add_fact(struct ambit_question *question, const char *name, const char *text);

/* "write ~/data/out.csv"; "by deploy (claude > bash > deploy); outside ~/app". A
 * question without short words gets its long ones. Caller frees; NULL without memory. */
char *question_title(const struct ambit_question *question);
char *question_who(const struct ambit_question *question);

/* " (not plain letters: U+0430)" for a name that has letters which pass for others, else "". It
 * is part of question_who. Caller frees; NULL without memory. */
char *question_mark(const char *text);

/* Why a question is refused that nobody could be asked; stands in the message behind "; ". */
#define QUESTION_NOBODY "nobody can approve it now"

/* The label of a folder begins with this; then comes the path, and then words. The label of a no
 * has CHOICE_NO_TO before it. */
#define CHOICE_ALL_OF "all of "
#define CHOICE_NO_TO "no to "
/* And that of commands of one kind: "commands 'git push ...'". */
#define CHOICE_COMMANDS "commands "

/* The label of a choice in so many columns, if cutting a path in its middle does it. Caller frees;
 * NULL without memory. */
char *choice_label(const struct ambit_choice *choice, size_t columns);

/* An answer in a list: "all of ~/data, this session", "always in this project: this file". It
 * fits so many columns: a path is cut in its middle, and its last name only if that alone is too
 * wide. Caller frees; NULL without memory. */
#define CHOICE_COLUMNS 40
char *choice_words(const struct ambit_question *question, const struct ambit_choice *choice);

/* Whether a list has it: not a pattern of hosts that would not be seen whole. */
bool choice_is_listed(const struct ambit_question *question, const struct ambit_choice *choice);

#endif
