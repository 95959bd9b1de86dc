/* SPDX-License-Identifier: Apache-2.0 */
/* Attacks on names: making, removing, moving and linking across the line,
 * symlinks that lead out of the folder, other people's files in /tmp, what is
 * guarded in the folder, ambit's own files, and the folder itself. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "attack.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE 2
#endif

static void
make_dir(const struct world *w)
{
	mkdir(in(w->outside, "new"), 0755);
}

static void
make_dir_at(const struct world *w)
{
	mkdirat(open(w->outside, O_PATH), "new/", 0755);
}

static void
make_node(const struct world *w)
{
	mknod(in(w->outside, "new"), S_IFREG | 0644, 0);
}

static void
make_fifo(const struct world *w)
{
	mknodat(AT_FDCWD, in(w->outside, "new"), S_IFIFO | 0644, 0);
}

static void
make_socket_node(const struct world *w)
{
	mknod(in(w->outside, "new"), S_IFSOCK | 0644, 0);
}

static void
make_device(const struct world *w)
{
	mknod(in(w->folder, "born"), S_IFCHR | 0666, makedev(1, 5));
}

static void
bind_socket(const struct world *w)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", in(w->outside, "new"));
	(void)!bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&a, sizeof(a));
}

static void
make_symlink(const struct world *w)
{
	(void)!symlink("/nowhere", in(w->outside, "new"));
	(void)!symlinkat("/nowhere", open(w->outside, O_RDONLY), "newer");
}

static void
remove_file(const struct world *w)
{
	unlink(w->file);
}

static void
remove_file_at(const struct world *w)
{
	unlinkat(open(w->outside, O_RDONLY), "full/two", 0);
}

static void
remove_dir(const struct world *w)
{
	rmdir(in(w->outside, "empty"));
}

static void
remove_dir_at(const struct world *w)
{
	unlinkat(open(w->outside, O_PATH), "empty", AT_REMOVEDIR);
}

static void
move_out(const struct world *w)
{
	rename("sub/mine", in(w->outside, "new"));
}

static void
move_over(const struct world *w)
{
	rename("sub/mine", w->file);
}

static void
move_in(const struct world *w)
{
	rename(w->file, "sub/taken");
}

static void
move_dir_in(const struct world *w)
{
	rename(in(w->outside, "full"), "sub/taken");
}

static void
move_within_outside(const struct world *w)
{
	renameat(open(w->outside, O_RDONLY), "file", open(w->outside, O_PATH), "renamed");
}

static void
move_no_replace(const struct world *w)
{
	syscall(SYS_renameat2, AT_FDCWD, "sub/mine", AT_FDCWD, in(w->outside, "new"),
		RENAME_NOREPLACE);
}

static void
exchange_out(const struct world *w)
{
	syscall(SYS_renameat2, AT_FDCWD, "sub/mine", AT_FDCWD, w->file, RENAME_EXCHANGE);
}

static void
exchange_in(const struct world *w)
{
	syscall(SYS_renameat2, AT_FDCWD, in(w->outside, "full"), AT_FDCWD, "sub", RENAME_EXCHANGE);
}

static void
link_in_and_write(const struct world *w)
{
	if (link(w->file, "sub/linked") == 0)
		spoil(open("sub/linked", O_WRONLY));
}

static void
link_in_by_descriptor(const struct world *w)
{
	linkat(AT_FDCWD, proc_fd(open(w->file, O_PATH)), AT_FDCWD, "sub/linked", AT_SYMLINK_FOLLOW);
	linkat(open(w->file, O_PATH), "", AT_FDCWD, "sub/linked2", AT_EMPTY_PATH);
	spoil(open("sub/linked", O_WRONLY));
}

static void
link_out(const struct world *w)
{
	(void)!link("sub/mine", in(w->outside, "new"));
}

static void
link_a_symlink_in(const struct world *w)
{
	(void)!symlink(w->file, "sub/s");
	linkat(AT_FDCWD, "sub/s", AT_FDCWD, "sub/linked", AT_SYMLINK_FOLLOW);
	spoil(open("sub/linked", O_WRONLY));
}

/* ---- symlinks in the folder that lead out ---- */

static void
symlink_write(const struct world *w)
{
	(void)!symlink(w->file, "sub/s");
	spoil(open("sub/s", O_WRONLY));
}

static void
symlink_truncate(const struct world *w)
{
	(void)!symlink(w->file, "sub/s");
	(void)!truncate("sub/s", 0);
}

static void
symlink_chmod(const struct world *w)
{
	(void)w;
	(void)!symlink("../../../outside/file", "sub/s");
	chmod("sub/s", 0777);
}

static void
symlink_chown(const struct world *w)
{
	(void)!symlink(w->file, "sub/s");
	(void)!chown("sub/s", getuid(), getgid());
}

