/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "edit-diff": a text before and after becomes the difference that is shown. */

#include "base/buf.h"
#include "base/fd.h"
#include "texts.h"
#include "tools/edit/edit-diff.h"

#define MAX 4000

static const char *
run_diff(const struct text_test *test, struct text_outputs *out)
{
	const struct text_section *old = text_find(test, "old"), *new = text_find(test, "new");
	auto_free char *exact_old = text_exact(old), *exact_new = text_exact(new);
	auto_buf struct buf diff = { 0 };

	edit_diff(exact_old, old->len, exact_new, new->len, MAX, &diff);
	text_put(out, "", diff.data ? diff.data : "", diff.len);
	return NULL;
}

const struct text_kind text_edit_diff = {
	.name = "edit-diff",
	.inputs = "old new",
	.run = run_diff,
};
