/* SPDX-License-Identifier: Apache-2.0 */
/* bash: through the registry, with the line around it (the program that was built
 * beside this test) or with nothing: what is in the files afterwards, and what the
 * model is told. */

#include "toolcall.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/program.h"
#include "executor-rig.h"

static struct ambit_executor *executor;

static void
make_registry(struct hand *h, enum ambit_backend backend)
{
	struct ambit_error err = { 0 };

	ambit_registry_destroy(h->registry);
	h->registry = NULL;
	executor = executor_open(&h->w, backend, NULL, NULL);
	if (ambit_registry_create(
		    &(struct ambit_registry_options){ .engine = h->engine, .executor = executor },
		    &h->registry, &err) < 0)
		fail_msg("registry: %s", err.text);
}

static int
open_line(void **state)
{
	hand_open(state);
	make_registry(*state, AMBIT_BACKEND_KERNEL);
	return 0;
}

static int
open_plain(void **state)
{
	hand_open(state);
	make_registry(*state, AMBIT_BACKEND_SUBPROCESS);
	return 0;
}

static int
close_all(void **state)
{
	struct hand *h = *state;

	ambit_registry_destroy(h->registry);
	h->registry = NULL;
	ambit_executor_destroy(executor);
	return hand_close(state);
}

static void
bash(struct hand *h, const char *command)
{
	hand_call(h, "bash", json_pack("{s:s}", "command", command));
}

static json_t *
structured(const struct hand *h)
{
	json_t *object = NULL;

	assert_int_equal(
		json_parse(h->result.structured, strlen(h->result.structured), &object, NULL), 0);
	return object;
}

static long long
number(const struct hand *h, const char *key)
{
	auto_json json_t *object = structured(h);
	const json_t *value = json_object_get(object, key);

	assert_non_null(value);
	return json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
}

/* -- with the line ------------------------------------------------------------------ */

static void
test_output_and_status_are_told(void **state)
{
	struct hand *h = *state;

	if (!executor_line())
		return;
	bash(h, "echo one; echo two >&2; echo made >made; exit 5");
	hand_says(h, "one\n[stderr]\ntwo\n[exit code 5]\n");
	assert_int_equal(number(h, "exit_code"), 5);
	assert_int_equal(number(h, "stdout_size"), 4);
	assert_int_equal(number(h, "truncated"), 0);
	assert_int_equal(number(h, "connected"), 0);
	assert_null(strstr(h->result.text, "untrusted"));
	assert_null(strstr(h->result.structured, "untrusted"));
	assert_true(number(h, "duration_ms") >= 0);
	assert_string_equal(world_read("made"), "made\n");
	assert_int_equal(h->asked, 0); /* the line holds it */
	bash(h, "true");
	assert_string_equal(h->result.text, "[no output]\n");
	bash(h, "sleep 600 & sleep 600 &");
	hand_says(h, "[2 processes were still running in the background, and were ended]\n");
	assert_int_equal(number(h, "ended_processes"), 2);
	bash(h, "seq 100000");
	hand_says(h, "of 588895 bytes were cut out here");
	assert_int_equal(number(h, "truncated"), 1);
	bash(h, "printf '\\377\\376ab'");
	hand_says(h, "stdout is binary in part");
	hand_call(h, "bash", json_pack("{s:s, s:s}", "command", "cat; pwd", "stdin", "given\n"));
	hand_says(h, "given\n");
	hand_says(h, h->w.root);
}

