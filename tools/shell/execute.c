/* SPDX-License-Identifier: Apache-2.0 */
/* A shell command into its output: started by the backend's words, read without
 * waiting for one stream while the other fills, ended with all it started when its
 * time is up or nobody wants it any more. The command is not trusted; what holds it
 * is the backend's business, but what it costs here is bounded in any case. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "tools/shell/execute-private.h"

#define TIMEOUT_STATUS 124
#define TIMEOUT_MS 60000
#define OUTPUT_MAX 30000
#define PROGRESS_MS 1000
#define REPORT_MAX (64 * 1024 * 1024) /* hundreds of paths that are as long as they can be */
#define DRAIN_MAX 64		      /* chunks; more than a pipe holds */

/* One execution. */
struct job {
	struct ambit_executor *executor;
	const struct ambit_execution *o;
	char **argv;
	int in;	    /* what it reads */
	int report; /* or -1 */
	int within; /* likewise */
	struct capture out, err;
	struct asking asking;
	struct keep keep;
	int64_t started, told;
	struct ambit_executed *executed;
	char chunk[CAPTURE_CHUNK];
};

/* -- argv ------------------------------------------------------------------------------ */

static int
append_argv_words(char ***list, char *const *words)
{
	int r = 0;

	for (; r == 0 && words && *words; words++)
		r = strv_append(list, *words);
	return r;
}

static int
append_number(char ***list, const char *option, uint64_t number)
{
	auto_free char *word = str_printf("%s%llu", option, (unsigned long long)number);

	return word ? strv_append(list, word) : -ENOMEM;
}

/* Limits are the command's: those who hold it have a record to write. */
static int
append_limits(char ***list, const struct ambit_limits *limits)
{
	int r = 0;

	if (limits->cpu_seconds)
		r = append_number(list, "--limit=cpu=", limits->cpu_seconds);
	if (r == 0 && limits->memory)
		r = append_number(list, "--limit=memory=", limits->memory);
	if (r == 0 && limits->processes)
		r = append_number(list, "--limit=processes=", limits->processes);
	if (r == 0 && limits->file_size)
		r = append_number(list, "--limit=file-size=", limits->file_size);
	return r;
}

/* None of them is something else than nothing said. */
static int
append_only(char ***list, char *const *only)
{
	int r = only && !*only ? strv_append(list, "--only=") : 0;

	for (; r == 0 && only && *only; only++) {
		auto_free char *text = str_printf("--only=%s", *only);

		r = text ? strv_append(list, text) : -ENOMEM;
	}
	return r;
}

static int
append_kernel(struct job *job)
{
	const struct ambit_executor *executor = job->executor;
	int r = strv_append(&job->argv, executor->program);

	if (r == 0)
		r = strv_append(&job->argv, "run");
	if (r == 0)
		r = append_argv_words(
			&job->argv, job->o->options ? job->o->options : executor->args);
	if (r == 0 && job->within >= 0)
		r = append_number(&job->argv, "--within=", KEEP_WITHIN);
	if (r == 0)
		r = append_only(&job->argv, job->o->only);
	/* What was refused is in the report; the command's stderr is its own. */
	if (r == 0)
		r = strv_append(&job->argv, "--quiet");
	if (r == 0)
		r = job->o->approver ? append_number(&job->argv, "--ask-fd=", KEEP_ASK)
				     : strv_append(&job->argv, "--ask=deny");
	if (r == 0)
		r = append_number(&job->argv, "--report=/dev/fd/", KEEP_REPORT);
	if (r == 0)
		r = append_number(&job->argv, "--leash=", KEEP_LEASH);
	if (r == 0)
		r = append_limits(&job->argv, &executor->limits);
	return r == 0 ? strv_append(&job->argv, "--") : r;
}

static int
make_argv(struct job *job)
{
	const struct ambit_executor *executor = job->executor;
	int r = 0;

	if (executor->backend == AMBIT_BACKEND_KERNEL)
		r = append_kernel(job);
	else if (executor->backend == AMBIT_BACKEND_PREFIX)
		r = append_argv_words(&job->argv, executor->prefix);
	if (r == 0 && job->o->argv)
		return append_argv_words(&job->argv, job->o->argv);
	if (r == 0)
		r = strv_append(&job->argv, executor->shell);
	if (r == 0)
		r = strv_append(&job->argv, "-c");
	return r == 0 ? strv_append(&job->argv, job->o->command) : r;
}

/* -- descriptors ------------------------------------------------------------------------- */

/* In memory: nobody has to feed it, and a command that does not read is no harm.
 * Opened anew, for it is not the command's to write to. */
static int
make_input(const char *input, size_t len, int *ret_fd)
{
	char path[64];
	auto_close int memory = -1;
	int r;

	if (!input || len == 0) {
		*ret_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return *ret_fd >= 0 ? 0 : -errno;
	}
	memory = memfd_create("stdin", MFD_CLOEXEC);
	if (memory < 0)
		return -errno;
	r = fd_write_all(memory, input, len);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	return *ret_fd >= 0 ? 0 : -errno;
}

