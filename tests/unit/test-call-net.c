/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about sockets, IPC and processes, done on behalf of a real process: a
 * fork of the test that stands still, with the same memory and descriptors. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/program.h"
#include "base/str.h"
#include "line/socket/endpoint.h"
#include "line/gate/gate-private.h"
#include "perform/permit.h"
#include "scratch.h"

struct world {
	struct gate gate;
	struct floor *floor;
	struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_engine *engine;
	char dir[64];
	pid_t child;
	char host[256]; /* what the last call asked for, or "" */
};

static int
setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	scratch_make(w->dir, sizeof(w->dir));
	assert_int_equal(chdir(w->dir), 0);
	w->gate.made = session_objects_create();
	w->gate.net = AMBIT_NET_ASK;
	w->gate.network = endpoint_network();
	w->gate.o.tree.keeper = getpid();
	w->gate.o.listener = -1;
	*state = w;
	return 0;
}

/* With a folder, which is the directory of the test, and a floor. */
static int
setup_folder(void **state)
{
	struct ambit_scope_options scope = {
		.places = { .home = "/usr", .config = "/usr/none", .state = "/usr/nothing" },
	};
	struct ambit_settings_options settings = { .home = "/usr" };
	struct ambit_engine_options options = { .door = "test" };
	struct ambit_error err = { 0 };
	const char *folder;
	struct world *w;

	setup(state);
	w = *state;
	folder = settings.folder = scope.root = w->dir;
	if (ambit_settings_load(&settings, &w->settings, &err) < 0 ||
		ambit_scope_create(&scope, &w->scope, &err) < 0)
		fail_msg("%s", err.text);
	options.settings = w->settings;
	options.scope = w->scope;
	if (ambit_engine_create(&options, &w->engine, &err) < 0 ||
		floor_create(&(struct floor_options){ .writable = &folder, .n_writable = 1 },
			&w->floor, &err) < 0)
		fail_msg("%s", err.text);
	w->gate.o.engine = w->engine;
	w->gate.o.floor = w->floor;
	return 0;
}

static void
let_go(struct world *w)
{
	if (w->child > 0) {
		kill(w->child, SIGKILL);
		waitpid(w->child, NULL, 0);
	}
	w->child = 0;
}

static int
teardown(void **state)
{
	struct world *w = *state;
	char command[PATH_MAX];

	let_go(w);
	session_objects_destroy(w->gate.made);
	ambit_engine_destroy(w->engine);
	ambit_scope_destroy(w->scope);
	ambit_settings_destroy(w->settings);
	floor_destroy(w->floor);
	for (const char *const *name = (const char *const[]){ "a.sock", "b.sock", "d/a.sock",
		     "e/a.sock", "e/sub", "d/sub", "d", "e", "moved/a.sock", "moved", NULL };
		*name; name++) {
		snprintf(command, sizeof(command), "%s/%s", w->dir, *name);
		if (unlink(command) < 0)
			rmdir(command);
	}
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(w->dir), 0);
	free(w);
	return 0;
}

/* From here on the child has what the test has now. */
static void
stand(struct world *w)
{
	let_go(w);
	w->child = fork();
	if (w->child == 0)
		for (;;)
			pause();
	assert_true(w->child > 0);
}

static const struct sys_row *
find_row(const char *name)
{
	const struct sys_row *row;

	for (size_t i = 0; (row = sys_at(i)) != NULL; i++)
		if (streq(row->name, name))
			return row;
	fail_msg("no row for %s", name);
	return NULL;
}

static void
begin(struct world *w, struct call *call, const char *name, const uint64_t *args)
{
	call_init(call);
	call->gate = &w->gate;
	call->row = find_row(name);
	memcpy(call->args, args, sizeof(call->args));
	target_init(&call->target, w->child);
	w->host[0] = '\0';
}

#define CONTINUED 4711
#define HANDED_OVER 4712

