/* SPDX-License-Identifier: Apache-2.0 */
/* What attacks share: the world they are made in, and the row of one attack.
 * The runner (hostile.c) makes a fresh world, starts the attack in a process of
 * its own, and judges by what changed in the world, never by what it says. */
#ifndef HOSTILE_ATTACK_H
#define HOSTILE_ATTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LENGTH 300
#define SECRET "sesame-7f3a"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define VICTIM_FILE_FD 70   /* the victim's descriptor on the outside file */
#define VICTIM_SECRET_FD 71 /* and on a file without a name that holds SECRET */
#define INHERITED_FILE 80   /* what whoever started ambit had open: a file for writing, */
#define INHERITED_DIR 81    /* the outside directory, */
#define INHERITED_SOCKET 82 /* and a socket to the victim */

/* All names are absolute. It goes from the runner to the attack as bytes in a
 * file: nothing in it is a pointer but `word`, which is one in the victim. */
struct world {
	char dir[LENGTH];     /* holds all of this but what must be elsewhere */
	char folder[LENGTH];  /* where the line is; the attack starts there */
	char outside[LENGTH]; /* nothing may change in it */
	char file[LENGTH];    /* outside/file: "kept\n", 0640, an old time */
	char scratch[LENGTH]; /* somebody else's file in /tmp */
	char own[LENGTH];     /* a name in /tmp that is free */
	char shm_name[64];    /* somebody else's POSIX shared memory */
	char mq_name[64];     /* and message queue */
	char state[LENGTH];   /* ambit's own directory */
	char config[LENGTH];  /* and settings */
	char stream_path[108], dgram_path[108], packet_path[108]; /* unix servers, outside */
	char given_path[108];		      /* one in the folder, that hands out descriptors */
	char stream_name[64], dgram_name[64]; /* abstract ones, without the zero */
	char terminal[64];		      /* another terminal of the same user */
	char self[LENGTH];		      /* this program */
	pid_t victim;
	uintptr_t word;	    /* an int64_t of the victim's */
	int tcp, tcp6, udp; /* ports on loopback; tcp6 is 0 without IPv6 */
	uint32_t netlink;   /* the victim's port on NETLINK_USERSOCK; 0: none */
	int shmid, semid, msgid;
	key_t key;
	long keyring_key; /* a key in the user's keyring; 0: none */
	int64_t inode;	  /* of outside/file */
	bool plain;	  /* there is no line: the attack must work */
	double seconds;	  /* for races */
	unsigned tries;	  /* 0: as many as they can be in that time */
};

enum {
	NET_NONE = 1 << 0,  /* run with --net none */
	WORKS = 1 << 1,	    /* it is allowed: the effect must be there behind the line too */
	HARMLESS = 1 << 2,  /* no effect without the line either: it must end, that is all */
	STDIN_DIR = 1 << 3, /* 0 is the outside directory, 1 and 2 are the outside file, to read */
	TERMINAL = 1 << 4,  /* the other terminal is this one's own */
	AS_ROOT = 1 << 5,   /* only root can do it without the line */
	AS_USER = 1 << 6,   /* root could do it anyway */
	RACE = 1 << 7,	    /* may take world.seconds */
	STDIN_MASTER = 1 << 8, /* 0 is the master of the other terminal */
};

struct attack {
	const char *name;
	void (*run)(const struct world *w);
	unsigned flags;
};

struct attacks {
	const struct attack *list;
	size_t n;
};

extern const struct attacks attacks_file, attacks_place, attacks_fd, attacks_meta, attacks_race,
	attacks_proc, attacks_other, attacks_ipc, attacks_net, attacks_taken, attacks_flip,
	attacks_kernel, attacks_edge, attacks_guard, attacks_git, attacks_move, attacks_socket,
	attacks_terminal;

/* dir/name, in one of a few buffers that are used in turn. */
const char *in(const char *dir, const char *name);
/* Says why this machine cannot do it, and ends. */
void cannot(const char *why) __attribute__((noreturn));
/* Leaves text in the folder that proves what was got. */
void loot(const struct world *w, const char *text);
/* SECRET anywhere in these bytes is loot. */
void loot_if_secret(const struct world *w, const void *bytes, size_t n);
/* Overwrites the start of what fd is open on; nothing if fd is negative. */
void spoil(int fd);
/* Makes a small file of its own. */
void make_file(const char *path);
/* "/proc/self/fd/N" */
const char *proc_fd(int fd);
/* Waits for the end of a child. */
void reap(pid_t pid);
/* The size of the terminals that the runner makes for "terminals MARK". */
#define TERMINAL_ROWS(mark) ((unsigned short)(1000 + (mark) / 65536))
#define TERMINAL_COLS(mark) ((unsigned short)((mark) % 65536))
/* Asks the runner, which is outside, for something: "recreate INODE",
 * "listen PORT", "connect PORT", "log", and what taker.c does: "socket PATH",
 * "datagrams PORT", "queue NAME", "segment ID", "send PORT", "terminals MARK".
 * True if it says that it is done. */
bool ask_runner(const struct world *w, const char *request);
/* A thread that calls turn(w, n) until the race is over; see race_going. */
void race_start(const struct world *w, void (*turn)(const struct world *w, unsigned n));
/* True until the time is up; without a line, until done() sees the effect, or
 * for a moment if that is NULL. Bounded in tries, too. */
bool race_going(const struct world *w, bool (*done)(const struct world *w));
void race_end(void);
/* The outside file is not as it was made. */
bool file_changed(const struct world *w);

#endif
