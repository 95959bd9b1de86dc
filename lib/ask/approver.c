/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the word after --ask into an approver. The word comes from the
 * person's command line or settings; what is not understood is an error,
 * never a default that answers. */

#include <stdlib.h>

#include "ask/approver.h"
#include "ask/question-copy.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct maker {
	const char *name; /* with a colon at its end: the rest is an argument */
	int (*create)(const char *argument, const char *const *writable, size_t n,
		struct ambit_approver **ret_approver, struct ambit_error *err);
	const char *text;
};

static int
make_tty(const char *argument, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err)
{
	(void)argument, (void)writable, (void)n;
	return tty_create(ret_approver, err);
}

static int
make_deny(const char *argument, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err)
{
	(void)argument, (void)writable, (void)n;
	return fixed_create("deny", AMBIT_NO, QUESTION_NOBODY, ret_approver, err);
}

static int
make_allow(const char *argument, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err)
{
	(void)argument, (void)writable, (void)n;
	return fixed_create("allow", AMBIT_ONCE, "", ret_approver, err);
}

static const struct maker makers[] = {
	{
		.name = "tty",
		.create = make_tty,
		.text = "tty: the person at the terminal",
	},
	{
		.name = "deny",
		.create = make_deny,
		.text = "deny: always no",
	},
	{
		.name = "allow",
		.create = make_allow,
		.text = "allow: always yes, once",
	},
	{
		.name = "exec:",
		.create = exec_create,
		.text = "exec:PROG: a program of the person's",
	},
};

#define MAKERS_N (sizeof(makers) / sizeof(makers[0]))

static const char *
find_spec_argument(const struct maker *maker, const char *spec)
{
	size_t len = strlen(maker->name);

	if (maker->name[len - 1] == ':')
		return str_prefix(spec, maker->name) ? spec + len : NULL;
	return streq(spec, maker->name) ? spec + len : NULL;
}

static int
report_unknown_spec(const char *spec, struct ambit_error *err)
{
	auto_buf struct buf known = { 0 };

	for (size_t i = 0; i < MAKERS_N; i++)
		buf_printf(&known, "%s%s", i > 0 ? "; " : "", makers[i].text);
	return err_set(err, EINVAL, "'%s' is none of: %s", spec, known.data ? known.data : "");
}

int
ambit_approver_create(const char *spec, const char *const *writable, size_t n,
	struct ambit_approver **ret_approver, struct ambit_error *err)
{
	for (size_t i = 0; i < MAKERS_N; i++) {
		const char *argument = find_spec_argument(&makers[i], spec);

		if (argument)
			return makers[i].create(argument, writable, n, ret_approver, err);
	}
	return report_unknown_spec(spec, err);
}

void
ambit_approver_destroy(struct ambit_approver *approver)
{
	if (approver)
		approver->destroy(approver);
}

const char *
choice_folder(const struct ambit_choice *choice)
{
	bool picks = choice->kind == AMBIT_FOLDER || choice->kind == AMBIT_ALWAYS;

	return picks ? choice->path : NULL;
}

int
answer_choose(
	const struct ambit_choice *choice, struct ambit_answer *ret_answer, struct ambit_error *err)
{
	const char *folder = choice_folder(choice);
	size_t len = folder ? strlen(folder) : 0;

	if (len >= sizeof(ret_answer->path))
		return err_set(err, ENAMETOOLONG, "the folder's path is too long to be answered");
	memcpy(ret_answer->path, folder ? folder : "", len);
	ret_answer->path[len] = '\0';
	ret_answer->kind = choice->kind;
	return 0;
}
