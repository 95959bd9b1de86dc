/* SPDX-License-Identifier: Apache-2.0 */
/* The table of system calls as a BPF program. It is written from its end to
 * its beginning: BPF jumps only forward, so every target stands already when
 * something jumps to it, and a distance is never guessed. Trusts the table
 * alone; what the table does not say is refused. */

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "line/filter/filter-rules.h"
#include "line/filter/syscall.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "no filter for this architecture"
#endif

#define NEAR 254   /* of 255 that a jump can skip: one may still come between */
#define MOST 1024  /* instructions; today's table needs 410 */
#define RETURNS 16 /* kinds of return */

/* A label is how many instructions there are from its target to the end;
 * 0 is none. */
struct program {
	const struct filter_options *options;
	struct sock_filter code[MOST];
	uint16_t nearest[MOST + 1]; /* the last stand-in of a label that was too far */
	size_t n;
	bool full;
	size_t returns[RETURNS]; /* labels: one return of each kind is enough */
	size_t n_returns;
};

/* A run of numbers, from here to the next range, with the same label. */
struct range {
	uint32_t from;
	size_t label;
};

static struct sock_filter *
get_instruction(struct program *p, size_t label)
{
	return &p->code[MOST - label];
}

static size_t
add_instruction(struct program *p, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (p->n == MOST) {
		p->full = true;
		return p->n;
	}
	p->n++;
	*get_instruction(p, p->n) =
		(struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = k };
	return p->n;
}

/* The label, or if it is too far for a byte a stand-in: a copy if it returns,
 * else a long jump. */
static size_t
within_reach(struct program *p, size_t label)
{
	size_t l = p->nearest[label] != 0 ? p->nearest[label] : label;
	struct sock_filter target = *get_instruction(p, l);

	if (p->n - l <= NEAR)
		return l;
	if (BPF_CLASS(target.code) == BPF_RET)
		l = add_instruction(p, target.code, target.k, 0, 0);
	else
		l = add_instruction(p, BPF_JMP | BPF_JA, (uint32_t)(p->n - label), 0, 0);
	p->nearest[label] = (uint16_t)l;
	return l;
}

/* Both ways are said: nothing falls through. */
static size_t
add_cond_jump(struct program *p, uint16_t compare, uint32_t k, size_t yes, size_t no)
{
	yes = within_reach(p, yes);
	no = within_reach(p, no);
	return add_instruction(
		p, BPF_JMP | compare | BPF_K, k, (uint8_t)(p->n - yes), (uint8_t)(p->n - no));
}

static size_t
add_word_load(struct program *p, size_t offset)
{
	return add_instruction(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* An error that was forgotten must not become the success that errno 0 would
 * be. */
static size_t
get_return_label(struct program *p, enum sys_do what, int error)
{
	uint32_t k = SECCOMP_RET_ERRNO | (uint32_t)(error > 0 ? error : EPERM);

	if (what == SYS_FREE)
		k = SECCOMP_RET_ALLOW;
	else if (what == SYS_NOTIFY)
		k = p->options->notify ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO | EACCES;
	for (size_t i = 0; i < p->n_returns; i++)
		if (get_instruction(p, p->returns[i])->k == k)
			return p->returns[i];
	if (p->n_returns == RETURNS) {
		p->full = true;
		return p->returns[0];
	}
	p->returns[p->n_returns++] = add_instruction(p, BPF_RET | BPF_K, k, 0, 0);
	return p->returns[p->n_returns - 1];
}

/* Goes on at yes if the condition holds, else at no. */
static size_t
add_condition(struct program *p, const struct filter_condition *c, size_t yes, size_t no)
{
	size_t offset = offsetof(struct seccomp_data, args) + c->arg * sizeof(uint64_t);

	if (c->compare == COMPARE_ANY) {
		add_cond_jump(p, BPF_JSET, c->mask, yes, no);
	} else {
		add_cond_jump(p, BPF_JEQ, c->value, yes, no);
		if (c->mask != UINT32_MAX)
			add_instruction(p, BPF_ALU | BPF_AND | BPF_K, c->mask, 0, 0);
	}
	return add_word_load(p, offset + (c->high ? sizeof(uint32_t) : 0));
}

/* A test without rules refuses. */
static size_t
add_row_test(struct program *p, const struct sys_row *row)
{
	size_t n = 0;
	const struct filter_rule *rules = filter_rules((enum sys_test)row->test, &n);
	size_t next = get_return_label(p, SYS_REFUSE, ENOSYS);

	for (size_t i = n; i-- > 0;) {
		const struct filter_rule *rule = &rules[i];
		size_t label;

		if (rule->below != 0 && p->options->abi >= rule->below)
			continue;
		label = get_return_label(
			p, rule->what, rule->error != 0 ? rule->error : row->error);
		for (size_t c = FILTER_CONDITIONS; c-- > 0;)
			if (rule->all[c].compare != COMPARE_END)
				label = add_condition(p, &rule->all[c], label, next);
		next = label;
	}
	return next;
}

static size_t
row_label(struct program *p, const struct sys_row *row)
{
	if (row == NULL)
		return get_return_label(p, SYS_REFUSE, ENOSYS);
	if (row->what == SYS_TEST)
		return add_row_test(p, row);
	return get_return_label(p, row->what, row->error);
}

/* Halves the ranges until one is left. */
static size_t
add_range_search(struct program *p, const struct range *ranges, size_t n)
{
	size_t left, right;

	if (n == 1)
		return ranges[0].label;
	right = add_range_search(p, ranges + n / 2, n - n / 2);
	left = add_range_search(p, ranges, n / 2);
	return add_cond_jump(p, BPF_JGE, ranges[n / 2].from, right, left);
}

/* Numbers from SYS_NUMBERS on, among them those of x32, have no row. */
static void
write_program(struct program *p)
{
	struct range ranges[SYS_NUMBERS + 1];
	size_t n = 0, found;

	for (uint32_t nr = 0; nr <= SYS_NUMBERS; nr++) {
		size_t label = row_label(p, sys_find((int)nr));

		if (n == 0 || ranges[n - 1].label != label)
			ranges[n++] = (struct range){ nr, label };
	}
	found = add_range_search(p, ranges, n);
	/* A load goes on at the instruction behind it, wherever the search begins. */
	if (found != p->n)
		add_instruction(p, BPF_JMP | BPF_JA, (uint32_t)(p->n - found), 0, 0);
	found = add_word_load(p, offsetof(struct seccomp_data, nr));
	add_cond_jump(p, BPF_JEQ, ARCH, found, get_return_label(p, SYS_REFUSE, ENOSYS));
	add_word_load(p, offsetof(struct seccomp_data, arch));
}

int
filter_create(const struct filter_options *options, struct sock_filter **ret_program, size_t *ret_n)
{
	auto_free struct program *p = calloc(1, sizeof(*p));
	struct sock_filter *code;

	if (p == NULL)
		return -ENOMEM;
	p->options = options;
	write_program(p);
	if (p->full)
		return -E2BIG;
	code = malloc(p->n * sizeof(*code));
	if (code == NULL)
		return -ENOMEM;
	memcpy(code, get_instruction(p, p->n), p->n * sizeof(*code));
	*ret_program = code;
	*ret_n = p->n;
	return 0;
}
