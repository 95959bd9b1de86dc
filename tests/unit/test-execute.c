/* SPDX-License-Identifier: Apache-2.0 */
/* Commands run, are read, and are gone: with nothing around them, with the line
 * (the program that was built beside this test), and with another sandbox. Each test
 * looks at what is left: files, processes, descriptors. */

#include "unit-world.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "base/json.h"
#include "executor-rig.h"
#include "rounds.h"

struct rig {
	struct world w;
	struct ambit_executor *executor;
	struct ambit_executed executed;
	struct ambit_error err;
};

static void
rig_open(struct rig *rig, enum ambit_backend backend, const struct ambit_limits *limits)
{
	*rig = (struct rig){ 0 };
	world_open(&rig->w);
	rig->executor = executor_open(&rig->w, backend, NULL, limits);
}

static void
rig_close(struct rig *rig)
{
	ambit_executed_finish(&rig->executed);
	ambit_executor_destroy(rig->executor);
	world_close(&rig->w);
}

static int
run_with(struct rig *rig, struct ambit_execution execution)
{
	if (!execution.cwd)
		execution.cwd = rig->w.root;
	if (execution.cancel == 0)
		execution.cancel = -1;
	ambit_executed_finish(&rig->executed);
	rig->err = (struct ambit_error){ 0 };
	return ambit_execute(rig->executor, &execution, &rig->executed, &rig->err);
}

static void
run(struct rig *rig, const char *command)
{
	if (run_with(rig, (struct ambit_execution){ .command = command }) < 0)
		fail_msg("%s: %s", command, rig->err.text);
}

static void
with(enum ambit_backend backend, void (*test)(struct rig *rig), const struct ambit_limits *limits)
{
	struct rig rig;

	if (backend == AMBIT_BACKEND_KERNEL && !executor_line())
		return;
	rig_open(&rig, backend, limits);
	test(&rig);
	rig_close(&rig);
}

/* Both with nothing and with the line around it. */
static void
each(void (*test)(struct rig *rig), const struct ambit_limits *limits)
{
	with(AMBIT_BACKEND_SUBPROCESS, test, limits);
	with(AMBIT_BACKEND_KERNEL, test, limits);
}

/* -- what it prints ----------------------------------------------------------------- */

static void
check_streams(struct rig *rig)
{
	run(rig, "echo out; echo err >&2; exit 3");
	assert_int_equal(rig->executed.status, 3);
	assert_string_equal(rig->executed.out.text, "out\n");
	assert_string_equal(rig->executed.err.text, "err\n");
	assert_int_equal(rig->executed.out.size, 4);
	assert_false(rig->executed.out.binary);
	assert_false(rig->executed.timed_out);

	run(rig, "kill -9 $$");
	assert_int_equal(rig->executed.status, 128 + 9);
	run(rig, "pwd; cat; ls /proc/self/fd | wc -l");
	/* 0-2, and the directory that ls reads. */
	assert_non_null(strstr(rig->executed.out.text, rig->w.root));
	assert_non_null(strstr(rig->executed.out.text, "\n4\n"));
	assert_int_equal(run_with(rig,
				 (struct ambit_execution){
					 .command = "cat | wc -c; cat",
					 .input = "a\0b",
					 .input_len = 3,
				 }),
		0);
	assert_string_equal(rig->executed.out.text, "3\n");
	run(rig, "echo $PLAIN; echo $GITHUB_TOKEN; kill -0 0; trap");
	assert_string_equal(rig->executed.out.text, "yes\n\n");
	assert_string_equal(ambit_executor_scrubbed(rig->executor)[0], "GITHUB_TOKEN");
	assert_null(ambit_executor_scrubbed(rig->executor)[1]);
}

static void
test_streams(void **state)
{
	(void)state;
	/* A server that ignores signals does not have commands that do. */
	signal(SIGPIPE, SIG_IGN);
	each(check_streams, NULL);
	signal(SIGPIPE, SIG_DFL);
}

