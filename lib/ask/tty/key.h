/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_TTY_KEY_H
#define ASK_TTY_KEY_H

#include <stddef.h>

#include "ask/tty/dialog.h"

#define KEY_ESC '\x1b'
#define KEY_CTRL_C '\x03'
#define KEY_CTRL_D '\x04'
#define KEY_CTRL_U '\x15'
#define KEY_DEL '\x7f'

/* The length of the escape sequence at text; 1: Esc by itself; 0: more is to come. */
size_t key_sequence(const char *text, size_t len);

#endif
