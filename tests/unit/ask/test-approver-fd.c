/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever answers over a socket: what goes out, what is taken as an answer, and that
 * everything else is a no. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include <ambit/ambit.h>

#include "ask/approver.h"
#include "base/json.h"
#include "base/program.h"

static struct ambit_choice choices[] = {
	{ .kind = AMBIT_NO, .stores = "nothing" },
	{ .kind = AMBIT_ONCE, .stores = "nothing" },
	{ .kind = AMBIT_FOLDER, .path = "/home/ada/data", .stores = "write beneath ~/data" },
	{ .kind = AMBIT_FOLDER, .path = "/home/ada", .stores = "write beneath ~" },
};

static const struct ambit_question question = {
	.id = 77,
	.who = "sed (pid 5)",
	.what = "write /home/ada/data/x",
	.why = "outside",
	.request = "{\"tool\":\"write\"}",
	.outcome = "{\"verdict\":\"ask\"}",
	.choices = choices,
	.n_choices = 4,
	.folder = 2,
};

struct peer {
	struct ambit_approver *approver;
	int fd;
	const char *say[4]; /* lines; after one question */
	bool close;
	char heard[8192];
	pthread_t thread;
};

static void
peer_open(struct peer *peer)
{
	struct ambit_error err = { 0 };
	int fds[2];

	*peer = (struct peer){ 0 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(approver_on_fd(fds[0], &peer->approver, &err), 0);
	peer->fd = fds[1];
}

/* One line, or the end. */
static void
hear(struct peer *peer)
{
	size_t len = 0;

	while (len < sizeof(peer->heard) - 1 && read(peer->fd, peer->heard + len, 1) == 1)
		if (peer->heard[len++] == '\n')
			break;
	peer->heard[len] = '\0';
}

static void *
answer(void *data)
{
	struct peer *peer = data;

	hear(peer);
	for (size_t i = 0; i < 4 && peer->say[i]; i++)
		(void)!send(peer->fd, peer->say[i], strlen(peer->say[i]), MSG_NOSIGNAL);
	if (peer->close)
		shutdown(peer->fd, SHUT_RDWR);
	return NULL;
}

static int
ask(struct peer *peer, const struct ambit_question *q, struct ambit_answer *ret_answer,
	struct ambit_error *err)
{
	int r;

	assert_int_equal(pthread_create(&peer->thread, NULL, answer, peer), 0);
	r = peer->approver->ask(peer->approver, q, ret_answer, err);
	pthread_join(peer->thread, NULL);
	return r;
}

static void
peer_close(struct peer *peer)
{
	ambit_approver_destroy(peer->approver);
	close(peer->fd);
}

static void
test_question_and_answer(void **state)
{
	struct ambit_answer got = { 0 };
	struct ambit_error err = { 0 };
	struct peer peer;
	auto_json json_t *object = NULL;

	(void)state;
	peer_open(&peer);
	/* In two pieces, and behind one to a question that never was. */
	peer.say[0] = "{\"id\":9,\"answer\":\"once\"}\n{\"id\":1,\"answer\":\"fol";
	peer.say[1] = "der\",\"path\":\"/home/ada/data\",\"message\":\"well\"}\n";
	assert_int_equal(ask(&peer, &question, &got, &err), 0);
	assert_int_equal(got.kind, AMBIT_FOLDER);
	assert_string_equal(got.path, "/home/ada/data");
	assert_string_equal(got.message, "well");
	assert_int_equal(json_parse(peer.heard, strlen(peer.heard) - 1, &object, &err), 0);
	assert_int_equal(json_integer_value(json_object_get(object, "id")), 1);
	assert_int_equal(json_integer_value(json_object_get(object, "folder")), 2);
	assert_int_equal(json_array_size(json_object_get(object, "choices")), 4);
	assert_string_equal(json_string_value(json_object_get(object, "what")), question.what);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(object, "request"), "tool")),
		"write");
	/* The next has another number: the old answer is none to it. */
	peer.say[0] = "{\"id\":1,\"answer\":\"once\"}\n";
	peer.say[1] = "{\"id\":2,\"answer\":\"no\"}\n";
	assert_int_equal(ask(&peer, &question, &got, &err), 0);
	assert_int_equal(got.kind, AMBIT_NO);
	peer_close(&peer);
}

