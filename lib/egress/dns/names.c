/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of name servers, the other way round: from an address to the names that
 * led to it. Only names that were allowed are ever asked for, so an address that
 * is in here is where an allowed name led; that it leads to nobody else, an address
 * cannot say, and the relay looks at what is said there. */

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/str.h"
#include "egress/dns/names.h"
#include "request/host.h"

#define BUCKETS 512
#define HOSTS "/etc/hosts"
#define HOSTS_MAX (4u << 20)
#define LOOKS_MAX 512
#define LOOK_MS 2000 /* from an answer to the look */

struct entry {
	struct entry *next;	     /* in its bucket: the newest first */
	struct entry *newer, *older; /* of all */
	bool v6;
	unsigned char ip[16];
	int64_t until;
	char name[];
};

struct look {
	pid_t pid;
	struct dns_address address;
	int64_t until;
};

/* Of /etc/hosts. */
struct row {
	struct dns_address address;
	char *name;
};

struct names {
	pthread_mutex_t lock;
	struct entry *bucket[BUCKETS];
	struct entry *newest, *oldest;
	size_t n;
	struct look look[LOOKS_MAX];
	size_t next_look;
	struct row *rows;
	size_t n_rows;
	struct stat hosts; /* as it was when they were read */
};

static size_t
ip_len(bool v6)
{
	return v6 ? 16 : 4;
}

static bool
has_same_address(const struct entry *entry, const struct dns_address *address)
{
	return entry->v6 == address->v6 && memcmp(entry->ip, address->ip, ip_len(entry->v6)) == 0;
}

static size_t
bucket_of(bool v6, const unsigned char *ip)
{
	return hash_fnv(HASH_FNV_START, ip, ip_len(v6)) % BUCKETS;
}

struct names *
names_create(void)
{
	struct names *names = calloc(1, sizeof(*names));

	if (names)
		pthread_mutex_init(&names->lock, NULL);
	return names;
}

/* -- the list ------------------------------------------------------------------------ */

static void
remove_name_entry(struct names *names, struct entry *entry)
{
	struct entry **at = &names->bucket[bucket_of(entry->v6, entry->ip)];

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	*(entry->newer ? &entry->newer->older : &names->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &names->oldest) = entry->newer;
	names->n--;
	free(entry);
}

static void
drop_rows(struct names *names)
{
	for (size_t i = 0; i < names->n_rows; i++)
		free(names->rows[i].name);
	free(names->rows);
	names->rows = NULL;
	names->n_rows = 0;
}

void
names_destroy(struct names *names)
{
	if (!names)
		return;
	while (names->oldest)
		remove_name_entry(names, names->oldest);
	drop_rows(names);
	pthread_mutex_destroy(&names->lock);
	free(names);
}

static struct entry *
find_name_entry(
	struct names *names, const struct dns_address *address, const char *name, int64_t now)
{
	struct entry *entry = names->bucket[bucket_of(address->v6, address->ip)];

	for (; entry; entry = entry->next)
		if (has_same_address(entry, address) && entry->until > now &&
			(!name || streq(entry->name, name)))
			return entry;
	return NULL;
}

/* By its text, so that there is one list of what is near. */
bool
names_near(const struct dns_address *address)
{
	char text[INET6_ADDRSTRLEN];

	return !inet_ntop(address->v6 ? AF_INET6 : AF_INET, address->ip, text, sizeof(text)) ||
	       host_is_local(text);
}

static int64_t
get_entry_lifetime(uint32_t ttl)
{
	uint32_t seconds = ttl < NAMES_TTL_MIN	 ? NAMES_TTL_MIN
			   : ttl > NAMES_TTL_MAX ? NAMES_TTL_MAX
						 : ttl;

	return (int64_t)(seconds + NAMES_GRACE) * 1000;
}

static void
add_name_entry(
	struct names *names, const char *name, const struct dns_address *address, int64_t now)
{
	size_t len = strlen(name) + 1, at = bucket_of(address->v6, address->ip);
	struct entry *entry = find_name_entry(names, address, name, now);
	int64_t until = now + get_entry_lifetime(address->ttl);