static void
symlink_dangling(const struct world *w)
{
	(void)!symlink(in(w->outside, "new"), "sub/s");
	spoil(open("sub/s", O_WRONLY | O_CREAT, 0644));
}

static void
symlink_directory_create(const struct world *w)
{
	(void)!symlink(w->outside, "sub/d");
	spoil(open("sub/d/new", O_WRONLY | O_CREAT, 0644));
	mkdir("sub/d/newer", 0755);
}

static void
symlink_directory_remove(const struct world *w)
{
	(void)!symlink(w->outside, "sub/d");
	unlink("sub/d/file");
	rmdir("sub/d/empty");
}

static void
symlink_directory_rename(const struct world *w)
{
	(void)!symlink(w->outside, "sub/d");
	rename("sub/mine", "sub/d/file");
}

static void
symlink_chain(const struct world *w)
{
	(void)!symlink(w->outside, "a");
	(void)!symlink("a", "b");
	(void)!symlink("b/../../outside/link", "c");
	(void)!symlink("b/file", "d");
	spoil(open("d", O_WRONLY));
	spoil(open("c", O_WRONLY));
}

static void
symlink_proc_root(const struct world *w)
{
	(void)!symlink(in("/proc/self/root", w->outside), "sub/d");
	spoil(open("sub/d/file", O_WRONLY | O_TRUNC));
}

static void
symlink_made_late(const struct world *w)
{
	int dir;

	/* A directory that was inside when it was opened. */
	mkdir("sub/d", 0755);
	dir = open("sub/d", O_RDONLY);
	rmdir("sub/d");
	(void)!symlink(w->outside, "sub/d");
	spoil(openat(dir, "../d/file", O_WRONLY));
	spoil(open("sub/d/file", O_WRONLY));
}

/* ---- guarded names and ambit's own ---- */

static void
guard_hook(const struct world *w)
{
	(void)w;
	spoil(open(".git/hooks/pre-commit", O_WRONLY | O_CREAT, 0755));
}

static void
guard_hook_replace(const struct world *w)
{
	(void)w;
	rename("sub/mine", ".git/hooks/pre-commit");
}

static void
guard_hook_link(const struct world *w)
{
	(void)w;
	(void)!link(".git/hooks/pre-push", "sub/hook");
	spoil(open("sub/hook", O_WRONLY));
}

static void
guard_hook_symlink(const struct world *w)
{
	(void)w;
	(void)!symlink("../.git/hooks", "sub/h");
	spoil(open("sub/h/pre-push", O_WRONLY));
}

static void
guard_move_git_away(const struct world *w)
{
	(void)w;
	rename(".git", "sub/git");
	mkdir(".git", 0755);
	mkdir(".git/hooks", 0755);
	spoil(open(".git/hooks/pre-commit", O_WRONLY | O_CREAT, 0755));
}

static void
guard_move_hooks_away(const struct world *w)
{
	(void)w;
	rename(".git/hooks", "sub/hooks");
	mkdir("sub/evil", 0755);
	make_file("sub/evil/pre-commit");
	rename("sub/evil", ".git/hooks");
}

static void
guard_exchange(const struct world *w)
{
	(void)w;
	mkdir("sub/evil", 0755);
	make_file("sub/evil/pre-commit");
	syscall(SYS_renameat2, AT_FDCWD, "sub/evil", AT_FDCWD, ".git/hooks", RENAME_EXCHANGE);
}

static void
guard_git_config(const struct world *w)
{
	static const char text[] = "[core]\n\thooksPath = /tmp\n";
	int fd = open(".git/config", O_WRONLY | O_TRUNC);

	(void)w;
	(void)!write(fd, text, sizeof(text) - 1);
}

static void
guard_chmod(const struct world *w)
{
	(void)w;
	chmod(".git/hooks/pre-push", 0755);
}

static void
own_settings_write(const struct world *w)
{
	spoil(open(w->config, O_WRONLY | O_TRUNC));
}

static void
own_settings_link(const struct world *w)
{
	if (link(w->config, "sub/c") == 0)
		spoil(open("sub/c", O_WRONLY));
}

static void
own_settings_replace(const struct world *w)
{
	rename("sub/mine", w->config);
}

static void
folder_settings_write(const struct world *w)
{
	(void)w;
	spoil(open(".ambit.json", O_WRONLY));
}

static void
folder_settings_remove(const struct world *w)
{
	(void)w;
	unlink(".ambit.json");
}

static void
folder_settings_replace(const struct world *w)
{
	(void)w;
	rename("sub/mine", ".ambit.json");
}

static void
folder_settings_link(const struct world *w)
{
	(void)w;
	if (link(".ambit.json", "sub/j") == 0)
		spoil(open("sub/j", O_WRONLY));
}

