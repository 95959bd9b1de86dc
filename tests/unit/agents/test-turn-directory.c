/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about the directory of turns: nothing that lies there stops anybody for ever, and a
 * directory of somebody else is refused. */

#include <sys/stat.h>

#include "base/program.h"
#include "record/lock.h"
#include "turn-rig.h"

static void
put(const struct rig *rig, const char *name, const char *text)
{
	auto_free char *path = str_printf("%s/%s", rig->dir, name);
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

static bool
there(const struct rig *rig, const char *name)
{
	auto_free char *path = str_printf("%s/%s", rig->dir, name);
	struct stat st;

	return lstat(path, &st) == 0;
}

static void
what_lies_in_the_directory_stops_nobody(void **state)
{
	struct rig *rig = *state;
	auto_free char *link = str_printf("%s/0000000000000003-aaaaaaaa", rig->dir);
	auto_free char *sub = str_printf("%s/0000000000000004-aaaaaaaa", rig->dir);
	struct turn_request r = request(rig, "/w");

	turn_end(take(&r));
	put(rig, "notes", "a person's");
	put(rig, "0000000000000001-aaaaaaaa", "{\"running\":1,\"fol");
	put(rig, "0000000000000002-aaaaaaaa", "");
	put(rig, "9999999999999999-aaaaaaaa", "");
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(mkdir(sub, 0700), 0);
	struct turn *turn = take(&r);

	assert_true(there(rig, "notes"));
	assert_true(there(rig, "9999999999999999-aaaaaaaa"));
	assert_true(there(rig, "0000000000000003-aaaaaaaa"));
	assert_true(there(rig, "0000000000000004-aaaaaaaa"));
	assert_false(there(rig, "0000000000000001-aaaaaaaa"));
	assert_false(there(rig, "0000000000000002-aaaaaaaa"));
	assert_true(strcmp(turn_id(turn), "0000000000000004") > 0);
	turn_end(turn);
}

/* What runs behind the line may read the files, and a reader may take read locks. */
static void
a_stranger_with_read_locks_stops_nobody(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	struct other holder = start(rig, &r, 0, true);
	auto_free char *mutex = str_printf("%s/turns.lock", rig->dir);

	assert_int_equal(hear(&holder), 'r');
	auto_close int lock = open(mutex, O_RDONLY | O_CLOEXEC);
	auto_close int ticket = -1;
	DIR *dir = opendir(rig->dir);
	struct dirent *entry;

	assert_true(dir && lock >= 0);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] == '0')
			ticket = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
	closedir(dir);
	assert_true(ticket >= 0);
	assert_int_equal(lock_bytes(lock, 0, 0, F_RDLCK), 0);
	end(&holder, SIGKILL);
	assert_int_equal(lock_bytes(ticket, 0, 0, F_RDLCK), 0);
	turn_end(take(&r));
	assert_int_equal(tickets(rig), 0);
}

static void
a_held_ticket_that_cannot_be_read_stands_in_the_way(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	auto_free char *path = str_printf("%s/0000000000000001-aaaaaaaa", rig->dir);
	struct told told = { .out = -1 };
	struct turn *turn;
	int cancel[2];

	turn_end(take(&r));
	put(rig, "0000000000000001-aaaaaaaa", "{\"running\":0,\"fol");
	auto_close int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_int_equal(lock_bytes(fd, 0, 1, F_WRLCK), 0);
	assert_int_equal(pipe2(cancel, O_CLOEXEC), 0);
	close(cancel[1]);
	r.cancel = cancel[0];
	r.waiting = note_waiting;
	r.data = &told;
	assert_int_equal(turn_take(&r, &turn, NULL), -ECANCELED);
	assert_string_equal(told.whom, "0000000000000001-aaaaaaaa");
	assert_int_equal(lock_bytes(fd, 0, 1, F_UNLCK), 0);
	turn_end(take(&r));
	close(cancel[0]);
}

static void
refuses(const struct turn_request *r, int code, const char *words)
{
	struct ambit_error err = { 0 };
	struct turn *turn = NULL;

	assert_int_equal(turn_take(r, &turn, &err), -code);
	assert_null(turn);
	if (!strstr(err.text, words))
		fail_msg("no '%s' in: %s", words, err.text);
}

static void
a_directory_that_is_not_ones_own_is_refused(void **state)
{
	struct rig *rig = *state;
	struct turn_request r = request(rig, "/w");
	struct stat st;

	assert_int_equal(symlink("/tmp", rig->dir), 0);
	refuses(&r, ENOTDIR, "not a directory");
	assert_int_equal(unlink(rig->dir), 0);
	/* One that others may enter is made private. */
	assert_int_equal(mkdir(rig->dir, 0755), 0);
	turn_end(take(&r));
	assert_int_equal(stat(rig->dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	if (geteuid() != 0) {
		r.dir = "/usr";
		refuses(&r, EPERM, "belongs to user 0");
	}
	r.dir = "/nowhere/turns";
	refuses(&r, ENOENT, "/nowhere/turns");
	r = request(rig, "w");
	refuses(&r, EINVAL, "real path");
	r = request(rig, "/w");
	r.parent = "0123456789012345678901234567890123456789";
	refuses(&r, EINVAL, "not the id");
}

static void
there_is_an_end_to_how_many(void **state)
{
	struct rig *rig = *state;
	struct turn *turns[TURN_TICKETS];

	for (int i = 0; i < TURN_TICKETS; i++) {
		auto_free char *folder = str_printf("/w/%d", i);
		struct turn_request r = request(rig, folder);

		turns[i] = take(&r);
	}
	struct turn_request r = request(rig, "/v");

	refuses(&r, EBUSY, "let some end first");
	turn_end(turns[0]);
	turns[0] = take(&r);
	for (int i = 0; i < TURN_TICKETS; i++)
		turn_end(turns[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_lies_in_the_directory_stops_nobody),
		TEST(a_stranger_with_read_locks_stops_nobody),
		TEST(a_held_ticket_that_cannot_be_read_stands_in_the_way),
		TEST(a_directory_that_is_not_ones_own_is_refused),
		TEST(there_is_an_end_to_how_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
