/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORD_VFS_H
#define RECORD_VFS_H

#include <sqlite3.h>

#include "record/lock.h"

/* SQLite's own file layer, but for the locks of the log: those are ambit's.
 * One for each connection. */

struct vfs;

/* path is of the database, absolute and real. Borrows both. -ENOMEM. */
int vfs_create(const char *path, struct locks *locks, struct vfs **ret_vfs);
/* In place of sqlite3_close where the process ends at once: what others look at
 * is put in order, the rest the kernel closes. */
void vfs_leave(struct vfs *vfs);
/* After sqlite3_close. */
void vfs_destroy(struct vfs *vfs);

/* sqlite3_open_v2 through it. */
int vfs_connect(struct vfs *vfs, const char *path, int flags, sqlite3 **ret_db);

/* VACUUM, which opens a second database through it. */
int vfs_vacuum(struct vfs *vfs, sqlite3 *db);

/* Whether the database has turned out to have a write-ahead log. */
bool vfs_has_log(const struct vfs *vfs);

#endif
