/* SPDX-License-Identifier: Apache-2.0 */
/* Where a connection goes: denied hosts first, then net, then the allowed
 * ones. A pattern with a wildcard speaks of names, never of addresses or of
 * this machine: "*" is not a way to the loopback. A unix socket is no network:
 * net says nothing about it, and it is asked as what it is, a way out. */

#include <fcntl.h>
#include <stdlib.h>

#include <ambit/tool.h>

#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"
#include "request/host.h"
#include "request/request-private.h"
#include "scope/profile.h"

static bool
any_matches(char *const *patterns, const char *host, int port)
{
	for (size_t i = 0; patterns && patterns[i]; i++)
		if (host_match(patterns[i], host, port) &&
			!((host_is_localhost(host) || host_is_long(host)) &&
				strchr(patterns[i], '*')))
			return true;
	return false;
}

static bool
profile_allows(char *const *profiles, const char *host, int port)
{
	for (size_t i = 0; profiles && profiles[i]; i++) {
		const struct profile *profile = profile_find(profiles[i]);

		for (size_t j = 0; profile && profile->hosts && profile->hosts[j]; j++)
			if (host_match(profile->hosts[j], host, port) && !host_is_localhost(host) &&
				!host_is_long(host))
				return true;
	}
	return false;
}

/* Denying is not picky about wildcards: they cover this machine as well. */
static bool
is_denied_host(char *const *patterns, const char *host, int port)
{
	for (size_t i = 0; patterns && patterns[i]; i++)
		if (host_match_no(patterns[i], host, port) || streq(patterns[i], "*"))
			return true;
	return false;
}

enum ambit_net
decision_net(const struct ambit_settings *settings)
{
	return (enum ambit_net)decision_mode(
		-1, settings_person(settings)->net, settings_folder(settings)->net, AMBIT_NET_ASK);
}

enum finding {
	HOST_PROTECTED = 0,
	HOST_OFF,
	HOST_DENIED,
	HOST_SOCKET,
	HOST_NEAR,
	HOST_LONG,
	HOST_FAR,
	HOST_ALLOWED,
};

static const struct {
	enum ambit_verdict verdict;
	enum ambit_code code;
	bool hard;
	const char *text; /* after the host */
} findings[] = {
	[HOST_PROTECTED] = { AMBIT_DENY, AMBIT_CODE_PROTECTED, true, "is ambit's own" },
	[HOST_OFF] = { AMBIT_DENY, AMBIT_CODE_HOST_NOT_ALLOWED, true,
		"cannot be reached: the network is off (net is none)" },
	[HOST_DENIED] = { AMBIT_DENY, AMBIT_CODE_HOST_NOT_ALLOWED, true,
		"is one of the denied hosts" },
	[HOST_SOCKET] = { AMBIT_ASK, AMBIT_CODE_HOST_NOT_ALLOWED, false,
		"is a socket that this session did not make" },
	[HOST_NEAR] = { AMBIT_ASK, AMBIT_CODE_HOST_NOT_ALLOWED, false,
		"is on this machine or its network, and not among the allowed hosts" },
	[HOST_LONG] = { AMBIT_ASK, AMBIT_CODE_HOST_NOT_ALLOWED, false,
		"is too long to be covered by a wildcard: such a name can carry data" },
	[HOST_FAR] = { AMBIT_ASK, AMBIT_CODE_HOST_NOT_ALLOWED, false,
		"is not among the allowed hosts" },
	[HOST_ALLOWED] = { AMBIT_ALLOW, AMBIT_CODE_NONE, false, "is allowed" },
};

/* ambit's own sockets and record, by a real path. */
static bool
is_own(const struct decide_input *in, const char *path)
{
	struct path_facts at = { .real = (char *)path, .written = (char *)path };

	return scope_protects(in->scope, &at, AMBIT_ACCESS_READ) != NULL;
}