static void
test_bytes_become_text(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, AMBIT_BACKEND_SUBPROCESS, NULL);
	run(&rig, "printf 'gr\\303\\274n \\377\\376 \\000 end'");
	assert_string_equal(rig.executed.out.text, "gr\xc3\xbcn \xef\xbf\xbd \xef\xbf\xbd end");
	assert_true(rig.executed.out.binary);
	assert_int_equal(rig.executed.out.size, 14);

	/* A character that lies across the cut is no byte of another's. */
	assert_int_equal(
		run_with(&rig,
			(struct ambit_execution){
				.command = "for i in $(seq 2000); do printf '\\303\\274'; done",
				.max = 101,
			}),
		0);
	assert_false(rig.executed.out.binary);
	assert_true(str_is_utf8(rig.executed.out.text, rig.executed.out.len));
	assert_non_null(strstr(rig.executed.out.text, "of 4000 bytes were cut out here"));
	assert_true(rig.executed.out.len < 101 + 80);
	/* And without a cut it is whole, though it lies in two parts. */
	assert_int_equal(
		run_with(&rig,
			(struct ambit_execution){ .command = "printf 'a\\303\\274b'", .max = 4 }),
		0);
	assert_string_equal(rig.executed.out.text, "a\xc3\xbc"
						   "b");
	rig_close(&rig);
}

static void
check_cut(struct rig *rig)
{
	assert_int_equal(run_with(rig,
				 (struct ambit_execution){
					 .command = "seq 100000; seq 5 >&2",
					 .max = 1000,
				 }),
		0);
	assert_int_equal(rig->executed.out.size, 588895);
	assert_true(str_prefix(rig->executed.out.text, "1\n2\n3\n"));
	assert_non_null(strstr(rig->executed.out.text, "of 588895 bytes were cut out here ...]\n"));
	assert_string_equal(
		rig->executed.out.text + rig->executed.out.len - 14, "\n99999\n100000\n");
	assert_string_equal(rig->executed.err.text, "1\n2\n3\n4\n5\n");
}

static void
test_cut(void **state)
{
	(void)state;
	each(check_cut, NULL);
}

static long
memory_pages(void)
{
	char text[200] = "";
	long size, resident = 0;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_int_equal(sscanf(text, "%ld %ld", &size, &resident), 2);
	return resident;
}

static void
check_much(struct rig *rig)
{
	int size = rounds(12000000, 100000000);
	char command[100];
	long before;

	run(rig, "true");
	before = memory_pages();
	snprintf(command, sizeof(command), "head -c %d /dev/zero | tee /dev/stderr", size);
	run(rig, command);
	assert_int_equal(rig->executed.out.size, size);
	assert_int_equal(rig->executed.err.size, size);
	assert_true(rig->executed.out.binary);
	assert_true((memory_pages() - before) * 4096 < 4 * 1024 * 1024);
}

static void
test_much(void **state)
{
	(void)state;
	each(check_much, NULL);
}

/* -- how it ends ---------------------------------------------------------------------- */

static void
check_timeout(struct rig *rig)
{
	struct ambit_execution execution = { .timeout_ms = 300 };
	char command[300];

	snprintf(command, sizeof(command),
		"trap '' TERM; (setsid sh -c 'trap \"\" TERM; echo before; sleep %1$s' &) ; "
		"while :; do sleep %1$s; done",
		executor_nap(7123));
	execution.command = command;
	/* Until it was time enough to begin. */
	for (;; execution.timeout_ms *= 3) {
		assert_int_equal(run_with(rig, execution), 0);
		assert_true(rig->executed.timed_out);
		assert_int_equal(rig->executed.status, 124);
		assert_true(rig->executed.duration_ms >= execution.timeout_ms);
		assert_int_equal(executor_left(executor_nap(7123)), 0);
		if (rig->executed.out.len > 0 || execution.timeout_ms > 10000)
			break;
	}
	assert_string_equal(rig->executed.out.text, "before\n");
}

static void
test_timeout(void **state)
{
	(void)state;
	with(AMBIT_BACKEND_SUBPROCESS, check_timeout, NULL);
}

static void
test_timeout_in_the_line(void **state)
{
	(void)state;
	with(AMBIT_BACKEND_KERNEL, check_timeout, NULL);
}