static void
test_a_write_outside_is_refused_and_told(void **state)
{
	struct hand *h = *state;
	char command[1000], file[700];

	if (!executor_line())
		return;
	snprintf(file, sizeof(file), "%s/kept", h->w.out);
	world_file(file, "as it was");
	snprintf(command, sizeof(command), "echo changed >%s; echo still", file);
	h->answer = (struct ambit_answer){ .kind = AMBIT_NO, .message = "leave that alone" };
	bash(h, command);
	hand_says(h, "still\n");
	hand_says(h, "[refused by ambit:]\n- write ");
	hand_says(h, "leave that alone");
	assert_string_equal(world_read(file), "as it was");
	assert_int_equal(h->asked, 1);
	auto_json json_t *object = structured(h);
	const json_t *row = json_array_get(json_object_get(object, "refused"), 0);

	assert_string_equal(json_string_value(json_object_get(row, "what")), "write");
	assert_string_equal(json_string_value(json_object_get(row, "subject")), file);
	assert_string_equal(json_string_value(json_object_get(row, "code")), "Denied");
	assert_non_null(
		strstr(json_string_value(json_object_get(row, "message")), "outside the folder"));
	assert_int_equal(json_integer_value(json_object_get(row, "count")), 1);
}

/* From now on there is nobody to ask. */
static void
forget_person(struct hand *h)
{
	ambit_registry_destroy(h->registry);
	h->registry = NULL;
	ambit_executor_destroy(executor);
	engine_rig_end(&h->base);
	engine_rig_begin(&h->base, NULL);
	make_registry(h, AMBIT_BACKEND_KERNEL);
}

/* What a person is to copy into a shell is one word there, whatever it is called. */
static void
test_how_to_grant_is_for_a_shell(void **state)
{
	struct hand *h = *state;
	static const struct ambit_call_options nobody = { .cancel = -1 };
	char args[1200], says[800];

	if (!executor_line())
		return;
	forget_person(h);
	snprintf(args, sizeof(args), "{\"command\":\"echo x >'%s/$(id) x'\"}", h->w.out);
	assert_int_equal(
		ambit_registry_call(h->registry, "bash", args, strlen(args), &nobody, &h->result),
		0);
	snprintf(says, sizeof(says), "- ambit rules add write '%s/$(id) x'\n", h->w.out);
	hand_says(h, says);
	/* A name that cannot be written down is another one's then. */
	ambit_result_finish(&h->result);
	snprintf(args, sizeof(args), "{\"command\":\"echo x >\\\"%s/'; id\\\"\"}", h->w.out);
	assert_int_equal(
		ambit_registry_call(h->registry, "bash", args, strlen(args), &nobody, &h->result),
		0);
	hand_says(h, "[refused by ambit:]");
	assert_null(strstr(h->result.text, "rules add"));
}

/* With nobody there, each refusal says what it was, and how it can be allowed: by a path
 * that holds wherever it is typed. */
static void
test_refused_with_nobody_there_says_how_to_allow_each(void **state)
{
	struct hand *h = *state;
	static const struct ambit_call_options nobody = { .cancel = -1 };
	static const char *const codes[] = { "Outside", "Outside", "Guarded" };
	char args[2000], says[3][800];
	const json_t *row;
	size_t i;

	if (!executor_line())
		return;
	forget_person(h);
	snprintf(args, sizeof(args),
		"{\"command\":\"cd %1$s; for i in 1 2; do : >one; done; mkdir two; : "
		">%2$s/.envrc\"}",
		h->w.out, h->w.root);
	assert_int_equal(
		ambit_registry_call(h->registry, "bash", args, strlen(args), &nobody, &h->result),
		0);
	snprintf(says[0], sizeof(says[0]), "ambit rules add write %s/one", h->w.out);
	snprintf(says[1], sizeof(says[1]), "ambit rules add write %s/two", h->w.out);
	snprintf(says[2], sizeof(says[2]), "ambit rules add write %s/.envrc", h->w.root);
	auto_json json_t *object = structured(h);
	const json_t *refused = json_object_get(object, "refused");

	assert_int_equal(json_array_size(refused), 3);
	json_array_foreach (refused, i, row) {
		hand_says(h, says[i]);
		assert_string_equal(json_string_value(json_object_get(row, "allow")), says[i]);
		assert_string_equal(json_string_value(json_object_get(row, "code")), codes[i]);
	}
	hand_says(h, "nobody can approve it now");
	assert_null(strstr(h->result.text, "--ask"));
}