/* Options of its own come with the scope that they are for: without it they could be wider. */
static int
find_within(struct job *job, struct ambit_error *err)
{
	const struct ambit_executor *executor = job->executor;

	if (job->o->options && job->o->make_within)
		return job->o->make_within(job->o->data, executor->envp, &job->within, err);
	if (job->o->options && job->o->within <= 0)
		return err_set(err, EINVAL, "a command started without its parent's scope");
	if (job->o->options) {
		job->within = fcntl(job->o->within, F_DUPFD_CLOEXEC, 3);
		return job->within < 0 ? err_sys(err, errno, "its parent's scope") : 0;
	}
	return executor->within
		       ? executor->within(executor->data, executor->envp, &job->within, err)
		       : 0;
}

/* The ends that go to the command are closed here in any case. */
static int
start_execution(struct job *job, struct ambit_error *err)
{
	bool kernel = job->executor->backend == AMBIT_BACKEND_KERNEL;
	size_t max = job->o->max ? job->o->max : OUTPUT_MAX;
	auto_close int out = -1, errors = -1, ask = -1;
	int r = make_input(job->o->input, job->o->input_len, &job->in);

	if (r == 0)
		r = capture_init(&job->out, max, &out);
	if (r == 0)
		r = capture_init(&job->err, max, &errors);
	if (r == 0 && kernel && job->o->approver)
		r = asking_init(&job->asking, job->executor, job->o->approver, &ask);
	if (r == 0 && kernel && (job->report = memfd_create("report", MFD_CLOEXEC)) < 0)
		r = -errno;
	if (r < 0)
		return err_sys(err, -r, "a command");
	r = find_within(job, err);
	if (r < 0)
		return r;
	if (make_argv(job) < 0)
		return err_nomem(err);
	const struct keep_options options = {
		.argv = job->argv,
		.envp = job->within >= 0 ? job->executor->program_envp : job->executor->envp,
		.cwd = job->o->cwd,
		.in = job->in,
		.out = out,
		.err = errors,
		.ask = ask,
		.report = job->report,
		.within = job->within,
		.hold = job->o->hold > 0 ? job->o->hold : -1,
		.holds = kernel,
		.limits = kernel ? (struct ambit_limits){ 0 } : job->executor->limits,
	};

	job->out.printed = job->err.printed = job->o->printed;
	job->out.data = job->err.data = job->o->data;
	job->out.stream = STDOUT_FILENO;
	job->err.stream = STDERR_FILENO;
	job->started = job->told = clock_steady();
	return keep_start(&options, &job->keep, err);
}

/* -- while it runs ------------------------------------------------------------------------- */

static bool
is_ending(const struct job *job)
{
	return job->executed->timed_out || job->executed->cancelled;
}

/* Until its time is up. While somebody thinks about a question the clock stands: it
 * is not the command that takes so long. */
static int64_t
time_left(struct job *job)
{
	int64_t timeout = job->o->timeout_ms > 0 ? job->o->timeout_ms : TIMEOUT_MS;
	bool open;
	int64_t waited = asking_waited(&job->asking, &open);

	if (open || is_ending(job))
		return PROGRESS_MS;
	return job->started + timeout + waited - clock_steady();
}

static void
tell_progress(struct job *job)
{
	int64_t now = clock_steady();

	if (now - job->told < PROGRESS_MS)
		return;
	job->told = now;
	if (job->o->progress)
		job->o->progress(job->o->data, job->out.size + job->err.size, now - job->started);
}

static void
end_early(struct job *job, bool *why)
{
	*why = true;
	keep_end(&job->keep);
}

static void
poll_execution(struct job *job)
{
	struct pollfd p[5];
	bool over = false;

	while (!over) {
		int64_t left = time_left(job);
		int tick = left > PROGRESS_MS / 2 ? PROGRESS_MS / 2 : left < 0 ? 0 : (int)left;

		p[0] = (struct pollfd){ .fd = job->keep.news, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = job->out.fd, .events = POLLIN };
		p[2] = (struct pollfd){ .fd = job->err.fd, .events = POLLIN };
		p[3] = (struct pollfd){ .fd = job->o->cancel, .events = POLLIN };
		p[4] = (struct pollfd){ .fd = job->asking.fd, .events = POLLIN };
		if (is_ending(job))
			p[3].fd = -1;
		if (job->asking.over)
			p[4].fd = -1;
		if (poll(p, 5, tick) < 0)
			continue; /* EINTR; or no memory, which is a matter of time */
		if (p[1].revents)
			capture_read(&job->out, job->chunk);
		if (p[2].revents)
			capture_read(&job->err, job->chunk);
		if (p[4].revents)
			asking_read(&job->asking);
		if (p[3].revents)
			end_early(job, &job->executed->cancelled);
		else if (left <= 0)
			end_early(job, &job->executed->timed_out);
		if (p[0].revents)
			over = keep_read(&job->keep, &job->executed->status,
				       &job->executed->lost) == 1;
		tell_progress(job);
	}
	/* What is in the pipes. Whoever still has an end of them is not waited for. */
	for (int i = 0; i < DRAIN_MAX && capture_read(&job->out, job->chunk); i++)
		;
	for (int i = 0; i < DRAIN_MAX && capture_read(&job->err, job->chunk); i++)
		;
}