static int64_t
finish(struct world *w, struct call *call, const struct call_op *op)
{
	struct pass pass = { .engine = (const struct ambit_engine *)w };
	int r;

	if (call->host)
		snprintf(w->host, sizeof(w->host), "%s", call->host);
	r = op->perform(call, &pass);
	if (r == 0) {
		assert_null(pass.engine);
		if (call->answer.kind == ANSWER_FD)
			return steal_fd(&call->answer.fd);
		assert_int_equal(call->answer.kind, ANSWER_VALUE);
	}
	if (r == CALL_HAND_OVER)
		return HANDED_OVER;
	return r < 0 ? r : call->answer.value;
}

/* All of one call; everything is allowed. What is to be done by a worker is done
 * by the same thread here. */
#define do_call(w, name, op, ...) do_call_(w, name, &(op), (const uint64_t[6]){ __VA_ARGS__ })
static int64_t
do_call_(struct world *w, const char *name, const struct call_op *op, const uint64_t *args)
{
	struct call *call = malloc(sizeof(*call));
	int64_t r;

	begin(w, call, name, args);
	r = op->prepare(call);
	if (r == CALL_DECIDE) {
		assert_false(call->may_continue);
		r = finish(w, call, op);
		if (r == HANDED_OVER) {
			assert_int_not_equal(call->pace, PACE_SLOW);
			call->round = ROUND_AGAIN;
			assert_int_equal(op->prepare(call), CALL_DECIDE);
			assert_int_equal(call->pace, PACE_SLOW);
			r = finish(w, call, op);
		}
	} else if (r == CALL_ANSWERED) {
		assert_int_equal(call->answer.kind, ANSWER_CONTINUE);
		r = CONTINUED;
	}
	call_finish(call);
	free(call);
	return r;
}

#define P(pointer) ((uint64_t)(uintptr_t)(pointer))

static struct sockaddr_in
loopback(int port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

static int
port_of(int fd)
{
	struct sockaddr_in in = { 0 };
	socklen_t len = sizeof(in);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	return ntohs(in.sin_port);
}

/* -- inet --------------------------------------------------------------------------- */

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

/* -- unix ----------------------------------------------------------------------------- */

static struct sockaddr_un
at_path(const char *path)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	memcpy(un.sun_path, path, strlen(path) + 1);
	return un;
}

/* Returns what getsockname shows. */
static const char *
bound_path_is_own(struct world *w, const char *text)
{
	auto_close int server = socket(AF_UNIX, SOCK_STREAM, 0);
	auto_close int client = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un un = at_path(text);
	static struct sockaddr_un shown;
	socklen_t len = sizeof(shown);
	struct stat st;
	mode_t before = umask(027);

	stand(w);
	umask(before);
	assert_int_equal(do_call(w, "bind", call_bind, server, P(&un), sizeof(un)), 0);
	assert_int_equal(stat(text, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0750);
	memset(&shown, 0, sizeof(shown));
	assert_int_equal(getsockname(server, (struct sockaddr *)&shown, &len), 0);
	assert_int_equal(do_call(w, "listen", call_listen, server, 5), 0);
	assert_int_equal(do_call(w, "connect", call_connect, client, P(&un), sizeof(un)), 0);
	assert_string_equal(w->host, "");
	close(accept(server, NULL, NULL));
	assert_int_equal(do_call(w, "bind", call_bind, client, P(&un), sizeof(un)), -EADDRINUSE);
	return shown.sun_path;
}

static void
own_paths_are_free(void **state)
{
	struct world *w = *state;
	char path[128];

	assert_int_equal(mkdir("d", 0700), 0);
	assert_string_equal(bound_path_is_own(w, "a.sock"), "a.sock");
	/* On its own ground. */
	assert_string_equal(bound_path_is_own(w, "d/a.sock"), "d/a.sock");
	/* Firm. */
	snprintf(path, sizeof(path), "%s/b.sock", w->dir);
	assert_string_equal(bound_path_is_own(w, path), path);
	/* Where both texts go through what can be exchanged, and the floor has no say. */
	floor_destroy(w->floor);
	assert_int_equal(
		floor_create(&(struct floor_options){ .n_writable = 0 }, &w->floor, NULL), 0);
	w->gate.o.floor = w->floor;
	assert_int_equal(unlink("d/a.sock"), 0);
	assert_memory_equal(bound_path_is_own(w, "d/a.sock"), "/proc/self/fd/", 14);
}

/* The text goes through a link; the real path does not. */
static void
a_link_is_left_out(void **state)
{
	struct world *w = *state;
	char path[128];

	assert_int_equal(symlink(w->dir, "d"), 0);
	snprintf(path, sizeof(path), "%s/a.sock", w->dir);
	assert_string_equal(bound_path_is_own(w, "d/a.sock"), path);
}

/* The kernel takes a text that has no room for its end. */
static void
the_longest_text_is_bound(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	char name[sizeof(un.sun_path) + 1] = "";

	memset(name, 'x', sizeof(un.sun_path));
	memcpy(un.sun_path, name, sizeof(un.sun_path));
	stand(w);
	assert_int_equal(do_call(w, "bind", call_bind, server, P(&un), sizeof(un)), 0);
	assert_int_equal(unlink(name), 0);
}

static void
paths_of_others_are_asked(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_UNIX, SOCK_STREAM, 0);
	auto_close int client = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un un = at_path("a.sock"), missing = at_path("none.sock");
	char expected[128];

	assert_int_equal(bind(server, (struct sockaddr *)&un, sizeof(un)), 0);
	assert_int_equal(listen(server, 5), 0);
	stand(w);
	assert_int_equal(
		do_call(w, "connect", call_connect, client, P(&missing), sizeof(un)), -ENOENT);
	assert_int_equal(do_call(w, "connect", call_connect, client, P(&un), sizeof(un)), 0);
	snprintf(expected, sizeof(expected), "unix:%s/a.sock", w->dir);
	assert_string_equal(w->host, expected);
	assert_true(w->gate.connected);
	close(accept(server, NULL, NULL));
}

