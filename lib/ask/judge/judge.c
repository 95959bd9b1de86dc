/* SPDX-License-Identifier: Apache-2.0 */
/* A question into a yes, or into nothing: then the person is asked. The program that
 * judges, or that carries the question to a model, is the person's own and out of reach
 * of those who ask; what it prints is checked as if it were not (verdict.c), and so is
 * what it is shown (judge-injection.c). It is started for each question that nothing like was asked
 * before; never more often than somebody could want, and not for a while when it fails. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <ambit/judge.h>

#include "ask/approver.h"
#include "ask/judge/judge-ask.h"
#include "ask/judged.h"
#include "ask/judge/judge-injection.h"
#include "ask/judge/verdict.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "settings/settings-private.h"

#define OUTPUT_MAX (64 * 1024)
#define KNOWN_MAX 256	    /* verdicts that are remembered; then the oldest goes */
#define AT_ONCE_MAX 8	    /* programs beside each other */
#define PER_MINUTE_MAX 60   /* a tree that asks for more has the person to ask */
#define FAILURES_MAX 3	    /* in a row; then nobody waits for the next ... */
#define REST_MS (30 * 1000) /* ... for so long */
#define OVERRULED_MAX 64    /* past it he has no say at all */

struct known {
	char key[HASH_HEX];
	int64_t until; /* of the steady clock; 0: for good */
	struct verdict verdict;
};

struct ambit_judge {
	char **argv;
	struct stat st; /* of argv[0], when it was checked */
	char *const *envp;
	char *url, *model, *key_env; /* NULL: argv is the person's own */
	int timeout;

	pthread_mutex_t lock; /* of what follows */
	struct known known[KNOWN_MAX];
	size_t next;
	int at_once;
	int failures;
	int64_t resting; /* until then */
	int64_t minute;	 /* when it began */
	int in_minute;
	char **overruled; /* directories */
	bool silenced;	  /* there are too many of them */
};

/* -- what he said before ------------------------------------------------------- */

/* The folder that a path lies in. */
static size_t
folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : strlen(path);
}

/* The ending of a name, with its dot; "" if it has none, or is hidden. */
static const char *
find_name_ending(const char *path)
{
	const char *name = strrchr(path, '/');
	const char *dot = name && name[1] != '.' ? strrchr(name, '.') : NULL;

	return dot && dot[1] != '\0' ? dot : "";
}

/* What a yes also stands for, in this session. A program behind the line that makes a
 * file: others beside it whose names end alike, for who makes one makes many. All else,
 * and a program that nobody knows: the same paths alone, since what is there already is not
 * like what lies beside it.
 *
 * A program is the file that it runs, and not the process: a build is hundreds of
 * processes of one compiler, and to ask for each would leave most of them to the person.
 * That file is the kernel's word. What the process does, the tree decides all the same (a
 * script, a library that is loaded before): so the rest of the key is what counts, which
 * is what is done, and where. */
static void
make_key(const json_t *object, char ret_key[HASH_HEX])
{
	const char *program = json_text(object, JUDGED_PROGRAM_ID);
	auto_buf struct buf text = { 0 };
	const json_t *path;
	size_t i;

	buf_printf(&text, "%s\n%s\n%s\n%s\n", json_text(object, "tool"), program,
		json_text(object, "program"), json_text(object, "agent"));
	json_array_foreach (json_object_get(object, "paths"), i, path) {
		const char *name = json_text(path, "path"), *access = json_text(path, "access");
		const char *end = *program && streq(access, "create") ? find_name_ending(name) : "";
		size_t len = *end ? folder_length(name) : strlen(name);

		buf_printf(&text, "%s %zu %.*s %s\n", access, len, (int)len, name, end);
	}
	/* Without memory it is like no other. */
	if (text.failed)
		hash_random_name(ret_key, HASH_HEX - 1);
	else
		hash_sha256(text.data, text.len, ret_key);
}

/* With the lock. */
static const struct known *
find_known(const struct ambit_judge *judge, const char *key, int64_t now)
{
	for (size_t i = 0; i < KNOWN_MAX; i++) {
		const struct known *known = &judge->known[i];

		if (streq(known->key, key) && (known->until == 0 || known->until > now))
			return known;
	}
	return NULL;
}

