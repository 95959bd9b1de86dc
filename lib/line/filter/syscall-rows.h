/* SPDX-License-Identifier: Apache-2.0 */
/* Every system call of Linux 6.18 (and one of 6.19), by its number on x86-64
 * and on aarch64; -1: not there. Rows, not a header: who includes this defines
 * ROW(name, x86_64, aarch64, ...) first. Numbers are literal because the C
 * library's headers are older than the kernel. In the order of x86-64. */

ROW(read, 0, 63, FREE(BY_FD))
ROW(write, 1, 64, FREE(BY_FD))
ROW(open, 2, -1,
	TEST(TEST_OPEN, 0, OP_OPEN, FORM_OPEN_FLAGS, AT(-1, 0, 1), 1,
		"can write, create or empty a file; for reading it is not seen"))
ROW(close, 3, 57, FREE(OWN))
ROW(stat, 4, -1, FREE(LOOKS))
ROW(fstat, 5, 80, FREE(LOOKS))
ROW(lstat, 6, -1, FREE(LOOKS))
ROW(poll, 7, -1, FREE(WAITS))
ROW(lseek, 8, 62, FREE(BY_FD))
ROW(mmap, 9, 222, FREE("maps a descriptor: shared and writable only if it was opened for writing"))
ROW(mprotect, 10, 226, FREE(OWN_MEMORY))
ROW(munmap, 11, 215, FREE(OWN_MEMORY))
ROW(brk, 12, 214, FREE(OWN))
ROW(rt_sigaction, 13, 134, FREE(OWN))
ROW(rt_sigprocmask, 14, 135, FREE(OWN))
ROW(rt_sigreturn, 15, 139, FREE(OWN))
ROW(ioctl, 16, 29,
	TEST(TEST_IOCTL, EPERM, OP_PEER, FORM_ANY, AT(0, -1, 2), 0,
		"no typing into terminals, no change of what is only read; TIOCGPTPEER opens"))
ROW(pread64, 17, 67, FREE(BY_FD))
ROW(pwrite64, 18, 68, FREE(BY_FD))
ROW(readv, 19, 65, FREE(BY_FD))
ROW(writev, 20, 66, FREE(BY_FD))
ROW(access, 21, -1, FREE(LOOKS))
ROW(pipe, 22, -1, FREE(MAKES))
ROW(select, 23, -1, FREE(WAITS))
ROW(sched_yield, 24, 124, FREE(OWN))
ROW(mremap, 25, 216, FREE(OWN_MEMORY))
ROW(msync, 26, 227, FREE(OWN_MEMORY))
ROW(mincore, 27, 232, FREE(OWN_MEMORY))
ROW(madvise, 28, 233, FREE(OWN_MEMORY))
ROW(shmget, 29, 194,
	NOTIFY(OP_IPC_GET, FORM_IPC_SHM, AT(-1, -1, 2), 0,
		"finds or makes something that all of one user share"))
ROW(shmat, 30, 196,
	NOTIFY(OP_IPC_USE, FORM_IPC_SHM, NO_ARGS, 0, "by a number that anybody can guess"))
ROW(shmctl, 31, 195,
	NOTIFY(OP_IPC_USE, FORM_IPC_SHM, AT(-1, -1, 1), 0, "by a number that anybody can guess"))
ROW(dup, 32, 23, FREE(OWN))
ROW(dup2, 33, -1, FREE(OWN))
ROW(pause, 34, -1, FREE(WAITS))
ROW(nanosleep, 35, 101, FREE(WAITS))
ROW(getitimer, 36, 102, FREE(OWN))
ROW(alarm, 37, -1, FREE(OWN))
ROW(setitimer, 38, 103, FREE(OWN))
ROW(getpid, 39, 172, FREE(TELLS))
ROW(sendfile, 40, 71, FREE(BY_FD))
ROW(socket, 41, 198,
	TEST(TEST_SOCKET, EAFNOSUPPORT, OP_CLOSED, FORM_CLOSED_PACKETS, NO_ARGS, 0,
		"only kinds whose every way out is notified"))
ROW(connect, 42, 203,
	NOTIFY(OP_CONNECT, FORM_ANY, AT(0, -1, -1), 0, "reaches out; the address lies in memory",
		MAY_EINTR))
ROW(accept, 43, 202, FREE("takes what comes to a socket that the gate let listen"))
ROW(sendto, 44, 206,
	TEST(TEST_SENDTO, 0, OP_SEND, FORM_SEND_TO, AT(0, -1, 3), 0,
		"with an address it reaches out; without, the peer was decided", MAY_EINTR))
ROW(recvfrom, 45, 207,
	FREE("takes what comes to a socket; descriptors in it were sent by somebody let in"))
ROW(sendmsg, 46, 211,
	NOTIFY(OP_SEND, FORM_SEND_MSG, AT(0, -1, 2), 0, "may carry an address in memory",
		MAY_EINTR))
ROW(recvmsg, 47, 212,
	FREE("takes what comes to a socket; descriptors in it were sent by somebody let in"))
