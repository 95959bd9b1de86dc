/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of an executor with a sandbox around its commands: the line and its questions,
 * another sandbox as a prefix, and a container. */

#include <poll.h>
#include <stdatomic.h>

#include "base/json.h"
#include "command-rig.h"

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
person_cancel(struct ambit_approver *approver, uint64_t question, const char *how)
{
	struct person *person = (struct person *)approver;

	(void)question, (void)how;
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
	int status, left = -1;
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
	/* Processes that left their parents belong to the container. All others are killed; their
	 * parent is the container's own init, so nobody here can wait for their end. */
	snprintf(command, sizeof(command),
		"trap '' TERM; echo before; (sleep %1$s & sleep %1$s); sleep %1$s",
		executor_nap(7133));
	run_with(&rig, (struct ambit_execution){ .command = command, .timeout_ms = 2000 });
	for (int i = 0; i < 500 && (left = executor_left(executor_nap(7133))) > 0; i++)
		usleep(10000);
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

GROUP(line, T(test_line))
GROUP(questions, T(test_person_is_asked), T(test_question_is_withdrawn))
GROUP(prefix, T(test_prefix))
GROUP(container, T(test_container))

int
main(void)
{
	static int (*const groups[])(void) = { line, questions, prefix, container };

	return run_groups(groups, sizeof(groups) / sizeof(groups[0]));
}
