/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses mean here what they mean to the kernel. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "line/process/socket-holder.h"
#include "line/socket/endpoint.h"
#include "scratch.h"

static struct sockaddr_storage
ip(const char *text, int port)
{
	struct sockaddr_storage address = { 0 };
	struct sockaddr_in *in = (struct sockaddr_in *)&address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address;

	if (strchr(text, ':')) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons((uint16_t)port);
		assert_int_equal(inet_pton(AF_INET6, text, &in6->sin6_addr), 1);
	} else {
		in->sin_family = AF_INET;
		in->sin_port = htons((uint16_t)port);
		assert_int_equal(inet_pton(AF_INET, text, &in->sin_addr), 1);
	}
	return address;
}

static struct endpoint
endpoint(const char *text, int port)
{
	struct sockaddr_storage address = ip(text, port);
	struct endpoint e;

	assert_int_equal(endpoint_parse(&e, &address, sizeof(address), address.ss_family,
				 SOCK_STREAM, ENDPOINT_CONNECT),
		0);
	return e;
}

static void
must_read(const char *text, int port, const char *expected)
{
	struct endpoint e = endpoint(text, port);
	auto_free char *shown = endpoint_text(&e);

	assert_string_equal(shown, expected);
}

static void
addresses_have_one_text(void **state)
{
	(void)state;
	must_read("10.1.2.3", 443, "10.1.2.3:443");
	must_read("::1", 80, "[::1]:80");
	must_read("::ffff:10.1.2.3", 443, "10.1.2.3:443");
	must_read("fe80::1", 0, "[fe80::1]");
	must_read("10.1.2.3", 0, "10.1.2.3");
	must_read("::10.1.2.3", 443, "[::10.1.2.3]:443");
}

