/* SPDX-License-Identifier: Apache-2.0 */
/* A layer behind memory: the multiplexer that the person's own terminals are in is a no, and nobody
 * is asked. Whoever may speak to it types into those terminals, outside the line; and agents ask it
 * for its options at every start. A rule that opens the socket has been heard by then. */

#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"
#include "request/host.h"

void
terminals_decide(struct decision *d)
{
	struct ambit_outcome *out = d->out;
	auto_free char *shown = NULL;

	if (out->verdict != AMBIT_ASK || !d->host_asked || !out->host ||
		!host_unix_is_multiplexer(out->host))
		return;
	shown = str_escape(out->host, strlen(out->host));
	decision_say(d, AMBIT_DENY, AMBIT_CODE_HOST_NOT_ALLOWED, false,
		"%s types into your terminals, so it is refused without a question",
		shown ? shown : "it");
	decision_hint_rule(d, "connect", out->host);
	out->quiet = true;
}