static void *
raise_when_there(void *data)
{
	int *fd = data;
	char words[64];

	snprintf(words, sizeof(words), "sleep %s", executor_nap(7124));
	executor_await(words);
	eventfd_write(*fd, 1);
	return NULL;
}

static void
check_cancel(struct rig *rig)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	char command[100];
	pthread_t thread;

	snprintf(command, sizeof(command), "echo before; nohup sleep %1$s & sleep %1$s",
		executor_nap(7124));
	assert_int_equal(pthread_create(&thread, NULL, raise_when_there, &fd), 0);
	assert_int_equal(run_with(rig,
				 (struct ambit_execution){
					 .command = command,
					 .cancel = fd,
				 }),
		0);
	pthread_join(thread, NULL);
	assert_true(rig->executed.cancelled);
	assert_false(rig->executed.timed_out);
	assert_int_equal(executor_left(executor_nap(7124)), 0);
	close(fd);
}

static void
test_cancel(void **state)
{
	(void)state;
	each(check_cancel, NULL);
}

static void
check_daemon(struct rig *rig)
{
	char command[100];

	snprintf(command, sizeof(command),
		"(setsid sh -c 'trap \"\" TERM HUP; sleep %s; :' &) ; echo done",
		executor_nap(7125));
	run(rig, command);
	assert_int_equal(rig->executed.status, 0);
	assert_string_equal(rig->executed.out.text, "done\n");
	assert_int_equal(executor_left(executor_nap(7125)), 0);
}

static void
test_daemon(void **state)
{
	(void)state;
	each(check_daemon, NULL);
}

/* The server is killed: nothing of what it ran goes on. */
static void
check_server_dies(struct rig *rig)
{
	char command[200], words[64];
	pid_t server;

	snprintf(words, sizeof(words), "sleep %s", executor_nap(7126));
	snprintf(command, sizeof(command), "trap '' TERM; setsid %1$s & %1$s", words);
	server = fork();
	if (server == 0) {
		struct ambit_execution execution = {
			.command = command,
			.cwd = rig->w.root,
			.cancel = -1,
		};

		_exit(ambit_execute(rig->executor, &execution, &rig->executed, NULL) < 0);
	}
	executor_await(words);
	assert_true(executor_left(words) > 0);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	for (int i = 0; i < 500 && executor_left(words) > 0; i++)
		usleep(20000);
	assert_int_equal(executor_left(words), 0);
}

static void
test_server_dies(void **state)
{
	(void)state;
	with(AMBIT_BACKEND_SUBPROCESS, check_server_dies, NULL);
}

static void
test_server_of_the_line_dies(void **state)
{
	(void)state;
	with(AMBIT_BACKEND_KERNEL, check_server_dies, NULL);
}

/* The one in between is killed, by the command: that does not set it free. */
static void
test_keeper_dies(void **state)
{
	char command[200];
	struct rig rig;

	(void)state;
	rig_open(&rig, AMBIT_BACKEND_SUBPROCESS, NULL);
	/* When it sleeps, it has told that the command runs. */
	snprintf(command, sizeof(command),
		"until read -r _ _ state _ </proc/$PPID/stat && [ $state = S ]; do :; done; "
		"kill -9 $PPID; exec sleep %s",
		executor_nap(7128));
	run(&rig, command);
	assert_int_equal(rig.executed.status, 128 + 9);
	for (int i = 0; i < 500 && executor_left(executor_nap(7128)) > 0; i++)
		usleep(20000);
	assert_int_equal(executor_left(executor_nap(7128)), 0);
	rig_close(&rig);
}

/* What stands in for `ambit`. */
static int
run_stand_in(struct rig *rig, const char *script)
{
	char program[700];
	struct ambit_executor_options options = { .program = program };

	snprintf(program, sizeof(program), "%s/ambit", rig->w.top);
	world_file(program, script);
	assert_int_equal(chmod(program, 0755), 0);
	ambit_executor_destroy(rig->executor);
	rig->executor = NULL;
	assert_int_equal(ambit_executor_create(&options, &rig->executor, &rig->err), 0);
	return run_with(rig, (struct ambit_execution){ .command = "true" });
}