/* Many refusals of long names do not make a result of any length. */
static void
test_refusals_are_bounded(void **state)
{
	struct hand *h = *state;
	char command[2000], dir[1200];

	if (!executor_line())
		return;
	h->answer = (struct ambit_answer){ .kind = AMBIT_NO };
	snprintf(dir, sizeof(dir), "%s/%0200d", h->w.out, 1);
	world_dir(dir);
	snprintf(command, sizeof(command), "for i in {1..150}; do : >%s/%0100d$i; done 2>&-", dir,
		1);
	bash(h, command);
	hand_says(h, "- and 138 more\n");
	assert_true(number(h, "refused_left_out") > 0);
	assert_true(strlen(h->result.structured) < 80000);
}

static void
test_a_yes_lets_the_held_call_go_on(void **state)
{
	struct hand *h = *state;
	char command[1000], file[700];

	if (!executor_line())
		return;
	snprintf(file, sizeof(file), "%s/kept", h->w.out);
	world_file(file, "as it was");
	snprintf(command, sizeof(command), "echo changed >%s", file);
	h->answer = (struct ambit_answer){ .kind = AMBIT_ONCE };
	bash(h, command);
	hand_works(h);
	assert_int_equal(number(h, "exit_code"), 0);
	assert_int_equal(h->asked, 1);
	assert_string_equal(world_read(file), "changed\n");
}

static int
ask_later(void *data, const struct ambit_question *question, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	(void)question;
	(void)ret_answer;
	(void)err;
	++*(int *)data;
	return -EINPROGRESS;
}

/* A client that answers by calling again cannot answer what a command waits for. */
static void
test_an_answer_that_comes_with_another_call_is_a_no(void **state)
{
	struct hand *h = *state;
	char args[1000], file[700];
	int asked = 0;
	struct ambit_call_options options = { .cancel = -1, .ask = ask_later, .data = &asked };

	if (!executor_line())
		return;
	snprintf(file, sizeof(file), "%s/kept", h->w.out);
	world_file(file, "as it was");
	snprintf(args, sizeof(args), "{\"command\":\"echo changed >%s\"}", file);
	assert_int_equal(
		ambit_registry_call(h->registry, "bash", args, strlen(args), &options, &h->result),
		0);
	hand_says(h, "[refused by ambit:]");
	assert_int_equal(asked, 1);
	assert_string_equal(world_read(file), "as it was");
}

static void
test_a_timeout_carries_what_was_printed(void **state)
{
	struct hand *h = *state;
	char command[128], says[64] = "";

	if (!executor_line())
		return;
	snprintf(command, sizeof(command), "sleep %1$s & echo before; sleep %1$s",
		executor_nap(7131));
	/* Until it was time enough to begin. */
	for (int ms = 400; ms < 30000 && !strstr(says, "before"); ms *= 3) {
		hand_call(h, "bash", json_pack("{s:s, s:i}", "command", command, "timeout", ms));
		snprintf(says, sizeof(says), "%s[timed out after %d ms",
			strstr(h->result.text, "before\n") ? "before\n" : "", ms);
		hand_fails(h, AMBIT_CODE_TIMEOUT, says);
	}
	assert_non_null(strstr(says, "before"));
	assert_int_equal(number(h, "timed_out"), 1);
	assert_int_equal(number(h, "exit_code"), 124);
	assert_int_equal(executor_left(executor_nap(7131)), 0);
}

static void *
cancel_when_there(void *data)
{
	char words[64];

	snprintf(words, sizeof(words), "sleep %s", executor_nap(7132));
	executor_await(words);
	eventfd_write(*(int *)data, 1);
	return NULL;
}

static void
test_a_cancelled_call_leaves_nothing(void **state)
{
	struct hand *h = *state;
	char args[128];
	int fd = eventfd(0, EFD_CLOEXEC);
	struct ambit_call_options options = { .cancel = fd };
	pthread_t thread;

	if (!executor_line())
		return;
	snprintf(args, sizeof(args), "{\"command\":\"sleep %1$s & sleep %1$s\"}",
		executor_nap(7132));
	assert_int_equal(pthread_create(&thread, NULL, cancel_when_there, &fd), 0);
	assert_int_equal(
		ambit_registry_call(h->registry, "bash", args, strlen(args), &options, &h->result),
		0);
	pthread_join(thread, NULL);
	assert_true(h->result.failed);
	assert_true(h->result.cancelled);
	assert_int_equal(executor_left(executor_nap(7132)), 0);
	close(fd);
}

