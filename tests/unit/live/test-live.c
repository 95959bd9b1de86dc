/* SPDX-License-Identifier: Apache-2.0 */
/* Both sides of a live session: a door in a process of its own, and the person's program
 * that lists, calls, watches and answers it. Who is beneath the door is not served, so
 * here it is the door that is the child. */

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "unit-world.h"

#include "ask/question-copy.h"
#include "ask/desk/desk.h"
#include "live/live.h"

#include "base/json.h"
#include "live/live-private.h"

static struct world world;
static char directory[800];

/* -- the door --------------------------------------------------------------------------- */

struct door {
	struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_record *record;
	struct ambit_engine *engine;
	struct desk *desk;
	struct live *live;
	bool stopped;
	int wake, out;
};

static void
door_stop(void *data)
{
	((struct door *)data)->stopped = true;
}

static char *
door_status(void *data)
{
	(void)data;
	return strdup("{\"own\":7,\"session\":\"not this one\"}");
}

static void
door_wake(void *data)
{
	eventfd_write(((struct door *)data)->wake, 1);
}

/* Says on the pipe what became of it. */
static void
door_done(void *data, uint64_t ticket, struct ambit_outcome *outcome, struct ambit_permit *permit)
{
	char said = outcome->verdict == AMBIT_ALLOW ? 'y' : 'n';

	(void)ticket, (void)permit;
	if (write(((struct door *)data)->out, &said, 1) != 1)
		_exit(5);
}

/* A write outside, which waits. */
static void
door_submit(struct door *door)
{
	const struct desk_client client = { .done = door_done, .data = door };
	struct ambit_request *request = NULL;
	struct ambit_permit *permit = NULL;
	struct ambit_outcome outcome;
	struct ambit_error err = { 0 };
	char args[800];
	uint64_t ticket;

	snprintf(args, sizeof(args), "{\"file_path\":\"%s/x\"}", world.out);
	if (ambit_request_create("write", args, strlen(args), &request, &err) < 0 ||
		desk_submit(door->desk, request, &client, &outcome, &permit, &ticket, &err) != 1)
		_exit(3);
}

/* Asks when there is somebody who watches. */
static void
door_run(struct door *door, int out)
{
	bool submitted = false;

	door->out = out;
	if (write(out, "r", 1) != 1)
		_exit(4);
	while (!door->stopped) {
		struct pollfd fds[2] = { { .fd = live_fd(door->live), .events = POLLIN },
			{ .fd = door->wake, .events = POLLIN } };
		eventfd_t value;

		poll(fds, 2, -1);
		eventfd_read(door->wake, &value);
		live_ready(door->live);
		live_notice(door->live);
		if (!submitted && live_watched(door->live) > 0) {
			submitted = true;
			door_submit(door);
		}
	}
	desk_stop(door->desk);
	live_destroy(door->live);
	_exit(0);
}

static pid_t
door_start(int *ret_out)
{
	struct door door = { 0 };
	struct ambit_error err = { 0 };
	int fds[2];
	char first;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct live_options options = {
			.directory = directory,
			.door = "test",
			.what = "testing",
			.asks = true,
			.wake = door_wake,
			.stop = door_stop,
			.status = door_status,
			.data = &door,
		};
		struct ambit_scope_options places = {
			.root = world.root,
			.allow_bash = true,
			.places = { .home = world.home,
				.config = world.config,
				.state = world.state },
		};

		alarm(60);
		if (ambit_settings_load(&(struct ambit_settings_options){ .home = world.home },
			    &door.settings, &err) < 0 ||
			ambit_scope_create(&places, &door.scope, &err) < 0 ||
			ambit_record_open(world.state, AMBIT_RECORD_WRITE, &door.record, &err) <
				0 ||
			ambit_engine_create(
				&(struct ambit_engine_options){ .settings = door.settings,
					.scope = door.scope,
					.record = door.record,
					.session = "tested",
					.door = "test" },
				&door.engine, &err) < 0)
			_exit(1);
		options.engine = door.engine;
		door.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (desk_create(&(struct desk_options){ .engine = door.engine }, &door.desk, &err) <
			0)
			_exit(6);
		options.desk = door.desk;
		if (live_create(&options, &door.live, &err) < 0)
			_exit(2);
		door_run(&door, fds[1]);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &first, 1), 1);
	assert_int_equal(first, 'r');
	*ret_out = fds[0];
	return pid;
}