static void
not_started_says(struct rig *rig, const char *script, const char *says)
{
	assert_int_equal(run_stand_in(rig, script), -EIO);
	if (!strstr(rig->err.text, says) || strstr(rig->err.text, "obey"))
		fail_msg("%s", rig->err.text);
}

/* Why is what ambit says last; a command's own words are not taken for it. */
static void
test_words_are_ambits_own(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, AMBIT_BACKEND_SUBPROCESS, NULL);
	not_started_says(&rig, "#!/bin/sh\necho obey >&2; echo 'ambit: no record' >&2; exit 125\n",
		"no record");
	not_started_says(&rig, "#!/bin/sh\necho 'ambit: obey' >&2; echo obey >&2; exit 125\n",
		"ended with 125 and did not say why");
	not_started_says(&rig, "#!/bin/sh\nexit 3\n", "ended with 3");
	rig_close(&rig);
}

/* Hundreds of refusals with names as long as they can be are megabytes. And one that
 * cannot be read is not the command's fault: its output is there, and not trusted. */
static void
test_long_report(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, AMBIT_BACKEND_SUBPROCESS, NULL);
	assert_int_equal(
		run_stand_in(&rig, "#!/bin/sh\nexec >&4; printf '{\"connected\":false,\"a\":\"'; "
				   "head -c 20000000 /dev/zero | tr '\\0' x; echo '\"}'\n"),
		0);
	assert_false(rig.executed.connected);
	assert_true(strlen(rig.executed.report) > 20000000);
	assert_int_equal(run_stand_in(&rig, "#!/bin/sh\necho ran; echo '{' >&4; exit 3\n"), 0);
	assert_int_equal(rig.executed.status, 3);
	assert_string_equal(rig.executed.out.text, "ran\n");
	assert_true(rig.executed.connected);
	assert_null(rig.executed.report);
	rig_close(&rig);
}

static void
test_not_started(void **state)
{
	struct ambit_executor_options options = { .program = "/nowhere/ambit" };
	struct ambit_executor *executor = NULL;
	struct rig rig;

	(void)state;
	rig_open(&rig, AMBIT_BACKEND_SUBPROCESS, NULL);
	assert_int_equal(ambit_executor_create(&options, &executor, &rig.err), -ENOENT);
	assert_non_null(strstr(rig.err.text, "/nowhere/ambit"));
	options.backend = AMBIT_BACKEND_PREFIX;
	assert_int_equal(ambit_executor_create(&options, &executor, &rig.err), -EINVAL);
	assert_int_equal(
		run_with(&rig, (struct ambit_execution){ .command = "true", .cwd = "/nowhere" }),
		-ENOENT);
	assert_int_equal(run_with(&rig, (struct ambit_execution){ .command = "" }), -EINVAL);
	rig_close(&rig);
	if (!executor_line())
		return;
	/* The line cannot be held there: its own words say why. */
	rig_open(&rig, AMBIT_BACKEND_KERNEL, NULL);
	assert_int_equal(rmdir(rig.w.out), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rename(rig.w.root, rig.w.out), 0);
	assert_true(run_with(&rig, (struct ambit_execution){ .command = "true", .cwd = "/" }) < 0);
	assert_non_null(strstr(rig.err.text, "project"));
	rig_close(&rig);
}

/* -- limits ------------------------------------------------------------------------------ */

static void
check_limits(struct rig *rig)
{
	struct stat st;

	run(rig, "head -c 3000000 /dev/zero >big; echo $?");
	assert_int_equal(stat("big", &st), 0);
	assert_int_equal(st.st_size, 1000000);
	run(rig, "ulimit -f unlimited; echo $?; ulimit -t");
	assert_non_null(strstr(rig->executed.out.text, "1\n1\n"));
	/* In one piece. */
	run(rig, "head -c 150000000 /dev/zero | tail -n 1 | wc -c; true");
	assert_string_not_equal(rig->executed.out.text, "150000000\n");
	/* Root is held to none, and whoever starts the line is told so. */
	run(rig, "ulimit -u");
	if (geteuid() != 0)
		assert_string_equal(rig->executed.out.text, "3000\n");
}

/* The least that the kernel counts is a second of work. */
static void
check_work_limit(struct rig *rig)
{
	run(rig, "while :; do :; done");
	assert_true(rig->executed.status == 128 + SIGXCPU || rig->executed.status == 128 + SIGKILL);
	assert_false(rig->executed.timed_out);
}