static void
remember_verdict(
	struct ambit_judge *judge, const char *key, int64_t until, const struct verdict *verdict)
{
	struct known *known = &judge->known[judge->next++ % KNOWN_MAX];

	*known = (struct known){ .until = until, .verdict = *verdict };
	memcpy(known->key, key, HASH_HEX);
}

/* -- what a person said no to -------------------------------------------------------- */

/* Whoever is refused tries again, under another name or with one more blank in it, and
 * might find the judge in another mood. So a no reaches further than a yes: to the
 * directory around the path, and what lies in it. With the lock, as what follows. */
static bool
said_no(const struct ambit_judge *judge, const char *what)
{
	for (char **no = judge->overruled; no && *no; no++)
		if (str_beneath(what, *no))
			return true;
	return judge->silenced;
}

static bool
is_overruled(const struct ambit_judge *judge, const json_t *object)
{
	const json_t *path;
	size_t i;

	json_array_foreach (json_object_get(object, "paths"), i, path)
		if (said_no(judge, json_text(path, "path")))
			return true;
	return false;
}

static void
add_overruled_folder(struct ambit_judge *judge, const char *what, size_t len)
{
	auto_free char *copy = len > 0 ? strndup(what, len) : str_dup("/");

	if (!copy || strv_len(judge->overruled) >= OVERRULED_MAX ||
		strv_append(&judge->overruled, copy) < 0)
		judge->silenced = true;
}

void
judge_overrule(struct ambit_judge *judge, const struct ambit_question *question)
{
	auto_json json_t *object = NULL;
	const json_t *path;
	size_t i;

	if (!judge || !question->judge ||
		json_parse(question->judge, strlen(question->judge), &object, NULL) < 0)
		return;
	pthread_mutex_lock(&judge->lock);
	json_array_foreach (json_object_get(object, "paths"), i, path)
		if (json_is_true(json_object_get(path, "outside")) &&
			!said_no(judge, json_text(path, "path")))
			add_overruled_folder(judge, json_text(path, "path"),
				folder_length(json_text(path, "path")));
	pthread_mutex_unlock(&judge->lock);
}

/* -- whether he is asked --------------------------------------------------------- */

/* Takes a place; it is given back by leave. With the lock. */
static bool
reserve_judge_place(struct ambit_judge *judge, int64_t now)
{
	if (judge->minute == 0 || now - judge->minute >= 60 * 1000) {
		judge->minute = now;
		judge->in_minute = 0;
	}
	if (judge->resting > now || judge->at_once >= AT_ONCE_MAX ||
		judge->in_minute >= PER_MINUTE_MAX)
		return false;
	judge->in_minute++;
	judge->at_once++;
	return true;
}

/* A verdict holds for the session, a failure for a while; one that was withdrawn is
 * nothing. */
static void
release_judge_place(struct ambit_judge *judge, const char *key, int r,
	const struct verdict *verdict, const struct ambit_error *why)
{
	int64_t rest = clock_steady() + REST_MS;
	struct verdict pass = { 0 };

	memcpy(pass.reason, why->text, str_cut(why->text, strlen(why->text), VERDICT_REASON_MAX));
	pthread_mutex_lock(&judge->lock);
	judge->at_once--;
	if (r == 0) {
		judge->failures = 0;
		remember_verdict(judge, key, 0, verdict);
	} else if (r != -ECANCELED) {
		remember_verdict(judge, key, rest, &pass);
		if (++judge->failures >= FAILURES_MAX)
			judge->resting = rest;
	}
	pthread_mutex_unlock(&judge->lock);
}

/* A grant given during the session may have opened the program's own place. */
static int
check_same(const struct ambit_judge *judge, struct ambit_error *err)
{
	const struct stat *was = &judge->st;
	struct stat st;
	int r = run_trust(judge->argv[0], err);

	if (r < 0)
		return r;
	if (lstat(judge->argv[0], &st) < 0)
		return err_sys(err, errno, "%s", judge->argv[0]);
	if (st.st_dev != was->st_dev || st.st_ino != was->st_ino ||
		st.st_ctim.tv_sec != was->st_ctim.tv_sec ||
		st.st_ctim.tv_nsec != was->st_ctim.tv_nsec)
		return err_set(
			err, ESTALE, "%s was changed since the session began", judge->argv[0]);
	return 0;
}