ROW(shutdown, 48, 210, FREE("ends a connection of its own"))
ROW(bind, 49, 200,
	NOTIFY(OP_BIND, FORM_ANY, AT(0, -1, -1), 0, "takes an address, or makes a socket file"))
ROW(listen, 50, 201,
	NOTIFY(OP_LISTEN, FORM_ANY, AT(0, -1, -1), 0,
		"lets others in; unbound it takes a port on every address"))
ROW(getsockname, 51, 204, FREE(TELLS))
ROW(getpeername, 52, 205, FREE(TELLS))
ROW(socketpair, 53, 199,
	TEST(TEST_SOCKETPAIR, EAFNOSUPPORT, OP_NONE, FORM_ANY, NO_ARGS, 0,
		"only Unix sockets, which are joined to each other"))
ROW(setsockopt, 54, 208,
	TEST(TEST_SETSOCKOPT, EPERM, OP_NONE, FORM_ANY, NO_ARGS, 0,
		"its own sockets; no device, route or group, which send packets elsewhere"))
ROW(getsockopt, 55, 209, FREE(TELLS))
ROW(clone, 56, 220,
	TEST(TEST_CLONE, EPERM, OP_CLOSED, FORM_CLOSED_NAMESPACES, NO_ARGS, 0,
		"no new namespaces, and no child for the parent"))
ROW(fork, 57, -1, FREE("the child has the same floor and filter"))
ROW(vfork, 58, -1, FREE("the child has the same floor and filter"))
ROW(execve, 59, 221, FREE("the new program has the same floor and filter, and gains no privileges"))
ROW(exit, 60, 93, FREE(OWN))
ROW(wait4, 61, 260, FREE(WAITS))
ROW(kill, 62, 129,
	TEST(TEST_SIGNAL, 0, OP_PROCESS, FORM_PROCESS_KILL, NO_ARGS, 6,
		"signals; Landlock keeps them in the tree from ABI 6 on, the gate before"))
ROW(uname, 63, 160, FREE(TELLS))
ROW(semget, 64, 190,
	NOTIFY(OP_IPC_GET, FORM_IPC_SEM, AT(-1, -1, 2), 0,
		"finds or makes something that all of one user share"))
ROW(semop, 65, 193,
	NOTIFY(OP_IPC_USE, FORM_IPC_SEM, NO_ARGS, 0, "by a number that anybody can guess"))
ROW(semctl, 66, 191,
	NOTIFY(OP_IPC_USE, FORM_IPC_SEM, AT(-1, -1, 2), 0, "by a number that anybody can guess"))
ROW(shmdt, 67, 197, FREE(OWN_MEMORY))
ROW(msgget, 68, 186,
	NOTIFY(OP_IPC_GET, FORM_IPC_MSG, AT(-1, -1, 1), 0,
		"finds or makes something that all of one user share"))
ROW(msgsnd, 69, 189,
	NOTIFY(OP_IPC_USE, FORM_IPC_MSG, NO_ARGS, 0, "by a number that anybody can guess"))
ROW(msgrcv, 70, 188,
	NOTIFY(OP_IPC_USE, FORM_IPC_MSG, NO_ARGS, 0, "by a number that anybody can guess"))
ROW(msgctl, 71, 187,
	NOTIFY(OP_IPC_USE, FORM_IPC_MSG, AT(-1, -1, 1), 0, "by a number that anybody can guess"))
ROW(fcntl, 72, 25,
	TEST(TEST_FCNTL, EACCES, OP_NONE, FORM_ANY, NO_ARGS, 0,
		"no leases, which hold others up; SIGIO to others is Landlock's from ABI 6 on"))
ROW(flock, 73, 32,
	FREE("a lock on a file that can be read; holding up others by it is not prevented"))
ROW(fsync, 74, 82, FREE(BY_FD))
ROW(fdatasync, 75, 83, FREE(BY_FD))
ROW(truncate, 76, 45, NOTIFY(OP_TRUNCATE, FORM_ANY, PATH(0), 3, "cuts a file by its path"))
ROW(ftruncate, 77, 46, FREE(BY_FD))
ROW(getdents, 78, -1, FREE(LOOKS))
ROW(getcwd, 79, 17, FREE(LOOKS))
ROW(chdir, 80, 49, FREE(OWN))
ROW(fchdir, 81, 50, FREE(OWN))
ROW(rename, 82, -1, NOTIFY(OP_RENAME, FORM_ANY, TWO(-1, 0, -1, 1, -1), 2, "moves, and may replace"))
ROW(mkdir, 83, -1, NOTIFY(OP_MKDIR, FORM_ANY, PATH(0), 1, "makes a directory"))
ROW(rmdir, 84, -1, NOTIFY(OP_UNLINK, FORM_UNLINK_DIR, PATH(0), 1, "removes a directory"))
ROW(creat, 85, -1, NOTIFY(OP_OPEN, FORM_OPEN_CREAT, PATH(0), 3, "creates a file, or empties it"))
ROW(link, 86, -1, NOTIFY(OP_LINK, FORM_ANY, TWO(-1, 0, -1, 1, -1), 2, "gives a file another name"))
ROW(unlink, 87, -1, NOTIFY(OP_UNLINK, FORM_UNLINK_FILE, PATH(0), 1, "removes a name"))
ROW(symlink, 88, -1,
	NOTIFY(OP_SYMLINK, FORM_ANY, PATH(1), 1, "makes a link; its text is argument 0"))