/* Which limit it is was seen above; how such an end is told, without the work. */
static void
check_work_end(struct rig *rig)
{
	run(rig, "kill -XCPU $$");
	assert_int_equal(rig->executed.status, 128 + SIGXCPU);
	assert_false(rig->executed.timed_out);
}

static void
test_limits(void **state)
{
	const struct ambit_limits limits = {
		.cpu_seconds = 1,
		.memory = 100 * 1000 * 1000,
		.processes = geteuid() == 0 ? 0 : 3000,
		.file_size = 1000000,
	};

	(void)state;
	each(check_limits, &limits);
	with(AMBIT_BACKEND_SUBPROCESS, check_work_limit, &limits);
	with(AMBIT_BACKEND_KERNEL, rounds_long() ? check_work_limit : check_work_end, &limits);
}

/* -- many ---------------------------------------------------------------------------------- */

struct one {
	struct rig *rig;
	int i;
	struct ambit_executed executed;
	struct ambit_error err;
	int r;
};

static void *
run_one(void *data)
{
	struct one *one = data;
	char command[200];
	struct ambit_execution execution = {
		.command = command,
		.cwd = one->rig->w.root,
		.cancel = -1,
	};

	snprintf(command, sizeof(command), "seq %d >f%d; cat f%d; echo %d >&2; exit %d",
		one->i * 1000, one->i, one->i, one->i, one->i);
	one->r = ambit_execute(one->rig->executor, &execution, &one->executed, &one->err);
	return NULL;
}

static void
check_eight(struct rig *rig)
{
	struct one ones[8];
	pthread_t threads[8];
	char text[20];
	int before = executor_descriptors();

	for (int i = 0; i < 8; i++) {
		ones[i] = (struct one){ .rig = rig, .i = i };
		assert_int_equal(pthread_create(&threads[i], NULL, run_one, &ones[i]), 0);
	}
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 8; i++) {
		if (ones[i].r < 0)
			fail_msg("%d: %s", i, ones[i].err.text);
		assert_int_equal(ones[i].executed.status, i);
		snprintf(text, sizeof(text), "%d\n", i);
		assert_string_equal(ones[i].executed.err.text, text);
		if (i > 0)
			assert_true(str_prefix(ones[i].executed.out.text, "1\n2\n3\n"));
		ambit_executed_finish(&ones[i].executed);
	}
	for (int i = 0; i < 10; i++)
		run(rig, "echo");
	assert_int_equal(executor_descriptors(), before);
	/* Nor is a zombie of ours. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void
test_eight(void **state)
{
	(void)state;
	each(check_eight, NULL);
}

static void
note_progress(void *data, uint64_t printed, int64_t elapsed_ms)
{
	uint64_t *seen = data;

	assert_true(elapsed_ms >= 900);
	*seen = printed;
	world_file("seen", "");
}

static void
test_progress(void **state)
{
	uint64_t seen = 0;
	struct rig rig;

	(void)state;
	rig_open(&rig, AMBIT_BACKEND_SUBPROCESS, NULL);
	assert_int_equal(
		run_with(&rig,
			(struct ambit_execution){
				.command = "echo four; until [ -e seen ]; do sleep .05; done",
				.progress = note_progress,
				.data = &seen,
			}),
		0);
	assert_int_equal(seen, 5);
	rig_close(&rig);
}

/* -- the line -------------------------------------------------------------------------------- */

static void
test_line(void **state)
{
	struct rig rig;
	auto_json json_t *report = NULL;
	char command[2000], file[700];

	(void)state;
	if (!executor_line())
		return;
	rig_open(&rig, AMBIT_BACKEND_KERNEL, NULL);
	snprintf(file, sizeof(file), "%s/kept", rig.w.out);
	world_file(file, "as it was");
	snprintf(command, sizeof(command), "echo inside >inside; echo changed >%s", file);
	run(&rig, command);
	assert_int_equal(rig.executed.status, 1);
	assert_string_equal(world_read("inside"), "inside\n");
	assert_string_equal(world_read(file), "as it was");
	assert_false(rig.executed.connected);
	assert_int_equal(
		json_parse(rig.executed.report, strlen(rig.executed.report), &report, NULL), 0);
	assert_string_equal(
		json_string_value(json_object_get(
			json_array_get(json_object_get(report, "refusals"), 0), "code")),
		"Outside");
	rig_close(&rig);
}

