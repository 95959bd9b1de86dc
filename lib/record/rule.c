/* SPDX-License-Identifier: Apache-2.0 */
/* A rule as a value: released, and told in one line. The line is what a
 * person reads before saying yes for good, so it names everything that
 * bounds the rule, and nothing in a path can change how it reads. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/own.h"
#include "base/str.h"
#include "record/redact/redact.h"

#include <ambit/rule.h>

void
ambit_rule_finish(struct ambit_rule *rule)
{
	if (!rule)
		return;
	free(rule->subject);
	free(rule->label);
	free(rule->session);
	free(rule->project);
	free(rule->message);
	free(rule->source);
	*rule = (struct ambit_rule){ 0 };
}

static void
put_escaped(struct buf *buf, const char *text)
{
	auto_free char *clean = redact_text(text, strlen(text));
	auto_free char *shown = clean ? str_escape(clean, strlen(clean)) : NULL;

	if (shown)
		buf_puts(buf, shown);
	else
		buf->failed = true;
}

static void
put_time(struct buf *buf, int64_t ms)
{
	time_t seconds = (time_t)(ms / 1000);
	char text[64];
	struct tm tm;

	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm) > 0)
		buf_printf(buf, ", until %s", text);
	else
		buf_puts(buf, ", until a time that cannot be shown");
}

/* "cmd:" stands for every command that begins so, the other two for one act
 * by its digest. A person must see which before saying yes: the label is the
 * same for all of them. */
#define DIGEST_SHOWN 8

static void
put_exact(struct buf *buf, const struct ambit_rule *rule)
{
	const char *digest = strrchr(rule->subject, ':') + 1;

	if (rule->label && rule->label[0] != '\0') {
		buf_puts(buf, "exactly: ");
		put_escaped(buf, rule->label);
		return;
	}
	if (str_prefix(rule->subject, "exact:")) {
		buf_puts(buf, "exactly one command");
	} else {
		auto_free char *tool = strndup(
			rule->subject + 5, strcspn(rule->subject + 5, ":")); /* call:TOOL:digest */

		buf_puts(buf, "exactly one call of ");
		put_escaped(buf, tool ? tool : "");
		buf->failed = buf->failed || !tool;
	}
	auto_free char *few = strndup(digest, DIGEST_SHOWN);

	buf_puts(buf, " (sha256 ");
	put_escaped(buf, few ? few : "");
	buf_puts(buf, strlen(digest) > DIGEST_SHOWN ? "...)" : ")");
}

static bool
put_call(struct buf *buf, const struct ambit_rule *rule)
{
	const char *key = rule->subject;

	if (rule->op != AMBIT_OP_CALL || !key)
		return false;
	if (str_prefix(key, "exact:") || str_prefix(key, "call:")) {
		put_exact(buf, rule);
		return true;
	}
	if (!str_prefix(key, "cmd:"))
		return false;
	buf_puts(buf, "commands '");
	put_escaped(buf, key + 4);
	buf_puts(buf, " ...' (");
	put_escaped(buf, key);
	buf_puts(buf, ")");
	return true;
}

static void
put_what(struct buf *buf, const struct ambit_rule *rule)
{
	const char *what = rule->label ? rule->label : rule->subject;

	if (!rule->yes)
		buf_puts(buf, "no ");
	if (put_call(buf, rule))
		return;
	buf_printf(buf, "%s %s", ambit_word_name(ambit_ops, (int)rule->op),
		rule->beneath ? "beneath " : "");
	put_escaped(buf, what ? what : "");
	buf_puts(buf, rule->names ? "*" : "");
}

char *
ambit_rule_text(const struct ambit_rule *rule)
{
	struct buf buf = { 0 };

	put_what(&buf, rule);
	if (rule->session) {
		buf_puts(&buf, ", this session");
	} else if (rule->project) {
		buf_puts(&buf, ", always in ");
		put_escaped(&buf, rule->project);
	} else {
		buf_puts(&buf, ", always and everywhere");
	}
	if (rule->pid > 0)
		buf_printf(&buf, ", for process %ld until it exits", (long)rule->pid);
	if (rule->expires)
		put_time(&buf, rule->expires);
	return buf_take(&buf);
}
