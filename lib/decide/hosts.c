/* SPDX-License-Identifier: Apache-2.0 */
/* Where a connection goes: denied hosts first, then net, then the allowed
 * ones. A pattern with a wildcard speaks of names, never of addresses or of
 * this machine: "*" is not a way to the loopback. */

#include <ambit/tool.h>

#include "base/str.h"
#include "decide/decide.h"
#include "request/host.h"

static bool
is_own_name(const char *host)
{
	size_t n = strlen(host);

	return streq(host, "localhost") || (n > 10 && streq(host + n - 10, ".localhost"));
}

static bool
any_matches(char *const *patterns, const char *host, int port)
{
	for (size_t i = 0; patterns && patterns[i]; i++)
		if (host_match(patterns[i], host, port) &&
			!(is_own_name(host) && strchr(patterns[i], '*')))
			return true;
	return false;
}

static bool
profile_allows(char *const *profiles, const char *host, int port)
{
	for (size_t i = 0; profiles && profiles[i]; i++) {
		const struct ambit_profile *profile = ambit_profile_find(profiles[i]);

		for (size_t j = 0; profile && profile->hosts && profile->hosts[j]; j++)
			if (host_match(profile->hosts[j], host, port) && !is_own_name(host))
				return true;
	}
	return false;
}

/* Denying is not picky about wildcards: they cover this machine as well. */
static bool
denied(char *const *patterns, const char *host, int port)
{
	for (size_t i = 0; patterns && patterns[i]; i++)
		if (host_match(patterns[i], host, port) || streq(patterns[i], "*"))
			return true;
	return false;
}

void
hosts_decide(struct decision *d)
{
	const struct decide_input *in = d->in;
	const struct settings_values *person = settings_person(in->settings);
	const struct settings_values *folder = settings_folder(in->settings);
	const char *host = in->request->host;
	int net = decision_mode(-1, person->net, folder->net, AMBIT_NET_ASK);
	int port = in->request->port;

	if (!host) {
		if (net == AMBIT_NET_NONE && (in->request->effects & AMBIT_NETWORK))
			decision_say(d, AMBIT_DENY, AMBIT_CODE_HOST_NOT_ALLOWED, true,
				"%s needs the network, which is off (net is none)",
				ambit_request_tool(in->request));
		return;
	}
	d->out->host = strchr(host, ':') ? str_printf(port ? "[%s]:%d" : "[%s]", host, port)
		: port			 ? str_printf("%s:%d", host, port)
					 : strdup(host);
	if (!d->out->host) {
		d->failed = -ENOMEM;
		return;
	}
	if (net == AMBIT_NET_NONE)
		decision_say(d, AMBIT_DENY, AMBIT_CODE_HOST_NOT_ALLOWED, true,
			"%s cannot be reached: the network is off (net is none)", d->out->host);
	else if (denied(person->deny_hosts, host, port) || denied(folder->deny_hosts, host, port))
		decision_say(d, AMBIT_DENY, AMBIT_CODE_HOST_NOT_ALLOWED, true,
			"%s is one of the denied hosts", d->out->host);
	else if (net == AMBIT_NET_OPEN || any_matches(person->allow_hosts, host, port) ||
		profile_allows(person->profiles, host, port))
		decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false, "%s is allowed", d->out->host);
	else {
		d->host_asked = true;
		decision_say(d, AMBIT_ASK, AMBIT_CODE_HOST_NOT_ALLOWED, false,
			host_is_local(host) || is_own_name(host)
				? "%s is on this machine or its network, and not among the allowed hosts"
				: "%s is not among the allowed hosts",
			d->out->host);
	}
}
