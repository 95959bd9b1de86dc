/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a destination become a route: whether it is decided at all, about which host, and by
 * which way the call goes. A session's own sockets are free, a port that nobody has needs no
 * question, and names are decided in place of the addresses that they led to. The facts are the
 * kernel's, as the line found them; a port number alone proves nothing. */

#include <errno.h>
#include <stdlib.h>

#include "base/own.h"
#include "base/str.h"
#include "decide/decide.h"
#include "decide/destination.h"
#include "request/host.h"
#include "request/request-private.h"

/* -- tables ------------------------------------------------------------------------- */

enum port_kind {
	PORT_PLAIN = 0,
	PORT_NAMELESS, /* its protocol says no name, so only the address can be looked at */
	PORT_NAMED,    /* its protocol nearly always says a name first: that is waited for */
	PORT_HIDDEN,   /* its protocol hides the name */
	PORT_IDLE,     /* it serves nothing: programs look by which way they would go */
};

#define PORT_DNS 53

static const struct {
	uint16_t port;
	bool stream;
	enum port_kind kind;
	const char *reason;
} ports[] = {
	{ 22, true, PORT_NAMELESS, "ssh says no name that could be checked" },
	{ 873, true, PORT_NAMELESS, "rsync says no name that could be checked" },
	{ 3690, true, PORT_NAMELESS, "svn says no name that could be checked" },
	{ 9418, true, PORT_NAMELESS, "git says no name that could be checked" },
	{ 80, true, PORT_NAMED, "HTTP says the host in its request" },
	{ 443, true, PORT_NAMED, "TLS says the name in its hello" },
	{ 8080, true, PORT_NAMED, "HTTP says the host in its request" },
	{ 8443, true, PORT_NAMED, "TLS says the name in its hello" },
	{ 443, false, PORT_HIDDEN, "QUIC hides the name, and without it programs use TCP" },
	{ 9, false, PORT_IDLE, "port 9 (discard) serves nothing" },
	{ 65535, false, PORT_IDLE, "port 65535 serves nothing" },
};

/* Services that look up names for every program. They are closed while ambit decides about names:
 * the C library then asks a name server, and ambit is that server. */
static const char *const resolver_sockets[] = {
	"unix:/run/systemd/resolve/io.systemd.Resolve",
	"unix:/run/nscd/socket",
};

/* Settled: nothing else is asked about it. Otherwise the host is decided as well. */
static const struct {
	const char *layer;
	enum ambit_verdict verdict;
	enum ambit_code code;
	bool settled;
	bool far;
	enum route_way way;
	int error;
	enum port_kind port; /* whose reason is told, too */
	const char *text;    /* after the host */
} reasons[REASON_N] = {
	[REASON_SESSION] = {
		.layer = "session",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.settled = true,
		.way = ROUTE_DIRECT,
		.text = "is a socket that this session made for itself",
	},
	[REASON_AMBIT] = {
		.layer = "ambit",
		.code = AMBIT_CODE_PROTECTED,
		.settled = true,
		.error = ECONNREFUSED,
		.text = "is a port of ambit's own: it answers as if nobody had it",
	},
	[REASON_PROXY] = {
		.layer = "ambit",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.settled = true,
		.way = ROUTE_PROXY,
		.text = "is ambit's proxy, which decides about each host that it is asked for",
	},
	[REASON_STUB] = {
		.layer = "resolver",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.settled = true,
		.far = true,
		.way = ROUTE_STUB,
		.text = "is a name server: ambit answers in its place, and decides about each name",
	},
	[REASON_RESOLVER] = {
		.layer = "resolver",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.settled = true,
		.far = true,
		.way = ROUTE_DIRECT,
		.text = "looks names up, and this session decides about no name",
	},
	[REASON_RESOLVER_SOCKET] = {
		.layer = "resolver",
		.code = AMBIT_CODE_HOST_NOT_ALLOWED,
		.settled = true,
		.error = ECONNREFUSED,
		.text = "looks names up past ambit, so it answers as if nobody had it: programs "
			"then ask a name server",
	},
	[REASON_NOBODY] = {
		.layer = "nobody",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.error = ECONNREFUSED,
		.text = "is nobody's now: the connection is refused by itself, and nobody is asked",
	},
	[REASON_LOST] = {
		.layer = "nobody",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.settled = true,
		.way = ROUTE_NOWHERE,
		.text = "is nobody's now: what is sent there is lost",
	},
	[REASON_LOOK] = {
		.layer = "names",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.settled = true,
		.way = ROUTE_MUTE,
		.port = PORT_IDLE,
		.text = "is connected to only to see the way there: nothing can be sent",
	},
	[REASON_QUIC] = {
		.layer = "names",
		.code = AMBIT_CODE_HOST_NOT_ALLOWED,
		.settled = true,
		.error = ECONNREFUSED,
		.port = PORT_HIDDEN,
		.text = "is not reached by UDP",
	},
	[REASON_SAYS] = {
		.layer = "names",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.way = ROUTE_RELAY,
		.port = PORT_NAMED,
		.text = "is an address that no name led to: the name that the program says first "
			"is decided, and the address if it says none",
	},
	[REASON_NAME] = {
		.layer = "names",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.far = true,
		.way = ROUTE_RELAY,
		.port = PORT_NAMED,
		.text = "goes through ambit, which checks that the program says this name",
	},
	[REASON_NAMELESS] = {
		.layer = "names",
		.verdict = AMBIT_ALLOW,
		.code = AMBIT_CODE_NONE,
		.far = true,
		.way = ROUTE_DIRECT,
		.port = PORT_NAMELESS,
		.text = "is decided by the name that led there, and not looked into",
	},
};