ROW(readlink, 89, -1, FREE(LOOKS))
ROW(chmod, 90, -1,
	NOTIFY(OP_CHMOD, FORM_ANY, PATH(0), 0, "changes a mode; Landlock never bounds it"))
ROW(fchmod, 91, 52,
	NOTIFY(OP_CHMOD, FORM_ANY, AT(0, -1, -1), 0, "changes a mode; Landlock never bounds it"))
ROW(chown, 92, -1,
	NOTIFY(OP_CHOWN, FORM_CHOWN_FOLLOW, PATH(0), 0,
		"changes owner or group; Landlock never bounds it"))
ROW(fchown, 93, 55,
	NOTIFY(OP_CHOWN, FORM_CHOWN_FOLLOW, AT(0, -1, -1), 0,
		"changes owner or group; Landlock never bounds it"))
ROW(lchown, 94, -1,
	NOTIFY(OP_CHOWN, FORM_CHOWN_LINK, PATH(0), 0,
		"changes owner or group; Landlock never bounds it"))
ROW(umask, 95, 166, FREE(OWN))
ROW(gettimeofday, 96, 169, FREE(TELLS))
ROW(getrlimit, 97, 163, FREE(OWN))
ROW(getrusage, 98, 165, FREE(OWN))
ROW(sysinfo, 99, 179, FREE(TELLS))
ROW(times, 100, 153, FREE(OWN))
ROW(ptrace, 101, 117, FREE(AS_PTRACE))
ROW(getuid, 102, 174, FREE(TELLS))
ROW(syslog, 103, 116, REFUSE(EPERM, "reads the kernel's messages, or clears them"))
ROW(getgid, 104, 176, FREE(TELLS))
ROW(setuid, 105, 146, FREE(NO_GAIN))
ROW(setgid, 106, 144, FREE(NO_GAIN))
ROW(geteuid, 107, 175, FREE(TELLS))
ROW(getegid, 108, 177, FREE(TELLS))
ROW(setpgid, 109, 154,
	TEST(TEST_SETPGID, 0, OP_PROCESS, FORM_PROCESS_GROUP, NO_ARGS, 0,
		"in a group with others, what is meant for its own group reaches them"))
ROW(getppid, 110, 173, FREE(TELLS))
ROW(getpgrp, 111, -1, FREE(TELLS))
ROW(setsid, 112, 157, FREE(OWN))
ROW(setreuid, 113, 145, FREE(NO_GAIN))
ROW(setregid, 114, 143, FREE(NO_GAIN))
ROW(getgroups, 115, 158, FREE(TELLS))
ROW(setgroups, 116, 159, FREE(NEEDS_CAP))
ROW(setresuid, 117, 147, FREE(NO_GAIN))
ROW(getresuid, 118, 148, FREE(TELLS))
ROW(setresgid, 119, 149, FREE(NO_GAIN))
ROW(getresgid, 120, 150, FREE(TELLS))
ROW(getpgid, 121, 155, FREE(TELLS))
ROW(setfsuid, 122, 151, FREE(NO_GAIN))
ROW(setfsgid, 123, 152, FREE(NO_GAIN))
ROW(getsid, 124, 156, FREE(TELLS))
ROW(capget, 125, 90, FREE(OWN))
ROW(capset, 126, 91, FREE("can only drop what is left, and nothing is"))
ROW(rt_sigpending, 127, 136, FREE(OWN))
ROW(rt_sigtimedwait, 128, 137, FREE(WAITS))
ROW(rt_sigqueueinfo, 129, 138,
	TEST(TEST_SIGNAL, 0, OP_PROCESS, FORM_PROCESS_SIGNAL, NO_ARGS, 6,
		"signals; Landlock keeps them in the tree from ABI 6 on, the gate before"))
ROW(rt_sigsuspend, 130, 133, FREE(WAITS))
ROW(sigaltstack, 131, 132, FREE(OWN))
ROW(utime, 132, -1,
	NOTIFY(OP_UTIME, FORM_UTIME_SECONDS, PATH(0), 0, "changes times; Landlock never bounds it"))
ROW(mknod, 133, -1, NOTIFY(OP_MKNOD, FORM_ANY, PATH(0), 1, "makes a file, FIFO, socket or device"))
ROW(uselib, 134, -1, REFUSE(ENOSYS, GONE))
ROW(personality, 135, 92, FREE(OWN))
ROW(ustat, 136, -1, FREE(LOOKS))
ROW(statfs, 137, 43, FREE(LOOKS))
ROW(fstatfs, 138, 44, FREE(LOOKS))
ROW(sysfs, 139, -1, FREE(LOOKS))
ROW(getpriority, 140, 141, FREE(TELLS))
ROW(setpriority, 141, 140,
	TEST(TEST_SETPRIORITY, 0, OP_PROCESS, FORM_PROCESS_PRIORITY, NO_ARGS, 0,
		"the priority of other processes; its own is free"))