static void
test_nonsense_is_no_answer(void **state)
{
	static const char *const lines[] = {
		"{\"id\":1,\"answer\":\"always\"}\n", /* was not offered */
		"{\"id\":1,\"answer\":\"folder\",\"path\":\"/\"}\n",
		"{\"id\":1,\"answer\":\"yes\"}\n",
		"{\"id\":1,\"answer\":\"once\",\"more\":1}\n",
		"{\"answer\":\"once\"}\n",
		"{\"id\":\"1\",\"answer\":\"once\"}\n",
		"{\"id\":1,\"answer\":\"once\"\n",
		"\n",
		"[1]\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ambit_answer got = { 0 };
		struct ambit_error err = { 0 };
		struct peer peer;

		peer_open(&peer);
		peer.say[0] = lines[i];
		assert_true(ask(&peer, &question, &got, &err) < 0);
		assert_int_equal(got.kind, 0);
		assert_true(err.text[0] != '\0');
		peer_close(&peer);
	}
}

static void
test_nobody_there_is_a_no(void **state)
{
	struct ambit_question soon = question;
	struct ambit_answer got = { 0 };
	struct ambit_error err = { 0 };
	struct ambit_approver *approver = NULL;
	struct peer peer;
	int fds[2];

	(void)state;
	peer_open(&peer);
	peer.close = true;
	assert_int_equal(ask(&peer, &question, &got, &err), -EPIPE);
	assert_true(peer.approver->ask(peer.approver, &question, &got, &err) < 0);
	peer_close(&peer);

	peer_open(&peer);
	soon.expires = clock_now() + 50;
	assert_int_equal(ask(&peer, &soon, &got, &err), -ETIMEDOUT);
	hear(&peer);
	assert_string_equal(peer.heard, "{\"cancel\":1,\"how\":\"withdrawn\"}\n");
	peer_close(&peer);

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(approver_on_fd(fds[0], &approver, &err), -ENOTSOCK);
	close(fds[0]);
	close(fds[1]);
}

static void *
withdraw(void *data)
{
	struct peer *peer = data;

	hear(peer);
	peer->approver->cancel(peer->approver, question.id, "withdrawn");
	hear(peer);
	return NULL;
}

static void
test_withdrawn(void **state)
{
	struct ambit_answer got = { 0 };
	struct ambit_error err = { 0 };
	struct peer peer;

	(void)state;
	peer_open(&peer);
	assert_int_equal(pthread_create(&peer.thread, NULL, withdraw, &peer), 0);
	assert_int_equal(peer.approver->ask(peer.approver, &question, &got, &err), -ECANCELED);
	pthread_join(peer.thread, NULL);
	assert_string_equal(peer.heard, "{\"cancel\":1,\"how\":\"withdrawn\"}\n");
	peer_close(&peer);
}

static void
test_judge_and_nobody(void **state)
{
	struct ambit_answer got = { 0 };
	struct ambit_error err = { 0 };
	struct ambit_question judged = question;
	struct peer peer;
	auto_json json_t *object = NULL;

	(void)state;
	peer_open(&peer);
	/* What a judge may see goes along; that he answered comes back. */
	judged.judge = "{\"tool\":\"write\"}";
	peer.say[0] = "{\"id\":1,\"answer\":\"once\",\"message\":\"fine\",\"judge\":true}\n";
	assert_int_equal(ask(&peer, &judged, &got, &err), 0);
	assert_true(got.judge && got.kind == AMBIT_ONCE);
	assert_int_equal(json_parse(peer.heard, strlen(peer.heard) - 1, &object, &err), 0);
	assert_true(json_is_object(json_object_get(object, "judge")));
	/* Not of a question that is a person's, and a person is no judge. */
	peer.say[0] = "{\"id\":2,\"answer\":\"once\"}\n";
	assert_int_equal(ask(&peer, &question, &got, &err), 0);
	assert_false(got.judge);
	assert_null(strstr(peer.heard, "judge"));
	/* Nobody's silence is no answer. */
	peer.say[0] = "{\"id\":3,\"nobody\":\"nobody can approve it now\"}\n";
	assert_int_equal(ask(&peer, &question, &got, &err), -ENOENT);
	assert_string_equal(err.text, "nobody can approve it now");
	peer_close(&peer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_question_and_answer),
		cmocka_unit_test(test_judge_and_nobody),
		cmocka_unit_test(test_nonsense_is_no_answer),
		cmocka_unit_test(test_nobody_there_is_a_no),
		cmocka_unit_test(test_withdrawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
