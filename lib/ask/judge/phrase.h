/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_JUDGE_PHRASE_H
#define ASK_JUDGE_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

/* Looking for words in text that may try to hide them: case, and whatever stands
 * between words, makes no difference. */

/* The words of text in lower case with one blank before, between and behind them; an
 * apostrophe is left out ("can't" is "cant"). Caller frees; NULL without memory. */
char *phrase_fold(const char *text);

/* The first of the list (which ends in NULL; each of plain words with single blanks)
 * whose words stand in folded, one after the other; or NULL. One that ends in '*' also
 * stands for longer last words. */
const char *phrase_find(const char *folded, const char *const *list);

/* True if all of it is printable ASCII. Elsewhere letters look like others, and
 * characters show nothing. */
bool phrase_plain(const char *text);

#endif
