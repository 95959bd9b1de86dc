/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_OBJECT_SESSION_OBJECTS_H
#define LINE_OBJECT_SESSION_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* What this session made outside the folder and may therefore change: files in
 * scratch directories, unix sockets it bound, ports it listens on, SysV and
 * POSIX IPC objects, pseudo-terminals. Files by dev, inode, birth time and file handle: an inode
 * number is given out again at once. Without handles the inodes are held open, 256
 * at most. Thread-safe. */

struct session_objects;

struct session_objects *session_objects_create(void);
void session_objects_destroy(struct session_objects *made);

/* An object that was just made, by its descriptor (O_PATH will do). -ENOMEM,
 * -ENOSPC past a bound: then it is not ours. */
int session_objects_add(struct session_objects *made, int fd);
bool session_objects_has(struct session_objects *made, int fd);
/* Its last name is gone. */
void session_objects_drop(struct session_objects *made, int fd);

/* A process, as long as it runs the same program. */
struct session_maker {
	uint64_t pid;
	uint64_t start;
	uint64_t image; /* see images_find */
	uint64_t exe_dev;
	uint64_t exe_ino;
	uint64_t chain; /* see engine_once_chain; 0: under a rule for a file */
};

/* Objects that this process made under an answer "once": the same three, in its name. */
int session_objects_add_by(struct session_objects *made, const struct session_maker *maker, int fd);
bool session_objects_has_by(
	struct session_objects *made, const struct session_maker *maker, int fd);
void session_objects_drop_by(
	struct session_objects *made, const struct session_maker *maker, int fd);

/* Sockets of the session that listen or are bound to a port or to an abstract
 * name, by cookie: names and ports are given out again, cookies are not. */
int session_objects_add_cookie(struct session_objects *made, uint64_t cookie);
bool session_objects_has_cookie(struct session_objects *made, uint64_t cookie);

/* Pseudo-terminals, by a descriptor of the slave (O_PATH), which is copied and held: at most 256
 * that live. It keeps neither the terminal nor its number in use. */
int session_objects_add_terminal(struct session_objects *made, int slave);
/* Whether the terminal that has this number now is one of them. For a slave that was
 * resolved before (and is held) it says which terminal that is. */
bool session_objects_has_terminal(struct session_objects *made, const struct stat *slave);

/* IPC: kind 'm' (shm), 's' (sem), 'q' (msg) by id; POSIX queues by name, as the
 * system call takes it (without the slash), and by what fd is open on: a name can
 * be another's by now. */
int session_objects_add_ipc(struct session_objects *made, char kind, uint64_t id);
bool session_objects_has_ipc(struct session_objects *made, char kind, uint64_t id);
void session_objects_drop_ipc(struct session_objects *made, char kind, uint64_t id);
int session_objects_add_queue(struct session_objects *made, const char *name, int fd);
bool session_objects_has_queue(struct session_objects *made, const char *name, int fd);
void session_objects_drop_queue(struct session_objects *made, const char *name, int fd);
/* The queue that has this name now, open for whatever its mode gives. -errno. */
int session_objects_open_queue(const char *name);
/* Removes every SysV object and POSIX queue that is still there: at the end. */
void session_objects_sweep(struct session_objects *made);

#endif
