/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of lib/decide/destination.c: facts and settings in, a route out. */

#include <errno.h>

#include "decide/destination.h"
#include "engine/engine-private.h"
#include "engine/line.h"
#include "engine-rig.h"
#include "perform/permit.h"
#include "request/request-object.h"

/* A stream to an address elsewhere, as the line finds it. */
static struct destination
far_stream(const char *host, uint16_t port)
{
	return (struct destination){
		.kind = DESTINATION_ADDRESS,
		.host = host,
		.port = port,
		.stream = true,
		.connects = true,
		.same_network = true,
		.by_name = true,
		.person = true,
		.looked = true,
	};
}

static struct destination
here(const char *host, uint16_t port, enum destination_owner owner)
{
	struct destination to = far_stream(host, port);

	to.here = to.near = to.loopback = true;
	to.owner = owner;
	return to;
}

static struct destination
named(const char *host, uint16_t port, const char *name)
{
	struct destination to = far_stream(host, port);

	to.n_names = 1;
	memcpy(to.names[0], name, strlen(name) + 1);
	return to;
}

static struct destination
by_udp(struct destination to)
{
	to.stream = false;
	return to;
}

static struct destination
socket_at(const char *host, enum destination_owner owner)
{
	return (struct destination){
		.kind = host[5] == '@' ? DESTINATION_ABSTRACT : DESTINATION_PATH,
		.host = host,
		.stream = true,
		.connects = true,
		.by_name = true,
		.owner = owner,
	};
}

/* The route, and that a pass comes with an allow alone. host: NULL, or what is decided about. */
static void
expect(struct engine_rig *rig, struct destination to, enum route_way way, enum route_reason reason,
	enum ambit_verdict verdict, const char *host)
{
	struct route route;
	struct pass pass;

	assert_int_equal(engine_route(rig->engine, &to, &route, &pass), 0);
	if (route.way != way || route.reason != reason || route.verdict != verdict)
		fail_msg("%s: way %d not %d, reason %d not %d, verdict %d not %d", to.host,
			(int)route.way, (int)way, (int)route.reason, (int)reason,
			(int)route.verdict, (int)verdict);
	assert_int_equal(pass_use(&pass), verdict == AMBIT_ALLOW ? 0 : -EPERM);
	if (host)
		assert_string_equal(route.host, host);
	else
		assert_null(route.host);
	assert_int_equal(route.error, way == ROUTE_CLOSED ? ECONNREFUSED : 0);
	free(route.host);
}

static void
what_nothing_is_known_of_is_closed(void **state)
{
	struct engine_rig *rig = *state;
	struct destination to = { .host = "192.0.2.1:80" };
	struct route route;
	struct pass pass;

	engine_rig_start(rig, "{\"net\":\"open\"}", NULL);
	assert_int_equal(engine_route(rig->engine, &to, &route, &pass), 0);
	assert_int_equal(route.verdict, AMBIT_DENY);
	assert_int_equal(pass_use(&pass), -EPERM);
	free(route.host);
	to.host = NULL;
	assert_int_equal(engine_route(rig->engine, &to, &route, &pass), -EINVAL);
	assert_int_equal(route.verdict, AMBIT_DENY);
	assert_int_equal(route.way, ROUTE_CLOSED);
	assert_int_equal(pass_use(&pass), -EPERM);
}