/* Says yes to the folder, when it was asked about the file. */
struct person {
	struct ambit_approver approver;
	int asked;
	atomic_bool withdrawn;
	int hold; /* ms to think */
	char what[1000];
	enum ambit_answer_kind kind;
	int entered, go;
};

static int
person_ask(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct person *person = (struct person *)approver;

	person->asked++;
	snprintf(person->what, sizeof(person->what), "%s", question->what);
	if (person->entered >= 0) {
		struct pollfd p = { .fd = person->go, .events = POLLIN };

		eventfd_write(person->entered, 1);
		assert_true(poll(&p, 1, 20000) > 0);
		if (person->withdrawn) {
			err->code = ECANCELED;
			return -ECANCELED;
		}
	}
	usleep((useconds_t)person->hold * 1000);
	for (size_t i = 0; i < question->n_choices; i++)
		if (question->choices[i].kind == person->kind) {
			ret_answer->kind = person->kind;
			if (person->kind == AMBIT_FOLDER)
				snprintf(ret_answer->path, sizeof(ret_answer->path), "%s",
					question->choices[i].path);
			if (person->kind == AMBIT_NO)
				snprintf(ret_answer->message, sizeof(ret_answer->message),
					"not that one, please");
			return 0;
		}
	return -ENOENT;
}

static void
person_cancel(struct ambit_approver *approver, uint64_t question)
{
	struct person *person = (struct person *)approver;

	(void)question;
	person->withdrawn = true;
	if (person->entered >= 0)
		eventfd_write(person->go, 1);
}

static void
test_person_is_asked(void **state)
{
	struct person person = {
		.approver = { .ask = person_ask, .cancel = person_cancel, .name = "test" },
		.kind = AMBIT_FOLDER,
		.entered = -1,
	};
	char command[2000], file[700];
	struct ambit_execution execution = { .command = command, .approver = &person.approver };
	struct rig rig;

	(void)state;
	if (!executor_line())
		return;
	/* The time that the person takes, which is longer, is not the command's. Again with
	 * more of both, should the command itself have had too little. */
	for (int ms = 600;; ms *= 3) {
		rig_open(&rig, AMBIT_BACKEND_KERNEL, NULL);
		snprintf(file, sizeof(file), "%s/kept", rig.w.out);
		world_file(file, "as it was");
		snprintf(command, sizeof(command), "echo changed >%s && echo two >>%s && echo well",
			file, file);
		execution.timeout_ms = ms;
		person.hold = ms + 50;
		person.asked = 0;
		assert_int_equal(run_with(&rig, execution), 0);
		if (!rig.executed.timed_out || ms > 10000)
			break;
		rig_close(&rig);
	}
	assert_false(rig.executed.timed_out);
	assert_string_equal(rig.executed.err.text, "");
	assert_string_equal(rig.executed.out.text, "well\n");
	assert_int_equal(person.asked, 1);
	assert_non_null(strstr(person.what, "kept"));
	assert_string_equal(world_read(file), "changed\ntwo\n");

	/* Of this session: the next command has it too, and a no is a no with a message. */
	execution.approver = NULL;
	assert_int_equal(run_with(&rig, execution), 0);
	assert_string_equal(rig.executed.out.text, "well\n");
	snprintf(file, sizeof(file), "%s/.bashrc", rig.w.home);
	world_file(file, "as it was");
	snprintf(command, sizeof(command), "echo changed >%s", file);
	execution.approver = &person.approver;
	person.kind = AMBIT_NO;
	person.hold = 0;
	assert_int_equal(run_with(&rig, execution), 0);
	assert_int_equal(rig.executed.status, 1);
	assert_non_null(strstr(rig.executed.report, "not that one, please"));
	assert_string_equal(world_read(file), "as it was");
	rig_close(&rig);
}