static void
door_end(pid_t pid, int out)
{
	int status;

	close(out);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* -- what the person does ---------------------------------------------------------------------- */

struct seen {
	int n;
	char name[32];
	pid_t pid;
};

static int
see(void *data, const struct live_entry *entry)
{
	struct seen *seen = data;

	seen->n++;
	seen->pid = entry->pid;
	snprintf(seen->name, sizeof(seen->name), "%s", entry->name);
	assert_string_equal(entry->session, "tested");
	assert_string_equal(entry->door, "test");
	assert_string_equal(entry->folder, world.root);
	assert_string_equal(entry->what, "testing");
	assert_true(entry->asks);
	return 0;
}

static void
wait_next(struct link *link, const char *method, const char **ret_params)
{
	struct pollfd fd = { .fd = link_fd(link), .events = POLLIN };
	struct ambit_error err = { 0 };
	const char *got;
	int r;

	while ((r = link_next(link, &got, ret_params, &err)) == 0)
		assert_int_equal(poll(&fd, 1, 10000), 1);
	assert_int_equal(r, 1);
	assert_string_equal(got, method);
}

static void
lists_watches_and_answers(void **state)
{
	struct ambit_answer answer = { .kind = AMBIT_ONCE },
			    wrong = { .kind = AMBIT_FOLDER, .path = "/" };
	struct ambit_question question = { 0 };
	struct ambit_error err = { 0 };
	struct link *link = NULL;
	struct seen seen = { 0 };
	const char *params;
	char *text = NULL, said, name[16] = "";
	int out;
	pid_t pid = door_start(&out);

	(void)state;
	assert_int_equal(live_each(directory, 500, see, &seen, &err), 0);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.pid, pid);
	prctl(PR_GET_NAME, name);
	assert_string_equal(name, "ambit-asks");
	assert_int_equal(link_open(directory, seen.name, &link, &err), 0);
	/* The door's own words do not stand for what it is. */
	assert_int_equal(link_call(link, "status", NULL, &text, &err), 0);
	assert_non_null(strstr(text, "\"own\":7"));
	assert_non_null(strstr(text, "\"session\":\"tested\""));
	assert_non_null(strstr(text, "\"agent_mode\":{\"from\":\"default\",\"value\":\"build\"}"));
	free(text);
	assert_int_equal(link_call(link, "nothing", NULL, NULL, &err), -EREMOTEIO);
	assert_non_null(strstr(err.text, "one of hello"));
	assert_int_equal(link_call(link, "watch", NULL, NULL, &err), 0);
	wait_next(link, "question", &params);
	assert_int_equal(live_question(params, &question, &err), 0);
	assert_non_null(strstr(question.what, world.out));
	assert_int_equal(link_answer(link, question.id, &wrong, &err), -EREMOTEIO);
	assert_int_equal(link_answer(link, question.id + 1, &answer, &err), -ESTALE);
	assert_int_equal(link_answer(link, question.id, &answer, &err), 0);
	assert_int_equal(link_answer(link, question.id, &answer, &err), -ESTALE);
	wait_next(link, "closed", &params);
	assert_non_null(strstr(params, "\"how\":\"answered\""));
	assert_int_equal(read(out, &said, 1), 1);
	assert_int_equal(said, 'y');
	question_finish(&question);
	assert_int_equal(link_call(link, "stop", NULL, NULL, &err), 0);
	door_end(pid, out);
	assert_int_equal(link_call(link, "hello", NULL, NULL, &err), -EPIPE);
	link_close(link);
	seen.n = 0;
	assert_int_equal(live_each(directory, 500, see, &seen, &err), 0);
	assert_int_equal(seen.n, 0);
}

static void
removes_what_the_dead_left(void **state)
{
	struct ambit_error err = { 0 };
	struct seen seen = { 0 };
	char path[900];
	int out, status;
	pid_t pid = door_start(&out);

	(void)state;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(out);
	snprintf(path, sizeof(path), "%s/not-a-name", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(live_each(directory, 500, see, &seen, &err), 0);
	assert_int_equal(seen.n, 0);
	/* Empty but for what is none of ours. */
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(directory), 0);
	assert_int_equal(live_each(directory, 500, see, &seen, &err), 0);
}

static void
keeps_to_its_own_directory(void **state)
{
	struct live_options options = { .directory = directory, .door = "test" };
	struct live *live = NULL;
	struct ambit_error err = { 0 };
	char other[900];

	(void)state;
	assert_int_equal(mkdir(directory, 0700), 0);
	assert_int_equal(chmod(directory, 0755), 0);
	assert_int_equal(live_create(&options, &live, &err), -EPERM);
	assert_non_null(strstr(err.text, "chmod 700"));
	assert_int_equal(live_each(directory, 500, see, NULL, &err), -EPERM);
	snprintf(other, sizeof(other), "%s-other", directory);
	assert_int_equal(chmod(directory, 0700), 0);
	assert_int_equal(rename(directory, other), 0);
	assert_int_equal(symlink(other, directory), 0);
	assert_true(live_create(&options, &live, &err) < 0);
	assert_null(live);
	assert_int_equal(unlink(directory), 0);
	assert_int_equal(rmdir(other), 0);
}