ROW(sched_setparam, 142, 118,
	TEST(TEST_PID, 0, OP_PROCESS, FORM_PROCESS_PID, NO_ARGS, 0,
		"schedules another process; itself is free"))
ROW(sched_getparam, 143, 121, FREE(TELLS))
ROW(sched_setscheduler, 144, 119,
	TEST(TEST_PID, 0, OP_PROCESS, FORM_PROCESS_PID, NO_ARGS, 0,
		"schedules another process; itself is free"))
ROW(sched_getscheduler, 145, 120, FREE(TELLS))
ROW(sched_get_priority_max, 146, 125, FREE(TELLS))
ROW(sched_get_priority_min, 147, 126, FREE(TELLS))
ROW(sched_rr_get_interval, 148, 127, FREE(TELLS))
ROW(mlock, 149, 228, FREE(OWN_MEMORY))
ROW(munlock, 150, 229, FREE(OWN_MEMORY))
ROW(mlockall, 151, 230, FREE(OWN_MEMORY))
ROW(munlockall, 152, 231, FREE(OWN_MEMORY))
ROW(vhangup, 153, 58, REFUSE(EPERM, "hangs up a terminal for everybody on it"))
ROW(modify_ldt, 154, -1, FREE(OWN))
ROW(pivot_root, 155, 41, REFUSE(EPERM, MOUNTS))
ROW(_sysctl, 156, -1, REFUSE(ENOSYS, GONE))
ROW(prctl, 157, 167,
	TEST(TEST_PRCTL, EPERM, OP_PRCTL, FORM_ANY, NO_ARGS, 0,
		"a subreaper changes who descends from whom; PR_SET_MM forges /proc; the rest "
		"is its own"))
ROW(arch_prctl, 158, -1, FREE(OWN))
ROW(adjtimex, 159, 171,
	FREE("reading is for everybody, setting needs a capability, and all were dropped"))
ROW(setrlimit, 160, 164, FREE(OWN))
ROW(chroot, 161, 51, REFUSE(EPERM, MOUNTS))
ROW(sync, 162, 81, FREE("flushes; costs time, changes nothing"))
ROW(acct, 163, 89, REFUSE(EPERM, MACHINE))
ROW(settimeofday, 164, 170, REFUSE(EPERM, MACHINE))
ROW(mount, 165, 40, REFUSE(EPERM, MOUNTS))
ROW(umount2, 166, 39, REFUSE(EPERM, MOUNTS))
ROW(swapon, 167, 224, REFUSE(EPERM, MACHINE))
ROW(swapoff, 168, 225, REFUSE(EPERM, MACHINE))
ROW(reboot, 169, 142, REFUSE(EPERM, MACHINE))
ROW(sethostname, 170, 161, REFUSE(EPERM, MACHINE))
ROW(setdomainname, 171, 162, REFUSE(EPERM, MACHINE))
ROW(iopl, 172, -1, REFUSE(EPERM, MACHINE))
ROW(ioperm, 173, -1, REFUSE(EPERM, MACHINE))
ROW(create_module, 174, -1, REFUSE(ENOSYS, GONE))
ROW(init_module, 175, 105, REFUSE(EPERM, MACHINE))
ROW(delete_module, 176, 106, REFUSE(EPERM, MACHINE))
ROW(get_kernel_syms, 177, -1, REFUSE(ENOSYS, GONE))
ROW(query_module, 178, -1, REFUSE(ENOSYS, GONE))
ROW(quotactl, 179, 60, REFUSE(EPERM, MACHINE))
ROW(nfsservctl, 180, 42, REFUSE(ENOSYS, GONE))
ROW(getpmsg, 181, -1, REFUSE(ENOSYS, GONE))
ROW(putpmsg, 182, -1, REFUSE(ENOSYS, GONE))
ROW(afs_syscall, 183, -1, REFUSE(ENOSYS, GONE))
ROW(tuxcall, 184, -1, REFUSE(ENOSYS, GONE))
ROW(security, 185, -1, REFUSE(ENOSYS, GONE))
ROW(gettid, 186, 178, FREE(TELLS))
ROW(readahead, 187, 213, FREE(BY_FD))
ROW(setxattr, 188, 5,
	NOTIFY(OP_XATTR, FORM_XATTR_SET, PATH(0), 0, "sets an attribute; Landlock never bounds it"))
ROW(lsetxattr, 189, 6,
	NOTIFY(OP_XATTR, FORM_XATTR_SET_LINK, PATH(0), 0,
		"sets an attribute; Landlock never bounds it"))
ROW(fsetxattr, 190, 7,
	NOTIFY(OP_XATTR, FORM_XATTR_SET, AT(0, -1, -1), 0,
		"sets an attribute; Landlock never bounds it"))
