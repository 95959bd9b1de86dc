/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_TALLY_H
#define RECORD_TALLY_H

#include "record/record-private.h"

/* Events that are counted instead of written one by one: see record_count in
 * record.h. One tally for each connection. */

#define TALLY_DETAIL 16	     /* so many of a kind are written before the rest is counted */
#define TALLY_DETAIL_ALL 256 /* of all kinds together; from then on TALLY_DETAIL_LATE */
#define TALLY_DETAIL_LATE 2
#define TALLY_QUIET_MS 600000	  /* after so long a pause they are written again */
#define TALLY_PLACES 48		  /* rows with a place of their own */
#define TALLY_WIDE 80		  /* then rows for the first two directories of it, up to here */
#define TALLY_ROWS 96		  /* then rows for everything elsewhere */
#define TALLY_WRITE_MS 5000	  /* counts are written so often at first, */
#define TALLY_SLOWER 64		  /* by as much less often after each so many of them, */
#define TALLY_WRITE_MAX_MS 300000 /* and at least so often */
#define TALLY_EVENT_BYTES 2048	  /* a larger body uses more of a session's share */

struct tally;

struct tally *tally_create(void);
void tally_destroy(struct tally *tally);
/* An event of this session was written: its number, and how long its body is. */
void tally_note(struct tally *tally, const char *session, int64_t seq, size_t body);

#endif
