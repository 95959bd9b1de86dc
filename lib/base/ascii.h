/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>

/* The kind of a byte, in ASCII alone: isdigit(3) and the like ask the locale. Formats
 * with a set of their own (git's spaces, HTML's spaces, names in DNS) keep it in their
 * parser. */

static inline bool
ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ascii_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool
ascii_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool
ascii_is_letter(char c)
{
	return ascii_is_lower(c) || ascii_is_upper(c);
}

static inline bool
ascii_is_alnum(char c)
{
	return ascii_is_digit(c) || ascii_is_letter(c);
}

/* A space or a tab. */
static inline bool
ascii_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A blank, or one of \n, \v, \f, \r. */
static inline bool
ascii_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* 0 to 15, or -1. */
static inline int
ascii_hex_value(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

#endif