/* Between the decision and the deed the directory becomes a link elsewhere: the socket is
 * made in the directory that was decided about, whatever its name is now. */
static void
a_bind_stays_where_it_was_decided(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un un = at_path("d/a.sock");
	struct call *call = malloc(sizeof(*call));
	struct stat st;

	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("e", 0700), 0);
	stand(w);
	begin(w, call, "bind", (const uint64_t[6]){ (uint64_t)server, P(&un), sizeof(un) });
	assert_int_equal(call_bind.prepare(call), CALL_DECIDE);
	assert_int_equal(call->n_needs, 1);
	assert_int_equal(rename("d", "moved"), 0);
	assert_int_equal(symlink("e", "d"), 0);
	assert_int_equal(finish(w, call, &call_bind), 0);
	assert_int_equal(lstat("e/a.sock", &st), -1);
	assert_int_equal(lstat("moved/a.sock", &st), 0);
	auto_close int fd = open("moved/a.sock", O_PATH | O_CLOEXEC);
	assert_true(session_objects_has(w->gate.made, fd));
	call_finish(call);
	free(call);
}

static atomic_bool exchanging;

/* d is a directory, then a link to one beneath it. */
static void *
exchange_names(void *unused)
{
	(void)unused;
	while (atomic_load(&exchanging))
		syscall(SYS_renameat2, AT_FDCWD, "d", AT_FDCWD, "e", 2);
	return NULL;
}

static bool
hears(const char *path)
{
	auto_close int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct sockaddr_un un = at_path(path);

	return connect(client, (struct sockaddr *)&un, sizeof(un)) == 0;
}

/* On its own ground the text is walked, and may be led elsewhere on it. A bind that says
 * no has made nothing that hears. */
static void
a_socket_led_elsewhere_is_deaf(void **state)
{
	static const char *const places[] = { "d/a.sock", "e/a.sock", "d/sub/a.sock",
		"e/sub/a.sock" };
	struct world *w = *state;
	struct sockaddr_un un = at_path("d/a.sock");
	int64_t until = clock_steady() + 500;
	pthread_t thread;

	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("d/sub", 0700), 0);
	assert_int_equal(symlink("e/sub", "e"), 0);
	atomic_store(&exchanging, true);
	assert_int_equal(pthread_create(&thread, NULL, exchange_names, NULL), 0);
	while (clock_steady() < until) {
		int server = socket(AF_UNIX, SOCK_STREAM, 0);
		bool heard = false;
		int64_t r;

		stand(w);
		r = do_call(w, "bind", call_bind, server, P(&un), sizeof(un));
		listen(server, 5);
		for (size_t i = 0; i < 4; i++)
			heard |= hears(places[i]);
		if (r < 0 && heard)
			fail_msg("%s, and it is heard", strerror((int)-r));
		let_go(w);
		close(server);
		for (size_t i = 0; i < 4; i++)
			unlink(places[i]);
	}
	atomic_store(&exchanging, false);
	pthread_join(thread, NULL);
	for (size_t i = 0; i < 4; i++)
		unlink(places[i]);
}

