/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and streams over sockets, done on behalf of a process: descriptors travel, lengths
 * and signals are as the kernel tells them, and a blocking call holds nobody up. */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "call-net-rig.h"

/* -- unix ----------------------------------------------------------------------------- */

static void
descriptors_travel(void **state)
{
	struct world *w = *state;
	static char data[] = "abcdef";
	static struct iovec iov[2];
	static union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	static struct msghdr head, got;
	int pair[2], ends[2], *fd = (int *)CMSG_DATA(&control.align), arrived;
	char text[16] = "";

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(pipe(ends), 0);
	iov[0] = (struct iovec){ data, 2 };
	iov[1] = (struct iovec){ data + 2, 4 };
	control.align = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(fd, &ends[1], sizeof(int));
	head = (struct msghdr){ .msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	stand(w);
	close(ends[1]); /* only the child has it */
	assert_int_equal(do_call(w, "sendmsg", call_send, pair[0], P(&head), 0), 6);
	iov[0] = (struct iovec){ text, sizeof(text) };
	got = (struct msghdr){ .msg_iov = iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	assert_int_equal(recvmsg(pair[1], &got, MSG_DONTWAIT), 6);
	assert_string_equal(text, "abcdef");
	memcpy(&arrived, fd, sizeof(int));
	assert_int_equal(write(arrived, "!", 1), 1);
	assert_int_equal(read(ends[0], text, 1), 1);
	close(arrived);

	/* IP options in there would lead the data elsewhere. */
	auto_close int udp = socket(AF_INET, SOCK_DGRAM, 0);
	control.align = (struct cmsghdr){ CMSG_LEN(4), IPPROTO_IP, IP_RETOPTS };
	stand(w);
	assert_int_equal(do_call(w, "sendmsg", call_send, udp, P(&head), 0), -EINVAL);
	close(pair[0]);
	close(pair[1]);
	close(ends[0]);
}

static void
many_messages_tell_their_lengths(void **state)
{
	struct world *w = *state;
	static struct mmsghdr heads[3];
	static struct iovec iov[3];
	struct target target;
	int pair[2];
	char text[16];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	memset(heads, 0, sizeof(heads));
	for (size_t i = 0; i < 3; i++) {
		iov[i] = (struct iovec){ (void *)"abcdef", i + 1 };
		heads[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	stand(w);
	assert_int_equal(do_call(w, "sendmmsg", call_send, pair[0], P(heads), 3, 0), 3);
	target_init(&target, w->child);
	for (unsigned i = 0; i < 3; i++) {
		unsigned len = 0;

		assert_int_equal(target_read(&target, P(&heads[i].msg_len), &len, sizeof(len)), 0);
		assert_int_equal(len, i + 1);
		assert_int_equal(recv(pair[1], text, sizeof(text), MSG_DONTWAIT), i + 1);
	}
	target_finish(&target);
	close(pair[0]);
	close(pair[1]);
}

static void
nobody_listening_costs_a_signal(void **state)
{
	struct world *w = *state;
	static struct iovec iov = { (void *)"x", 1 };
	static struct msghdr head;
	int pair[2], status;

	head = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	close(pair[1]);
	stand(w);
	assert_int_equal(do_call(w, "sendmsg", call_send, pair[0], P(&head), MSG_NOSIGNAL), -EPIPE);
	assert_int_equal(waitpid(w->child, &status, WNOHANG), 0);
	assert_int_equal(do_call(w, "sendmsg", call_send, pair[0], P(&head), 0), -EPIPE);
	assert_int_equal(waitpid(w->child, &status, 0), w->child);
	w->child = 0;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	close(pair[0]);
}

struct reader {
	int fd;
	size_t n;
	bool same;
};

/* Reads to the end, and compares with what was sent. */
static void *
read_all(void *data)
{
	struct reader *reader = data;
	unsigned char some[4096];
	ssize_t n;

	reader->same = true;
	while ((n = read(reader->fd, some, sizeof(some))) > 0)
		for (ssize_t i = 0; i < n; i++, reader->n++)
			reader->same = reader->same && some[i] == (unsigned char)(reader->n % 251);
	return NULL;
}

/* From here on a call is still waited for: a filter that notifies, and nobody
 * who answers. The descriptor says of each id whether it is one. */
static pid_t
wait_in_a_call(int *ret_listener, uint64_t *ret_id)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = code };
	struct seccomp_notif notice = { 0 };
	int number = -1, fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		number = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
		if (write(fds[1], &number, sizeof(number)) == sizeof(number) && number >= 0)
			syscall(SYS_getppid);
		_exit(0);
	}
	assert_int_equal(read(fds[0], &number, sizeof(number)), sizeof(number));
	close(fds[0]);
	close(fds[1]);
	assert_true(number >= 0);
	auto_close int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	*ret_listener = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	assert_true(*ret_listener >= 0);
	assert_int_equal(ioctl(*ret_listener, SECCOMP_IOCTL_NOTIF_RECV, &notice), 0);
	*ret_id = notice.id;
	return pid;
}

/* What a blocking send was given it sends, however little fits at a time. */
static void
a_blocking_stream_sends_all(void **state)
{
	static const size_t sizes[] = { 1, 60000, 65536, 3u << 20 };
	static unsigned char data[3u << 20];
	static struct iovec iov[2];
	static struct msghdr head;
	struct world *w = *state;
	uint64_t id;
	pid_t waiting = wait_in_a_call(&w->gate.o.listener, &id);

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i % 251);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct call *call = malloc(sizeof(*call));
		int pair[2], little = 4608;
		struct reader reader = { 0 };
		pthread_t thread;

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
		assert_int_equal(
			setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &little, sizeof(int)), 0);
		iov[0] = (struct iovec){ data, sizes[i] / 3 };
		iov[1] = (struct iovec){ data + sizes[i] / 3, sizes[i] - sizes[i] / 3 };
		head = (struct msghdr){ .msg_iov = iov, .msg_iovlen = 2 };
		stand(w);
		begin(w, call, "sendmsg", (const uint64_t[6]){ (uint64_t)pair[0], P(&head), 0 });
		call->id = id;
		assert_int_equal(call_send.prepare(call), CALL_DECIDE);
		if (call->pace != PACE_SLOW && sizes[i] > 1) {
			/* Nobody reads yet. */
			assert_int_equal(finish(w, call, &call_send), HANDED_OVER);
			call->round = ROUND_AGAIN;
			assert_int_equal(call_send.prepare(call), CALL_DECIDE);
			assert_int_equal(call->pace, PACE_SLOW);
		}
		reader.fd = pair[1];
		assert_int_equal(pthread_create(&thread, NULL, read_all, &reader), 0);
		assert_int_equal(finish(w, call, &call_send), sizes[i]);
		call_finish(call);
		free(call);
		let_go(w);
		close(pair[0]);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(reader.n, sizes[i]);
		assert_true(reader.same);
		close(pair[1]);
	}
	kill(waiting, SIGKILL);
	waitpid(waiting, NULL, 0);
	close(w->gate.o.listener);
}