ROW(getxattr, 191, 8, FREE(LOOKS))
ROW(lgetxattr, 192, 9, FREE(LOOKS))
ROW(fgetxattr, 193, 10, FREE(LOOKS))
ROW(listxattr, 194, 11, FREE(LOOKS))
ROW(llistxattr, 195, 12, FREE(LOOKS))
ROW(flistxattr, 196, 13, FREE(LOOKS))
ROW(removexattr, 197, 14,
	NOTIFY(OP_XATTR, FORM_XATTR_REMOVE, PATH(0), 0,
		"removes an attribute; Landlock never bounds it"))
ROW(lremovexattr, 198, 15,
	NOTIFY(OP_XATTR, FORM_XATTR_REMOVE_LINK, PATH(0), 0,
		"removes an attribute; Landlock never bounds it"))
ROW(fremovexattr, 199, 16,
	NOTIFY(OP_XATTR, FORM_XATTR_REMOVE, AT(0, -1, -1), 0,
		"removes an attribute; Landlock never bounds it"))
ROW(tkill, 200, 130,
	TEST(TEST_SIGNAL, 0, OP_PROCESS, FORM_PROCESS_SIGNAL, NO_ARGS, 6,
		"signals; Landlock keeps them in the tree from ABI 6 on, the gate before"))
ROW(time, 201, -1, FREE(TELLS))
ROW(futex, 202, 98, FREE(OWN_MEMORY))
ROW(sched_setaffinity, 203, 122,
	TEST(TEST_PID, 0, OP_PROCESS, FORM_PROCESS_PID, NO_ARGS, 0,
		"schedules another process; itself is free"))
ROW(sched_getaffinity, 204, 123, FREE(TELLS))
ROW(set_thread_area, 205, -1, REFUSE(ENOSYS, GONE))
ROW(io_setup, 206, 0, FREE(OWN))
ROW(io_destroy, 207, 1, FREE(OWN))
ROW(io_getevents, 208, 4, FREE(WAITS))
ROW(io_submit, 209, 2, FREE(BY_FD))
ROW(io_cancel, 210, 3, FREE(OWN))
ROW(get_thread_area, 211, -1, REFUSE(ENOSYS, GONE))
ROW(lookup_dcookie, 212, 18, REFUSE(ENOSYS, GONE))
ROW(epoll_create, 213, -1, FREE(MAKES))
ROW(epoll_ctl_old, 214, -1, REFUSE(ENOSYS, GONE))
ROW(epoll_wait_old, 215, -1, REFUSE(ENOSYS, GONE))
ROW(remap_file_pages, 216, 234, FREE(OWN_MEMORY))
ROW(getdents64, 217, 61, FREE(LOOKS))
ROW(set_tid_address, 218, 96, FREE(OWN))
ROW(restart_syscall, 219, 128, FREE(OWN))
ROW(semtimedop, 220, 192,
	NOTIFY(OP_IPC_USE, FORM_IPC_SEM, NO_ARGS, 0, "by a number that anybody can guess"))
ROW(fadvise64, 221, 223, FREE(BY_FD))
ROW(timer_create, 222, 107, FREE(OWN))
ROW(timer_settime, 223, 110, FREE(OWN))
ROW(timer_gettime, 224, 108, FREE(OWN))
ROW(timer_getoverrun, 225, 109, FREE(OWN))
ROW(timer_delete, 226, 111, FREE(OWN))
ROW(clock_settime, 227, 112, REFUSE(EPERM, MACHINE))
ROW(clock_gettime, 228, 113, FREE(TELLS))
ROW(clock_getres, 229, 114, FREE(TELLS))
ROW(clock_nanosleep, 230, 115, FREE(WAITS))
ROW(exit_group, 231, 94, FREE(OWN))
ROW(epoll_wait, 232, -1, FREE(WAITS))
ROW(epoll_ctl, 233, 21, FREE(MAKES))
ROW(tgkill, 234, 131,
	TEST(TEST_SIGNAL, 0, OP_PROCESS, FORM_PROCESS_SIGNAL_THREAD, NO_ARGS, 6,
		"signals; Landlock keeps them in the tree from ABI 6 on, the gate before"))
ROW(utimes, 235, -1,
	NOTIFY(OP_UTIME, FORM_UTIME_TIMEVAL, PATH(0), 0, "changes times; Landlock never bounds it"))