static void
the_any_address_is_this_machine(void **state)
{
	static const struct {
		const char *text, *settled;
	} rows[] = {
		{ "0.0.0.0", "127.0.0.1:80" },
		{ "::", "[::1]:80" },
		{ "::ffff:0.0.0.0", "127.0.0.1:80" },
		{ "10.0.0.1", "10.0.0.1:80" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct endpoint e = endpoint(rows[i].text, 80), again;

		endpoint_settle(&e);
		auto_free char *shown = endpoint_text(&e);
		assert_string_equal(shown, rows[i].settled);
		/* And so is what will be acted with. */
		assert_int_equal(endpoint_parse(&again, &e.address, e.len, e.address.ss_family,
					 SOCK_STREAM, ENDPOINT_CONNECT),
			0);
		assert_memory_equal(again.ip, e.ip, 16);
		assert_int_equal(again.v6, e.v6);
	}
}

static void
loopback_is_not_only_one_address(void **state)
{
	struct endpoint e;

	(void)state;
	e = endpoint("127.1.2.3", 1);
	assert_true(endpoint_is_loopback(&e));
	e = endpoint("::ffff:127.0.0.1", 1);
	assert_true(endpoint_is_loopback(&e));
	e = endpoint("::1", 1);
	assert_true(endpoint_is_loopback(&e));
	e = endpoint("::2", 1);
	assert_false(endpoint_is_loopback(&e));
	e = endpoint("128.0.0.1", 1);
	assert_false(endpoint_is_loopback(&e));
}

/* The same bytes, as each call reads them. */
static void
no_family_means_what_the_call_makes_of_it(void **state)
{
	struct sockaddr_storage address = ip("10.0.0.1", 53);
	struct endpoint e;

	(void)state;
	address.ss_family = AF_UNSPEC;
	assert_int_equal(
		endpoint_parse(&e, &address, 16, AF_INET, SOCK_DGRAM, ENDPOINT_CONNECT), 0);
	assert_int_equal(e.kind, ENDPOINT_NONE);
	assert_int_equal(endpoint_parse(&e, &address, 16, AF_INET, SOCK_DGRAM, ENDPOINT_SEND), 0);
	assert_int_equal(e.kind, ENDPOINT_INET);
	auto_free char *shown = endpoint_text(&e);
	assert_string_equal(shown, "10.0.0.1:53");
	assert_int_equal(e.address.ss_family, AF_INET);
	assert_int_equal(endpoint_parse(&e, &address, 16, AF_INET6, SOCK_DGRAM, ENDPOINT_SEND), 0);
	assert_int_equal(e.kind, ENDPOINT_NONE);
	assert_int_equal(endpoint_parse(&e, &address, 16, AF_INET, SOCK_STREAM, ENDPOINT_BIND),
		-EAFNOSUPPORT);
	address = ip("0.0.0.0", 53);
	address.ss_family = AF_UNSPEC;
	assert_int_equal(endpoint_parse(&e, &address, 16, AF_INET, SOCK_STREAM, ENDPOINT_BIND), 0);
	assert_true(endpoint_is_any(&e));
	assert_int_equal(
		endpoint_parse(&e, &address, 16, AF_UNIX, SOCK_STREAM, ENDPOINT_CONNECT), -EINVAL);
}

static void
lengths_and_families_are_checked(void **state)
{
	struct sockaddr_storage v4 = ip("10.0.0.1", 53), v6 = ip("::1", 53);
	struct endpoint e;

	(void)state;
	assert_int_equal(endpoint_parse(&e, &v4, 0, AF_INET, SOCK_STREAM, 0), -EINVAL);
	assert_int_equal(endpoint_parse(&e, &v4, 1, AF_INET, SOCK_STREAM, 0), -EINVAL);
	assert_int_equal(endpoint_parse(&e, &v4, 15, AF_INET, SOCK_STREAM, 0), -EINVAL);
	assert_int_equal(endpoint_parse(&e, &v4, 129, AF_INET, SOCK_STREAM, 0), -EINVAL);
	assert_int_equal(endpoint_parse(&e, &v6, 23, AF_INET6, SOCK_STREAM, 0), -EINVAL);
	assert_int_equal(endpoint_parse(&e, &v6, 24, AF_INET6, SOCK_STREAM, 0), 0);
	assert_int_equal(endpoint_parse(&e, &v6, 28, AF_INET, SOCK_STREAM, 0), -EAFNOSUPPORT);
	assert_int_equal(endpoint_parse(&e, &v4, 16, AF_INET6, SOCK_STREAM, 0), -EAFNOSUPPORT);
	assert_int_equal(endpoint_parse(&e, &v4, 16, AF_INET6, SOCK_DGRAM, 0), 0);
	assert_int_equal(endpoint_parse(&e, &v4, 16, AF_UNIX, SOCK_DGRAM, 0), -EINVAL);
}

static void
unix_names_end_where_the_kernel_ends_them(void **state)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/tmp/x" };
	struct endpoint e;

	(void)state;
	assert_int_equal(endpoint_parse(&e, &un, 2, AF_UNIX, SOCK_STREAM, ENDPOINT_BIND), 0);
	assert_int_equal(e.kind, ENDPOINT_UNNAMED);
	assert_int_equal(endpoint_parse(&e, &un, 2 + 4, AF_UNIX, SOCK_STREAM, 0), 0);
	assert_int_equal(e.kind, ENDPOINT_PATH);
	assert_string_equal(e.name, "/tmp");
	assert_int_equal(endpoint_parse(&e, &un, sizeof(un), AF_UNIX, SOCK_STREAM, 0), 0);
	assert_string_equal(e.name, "/tmp/x");
	memset(un.sun_path, 'a', sizeof(un.sun_path));
	assert_int_equal(endpoint_parse(&e, &un, sizeof(un), AF_UNIX, SOCK_STREAM, 0), 0);
	assert_int_equal(strlen(e.name), 108);
	memcpy(un.sun_path, "\0a\0b", 4);
	assert_int_equal(endpoint_parse(&e, &un, 2 + 4, AF_UNIX, SOCK_STREAM, 0), 0);
	assert_int_equal(e.kind, ENDPOINT_ABSTRACT);
	assert_int_equal(e.name_len, 3);
	assert_memory_equal(e.name, "a\0b", 3);
}

static void
resolvers_are_read_from_their_file(void **state)
{
	static const char text[] = "# nameserver 10.0.0.9\nsearch x\nnameserver 10.0.0.1\n"
				   "nameserver\t 2001:db8::1 # here\nnameserver fe80::1%lo\n"
				   "xnameserver 10.0.0.8\nnameserver10.0.0.7";
	static const struct {
		const char *ip;
		int port;
		bool is;
	} rows[] = {
		{ "10.0.0.1", 53, true },
		{ "::ffff:10.0.0.1", 53, true },
		{ "10.0.0.1", 853, false },
		{ "10.0.0.1", 0, false },
		{ "2001:db8::1", 53, true },
		{ "fe80::1", 53, false }, /* which one */
		{ "10.0.0.9", 53, false },
		{ "10.0.0.8", 53, false },
		{ "10.0.0.7", 53, false },
		{ "127.0.0.1", 53, false },
	};
	struct endpoint e;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		e = endpoint(rows[i].ip, rows[i].port);
		assert_int_equal(endpoint_in_resolv(&e, text), rows[i].is);
	}
	e = endpoint("127.0.0.1", 53);
	assert_true(endpoint_in_resolv(&e, "search x\n"));
}

