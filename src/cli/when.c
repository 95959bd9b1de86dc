/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a person's words for time and number into milliseconds and integers.
 * What is not wholly understood is refused. */

#include <errno.h>
#include <stdint.h>
#include <time.h>

#include "out.h"

#include "base/ascii.h"
#include "base/str.h"

#define YEARS_100 (100LL * 366 * 24 * 3600 * 1000)

static int
parse_digits(const char **text, int64_t max, int64_t *ret_number)
{
	int64_t n = 0;
	const char *at = *text;

	for (; ascii_is_digit(*at); at++) {
		n = n * 10 + (*at - '0');
		if (n > max)
			return -ERANGE;
	}
	if (at == *text)
		return -EINVAL;
	*text = at;
	*ret_number = n;
	return 0;
}

int
when_number(const char *text, int64_t max, int64_t *ret_number)
{
	int64_t n;
	int r = parse_digits(&text, max, &n);

	if (r < 0 || *text != '\0' || n < 1)
		return r < 0 ? r : -EINVAL;
	*ret_number = n;
	return 0;
}

int
when_duration(const char *text, int64_t *ret_ms)
{
	static const struct {
		char letter;
		int64_t ms;
	} units[] = {
		{ 's', 1000 },
		{ 'm', 60 * 1000 },
		{ 'h', 3600 * 1000 },
		{ 'd', 24 * 3600 * 1000 },
		{ 'w', 7 * 24 * 3600 * 1000 },
	};
	int64_t n;
	int r = parse_digits(&text, 1000000000, &n);

	if (r < 0 || n < 1 || text[0] == '\0' || text[1] != '\0')
		return r < 0 ? r : -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i].letter == text[0]) {
			if (n > YEARS_100 / units[i].ms)
				return -ERANGE;
			*ret_ms = n * units[i].ms;
			return 0;
		}
	return -EINVAL;
}

int
when_since(const char *text, int64_t now, int64_t *ret_time)
{
	static const char *const forms[] = {
		"%Y-%m-%d",
		"%Y-%m-%dT%H:%M",
		"%Y-%m-%d %H:%M",
		"%Y-%m-%dT%H:%M:%S",
		"%Y-%m-%d %H:%M:%S",
	};
	int64_t ago;

	if (when_duration(text, &ago) == 0) {
		*ret_time = now > ago ? now - ago : 1;
		return 0;
	}
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm parts = { .tm_isdst = -1 };
		const char *end = strptime(text, forms[i], &parts);
		time_t seconds;

		if (end == NULL || *end != '\0')
			continue;
		seconds = mktime(&parts);
		if (seconds < 0)
			return -EINVAL;
		*ret_time = (int64_t)seconds * 1000;
		return 0;
	}
	return -EINVAL;
}
