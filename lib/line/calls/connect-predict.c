/* SPDX-License-Identifier: Apache-2.0 */
/* A host, from a person, becomes a made-up connect of this very process, which stands for the
 * command; from there on it goes the way of every held call, up to the decision. */

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/own.h"
#include "base/str.h"
#include "decide/destination.h"
#include "egress/dns/names.h"
#include "line/calls/connect-predict.h"
#include "line/calls/socket-peer.h"
#include "line/gate/gate-private.h"
#include "line/socket/socket-substitute.h"
#include "perform/act.h"
#include "request/host.h"

#define UNIX "unix:"

struct attempt {
	struct gate *gate;
	bool datagram;
	struct sockaddr_storage address;
	socklen_t len;
};

/* -- deciding ------------------------------------------------------------------------- */

static int
decide_request(struct gate *gate, struct ambit_request *request, const struct destination *to,
	struct gate_prediction *ret, struct ambit_error *err)
{
	int r;

	if (!request)
		return err_nomem(err);
	request_set_destination(request, to);
	r = ambit_engine_decide(gate->o.engine, request, &ret->outcome, err);
	ambit_request_destroy(request);
	return r;
}

/* The host that the call is about, if it came to nothing before that was decided. */
static char *
host_of_call(const struct call *call)
{
	const struct peer *peer = call->peer;

	if (peer->to.kind == ENDPOINT_INET)
		return endpoint_text(&peer->to);
	return str_printf(UNIX "%s", call->n_objects > 0 && call->object[0].real[0]
					     ? call->object[0].real
					     : peer->to.name);
}

static int
decide_call(struct call *call, int error, struct gate_prediction *ret, struct ambit_error *err)
{
	const struct peer *peer = call->peer;
	const struct destination *to = peer->facts;
	struct ambit_request *request;

	if (to->kind == DESTINATION_UNKNOWN || peer->reason == REASON_NOBODY)
		ret->error = error;
	if (!call->host)
		call->host = to->host ? strdup(to->host) : host_of_call(call);
	if (!call->host)
		return err_nomem(err);
	request = gate_make_request(call);
	return decide_request(
		call->gate, request, to->kind == DESTINATION_UNKNOWN ? NULL : to, ret, err);
}

static int
predict_call(const struct attempt *attempt, struct gate_prediction *ret, struct ambit_error *err)
{
	auto_free struct call *call = malloc(sizeof(*call));
	struct destination to = { 0 };
	auto_close int fd = socket(attempt->address.ss_family,
		(attempt->datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
	int r;

	/* No IPv6, for example: the host is decided by itself. */
	if (fd < 0) {
		ret->error = errno;
		return 0;
	}
	if (!call)
		return err_nomem(err);
	call_init(call);
	call->gate = attempt->gate;
	call->row = sys_find(SYS_connect);
	call->args[0] = (uint64_t)fd;
	call->args[1] = (uint64_t)(uintptr_t)&attempt->address;
	call->args[2] = attempt->len;
	call->round = ROUND_FIRST;
	call->peer = calloc(1, sizeof(*call->peer));
	target_init(&call->target, getpid());
	if (call->row && call->peer) {
		call->peer->facts = &to;
		r = call_op_of(call->row->op)->prepare(call);
		r = decide_call(call, r < 0 ? -r : 0, ret, err);
	} else {
		r = err_nomem(err);
	}
	free((char *)to.host);
	call_finish(call);
	return r;
}

/* -- addresses ----------------------------------------------------------------------------- */

static void
point_at_address(struct attempt *attempt, const struct dns_address *address, int port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&attempt->address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&attempt->address;

	memset(&attempt->address, 0, sizeof(attempt->address));
	attempt->address.ss_family = address->v6 ? AF_INET6 : AF_INET;
	attempt->len = address->v6 ? sizeof(*in6) : sizeof(*in);
	in->sin_port = htons((uint16_t)port); /* the same place in both families */
	if (address->v6)
		memcpy(&in6->sin6_addr, address->ip, sizeof(in6->sin6_addr));
	else
		memcpy(&in->sin_addr, address->ip, sizeof(in->sin_addr));
}

/* Programs try one address after the other: the first where a server listens counts. */
static int
predict_addresses(struct attempt *attempt, const struct dns_address *list, size_t n, int port,
	struct gate_prediction *ret, struct ambit_error *err)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0 && (i == 0 || ret->error == ECONNREFUSED); i++) {
		struct gate_prediction next = { 0 };

		point_at_address(attempt, &list[i], port);
		r = predict_call(attempt, &next, err);
		if (i > 0 && (r < 0 || next.error != 0)) {
			ambit_outcome_finish(&next.outcome);
			return 0;
		}
		ambit_outcome_finish(&ret->outcome);
		*ret = next;
	}
	return r;
}