/* A name alone is bound where it was decided, wherever the program has gone. */
static void
a_bare_name_stays_in_its_directory(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_UNIX, SOCK_STREAM, 0);
	auto_close int fd = -1;
	struct sockaddr_un un = at_path("a.sock");
	struct call *call = malloc(sizeof(*call));

	stand(w);
	begin(w, call, "bind", (const uint64_t[6]){ (uint64_t)server, P(&un), sizeof(un) });
	assert_int_equal(call_bind.prepare(call), CALL_DECIDE);
	close(call->cwd_fd);
	call->cwd_fd = open("/", O_PATH | O_CLOEXEC);
	assert_int_equal(finish(w, call, &call_bind), 0);
	fd = open("a.sock", O_PATH | O_CLOEXEC);
	assert_true(session_objects_has(w->gate.made, fd));
	call_finish(call);
	free(call);
}

static void
abstract_names_are_compared_whole(void **state)
{
	struct world *w = *state;
	auto_close int server = socket(AF_UNIX, SOCK_STREAM, 0);
	auto_close int other = socket(AF_UNIX, SOCK_STREAM, 0);
	auto_close int unnamed = socket(AF_UNIX, SOCK_STREAM, 0);
	auto_close int client = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un ours = { .sun_family = AF_UNIX }, theirs = ours;
	socklen_t len = 2 + 24;
	char expected[64];

	snprintf(ours.sun_path + 1, 64, "ambit-%08d", (int)getpid());
	theirs = ours;
	theirs.sun_path[20] = 'x';
	assert_int_equal(bind(other, (struct sockaddr *)&theirs, len), 0);
	assert_int_equal(listen(other, 5), 0);
	stand(w);
	assert_int_equal(do_call(w, "bind", call_bind, server, P(&ours), len), 0);
	assert_int_equal(do_call(w, "listen", call_listen, server, 5), 0);
	assert_int_equal(do_call(w, "connect", call_connect, client, P(&theirs), len), 0);
	snprintf(expected, sizeof(expected), "unix:@ambit-%08d", (int)getpid());
	assert_memory_equal(w->host, expected, strlen(expected));
	assert_non_null(strstr(w->host, "\\x00x"));
	close(client);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, client, P(&ours), len), 0);
	assert_string_equal(w->host, "");
	/* The kernel chose the name. */
	assert_int_equal(do_call(w, "bind", call_bind, unnamed, P(&ours), 2), 0);
	len = sizeof(theirs);
	assert_int_equal(getsockname(unnamed, (struct sockaddr *)&theirs, &len), 0);
	assert_int_equal(do_call(w, "listen", call_listen, unnamed, 5), 0);
	close(client);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, client, P(&theirs), len), 0);
	assert_string_equal(w->host, "");
}

/* Bound here, closed, bound by somebody else. */
static void
an_abstract_name_is_not_ours_for_ever(void **state)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM };
	struct world *w = *state;
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	char expected[128];

	snprintf(un.sun_path + 1, 64, "ambit-ever-%08d", (int)getpid());
	snprintf(expected, sizeof(expected), "unix:@%s", un.sun_path + 1);
	socklen_t len = (socklen_t)(3 + strlen(un.sun_path + 1));
	for (size_t i = 0; i < 2; i++) {
		int server = socket(AF_UNIX, types[i], 0);
		auto_close int client = socket(AF_UNIX, types[i], 0);
		auto_close int other = socket(AF_UNIX, types[i], 0);

		stand(w);
		assert_int_equal(do_call(w, "bind", call_bind, server, P(&un), len), 0);
		let_go(w);
		close(server);
		stand(w);
		assert_int_equal(
			do_call(w, "connect", call_connect, client, P(&un), len), -ECONNREFUSED);
		assert_int_equal(bind(other, (struct sockaddr *)&un, len), 0);
		if (types[i] == SOCK_STREAM)
			assert_int_equal(listen(other, 5), 0);
		stand(w);
		assert_int_equal(do_call(w, "connect", call_connect, client, P(&un), len), 0);
		assert_string_equal(w->host, expected);
		if (types[i] == SOCK_DGRAM) {
			assert_int_equal(
				do_call(w, "sendto", call_send, client, P("x"), 1, 0, P(&un), len),
				1);
			assert_string_equal(w->host, expected);
		}
	}
}