static enum port_kind
find_port(const struct destination *to, const char **ret_reason)
{
	*ret_reason = NULL;
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (ports[i].port == to->port && ports[i].stream == to->stream) {
			*ret_reason = ports[i].reason;
			return ports[i].kind;
		}
	return PORT_PLAIN;
}

static enum port_kind
port_kind(const struct destination *to)
{
	const char *reason;

	return find_port(to, &reason);
}

/* -- hosts ---------------------------------------------------------------------------- */

/* A policy reads whole requests, so its no is heard only with words. */
static enum ambit_verdict
decide_with_words(const struct decide_input *in, const char *host)
{
	struct ambit_request *request = NULL;
	struct decide_input one = *in;
	struct ambit_outcome outcome;
	enum ambit_verdict verdict;

	if (ambit_request_connect(host, &request, NULL) < 0)
		return AMBIT_DENY;
	one.request = request;
	decide(&one, &outcome, NULL);
	verdict = outcome.verdict;
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
	return verdict == AMBIT_DENY ? AMBIT_DENY : AMBIT_ASK;
}

/* The verdict of settings, rules and policies about a host, for no process in particular. */
static enum ambit_verdict
decide_host(const struct decide_input *in, const char *host)
{
	auto_free char *name = NULL;
	struct ambit_request request;
	struct decide_input one = *in;
	enum ambit_verdict verdict;

	request_begin_at(&request, "connect");
	if (host_parse(host, &name, &request.port) < 0)
		return AMBIT_DENY;
	request.host = name;
	one.request = &request;
	verdict = decide_verdict(&one);
	return verdict == AMBIT_ASK && policy_is_set(in) ? decide_with_words(in, host) : verdict;
}

static int
route_settled(enum route_reason reason, struct route *ret)
{
	ret->reason = reason;
	ret->way = reasons[reason].way;
	ret->error = reasons[reason].error;
	ret->far = reasons[reason].far;
	ret->verdict = ret->way == ROUTE_CLOSED ? AMBIT_DENY : AMBIT_ALLOW;
	return 0;
}

/* The host decides; what is known of it already need not be found out again. */
static int
route_by_host(const char *host, enum ambit_verdict verdict, struct route *ret)
{
	ret->verdict = verdict;
	ret->way = ROUTE_DIRECT;
	ret->far = true;
	ret->host = strdup(host);
	return ret->host ? 0 : -ENOMEM;
}

static char *
join_port(const struct destination *to, size_t name)
{
	return to->port ? str_printf("%s:%u", to->names[name], to->port) : strdup(to->names[name]);
}

/* Takes the first name that is allowed, else the one that the address was given for last. */
static int
route_by_name(const struct decide_input *in, const struct destination *to, enum route_reason reason,
	struct route *ret)
{
	ret->reason = reason;
	ret->way = reasons[reason].way;
	ret->far = true;
	for (size_t i = 0; i < to->n_names && ret->verdict != AMBIT_ALLOW; i++) {
		auto_free char *host = join_port(to, i);
		enum ambit_verdict said;

		if (!host)
			return -ENOMEM;
		said = decide_host(in, host);
		if (i > 0 && said != AMBIT_ALLOW)
			continue;
		free(ret->host);
		ret->host = steal_ptr(&host);
		ret->verdict = said;
		ret->name = (int)i;
	}
	return 0;
}

