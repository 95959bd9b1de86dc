/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_OBJECT_SESSION_OBJECTS_H
#define LINE_OBJECT_SESSION_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* What this session made outside the folder and may therefore change: files in
 * scratch directories, unix sockets it bound, ports it listens on, SysV and
 * POSIX IPC objects. Files by dev, inode, birth time and file handle: an inode
 * number is given out again at once. Without handles the inodes are held open, 256
 * at most. Thread-safe. */

struct made;

struct made *made_create(void);
void made_destroy(struct made *made);

/* An object that was just made, by its descriptor (O_PATH will do). -ENOMEM,
 * -ENOSPC past a bound: then it is not ours. */
int made_add(struct made *made, int fd);
bool made_has(struct made *made, int fd);
/* Its last name is gone. */
void made_drop(struct made *made, int fd);

/* Sockets of the session that listen or are bound to a port or to an abstract
 * name, by cookie: names and ports are given out again, cookies are not. */
int made_add_cookie(struct made *made, uint64_t cookie);
bool made_has_cookie(struct made *made, uint64_t cookie);

/* IPC: kind 'm' (shm), 's' (sem), 'q' (msg) by id; POSIX queues by name, as the
 * system call takes it (without the slash), and by what fd is open on: a name can
 * be another's by now. */
int made_add_ipc(struct made *made, char kind, uint64_t id);
bool made_has_ipc(struct made *made, char kind, uint64_t id);
void made_drop_ipc(struct made *made, char kind, uint64_t id);
int made_add_queue(struct made *made, const char *name, int fd);
bool made_has_queue(struct made *made, const char *name, int fd);
void made_drop_queue(struct made *made, const char *name, int fd);
/* The queue that has this name now, open for whatever its mode gives. -errno. */
int made_open_queue(const char *name);
/* Removes every SysV object and POSIX queue that is still there: at the end. */
void made_sweep(struct made *made);

#endif