ROW(vserver, 236, -1, REFUSE(ENOSYS, GONE))
ROW(mbind, 237, 235, FREE(OWN_MEMORY))
ROW(set_mempolicy, 238, 237, FREE(OWN_MEMORY))
ROW(get_mempolicy, 239, 236, FREE(OWN_MEMORY))
ROW(mq_open, 240, 180, NOTIFY(OP_MQ, FORM_MQ_OPEN, NO_ARGS, 0, "queues are shared by name"))
ROW(mq_unlink, 241, 181, NOTIFY(OP_MQ, FORM_MQ_UNLINK, NO_ARGS, 0, "queues are shared by name"))
ROW(mq_timedsend, 242, 182, FREE(BY_FD))
ROW(mq_timedreceive, 243, 183, FREE(BY_FD))
ROW(mq_notify, 244, 184, FREE(BY_FD))
ROW(mq_getsetattr, 245, 185, FREE(BY_FD))
ROW(kexec_load, 246, 104, REFUSE(EPERM, MACHINE))
ROW(waitid, 247, 95, FREE(WAITS))
ROW(add_key, 248, 217, REFUSE(ENOSYS, "keys are shared with everything of the same user"))
ROW(request_key, 249, 218, REFUSE(ENOSYS, "keys are shared with everything of the same user"))
ROW(keyctl, 250, 219, REFUSE(ENOSYS, "keys are shared with everything of the same user"))
ROW(ioprio_set, 251, 30,
	TEST(TEST_IOPRIO, 0, OP_PROCESS, FORM_PROCESS_IOPRIO, NO_ARGS, 0,
		"the priority of other processes; its own is free"))
ROW(ioprio_get, 252, 31, FREE(TELLS))
ROW(inotify_init, 253, -1, FREE(MAKES))
ROW(inotify_add_watch, 254, 27, FREE("watches what can be read"))
ROW(inotify_rm_watch, 255, 28, FREE("watches what can be read"))
ROW(migrate_pages, 256, 238, FREE(AS_PTRACE))
ROW(openat, 257, 56,
	TEST(TEST_OPENAT, 0, OP_OPEN, FORM_OPEN_FLAGS, AT(0, 1, 2), 1,
		"can write, create or empty a file; for reading it is not seen"))
ROW(mkdirat, 258, 34, NOTIFY(OP_MKDIR, FORM_ANY, AT(0, 1, -1), 1, "makes a directory"))
ROW(mknodat, 259, 33,
	NOTIFY(OP_MKNOD, FORM_ANY, AT(0, 1, -1), 1, "makes a file, FIFO, socket or device"))
ROW(fchownat, 260, 54,
	NOTIFY(OP_CHOWN, FORM_CHOWN_FOLLOW, AT(0, 1, 4), 0,
		"changes owner or group; Landlock never bounds it"))
ROW(futimesat, 261, -1,
	NOTIFY(OP_UTIME, FORM_UTIME_TIMEVAL, AT(0, 1, -1), 0,
		"changes times; Landlock never bounds it"))
ROW(newfstatat, 262, 79, FREE(LOOKS))
ROW(unlinkat, 263, 35,
	NOTIFY(OP_UNLINK, FORM_UNLINK_FLAGS, AT(0, 1, 2), 1, "removes a name or a directory"))
ROW(renameat, 264, 38,
	NOTIFY(OP_RENAME, FORM_ANY, TWO(0, 1, 2, 3, -1), 2, "moves, and may replace"))
ROW(linkat, 265, 37, NOTIFY(OP_LINK, FORM_ANY, TWO(0, 1, 2, 3, 4), 2, "gives a file another name"))
ROW(symlinkat, 266, 36,
	NOTIFY(OP_SYMLINK, FORM_ANY, AT(1, 2, -1), 1, "makes a link; its text is argument 0"))
ROW(readlinkat, 267, 78, FREE(LOOKS))
ROW(fchmodat, 268, 53,
	NOTIFY(OP_CHMOD, FORM_ANY, AT(0, 1, -1), 0, "changes a mode; Landlock never bounds it"))
ROW(faccessat, 269, 48, FREE(LOOKS))
ROW(pselect6, 270, 72, FREE(WAITS))
ROW(ppoll, 271, 73, FREE(WAITS))
ROW(unshare, 272, 97,
	TEST(TEST_UNSHARE, EPERM, OP_CLOSED, FORM_CLOSED_NAMESPACES, NO_ARGS, 0,
		"no new namespaces: paths, ids and addresses would mean something else"))
ROW(set_robust_list, 273, 99, FREE(OWN))
ROW(get_robust_list, 274, 100, FREE(AS_PTRACE))
ROW(splice, 275, 76, FREE(BY_FD))
ROW(tee, 276, 77, FREE(BY_FD))
ROW(sync_file_range, 277, 84, FREE(BY_FD))
ROW(vmsplice, 278, 75, FREE(BY_FD))
ROW(move_pages, 279, 239, FREE(AS_PTRACE))
ROW(utimensat, 280, 88,
	NOTIFY(OP_UTIME, FORM_UTIME_TIMESPEC, AT(0, 1, 3), 0,
		"changes times; Landlock never bounds it"))