/* Whoever has the port decides, before any rule. */
static void
ports_here_are_whose_they_are(void **state)
{
	struct engine_rig *rig = *state;
	struct destination proxy = here("127.0.0.1:80", 80, OWNER_OTHERS), own = proxy;
	const char *at = "127.0.0.1:80";

	engine_rig_start(rig, "{\"deny_hosts\":[\"127.0.0.1:81\"]}", NULL);
	expect(rig, here(at, 80, OWNER_SESSION), ROUTE_DIRECT, REASON_SESSION, AMBIT_ALLOW, NULL);
	expect(rig, here("127.0.0.1:81", 81, OWNER_SESSION), ROUTE_DIRECT, REASON_SESSION,
		AMBIT_ALLOW, NULL);
	expect(rig, here(at, 80, OWNER_OTHERS), ROUTE_DIRECT, REASON_HOST, AMBIT_ASK, at);
	expect(rig, here(at, 80, OWNER_NOBODY), ROUTE_CLOSED, REASON_NOBODY, AMBIT_DENY, NULL);
	expect(rig, by_udp(here(at, 80, OWNER_NOBODY)), ROUTE_NOWHERE, REASON_LOST, AMBIT_ALLOW,
		NULL);
	expect(rig, by_udp(here(at, 80, OWNER_OTHERS)), ROUTE_DIRECT, REASON_HOST, AMBIT_ASK, at);
	proxy.service = SERVICE_PROXY;
	own.service = SERVICE_AMBIT;
	expect(rig, proxy, ROUTE_PROXY, REASON_PROXY, AMBIT_ALLOW, NULL);
	expect(rig, own, ROUTE_CLOSED, REASON_AMBIT, AMBIT_DENY, NULL);
	expect(rig, here("127.0.0.1:81", 81, OWNER_OTHERS), ROUTE_DIRECT, REASON_HOST, AMBIT_DENY,
		"127.0.0.1:81");
	/* With a rule, a port that nobody has is that port. */
	engine_rig_stop(rig);
	engine_rig_start(rig, "{\"allow_hosts\":[\"localhost\"]}", NULL);
	expect(rig, by_udp(here(at, 80, OWNER_NOBODY)), ROUTE_DIRECT, REASON_HOST, AMBIT_ALLOW, at);
	expect(rig, here("[::1]:80", 80, OWNER_OTHERS), ROUTE_DIRECT, REASON_HOST, AMBIT_ALLOW,
		"[::1]:80");
	expect(rig, here(at, 80, OWNER_NOBODY), ROUTE_CLOSED, REASON_NOBODY, AMBIT_DENY, NULL);
}

static void
port_zero_is_nobodys(void **state)
{
	struct engine_rig *rig = *state;
	struct destination sends = by_udp(far_stream("192.0.2.1", 0));

	engine_rig_start(rig, NULL, NULL);
	expect(rig, here("127.0.0.1", 0, OWNER_OTHERS), ROUTE_CLOSED, REASON_NOBODY, AMBIT_DENY,
		NULL);
	expect(rig, by_udp(here("127.0.0.1", 0, OWNER_OTHERS)), ROUTE_NOWHERE, REASON_LOST,
		AMBIT_ALLOW, NULL);
	expect(rig, far_stream("192.0.2.1", 0), ROUTE_DIRECT, REASON_HOST, AMBIT_ASK, "192.0.2.1");
	expect(rig, by_udp(far_stream("192.0.2.1", 0)), ROUTE_MUTE, REASON_LOOK, AMBIT_ALLOW, NULL);
	sends.connects = false;
	expect(rig, sends, ROUTE_DIRECT, REASON_HOST, AMBIT_ASK, "192.0.2.1");
}

/* An allowed address costs no look-up; the rest does. */
static void
costly_facts_are_asked_for_only_if_they_matter(void **state)
{
	struct engine_rig *rig = *state;
	struct destination to = far_stream("192.0.2.1:80", 80);
	struct route route;
	struct pass pass;

	engine_rig_start(rig, "{\"allow_hosts\":[\"192.0.2.1\"]}", NULL);
	to.looked = false;
	assert_false(destination_needs_look(&to));
	expect(rig, to, ROUTE_DIRECT, REASON_HOST, AMBIT_ALLOW, to.host);
	to.host = "192.0.2.2:80";
	assert_int_equal(engine_route(rig->engine, &to, &route, &pass), 1);
	assert_int_equal(pass_use(&pass), -EPERM);
	assert_null(route.host);
	to.host = "192.0.2.1:53";
	to.port = 53;
	assert_true(destination_needs_look(&to));
	to = by_udp(far_stream("192.0.2.1:80", 80));
	to.looked = false;
	assert_true(destination_needs_look(&to));
	to = here("127.0.0.1:80", 80, OWNER_OTHERS);
	to.looked = false;
	assert_true(destination_needs_look(&to));
	/* On another network nothing can be looked up. */
	to.same_network = false;
	assert_false(destination_needs_look(&to));
	expect(rig, to, ROUTE_DIRECT, REASON_HOST, AMBIT_ASK, to.host);
}