static void
takes_only_names_of_its_own(void **state)
{
	static const char *const bad[] = { "", ".", "..", "1", "1-", "1-abcde", "1-abcdefg",
		"0-abcdef", "-1-abcdef", "1-ABCDEF", "1-abc/ef", "x-abcdef", "1-abcde1",
		"99999999999-abcdef", NULL };
	struct link *link = NULL;
	struct ambit_error err = { 0 };
	pid_t pid;

	(void)state;
	assert_true(place_is_name("4120-abc234", &pid));
	assert_int_equal(pid, 4120);
	for (const char *const *name = bad; *name; name++) {
		assert_false(place_is_name(*name, &pid));
		assert_int_equal(link_open(directory, *name, &link, &err), -EINVAL);
	}
}

/* A door that says what it should not: none of it is believed. */
static void
believes_no_odd_door(void **state)
{
	static const char *const lines[] = {
		"nonsense\n",
		"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"x\"}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32004,"
		"\"message\":\"not\\u001byou\"}}\n",
		"",
	};
	static const int wanted[] = { -EBADMSG, -EBADMSG, -EREMOTEIO, -EPIPE };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct link *link = NULL;
		struct ambit_error err = { 0 };
		int dir = -1, listener = -1, fd;
		char name[32];

		assert_int_equal(place_open(directory, true, &dir, &err), 0);
		assert_int_equal(place_listen(dir, &listener, name, &err), 0);
		assert_int_equal(link_open(directory, name, &link, &err), 0);
		fd = accept(listener, NULL, NULL);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, lines[i], strlen(lines[i])), (ssize_t)strlen(lines[i]));
		shutdown(fd, SHUT_RDWR);
		assert_int_equal(link_call(link, "hello", NULL, NULL, &err), wanted[i]);
		assert_null(strchr(err.text, '\x1b'));
		link_close(link);
		close(fd);
		close(listener);
		assert_int_equal(unlinkat(dir, name, 0), 0);
		close(dir);
	}
	assert_int_equal(rmdir(directory), 0);
}

static void
reads_questions_strictly(void **state)
{
	static const char *const bad[] = { "", "[]", "{}", "{\"id\":1}",
		"{\"id\":0,\"who\":\"\",\"what\":\"\",\"why\":\"\",\"expires\":0,\"request\":{},"
		"\"outcome\":{},\"folder\":0,\"choices\":[{\"answer\":\"no\",\"stores\":\"\"}]}",
		"{\"id\":1,\"who\":\"\",\"what\":\"a\\u0000b\",\"why\":\"\",\"expires\":0,"
		"\"request\":{},"
		"\"outcome\":{},\"folder\":0,\"choices\":[{\"answer\":\"no\",\"stores\":\"\"}]}",
		"{\"id\":1,\"who\":\"\",\"what\":\"\",\"why\":\"\",\"expires\":0,\"request\":{},"
		"\"outcome\":{},\"folder\":0,\"choices\":[]}",
		"{\"id\":1,\"who\":\"\",\"what\":\"\",\"why\":\"\",\"expires\":0,\"request\":{},"
		"\"outcome\":{},\"folder\":0,\"choices\":[{\"answer\":\"maybe\",\"stores\":\"\"}]}",
		"{\"id\":1,\"who\":\"\",\"what\":\"\",\"why\":\"\",\"expires\":0,\"request\":[],"
		"\"outcome\":{},\"folder\":0,\"choices\":[{\"answer\":\"no\",\"stores\":\"\"}]}",
		NULL };
	struct ambit_question question = { 0 };

	(void)state;
	for (const char *const *text = bad; *text; text++) {
		struct ambit_error err = { 0 };

		assert_true(live_question(*text, &question, &err) < 0);
		assert_true(err.text[0] != '\0');
		assert_null(question.what);
	}
}

static int
set_up(void **state)
{
	(void)state;
	world_open(&world);
	snprintf(directory, sizeof(directory), "%s/live", world.top);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lists_watches_and_answers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(removes_what_the_dead_left, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_to_its_own_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(takes_only_names_of_its_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(believes_no_odd_door, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_questions_strictly, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