static void
test_cwd_is_inside(void **state)
{
	struct hand *h = *state;

	if (!executor_line())
		return;
	world_dir("sub");
	world_link("/", "root");
	hand_call(h, "bash", json_pack("{s:s, s:s}", "command", "pwd; echo >here", "cwd", "sub"));
	hand_says(h, "/project/sub\n");
	assert_true(hand_has("sub/here"));
	hand_call(h, "bash", json_pack("{s:s, s:s}", "command", "touch ran", "cwd", "root/tmp"));
	hand_fails(h, AMBIT_CODE_OUT_OF_SCOPE, "outside the folder");
	hand_call(h, "bash", json_pack("{s:s, s:s}", "command", "touch ran", "cwd", "nowhere"));
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "no directory nowhere");
	hand_call(h, "bash", json_pack("{s:s, s:s}", "command", "touch ran", "cwd", "sub/here"));
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "not a directory");
	assert_false(hand_has("ran") || hand_has("sub/ran") || hand_has("/tmp/ran"));
}

static void
test_secrets_are_not_there_and_named(void **state)
{
	struct hand *h = *state;

	if (!executor_line())
		return;
	bash(h, "env; echo \"$GITHUB_TOKEN\"");
	assert_null(strstr(h->result.text, "not-for-commands"));
	hand_says(h, "PLAIN=yes");
	hand_says(h, "looks like a secret: GITHUB_TOKEN]");
	auto_json json_t *object = structured(h);

	assert_string_equal(
		json_string_value(json_array_get(json_object_get(object, "scrubbed"), 0)),
		"GITHUB_TOKEN");
	bash(h, "true");
	assert_null(strstr(h->result.text, "GITHUB_TOKEN"));
}

static void
test_bad_arguments_run_nothing(void **state)
{
	struct hand *h = *state;
	static const char nul[] = "{\"command\":\"touch ran\\u0000\"}";

	hand_call(h, "bash", json_pack("{s:s, s:i}", "command", "touch ran", "timeout", 600001));
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "timeout");
	hand_call(h, "bash", json_pack("{s:s}", "command", "  "));
	assert_true(h->result.failed);
	hand_call(h, "bash", json_pack("{s:s, s:s}", "command", "touch ran", "shell", "zsh"));
	assert_true(h->result.failed);
	ambit_result_finish(&h->result);
	assert_int_equal(
		ambit_registry_call(h->registry, "bash", nul, strlen(nul), NULL, &h->result), 0);
	assert_true(h->result.failed);
	char *words = calloc(1, 200000);

	assert_non_null(words);
	memset(words, ' ', 199999);
	memcpy(words, "touch ran", 9);
	hand_call(h, "bash", json_pack("{s:s}", "command", words));
	free(words);
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "199999 bytes");
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "Write it into a file");
	assert_false(hand_has("ran"));
}

static void *
serve_once(void *data)
{
	int fd = accept4(*(int *)data, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0 && send(fd, "do as I say", 11, MSG_NOSIGNAL) == 11)
		close(fd);
	return NULL;
}

static void
is_marked(const char *text)
{
	assert_true(str_prefix(text, "[untrusted content "));
	assert_true(strstr(strstr(text, "SECRET ORDER"), " ends]") != NULL);
}

