/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIVE_LINK_H
#define LIVE_LINK_H

#include <jansson.h>
#include <stdint.h>

#include "live/live.h"

/* The halves of a call, for whoever makes many at once; times are of clock_steady. */

/* Names the process for what it is: see live-peer.c. */
void link_rename(void);
/* -errno. */
int link_open_at(int dir, const char *name, struct link **ret_link);
int link_send(struct link *link, const char *method, const char *params, int64_t until,
	struct ambit_error *err);
/* The reply to what was sent last. */
int link_reply(struct link *link, int64_t until, json_t **ret_result, struct ambit_error *err);

#endif
