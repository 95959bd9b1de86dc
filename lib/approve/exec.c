/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the person's that answers: the question as one JSON object on
 * its stdin, the answer as another on its stdout. The program is the person's
 * own and gets the whole environment (a dialog needs the display); but it must
 * be out of reach of those who ask, or they would answer themselves, and what
 * it prints is checked as strictly as if it were not trusted. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "approve/approver.h"
#include "approve/cancel.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/run.h"
#include "base/str.h"

#define OUTPUT_MAX (64 * 1024)
#define TIMEOUT_MS (10 * 60 * 1000) /* for a question that never expires */

struct exec {
	struct ambit_approver approver;
	struct cancel cancel;
	char *program;	/* real path */
	struct stat st; /* what it was when it was checked */
};

static int
check_place(const char *program, const char *const *writable, size_t n, struct ambit_error *err)
{
	for (size_t i = 0; i < n; i++) {
		auto_free char *dir = realpath(writable[i], NULL);

		if (str_beneath(program, dir ? dir : writable[i]))
			return err_set(err, EPERM,
				"%s lies beneath %s, where those who ask can write: not asked",
				program, writable[i]);
	}
	return 0;
}

/* A grant given during the session may have opened the program's own place. */
static int
check_same(const struct exec *exec, struct ambit_error *err)
{
	const struct stat *was = &exec->st;
	struct stat st;
	int r = run_trust(exec->program, err);

	if (r < 0)
		return r;
	if (lstat(exec->program, &st) < 0)
		return err_sys(err, errno, "%s", exec->program);
	if (st.st_dev != was->st_dev || st.st_ino != was->st_ino ||
		st.st_ctim.tv_sec != was->st_ctim.tv_sec ||
		st.st_ctim.tv_nsec != was->st_ctim.tv_nsec)
		return err_set(err, ESTALE, "%s was changed since the session began: not asked",
			exec->program);
	return 0;
}

static int
set_json(json_t *object, const char *key, const char *text, struct ambit_error *err)
{
	json_t *value = NULL;

	if (json_parse(text ? text : "", text ? strlen(text) : 0, &value, err) < 0)
		return err_context(err, "the question's %s", key);
	return json_object_set_new(object, key, value) < 0 ? err_nomem(err) : 0;
}

static json_t *
choice_json(const struct ambit_choice *choice)
{
	auto_json json_t *object = json_object();
	const char *word = ambit_word_name(ambit_answers, (int)choice->kind);
	const char *folder = choice_folder(choice);

	if (!object || json_set_text(object, "answer", word) < 0 ||
		json_set_text(object, "stores", choice->stores ? choice->stores : "") < 0)
		return NULL;
	if (folder && json_set_text(object, "path", folder) < 0)
		return NULL;
	return steal_ptr(&object);
}

static int
set_choices(json_t *object, const struct ambit_question *question, struct ambit_error *err)
{
	json_t *list = json_array();

	if (!list || json_object_set_new(object, "choices", list) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < question->n_choices; i++)
		if (json_array_append_new(list, choice_json(&question->choices[i])) < 0)
			return err_nomem(err);
	return 0;
}

static int
write_question(const struct ambit_question *question, char **ret_text, struct ambit_error *err)
{
	auto_json json_t *object = json_object();
	char *text;
	int r;

	if (!object || json_set_text(object, "who", question->who ? question->who : "") < 0 ||
		json_set_text(object, "what", question->what ? question->what : "") < 0 ||
		json_set_text(object, "why", question->why ? question->why : "") < 0 ||
		json_object_set_new(object, "expires", json_integer(question->expires)) < 0)
		return err_nomem(err);
	r = set_json(object, "request", question->request, err);
	if (r == 0)
		r = set_json(object, "outcome", question->outcome, err);
	if (r == 0)
		r = set_choices(object, question, err);
	if (r < 0)
		return r;
	text = json_line(object);
	if (!text)
		return err_nomem(err);
	*ret_text = text;
	return 0;
}

/* An optional string without a NUL in it: a name that ends early when C reads
 * it would be another name. */
static int
get_text(const json_t *object, const char *key, const char **ret_text, struct ambit_error *err)
{
	const json_t *value = json_object_get(object, key);

	*ret_text = NULL;
	if (!value)
		return 0;
	if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
		return err_set(err, EINVAL, "'%s' is not a plain string", key);
	*ret_text = json_string_value(value);
	return 0;
}

static int
check_keys(json_t *object, struct ambit_error *err)
{
	static const char *const known[] = { "answer", "message", "path" };
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return err_set(err, EINVAL, "not an object");
	json_object_foreach(object, key, value)
	{
		bool ok = false;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			ok = ok || streq(key, known[i]);
		if (!ok)
			return err_set(err, EINVAL, "unknown key '%s'", key);
	}
	return 0;
}

/* Paths are compared as the program was shown them. */
static bool
same_path(const struct ambit_choice *choice, const char *path)
{
	auto_json json_t *shown = choice_json(choice);
	const char *text = json_string_value(json_object_get(shown, "path"));

	return text && streq(text, path);
}

