/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEXTS_TEXT_QUESTION_FORM_H
#define TESTS_TEXTS_TEXT_QUESTION_FORM_H

#include <ambit/approve.h>

/* The form of an MCP client: its message, and each answer with its title. In a file of its own,
 * since the doors' struct world is not that of the rigs. Caller frees; NULL without memory. */
char *show_form(const struct ambit_question *question);

#endif
