/* SPDX-License-Identifier: Apache-2.0 */
/* --limit WHAT=N, into what a command may use. What would not be held is refused. */

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <ambit/limits.h>

#include "cli.h"
#include "out.h"

#include "base/own.h"
#include "base/str.h"

static const struct limit_row {
	const char *name;
	size_t offset;
} limit_rows[] = {
	{ "cpu=", offsetof(struct ambit_limits, cpu_seconds) },
	{ "memory=", offsetof(struct ambit_limits, memory) },
	{ "processes=", offsetof(struct ambit_limits, processes) },
	{ "file-size=", offsetof(struct ambit_limits, file_size) },
};

static int
parse_amount(const char *text, uint64_t *ret_amount)
{
	static const char units[] = "KMGT";
	const char *end = text + strspn(text, "0123456789"),
		   *unit = *end ? strchr(units, *end) : NULL;
	auto_free char *digits = strndup(text, (size_t)(end - text));
	int shift = unit ? 10 * (int)(unit - units + 1) : 0;
	int64_t amount;

	if (!digits || (*end && (!unit || end[1])))
		return -EINVAL;
	if (when_number(digits, (INT64_MAX / 2) >> shift, &amount) < 0 || amount < 1)
		return -EINVAL;
	*ret_amount = (uint64_t)amount << shift;
	return 0;
}

static int
parse_limit(struct ambit_limits *limits, const char *text, struct ambit_error *err)
{
	for (size_t i = 0; i < sizeof(limit_rows) / sizeof(limit_rows[0]); i++) {
		const struct limit_row *row = &limit_rows[i];

		if (str_prefix(text, row->name) &&
			parse_amount(text + strlen(row->name),
				(uint64_t *)((char *)limits + row->offset)) == 0)
			return 0;
	}
	return usage(err,
		"--limit: '%s' is none of cpu=SECONDS, memory=BYTES, processes=N, file-size=BYTES "
		"(K, M, G behind a number)",
		text);
}

int
limits_parse(const struct args *args, struct ambit_limits *limits, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < args->n_given; i++)
		if (args->given[i].opt == OPT_LIMIT)
			r = parse_limit(limits, args->given[i].value, err);
	/* Whatever root runs is exempt, with all capabilities dropped too. */
	if (r == 0 && limits->processes != 0 && geteuid() == 0)
		r = usage(err, "--limit: the kernel holds root to no number of processes; leave "
			       "processes=N out, or be another user");
	return r;
}