/* A name that has to be looked up is not: the name is decided about, whatever it leads to. */
static int
predict_name(const struct attempt *attempt, const char *host, const char *name, int port,
	struct gate_prediction *ret, struct ambit_error *err)
{
	struct destination to = {
		.kind = DESTINATION_NAME,
		.host = host,
		.port = (uint16_t)port,
		.stream = !attempt->datagram,
		.connects = true,
		.by_name = attempt->gate->egress != NULL,
		.person = true,
		.n_names = 1,
	};
	struct ambit_request *request = NULL;

	if (strlen(name) >= sizeof(to.names[0]))
		return 0;
	memcpy(to.names[0], name, strlen(name) + 1);
	if (ambit_request_connect(host, &request, err) < 0)
		return err_nomem(err);
	request_set_held(request, true);
	return decide_request(attempt->gate, request, &to, ret, err);
}

/* 1: there is nothing to be found out. Port 0 is no host in a list, but a program can try it. */
static int
parse_host(const char *text, char **ret_name, int *ret_port)
{
	size_t len = strlen(text);
	auto_free char *bare = NULL;
	int r;

	if (len < 3 || !streq(text + len - 2, ":0") || text[len - 3] == ':')
		return host_parse(text, ret_name, ret_port) < 0 || *ret_port == 0;
	bare = strndup(text, len - 2);
	r = bare ? host_parse(bare, ret_name, ret_port) : -ENOMEM;
	return r < 0 || *ret_port != 0;
}

static int
predict_host(struct attempt *attempt, const char *host, struct gate_prediction *ret,
	struct ambit_error *err)
{
	static const struct dns_address loopback[] = {
		{ .ip = { 127, 0, 0, 1 } },
		{ .ip = { [15] = 1 }, .v6 = true },
	};
	struct dns_address list[DNS_ADDRESSES_MAX] = { 0 };
	auto_free char *name = NULL;
	size_t n = 1;
	int port;

	if (parse_host(host, &name, &port) != 0)
		return 0;
	if (host_is_localhost(name))
		return predict_addresses(attempt, loopback, 2, port, ret, err);
	list[0].v6 = strchr(name, ':') != NULL;
	if (inet_pton(list[0].v6 ? AF_INET6 : AF_INET, name, list[0].ip) != 1)
		n = names_hosts(name, list, DNS_ADDRESSES_MAX);
	if (n > 0)
		return predict_addresses(attempt, list, n, port, ret, err);
	return port != 0 ? predict_name(attempt, host, name, port, ret, err) : 0;
}

/* -- unix sockets ----------------------------------------------------------------------------- */

static int
predict_socket(struct attempt *attempt, const char *name, struct gate_prediction *ret,
	struct ambit_error *err)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&attempt->address;
	bool abstract = name[0] == '@';
	size_t len = strlen(name);

	if (len == 0 || (abstract && len == 1) || len >= sizeof(un->sun_path))
		return 0;
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, name, len);
	if (abstract)
		un->sun_path[0] = '\0';
	attempt->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + !abstract);
	return predict_call(attempt, ret, err);
}

/* -- all -----------------------------------------------------------------------------------------
 */

int
connect_predict(const struct gate_options *options, const char *host, bool datagram,
	struct gate_prediction *ret_prediction, struct ambit_error *err)
{
	struct gate gate = {
		.o = *options,
		.net = ambit_engine_net(options->engine),
		.network = endpoint_network(),
		.root = geteuid() == 0,
		.made = session_objects_create(),
		.images = images_create(),
		.substitutes = substitutes_create(),
	};
	struct attempt attempt = { .gate = &gate, .datagram = datagram };
	int r = act_thread(); /* the gate finds a socket without capabilities, too */

	*ret_prediction = (struct gate_prediction){ 0 };
	if (r < 0)
		r = err_sys(err, -r, "the rights of a command");
	else if (!gate.made || !gate.images || !gate.substitutes || gate_make_egress(&gate) < 0)
		r = err_nomem(err);
	else if (str_prefix(host, UNIX))
		r = predict_socket(&attempt, host + strlen(UNIX), ret_prediction, err);
	else
		r = predict_host(&attempt, host, ret_prediction, err);
	egress_destroy(gate.egress);
	session_objects_destroy(gate.made);
	images_destroy(gate.images);
	substitutes_destroy(gate.substitutes);
	if (r < 0)
		ambit_outcome_finish(&ret_prediction->outcome);
	return r;
}
