/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about sockets of the internet, done on behalf of a process: which addresses are free
 * and which are asked about. */

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>

#include "call-net-rig.h"

static int
port_of(int fd)
{
	struct sockaddr_in in = { 0 };
	socklen_t len = sizeof(in);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	return ntohs(in.sin_port);
}

static void
own_servers_are_free_others_are_asked(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_INET, SOCK_STREAM, 0);
	auto_close int client = socket(AF_INET, SOCK_STREAM, 0);
	auto_close int stranger = socket(AF_INET, SOCK_STREAM, 0);
	auto_close int client2 = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in any = { .sin_family = AF_INET }, at, other = loopback(0);
	socklen_t len = sizeof(at);
	char device[16] = "", expected[64];

	stand(w);
	assert_int_equal(do_call(w, "bind", call_bind, server, P(&any), sizeof(any)), 0);
	assert_string_equal(w->host, "");
	assert_int_equal(do_call(w, "listen", call_listen, server, 5), 0);
	/* It keeps its address, and hears the loopback alone. */
	assert_int_equal(getsockname(server, (struct sockaddr *)&at, &len), 0);
	assert_int_equal(at.sin_addr.s_addr, INADDR_ANY);
	len = sizeof(device);
	assert_int_equal(getsockopt(server, SOL_SOCKET, SO_BINDTODEVICE, device, &len), 0);
	assert_string_equal(device, "lo");

	at = loopback(port_of(server));
	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, client, P(&at), sizeof(at)), 0);
	assert_string_equal(w->host, "");
	assert_false(w->gate.connected);
	close(accept(server, NULL, NULL));

	assert_int_equal(bind(stranger, (struct sockaddr *)&other, sizeof(other)), 0);
	assert_int_equal(listen(stranger, 5), 0);
	other = loopback(port_of(stranger));
	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, client2, P(&other), sizeof(other)), 0);
	snprintf(expected, sizeof(expected), "127.0.0.1:%d", port_of(stranger));
	assert_string_equal(w->host, expected);
	assert_true(w->gate.connected);
	assert_true(accept(stranger, NULL, NULL) >= 0);
}

static void
knocking_at_a_closed_port_asks_nobody(void **state)
{
	struct world *w = *state;
	auto_close int client = socket(AF_INET, SOCK_STREAM, 0);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at = loopback(0);

	assert_int_equal(bind(server, (struct sockaddr *)&at, sizeof(at)), 0);
	at = loopback(port_of(server));
	close(server);
	stand(w);
	assert_int_equal(
		do_call(w, "connect", call_connect, client, P(&at), sizeof(at)), -ECONNREFUSED);
	assert_string_equal(w->host, "");
}

/* The first of this machine's, if there is a way to it. */
static bool
find_resolver(struct sockaddr_in *ret_at)
{
	auto_close int fd = socket(AF_INET, SOCK_DGRAM, 0);
	auto_free char *text = NULL;
	char line[64] = "";
	size_t len;

	*ret_at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(53) };
	if (fd_read_file(AT_FDCWD, "/etc/resolv.conf", 65536, &text, &len) < 0)
		return false;
	for (const char *at = text; *at && !line[0]; at += strcspn(at, "\n"), at += *at == '\n')
		sscanf(at, "nameserver%*[ \t]%63[0-9.]", line);
	/* One on this machine may not be running, and would be nobody. */
	return inet_pton(AF_INET, line, &ret_at->sin_addr) == 1 &&
	       ntohl(ret_at->sin_addr.s_addr) >> 24 != 127 &&
	       connect(fd, (struct sockaddr *)ret_at, sizeof(*ret_at)) == 0;
}

/* A TXT record can say anything to whoever reads what a command printed. */
static void
a_look_up_is_free_and_has_reached_out(void **state)
{
	struct world *w = *state;
	auto_close int connects = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in at;

	if (!find_resolver(&at)) {
		print_message("there is no resolver to reach here\n");
		skip();
	}
	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, connects, P(&at), sizeof(at)), 0);
	assert_string_equal(w->host, "");
	assert_true(w->gate.connected);
}

static void
an_unbound_listen_hears_the_loopback_alone(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_INET, SOCK_STREAM, 0);
	char device[16] = "";
	socklen_t len = sizeof(device);

	stand(w);
	assert_int_equal(do_call(w, "listen", call_listen, server, 5), 0);
	assert_int_equal(getsockopt(server, SOL_SOCKET, SO_BINDTODEVICE, device, &len), 0);
	assert_string_equal(device, "lo");
	assert_true(port_of(server) > 0);
	assert_int_equal(do_call(w, "listen", call_listen, server, 6), 0);
}

