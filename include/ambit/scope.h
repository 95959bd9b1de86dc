/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_SCOPE_H
#define AMBIT_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

#include <ambit/error.h>

/* The folder. A scope holds its directories open: when the folder is moved,
 * the line moves with it; when it is deleted, nothing is inside any more. */

struct ambit_scope;

/* Where this person's things are. The library never looks at the
 * environment; the program does, and says it here. Borrowed. */
struct ambit_places {
	const char *home;     /* $HOME; NULL: guards anchored there match nothing */
	const char *config;   /* the directory of ambit's settings */
	const char *settings; /* the settings file in use; NULL: config.json in config */
	const char *state;    /* the directory of ambit's record */
	const char *runtime;  /* the directory of ambit's sockets, or NULL */
};

struct ambit_scope_options {
	const char *root;	  /* the folder; relative to the process' cwd */
	const char *display_root; /* NULL: root itself */
	bool enforce_write;	  /* outside is OutOfScope, not a question */
	bool allow_bash;
	struct ambit_places places;
};

/* Fails with -ENOENT, -ENOTDIR, -EACCES ... if root is not a directory that
 * can be entered, or if root is not inside display_root. */
int ambit_scope_create(const struct ambit_scope_options *options, struct ambit_scope **ret_scope,
	struct ambit_error *err);

/* A child, which is never wider than its parent. root (NULL: the parent's) must be inside the
 * parent's root, else -EPERM; display_root (NULL: the parent's) must hold it, else -EINVAL; both
 * are relative to the parent's display_root. enforce_write is on if the parent's or the option's
 * is, allow_bash if both are. places are the parent's. The child does not borrow from it. */
int ambit_scope_child(const struct ambit_scope *parent, const struct ambit_scope_options *options,
	struct ambit_scope **ret_scope, struct ambit_error *err);

void ambit_scope_destroy(struct ambit_scope *scope);

/* Real path of the folder when the scope was made or last seen. Borrowed. */
const char *ambit_scope_root(const struct ambit_scope *scope);
const char *ambit_scope_display_root(const struct ambit_scope *scope);
bool ambit_scope_enforces_write(const struct ambit_scope *scope);
bool ambit_scope_allows_bash(const struct ambit_scope *scope);

/* The path as messages show it: relative to display_root where it lies
 * beneath, control bytes and bytes that are not UTF-8 escaped. */
char *ambit_scope_display(const struct ambit_scope *scope, const char *path);

#endif