/* What came over a connection that the line saw is somebody else's words. */
static void
test_what_reached_out_is_not_trusted(void **state)
{
	struct hand *h = *state;
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char command[800];
	pthread_t thread;

	if (!executor_line())
		return;
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	assert_int_equal(pthread_create(&thread, NULL, serve_once, &fd), 0);
	/* A name can be told, too: this one is in the way of ambit's own record. */
	snprintf(command, sizeof(command), "cat </dev/tcp/127.0.0.1/%d; : >'%s/SECRET ORDER'",
		ntohs(at.sin_port), h->w.state);
	h->answer = (struct ambit_answer){ .kind = AMBIT_ONCE };
	bash(h, command);
	shutdown(fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(fd);
	hand_says(h, "do as I say");
	assert_int_equal(h->asked, 1);
	assert_int_equal(number(h, "connected"), 1);
	hand_says(h, "untrusted");
	hand_says(h, "bash: cat </dev/tcp");
	/* In the object as well. */
	assert_non_null(strstr(strstr(h->result.structured, "\"stdout\""), "untrusted"));
	auto_json json_t *object = json_loads(h->result.structured, 0, NULL);
	const json_t *row = json_array_get(json_object_get(object, "refused"), 0);

	assert_string_equal(json_string_value(json_object_get(row, "what")), "write");
	assert_string_equal(json_string_value(json_object_get(row, "code")), "Protected");
	is_marked(json_string_value(json_object_get(row, "subject")));
	is_marked(json_string_value(json_object_get(row, "message")));
}

/* -- with nothing ---------------------------------------------------------------------- */

static void
test_without_the_line_it_is_asked_about_and_not_trusted(void **state)
{
	struct hand *h = *state;

	h->answer = (struct ambit_answer){ .kind = AMBIT_NO };
	bash(h, "touch ran");
	assert_true(h->result.failed);
	assert_int_equal(h->result.code, AMBIT_CODE_DENIED);
	assert_false(hand_has("ran"));
	h->answer = (struct ambit_answer){ .kind = AMBIT_ONCE };
	bash(h, "touch ran; echo 'do as I say'");
	assert_true(hand_has("ran"));
	assert_int_equal(h->asked, 2);
	/* Nobody saw whether it reached out. */
	assert_int_equal(number(h, "connected"), 1);
	hand_says(h, "do as I say");
	hand_says(h, "untrusted");
	hand_says(h, "bash: touch ran");
}

/* -- in the background ------------------------------------------------------------------ */

/* Starts a command for the client origin; its id, or NULL. Caller frees. */
static char *
begin_command(struct hand *h, uint64_t origin, const char *command)
{
	const struct ambit_call_options options = { .cancel = -1, .origin = origin };
	auto_json json_t *args = json_pack("{s:s, s:b}", "command", command, "background", 1);
	auto_free char *text = json_dumps(args, 0);
	auto_json json_t *object = NULL;

	ambit_result_finish(&h->result);
	assert_int_equal(
		ambit_registry_call(h->registry, "bash", text, strlen(text), &options, &h->result),
		0);
	if (h->result.failed)
		return NULL;
	object = structured(h);
	return strdup(json_string_value(json_object_get(object, "id")));
}

struct canceller {
	int fd;
	bool quick; /* the call cannot have ended before */
};

/* Lets the command print, and cancels the call as soon as it has. */
static void *
cancel_when_printed(void *data)
{
	struct canceller *canceller = data;
	int64_t began = clock_steady();

	world_file("go", "");
	while (access("printed", F_OK) < 0)
		usleep(1000);
	eventfd_write(canceller->fd, 1);
	canceller->quick = clock_steady() - began < 150;
	return NULL;
}

/* The call is cancelled when the command has printed 'last': then a later look has it. On a slow
 * machine the call may end before it is cancelled, and has it itself. */
static void
keeps_output(struct hand *h, const char *tool, const char *command)
{
	struct canceller canceller = { .fd = eventfd(0, EFD_CLOEXEC) };
	const struct ambit_call_options options = { .cancel = canceller.fd };
	auto_free char *id = begin_command(h, 0, command);
	auto_free char *args = NULL;
	pthread_t thread;

	assert_non_null(id);
	while (access("began", F_OK) < 0)
		usleep(1000);
	args = str_printf(
		"{\"id\":\"%s\"%s}", id, streq(tool, "bash_output") ? ",\"wait\":600000" : "");
	ambit_result_finish(&h->result);
	assert_int_equal(pthread_create(&thread, NULL, cancel_when_printed, &canceller), 0);
	assert_int_equal(
		ambit_registry_call(h->registry, tool, args, strlen(args), &options, &h->result),
		0);
	pthread_join(thread, NULL);
	close(canceller.fd);
	if (canceller.quick || h->result.failed) {
		assert_true(h->result.cancelled);
		hand_call(h, "bash_output", json_pack("{s:s, s:i}", "id", id, "wait", 600000));
		hand_works(h);
	}
	hand_says(h, "last\n");
}

static void
test_a_cancelled_look_keeps_the_output(void **state)
{
	struct hand *h = *state;

	h->answer = (struct ambit_answer){ .kind = AMBIT_ONCE };
	keeps_output(h, "bash_output",
		": >began; until [ -e go ]; do sleep 0.01; done; echo last; : >printed; "
		"exec sleep 600");
}

static void
test_a_cancelled_stop_keeps_the_output(void **state)
{
	struct hand *h = *state;

	h->answer = (struct ambit_answer){ .kind = AMBIT_ONCE };
	keeps_output(h, "bash_stop",
		"trap 'echo last; : >printed; sleep 0.5; exit' TERM; : >began; "
		"while :; do sleep 0.01; done");
}

static void
test_words_do_not_run_in_the_background(void **state)
{
	struct hand *h = *state;
	static const char args[] = "{\"command\":[\"touch\",\"ran\"],\"background\":true}";
	const struct ambit_call_options options = { .cancel = -1, .words = true };

	h->answer = (struct ambit_answer){ .kind = AMBIT_ONCE };
	ambit_result_finish(&h->result);
	assert_int_equal(
		ambit_registry_call(h->registry, "bash", args, strlen(args), &options, &h->result),
		0);
	hand_fails(h, AMBIT_CODE_BAD_ARGUMENTS, "given as words does not run in the background");
	assert_false(hand_has("ran"));
}

/* Clients share a registry, and none takes the room of another. */
static void
test_each_client_has_its_own_room(void **state)
{
	struct hand *h = *state;
	char command[64], *id;

	h->answer = (struct ambit_answer){ .kind = AMBIT_ONCE };
	for (int i = 0; i < 16; i++) {
		snprintf(command, sizeof(command), "exec sleep %d", 600 + i);
		id = begin_command(h, 1, command);
		assert_non_null(id);
		free(id);
	}
	assert_null(begin_command(h, 1, "true"));
	assert_non_null(strstr(h->result.text, "16 commands"));
	id = begin_command(h, 2, "true");
	assert_non_null(id);
	free(id);
}

int
main(void)
{
#define LINE(test) cmocka_unit_test_setup_teardown(test, open_line, close_all)
#define PLAIN(test) cmocka_unit_test_setup_teardown(test, open_plain, close_all)
	const struct CMUnitTest tests[] = {
		LINE(test_output_and_status_are_told),
		LINE(test_a_write_outside_is_refused_and_told),
		LINE(test_how_to_grant_is_for_a_shell),
		LINE(test_refused_with_nobody_there_says_how_to_allow_each),
		LINE(test_refusals_are_bounded),
		LINE(test_a_yes_lets_the_held_call_go_on),
		LINE(test_an_answer_that_comes_with_another_call_is_a_no),
		LINE(test_a_timeout_carries_what_was_printed),
		LINE(test_a_cancelled_call_leaves_nothing),
		LINE(test_cwd_is_inside),
		LINE(test_secrets_are_not_there_and_named),
		LINE(test_bad_arguments_run_nothing),
		LINE(test_what_reached_out_is_not_trusted),
		PLAIN(test_without_the_line_it_is_asked_about_and_not_trusted),
		PLAIN(test_a_cancelled_look_keeps_the_output),
		PLAIN(test_a_cancelled_stop_keeps_the_output),
		PLAIN(test_words_do_not_run_in_the_background),
		PLAIN(test_each_client_has_its_own_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