static void
datagrams_go_where_they_may(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_INET, SOCK_DGRAM, 0);
	auto_close int client = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in at = loopback(0);
	struct sockaddr_in far = { .sin_family = AF_UNSPEC, .sin_port = htons(9) };
	static char data[] = "hello";
	char back[16];

	inet_pton(AF_INET, "192.0.2.1", &far.sin_addr);
	stand(w);
	assert_int_equal(do_call(w, "bind", call_bind, server, P(&at), sizeof(at)), 0);
	at = loopback(port_of(server));
	stand(w);
	assert_int_equal(
		do_call(w, "sendto", call_send, client, P(data), 5, 0, P(&at), sizeof(at)), 5);
	assert_string_equal(w->host, "");
	assert_int_equal(recv(server, back, sizeof(back), MSG_DONTWAIT), 5);
	/* The server answers the client, whose port the kernel chose. */
	at = loopback(port_of(client));
	stand(w);
	assert_int_equal(
		do_call(w, "sendto", call_send, server, P(data), 5, 0, P(&at), sizeof(at)), 5);
	assert_string_equal(w->host, "");
	/* Family or not: it is an address. */
	int64_t r = do_call(w, "sendto", call_send, client, P(data), 5, 0, P(&far), sizeof(far));
	assert_true(r == -ENETUNREACH || strcmp(w->host, "192.0.2.1:9") == 0);
}

/* Nobody is asked, and nobody hears it, also not one who comes later. */
static void
datagrams_to_nobody_are_lost(void **state)
{
	struct world *w = *state;
	auto_close int stranger = socket(AF_INET, SOCK_DGRAM, 0);
	auto_close int client = socket(AF_INET, SOCK_DGRAM, 0);
	auto_close int sender = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in at = loopback(0), zero = loopback(0);
	static char data[] = "hello";
	char back[16];
	int server = socket(AF_INET, SOCK_DGRAM, 0);

	assert_int_equal(bind(server, (struct sockaddr *)&at, sizeof(at)), 0);
	at = loopback(port_of(server));
	close(server);
	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, client, P(&at), sizeof(at)), 0);
	assert_string_equal(w->host, "");
	assert_int_equal(
		do_call(w, "sendto", call_send, sender, P(data), 5, 0, P(&at), sizeof(at)), 5);
	assert_string_equal(w->host, "");
	assert_int_equal(bind(stranger, (struct sockaddr *)&at, sizeof(at)), 0);
	send(client, data, 5, 0);
	send(client, data, 5, 0);
	assert_int_equal(recv(stranger, back, sizeof(back), MSG_DONTWAIT), -1);
	/* Now somebody is there. */
	snprintf(back, sizeof(back), ":%d", port_of(stranger));
	do_call(w, "sendto", call_send, sender, P(data), 5, 0, P(&at), sizeof(at));
	assert_non_null(strstr(w->host, back));
	assert_int_equal(do_call(w, "connect", call_connect, sender, P(&zero), sizeof(zero)), 0);
	assert_string_equal(w->host, "");
}

#define NO_DEVICE 999999

static struct msghdr
with_control(struct iovec *iov, struct sockaddr *to, socklen_t len, void *control, size_t size)
{
	return (struct msghdr){ .msg_name = to,
		.msg_namelen = len,
		.msg_iov = iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = size };
}

/* By the device that the program names a packet would leave the machine, to
 * whatever address. The source address is kept. */
