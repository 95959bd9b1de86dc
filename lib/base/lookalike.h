/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LOOKALIKE_H
#define BASE_LOOKALIKE_H

/* Letters that pass for plain ones: a Cyrillic "a" in "paypal". Lists them for each word
 * of text that mixes them with ASCII letters or has no other letters: "U+0430 U+043E", each once
 * and at most four; "": none. A word in a script of its own is left alone. Caller frees; NULL
 * without memory. */
char *lookalike_list(const char *text);

#endif
