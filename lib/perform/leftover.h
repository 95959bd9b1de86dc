/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFORM_LEFTOVER_H
#define PERFORM_LEFTOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* The directories that ambit makes for itself, and the store that knows them: STATE/own, where
 * no session can write. Each session has one file in it, locked for as long as its supervisor
 * or its keeper lives. The file lists what the session made, by path, device, inode and birth,
 * and where it may write. A file that nobody locks belongs to a dead session: the next start
 * removes what it lists, if that is still the same, and then the file. */

#define LEFTOVER_NAME 40

/* A directory (or the session's file in the store), held together with the directory that it
 * was made in. Cleared through these descriptors, never by path. */
struct leftover {
	int parent;
	int fd; /* -1: there is none */
	char name[LEFTOVER_NAME];
};
#define LEFTOVER_NONE ((struct leftover){ .parent = -1, .fd = -1 })

/* Empties the directory and removes its name if that still is this directory. 0 if it is gone,
 * else -errno. The descriptors stay open. */
int leftover_remove(const struct leftover *made);
/* Closes the descriptors. Accepts LEFTOVER_NONE. */
void leftover_finish(struct leftover *made);

struct leftovers;

enum leftover_kind {
	LEFTOVER_DIR = 'd',  /* made by ambit; the session's commands can write in it */
	LEFTOVER_POOL = 'p', /* likewise, and no other session may move or fill it */
};

/* Makes the session's file in STATE/own (a real path) and locks it. */
int leftovers_open(const char *state, struct leftovers **ret_store, struct ambit_error *err);
/* One more who calls leftovers_destroy. Accepts NULL. */
struct leftovers *leftovers_ref(struct leftovers *store);
/* The last closes it, and removes the file if it lists no directory. Accepts NULL. */
void leftovers_destroy(struct leftovers *store);
/* The session's file: whoever clears up last removes it (leftovers_end). Borrowed. */
const struct leftover *leftovers_file(const struct leftovers *store);
/* All that the file lists is gone: removes it. The lock ends with the descriptor. */
void leftovers_end(const struct leftover *file);

/* Makes a directory of a random name, mode 0700, in dir (a real path), and records it. No
 * link is followed in dir. store may be NULL: then nothing is recorded. ret_path (or NULL)
 * is the caller's to free. A pool outside the store is made only where no live session may
 * write (-EBUSY): of two sessions that start at the same time at least one sees the other, for
 * each writes to its own file first and then reads. -errno. */
int leftovers_make(struct leftovers *store, const char *dir, enum leftover_kind kind,
	struct leftover *ret_made, char **ret_path);

/* A file that stands beside its target until it is whole, and that a killed process would leave
 * there. Before it is made: leftovers_note, with a name that nobody can foresee; when it was
 * made, as fd: leftovers_staged; when the name is gone: leftovers_forget, once for each note
 * that succeeded. The next start removes the name if it still is that file (or directory, with
 * all that is in it), or an empty one where the second note is missing: so whatever else is
 * exchanged for it meanwhile stays. Thread-safe. With store NULL these do nothing. -errno. */
int leftovers_note(struct leftovers *store, int parent, const char *name);
int leftovers_staged(struct leftovers *store, int parent, const char *name, int fd);
void leftovers_forget(struct leftovers *store);

/* Says where this session may write: real paths. To be called before leftovers_collect. */
int leftovers_note_writable(struct leftovers *store, char *const *paths);
/* Removes what dead sessions left. ret_pools gets the pools of live sessions that lie outside
 * the state directory: a list to free with strv_free, or NULL. -ENOMEM, -errno. */
int leftovers_collect(struct leftovers *store, char ***ret_pools);
/* STATE/own, for a pool that lies there. */
const char *leftovers_place(const struct leftovers *store);

/* Whether both are on one mount, so that a directory can be renamed from one to the other. */
bool leftover_same_mount(int a, int b);

#endif
