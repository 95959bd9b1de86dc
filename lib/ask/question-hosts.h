/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_QUESTION_HOSTS_H
#define ASK_QUESTION_HOSTS_H

#include <stdbool.h>

/* Patterns of hosts that a question may offer beside the host itself. */

/* For "a.b.example.org:443" the list "*.b.example.org:443", "*.example.org:443", from narrow to
 * wide: each covers the host, at the same port, and names that one owner gives out. NULL: there is
 * none, as for an address, for a socket, for what is called "*.com" or "*.github.io". Caller frees
 * with strv_free. -ENOMEM. */
int question_list_patterns(const char *host, char ***ret_list);

/* Whether the width of an answer is one of them, and not a folder. */
bool question_is_pattern(const char *width);

#endif
