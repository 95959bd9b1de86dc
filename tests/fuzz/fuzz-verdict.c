/* SPDX-License-Identifier: Apache-2.0 */
/* What a judge says, as any bytes: a yes is two strings, plain and short, without a
 * hedge, and with nothing behind it. What he would be shown is looked through, too. */

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "ask/judge/phrase.h"
#include "ask/judge/judge-injection.h"
#include "ask/judge/verdict.h"
#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_yes(const char *text, size_t size, const struct verdict *verdict)
{
	auto_buf struct buf more = { 0 };
	struct verdict other = { 0 };
	size_t len = strlen(verdict->reason);

	assert(len >= 1 && len <= VERDICT_REASON_MAX);
	assert(phrase_plain(verdict->reason) && !verdict_hedge(verdict->reason));
	assert(memmem(text, size, "allow", 5) || memchr(text, '\\', size));
	buf_append(&more, text, size);
	buf_putc(&more, 'x');
	assert(verdict_parse(more.data, more.len, &other, NULL) < 0 && !other.allow);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct verdict verdict = { 0 };
	auto_json json_t *object = NULL;

	if (verdict_parse(text, size, &verdict, NULL) < 0)
		assert(!verdict.allow && verdict.reason[0] == '\0');
	else if (verdict.allow)
		check_yes(text, size, &verdict);
	if (json_parse(text, size, &object, NULL) == 0)
		plea_find(object);
	return 0;
}
