/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about unix sockets, done on behalf of a process: paths and abstract names of the
 * session are free, others are asked about, and a bind stays where it was decided. */

#include <fcntl.h>
#include <sys/syscall.h>

#include "base/program.h"
#include "call-net-rig.h"

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

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, setup_folder, teardown)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(own_paths_are_free),
		IN_FOLDER(paths_of_others_are_asked),
		IN_FOLDER(a_bind_stays_where_it_was_decided),
		IN_FOLDER(a_link_is_left_out),
		IN_FOLDER(the_longest_text_is_bound),
		IN_FOLDER(a_socket_led_elsewhere_is_deaf),
		IN_FOLDER(a_bare_name_stays_in_its_directory),
		TEST(abstract_names_are_compared_whole),
		TEST(an_abstract_name_is_not_ours_for_ever),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