static void
descriptors_travel(void **state)
{
	struct world *w = *state;
	static char data[] = "abcdef";
	static struct iovec iov[2];
	static union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	static struct msghdr head, got;
	int pair[2], ends[2], *fd = (int *)CMSG_DATA(&control.align), arrived;
	char text[16] = "";

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(pipe(ends), 0);
	iov[0] = (struct iovec){ data, 2 };
	iov[1] = (struct iovec){ data + 2, 4 };
	control.align = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(fd, &ends[1], sizeof(int));
	head = (struct msghdr){ .msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	stand(w);
	close(ends[1]); /* only the child has it */
	assert_int_equal(do_call(w, "sendmsg", call_send, pair[0], P(&head), 0), 6);
	iov[0] = (struct iovec){ text, sizeof(text) };
	got = (struct msghdr){ .msg_iov = iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	assert_int_equal(recvmsg(pair[1], &got, MSG_DONTWAIT), 6);
	assert_string_equal(text, "abcdef");
	memcpy(&arrived, fd, sizeof(int));
	assert_int_equal(write(arrived, "!", 1), 1);
	assert_int_equal(read(ends[0], text, 1), 1);
	close(arrived);

	/* IP options in there would lead the data elsewhere. */
	auto_close int udp = socket(AF_INET, SOCK_DGRAM, 0);
	control.align = (struct cmsghdr){ CMSG_LEN(4), IPPROTO_IP, IP_RETOPTS };
	stand(w);
	assert_int_equal(do_call(w, "sendmsg", call_send, udp, P(&head), 0), -EINVAL);
	close(pair[0]);
	close(pair[1]);
	close(ends[0]);
}

static void
many_messages_tell_their_lengths(void **state)
{
	struct world *w = *state;
	static struct mmsghdr heads[3];
	static struct iovec iov[3];
	struct target target;
	int pair[2];
	char text[16];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	memset(heads, 0, sizeof(heads));
	for (size_t i = 0; i < 3; i++) {
		iov[i] = (struct iovec){ (void *)"abcdef", i + 1 };
		heads[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	stand(w);
	assert_int_equal(do_call(w, "sendmmsg", call_send, pair[0], P(heads), 3, 0), 3);
	target_init(&target, w->child);
	for (unsigned i = 0; i < 3; i++) {
		unsigned len = 0;

		assert_int_equal(target_read(&target, P(&heads[i].msg_len), &len, sizeof(len)), 0);
		assert_int_equal(len, i + 1);
		assert_int_equal(recv(pair[1], text, sizeof(text), MSG_DONTWAIT), i + 1);
	}
	target_finish(&target);
	close(pair[0]);
	close(pair[1]);
}

static void
nobody_listening_costs_a_signal(void **state)
{
	struct world *w = *state;
	static struct iovec iov = { (void *)"x", 1 };
	static struct msghdr head;
	int pair[2], status;

	head = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	close(pair[1]);
	stand(w);
	assert_int_equal(do_call(w, "sendmsg", call_send, pair[0], P(&head), MSG_NOSIGNAL), -EPIPE);
	assert_int_equal(waitpid(w->child, &status, WNOHANG), 0);
	assert_int_equal(do_call(w, "sendmsg", call_send, pair[0], P(&head), 0), -EPIPE);
	assert_int_equal(waitpid(w->child, &status, 0), w->child);
	w->child = 0;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	close(pair[0]);
}

struct reader {
	int fd;
	size_t n;
	bool same;
};

/* Reads to the end, and compares with what was sent. */
static void *
read_all(void *data)
{
	struct reader *reader = data;
	unsigned char some[4096];
	ssize_t n;

	reader->same = true;
	while ((n = read(reader->fd, some, sizeof(some))) > 0)
		for (ssize_t i = 0; i < n; i++, reader->n++)
			reader->same = reader->same && some[i] == (unsigned char)(reader->n % 251);
	return NULL;
}

/* From here on a call is still waited for: a filter that notifies, and nobody
 * who answers. The descriptor says of each id whether it is one. */
static pid_t
wait_in_a_call(int *ret_listener, uint64_t *ret_id)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = code };
	struct seccomp_notif notice = { 0 };
	int number = -1, fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		number = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
		if (write(fds[1], &number, sizeof(number)) == sizeof(number) && number >= 0)
			syscall(SYS_getppid);
		_exit(0);
	}
	assert_int_equal(read(fds[0], &number, sizeof(number)), sizeof(number));
	close(fds[0]);
	close(fds[1]);
	assert_true(number >= 0);
	auto_close int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	*ret_listener = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	assert_true(*ret_listener >= 0);
	assert_int_equal(ioctl(*ret_listener, SECCOMP_IOCTL_NOTIF_RECV, &notice), 0);
	*ret_id = notice.id;
	return pid;
}

/* What a blocking send was given it sends, however little fits at a time. */
static void
a_blocking_stream_sends_all(void **state)
{
	static const size_t sizes[] = { 1, 60000, 65536, 3u << 20 };
	static unsigned char data[3u << 20];
	static struct iovec iov[2];
	static struct msghdr head;
	struct world *w = *state;
	uint64_t id;
	pid_t waiting = wait_in_a_call(&w->gate.o.listener, &id);

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i % 251);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct call *call = malloc(sizeof(*call));
		int pair[2], little = 4608;
		struct reader reader = { 0 };
		pthread_t thread;

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		assert_int_equal(
			setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &little, sizeof(int)), 0);
		iov[0] = (struct iovec){ data, sizes[i] / 3 };
		iov[1] = (struct iovec){ data + sizes[i] / 3, sizes[i] - sizes[i] / 3 };
		head = (struct msghdr){ .msg_iov = iov, .msg_iovlen = 2 };
		stand(w);
		begin(w, call, "sendmsg", (const uint64_t[6]){ (uint64_t)pair[0], P(&head), 0 });
		call->id = id;
		assert_int_equal(call_send.prepare(call), CALL_DECIDE);
		if (call->pace != PACE_SLOW && sizes[i] > 1) {
			/* Nobody reads yet. */
			assert_int_equal(finish(w, call, &call_send), HANDED_OVER);
			call->round = ROUND_AGAIN;
			assert_int_equal(call_send.prepare(call), CALL_DECIDE);
			assert_int_equal(call->pace, PACE_SLOW);
		}
		reader.fd = pair[1];
		assert_int_equal(pthread_create(&thread, NULL, read_all, &reader), 0);
		assert_int_equal(finish(w, call, &call_send), sizes[i]);
		call_finish(call);
		free(call);
		let_go(w);
		close(pair[0]);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(reader.n, sizes[i]);
		assert_true(reader.same);
		close(pair[1]);
	}
	kill(waiting, SIGKILL);
	waitpid(waiting, NULL, 0);
	close(w->gate.o.listener);
}

