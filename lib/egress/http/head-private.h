/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_HTTP_HEAD_PRIVATE_H
#define EGRESS_HTTP_HEAD_PRIVATE_H

#include "egress/http/head.h"
#include "egress/http/hostname.h"

/* Between head.c (lines and fields), head-line.c (the first line) and head-chunks.c. */

/* What is known of a head before its end. */
struct head_look {
	struct head head;	 /* host and port: the target's, if it has any */
	bool old;		 /* HTTP/1.0 */
	unsigned seen;		 /* fields, by their row */
	char host[HOSTNAME_MAX]; /* the Host field */
	int port;
	int scheme_port; /* of an absolute target */
	bool switches;	 /* "upgrade" stands in Connection */
	bool bodyless;	 /* GET and the like */
};

/* Of RFC 9110, 5.6.2: what methods and names of fields are made of. */
bool head_is_token(char c);

/* Whether a request begins here, by its first line: HEAD_WHOLE if the line is there and
 * says that it is one (whether a good one, head_line_parse says), with its length, LF
 * and all. */
enum head_kind head_line_find(const char *text, size_t len, size_t *ret_len);
/* line: without its CRLF, and without control characters. */
bool head_line_parse(const char *line, size_t len, struct head_look *look);

/* A field that says for whom or how long a request is, in any case, '_' like '-'. */
bool head_is_framing(const char *name, size_t len);

#endif
