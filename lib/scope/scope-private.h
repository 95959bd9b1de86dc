/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_SCOPE_PRIVATE_H
#define SCOPE_SCOPE_PRIVATE_H

#include <sys/types.h>

#include <ambit/scope.h>
#include <ambit/words.h>

#include "scope/resolve.h"

/* The struct behind <ambit/scope.h>. */

struct scope_dir {
	int fd; /* O_PATH: the directory itself, wherever it is moved */
	char *real;
	char *written; /* as it was given, made absolute: another name for it */
};

struct ambit_scope {
	struct scope_dir root;
	struct scope_dir display;
	bool one; /* display is a copy of root */
	bool enforce_write;
	bool allow_bash;
	/* Where writes are inside, as what follows root ("/src"; "": all of it). */
	bool narrowed;
	char **only;
	char **above;  /* folders around this one, whose settings files are ambit's own; or NULL */
	char *only_by; /* whose words these are */
	char *home;    /* real paths, or NULL */
	char *config;
	char *settings; /* the file in use, and its name if that is a symlink */
	char *settings_name;
	char *state;
	char *runtime;
	char **pools;	  /* of live sessions, outside the state directory; or NULL */
	char *scratch[3]; /* where anybody may create: /tmp and its like; or NULL */
	/* ambit's own files under other names: hard links to them. */
	struct scope_own {
		dev_t dev;
		ino_t ino;
	} own[4];
	size_t n_own;
};

/* Looks where the folder is now. -ENOENT if it was deleted. */
int scope_refresh(struct ambit_scope *scope, struct ambit_error *err);

/* Resolves a path of a request. cwd (or NULL) is resolved first, against
 * display_root. */
int scope_resolve(const struct ambit_scope *scope, const char *cwd, const char *path, size_t len,
	bool follow, struct path_facts *ret, struct ambit_error *err);

/* Both take real paths. */
bool scope_holds(const struct ambit_scope *scope, const char *real);
/* Whether a write there is inside: narrowed or not. strictly: not the directory itself
 * that is open. */
bool scope_writes(const struct ambit_scope *scope, const char *real, bool strictly);
/* For a child. */
int scope_copy_narrowing(
	const struct ambit_scope *from, struct ambit_scope *to, struct ambit_error *err);
/* Whether the text of the path says inside, under either name of the folder. */
bool scope_says_inside(const struct ambit_scope *scope, const char *written);

/* Whether a real path lies in a directory where anybody may create, and is not
 * that directory. */
bool scope_scratch(const struct ambit_scope *scope, const char *real);

/* Why ambit keeps this path to itself ("is ambit's settings"), or NULL. */
const char *scope_protects(const struct ambit_scope *scope, const struct path_facts *resolved,
	enum ambit_access access);

/* True for accesses that change something. */
bool access_writes(enum ambit_access access);

#endif
