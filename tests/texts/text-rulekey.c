/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "rulekey": a command becomes the key that a rule about it has. "exact" stands
 * for the key that is "exact:" and the command, byte by byte. */

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/str.h"
#include "request/rulekey.h"
#include "texts.h"

static const char *
run_rulekey(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *in = text_find(test, "in");
	auto_free char *command = text_exact(in), *key = rulekey_create(command, in->len);
	auto_free char *exact = str_printf("exact:%s", in->data);

	if (!key)
		return "no key";
	/* A key is a string: a command with a NUL in it cannot be in one as it is. */
	text_puts(out, "", streq(key, exact) && strlen(in->data) == in->len ? "exact" : key);
	return NULL;
}

const struct text_kind text_rulekey = {
	.name = "rulekey",
	.inputs = "in",
	.run = run_rulekey,
};
