/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEXTS_TEXTBYTES_H
#define TESTS_TEXTS_TEXTBYTES_H

/* Messages of a binary protocol, written so that they can be read:
 *
 *   16 0301          bytes, two digits each, with or without spaces
 *   "a.example"      the bytes of a text
 *   (...)            a length of one byte, and as many bytes
 *   [...] {...}      the same with a length of two bytes, and of three
 *   <a.example>      a name of DNS: ("a") ("example") 00; <> is the root
 *
 * so [00 ["a.example"]] is 000c 00 0009 and the name. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* False for a text that is not written like this. */
bool textbytes_encode(const char *text, size_t len, struct buf *out);

#endif
