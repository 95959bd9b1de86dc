/* SPDX-License-Identifier: Apache-2.0 */
/* Tickets: from a request to a file with a number, and from the files to who waits for
 * whom. A ticket lives as long as somebody holds its lock. That is a write lock, and
 * who lives is told by write locks alone: whatever runs behind the line may read these
 * files, and could keep a dead ticket alive with a lock of the kind that readers get.
 * Trusts whoever can write the directory; what cannot be understood there and is held
 * stands in everybody's way. */

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "agents/turn-private.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "record/lock.h"

#define DIGITS 16
#define LETTERS 8
#define TEXT_MAX 65536
_Static_assert(DIGITS + 1 + LETTERS < TURN_ID, "an id holds a name");
/* Where the mark is in the text: one byte, so that it is never half written. */
#define RUNNING "{\"running\":"

static bool
is_ticket(const char *name, uint64_t *ret_number)
{
	if (strspn(name, "0123456789") != DIGITS || name[DIGITS] != '-' ||
		strspn(name + DIGITS + 1, HASH_LETTERS) != LETTERS ||
		name[DIGITS + 1 + LETTERS] != '\0')
		return false;
	*ret_number = strtoull(name, NULL, 10);
	return *ret_number < NUMBER_MAX;
}

/* -- writing -------------------------------------------------------------------- */

static char *
text_of(const struct turn_request *request)
{
	/* Always escaped, so that what lies beneath another does so in this form, too. */
	auto_free char *folder = str_escape(request->folder, strlen(request->folder));
	auto_json json_t *object = json_object();
	auto_free char *line = NULL;

	if (!folder || json_object_set_new(object, "folder", json_string(folder)) < 0 ||
		json_set_text(object, "parent", request->parent) < 0 ||
		json_set_text(object, "who", request->who) < 0)
		return NULL;
	line = json_line(object);
	return line ? str_printf(RUNNING "0,%s\n", line + 1) : NULL;
}

static int
write_ticket(int fd, const struct turn_request *request)
{
	auto_free char *text = text_of(request);
	int r;

	if (!text)
		return -ENOMEM;
	r = lock_bytes(fd, 0, 1, F_WRLCK);
	if (r == 0)
		r = fd_write_all(fd, text, strlen(text));
	/* Until here nobody could open it, and sit on it with a lock of his own. */
	if (r == 0 && fchmod(fd, 0600) < 0)
		r = -errno;
	return r;
}

int
ticket_create(int dir, const struct turn_request *request, uint64_t number, char ret_id[TURN_ID],
	struct ambit_error *err)
{
	char random[LETTERS + 1], id[TURN_ID];
	int r;

	hash_random_name(random, LETTERS);
	snprintf(id, sizeof(id), "%0*" PRIu64 "-%s", DIGITS, number, random);
	auto_close int fd =
		openat(dir, id, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0000);

	if (fd < 0)
		return err_sys(err, errno, "%s/%s", request->dir, id);
	r = write_ticket(fd, request);
	if (r < 0) {
		unlinkat(dir, id, 0);
		return err_sys(err, -r, "%s/%s", request->dir, id);
	}
	memcpy(ret_id, id, sizeof(id));
	return steal_fd(&fd);
}

int
ticket_mark_running(int fd, struct ambit_error *err)
{
	if (pwrite(fd, "1", 1, strlen(RUNNING)) != 1)
		return err_sys(err, errno, "a ticket cannot be marked as running");
	return 0;
}

/* -- reading -------------------------------------------------------------------- */

static void
ticket_finish(struct ticket *ticket)
{
	free(ticket->folder);
	free(ticket->parent);
	free(ticket->who);
}

void
tickets_finish(struct tickets *tickets)
{
	for (size_t i = 0; i < tickets->n; i++)
		ticket_finish(&tickets->all[i]);
	free(tickets->all);
	*tickets = (struct tickets){ 0 };
}

/* Only a file of the user's own is taken away: what else has such a name was put
 * there by hand. */
static void
remove_dead(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		st.st_uid == geteuid())
		unlinkat(dir, name, 0);
}

static void
parse_ticket(struct ticket *ticket, const char *text, size_t len)
{
	auto_json json_t *root = NULL;
	const char *folder = NULL, *parent = NULL, *who = NULL;
	int running = 0;

	ticket->odd = true;
	if (json_parse(text, len, &root, NULL) < 0 ||
		json_unpack(root, "{s:s, s:s, s:s, s:i}", "folder", &folder, "parent", &parent,
			"who", &who, "running", &running) < 0)
		return;
	ticket->folder = str_dup(folder);
	ticket->parent = str_dup(parent);
	ticket->who = str_dup(who);
	ticket->running = running != 0;
	ticket->odd = !ticket->folder || !ticket->parent || !ticket->who;
}

/* 1: it is held; 0: nobody holds it. */
static int
read_ticket(int dir, const char *name, struct ticket *ticket)
{
	/* Whoever makes one has the directory's lock until it can be opened. */
	auto_close int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_free char *text = NULL;
	struct stat st;
	size_t len = 0;

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -errno : 0;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !lock_written(fd, 0, 1))
		return 0;
	ticket->odd = true;
	if (fd_read_open(fd, TEXT_MAX, &text, &len) == 0)
		parse_ticket(ticket, text, len);
	memcpy(ticket->id, name, DIGITS + 1 + LETTERS + 1); /* see is_ticket */
	return 1;
}