/* The folder offered first, where the answer names none. */
static const char *
first_path(const struct ambit_question *question)
{
	if (question->folder >= question->n_choices)
		return NULL;
	return question->choices[question->folder].path;
}

static const struct ambit_choice *
find_choice(const struct ambit_question *question, enum ambit_answer_kind kind, const char *path)
{
	const char *first = path ? NULL : first_path(question);
	const struct ambit_choice *found = NULL;

	for (size_t i = 0; i < question->n_choices; i++) {
		const struct ambit_choice *choice = &question->choices[i];
		const char *folder = choice_folder(choice);

		if (choice->kind != kind || (path && !same_path(choice, path)))
			continue;
		if (first && folder && !streq(folder, first))
			continue;
		if (found) /* two that read the same: which one was meant? */
			return NULL;
		found = choice;
	}
	return found;
}

static int
read_answer(const struct ambit_question *question, const char *output, size_t len,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct ambit_answer answer = { .kind = AMBIT_NO };
	auto_json json_t *object = NULL;
	const char *word, *path, *message;
	const struct ambit_choice *choice;
	const struct ambit_word *row;
	int r;

	r = json_parse(output, len, &object, err);
	if (r < 0 || (r = check_keys(object, err)) < 0 ||
		(r = get_text(object, "answer", &word, err)) < 0 ||
		(r = get_text(object, "path", &path, err)) < 0 ||
		(r = get_text(object, "message", &message, err)) < 0)
		return r;
	if (!word)
		return err_set(err, EINVAL, "no 'answer'");
	row = ambit_word_find(ambit_answers, word);
	if (!row)
		return err_set(err, EINVAL, "unknown answer '%s'", word);
	choice = find_choice(question, (enum ambit_answer_kind)row->value, path);
	if (!choice)
		return err_set(err, EINVAL, "the answer '%s'%s%s was not offered", word,
			path ? " for " : "", path ? path : "");
	r = answer_choose(choice, &answer, err);
	if (r < 0)
		return r;
	len = message ? str_cut(message, strlen(message), sizeof(answer.message) - 1) : 0;
	memcpy(answer.message, message ? message : "", len);
	answer.message[len] = '\0';
	*ret_answer = answer;
	return 0;
}

static int
time_left(const struct ambit_question *question)
{
	int64_t left = TIMEOUT_MS;

	if (question->expires != 0)
		left = question->expires - clock_now();
	return left > INT_MAX ? INT_MAX : left < 0 ? 0 : (int)left;
}

/* The program's answer to the question, as it printed it. */
static int
run(const struct exec *exec, const struct ambit_question *question, char **ret_output,
	size_t *ret_len, struct ambit_error *err)
{
	char *argv[] = { exec->program, NULL };
	auto_free char *input = NULL;
	int timeout = time_left(question), r;

	if (timeout == 0)
		return err_set(err, ETIMEDOUT, "the question expired before it was asked");
	r = check_same(exec, err);
	if (r == 0)
		r = write_question(question, &input, err);
	if (r == 0)
		r = run_program_until(exec->cancel.fd, argv, environ, input, strlen(input),
			OUTPUT_MAX, timeout, ret_output, ret_len, err);
	return r;
}

static int
ask(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct exec *exec = (struct exec *)approver;
	auto_free char *output = NULL;
	size_t len = 0;
	int r = -ECANCELED;

	if (!cancel_begin(&exec->cancel, question->id))
		r = run(exec, question, &output, &len, err);
	cancel_end(&exec->cancel);
	if (r == -ECANCELED)
		return err_set(err, ECANCELED, "the question was withdrawn");
	if (r < 0)
		return r;
	r = read_answer(question, output, len, ret_answer, err);
	if (r < 0) {
		err_context(err, "the answer of %s", exec->program);
		return r;
	}
	return 0;
}

static void
cancel(struct ambit_approver *approver, uint64_t question)
{
	cancel_say(&((struct exec *)approver)->cancel, question);
}

static void
destroy(struct ambit_approver *approver)
{
	struct exec *exec = (struct exec *)approver;

	cancel_finish(&exec->cancel);
	free(exec->program);
	free(exec);
}

int
exec_create(const char *program, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err)
{
	auto_free char *path = NULL;
	struct exec *exec;
	struct stat st;
	int r;

	r = run_resolve(program, &path, err);
	if (r == 0)
		r = check_place(path, writable, n, err);
	if (r == 0)
		r = run_trust(path, err);
	if (r == 0 && lstat(path, &st) < 0)
		r = err_sys(err, errno, "%s", path);
	if (r < 0)
		return r;
	exec = calloc(1, sizeof(*exec));
	if (!exec)
		return err_nomem(err);
	r = cancel_init(&exec->cancel, err);
	if (r < 0) {
		free(exec);
		return r;
	}
	exec->approver = (struct ambit_approver){
		.ask = ask,
		.destroy = destroy,
		.cancel = cancel,
		.name = "exec",
	};
	exec->program = steal_ptr(&path);
	exec->st = st;
	*ret_approver = &exec->approver;
	return 0;
}
