/* SPDX-License-Identifier: Apache-2.0 */
/* What a person reads when the command has ended: what was refused, in a few
 * lines, and what would have opened it. The texts were escaped by the line. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/out.h"
#include "run-command.h"

#include "ask/question-copy.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/str.h"
#include "engine/doors.h"
#include "scope/profile.h"

#define SHOWN_MAX 8 /* two lines each, and three more: it must fit on a screen */

/* A rule belongs to a folder: who stands elsewhere names it. */
static void
put_command(struct buf *buf, const struct run *run, const char *command, size_t len)
{
	auto_free char *cwd = getcwd(NULL, 0), *root = str_quote(run->root);

	buf_printf(buf, "    to allow it: %.*s", (int)len, command);
	if (str_prefix(command, "ambit rules add ") && root != NULL &&
		(cwd == NULL || !streq(cwd, run->root)))
		buf_printf(buf, " --folder %s", root);
	buf_putc(buf, '\n');
}

/* The profile that would open it; the places of one belong together. */
static const struct profile *
find_closed_profile(const struct run *run, const struct ambit_run_refusal *refusal)
{
	const char *path = refusal->subject;
	const struct args *args = run->args;
	const struct profile *own = args->n > 0 ? profile_for(args->words[run->program]) : NULL;

	if (run->inner != NULL || path[0] != '/' || streq(refusal->code, "Guarded"))
		return NULL;
	return engine_profile_closed(run->world.engine, path, streq(refusal->what, "mkdir"), own);
}

/* *told: the profile that was advised last. */
static void
put_advice(struct buf *buf, const struct run *run, const struct ambit_run_refusal *refusal,
	const struct profile **told)
{
	const struct profile *profile = find_closed_profile(run, refusal);
	bool named = args_get(run->args, OPT_SESSION) != NULL; /* it has the person's no */

	if (profile != NULL && profile != *told)
		buf_printf(buf, "    to allow all that %s keeps%s: ambit run --for %s -- ...\n",
			profile->name, named ? ", in another session" : "", profile->name);
	if (profile != NULL) {
		*told = profile;
		return;
	}
	for (const char *at = refusal->advice; at != NULL && *at != '\0';
		at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n'))
		put_command(buf, run, at, strcspn(at, "\n"));
}

/* The message as a reason: without the subject it begins with, without the
 * advice to a model behind it, and without what the person said himself. */
static void
put_reason(struct buf *buf, const struct run *run, const struct ambit_run_refusal *refusal)
{
	size_t subject = strlen(refusal->subject);
	const char *text = refusal->message, *end;

	if (subject > 0 && strncmp(text, refusal->subject, subject) == 0 &&
		str_prefix(text + subject, " is "))
		text += subject + strlen(" is ");
	end = streq(run->who, "deny") ? strstr(text, "; " QUESTION_NOBODY) : NULL;
	if (end == NULL)
		end = strstr(text, ". ");
	if (text[0] != '\0')
		buf_printf(
			buf, ": %.*s", end != NULL ? (int)(end - text) : (int)strlen(text), text);
}

static void
put_refusal(struct buf *buf, const struct run *run, const struct ambit_run_refusal *refusal,
	const struct profile **told)
{
	buf_printf(buf, "  %s %s (%s; %s", refusal->what, refusal->subject, refusal->code,
		refusal->program);
	if (refusal->count > 1)
		buf_printf(buf, ", %llu times", (unsigned long long)refusal->count);
	buf_putc(buf, ')');
	put_reason(buf, run, refusal);
	buf_putc(buf, '\n');
	put_advice(buf, run, refusal, told);
}

static void
say_planted(const struct run *run, const struct ambit_run_result *result)
{
	auto_buf struct buf text = { 0 };
	bool colour = out_colour(STDERR_FILENO);

	if (result->n_planted == 0)
		return;
	buf_printf(&text, "%sambit: %zu guarded file%s came or changed without a yes:%s\n",
		colour ? "\033[1;31m" : "", result->n_planted, result->n_planted == 1 ? "" : "s",
		colour ? "\033[0m" : "");
	for (size_t i = 0; i < result->n_planted && i < SHOWN_MAX; i++) {
		auto_free char *shown = ambit_scope_display(run->world.scope, result->planted[i]);

		buf_printf(&text, "  %s\n", shown != NULL ? shown : "?");
	}
	if (result->n_planted > SHOWN_MAX)
		buf_printf(&text, "  and %zu more\n", result->n_planted - SHOWN_MAX);
	buf_puts(&text, "  they may run with your rights later: look at them before you go on\n");
	if (text.data != NULL)
		fd_write_all(STDERR_FILENO, text.data, text.len);
}

/* Only what makes a difference is worth a line: nothing was written otherwise. */
static void
say_unseen(const struct run *run, const struct ambit_run_result *result)
{
	auto_buf struct buf text = { 0 };

	if (result->cut && result->calls > 0)
		fprintf(stderr, "ambit: the folder is large: not all of it was looked through for "
				"repositories, whose hooks are law only where they were found\n");
	if (result->unseen)
		fprintf(stderr, "ambit: not all of the folder could be looked through for guarded "
				"files that came unasked\n");
	for (size_t i = 0; i < result->n_unseen_in && i < SHOWN_MAX; i++) {
		auto_free char *shown = ambit_scope_display(run->world.scope, result->unseen_in[i]);

		buf_printf(&text, "  %s cannot be looked into\n", shown != NULL ? shown : "?");
	}
	if (result->n_unseen_in > SHOWN_MAX)
		buf_printf(&text, "  and %zu more\n", result->n_unseen_in - SHOWN_MAX);
	if (text.data != NULL)
		fd_write_all(STDERR_FILENO, text.data, text.len);
}

void
run_summary(const struct run *run, const struct ambit_run_result *result)
{
	bool colour = out_colour(STDERR_FILENO);
	auto_buf struct buf text = { 0 };
	const struct profile *told = NULL;
	size_t n = result->n_refusals;

	if (run->quiet)
		return;
	if (result->blind > 0)
		fprintf(stderr,
			"ambit: %llu call%s on sockets failed because pidfd_getfd is refused "
			"here; in a container, --cap-add=SYS_PTRACE lets it through\n",
			(unsigned long long)result->blind, result->blind == 1 ? "" : "s");
	say_planted(run, result);
	say_unseen(run, result);
	if (result->refused == 0)
		return;
	buf_puts(&text, colour ? "\033[1;33m" : "");
	if (n == 1)
		buf_puts(&text, "ambit: one thing was refused:");
	else
		buf_printf(&text, "ambit: %zu things were refused:", n);
	buf_puts(&text, colour ? "\033[0m\n" : "\n");
	for (size_t i = 0; i < n && i < SHOWN_MAX; i++)
		put_refusal(&text, run, &result->refusals[i], &told);
	if (n > SHOWN_MAX)
		buf_printf(&text, "  and %zu more\n", n - SHOWN_MAX);
	buf_printf(&text, "ambit: session %s (ambit log --session %s)\n",
		ambit_engine_session(run->world.engine), ambit_engine_session(run->world.engine));
	if (text.data != NULL)
		fd_write_all(STDERR_FILENO, text.data, text.len);
}
