/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASK_DESK_CHANNEL_ROWS_H
#define ASK_DESK_CHANNEL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* Everybody who can answer a question, one row each. A new channel needs a row here and a
 * struct desk_channel_type where it is implemented. */

/* In this order. All channels of a stage are asked at once; the next stage comes when all of
 * them have passed, or when none is there. */
enum desk_stage {
	DESK_JUDGE = 0,
	DESK_PERSON,
	DESK_STAGES,
};

struct channel_row {
	const char *name;  /* its answers are recorded under this name */
	const char *where; /* for people, after "allowed" or "refused": "in ambit watch" */
	enum desk_stage stage;
	/* How many questions it shows at once; 0: any number. If there is a limit, the channel
	 * calls desk_ready when it has done with one. A client's own channel has no limit. */
	unsigned room;
	bool limited; /* it is offered a question for client_timeout seconds, no longer */
};

/* Until when such a channel is asked, in milliseconds since the epoch; 0: no limit. expires: until
 * when the question is open at all; timeout: of those that are limited. */
int64_t channel_row_expires(const struct channel_row *row, int64_t expires, int64_t timeout);
/* The row with this name; of a name without one, the last row: somebody's own approver. */
const struct channel_row *channel_row_find(const char *name);

#endif