/* Not longer than the socket says, and then what went is what counts. */
static void
a_blocking_stream_has_its_own_timeout(void **state)
{
	static char data[60000];
	static struct iovec iov = { data, sizeof(data) };
	static struct msghdr head;
	const struct timeval timeout = { .tv_usec = 30000 };
	struct world *w = *state;
	int pair[2], little = 4608;
	uint64_t id;
	pid_t waiting = wait_in_a_call(&w->gate.o.listener, &id);

	head = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &little, sizeof(int)), 0);
	assert_int_equal(
		setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)), 0);
	stand(w);
	for (int i = 0; i < 2; i++) {
		struct call *call = malloc(sizeof(*call));
		int64_t n;

		begin(w, call, "sendmsg", (const uint64_t[6]){ (uint64_t)pair[0], P(&head), 0 });
		call->id = id;
		assert_int_equal(call_send.prepare(call), CALL_DECIDE);
		assert_int_equal(finish(w, call, &call_send), HANDED_OVER);
		call->round = ROUND_AGAIN;
		assert_int_equal(call_send.prepare(call), CALL_DECIDE);
		n = finish(w, call, &call_send);
		if (i == 0)
			assert_in_range(n, 1, sizeof(data) - 1);
		else
			assert_int_equal(n, -EAGAIN);
		call_finish(call);
		free(call);
	}
	close(pair[0]);
	close(pair[1]);
	kill(waiting, SIGKILL);
	waitpid(waiting, NULL, 0);
	close(w->gate.o.listener);
}

