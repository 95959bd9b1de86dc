/* SPDX-License-Identifier: Apache-2.0 */
/* A layer behind memory: the multiplexer that the person's own terminals are in is a no, and nobody
 * is asked. Whoever may speak to it types into those terminals, outside the line; and agents ask it
 * for its options at every start. A rule that opens the socket has been heard by then. */

#include <stdlib.h>

#include "base/str.h"
#include "decide/decide.h"
#include "request/host.h"

bool
terminals_are_meant(const struct decision *d)
{
	return d->out->host && host_unix_is_multiplexer(d->out->host);
}

void
terminals_decide(struct decision *d)
{
	struct ambit_outcome *out = d->out;

	if (out->verdict != AMBIT_ASK || !d->host_asked || !terminals_are_meant(d))
		return;
	decision_say(d, AMBIT_DENY, AMBIT_CODE_HOST_NOT_ALLOWED, false,
		"%s: it types into your terminals: refused without a question", out->host);
	free(out->hint);
	out->hint = str_printf(
		"Go on without it. A person can open it: ambit rules add connect %s", out->host);
	if (!out->hint)
		d->failed = -ENOMEM;
}
