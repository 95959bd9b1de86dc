/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PATCH_PATCHNAME_H
#define PATCH_PATCHNAME_H

#include <stdbool.h>
#include <stddef.h>

/* Names as patches write them, and every reading of them that some program
 * has; and spans of text. */

struct span {
	const char *text;
	size_t len;
};

/* A decoded name; text is NULL if there is none. */
struct patch_name {
	char *text;
	size_t len;
	size_t cut;   /* where a reader that ends names at a space would stop; 0: nowhere */
	bool nothing; /* it is /dev/null */
};

bool span_starts(struct span line, const char *prefix);
bool span_is(struct span line, const char *text);
/* Without white space at either end. */
struct span span_trim(struct span line);
/* The line at *at without its "\n" or "\r\n"; false at the end of text. */
bool span_next(const char *text, size_t len, size_t *at, struct span *ret_line);

/* The name at the start of rest: quoted as C does, or plain up to a tab. rest
 * is moved behind it. -EINVAL (also for one that begins or ends with white
 * space, or has a line break in it), -ENOMEM. */
int patch_name_parse(struct span *rest, struct patch_name *ret_name);
void patch_name_finish(struct patch_name *name);

/* "a/x b/x" behind "diff --git". Plain names can hold spaces: they are told
 * apart by being the same. 0 and no names if that does not work. */
int patch_name_pair(struct span rest, struct patch_name *ret_old, struct patch_name *ret_new);

/* The same line as patch(1) reads it: the first two words. None if one of
 * them is quoted: then all read the same. */
int patch_name_words(struct span rest, struct patch_name *ret_old, struct patch_name *ret_new);

#endif