static void *
cancel_when_asked(void *data)
{
	int *fds = data;
	eventfd_t value;

	eventfd_read(fds[0], &value);
	eventfd_write(fds[1], 1);
	return NULL;
}

/* The call ends while somebody thinks: the question is withdrawn. */
static void
test_question_is_withdrawn(void **state)
{
	struct person person = {
		.approver = { .ask = person_ask, .cancel = person_cancel, .name = "test" },
		.kind = AMBIT_ONCE,
		.entered = eventfd(0, EFD_CLOEXEC),
		.go = eventfd(0, EFD_CLOEXEC),
	};
	int fds[2] = { person.entered, eventfd(0, EFD_CLOEXEC) };
	char command[2000], file[700];
	pthread_t thread;
	struct rig rig;

	(void)state;
	if (!executor_line())
		return;
	rig_open(&rig, AMBIT_BACKEND_KERNEL, NULL);
	snprintf(file, sizeof(file), "%s/kept", rig.w.out);
	world_file(file, "as it was");
	snprintf(command, sizeof(command), "echo changed >%s; sleep %s", file, executor_nap(7127));
	assert_int_equal(pthread_create(&thread, NULL, cancel_when_asked, fds), 0);
	assert_int_equal(run_with(&rig,
				 (struct ambit_execution){
					 .command = command,
					 .approver = &person.approver,
					 .cancel = fds[1],
				 }),
		0);
	pthread_join(thread, NULL);
	assert_true(rig.executed.cancelled);
	assert_true(person.withdrawn);
	assert_string_equal(world_read(file), "as it was");
	assert_int_equal(executor_left(executor_nap(7127)), 0);
	close(person.entered);
	close(person.go);
	close(fds[1]);
	rig_close(&rig);
}

/* -- another sandbox ----------------------------------------------------------------------------
 */

static int
shell(const char *script, const char *a, const char *b, const char *c)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/bash", "bash", "-c", script, "test", a, b, c, NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void
test_prefix(void **state)
{
	struct rig rig = { 0 };
	char *prefix[] = { "/usr/bin/bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc",
		"/proc", "--unshare-pid", "--die-with-parent", "--bind", NULL, NULL, NULL };
	char command[2000], file[700];

	(void)state;
	world_open(&rig.w);
	prefix[11] = prefix[12] = rig.w.root;
	if (access(prefix[0], X_OK) < 0 ||
		shell("bwrap --ro-bind / / --unshare-pid --proc /proc --dev /dev true 2>/dev/null",
			"", "", "") != 0) {
		print_message("skipped: no bwrap, or it cannot work here\n");
		world_close(&rig.w);
		return;
	}
	rig.executor = executor_open(&rig.w, AMBIT_BACKEND_PREFIX, prefix, NULL);
	snprintf(file, sizeof(file), "%s/kept", rig.w.out);
	world_file(file, "as it was");
	snprintf(command, sizeof(command), "echo inside >inside; echo changed >%s; echo $$", file);
	run(&rig, command);
	assert_string_equal(world_read("inside"), "inside\n");
	assert_string_equal(world_read(file), "as it was");
	assert_true(rig.executed.connected); /* nobody has seen it */
	check_timeout(&rig);
	check_cancel(&rig);
	check_daemon(&rig);
	check_server_dies(&rig);
	rig_close(&rig);
}

/* A container that stands still, and commands that run in it by `runc exec`. Needs
 * root: what runs in it is what the test says, in a directory of the test's. */
static const char start_box[] =
	"set -e; box=$1; mkdir -p $box/rootfs/usr/bin $box/rootfs/proc $box/rootfs/dev "
	"$box/rootfs/sys $box/rootfs/work $box/state; ln -s usr/bin $box/rootfs/bin; "
	"for p in bash sh sleep cat setsid; do f=$(realpath $(command -v $p)); "
	"cp $f $box/rootfs/usr/bin/$p; for l in $(ldd $f | grep -oE '/[^ ]+\\.so[^ ]*'); do "
	"mkdir -p $box/rootfs${l%/*}; cp -L $l $box/rootfs$l; done; done; echo kept "
	">$box/rootfs/kept; "
	"cd $box; runc spec; jq --arg w $2 '.process.terminal=false | "
	".process.args=[\"sleep\",\"600\"] "
	"| .process.cwd=\"/work\" | .root.readonly=true | .linux.resources={} | .mounts += "
	"[{destination:\"/work\",type:\"bind\",source:$w,options:[\"bind\",\"rw\"]}]' "
	"config.json >c; "
	"mv c config.json; runc --root $box/state run -d --bundle $box $3 </dev/null >/dev/null "
	"2>&1";