static void
names_are_decided_in_place_of_addresses(void **state)
{
	struct engine_rig *rig = *state;
	struct destination several = named("192.0.2.1:443", 443, "last.test");

	engine_rig_start(rig,
		"{\"allow_hosts\":[\"good.test\",\"192.0.2.7\"],"
		"\"deny_hosts\":[\"192.0.2.8\"]}",
		NULL);
	expect(rig, named("192.0.2.1:443", 443, "good.test"), ROUTE_RELAY, REASON_NAME, AMBIT_ALLOW,
		"good.test:443");
	expect(rig, named("192.0.2.1:443", 443, "other.test"), ROUTE_RELAY, REASON_NAME, AMBIT_ASK,
		"other.test:443");
	expect(rig, named("192.0.2.1:5432", 5432, "good.test"), ROUTE_RELAY, REASON_NAME,
		AMBIT_ALLOW, "good.test:5432");
	/* An address that is allowed or refused is what it is. */
	expect(rig, named("192.0.2.7:443", 443, "other.test"), ROUTE_DIRECT, REASON_HOST,
		AMBIT_ALLOW, "192.0.2.7:443");
	expect(rig, named("192.0.2.8:443", 443, "good.test"), ROUTE_DIRECT, REASON_HOST, AMBIT_DENY,
		"192.0.2.8:443");
	/* No name covers what is near. */
	struct destination near = named("10.0.0.1:443", 443, "good.test");
	near.near = true;
	expect(rig, near, ROUTE_DIRECT, REASON_HOST, AMBIT_ASK, "10.0.0.1:443");
	/* Of several the one that is allowed, else the last that was looked up. */
	memcpy(several.names[1], "good.test", sizeof("good.test"));
	several.n_names = 2;
	expect(rig, several, ROUTE_RELAY, REASON_NAME, AMBIT_ALLOW, "good.test:443");
	memcpy(several.names[1], "more.test", sizeof("more.test"));
	expect(rig, several, ROUTE_RELAY, REASON_NAME, AMBIT_ASK, "last.test:443");
}

static void
every_row_of_the_ports_counts(void **state)
{
	static const uint16_t nameless[] = { 22, 873, 3690, 9418 },
			      says[] = { 80, 443, 8080, 8443 };
	struct engine_rig *rig = *state;

	engine_rig_start(rig, NULL, NULL);
	for (size_t i = 0; i < 4; i++) {
		char at[32], name[32];
		struct destination alone;

		snprintf(at, sizeof(at), "192.0.2.1:%d", nameless[i]);
		snprintf(name, sizeof(name), "a.test:%d", nameless[i]);
		expect(rig, named(at, nameless[i], "a.test"), ROUTE_DIRECT, REASON_NAMELESS,
			AMBIT_ASK, name);
		expect(rig, far_stream(at, nameless[i]), ROUTE_DIRECT, REASON_HOST, AMBIT_ASK, at);
		snprintf(at, sizeof(at), "192.0.2.1:%d", says[i]);
		expect(rig, far_stream(at, says[i]), ROUTE_RELAY, REASON_SAYS, AMBIT_ALLOW, NULL);
		/* Where nothing that it says could be allowed, it is told so at once. */
		alone = far_stream(at, says[i]);
		alone.person = false;
		expect(rig, alone, ROUTE_DIRECT, REASON_HOST, AMBIT_ASK, at);
	}
	expect(rig, by_udp(named("192.0.2.1:443", 443, "a.test")), ROUTE_MUTE, REASON_QUIC,
		AMBIT_ALLOW, NULL);
	struct destination sends = by_udp(named("192.0.2.1:443", 443, "a.test"));
	sends.connects = false;
	expect(rig, sends, ROUTE_CLOSED, REASON_QUIC, AMBIT_DENY, NULL);
	expect(rig, by_udp(far_stream("192.0.2.1:443", 443)), ROUTE_DIRECT, REASON_HOST, AMBIT_ASK,
		"192.0.2.1:443");
	expect(rig, by_udp(named("192.0.2.1:9", 9, "a.test")), ROUTE_MUTE, REASON_LOOK, AMBIT_ALLOW,
		NULL);
	expect(rig, by_udp(named("192.0.2.1:65535", 65535, "a.test")), ROUTE_MUTE, REASON_LOOK,
		AMBIT_ALLOW, NULL);
	expect(rig, by_udp(named("192.0.2.1:99", 99, "a.test")), ROUTE_DIRECT, REASON_HOST,
		AMBIT_ASK, "192.0.2.1:99");
}