/* -- addresses ---------------------------------------------------------------------------- */

bool
destination_needs_look(const struct destination *to)
{
	return to->kind == DESTINATION_ADDRESS && to->same_network && !to->looked &&
	       (!to->stream || to->loopback || to->port == 0 || to->port == PORT_DNS);
}

static bool
is_any_host_allowed(const struct decide_input *in)
{
	const struct settings_values *person = settings_person(in->settings);

	if (strv_len(person->allow_hosts) + strv_len(person->profiles) + strv_len(in->opened) > 0)
		return true;
	for (size_t i = 0; i < in->n_rules; i++)
		if (in->rules[i].yes && in->rules[i].op == AMBIT_OP_CONNECT)
			return true;
	return false;
}

static int
route_stream(const struct decide_input *in, const struct destination *to, enum ambit_verdict said,
	struct route *ret)
{
	bool open = decision_net(in->settings) == AMBIT_NET_OPEN;
	enum port_kind kind = port_kind(to);

	if (to->n_names > 0)
		return route_by_name(
			in, to, open || kind == PORT_NAMELESS ? REASON_NAMELESS : REASON_NAME, ret);
	/* If no host can be allowed, the connect is refused, not what it would say later. */
	if (!open && kind == PORT_NAMED && (to->person || is_any_host_allowed(in)))
		return route_settled(REASON_SAYS, ret);
	return route_by_host(to->host, said, ret);
}

static int
route_datagram(const struct destination *to, enum ambit_verdict said, struct route *ret)
{
	enum port_kind kind = port_kind(to);

	if (to->n_names > 0 && kind == PORT_HIDDEN) {
		route_settled(REASON_QUIC, ret);
		/* A connect sends nothing, and programs look by it. */
		if (to->connects) {
			ret->way = ROUTE_MUTE;
			ret->error = 0;
			ret->verdict = AMBIT_ALLOW;
		}
		return 0;
	}
	if (to->n_names > 0 && kind == PORT_IDLE && to->connects)
		return route_settled(REASON_LOOK, ret);
	return route_by_host(to->host, said, ret);
}

/* A yes or no to the address itself holds whatever name led to it, and no name covers an address
 * that is near. A program that was given several addresses looks by which way each would go, also
 * those that are near or refused. */
static int
route_far(const struct decide_input *in, const struct destination *to, struct route *ret)
{
	enum ambit_verdict said = decide_host(in, to->host);
	bool open = decision_net(in->settings) == AMBIT_NET_OPEN;

	if (!to->by_name || (said == AMBIT_ALLOW && !open))
		return route_by_host(to->host, said, ret);
	/* With net open nobody would be asked, and it may be more than a look. */
	if (to->looks && (said == AMBIT_DENY || !open))
		return route_settled(REASON_LOOK, ret);
	if (said == AMBIT_DENY || to->near)
		return route_by_host(to->host, said, ret);
	return to->stream ? route_stream(in, to, said, ret) : route_datagram(to, said, ret);
}

/* Nobody can have port 0 here. Elsewhere somebody may listen for it all the same: the socket is for
 * looking alone, then. */
static int
route_port_zero(const struct decide_input *in, const struct destination *to, struct route *ret)
{
	if (to->here)
		return route_settled(to->stream ? REASON_NOBODY : REASON_LOST, ret);
	if (!to->stream && to->connects)
		return route_settled(REASON_LOOK, ret);
	return route_by_host(to->host, decide_host(in, to->host), ret);
}

/* A program that looked up a name connects a datagram socket to each address, to see which of its
 * own addresses it would use. It sends nothing, so no person is asked. Later sends by such a socket
 * are not seen, so it gets a peer that never hears anything, unless the port is allowed whoever has
 * it. */
static int
route_nobody(const struct decide_input *in, const struct destination *to, struct route *ret)
{
	if (to->stream)
		return route_settled(REASON_NOBODY, ret);
	if (to->connects && decide_host(in, to->host) == AMBIT_ALLOW)
		return route_by_host(to->host, AMBIT_ALLOW, ret);
	return route_settled(REASON_LOST, ret);
}

