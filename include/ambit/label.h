/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_LABEL_H
#define AMBIT_LABEL_H

#include <stddef.h>

/* Content that came from elsewhere, marked so that a model can tell where it
 * begins and ends. The boundary is random and made after the content was there,
 * so nothing in the content can close it. A NUL in it becomes U+FFFD. */

/* source: where it came from, as it is to be shown ("https://example.com/",
 * "bash: curl ..."); escaped here. Caller frees; NULL without memory. */
char *ambit_label_untrusted(const char *source, const char *content, size_t len);

/* The words for a model's instructions that say what the marks mean. Static. */
const char *ambit_label_brief(void);

#endif