static void
folder_settings_chmod(const struct world *w)
{
	(void)w;
	chmod(".ambit.json", 0);
}

static const char *const records[] = { "ambit.db", "ambit.db-wal", "ambit.db-shm", "ambit.lock" };

static void
record_remove(const struct world *w)
{
	for (size_t i = 0; i < COUNT(records); i++)
		unlink(in(w->state, records[i]));
}

static void
record_truncate(const struct world *w)
{
	for (size_t i = 0; i < COUNT(records); i++) {
		(void)!truncate(in(w->state, records[i]), 0);
		spoil(open(in(w->state, records[i]), O_WRONLY));
	}
}

/* A descriptor for reading is enough to map, not to write what is mapped. */
static void
record_map(const struct world *w)
{
	for (size_t i = 0; i < COUNT(records); i++) {
		int fd = open(in(w->state, records[i]), w->plain ? O_RDWR : O_RDONLY);
		char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (at == MAP_FAILED) {
			at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
			if (at == MAP_FAILED || mprotect(at, 4096, PROT_READ | PROT_WRITE) < 0)
				continue;
		}
		memset(at, 'X', 100);
	}
}

static void
record_link(const struct world *w)
{
	if (link(in(w->state, "ambit.db"), "sub/db") == 0)
		spoil(open("sub/db", O_WRONLY));
}

static void
record_replace(const struct world *w)
{
	rename("sub/mine", in(w->state, "ambit.db"));
}

static void
record_move_directory(const struct world *w)
{
	rename(w->state, in(w->folder, "sub/state"));
	rename(w->state, in(w->state, "../elsewhere"));
}

static void
record_chmod(const struct world *w)
{
	chmod(in(w->state, "ambit.db"), 0);
	chmod(w->state, 0777);
}

static void
folder_rename(const struct world *w)
{
	char to[LENGTH + 20];

	snprintf(to, sizeof(to), "%s.moved", w->folder);
	rename(w->folder, to);
}

static void
folder_replace(const struct world *w)
{
	folder_rename(w);
	(void)!symlink(w->outside, w->folder);
}

static void
folder_exchange(const struct world *w)
{
	char to[LENGTH + 20];

	snprintf(to, sizeof(to), "%s.moved", w->folder);
	mkdir(to, 0755);
	syscall(SYS_renameat2, AT_FDCWD, w->folder, AT_FDCWD, to, RENAME_EXCHANGE);
}

/* ---- other people's files in /tmp ---- */

static void
scratch_write(const struct world *w)
{
	spoil(open(w->scratch, O_WRONLY));
}

static void
scratch_create(const struct world *w)
{
	spoil(open(w->scratch, O_WRONLY | O_CREAT | O_TRUNC, 0600));
}

static void
scratch_remove(const struct world *w)
{
	unlink(w->scratch);
}

static void
scratch_chmod(const struct world *w)
{
	chmod(w->scratch, 0666);
}

static void
scratch_symlink(const struct world *w)
{
	(void)!symlink(w->scratch, w->own);
	spoil(open(w->own, O_WRONLY));
	chmod(w->own, 0606);
}

static void
scratch_link(const struct world *w)
{
	(void)!link(w->scratch, w->own);
	spoil(open(w->own, O_WRONLY));
}

static void
scratch_rename_over(const struct world *w)
{
	make_file(w->own);
	rename(w->own, w->scratch);
}

static void
scratch_rename_from(const struct world *w)
{
	rename(w->scratch, w->own);
	spoil(open(w->own, O_WRONLY));
}

static void
scratch_exchange(const struct world *w)
{
	make_file(w->own);
	syscall(SYS_renameat2, AT_FDCWD, w->own, AT_FDCWD, w->scratch, RENAME_EXCHANGE);
}

/* The first thing is the session's, made and gone; the second has its number. */
static void
scratch_inode_reuse(const struct world *w)
{
	char request[64];
	struct stat st;
	int fd = open(w->own, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0 || fstat(fd, &st) < 0)
		cannot("nothing can be made in /tmp");
	close(fd);
	unlink(w->own);
	snprintf(request, sizeof(request), "recreate %ju", (uintmax_t)st.st_ino);
	if (!ask_runner(w, request)) {
		if (w->plain)
			cannot("inodes are not reused here");
		return;
	}
	chmod(w->scratch, 0777);
	spoil(open(w->scratch, O_WRONLY));
	unlink(w->scratch);
}

/* The same while a descriptor is still open on what was removed. */
static void
scratch_unlinked_then_other(const struct world *w)
{
	int fd = open(w->own, O_RDWR | O_CREAT | O_EXCL, 0600);

	unlink(w->own);
	(void)!link(w->scratch, w->own);
	(void)!symlink(w->scratch, w->own);
	spoil(open(w->own, O_WRONLY | O_TRUNC));
	close(fd);
}

