/* SPDX-License-Identifier: Apache-2.0 */
/* The table of those who can answer, in the order of their stages. */

#include <stddef.h>

#include "ask/desk/channel-rows.h"
#include "base/program.h"
#include "base/str.h"

static const struct channel_row rows[] = {
	{
		.name = "judge",
		.where = "by the judge",
		.stage = DESK_JUDGE,
		.room = 8, /* each is a program that runs */
	},
	{
		.name = "tty",
		.where = "on the terminal",
		.stage = DESK_PERSON,
		.room = 1,
	},
	{
		.name = "watch",
		.where = "in ambit watch",
		.stage = DESK_PERSON,
	},
	{
		.name = "exec",
		.where = "by a program",
		.stage = DESK_PERSON,
		.room = 1,
		.limited = true, /* it can hang */
	},
	{
		/* The server that started this run, which asks its own client and has the limit. */
		.name = "client",
		.where = "in the client",
		.stage = DESK_PERSON,
		.room = 1,
	},
	{
		.name = "mcp",
		.where = "in the client",
		.stage = DESK_PERSON,
		.limited = true,
	},
	{
		.name = "serve",
		.where = "in the client",
		.stage = DESK_PERSON,
		.limited = true,
	},
	{
		.name = "caller",
		.where = "elsewhere",
		.stage = DESK_PERSON,
		.room = 1,
		.limited = true,
	},
};

#define ROWS_N (sizeof(rows) / sizeof(rows[0]))

const struct channel_row *
channel_row_find(const char *name)
{
	size_t i = 0;

	while (i < ROWS_N - 1 && !streq(rows[i].name, name))
		i++;
	return &rows[i];
}

int64_t
channel_row_expires(const struct channel_row *row, int64_t expires, int64_t timeout)
{
	int64_t until = clock_now() + timeout;

	if (!row->limited || (expires != 0 && expires < until))
		return expires;
	return until;
}