static void
a_look_never_sends(void **state)
{
	struct engine_rig *rig = *state;
	struct destination to = by_udp(far_stream("192.0.2.1:80", 80)), denied = to;

	to.looks = denied.looks = true;
	denied.host = "192.0.2.9:80";
	engine_rig_start(rig, "{\"deny_hosts\":[\"192.0.2.9\"]}", NULL);
	expect(rig, to, ROUTE_MUTE, REASON_LOOK, AMBIT_ALLOW, NULL);
	expect(rig, denied, ROUTE_MUTE, REASON_LOOK, AMBIT_ALLOW, NULL);
	engine_rig_stop(rig);
	engine_rig_start(rig, "{\"net\":\"open\",\"deny_hosts\":[\"192.0.2.9\"]}", NULL);
	expect(rig, to, ROUTE_DIRECT, REASON_HOST, AMBIT_ALLOW, "192.0.2.1:80");
	expect(rig, denied, ROUTE_MUTE, REASON_LOOK, AMBIT_ALLOW, NULL);
}

static void
resolvers_are_ambit(void **state)
{
	struct engine_rig *rig = *state;
	struct destination to = by_udp(far_stream("192.0.2.53:53", 53)), plain;

	to.resolver = true;
	plain = to;
	plain.by_name = false;
	engine_rig_start(rig, NULL, NULL);
	expect(rig, to, ROUTE_STUB, REASON_STUB, AMBIT_ALLOW, NULL);
	expect(rig, socket_at("unix:/run/nscd/socket", OWNER_OTHERS), ROUTE_CLOSED,
		REASON_RESOLVER_SOCKET, AMBIT_DENY, NULL);
	engine_rig_stop(rig);
	engine_rig_start(rig, "{\"net\":\"none\"}", NULL);
	expect(rig, plain, ROUTE_DIRECT, REASON_HOST, AMBIT_DENY, "192.0.2.53:53");
	engine_rig_stop(rig);
	engine_rig_start(rig, "{\"net\":\"open\"}", NULL);
	expect(rig, plain, ROUTE_DIRECT, REASON_RESOLVER, AMBIT_ALLOW, NULL);
	to = socket_at("unix:/run/nscd/socket", OWNER_OTHERS);
	to.by_name = false;
	expect(rig, to, ROUTE_DIRECT, REASON_RESOLVER, AMBIT_ALLOW, NULL);
	engine_rig_stop(rig);
	engine_rig_start(rig, "{\"allow_hosts\":[\"unix:/run/nscd/socket\"]}", NULL);
	expect(rig, socket_at("unix:/run/nscd/socket", OWNER_OTHERS), ROUTE_DIRECT, REASON_HOST,
		AMBIT_ALLOW, "unix:/run/nscd/socket");
}

static void
sockets_are_whose_they_are(void **state)
{
	struct engine_rig *rig = *state;

	engine_rig_start(rig, "{\"net\":\"open\",\"deny_hosts\":[\"unix:/run/b\"]}", NULL);
	expect(rig, socket_at("unix:/run/a", OWNER_SESSION), ROUTE_DIRECT, REASON_SESSION,
		AMBIT_ALLOW, NULL);
	expect(rig, socket_at("unix:/run/a", OWNER_OTHERS), ROUTE_DIRECT, REASON_HOST, AMBIT_ASK,
		"unix:/run/a");
	expect(rig, socket_at("unix:/run/b", OWNER_OTHERS), ROUTE_DIRECT, REASON_HOST, AMBIT_DENY,
		"unix:/run/b");
	expect(rig, socket_at("unix:@x", OWNER_SESSION), ROUTE_DIRECT, REASON_SESSION, AMBIT_ALLOW,
		NULL);
	expect(rig, socket_at("unix:@x", OWNER_NOBODY), ROUTE_CLOSED, REASON_NOBODY, AMBIT_DENY,
		NULL);
	expect(rig, socket_at("unix:@x", OWNER_OTHERS), ROUTE_DIRECT, REASON_HOST, AMBIT_ASK,
		"unix:@x");
}