bool
ticket_is_held(int dir, const char *id)
{
	auto_close int fd = openat(dir, id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	/* What cannot be told now is told by the next look. */
	return fd < 0 ? errno != ENOENT : lock_written(fd, 0, 1);
}

static int
append_ticket(struct tickets *tickets, const struct ticket *ticket)
{
	struct ticket *bigger;

	if (tickets->n >= TURN_TICKETS)
		return -EBUSY;
	bigger = realloc(tickets->all, (tickets->n + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	tickets->all = bigger;
	tickets->all[tickets->n++] = *ticket;
	return 0;
}

static int
read_name(int dir, const char *name, struct tickets *tickets)
{
	struct ticket ticket = { 0 };
	int r;

	if (!is_ticket(name, &ticket.number))
		return 0;
	if (ticket.number > tickets->last)
		tickets->last = ticket.number;
	r = read_ticket(dir, name, &ticket);
	if (r == 0)
		remove_dead(dir, name);
	if (r <= 0)
		return r;
	r = append_ticket(tickets, &ticket);
	if (r < 0)
		ticket_finish(&ticket);
	return r;
}

static int
by_number(const void *a, const void *b)
{
	const struct ticket *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->id, y->id);
}

static int
read_names(int dir, DIR *names, struct tickets *tickets)
{
	struct dirent *entry;
	int r = 0;

	while (r == 0 && (errno = 0, entry = readdir(names)))
		r = read_name(dir, entry->d_name, tickets);
	return r == 0 && errno != 0 ? -errno : r;
}

int
tickets_read(int dir, struct tickets *tickets, struct ambit_error *err)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = fd >= 0 ? fdopendir(fd) : NULL;
	int r;

	*tickets = (struct tickets){ 0 };
	if (!names) {
		r = err_sys(err, errno, "the directory of turns");
		if (fd >= 0)
			close(fd);
		return r;
	}
	r = read_names(dir, names, tickets);
	closedir(names);
	if (r < 0)
		tickets_finish(tickets);
	if (r == -EBUSY)
		return err_set(err, EBUSY, "%d agents run or wait already: let some end first",
			TURN_TICKETS);
	if (r < 0)
		return err_sys(err, -r, "the directory of turns");
	if (tickets->n > 1)
		qsort(tickets->all, tickets->n, sizeof(*tickets->all), by_number);
	return 0;
}

/* -- who waits for whom ---------------------------------------------------------- */

/* Only those with the same parent. Whoever runs within another's turn is held against
 * all others by that one's folder; and who waits for that one to end would wait for
 * himself. */
static bool
is_sibling_ticket(const struct ticket *a, const struct ticket *b)
{
	return a->odd || b->odd || streq(a->parent, b->parent);
}

static bool
has_folder_overlap(const struct ticket *a, const struct ticket *b)
{
	return a->odd || b->odd || str_beneath(a->folder, b->folder) ||
	       str_beneath(b->folder, a->folder);
}

static bool
is_in_the_way(const struct ticket *earlier, const struct ticket *one)
{
	return is_sibling_ticket(earlier, one) && has_folder_overlap(earlier, one);
}

/* The first before the i-th whose folder it needs. */
static const struct ticket *
first_in_the_way(const struct tickets *tickets, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_in_the_way(&tickets->all[k], &tickets->all[i]))
			return &tickets->all[k];
	return NULL;
}

static const struct ticket *
find_last_blocker(const struct tickets *tickets, size_t i)
{
	for (size_t k = i; k > 0; k--)
		if (is_in_the_way(&tickets->all[k - 1], &tickets->all[i]))
			return &tickets->all[k - 1];
	return NULL;
}

/* Who takes a place of those that may run at once before the i-th: whoever runs, and
 * who came earlier and waits for nothing but a place. */
static const struct ticket *
find_place_taker(const struct tickets *tickets, size_t i, size_t at_once)
{
	const struct ticket *first = NULL;
	size_t n = 0;

	for (size_t k = 0; k < tickets->n && n < at_once; k++) {
		const struct ticket *other = &tickets->all[k];

		if (k == i || !is_sibling_ticket(other, &tickets->all[i]))
			continue;
		if (!other->running && (k > i || first_in_the_way(tickets, k)))
			continue;
		first = first ? first : other;
		n++;
	}
	return n >= at_once ? first : NULL;
}

int
tickets_ahead(
	const struct tickets *tickets, const char *id, size_t at_once, struct ahead *ret_ahead)
{
	size_t i = 0;

	while (i < tickets->n && !streq(tickets->all[i].id, id))
		i++;
	if (i == tickets->n)
		return -ESTALE;
	*ret_ahead = (struct ahead){
		.first = first_in_the_way(tickets, i),
		.last = find_last_blocker(tickets, i),
	};
	if (!ret_ahead->first && at_once > 0) {
		ret_ahead->first = find_place_taker(tickets, i, at_once);
		ret_ahead->full = ret_ahead->first != NULL;
	}
	return 0;
}