/* The same address on another link is another machine. */
static void
links_tell_addresses_apart(void **state)
{
	struct sockaddr_storage address = ip("fe80::1", 53);
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address;
	struct endpoint e;

	(void)state;
	for (unsigned link = 0; link < 3; link++) {
		in6->sin6_scope_id = link ? if_nametoindex("lo") + link - 1 : 0;
		assert_int_equal(endpoint_parse(&e, &address, sizeof(*in6), AF_INET6, SOCK_DGRAM,
					 ENDPOINT_SEND),
			0);
		assert_int_equal(endpoint_in_resolv(&e, "nameserver fe80::1%lo\n"), link == 1);
		assert_false(endpoint_in_resolv(&e, "nameserver fe80::1\n"));
		assert_int_equal(
			((struct sockaddr_in6 *)&e.address)->sin6_scope_id, in6->sin6_scope_id);
	}
	address = ip("2001:db8::1", 53);
	in6->sin6_scope_id = 7; /* nobody looks at it */
	assert_int_equal(
		endpoint_parse(&e, &address, sizeof(*in6), AF_INET6, SOCK_DGRAM, ENDPOINT_SEND), 0);
	assert_int_equal(((struct sockaddr_in6 *)&e.address)->sin6_scope_id, 0);
	assert_true(endpoint_in_resolv(&e, "nameserver 2001:db8::1\n"));
}

/* -- with real sockets ------------------------------------------------------------- */

static bool
is_it(void *data, uint64_t cookie)
{
	for (uint64_t *one = data; *one; one++)
		if (*one == cookie)
			return true;
	return false;
}

static int
bound(int type, const char *text, int port, bool reuse)
{
	struct sockaddr_storage address = ip(text, port);
	int fd = socket(address.ss_family, type | SOCK_CLOEXEC, 0), on = reuse;

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
				 address.ss_family == AF_INET ? sizeof(struct sockaddr_in)
							      : sizeof(struct sockaddr_in6)),
		0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static int
port_of(int fd)
{
	struct endpoint e;

	assert_int_equal(endpoint_of_socket(&e, fd), 0);
	return e.port;
}

static void
must_own(int type, const char *listen_on, const char *ask)
{
	auto_close int fd = bound(type, listen_on, 0, true);
	uint64_t ours[] = { endpoint_cookie(fd), 0, 0 }, none[] = { 0 };
	int port = port_of(fd);
	struct endpoint e = endpoint(ask, port);

	assert_true(ours[0] != 0);
	assert_int_equal(endpoint_owner(&e, type, is_it, ours), ENDPOINT_OURS);
	assert_int_equal(endpoint_owner(&e, type, is_it, none), ENDPOINT_OTHERS);
	auto_close int second = bound(type, listen_on, port, true);
	/* One of two that share the port is a stranger. */
	assert_int_equal(endpoint_owner(&e, type, is_it, ours), ENDPOINT_OTHERS);
	ours[1] = endpoint_cookie(second);
	assert_int_equal(endpoint_owner(&e, type, is_it, ours), ENDPOINT_OURS);
}

static void
owners_are_known_by_cookie(void **state)
{
	(void)state;
	must_own(SOCK_STREAM, "127.0.0.1", "127.0.0.1");
	must_own(SOCK_STREAM, "0.0.0.0", "127.0.0.1");
	must_own(SOCK_DGRAM, "127.0.0.1", "127.0.0.1");
	must_own(SOCK_DGRAM, "0.0.0.0", "127.0.0.1");
	auto_close int v6 = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct endpoint one = endpoint("::1", 0);

	if (v6 < 0 || endpoint_available(&one) < 0) {
		print_message("no IPv6 here: skipped\n");
		return;
	}
	must_own(SOCK_STREAM, "::", "127.0.0.1");
	must_own(SOCK_STREAM, "::1", "::1");
	must_own(SOCK_STREAM, "::ffff:127.0.0.1", "127.0.0.1");
	must_own(SOCK_DGRAM, "::", "::1");
}

