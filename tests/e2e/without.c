/* SPDX-License-Identifier: Apache-2.0 */
/* without NAME:ERROR... -- COMMAND...: runs it where these system calls fail
 * so, as on an older kernel (ENOSYS, EINVAL) or in a strict container (EPERM).
 * Some names stand for one argument of a call only. */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

#define WAKE_UP 0x40082104u /* SECCOMP_IOCTL_NOTIF_SET_FLAGS */
#define THREAD 0200u	    /* PIDFD_THREAD */
#define STEPS_MAX 128

static const struct {
	const char *name;
	int number;
	int arg; /* -1: whatever the arguments are */
	uint32_t mask, value;
} parts[] = {
	{ "pidfd_getfd", SYS_pidfd_getfd, -1, 0, 0 },
	{ "pidfd_open", SYS_pidfd_open, -1, 0, 0 },
	{ "pidfd_thread", SYS_pidfd_open, 1, THREAD, THREAD },
	{ "pidfd_send_signal", SYS_pidfd_send_signal, -1, 0, 0 },
	{ "openat2", SYS_openat2, -1, 0, 0 },
	{ "landlock_create", SYS_landlock_create_ruleset, -1, 0, 0 },
	{ "landlock_add", SYS_landlock_add_rule, -1, 0, 0 },
	{ "landlock_restrict", SYS_landlock_restrict_self, -1, 0, 0 },
	{ "seccomp", SYS_seccomp, -1, 0, 0 },
	{ "new_listener", SYS_seccomp, 1, 1u << 3, 1u << 3 },
	{ "wait_killable", SYS_seccomp, 1, 1u << 5, 1u << 5 },
	{ "wake_up", SYS_ioctl, 1, UINT32_MAX, WAKE_UP },
	{ "addfd", SYS_ioctl, 1, 0xffffu, 0x2103u },
	{ "process_vm_readv", SYS_process_vm_readv, -1, 0, 0 },
	{ "process_vm_writev", SYS_process_vm_writev, -1, 0, 0 },
	{ "clone3", SYS_clone3, -1, 0, 0 },
	{ "faccessat2", SYS_faccessat2, -1, 0, 0 },
	{ "fchmodat2", SYS_fchmodat2, -1, 0, 0 },
	{ "memfd_create", SYS_memfd_create, -1, 0, 0 },
	{ "close_range", SYS_close_range, -1, 0, 0 },
	{ "statx", SYS_statx, -1, 0, 0 },
	{ "subreaper", SYS_prctl, 0, UINT32_MAX, PR_SET_CHILD_SUBREAPER },
};

static const struct {
	const char *name;
	int error;
} errors[] = {
	{ "ENOSYS", ENOSYS },
	{ "EPERM", EPERM },
	{ "EINVAL", EINVAL },
	{ "EACCES", EACCES },
};

static struct sock_filter program[STEPS_MAX];
static unsigned short n;

static void
put(uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (n == STEPS_MAX) {
		fprintf(stderr, "without: too much\n");
		exit(125);
	}
	program[n++] = (struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = k };
}

/* The number is in the accumulator, before and after. */
static void
put_part(size_t i, int error)
{
	bool whole = parts[i].arg < 0;

	put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)parts[i].number, 0, whole ? 1 : 5);
	if (!whole) {
		put(BPF_LD | BPF_W | BPF_ABS,
			(uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)parts[i].arg),
			0, 0);
		put(BPF_ALU | BPF_AND | BPF_K, parts[i].mask, 0, 0);
		put(BPF_JMP | BPF_JEQ | BPF_K, parts[i].value, 0, 1);
	}
	put(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error, 0, 0);
	if (!whole)
		put(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
}

static int
error_of(const char *name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].error;
	return -1;
}

static void
add(const char *word)
{
	const char *colon = strchr(word, ':');
	int error = colon != NULL ? error_of(colon + 1) : -1;

	for (size_t i = 0; error > 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strncmp(parts[i].name, word, (size_t)(colon - word)) == 0 &&
			parts[i].name[colon - word] == '\0') {
			put_part(i, error);
			return;
		}
	fprintf(stderr, "without: %s is no NAME:ERROR\n", word);
	exit(125);
}

int
main(int argc, char **argv)
{
	struct sock_fprog filter = { .filter = program };
	int i = 1;

	put(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		add(argv[i]);
	if (i + 1 >= argc)
		return 125;
	put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	filter.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0) {
		perror("without");
		return 125;
	}
	execvp(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 125;
}
