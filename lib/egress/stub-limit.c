/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of questions for names, all of it bounded. */

#include <string.h>

#include "base/hash.h"
#include "base/program.h"
#include "base/str.h"
#include "egress/dns/resolv.h"
#include "egress/stub-private.h"

#define SAY_AGAIN_MS 10000
#define TOLD_MS 2000
#define REFUSED_MS 5000 /* as long as the C library waits for a name server */

/* -- how many names ----------------------------------------------------------------------- */

static bool
take_bucket_token(
	struct bucket *bucket, double burst, double per_second, int64_t now, bool *ret_first)
{
	bucket->left += bucket->at == 0 ? burst : (double)(now - bucket->at) * per_second / 1000;
	bucket->at = now;
	if (bucket->left > burst)
		bucket->left = burst;
	*ret_first = bucket->left < 1 && (bucket->said == 0 || now - bucket->said >= SAY_AGAIN_MS);
	if (*ret_first)
		bucket->said = now;
	if (bucket->left < 1)
		return false;
	bucket->left -= 1;
	return true;
}

bool
own_allows(struct bucket *own, int64_t now, bool *ret_first)
{
	return take_bucket_token(own, OWN_BURST, OWN_PER_SECOND, now, ret_first);
}

static uint64_t
hash_dns_name(const char *name)
{
	uint64_t h = hash_fnv_text(HASH_FNV_START, name);

	return h ? h : 1;
}

/* A name that was looked up before carries nothing new. Two names in one slot push
 * each other out, and are counted more often than they should be: never less. */
bool
flood_allows(struct flood *flood, const char *name, int64_t now, bool *ret_first)
{
	uint64_t h = hash_dns_name(name), *slot = &flood->seen[h % FLOOD_SLOTS];

	*ret_first = false;
	if (*slot == h)
		return true;
	if (!take_bucket_token(&flood->bucket, FLOOD_BURST, FLOOD_PER_SECOND, now, ret_first))
		return false;
	*slot = h;
	return true;
}

/* -- what was refused ----------------------------------------------------------------------- */

void
refused_add(struct refused *refused, const struct egress_who *who, const char *name, int64_t now)
{
	size_t at = refused->next++ % REFUSED_MAX;

	refused->list[at].who = *who;
	refused->list[at].at = now;
	memcpy(refused->list[at].name, name, strlen(name) + 1);
}

bool
refused_has(
	const struct refused *refused, const struct egress_who *who, const char *name, int64_t now)
{
	size_t n = refused->next < REFUSED_MAX ? refused->next : REFUSED_MAX;

	for (size_t i = 0; i < n; i++)
		if (refused->list[i].who.pid == who->pid &&
			refused->list[i].who.start == who->start &&
			now - refused->list[i].at < REFUSED_MS &&
			(streq(name, refused->list[i].name) ||
				resolv_completes(refused->list[i].name,
					strlen(refused->list[i].name), name)))
			return true;
	return false;
}

/* -- what was told ----------------------------------------------------------------------------- */

void
told_add(struct told *told, struct names *names, pid_t pid, const char *name,
	const struct dns_answer *answer)
{
	const size_t room = sizeof(told->list[0].address) / sizeof(told->list[0].address[0]);
	int64_t now = clock_steady();
	size_t at = TOLD_MAX;

	for (size_t i = 0; i < TOLD_MAX; i++)
		if (told->list[i].pid == pid && now - told->list[i].at < TOLD_MS &&
			streq(told->list[i].name, name))
			at = i;
	if (at == TOLD_MAX) {
		at = told->next++ % TOLD_MAX;
		told->list[at].n = 0;
		told->list[at].pid = pid;
		memcpy(told->list[at].name, name, strlen(name) + 1);
	}
	told->list[at].at = now;
	for (size_t i = 0; i < answer->n && told->list[at].n < room; i++)
		told->list[at].address[told->list[at].n++] = answer->address[i];
	if (told->list[at].n < 2)
		return; /* of one there is nothing to choose */
	names_expect(names, pid, told->list[at].address, told->list[at].n, now);
	told->list[at].pid = 0;
}

/* -- what was answered
 * ----------------------------------------------------------------------------- */

bool
answered_before(struct answered *answered, pid_t pid, uint16_t port, const struct dns_query *query,
	int64_t now)
{
	uint64_t what = hash_dns_name(query->name) ^ query->type;

	for (size_t i = 0; i < ANSWERED_MAX; i++)
		if (answered->list[i].at != 0 && answered->list[i].pid == pid &&
			answered->list[i].id == query->id && answered->list[i].what == what)
			return now - answered->list[i].at >=
			       (answered->list[i].port == port ? AGAIN_MS : AGAIN_ELSEWHERE_MS);
	answered->list[answered->next].pid = pid;
	answered->list[answered->next].port = port;
	answered->list[answered->next].id = query->id;
	answered->list[answered->next].what = what;
	answered->list[answered->next].at = now;
	answered->next = (answered->next + 1) % ANSWERED_MAX;
	return false;
}