static void
nobody_is_nobody(void **state)
{
	int fd = bound(SOCK_STREAM, "127.0.0.1", 0, false), port = port_of(fd);
	uint64_t none[] = { 0 };
	struct endpoint e = endpoint("127.0.0.1", port);

	(void)state;
	close(fd);
	assert_int_equal(endpoint_owner(&e, SOCK_STREAM, is_it, none), ENDPOINT_NOBODY);
}

static struct endpoint
named(int type, const char *name, int *ret_fd)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	socklen_t len = (socklen_t)(2 + 1 + strlen(name) + 1); /* a NUL at its end, too */
	struct endpoint e;

	memcpy(un.sun_path + 1, name, strlen(name));
	assert_int_equal(endpoint_parse(&e, &un, len, AF_UNIX, type, ENDPOINT_CONNECT), 0);
	if (!ret_fd)
		return e;
	*ret_fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(*ret_fd, (struct sockaddr *)&un, len), 0);
	if (type != SOCK_DGRAM)
		assert_int_equal(listen(*ret_fd, 4), 0);
	return e;
}

static void
names_belong_to_who_has_them_now(void **state)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
	char name[64], longer[70];

	(void)state;
	snprintf(name, sizeof(name), "ambit-owner-%d", (int)getpid());
	snprintf(longer, sizeof(longer), "%s-", name);
	for (size_t i = 0; i < 3; i++) {
		int type = types[i], other = types[(i + 1) % 3], fd, second;
		struct endpoint e = named(type, name, &fd), beside = named(type, longer, NULL);
		uint64_t ours[] = { endpoint_cookie(fd), 0 };

		assert_int_equal(endpoint_owner(&e, type, is_it, ours), ENDPOINT_OURS);
		assert_int_equal(endpoint_owner(&e, other, is_it, ours), ENDPOINT_NOBODY);
		assert_int_equal(endpoint_owner(&beside, type, is_it, ours), ENDPOINT_NOBODY);
		close(fd);
		assert_int_equal(endpoint_owner(&e, type, is_it, ours), ENDPOINT_NOBODY);
		named(type, name, &second);
		assert_int_equal(endpoint_owner(&e, type, is_it, ours), ENDPOINT_OTHERS);
		close(second);
	}
}

/* A connection that was accepted bears the name of its server, and nobody
 * reaches it by that. */
static void
accepted_connections_own_no_name(void **state)
{
	char name[64];
	int server;

	(void)state;
	snprintf(name, sizeof(name), "ambit-accept-%d", (int)getpid());
	struct endpoint e = named(SOCK_STREAM, name, &server);
	uint64_t ours[] = { endpoint_cookie(server), 0 };
	auto_close int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(client, (struct sockaddr *)&e.address, e.len), 0);
	auto_close int accepted = accept(server, NULL, NULL);
	assert_true(accepted >= 0);
	assert_int_equal(endpoint_owner(&e, SOCK_STREAM, is_it, ours), ENDPOINT_OURS);
	close(server);
	assert_int_equal(endpoint_owner(&e, SOCK_STREAM, is_it, ours), ENDPOINT_NOBODY);
}