static void
a_full_socket_does_not_hold_the_gate(void **state)
{
	struct world *w = *state;
	static char data[4096];
	static struct iovec iov = { data, sizeof(data) };
	static struct msghdr head;
	int pair[2];

	head = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	while (send(pair[0], data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	stand(w);
	assert_int_equal(
		do_call(w, "sendmsg", call_send, pair[0], P(&head), MSG_DONTWAIT), -EAGAIN);
	/* There is no listener here: a call that would wait is given up. */
	assert_int_equal(do_call(w, "sendmsg", call_send, pair[0], P(&head), 0), -EINTR);
	close(pair[0]);
	close(pair[1]);
}

/* -- the rest ----------------------------------------------------------------------------- */

static void
what_is_no_socket_is_none(void **state)
{
	struct world *w = *state;
	struct sockaddr_in at = loopback(1);

	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, 9999, P(&at), sizeof(at)), -EBADF);
	assert_int_equal(do_call(w, "listen", call_listen, 0, 1), -ENOTSOCK);
	auto_close int fd = socket(AF_INET, SOCK_STREAM, 0);
	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, fd, 8, sizeof(at)), -EFAULT);
	assert_int_equal(do_call(w, "connect", call_connect, fd, P(&at), 4096), -EINVAL);
	assert_int_equal(do_call(w, "connect", call_connect, fd, P(&at), (uint64_t)-1), -EINVAL);
}