/* -- afterwards ------------------------------------------------------------------------------ */

/* Without a report there was no command, and ambit's own last words say why. What is
 * not in its words is the command's, or whoever's, and not repeated as if it were. */
static int
not_started(const struct job *job, struct ambit_error *err)
{
	static const char own[] = "ambit: ";
	const struct ambit_output *said = &job->executed->err;
	size_t len = said->len;
	const char *line;

	while (len > 0 && said->text[len - 1] == '\n')
		len--;
	line = len > 0 ? memrchr(said->text, '\n', len) : NULL;
	line = line ? line + 1 : said->text;
	if (!str_prefix(line, own))
		return err_set(err, EIO, "%s ended with %d and did not say why",
			job->executor->program, job->executed->status);
	line += strlen(own);
	return err_set(err, EIO, "%.*s", (int)(said->text + len - line), line);
}

/* One that is there and cannot be read is not held against the command. */
static int
take_report(struct job *job, struct ambit_error *err)
{
	struct ambit_executed *executed = job->executed;
	auto_json json_t *report = NULL;
	off_t size = job->report >= 0 ? lseek(job->report, 0, SEEK_END) : -1;
	size_t len = 0;

	executed->connected = true;
	if (job->report < 0)
		return 0;
	/* One that had to be killed had no time for it. */
	if (size <= 0)
		return is_ending(job) || executed->status >= 128 ? 0 : not_started(job, err);
	if (lseek(job->report, 0, SEEK_SET) == 0 &&
		fd_read_open(job->report, REPORT_MAX, &executed->report, &len) == 0 &&
		json_parse(executed->report, len, &report, NULL) == 0) {
		executed->connected = !json_is_false(json_object_get(report, "connected"));
		/* Then the program's own status is not the command's. */
		if (json_object_get(report, "unrecorded") && !executed->timed_out)
			executed->status =
				(int)json_integer_value(json_object_get(report, "status"));
		return 0;
	}
	free(executed->report);
	executed->report = NULL;
	return 0;
}

static int
collect_results(struct job *job, struct ambit_error *err)
{
	struct ambit_executed *executed = job->executed;
	int r;

	executed->duration_ms = clock_steady() - job->started;
	r = capture_take(&job->out, &executed->out);
	if (r == 0)
		r = capture_take(&job->err, &executed->err);
	if (r < 0)
		return err_nomem(err);
	if (executed->timed_out)
		executed->status = TIMEOUT_STATUS;
	return take_report(job, err);
}

static int
check_execution(const struct ambit_execution *execution, struct ambit_error *err)
{
	const char *first = execution->argv ? execution->argv[0] : execution->command;

	if (!first || first[0] == '\0')
		return err_set(err, EINVAL, "there is no command");
	if (!execution->cwd || execution->cwd[0] != '/')
		return err_set(err, EINVAL, "the directory '%s' is not absolute",
			execution->cwd ? execution->cwd : "");
	return 0;
}

int
ambit_execute(struct ambit_executor *executor, const struct ambit_execution *execution,
	struct ambit_executed *ret_executed, struct ambit_error *err)
{
	struct ambit_executed executed = { .status = 128, .connected = true };
	int r = check_execution(execution, err);
	auto_free struct job *job = r == 0 ? calloc(1, sizeof(*job)) : NULL;

	if (r < 0 || !job)
		return r < 0 ? r : err_nomem(err);
	job->executor = executor;
	job->o = execution;
	job->in = job->report = job->within = job->out.fd = job->err.fd = job->asking.fd = -1;
	job->keep = (struct keep){ .news = -1, .leash = -1 };
	job->executed = &executed;
	r = start_execution(job, err);
	if (r == 0) {
		poll_execution(job);
		r = collect_results(job, err);
	}
	keep_finish(&job->keep);
	asking_finish(&job->asking);
	capture_finish(&job->out);
	capture_finish(&job->err);
	fd_close_at(&job->in);
	fd_close_at(&job->report);
	fd_close_at(&job->within);
	strv_free(job->argv);
	if (r < 0)
		ambit_executed_finish(&executed);
	else
		*ret_executed = executed;
	return r;
}

void
ambit_executed_finish(struct ambit_executed *executed)
{
	if (!executed)
		return;
	free(executed->out.text);
	free(executed->err.text);
	free(executed->report);
	*executed = (struct ambit_executed){ 0 };
}