static enum finding
classify_host(const struct decide_input *in, const char *host, int port)
{
	const struct settings_values *person = settings_person(in->settings);
	const struct settings_values *folder = settings_folder(in->settings);
	const char *path = host_unix_path(host);
	enum ambit_net net = decision_net(in->settings);
	bool socket = host_is_unix(host);
	/* A no for one port is no reason not to know the address. */
	int open = in->request->lookup ? HOST_PORT_ANY : port;

	if (path && is_own(in, path))
		return HOST_PROTECTED;
	if (net == AMBIT_NET_NONE && !socket)
		return HOST_OFF;
	if (is_denied_host(person->deny_hosts, host, port) ||
		is_denied_host(folder->deny_hosts, host, port))
		return HOST_DENIED;
	if ((net == AMBIT_NET_OPEN && !socket) || any_matches(person->allow_hosts, host, open) ||
		profile_allows(person->profiles, host, open) ||
		profile_allows(in->opened, host, open))
		return HOST_ALLOWED;
	if (socket)
		return HOST_SOCKET;
	if (host_is_long(host))
		return HOST_LONG;
	return host_is_local(host) || host_is_localhost(host) ? HOST_NEAR : HOST_FAR;
}

/* A path from a tool call may lead through links to ambit's own. A glance is about a socket that
 * the line resolved, and must not wait for a mount. */
static bool
leads_to_own(const struct decide_input *in, const char *host)
{
	const char *path = host_unix_path(host);
	struct path_facts at;
	bool own;

	if (!path || resolve_path(AT_FDCWD, "/", path, strlen(path), true, &at, NULL) < 0)
		return false;
	own = is_own(in, at.real);
	resolved_finish(&at);
	return own;
}

/* What the server of a unix socket can do. If the socket's name does not tell, also which program
 * the server is. */
static char *
describe_socket(const struct ambit_request *request, const char *host)
{
	const char *text = host_unix_text(host), *name = request->server;
	auto_free char *safe = name ? str_escape(name, strlen(name)) : NULL;

	if (!name || !streq(text, HOST_UNIX_UNKNOWN))
		return strdup(text);
	return safe ? str_printf("%s (pid %d) acts on what it is sent, and ambit does not hold it",
			      safe, (int)request->server_pid)
		    : NULL;
}

static void
report_finding(struct decision *d, enum finding found, const char *host)
{
	auto_free char *shown = str_escape(d->out->host, strlen(d->out->host));
	bool socket = found == HOST_SOCKET;
	auto_free char *can = socket ? describe_socket(d->in->request, host) : strdup("");

	if (!shown || !can) {
		d->failed = -ENOMEM;
		return;
	}
	d->host_asked = findings[found].verdict == AMBIT_ASK;
	d->net_off = found == HOST_OFF;
	decision_say(d, findings[found].verdict, findings[found].code, findings[found].hard,
		"%s %s%s%s", shown, findings[found].text, socket ? ": " : "", can);
}

void
hosts_decide(struct decision *d)
{
	const struct decide_input *in = d->in;
	const char *host = in->request->host;
	int port = in->request->port;

	if (!host) {
		if (decision_net(in->settings) == AMBIT_NET_NONE &&
			(in->request->effects & AMBIT_NETWORK))
			decision_say(d, AMBIT_DENY, AMBIT_CODE_HOST_NOT_ALLOWED, true,
				"%s needs the network, which is off (net is none)",
				request_tool(in->request));
		return;
	}
	if (strchr(host, ':') && !host_is_unix(host))
		d->out->host = str_printf(port ? "[%s]:%d" : "[%s]", host, port);
	else
		d->out->host = port ? str_printf("%s:%d", host, port) : strdup(host);
	if (!d->out->host)
		d->failed = -ENOMEM;
	else
		report_finding(d,
			!d->silent && leads_to_own(in, host) ? HOST_PROTECTED
							     : classify_host(in, host, port),
			host);
}
