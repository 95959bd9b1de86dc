/* SPDX-License-Identifier: Apache-2.0 */
/* Errors are formatted once, where they happen, into the caller's struct.
 * Names in them come from outside, so control bytes are taken out here: one
 * error is one line, whatever a file is called. */

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

/* Cutting at the end of the buffer can leave half a character: that too is
 * made a '?', so that the text is UTF-8 whatever went in. */
static void
sanitize_error_text(char *text)
{
	size_t len = strlen(text);
	unsigned point;

	for (size_t i = 0; i < len;) {
		size_t n = str_utf8(text + i, len - i, &point);

		if (n == 0)
			text[i] = '?';
		else if (point < 0x20 || point == 0x7f || str_hidden(point))
			memset(text + i, '?', n);
		i += n > 0 ? n : 1;
	}
}

static int __attribute__((format(printf, 3, 0)))
fill(struct ambit_error *err, int code, const char *fmt, va_list ap)
{
	if (code <= 0)
		code = EINVAL;
	if (!err)
		return -code;
	err->code = code;
	if (vsnprintf(err->text, sizeof(err->text), fmt, ap) < 0)
		err->text[0] = '\0';
	sanitize_error_text(err->text);
	return -code;
}

int
err_set(struct ambit_error *err, int code, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = fill(err, code, fmt, ap);
	va_end(ap);
	return r;
}

int
err_sys(struct ambit_error *err, int code, const char *fmt, ...)
{
	va_list ap;
	size_t len;
	int r;

	va_start(ap, fmt);
	r = fill(err, code, fmt, ap);
	va_end(ap);
	if (err) {
		len = strlen(err->text);
		snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(err->code));
		sanitize_error_text(err->text);
	}
	return r;
}

int
err_context(struct ambit_error *err, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list ap;
	size_t len;

	if (!err)
		return -EINVAL;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	if (vsnprintf(err->text, sizeof(err->text), fmt, ap) < 0)
		err->text[0] = '\0';
	va_end(ap);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", old);
	sanitize_error_text(err->text);
	return err->code > 0 ? -err->code : -EINVAL;
}

int
err_nomem(struct ambit_error *err)
{
	return err_set(err, ENOMEM, "out of memory");
}
