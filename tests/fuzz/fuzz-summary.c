/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever an agent writes, its last words are UTF-8 within the limit, without control
 * characters or ones that hide, and the same again when they are cleaned again. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agents/summary.h"
#include "base/buf.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const char *text, size_t max)
{
	size_t len = strlen(text);

	assert(len <= max);
	for (size_t i = 0; i < len;) {
		unsigned point = 0;
		size_t n = str_utf8(text + i, len - i, &point);

		assert(n > 0);
		assert(point == '\n' || point == '\t' ||
			(point >= 0x20 && point != 0x7f && !str_hidden(point)));
		i += n;
	}
}

static void
check_again(const char *text)
{
	struct buf again = { 0 };

	summary_clean(&again, text, strlen(text));
	assert(streq(again.data ? again.data : "", text));
	buf_finish(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t limits[] = { 0, 300, 30000 };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		bool is_error;
		char *text = summary_of((const char *)data, size, limits[i], &is_error);

		assert(text);
		check(text, limits[i] > SUMMARY_LEAST ? limits[i] : SUMMARY_LEAST);
		check_again(text);
		free(text);
	}
	return 0;
}