/* A program of the person's gets the question as it is; ambit's own is told where to
 * carry it, on its input: what is in its arguments everybody can read. */
static char *
make_input(const struct ambit_judge *judge, json_t *object)
{
	auto_json json_t *whole = NULL;

	if (!judge->url)
		return json_line(object);
	whole = json_pack("{s:s, s:s, s:s*, s:i, s:O}", "url", judge->url, "model", judge->model,
		"key_env", judge->key_env, "timeout_ms", judge->timeout, "request", object);
	return whole ? json_line(whole) : NULL;
}

/* Ambit's own program says what it failed of: {"failed": why}. */
static int
read_failure(const char *text, size_t len, struct ambit_error *err)
{
	auto_json json_t *object = NULL;
	const char *why;

	if (json_parse(text, len, &object, NULL) < 0)
		return 0;
	why = json_string_value(json_object_get(object, "failed"));
	return why ? err_set(err, EIO, "%s", why) : 0;
}

static int
run_judge_program(const struct ambit_judge *judge, json_t *object, int stop,
	struct verdict *ret_verdict, struct ambit_error *err)
{
	auto_free char *input = make_input(judge, object), *output = NULL;
	size_t len = 0;
	int r = input ? check_same(judge, err) : err_nomem(err);

	if (r == 0)
		r = run_program_until(stop, judge->argv, judge->envp, input, strlen(input),
			OUTPUT_MAX, judge->timeout, &output, &len, err);
	if (r == 0 && judge->url)
		r = read_failure(output, len, err);
	return r < 0 ? r : verdict_parse(output, len, ret_verdict, err);
}

/* Without the program. True: *ret_verdict is filled; else he has a place to be asked in. */
static bool
recall_verdict(struct ambit_judge *judge, const json_t *object, const char *key,
	struct verdict *ret_verdict)
{
	static const struct verdict refused = { .reason = "a person said no to the like of it" };
	static const struct verdict busy = { .reason = "he is asked too often, or has failed" };
	int64_t now = clock_steady();
	const struct known *known;
	bool entered = false;

	pthread_mutex_lock(&judge->lock);
	known = find_known(judge, key, now);
	if (is_overruled(judge, object))
		*ret_verdict = refused;
	else if (known)
		*ret_verdict = known->verdict;
	else if (!(entered = reserve_judge_place(judge, now)))
		*ret_verdict = busy;
	pthread_mutex_unlock(&judge->lock);
	return !entered;
}

static void
consult_judge(struct ambit_judge *judge, json_t *object, int stop, struct verdict *ret_verdict,
	struct ambit_error *why)
{
	struct verdict verdict = { 0 };
	char key[HASH_HEX];
	int r;

	make_key(object, key);
	json_object_del(object, JUDGED_PROGRAM_ID);
	if (recall_verdict(judge, object, key, ret_verdict))
		return;
	r = run_judge_program(judge, object, stop, &verdict, why);
	/* What a person said while he thought comes first. */
	pthread_mutex_lock(&judge->lock);
	if (r == 0 && verdict.allow && is_overruled(judge, object))
		r = err_set(why, EPERM, "a person said no to the like of it");
	pthread_mutex_unlock(&judge->lock);
	release_judge_place(judge, key, r, &verdict, why);
	if (r == 0)
		*ret_verdict = verdict;
}

/* The yes that the question offers for once; without one there is none to give. */
static bool
choose_once(const struct ambit_question *question, struct ambit_answer *answer)
{
	for (size_t i = 0; i < question->n_choices; i++)
		if (question->choices[i].kind == AMBIT_ONCE)
			return answer_choose(&question->choices[i], answer, NULL) == 0;
	return false;
}