static const char end_box[] = "runc --root $1/state delete --force $3 >/dev/null 2>&1; true";

static void
test_container(void **state)
{
	struct rig rig = { 0 };
	char box[700], state_dir[720], name[60], command[200];
	int status, left;
	char *prefix[] = { "/usr/sbin/runc", "--root", state_dir, "exec", name, NULL };

	(void)state;
	world_open(&rig.w);
	snprintf(box, sizeof(box), "%s/box", rig.w.top);
	snprintf(state_dir, sizeof(state_dir), "%s/state", box);
	snprintf(name, sizeof(name), "ambit-test-%ld", (long)getpid());
	if (geteuid() != 0 || access(prefix[0], X_OK) < 0 ||
		shell(start_box, box, rig.w.root, name) != 0) {
		print_message("skipped: no runc, or it cannot make a container here\n");
		shell(end_box, box, "", name);
		rig_close(&rig);
		return;
	}
	rig.executor = executor_open(&rig.w, AMBIT_BACKEND_PREFIX, prefix, NULL);
	run(&rig, "echo inside >inside; echo changed >/kept; cat; exit 4");
	status = rig.executed.status;
	/* What left its parents belongs to the container; all else is gone. */
	snprintf(command, sizeof(command),
		"trap '' TERM; echo before; (sleep %1$s & sleep %1$s); sleep %1$s",
		executor_nap(7133));
	run_with(&rig, (struct ambit_execution){ .command = command, .timeout_ms = 2000 });
	left = executor_left(executor_nap(7133));
	check_server_dies(&rig);
	shell(end_box, box, "", name);
	assert_int_equal(status, 4);
	assert_string_equal(world_read("inside"), "inside\n");
	snprintf(state_dir, sizeof(state_dir), "%s/rootfs/kept", box);
	assert_string_equal(world_read(state_dir), "kept\n");
	assert_true(rig.executed.timed_out);
	assert_string_equal(rig.executed.out.text, "before\n");
	assert_int_equal(left, 0);
	rig_close(&rig);
}

/* -- all ----------------------------------------------------------------------------------------
 */

#define GROUP(group, ...)                                                                          \
	static int group(void)                                                                     \
	{                                                                                          \
		const struct CMUnitTest tests[] = { __VA_ARGS__ };                                 \
                                                                                                   \
		return cmocka_run_group_tests_name(#group, tests, NULL, NULL);                     \
	}
#define T(test) cmocka_unit_test(test)

GROUP(output, T(test_streams), T(test_bytes_become_text), T(test_cut), T(test_much),
	T(test_words_are_ambits_own), T(test_long_report), T(test_not_started), T(test_eight),
	T(test_line))
GROUP(ends, T(test_timeout), T(test_server_dies), T(test_keeper_dies))
GROUP(ends_of_the_line, T(test_timeout_in_the_line), T(test_server_of_the_line_dies))
GROUP(limits, T(test_limits), T(test_progress))
GROUP(questions, T(test_person_is_asked), T(test_question_is_withdrawn), T(test_cancel),
	T(test_daemon))
GROUP(prefix, T(test_prefix))
GROUP(container, T(test_container))

/* All groups at once, each in a process of its own: most of them wait for a time to pass
 * that is a promise, and nobody has to wait for it twice. */
int
main(void)
{
	static int (*const groups[])(
		void) = { output, ends, ends_of_the_line, limits, questions, prefix, container };
	pid_t pids[sizeof(groups) / sizeof(groups[0])];
	int failed = 0;

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			exit(groups[i]() != 0);
	}
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		int status = -1;

		if (pids[i] < 0 || waitpid(pids[i], &status, 0) < 0 || status != 0)
			failed++;
	}
	return failed;
}