/* With net open names are known only to deny them. */
static void
open_goes_directly(void **state)
{
	struct engine_rig *rig = *state;
	struct destination plain = far_stream("192.0.2.1:443", 443);

	engine_rig_start(rig, "{\"net\":\"open\",\"deny_hosts\":[\"bad.test\"]}", NULL);
	expect(rig, named("192.0.2.1:443", 443, "good.test"), ROUTE_DIRECT, REASON_NAMELESS,
		AMBIT_ALLOW, "good.test:443");
	expect(rig, named("192.0.2.1:443", 443, "bad.test"), ROUTE_DIRECT, REASON_NAMELESS,
		AMBIT_DENY, "bad.test:443");
	expect(rig, plain, ROUTE_DIRECT, REASON_HOST, AMBIT_ALLOW, "192.0.2.1:443");
	plain.by_name = false;
	expect(rig, plain, ROUTE_DIRECT, REASON_HOST, AMBIT_ALLOW, "192.0.2.1:443");
}

/* A policy that says no to an address is heard, though it reads whole requests alone. */
static void
a_policy_refuses_an_address(void **state)
{
	struct engine_rig *rig = *state;
	struct ambit_policy *none = ambit_policy_deny_all();
	const struct ambit_engine_options more = { .policy = none };

	engine_rig_start(rig, "{\"allow_hosts\":[\"good.test\",\"192.0.2.1\"]}", &more);
	expect(rig, named("192.0.2.1:443", 443, "good.test"), ROUTE_DIRECT, REASON_HOST, AMBIT_DENY,
		"192.0.2.1:443");
	engine_rig_stop(rig);
	ambit_policy_destroy(none);
}

/* The layer's words, as `ambit why` shows them: by facts, and before any list. */
static void
reasons_are_layers(void **state)
{
	struct engine_rig *rig = *state;
	struct destination to = here("127.0.0.1:80", 80, OWNER_SESSION);
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome;

	engine_rig_start(rig, "{\"deny_hosts\":[\"127.0.0.1\"]}", NULL);
	for (int owned = 1; owned >= 0; owned--) {
		to.owner = owned ? OWNER_SESSION : OWNER_NOBODY;
		assert_int_equal(ambit_request_connect(to.host, &request, NULL), 0);
		request_set_destination(request, &to);
		assert_int_equal(ambit_engine_decide(rig->engine, request, &outcome, NULL), 0);
		assert_int_equal(outcome.verdict, owned ? AMBIT_ALLOW : AMBIT_DENY);
		assert_string_equal(outcome.layer, owned ? "session" : "hosts");
		assert_string_equal(outcome.says[0].layer, owned ? "session" : "nobody");
		assert_string_equal(outcome.host, to.host);
		ambit_outcome_finish(&outcome);
		ambit_request_destroy(request);
	}
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, engine_rig_open, engine_rig_close)
	const struct CMUnitTest tests[] = {
		TEST(what_nothing_is_known_of_is_closed),
		TEST(ports_here_are_whose_they_are),
		TEST(port_zero_is_nobodys),
		TEST(costly_facts_are_asked_for_only_if_they_matter),
		TEST(names_are_decided_in_place_of_addresses),
		TEST(every_row_of_the_ports_counts),
		TEST(a_look_never_sends),
		TEST(resolvers_are_ambit),
		TEST(sockets_are_whose_they_are),
		TEST(open_goes_directly),
		TEST(a_policy_refuses_an_address),
		TEST(reasons_are_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
