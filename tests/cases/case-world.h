/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CASES_CASE_WORLD_H
#define TESTS_CASES_CASE_WORLD_H

/* The world of one .case file: a temporary directory with a home, a folder in
 * it and an outside; the settings, scope, record and engine that look at it.
 * The engine is made when a decision needs it, and again when something it
 * starts from has changed. */

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ambit/ambit.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "record/upkeep.h"

#define WORLD_RUNTIME "/run"

struct world {
	char *top, *home, *root, *out, *config, *state, *runtime;

	/* What the next engine starts from. */
	char *settings_text; /* NULL: no file */
	char *folder_text;
	char *scope_root, *display_root, *child; /* NULL: the folder itself, none */
	bool enforce, no_bash, child_no_bash;
	enum {
		RECORD_WRITE,
		RECORD_READ,
		RECORD_NONE
	} record_how;
	char *session;
	char *asker;
	struct ambit_policy *policy;
	int sessions; /* how many names were used */

	/* Of every request. */
	char *cwd;
	bool held;
	enum request_runner runner;
	pid_t pid;
	uint64_t start;

	struct ambit_settings *settings;
	struct ambit_scope *scope;
	struct ambit_record *record;
	struct ambit_approver *approver;
	struct ambit_engine *engine;
};

static int
world_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Directories that a case has closed are opened on the way in. */
static int
world_unlock_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_D || type == FTW_DNR)
		chmod(path, 0700);
	return 0;
}