	if (entry && entry->until > until)
		until = entry->until;
	if (entry)
		remove_name_entry(names, entry); /* and in again, as the newest */
	entry = calloc(1, sizeof(*entry) + len);
	if (!entry)
		return;
	*entry = (struct entry){
		.next = names->bucket[at],
		.older = names->newest,
		.v6 = address->v6,
		.until = until,
	};
	memcpy(entry->ip, address->ip, ip_len(address->v6));
	memcpy(entry->name, name, len);
	names->bucket[at] = entry;
	*(names->newest ? &names->newest->newer : &names->oldest) = entry;
	names->newest = entry;
	if (++names->n > NAMES_MAX)
		remove_name_entry(names, names->oldest);
}

void
names_fold(struct dns_address *address)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!address->v6 || memcmp(address->ip, mapped, sizeof(mapped)) != 0)
		return;
	memmove(address->ip, address->ip + 12, 4);
	memset(address->ip + 4, 0, 12);
	address->v6 = false;
}

void
names_add(struct names *names, const char *name, const struct dns_address *list, size_t n,
	int64_t now)
{
	pthread_mutex_lock(&names->lock);
	for (size_t i = 0; i < n; i++) {
		struct dns_address address = list[i];

		names_fold(&address);
		if (!names_near(&address))
			add_name_entry(names, name, &address, now);
	}
	pthread_mutex_unlock(&names->lock);
}

/* -- /etc/hosts ---------------------------------------------------------------------- */

/* The C library reads that file by itself: no name server hears of what is in it. */

static bool
parse_ip(const char *text, struct dns_address *ret)
{
	*ret = (struct dns_address){ 0 };
	if (inet_pton(AF_INET, text, ret->ip) == 1)
		return true;
	ret->v6 = true;
	if (inet_pton(AF_INET6, text, ret->ip) != 1)
		return false;
	names_fold(ret);
	return true;
}

/* One line, which is cut up: each of its names. False: that is enough. */
static bool
take_line(char *line, bool (*each)(void *data, const struct dns_address *address, const char *name),
	void *data)
{
	struct dns_address address;
	char *rest = line, *word;

	line[strcspn(line, "#\r")] = '\0';
	word = strsep(&rest, " \t");
	if (!word || !parse_ip(word, &address))
		return true;
	while ((word = strsep(&rest, " \t")) != NULL) {
		auto_free char *name = NULL;
		int port;

		if (*word && host_parse(word, &name, &port) == 0 && strlen(name) < DNS_NAME_MAX &&
			!each(data, &address, name))
			return false;
	}
	return true;
}

static void
read_hosts(
	bool (*each)(void *data, const struct dns_address *address, const char *name), void *data)
{
	auto_free char *text = NULL;
	char *rest, *line;
	size_t len;

	if (fd_read_file(AT_FDCWD, HOSTS, HOSTS_MAX, &text, &len) < 0)
		return;
	rest = text;
	while ((line = strsep(&rest, "\n")) != NULL)
		if (!take_line(line, each, data))
			return;
}

struct wanted {
	const char *name;
	struct dns_address *list;
	size_t n, max;
};

static bool
take_wanted(void *data, const struct dns_address *address, const char *name)
{
	struct wanted *wanted = data;

	if (wanted->n < wanted->max && streq(name, wanted->name))
		wanted->list[wanted->n++] = *address;
	return wanted->n < wanted->max;
}

size_t
names_hosts(const char *name, struct dns_address *list, size_t max)
{
	struct wanted wanted = { .name = name, .list = list, .max = max };

	read_hosts(take_wanted, &wanted);
	return wanted.n;
}

/* Those of other machines are kept, until the file changes. Lists of thousands that
 * lead nowhere are all near, and are not. */
static bool
take_row(void *data, const struct dns_address *address, const char *name)
{
	struct names *names = data;
	struct row *more;

	if (names_near(address))
		return true;
	more = realloc(names->rows, (names->n_rows + 1) * sizeof(*more));
	if (!more)
		return false;
	names->rows = more;
	more[names->n_rows].address = *address;
	more[names->n_rows].name = strdup(name);
	names->n_rows += more[names->n_rows].name != NULL;
	return names->n_rows < NAMES_MAX;
}