/* Not longer than the socket says, and then what went is what counts. */
static void
a_blocking_stream_has_its_own_timeout(void **state)
{
	static char data[60000];
	static struct iovec iov = { data, sizeof(data) };
	static struct msghdr head;
	const struct timeval timeout = { .tv_usec = 30000 };
	struct world *w = *state;
	int pair[2], little = 4608;
	uint64_t id;
	pid_t waiting = wait_in_a_call(&w->gate.o.listener, &id);

	head = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &little, sizeof(int)), 0);
	assert_int_equal(
		setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)), 0);
	stand(w);
	for (int i = 0; i < 2; i++) {
		struct call *call = malloc(sizeof(*call));
		int64_t n;

		begin(w, call, "sendmsg", (const uint64_t[6]){ (uint64_t)pair[0], P(&head), 0 });
		call->id = id;
		assert_int_equal(call_send.prepare(call), CALL_DECIDE);
		assert_int_equal(finish(w, call, &call_send), HANDED_OVER);
		call->round = ROUND_AGAIN;
		assert_int_equal(call_send.prepare(call), CALL_DECIDE);
		n = finish(w, call, &call_send);
		if (i == 0)
			assert_in_range(n, 1, sizeof(data) - 1);
		else
			assert_int_equal(n, -EAGAIN);
		call_finish(call);
		free(call);
	}
	close(pair[0]);
	close(pair[1]);
	kill(waiting, SIGKILL);
	waitpid(waiting, NULL, 0);
	close(w->gate.o.listener);
}

static void
a_full_socket_does_not_hold_the_gate(void **state)
{
	struct world *w = *state;
	static char data[4096];
	static struct iovec iov = { data, sizeof(data) };
	static struct msghdr head;
	int pair[2];

	head = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	while (send(pair[0], data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	stand(w);
	assert_int_equal(
		do_call(w, "sendmsg", call_send, pair[0], P(&head), MSG_DONTWAIT), -EAGAIN);
	/* There is no listener here: a call that would wait is given up. */
	assert_int_equal(do_call(w, "sendmsg", call_send, pair[0], P(&head), 0), -EINTR);
	close(pair[0]);
	close(pair[1]);
}

/* -- the rest ----------------------------------------------------------------------------- */

static void
what_is_no_socket_is_none(void **state)
{
	struct world *w = *state;
	struct sockaddr_in at = loopback(1);

	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, 9999, P(&at), sizeof(at)), -EBADF);
	assert_int_equal(do_call(w, "listen", call_listen, 0, 1), -ENOTSOCK);
	auto_close int fd = socket(AF_INET, SOCK_STREAM, 0);
	stand(w);
	assert_int_equal(do_call(w, "connect", call_connect, fd, 8, sizeof(at)), -EFAULT);
	assert_int_equal(do_call(w, "connect", call_connect, fd, P(&at), 4096), -EINVAL);
	assert_int_equal(do_call(w, "connect", call_connect, fd, P(&at), (uint64_t)-1), -EINVAL);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, setup_folder, teardown)
	const struct CMUnitTest tests[] = {
		TEST(descriptors_travel),
		TEST(many_messages_tell_their_lengths),
		TEST(nobody_listening_costs_a_signal),
		TEST(a_blocking_stream_sends_all),
		TEST(a_blocking_stream_has_its_own_timeout),
		TEST(a_full_socket_does_not_hold_the_gate),
		TEST(what_is_no_socket_is_none),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
