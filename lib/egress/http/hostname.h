/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EGRESS_HTTP_HOSTNAME_H
#define EGRESS_HTTP_HOSTNAME_H

#include <stdbool.h>
#include <stddef.h>

/* Hosts as a stream spells them (hello.h, head.h). Only the spelling is looked at:
 * which address "0x7f.1" is, address_parse knows. Text is not terminated. */

#define HOSTNAME_MAX 254 /* with its NUL */

/* Labels of 1 to 63 letters, digits, '-' and '_' between dots, 253 characters in all. The
 * name is lower case and has no last dot. -EINVAL. */
int hostname_parse(const char *text, size_t len, char ret_name[HOSTNAME_MAX]);

/* The same with ":port" behind it, or "[IPv6]" in place of the name, which loses its
 * brackets. Ports are 1 to 65535 without zeros in front; *ret_port is 0 if there is
 * none. -EINVAL. */
int hostname_parse_port(const char *text, size_t len, char ret_name[HOSTNAME_MAX], int *ret_port);

#endif