static void
shared_memory_is_ours_or_refused(void **state)
{
	struct world *w = *state;
	key_t key = (key_t)(0x41000000 | (getpid() & 0xffff));
	int other = shmget(IPC_PRIVATE, 4096, 0600), theirs = shmget(key, 4096, IPC_CREAT | 0600);
	int64_t id;

	assert_true(other >= 0 && theirs >= 0);
	stand(w);
	id = do_call(w, "shmget", call_ipc_get, IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	assert_true(id >= 0);
	assert_int_equal(do_call(w, "shmat", call_ipc_use, (uint64_t)id), CONTINUED);
	assert_int_equal(do_call(w, "shmctl", call_ipc_use, (uint64_t)id, IPC_RMID), CONTINUED);
	assert_int_equal(do_call(w, "shmat", call_ipc_use, (uint64_t)id), CONTINUED);
	assert_int_equal(do_call(w, "shmat", call_ipc_use, (uint64_t)other), -EACCES);
	assert_int_equal(do_call(w, "shmctl", call_ipc_use, (uint64_t)other, IPC_RMID), -EACCES);
	assert_int_equal(do_call(w, "shmctl", call_ipc_use, (uint64_t)other, IPC_STAT), CONTINUED);
	assert_int_equal(
		do_call(w, "shmget", call_ipc_get, (uint64_t)key, 4096, IPC_CREAT | 0600), -EACCES);
	assert_int_equal(do_call(w, "shmget", call_ipc_get, (uint64_t)key, 4096,
				 IPC_CREAT | IPC_EXCL | 0600),
		-EEXIST);
	assert_int_equal(shmctl(theirs, IPC_RMID, NULL), 0);
	id = do_call(w, "shmget", call_ipc_get, (uint64_t)key, 4096, IPC_CREAT | 0600);
	assert_true(id >= 0);
	assert_int_equal(
		do_call(w, "shmget", call_ipc_get, (uint64_t)key, 4096, IPC_CREAT | 0600), id);
	session_objects_sweep(w->gate.made);
	assert_int_equal(shmget(key, 0, 0), -1);
	assert_int_equal(shmctl(other, IPC_RMID, NULL), 0);
}

static void
queues_are_ours_or_refused(void **state)
{
	struct world *w = *state;
	static char name[64];
	int64_t fd;

	snprintf(name, sizeof(name), "ambit-test-%d", (int)getpid());
	stand(w);
	assert_int_equal(do_call(w, "mq_open", call_mq, P(name), O_RDWR), -ENOENT);
	fd = do_call(w, "mq_open", call_mq, P(name), O_RDWR | O_CREAT, 0600, 0);
	assert_true(fd >= 0);
	close((int)fd);
	fd = do_call(w, "mq_open", call_mq, P(name), O_RDWR);
	assert_true(fd >= 0);
	session_objects_drop_queue(w->gate.made, name, (int)fd);
	assert_int_equal(do_call(w, "mq_open", call_mq, P(name), O_RDWR), -EACCES);
	assert_int_equal(
		do_call(w, "mq_open", call_mq, P(name), O_RDWR | O_CREAT, 0600, 0), -EACCES);
	assert_int_equal(do_call(w, "mq_unlink", call_mq, P(name)), -EACCES);
	assert_int_equal(session_objects_add_queue(w->gate.made, name, (int)fd), 0);
	close((int)fd);
	assert_int_equal(do_call(w, "mq_unlink", call_mq, P(name)), 0);
	assert_int_equal(do_call(w, "mq_open", call_mq, P(name), O_RDWR), -ENOENT);
}

static void
other_processes_are_not_touched(void **state)
{
	struct world *w = *state;
	uint64_t self, parent = (uint64_t)getppid();

	stand(w);
	self = (uint64_t)w->child;
	assert_int_equal(do_call(w, "prlimit64", call_process, self), CONTINUED);
	assert_int_equal(do_call(w, "prlimit64", call_process, parent), -EPERM);
	assert_int_equal(do_call(w, "kill", call_process, self, SIGTERM), CONTINUED);
	assert_int_equal(do_call(w, "kill", call_process, parent, SIGTERM), -EPERM);
	assert_int_equal(do_call(w, "kill", call_process, parent, 0), CONTINUED);
	assert_int_equal(do_call(w, "kill", call_process, (uint64_t)-1, SIGTERM), -EPERM);
	assert_int_equal(do_call(w, "kill", call_process, 0, SIGTERM), -EPERM);
	assert_int_equal(do_call(w, "kill", call_process, 99999999, SIGTERM), -ESRCH);
	assert_int_equal(do_call(w, "setpriority", call_process, 2, 0, 5), -EPERM);
	assert_int_equal(do_call(w, "setpriority", call_process, 0, self, 5), CONTINUED);
	assert_int_equal(do_call(w, "ioprio_set", call_process, 1, parent, 5), -EPERM);
	assert_int_equal(do_call(w, "getpid", call_process, self), -EPERM);
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
		IN_FOLDER(own_paths_are_free),
		IN_FOLDER(paths_of_others_are_asked),
		IN_FOLDER(a_bind_stays_where_it_was_decided),
		IN_FOLDER(a_link_is_left_out),
		IN_FOLDER(the_longest_text_is_bound),
		IN_FOLDER(a_socket_led_elsewhere_is_deaf),
		IN_FOLDER(a_bare_name_stays_in_its_directory),
		TEST(abstract_names_are_compared_whole),
		TEST(an_abstract_name_is_not_ours_for_ever),
		TEST(descriptors_travel),
		TEST(many_messages_tell_their_lengths),
		TEST(nobody_listening_costs_a_signal),
		TEST(a_blocking_stream_sends_all),
		TEST(a_blocking_stream_has_its_own_timeout),
		TEST(a_full_socket_does_not_hold_the_gate),
		TEST(what_is_no_socket_is_none),
		TEST(shared_memory_is_ours_or_refused),
		TEST(queues_are_ours_or_refused),
		TEST(other_processes_are_not_touched),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