static void
files_are_known_by_their_inode(void **state)
{
	char dir[SCRATCH_PATH];
	struct sockaddr_un a = { .sun_family = AF_UNIX }, b = a;
	auto_close int one = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	auto_close int two = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	auto_close int none = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	scratch_make(dir, sizeof(dir));
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/a", dir);
	snprintf(b.sun_path, sizeof(b.sun_path), "%s/b", dir);
	assert_int_equal(bind(one, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(bind(two, (struct sockaddr *)&b, sizeof(b)), 0);
	auto_close int fd = open(a.sun_path, O_PATH | O_CLOEXEC);
	assert_int_equal(endpoint_is_file(one, fd), 1);
	assert_int_equal(endpoint_is_file(two, fd), 0);
	assert_int_equal(endpoint_is_file(none, fd), 0);
	/* Another is moved to its name. */
	assert_int_equal(rename(b.sun_path, a.sun_path), 0);
	auto_close int moved = open(a.sun_path, O_PATH | O_CLOEXEC);
	assert_int_equal(endpoint_is_file(one, moved), 0);
	assert_int_equal(endpoint_is_file(two, moved), 1);
	assert_int_equal(unlink(a.sun_path), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void
the_server_of_a_file_is_known(void **state)
{
	char dir[64];
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	auto_close int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint32_t inode = 1;
	struct stat st;

	(void)state;
	scratch_make(dir, sizeof(dir));
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/a", dir);
	assert_int_equal(bind(server, (struct sockaddr *)&a, sizeof(a)), 0);
	auto_close int fd = open(a.sun_path, O_PATH | O_CLOEXEC);
	/* Nobody listens yet. */
	assert_int_equal(endpoint_server(fd, SOCK_STREAM, &inode), 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(endpoint_server(fd, SOCK_STREAM, &inode), 1);
	assert_int_equal(fstat(server, &st), 0);
	assert_int_equal(inode, st.st_ino);
	assert_int_equal(endpoint_server(fd, SOCK_DGRAM, &inode), 0);
	assert_int_equal(socket_holder((uint32_t)st.st_ino), getpid());
	assert_true(socket_holder_is_same(getpid(), getpid()));
	assert_false(socket_holder_is_same(getpid(), getppid()));
	fd_close_at(&server);
	assert_int_equal(socket_holder((uint32_t)st.st_ino), 0);
	assert_int_equal(unlink(a.sun_path), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void
the_other_end_of_a_socket_is_known(void **state)
{
	auto_close int single = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint32_t peer = 0;
	struct stat st;
	int pair[2], pipes[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(fstat(pair[1], &st), 0);
	assert_int_equal(endpoint_peer(pair[0], &peer), 1);
	assert_int_equal(peer, st.st_ino);
	assert_int_equal(endpoint_peer(single, &peer), 0);
	close(pair[1]);
	/* Nobody has it any more. */
	assert_int_equal(endpoint_peer(pair[0], &peer), 0);
	close(pair[0]);
	assert_int_equal(endpoint_peer(pipes[0], &peer), -EIO);
	close(pipes[0]);
	close(pipes[1]);
}

static void
a_device_makes_a_socket_another(void **state)
{
	auto_close int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	auto_close int local = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct if_nameindex *all = if_nameindex(), *one = all;

	(void)state;
	assert_true(endpoint_is_plain(udp, AF_INET, endpoint_network()));
	assert_true(endpoint_is_plain(local, AF_UNIX, endpoint_network()));
	while (one && one->if_index && strcmp(one->if_name, "lo") == 0)
		one++;
	if (one && one->if_index) {
		assert_int_equal(setsockopt(udp, SOL_SOCKET, SO_BINDTODEVICE, one->if_name,
					 (socklen_t)strlen(one->if_name) + 1),
			0);
		assert_false(endpoint_is_plain(udp, AF_INET, endpoint_network()));
	} else {
		print_message("no device but the loopback: skipped\n");
	}
	if_freenameindex(all);
}

static void
routes_tell_this_machine_from_others(void **state)
{
	struct endpoint e = endpoint("127.0.0.1", 80);
	bool own = false;

	(void)state;
	assert_int_equal(endpoint_route(&e, &own), 0);
	assert_true(own);
	e = endpoint("192.0.2.1", 80); /* an address of nobody */
	own = true;
	endpoint_route(&e, &own);
	assert_false(own);
	assert_int_equal(endpoint_available(&e), -EADDRNOTAVAIL);
	e = endpoint("127.0.0.1", 80);
	assert_int_equal(endpoint_available(&e), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_have_one_text),
		cmocka_unit_test(the_any_address_is_this_machine),
		cmocka_unit_test(loopback_is_not_only_one_address),
		cmocka_unit_test(no_family_means_what_the_call_makes_of_it),
		cmocka_unit_test(lengths_and_families_are_checked),
		cmocka_unit_test(unix_names_end_where_the_kernel_ends_them),
		cmocka_unit_test(resolvers_are_read_from_their_file),
		cmocka_unit_test(links_tell_addresses_apart),
		cmocka_unit_test(owners_are_known_by_cookie),
		cmocka_unit_test(names_belong_to_who_has_them_now),
		cmocka_unit_test(accepted_connections_own_no_name),
		cmocka_unit_test(files_are_known_by_their_inode),
		cmocka_unit_test(the_server_of_a_file_is_known),
		cmocka_unit_test(the_other_end_of_a_socket_is_known),
		cmocka_unit_test(a_device_makes_a_socket_another),
		cmocka_unit_test(nobody_is_nobody),
		cmocka_unit_test(routes_tell_this_machine_from_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
