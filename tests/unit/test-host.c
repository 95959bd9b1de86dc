/* SPDX-License-Identifier: Apache-2.0 */
/* One host has one spelling, and a pattern covers no more than it says. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "request/host.h"

struct spelling {
	const char *text;
	const char *host; /* NULL: refused */
	int port;
};

static void
check(int (*parse)(const char *, char **, int *), const struct spelling *s)
{
	char *host = NULL;
	int port = -1, r = parse(s->text, &host, &port);

	if (!s->host) {
		if (r != -EINVAL)
			fail_msg("'%s' was read as '%s'", s->text, host);
		return;
	}
	if (r != 0)
		fail_msg("'%s' was refused", s->text);
	assert_string_equal(host, s->host);
	assert_int_equal(port, s->port);
	free(host);
}

static void
every_spelling_of_a_host_becomes_one(void **state)
{
	static const struct spelling spellings[] = {
		{ "Example.COM", "example.com", 0 },
		{ "example.com.", "example.com", 0 },
		{ "example.com:443", "example.com", 443 },
		{ "a_b-c.example", "a_b-c.example", 0 },
		{ "xn--bcher-kva.example", "xn--bcher-kva.example", 0 },
		{ "10.0.0.1:80", "10.0.0.1", 80 },
		{ "[::1]:80", "::1", 80 },
		{ "[::1]", "::1", 0 },
		{ "::1", "::1", 0 },
		{ "FE80::0:1", "fe80::1", 0 },
		{ "2130706433", "127.0.0.1", 0 },
		{ "0x7f.1", "127.0.0.1", 0 },
		{ "0X7F000001", "127.0.0.1", 0 },
		{ "0177.0.0.1:8080", "127.0.0.1", 8080 },
		{ "127.1", "127.0.0.1", 0 },
		{ "169.254.43518", "169.254.169.254", 0 },
		{ "1.2.3.4.", "1.2.3.4", 0 },
		{ "::ffff:127.0.0.1", "127.0.0.1", 0 },
		{ "[::ffff:7f00:1]:22", "127.0.0.1", 22 },
		{ "0", "0.0.0.0", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		check(host_parse, &spellings[i]);
}

static void
what_two_programs_read_differently_is_no_host(void **state)
{
	static const char *const bad[] = { "", ".", "a..b", ".a", "a b", "a\tb", "a/b", "a\\b",
		"a@b", "a%2eb", "b\303\274cher.example", "a:", "a:0", "a:65536", "a:+80", "a: 80",
		"a:80x", "[::1", "::1]", "[::1]80", "[::1]:", "[1.2.3.4]", "[a]", ":80",
		"fe80::1%eth0", "::g", "256.1.1.1", "1.2.3.4.5", "1.2.3.256", "08.1", "0x", "1.0x",
		"4294967296", "1.2.65536", "foo.1", "*.example.com", "a\343\200\202b" };
	char label[65 + 5], name[260];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(host_parse, &(struct spelling){ bad[i], NULL, 0 });
	memset(label, 'a', 64);
	memcpy(label + 64, ".com", 5);
	check(host_parse, &(struct spelling){ label, NULL, 0 });
	memset(name, 'a', sizeof(name) - 1);
	for (size_t i = 50; i < sizeof(name) - 2; i += 50)
		name[i] = '.';
	name[sizeof(name) - 1] = '\0';
	check(host_parse, &(struct spelling){ name, NULL, 0 });
}

static void
a_urls_host_is_where_it_connects(void **state)
{
	static const struct spelling urls[] = {
		{ "https://example.com/x?y#z", "example.com", 443 },
		{ "HTTP://Example.com", "example.com", 80 },
		{ "http://example.com:8080/", "example.com", 8080 },
		{ "http://example.com:/", "example.com", 80 },
		{ "https://good.com@evil.com/", "evil.com", 443 },
		{ "https://good.com:443@evil.com:444/", "evil.com", 444 },
		{ "https://evil.com?@good.com", "evil.com", 443 },
		{ "https://evil.com#@good.com", "evil.com", 443 },
		{ "ssh://git@host.example/x", "host.example", 22 },
		{ "git://host.example", "host.example", 9418 },
		{ "wss://host.example", "host.example", 443 },
		{ "ftp://host.example", "host.example", 21 },
		{ "http://[::1]:3000/", "::1", 3000 },
		{ "http://0x7f.1/", "127.0.0.1", 80 },
		{ "https://example.com/k\xc3\xa4se", "example.com", 443 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++)
		check(host_parse_url, &urls[i]);
}

static void
an_odd_url_is_refused(void **state)
{
	static const char *const bad[] = { "", "example.com", "http:example.com",
		"http:/example.com", "http:///example.com", "http://", "http://@", "http://a@b@c/",
		"http://a\\@b/", "http://a/\\b", "http://a /", "http://a/ b", "http://a\n/",
		"http://\ta", " http://a", "file:///etc/passwd", "javascript:alert(1)",
		"data:text/plain,x", "gopher://a", "http://a%2eb/", "http://b\303\274cher/",
		"http://::1/", "http://[::1/", "http://a:99999/", "http://a:b:c/", "http://<a>/",
		"git@host:path", "http://a/\x7f" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(host_parse_url, &(struct spelling){ bad[i], NULL, 0 });
}

static void
a_pattern_matches_what_it_says(void **state)
{
	static const struct {
		const char *pattern, *host;
		int port;
		bool match;
	} cases[] = {
		{ "example.com", "example.com", 443, true },
		{ "example.com", "EXAMPLE.com.", 0, true },
		{ "example.com", "www.example.com", 443, false },
		{ "example.com", "notexample.com", 443, false },
		{ "*.example.com", "www.example.com", 443, true },
		{ "*.example.com", "a.b.example.com", 443, true },
		{ "*.example.com", "example.com", 443, false },
		{ "*.example.com", "notexample.com", 443, false },
		{ "*.example.com", "example.com.evil.net", 443, false },
		{ "example.com:443", "example.com", 443, true },
		{ "example.com:443", "example.com", 80, false },
		{ "example.com:443", "example.com", 0, false },
		{ "*.example.com:443", "www.example.com", 443, true },
		{ "*.example.com:443", "www.example.com", 80, false },
		{ "*", "example.com", 80, true },
		{ "*", "10.0.0.1", 80, false },
		{ "*", "::1", 80, false },
		{ "*", "2130706433", 80, false },
		{ "*", "localhost", 80, false },
		{ "*", "x.localhost", 80, false },
		{ "localhost", "localhost", 80, true },
		{ "10.1.2.3", "10.1.2.3", 80, true },
		{ "10.1.2.3", "10.1.2.4", 80, false },
		{ "127.0.0.1", "0x7f.1", 80, true },
		{ "127.0.0.1", "::ffff:127.0.0.1", 80, true },
		{ "10.0.0.0/8", "10.255.0.1", 80, true },
		{ "10.0.0.0/8", "11.0.0.1", 80, false },
		{ "10.0.0.0/8", "10.example.com", 80, false },
		{ "172.16.0.0/12", "172.31.255.255", 80, true },
		{ "172.16.0.0/12", "172.32.0.0", 80, false },
		{ "0.0.0.0/0", "8.8.8.8", 80, true },
		{ "0.0.0.0/0", "::1", 80, false },
		{ "[fe80::]/10", "febf::1", 80, true },
		{ "[fe80::]/10", "fec0::1", 80, false },
		{ "[::1]:80", "::1", 80, true },
		{ "[::1]:80", "::1", 81, false },
		{ "[::ffff:10.0.0.0]/104", "10.9.9.9", 0, true },
		{ "example.com", "exa mple.com", 0, false },
		{ "bad pattern", "bad pattern", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (host_match(cases[i].pattern, cases[i].host, cases[i].port) != cases[i].match)
			fail_msg(
				"%s against %s:%d", cases[i].pattern, cases[i].host, cases[i].port);
}

static void
a_pattern_that_means_something_else_is_refused(void **state)
{
	static const char *const good[] = { "example.com", "*.example.com", "example.com:443",
		"10.1.2.3", "10.0.0.0/8", "[fe80::]/10", "[::1]:80", "*", "::1", "unix:/run/x",
		"unix:/run/*", "unix:@x" };
	static const char *const bad[] = { "", "*.", "*.*", "a.*", "exa*mple.com", "**",
		"*.10.0.0.1", "10.1.2.3/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1",
		"10.0.0.0/08", "10.0.0.0/8:80", "example.com/8", "[fe80::]/129", "[::1",
		"http://example.com", "example.com:0", "example.com/", "a b", "*:", "/8", "*/8",
		"[::ffff:10.0.0.0]/95", "unix:", "unix:/", "unix:@", "unix:x" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(host_pattern_check(good[i]), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (host_pattern_check(bad[i]) != -EINVAL)
			fail_msg("'%s' was accepted", bad[i]);
}

static void
an_address_of_this_machine_or_network_is_local(void **state)
{
	static const char *const local[] = { "127.0.0.1", "127.255.1.1", "0.0.0.0", "10.1.1.1",
		"172.16.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200", "224.0.0.1",
		"255.255.255.255", "::1", "::", "[::1]", "fe80::1", "fd00:ec2::254", "ff02::1",
		"::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "2002:7f00:1::", "2130706433",
		"0x7f.1", "192.0.0.192" };
	static const char *const remote[] = { "8.8.8.8", "172.32.0.1", "2606:4700::1111",
		"64:ff9b::8.8.8.8", "2002:808:808::", "example.com", "10.example.com", "",
		"not a host" };

	(void)state;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (!host_is_local(local[i]))
			fail_msg("%s is local", local[i]);
	for (size_t i = 0; i < sizeof(remote) / sizeof(remote[0]); i++)
		if (host_is_local(remote[i]))
			fail_msg("%s is not local", remote[i]);
}

static void
a_socket_is_told_by_what_it_can_do(void **state)
{
	static const struct {
		const char *host, *text;
	} sockets[] = {
		{ "unix:/run/docker.sock", "full control of this machine" },
		{ "unix:/var/run/docker.sock", "full control of this machine" },
		{ "unix:/run/user/1000/docker.sock", "full control of this machine" },
		{ "unix:/run/user/1000/podman/podman.sock", "full control of this machine" },
		{ "unix:/run/containerd/containerd.sock", "full control of this machine" },
		{ "unix:/run/crio/crio.sock", "full control of this machine" },
		{ "unix:/run/libvirt/libvirt-sock", "virtual machines" },
		{ "unix:/run/dbus/system_bus_socket", "as root" },
		{ "unix:/run/user/1000/bus", "starts programs as you" },
		{ "unix:@/tmp/dbus-XXXX", "starts programs as you" },
		{ "unix:/run/user/1000/systemd/private", "starts programs as you" },
		{ "unix:/run/systemd/journal/socket", "log" },
		{ "unix:/tmp/ssh-abc/agent.123", "signs in as you" },
		{ "unix:/home/u/.ssh/agent/s.abc", "signs in as you" },
		{ "unix:/run/user/1000/keyring/ssh", "signs in as you" },
		{ "unix:/run/user/1000/gnupg/S.gpg-agent.ssh", "signs in as you" },
		{ "unix:/run/user/1000/gnupg/S.gpg-agent", "signs and decrypts as you" },
		{ "unix:/tmp/.X11-unix/X0", "types into your windows" },
		{ "unix:@/tmp/.X11-unix/X0", "types into your windows" },
		{ "unix:/run/user/1000/wayland-0", "types into your windows" },
		{ "unix:/tmp/tmux-1000/default", "types into your terminals" },
		{ "unix:/run/user/1000/pipewire-0", "microphone" },
		{ "unix:/run/user/1000/pulse/native", "microphone" },
		{ "unix:/run/postgresql/.s.PGSQL.5432", "database" },
		{ "unix:/tmp/.s.PGSQL.5432", "database" },
		{ "unix:/run/mysqld/mysqld.sock", "database" },
		{ "unix:/run/redis/redis-server.sock", "database" },
		{ "unix:/tmp/x", "a process outside may act" },
		/* The worst of several. */
		{ "unix:/home/redis/docker.sock", "full control of this machine" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++)
		if (!strstr(host_unix_text(sockets[i].host), sockets[i].text))
			fail_msg("%s: %s", sockets[i].host, host_unix_text(sockets[i].host));
}

static void
a_port_of_the_pattern_will_do_for_a_look_up(void **state)
{
	(void)state;
	assert_false(host_match("api.test:443", "api.test", 0));
	assert_true(host_match("api.test:443", "api.test", HOST_PORT_ANY));
	assert_true(host_match("*.api.test:443", "a.api.test", HOST_PORT_ANY));
	assert_false(host_match("api.test:443", "other.test", HOST_PORT_ANY));
}

static void
names_that_could_carry_data_are_long(void **state)
{
	(void)state;
	assert_false(host_is_long("example.com"));
	assert_false(host_is_long("a123456789b123456789c123456789d123456789.example"));
	assert_true(host_is_long("a123456789b123456789c123456789d1234567890.example"));
	assert_true(host_is_long("x.a123456789b123456789c123456789d1234567890"));
	assert_false(host_is_long("unix:/run/a123456789b123456789c123456789d1234567890"));
	assert_false(host_is_long("2001:db8::1"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling_of_a_host_becomes_one),
		cmocka_unit_test(what_two_programs_read_differently_is_no_host),
		cmocka_unit_test(a_urls_host_is_where_it_connects),
		cmocka_unit_test(an_odd_url_is_refused),
		cmocka_unit_test(a_pattern_matches_what_it_says),
		cmocka_unit_test(a_pattern_that_means_something_else_is_refused),
		cmocka_unit_test(an_address_of_this_machine_or_network_is_local),
		cmocka_unit_test(a_socket_is_told_by_what_it_can_do),
		cmocka_unit_test(a_port_of_the_pattern_will_do_for_a_look_up),
		cmocka_unit_test(names_that_could_carry_data_are_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