ROW(epoll_pwait, 281, 22, FREE(WAITS))
ROW(signalfd, 282, -1, FREE(MAKES))
ROW(timerfd_create, 283, 85, FREE(MAKES))
ROW(eventfd, 284, -1, FREE(MAKES))
ROW(fallocate, 285, 47, FREE(BY_FD))
ROW(timerfd_settime, 286, 86, FREE(MAKES))
ROW(timerfd_gettime, 287, 87, FREE(MAKES))
ROW(accept4, 288, 242, FREE("takes what comes to a socket that the gate let listen"))
ROW(signalfd4, 289, 74, FREE(MAKES))
ROW(eventfd2, 290, 19, FREE(MAKES))
ROW(epoll_create1, 291, 20, FREE(MAKES))
ROW(dup3, 292, 24, FREE(OWN))
ROW(pipe2, 293, 59, FREE(MAKES))
ROW(inotify_init1, 294, 26, FREE(MAKES))
ROW(preadv, 295, 69, FREE(BY_FD))
ROW(pwritev, 296, 70, FREE(BY_FD))
ROW(rt_tgsigqueueinfo, 297, 240,
	TEST(TEST_SIGNAL, 0, OP_PROCESS, FORM_PROCESS_SIGNAL_THREAD, NO_ARGS, 6,
		"signals; Landlock keeps them in the tree from ABI 6 on, the gate before"))
ROW(perf_event_open, 298, 241, REFUSE(EPERM, "counts and samples other processes and the kernel"))
ROW(recvmmsg, 299, 243,
	FREE("takes what comes to a socket; descriptors in it were sent by somebody let in"))
ROW(fanotify_init, 300, 262, REFUSE(EPERM, "watches and can hold up whole mounts"))
ROW(fanotify_mark, 301, 263, REFUSE(EPERM, "watches and can hold up whole mounts"))
ROW(prlimit64, 302, 261,
	TEST(TEST_PRLIMIT, 0, OP_PROCESS, FORM_PROCESS_PID, NO_ARGS, 0,
		"sets limits of another process; its own, and reading, are free"))
ROW(name_to_handle_at, 303, 264, FREE(LOOKS))
ROW(open_by_handle_at, 304, 265, REFUSE(EPERM, "opens an inode past every path"))
ROW(clock_adjtime, 305, 266,
	FREE("reading is for everybody, setting needs a capability, and all were dropped"))
ROW(syncfs, 306, 267, FREE(BY_FD))
ROW(sendmmsg, 307, 269,
	NOTIFY(OP_SEND, FORM_SEND_MMSG, AT(0, -1, 3), 0, "may carry addresses in memory",
		MAY_EINTR))
ROW(setns, 308, 268,
	REFUSE(EPERM, "enters a namespace where paths and addresses mean something else"))
ROW(getcpu, 309, 168, FREE(TELLS))
ROW(process_vm_readv, 310, 270, FREE(AS_PTRACE))
ROW(process_vm_writev, 311, 271, FREE(AS_PTRACE))
ROW(kcmp, 312, 272, FREE(AS_PTRACE))
ROW(finit_module, 313, 273, REFUSE(EPERM, MACHINE))
ROW(sched_setattr, 314, 274,
	TEST(TEST_PID, 0, OP_PROCESS, FORM_PROCESS_PID, NO_ARGS, 0,
		"schedules another process; itself is free"))
ROW(sched_getattr, 315, 275, FREE(TELLS))
ROW(renameat2, 316, 276,
	NOTIFY(OP_RENAME, FORM_ANY, TWO(0, 1, 2, 3, 4), 2, "moves, exchanges, and may replace"))
ROW(seccomp, 317, 277,
	TEST(TEST_SECCOMP, EBUSY, OP_NONE, FORM_ANY, NO_ARGS, 0,
		"filters only narrow; a second listener cannot be, as the kernel would say"))
ROW(getrandom, 318, 278, FREE(TELLS))
ROW(memfd_create, 319, 279, FREE(MAKES))
ROW(kexec_file_load, 320, 294, REFUSE(EPERM, MACHINE))
ROW(bpf, 321, 280, REFUSE(EPERM, "programs inside the kernel see and change what is not theirs"))
ROW(execveat, 322, 281,
	FREE("the new program has the same floor and filter, and gains no privileges"))
ROW(userfaultfd, 323, 282,
	REFUSE(EPERM, "holds the kernel up in the middle of a copy, a tool for races"))
ROW(membarrier, 324, 283, FREE(OWN))
ROW(mlock2, 325, 284, FREE(OWN_MEMORY))
ROW(copy_file_range, 326, 285, FREE(BY_FD))
ROW(preadv2, 327, 286, FREE(BY_FD))
ROW(pwritev2, 328, 287, FREE(BY_FD))
ROW(pkey_mprotect, 329, 288, FREE(OWN_MEMORY))
ROW(pkey_alloc, 330, 289, FREE(OWN_MEMORY))
ROW(pkey_free, 331, 290, FREE(OWN_MEMORY))
ROW(statx, 332, 291, FREE(LOOKS))
ROW(io_pgetevents, 333, 292, FREE(WAITS))
ROW(rseq, 334, 293, FREE(OWN))
ROW(uretprobe, 335, -1, FREE("only from the kernel's own trampoline, else a signal"))
ROW(uprobe, 336, -1, FREE("only from the kernel's own trampoline, else a signal"))
ROW(pidfd_send_signal, 424, 424,
	TEST(TEST_SIGNAL, 0, OP_PROCESS, FORM_PROCESS_SIGNAL_PIDFD, NO_ARGS, 6,
		"signals; Landlock keeps them in the tree from ABI 6 on, the gate before"))
