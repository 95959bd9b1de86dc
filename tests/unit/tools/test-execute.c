/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of an executor about output and limits: what a command prints is told as text, cut
 * where it is too much, and a command that cannot start says why. */

#include "command-rig.h"
#include "rounds.h"

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

static void
refuses_to_start(struct rig *rig, const char *program, const char *why)
{
	char *const argv[] = { (char *)program, NULL };

	assert_true(run_with(rig, (struct ambit_execution){ .argv = argv }) < 0);
	if (!strstr(rig->err.text, why))
		fail_msg("'%s' does not say '%s'", rig->err.text, why);
	assert_int_equal(access("ran", F_OK), -1);
}

/* Without the line: no shell runs a file without an interpreter line, and a program is looked for
 * in the PATH of commands, not in that of the caller. */
static void
test_words_find_their_program(void **state)
{
	char *const here[] = { "./tool", NULL }, *const by_name[] = { "true", NULL };
	char *before = str_dup(getenv("PATH"));
	struct rig rig;

	(void)state;
	rig_open(&rig, AMBIT_BACKEND_SUBPROCESS, NULL);
	world_file("tool", "echo x >ran\n");
	assert_int_equal(chmod("tool", 0755), 0);
	refuses_to_start(&rig, "./tool", "Exec format error");
	world_file("tool", "#!/bin/sh\necho x >ran\n");
	assert_int_equal(setenv("PATH", rig.w.root, 1), 0);
	refuses_to_start(&rig, "tool", "No such file");
	assert_int_equal(run_with(&rig, (struct ambit_execution){ .argv = by_name }), 0);
	assert_int_equal(rig.executed.status, 0);
	assert_int_equal(run_with(&rig, (struct ambit_execution){ .argv = here }), 0);
	assert_int_equal(access("ran", F_OK), 0);
	assert_int_equal(setenv("PATH", before, 1), 0);
	free(before);
	rig_close(&rig);
}

GROUP(output, T(test_streams), T(test_bytes_become_text), T(test_cut), T(test_much),
	T(test_words_are_ambits_own), T(test_long_report), T(test_not_started), T(test_eight),
	T(test_words_find_their_program))
GROUP(limits, T(test_limits), T(test_progress))

int
main(void)
{
	static int (*const groups[])(void) = { output, limits };

	return run_groups(groups, sizeof(groups) / sizeof(groups[0]));
}