/* With the lock. */
static void
refresh_rows(struct names *names)
{
	struct stat st = { 0 };

	if (stat(HOSTS, &st) < 0)
		st = (struct stat){ 0 };
	if (st.st_ino == names->hosts.st_ino && st.st_dev == names->hosts.st_dev &&
		st.st_size == names->hosts.st_size &&
		st.st_mtim.tv_sec == names->hosts.st_mtim.tv_sec &&
		st.st_mtim.tv_nsec == names->hosts.st_mtim.tv_nsec)
		return;
	names->hosts = st;
	drop_rows(names);
	read_hosts(take_row, names);
}

/* -- asking -------------------------------------------------------------------------- */

size_t
names_list(struct names *names, const struct dns_address *address, int64_t now,
	char (*ret_names)[DNS_NAME_MAX], size_t max)
{
	const struct entry *entry;
	size_t n = 0;

	pthread_mutex_lock(&names->lock);
	entry = names->bucket[bucket_of(address->v6, address->ip)];
	for (; entry && n < max; entry = entry->next)
		if (has_same_address(entry, address) && entry->until > now)
			memcpy(ret_names[n++], entry->name, strlen(entry->name) + 1);
	refresh_rows(names);
	for (size_t i = 0; i < names->n_rows && n < max; i++)
		if (names->rows[i].address.v6 == address->v6 &&
			memcmp(names->rows[i].address.ip, address->ip, ip_len(address->v6)) == 0)
			memcpy(ret_names[n++], names->rows[i].name,
				strlen(names->rows[i].name) + 1);
	pthread_mutex_unlock(&names->lock);
	return n;
}

bool
names_find(struct names *names, const struct dns_address *address, int64_t now,
	char ret_name[DNS_NAME_MAX])
{
	return names_list(names, address, now, (char(*)[DNS_NAME_MAX])ret_name, 1) > 0;
}

size_t
names_addresses(
	struct names *names, const char *name, int64_t now, struct dns_address *list, size_t max)
{
	size_t n = 0;

	pthread_mutex_lock(&names->lock);
	for (const struct entry *entry = names->newest; entry && n < max; entry = entry->older)
		if (entry->until > now && streq(entry->name, name)) {
			list[n] = (struct dns_address){ .v6 = entry->v6 };
			memcpy(list[n++].ip, entry->ip, ip_len(entry->v6));
		}
	pthread_mutex_unlock(&names->lock);
	return n;
}

bool
names_has(struct names *names, const char *name, const struct dns_address *address, int64_t now)
{
	struct dns_address list[DNS_ADDRESSES_MAX];
	bool found;
	size_t n;

	pthread_mutex_lock(&names->lock);
	found = find_name_entry(names, address, name, now) != NULL;
	pthread_mutex_unlock(&names->lock);
	n = found ? 0 : names_hosts(name, list, DNS_ADDRESSES_MAX);
	for (size_t i = 0; i < n && !found; i++)
		found = list[i].v6 == address->v6 &&
			memcmp(list[i].ip, address->ip, ip_len(address->v6)) == 0;
	return found;
}

/* -- looking without going ------------------------------------------------------------- */

void
names_expect(struct names *names, pid_t pid, const struct dns_address *list, size_t n, int64_t now)
{
	pthread_mutex_lock(&names->lock);
	for (size_t i = 0; i < n; i++) {
		names->look[names->next_look++ % LOOKS_MAX] = (struct look){
			.pid = pid,
			.address = list[i],
			.until = now + LOOK_MS,
		};
	}
	pthread_mutex_unlock(&names->lock);
}

bool
names_look(struct names *names, pid_t pid, const struct dns_address *address, int64_t now)
{
	bool found = false;

	pthread_mutex_lock(&names->lock);
	for (size_t i = 0; i < LOOKS_MAX && !found; i++) {
		struct look *look = &names->look[i];

		found = look->pid == pid && look->until > now && look->address.v6 == address->v6 &&
			memcmp(look->address.ip, address->ip, ip_len(address->v6)) == 0;
		if (found)
			*look = (struct look){ 0 };
	}
	pthread_mutex_unlock(&names->lock);
	return found;
}