static void
shm_file_write(const struct world *w)
{
	spoil(open(in("/dev/shm", w->shm_name + 1), O_WRONLY));
}

static const struct attack list[] = {
	{ "mkdir", make_dir, 0 },
	{ "mkdirat", make_dir_at, 0 },
	{ "mknod-file", make_node, 0 },
	{ "mknod-fifo", make_fifo, 0 },
	{ "mknod-socket", make_socket_node, 0 },
	{ "mknod-device", make_device, AS_ROOT },
	{ "bind-socket-outside", bind_socket, 0 },
	{ "symlink-outside", make_symlink, 0 },
	{ "unlink", remove_file, 0 },
	{ "unlinkat", remove_file_at, 0 },
	{ "rmdir", remove_dir, 0 },
	{ "unlinkat-directory", remove_dir_at, 0 },
	{ "rename-out", move_out, 0 },
	{ "rename-over", move_over, 0 },
	{ "rename-in", move_in, 0 },
	{ "rename-directory-in", move_dir_in, 0 },
	{ "rename-within-outside", move_within_outside, 0 },
	{ "rename-no-replace", move_no_replace, 0 },
	{ "exchange-out", exchange_out, 0 },
	{ "exchange-in", exchange_in, 0 },
	{ "link-in-and-write", link_in_and_write, 0 },
	{ "link-in-by-descriptor", link_in_by_descriptor, 0 },
	{ "link-out", link_out, 0 },
	{ "link-a-symlink-in", link_a_symlink_in, 0 },
	{ "through-symlink-write", symlink_write, 0 },
	{ "through-symlink-truncate", symlink_truncate, 0 },
	{ "through-symlink-chmod", symlink_chmod, 0 },
	{ "through-symlink-chown", symlink_chown, 0 },
	{ "through-symlink-dangling", symlink_dangling, 0 },
	{ "through-symlink-create", symlink_directory_create, 0 },
	{ "through-symlink-remove", symlink_directory_remove, 0 },
	{ "through-symlink-rename", symlink_directory_rename, 0 },
	{ "through-symlink-chain", symlink_chain, 0 },
	{ "through-symlink-proc-root", symlink_proc_root, 0 },
	{ "through-symlink-made-late", symlink_made_late, 0 },
	{ "guard-hook", guard_hook, 0 },
	{ "guard-hook-replace", guard_hook_replace, 0 },
	{ "guard-hook-hard-link", guard_hook_link, 0 },
	{ "guard-hook-symlink", guard_hook_symlink, 0 },
	{ "guard-move-git-away", guard_move_git_away, 0 },
	{ "guard-move-hooks-away", guard_move_hooks_away, 0 },
	{ "guard-exchange", guard_exchange, 0 },
	{ "guard-git-config", guard_git_config, 0 },
	{ "guard-chmod", guard_chmod, 0 },
	{ "own-settings-write", own_settings_write, 0 },
	{ "own-settings-hard-link", own_settings_link, 0 },
	{ "own-settings-replace", own_settings_replace, 0 },
	{ "folder-settings-write", folder_settings_write, 0 },
	{ "folder-settings-remove", folder_settings_remove, 0 },
	{ "folder-settings-replace", folder_settings_replace, 0 },
	{ "folder-settings-hard-link", folder_settings_link, 0 },
	{ "folder-settings-chmod", folder_settings_chmod, 0 },
	{ "record-remove", record_remove, 0 },
	{ "record-truncate", record_truncate, 0 },
	{ "record-map", record_map, 0 },
	{ "record-hard-link", record_link, 0 },
	{ "record-replace", record_replace, 0 },
	{ "record-move-directory", record_move_directory, 0 },
	{ "record-chmod", record_chmod, 0 },
	{ "folder-rename", folder_rename, 0 },
	{ "folder-replace-by-symlink", folder_replace, 0 },
	{ "folder-exchange", folder_exchange, 0 },
	{ "scratch-write", scratch_write, 0 },
	{ "scratch-create-over", scratch_create, 0 },
	{ "scratch-remove", scratch_remove, 0 },
	{ "scratch-chmod", scratch_chmod, 0 },
	{ "scratch-own-symlink", scratch_symlink, 0 },
	{ "scratch-hard-link", scratch_link, 0 },
	{ "scratch-rename-over", scratch_rename_over, 0 },
	{ "scratch-rename-from", scratch_rename_from, 0 },
	{ "scratch-exchange", scratch_exchange, 0 },
	{ "scratch-inode-reuse", scratch_inode_reuse, 0 },
	{ "scratch-name-reuse", scratch_unlinked_then_other, 0 },
	{ "scratch-shared-memory-file", shm_file_write, 0 },
};

const struct attacks attacks_place = { list, COUNT(list) };