static int
route_address(const struct decide_input *in, const struct destination *to, struct route *ret)
{
	enum ambit_net net = decision_net(in->settings);

	if (to->same_network && !to->looked) {
		if (destination_needs_look(to) || net == AMBIT_NET_OPEN ||
			decide_host(in, to->host) != AMBIT_ALLOW)
			return 1;
		return route_by_host(to->host, AMBIT_ALLOW, ret);
	}
	if (!to->same_network)
		return route_by_host(to->host, decide_host(in, to->host), ret);
	if (to->port == 0)
		return route_port_zero(in, to, ret);
	if (to->here && to->service != SERVICE_NONE)
		return route_settled(
			to->service == SERVICE_PROXY ? REASON_PROXY : REASON_AMBIT, ret);
	if (to->here && to->owner == OWNER_SESSION)
		return route_settled(REASON_SESSION, ret);
	/* Nobody needs to be there: in some containers the packets are led elsewhere. */
	if (net != AMBIT_NET_NONE && to->resolver)
		return route_settled(to->by_name ? REASON_STUB : REASON_RESOLVER, ret);
	/* Programs knock until their server is up: no question. */
	if (to->here && to->owner == OWNER_NOBODY)
		return route_nobody(in, to, ret);
	if (to->here)
		return route_by_host(to->host, decide_host(in, to->host), ret);
	return route_far(in, to, ret);
}

/* -- unix sockets ------------------------------------------------------------------------- */

static bool
is_resolver_socket(const char *host)
{
	for (size_t i = 0; i < sizeof(resolver_sockets) / sizeof(resolver_sockets[0]); i++)
		if (streq(host, resolver_sockets[i]))
			return true;
	return false;
}

static int
route_socket(const struct decide_input *in, const struct destination *to, struct route *ret)
{
	enum ambit_verdict said;

	if (to->owner != OWNER_OTHERS)
		return route_settled(
			to->owner == OWNER_SESSION ? REASON_SESSION : REASON_NOBODY, ret);
	said = decide_host(in, to->host);
	if (!is_resolver_socket(to->host) || said == AMBIT_ALLOW)
		return route_by_host(to->host, said, ret);
	if (decision_net(in->settings) == AMBIT_NET_OPEN && !to->by_name)
		return route_settled(REASON_RESOLVER, ret);
	return route_settled(REASON_RESOLVER_SOCKET, ret);
}

int
destination_decide(
	const struct decide_input *in, const struct destination *to, struct route *ret_route)
{
	*ret_route = (struct route){ .name = -1 };
	if (!to->host)
		return -EINVAL;
	switch (to->kind) {
	case DESTINATION_ADDRESS:
		return route_address(in, to, ret_route);
	case DESTINATION_NAME:
		if (!to->by_name)
			return route_by_host(to->host, decide_host(in, to->host), ret_route);
		return to->stream ? route_stream(in, to, AMBIT_ASK, ret_route)
				  : route_datagram(to, AMBIT_ASK, ret_route);
	case DESTINATION_PATH:
	case DESTINATION_ABSTRACT:
		return route_socket(in, to, ret_route);
	case DESTINATION_UNKNOWN:
		break;
	}
	return route_by_host(to->host, AMBIT_DENY, ret_route);
}

/* -- the layer ------------------------------------------------------------------------------ */

static void
say_reason(struct decision *d, const char *host, enum route_reason reason, const char *port)
{
	auto_free char *shown = str_escape(host, strlen(host));
	const char *layer = d->layer;

	if (!shown) {
		d->failed = -ENOMEM;
		return;
	}
	d->layer = reasons[reason].layer;
	decision_say(d, reasons[reason].verdict, reasons[reason].code, reasons[reason].settled,
		"%s %s%s%s", shown, reasons[reason].text, port ? ": " : "", port ? port : "");
	d->layer = layer;
}

/* No other layer speaks of it. */
static void
end_decision(struct decision *d, const char *host)
{
	d->ended = true;
	d->out->host = strdup(host);
	if (!d->out->host)
		d->failed = -ENOMEM;
}

void
destinations_decide(struct decision *d)
{
	const struct destination *to = d->in->request->to;
	struct route route = { 0 };
	const char *host, *port;
	int r = to ? destination_decide(d->in, to, &route) : 1;

	if (r < 0)
		d->failed = r;
	if (r == 0 && route.reason != REASON_HOST) {
		host = route.host ? route.host : to->host;
		if (find_port(to, &port) != reasons[route.reason].port)
			port = NULL;
		say_reason(d, host, route.reason, port);
		if (reasons[route.reason].settled)
			end_decision(d, host);
	}
	free(route.host);
}