int
judge_ask(struct ambit_judge *judge, const struct ambit_question *question, int stop,
	struct ambit_answer *ret_answer, struct ambit_error *why)
{
	struct ambit_answer answer = { .judge = true };
	struct verdict verdict = { 0 };
	auto_json json_t *object = NULL;
	const char *plea;

	*why = (struct ambit_error){ 0 };
	if (!judge || !question->judge || !choose_once(question, &answer) ||
		json_parse(question->judge, strlen(question->judge), &object, NULL) < 0)
		return 1;
	/* Before memory: a name that speaks to him may stand beside one that did not. */
	plea = plea_find(object);
	if (plea)
		err_set(why, EPERM, "he was not asked: %s", plea);
	else
		consult_judge(judge, object, stop, &verdict, why);
	if (!verdict.allow) {
		if (why->code == 0)
			err_set(why, EAGAIN, "%s", verdict.reason);
		return 1;
	}
	snprintf(answer.message, sizeof(answer.message), "%s", verdict.reason);
	*ret_answer = answer;
	return 0;
}

/* -- his life ---------------------------------------------------------------------- */

static bool
has_variable(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (; envp && *envp; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=' &&
			(*envp)[len + 1] != '\0')
			return true;
	return false;
}

/* argv with the real path of its program. */
static int
make_argv(struct ambit_judge *judge, const struct settings_judge *settings, const char *helper,
	struct ambit_error *err)
{
	char *const *words = settings->command;
	const char *const ours[] = { helper, "judge", NULL };
	auto_free char *real = NULL;
	int r;

	if (!words && !helper)
		return err_set(err, ENOENT, "there is no program that asks %s", settings->url);
	r = run_resolve(words ? words[0] : helper, &real, err);
	if (r == 0)
		r = run_trust(real, err);
	if (r == 0 && lstat(real, &judge->st) < 0)
		r = err_sys(err, errno, "%s", real);
	if (r == 0 && strv_append(&judge->argv, real) < 0)
		r = err_nomem(err);
	for (size_t i = 1; r == 0 && (words ? words[i] : ours[i]) != NULL; i++)
		if (strv_append(&judge->argv, words ? words[i] : ours[i]) < 0)
			r = err_nomem(err);
	return r;
}

static int
fill_judge_settings(struct ambit_judge *judge, const struct settings_judge *settings,
	const struct ambit_judge_options *options, struct ambit_error *err)
{
	int r = make_argv(judge, settings, options->helper, err);

	if (r < 0)
		return r;
	judge->envp = options->envp;
	judge->timeout = settings->timeout;
	judge->url = str_dup(settings->url);
	judge->model = str_dup(settings->model);
	judge->key_env = str_dup(settings->key_env);
	if ((settings->url && !judge->url) || (settings->model && !judge->model) ||
		(settings->key_env && !judge->key_env))
		return err_nomem(err);
	if (judge->key_env && !has_variable(judge->envp, judge->key_env))
		return err_set(err, ENOENT,
			"the environment has no %s, which is to hold the key (key_env)",
			judge->key_env);
	return 0;
}

int
ambit_judge_create(const struct ambit_judge_options *options, struct ambit_judge **ret_judge,
	struct ambit_error *err)
{
	const struct settings_judge *settings = &settings_person(options->settings)->judge;
	struct ambit_judge *judge;
	int r;

	*ret_judge = NULL;
	if (!settings->command && !settings->url)
		return 0;
	judge = calloc(1, sizeof(*judge));
	if (!judge)
		return err_nomem(err);
	pthread_mutex_init(&judge->lock, NULL);
	r = fill_judge_settings(judge, settings, options, err);
	if (r < 0) {
		ambit_judge_destroy(judge);
		return err_context(err, "judge");
	}
	*ret_judge = judge;
	return 0;
}

void
ambit_judge_destroy(struct ambit_judge *judge)
{
	if (!judge)
		return;
	pthread_mutex_destroy(&judge->lock);
	strv_free(judge->argv);
	strv_free(judge->overruled);
	free(judge->url);
	free(judge->model);
	free(judge->key_env);
	free(judge);
}

char *const *
judge_program(const struct ambit_judge *judge)
{
	return judge->argv;
}
