/* SPDX-License-Identifier: Apache-2.0 */
/* Guarded files that came or changed past the gate: the person is asked when the
 * command is gone. A no takes them out of the way under another name; nothing is
 * lost, and nothing happens unasked. Of a directory that cannot be looked into nobody
 * knows whose doing it is: it is told, and stays where it is. */

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run-command.h"

#include "ask/question-copy.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

#define NAMED_MAX 5 /* in the question */
#define AWAY ".ambit-refused"

static char *
what_came(const struct run *run, const struct ambit_run_result *result)
{
	struct buf text = { 0 };

	buf_puts(&text, "keep");
	for (size_t i = 0; i < result->n_planted && i < NAMED_MAX; i++) {
		auto_free char *shown = ambit_scope_display(run->world.scope, result->planted[i]);

		buf_printf(&text, "%s %s", i > 0 ? "," : "", shown != NULL ? shown : "?");
	}
	if (result->n_planted > NAMED_MAX)
		buf_printf(&text, " and %zu more", result->n_planted - NAMED_MAX);
	return buf_take(&text);
}

static char *
why_asked(const struct ambit_run_result *result)
{
	return str_printf("guarded; they came or changed without a yes, and may run with your "
			  "rights later%s",
		result->unseen
			? "; not all of the folder could be looked through, there may be more"
			: "");
}

static int
make_question(const struct run *run, const struct ambit_run_result *result,
	struct ambit_question *question)
{
	auto_json json_t *request = json_pack("{s:s, s:{s:i, s:b}}", "tool", "run", "args",
		"planted", (int)result->n_planted, "unseen", result->unseen);
	auto_json json_t *outcome = json_pack("{s:s, s:s}", "verdict", "ask", "layer", "run");

	*question = (struct ambit_question){
		.id = UINT64_MAX,
		.kind = str_dup("run"),
		.who = str_dup("ambit run"),
		.what = what_came(run, result),
		.object = what_came(run, result),
		.danger = str_dup("MAY RUN AS YOU LATER"),
		.why = why_asked(result),
		.because = str_printf("guarded; came or changed without a yes%s",
			result->unseen ? "; there may be more" : ""),
		.request = request != NULL ? json_line(request) : NULL,
		.outcome = outcome != NULL ? json_line(outcome) : NULL,
	};
	return question->kind == NULL || question->who == NULL || question->what == NULL ||
			       question->object == NULL || question->danger == NULL ||
			       question->why == NULL || question->because == NULL ||
			       question->request == NULL || question->outcome == NULL
		       ? -ENOMEM
		       : run_set_choices(question,
				 "nothing: they get another name, ending in " AWAY,
				 "nothing: they stay as they are");
}

/* The tree is gone, but its links are not: none is followed. */
static int
rename_planted_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	auto_free char *dir = strndup(path, (size_t)(slash - path));
	auto_free char *away = str_printf("%s" AWAY, slash + 1);
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	auto_close int fd = -1;

	if (dir == NULL || away == NULL)
		return -ENOMEM;
	fd = (int)syscall(SYS_openat2, AT_FDCWD, dir[0] != '\0' ? dir : "/", &how, sizeof(how));
	if (fd < 0 || renameat2(fd, slash + 1, fd, away, RENAME_NOREPLACE) < 0)
		return -errno;
	return 0;
}

void
run_ask_planted(struct run *run, const struct ambit_run_result *result)
{
	struct ambit_answer answer = { .kind = AMBIT_ONCE };
	struct ambit_question question = { 0 };
	struct ambit_error err = { 0 };
	int r;

	if (result->n_planted == 0 || run->approver == NULL || run->approver->instant)
		return;
	r = make_question(run, result, &question);
	if (r == 0)
		r = run_ask_approver(run, &question, &answer, &err);
	question_finish(&question);
	if (r < 0 || answer.kind >= AMBIT_ONCE)
		return;
	for (size_t i = 0; i < result->n_planted; i++) {
		auto_free char *shown = ambit_scope_display(run->world.scope, result->planted[i]);

		r = rename_planted_path(result->planted[i]);
		if (r < 0)
			fprintf(stderr, "ambit: %s stays: %s\n", shown != NULL ? shown : "?",
				strerror(-r));
		else
			fprintf(stderr, "ambit: %s is now %s" AWAY "\n",
				shown != NULL ? shown : "?", shown != NULL ? shown : "?");
	}
}
