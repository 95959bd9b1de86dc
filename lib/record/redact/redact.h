/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_REDACT_REDACT_H
#define RECORD_REDACT_REDACT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"

/* Takes secrets out: known key shapes (sk-..., ghp_..., AKIA..., xox?-...,
 * JWTs, PEM private keys ...), values behind Authorization / Bearer / Basic,
 * NAME_TOKEN=..., --password ..., user:password@ in URLs, and JSON members
 * whose name says secret. What is taken out becomes "[redacted]". Linear in
 * the length of the text; what is UTF-8 stays UTF-8. */

#define REDACTED "[redacted]"

/* The text without secrets. Caller frees; NULL without memory. */
char *redact_secrets(const char *text);
/* The same for len bytes. */
char *redact_text(const char *text, size_t len);
/* A redacted deep copy, NULL without memory. How many texts lost something is
 * added to *count. */
json_t *redact_json(const json_t *value, size_t *count);

/* Appends the redacted text: unlike redact_text, keeps what follows a NUL byte.
 * Returns how often something was taken out. */
size_t redact_append(struct buf *buf, const char *text, size_t len);
/* True for the name of something secret: "password", "X-Api-Key", "--token". */
bool redact_name(const char *name, size_t len);
/* True for a word that stands where a value would and is none: "string", "null". */
bool redact_plain_word(const char *word, size_t len);
/* True for what looks like a path: where something is, not what it is. */
bool redact_path(const char *data, size_t len);

/* -- the table of shapes (shapes.c) ------------------------------------------ */

enum redact_kind {
	SHAPE_PREFIX = 0, /* a literal beginning, then a run of at least min characters */
	SHAPE_JWT,	  /* a literal beginning, then segments between dots */
	SHAPE_PEM,	  /* from the BEGIN line of a private key to its END line */
	SHAPE_URL,	  /* scheme://user:HERE@host */
	SHAPE_USER,	  /* an option whose value is user:HERE */
	SHAPE_FLAG,	  /* an option of one program */
	SHAPE_NAME,	  /* a name that ends like this, then = or :, then a value */
	SHAPE_HEADER,	  /* the same; behind a colon, a scheme and a word */
};

enum redact_class {
	CLASS_ALNUM = 0,
	CLASS_UPPER, /* A-Z 0-9 */
	CLASS_HEX,
	CLASS_KEY,   /* alphanumeric, '_' and '-' */
	CLASS_WORD,  /* alphanumeric and '_' */
	CLASS_TOKEN, /* what an Authorization value is made of: CLASS_KEY and "./+~=" */
};

struct redact_shape {
	enum redact_kind kind;
	const char *prefix; /* of a name: lower case, without separators */
	enum redact_class run;
	size_t min;	     /* characters after the prefix */
	size_t max;	     /* 0: any number; a longer run is something else */
	size_t inner;	     /* characters that are needed directly behind a letter; 0: never */
	bool fold;	     /* the prefix in any case */
	bool suffix;	     /* of a name: something must stand before it, with a separator */
	bool bare;	     /* of a name: letters alone can be its secret */
	bool pairs;	     /* of a header: its value is a=b; c=d */
	const char *program; /* of an option: the program or subcommand that has it */
	bool next;	     /* of an option: its value is the next word */
	bool attached;	     /* of an option: its value stands right behind it */
	bool user;	     /* of an option: its value is user:HERE */
	const char *text;    /* help */
	const char *example; /* a text with such a secret ... */
	const char *result;  /* ... and what becomes of it */
	const char *plain;   /* a text that looks alike and must stay, or NULL */
};

/* Ends in a row whose prefix is NULL. */
extern const struct redact_shape redact_shapes[];

#endif