static void
no_message_chooses_its_device(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_INET, SOCK_DGRAM, 0);
	auto_close int client = socket(AF_INET, SOCK_DGRAM, 0);
	static struct sockaddr_in at;
	static struct iovec iov = { (void *)"hello", 5 };
	static struct msghdr head;
	static union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct in_pktinfo))];
	} control;
	struct in_pktinfo info = { .ipi_ifindex = NO_DEVICE };
	struct sockaddr_in from = { 0 };
	socklen_t len = sizeof(from);
	char back[16];

	at = loopback(0);
	stand(w);
	assert_int_equal(do_call(w, "bind", call_bind, server, P(&at), sizeof(at)), 0);
	at = loopback(port_of(server));
	inet_pton(AF_INET, "127.0.0.7", &info.ipi_spec_dst);
	control.align = (struct cmsghdr){ CMSG_LEN(sizeof(info)), IPPROTO_IP, IP_PKTINFO };
	memcpy(CMSG_DATA(&control.align), &info, sizeof(info));
	head = with_control(&iov, (struct sockaddr *)&at, sizeof(at), &control, sizeof(control));
	stand(w);
	assert_int_equal(do_call(w, "sendmsg", call_send, client, P(&head), 0), 5);
	assert_int_equal(
		recvfrom(server, back, sizeof(back), MSG_DONTWAIT, (struct sockaddr *)&from, &len),
		5);
	assert_int_equal(from.sin_addr.s_addr, info.ipi_spec_dst.s_addr);
	/* Cut short it is nothing. */
	control.align.cmsg_len--;
	stand(w);
	assert_int_equal(do_call(w, "sendmsg", call_send, client, P(&head), 0), -EINVAL);
}

static void
no_message_chooses_its_device_by_ipv6(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_INET6, SOCK_DGRAM, 0);
	auto_close int client = socket(AF_INET6, SOCK_DGRAM, 0);
	static struct sockaddr_in6 at;
	static struct iovec iov = { (void *)"hello", 5 };
	static struct msghdr head;
	static union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	} control;
	struct in6_pktinfo info = { .ipi6_ifindex = NO_DEVICE };
	char back[16];

	at = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	if (server < 0 || bind(server, (struct sockaddr *)&at, sizeof(at)) < 0) {
		print_message("no IPv6 here: skipped\n");
		return;
	}
	at.sin6_port = htons((uint16_t)port_of(server));
	control.align = (struct cmsghdr){ CMSG_LEN(sizeof(info)), IPPROTO_IPV6, IPV6_PKTINFO };
	memcpy(CMSG_DATA(&control.align), &info, sizeof(info));
	head = with_control(&iov, (struct sockaddr *)&at, sizeof(at), &control, sizeof(control));
	stand(w);
	assert_int_equal(do_call(w, "sendmsg", call_send, client, P(&head), 0), 5);
	assert_int_equal(recv(server, back, sizeof(back), MSG_DONTWAIT), 5);
}

/* Its own server, but by a device: the packet would not get there. */
static void
a_device_is_asked_about(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_INET, SOCK_DGRAM, 0);
	auto_close int client = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in at = loopback(0);
	struct if_nameindex *all = if_nameindex(), *one = all;

	while (one && one->if_index && strcmp(one->if_name, "lo") == 0)
		one++;
	if (!one || !one->if_index) {
		print_message("no device but the loopback: skipped\n");
	} else {
		struct call *call = malloc(sizeof(*call));

		assert_int_equal(setsockopt(client, SOL_SOCKET, SO_BINDTODEVICE, one->if_name,
					 (socklen_t)strlen(one->if_name) + 1),
			0);
		stand(w);
		assert_int_equal(do_call(w, "bind", call_bind, server, P(&at), sizeof(at)), 0);
		at = loopback(port_of(server));
		stand(w);
		begin(w, call, "connect",
			(const uint64_t[6]){ (uint64_t)client, P(&at), sizeof(at) });
		assert_int_equal(call_connect.prepare(call), CALL_DECIDE);
		assert_non_null(call->host); /* and nothing is sent here */
		call_finish(call);
		free(call);
	}
	if_freenameindex(all);
}

static void
fast_open_is_no_way_around(void **state)
{
	struct world *w = *state;
	auto_close int client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at = loopback(1);

	stand(w);
	assert_int_equal(do_call(w, "sendto", call_send, client, P("x"), 1, MSG_FASTOPEN, P(&at),
				 sizeof(at)),
		-EOPNOTSUPP);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, setup_folder, teardown)
	const struct CMUnitTest tests[] = {
		TEST(own_servers_are_free_others_are_asked),
		TEST(knocking_at_a_closed_port_asks_nobody),
		TEST(datagrams_to_nobody_are_lost),
		TEST(a_look_up_is_free_and_has_reached_out),
		TEST(an_unbound_listen_hears_the_loopback_alone),
		TEST(datagrams_go_where_they_may),
		TEST(no_message_chooses_its_device),
		TEST(no_message_chooses_its_device_by_ipv6),
		TEST(a_device_is_asked_about),
		TEST(fast_open_is_no_way_around),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