static void
world_remove(const char *path)
{
	/* A directory is unlocked when it is met, so its children only in the next round. */
	for (int i = 0; i < 8; i++)
		nftw(path, world_unlock_one, 16, FTW_PHYS);
	nftw(path, world_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void
set(char **slot, const char *text)
{
	char *copy = str_dup(text);

	free(*slot);
	*slot = copy;
}

static void
world_close_engine(struct world *w)
{
	ambit_engine_destroy(w->engine);
	ambit_approver_destroy(w->approver);
	ambit_record_close(w->record);
	ambit_scope_destroy(w->scope);
	ambit_settings_destroy(w->settings);
	w->engine = NULL;
	w->approver = NULL;
	w->record = NULL;
	w->scope = NULL;
	w->settings = NULL;
}

/* A session belongs to one folder: another scope needs another name. */
static void
world_new_session(struct world *w)
{
	free(w->session);
	w->session = str_printf("case-%d", ++w->sessions);
}

/* Everything but the files. */
static void
world_reset(struct world *w)
{
	world_close_engine(w);
	set(&w->settings_text, NULL);
	set(&w->folder_text, NULL);
	set(&w->scope_root, NULL);
	set(&w->display_root, NULL);
	set(&w->child, NULL);
	set(&w->asker, NULL);
	set(&w->cwd, NULL);
	ambit_policy_destroy(w->policy);
	w->policy = NULL;
	w->enforce = w->no_bash = w->child_no_bash = w->held = false;
	w->runner = RUNNER_OTHER;
	w->record_how = RECORD_WRITE;
	w->pid = 0;
	w->start = 0;
	world_remove(w->state);
	world_new_session(w);
}

static int
world_create(struct world *w)
{
	const char *base = getenv("TMPDIR");
	auto_free char *template = str_printf("%s/ambit-cases-XXXXXX", base ? base : "/tmp");

	if (!template || !mkdtemp(template) || !(w->top = realpath(template, NULL)))
		return -1;
	w->home = str_printf("%s/home", w->top);
	w->root = str_printf("%s/home/project", w->top);
	w->out = str_printf("%s/out", w->top);
	w->config = str_printf("%s/home/.config/ambit", w->top);
	w->state = str_printf("%s/home/.local/state/ambit", w->top);
	w->runtime = str_printf("%s" WORLD_RUNTIME, w->top);
	if (mkdir(w->home, 0755) < 0 || mkdir(w->root, 0755) < 0 || mkdir(w->out, 0755) < 0)
		return -1;
	world_reset(w);
	return 0;
}

static void
world_destroy(struct world *w)
{
	world_reset(w);
	world_remove(w->top);
	free(w->session);
	free(w->top);
	free(w->home);
	free(w->root);
	free(w->out);
	free(w->config);
	free(w->state);
	free(w->runtime);
}

static int
write_text(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "we");
	bool ok = f && fwrite(text, 1, len, f) == len;

	return f && fclose(f) == 0 && ok ? 0 : -errno;
}

static int
open_settings(struct world *w, struct ambit_error *err)
{
	auto_free char *person = str_printf("%s/settings.json", w->top);
	auto_free char *folder = str_printf("%s/.ambit.json", w->root);
	struct ambit_settings_options options = {
		.person = w->settings_text ? person : NULL,
		.required = true,
		.folder = w->scope_root ? w->scope_root : w->root,
		.home = w->home,
	};

	if (w->settings_text && write_text(person, w->settings_text, strlen(w->settings_text)) < 0)
		return err_sys(err, EIO, "%s", person);
	if (w->folder_text && write_text(folder, w->folder_text, strlen(w->folder_text)) < 0)
		return err_sys(err, EIO, "%s", folder);
	if (!w->folder_text)
		unlink(folder);
	return ambit_settings_load(&options, &w->settings, err);
}

static int
open_scope(struct world *w, struct ambit_error *err)
{
	struct ambit_scope_options options = {
		.root = w->scope_root ? w->scope_root : w->root,
		.display_root = w->display_root,
		.enforce_write = w->enforce,
		.allow_bash = !w->no_bash,
		.places = {
			.home = w->home,
			.config = w->config,
			.state = w->state,
			.runtime = w->runtime,
		},
	};
	struct ambit_scope *child;
	int r = ambit_scope_create(&options, &w->scope, err);

	if (r < 0 || !w->child)
		return r;
	options = (struct ambit_scope_options){
		.root = w->child,
		.enforce_write = true,
		.allow_bash = !w->child_no_bash,
	};
	r = ambit_scope_child(w->scope, &options, &child, err);
	if (r < 0)
		return r;
	ambit_scope_destroy(w->scope);
	w->scope = child;
	return 0;
}

static int
open_engine(struct world *w, struct ambit_error *err)
{
	struct ambit_engine_options options = { .session = w->session, .door = "cases" };
	int r = open_settings(w, err);

	if (r == 0)
		r = open_scope(w, err);
	if (r == 0 && w->record_how != RECORD_NONE)
		r = ambit_record_open(w->state, AMBIT_RECORD_WRITE, &w->record, err);
	if (r == 0 && w->asker)
		r = ambit_approver_create(
			w->asker, (const char *const[]){ w->root }, 1, &w->approver, err);
	if (r < 0)
		return r;
	options.settings = w->settings;
	options.scope = w->scope;
	options.record = w->record;
	options.approver = w->approver;
	options.policy = w->policy;
	r = ambit_engine_create(&options, &w->engine, err);
	if (r < 0 || w->record_how != RECORD_READ)
		return r;
	/* The session exists now; from here on nothing more can be recorded. */
	ambit_engine_destroy(w->engine);
	w->engine = NULL;
	ambit_record_close(w->record);
	w->record = NULL;
	r = ambit_record_open(w->state, AMBIT_RECORD_READ, &w->record, err);
	options.record = w->record;
	return r < 0 ? r : ambit_engine_create(&options, &w->engine, err);
}

static int
world_open(struct world *w, struct ambit_error *err)
{
	int r;

	if (w->engine)
		return 0;
	r = open_engine(w, err);
	if (r < 0)
		world_close_engine(w);
	return r;
}

/* -- the stored session, changed as another process would --------------------- */

static int
world_change_session(struct world *w, int (*change)(struct ambit_session *session, void *data),
	void *data, struct ambit_error *err)
{
	struct ambit_session session = { 0 };
	struct ambit_record *record = NULL;
	int r = world_open(w, err);

	world_close_engine(w);
	if (r == 0)
		r = ambit_record_open(w->state, AMBIT_RECORD_WRITE, &record, err);
	if (r == 0)
		r = ambit_record_session_load(record, w->session, &session, err);
	if (r == 0 && change(&session, data) < 0)
		r = err_set(err, EINVAL, "no such word");
	if (r == 0)
		r = record_session_store(record, &session, err);
	ambit_session_finish(&session);
	ambit_record_close(record);
	return r;
}

/* The engine that is open must see the rule by itself. */
static int
world_add_rule(struct world *w, const struct ambit_rule *rule, bool revoke, struct ambit_error *err)
{
	struct ambit_record *record = NULL;
	int64_t id = 0;
	int r = world_open(w, err);

	if (r == 0)
		r = ambit_record_open(w->state, AMBIT_RECORD_WRITE, &record, err);
	if (r == 0)
		r = ambit_record_rule_add(record, rule, &id, err);
	if (r == 0 && revoke)
		r = ambit_record_rule_revoke(record, id, err);
	ambit_record_close(record);
	return r;
}

#endif