ROW(io_uring_setup, 425, 425,
	REFUSE(ENOSYS, "does in the kernel what the filter would not see; programs fall back"))
ROW(io_uring_enter, 426, 426,
	REFUSE(ENOSYS, "does in the kernel what the filter would not see; programs fall back"))
ROW(io_uring_register, 427, 427,
	REFUSE(ENOSYS, "does in the kernel what the filter would not see; programs fall back"))
ROW(open_tree, 428, 428, REFUSE(EPERM, MOUNTS))
ROW(move_mount, 429, 429, REFUSE(EPERM, MOUNTS))
ROW(fsopen, 430, 430, REFUSE(EPERM, MOUNTS))
ROW(fsconfig, 431, 431, REFUSE(EPERM, MOUNTS))
ROW(fsmount, 432, 432, REFUSE(EPERM, MOUNTS))
ROW(fspick, 433, 433, REFUSE(EPERM, MOUNTS))
ROW(pidfd_open, 434, 434, FREE("names a process; what is done with it is asked for again"))
ROW(clone3, 435, 435,
	REFUSE(ENOSYS,
		"its flags lie in memory, where no filter sees them; libraries fall back to clone"))
ROW(close_range, 436, 436, FREE(OWN))
ROW(openat2, 437, 437,
	REFUSE(ENOSYS,
		"its flags lie in memory and can change after a look; programs go on with openat"))
ROW(pidfd_getfd, 438, 438, FREE(AS_PTRACE))
ROW(faccessat2, 439, 439, FREE(LOOKS))
ROW(process_madvise, 440, 440, FREE(AS_PTRACE))
ROW(epoll_pwait2, 441, 441, FREE(WAITS))
ROW(mount_setattr, 442, 442, REFUSE(EPERM, MOUNTS))
ROW(quotactl_fd, 443, 443, REFUSE(EPERM, MACHINE))
ROW(landlock_create_ruleset, 444, 444,
	FREE("describes a narrower domain; it holds when it is entered"))
ROW(landlock_add_rule, 445, 445, FREE("describes a narrower domain; it holds when it is entered"))
ROW(landlock_restrict_self, 446, 446,
	NOTIFY(OP_RESTRICT, FORM_ANY, NO_ARGS, 0, "from then on nothing is done on its behalf"))
ROW(memfd_secret, 447, 447, FREE(MAKES))
ROW(process_mrelease, 448, 448,
	NOTIFY(OP_PROCESS, FORM_PROCESS_RELEASE, NO_ARGS, 0,
		"takes memory from another process without asking as for ptrace"))
ROW(futex_waitv, 449, 449, FREE(OWN_MEMORY))
ROW(set_mempolicy_home_node, 450, 450, FREE(OWN_MEMORY))
ROW(cachestat, 451, 451, FREE(LOOKS))
ROW(fchmodat2, 452, 452,
	NOTIFY(OP_CHMOD, FORM_ANY, AT(0, 1, 3), 0, "changes a mode; Landlock never bounds it"))
ROW(map_shadow_stack, 453, 453, FREE(OWN_MEMORY))
ROW(futex_wake, 454, 454, FREE(OWN_MEMORY))
ROW(futex_wait, 455, 455, FREE(OWN_MEMORY))
ROW(futex_requeue, 456, 456, FREE(OWN_MEMORY))
ROW(statmount, 457, 457, FREE(LOOKS))
ROW(listmount, 458, 458, FREE(LOOKS))
ROW(lsm_get_self_attr, 459, 459, FREE(TELLS))
ROW(lsm_set_self_attr, 460, 460, FREE(OWN))
ROW(lsm_list_modules, 461, 461, FREE(TELLS))
ROW(mseal, 462, 462, FREE(OWN_MEMORY))
ROW(setxattrat, 463, 463,
	NOTIFY(OP_XATTR, FORM_XATTR_SET_AT, AT(0, 1, 2), 0,
		"sets an attribute; Landlock never bounds it"))
ROW(getxattrat, 464, 464, FREE(LOOKS))
ROW(listxattrat, 465, 465, FREE(LOOKS))
ROW(removexattrat, 466, 466,
	NOTIFY(OP_XATTR, FORM_XATTR_REMOVE_AT, AT(0, 1, 2), 0,
		"removes an attribute; Landlock never bounds it"))
ROW(open_tree_attr, 467, 467, REFUSE(EPERM, MOUNTS))
ROW(file_getattr, 468, 468, FREE(LOOKS))
ROW(file_setattr, 469, 469,
	NOTIFY(OP_SETATTR, FORM_ANY, AT(0, 1, 4), 0,
		"changes inode flags; Landlock never bounds it"))
ROW(listns, 470, 470, FREE(LOOKS))
