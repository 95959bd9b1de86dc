/* SPDX-License-Identifier: Apache-2.0 */
/* A rule as a value: released, and told in one line. The line is what a
 * person reads before saying yes for good, so it names everything that
 * bounds the rule, and nothing in a path can change how it reads. */

#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/str.h"
#include "record/redact.h"

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

char *
ambit_rule_text(const struct ambit_rule *rule)
{
	const char *what = rule->label ? rule->label : rule->subject;
	struct buf buf = { 0 };

	buf_printf(&buf, "%s%s %s", rule->yes ? "" : "no ",
		ambit_word_name(ambit_ops, (int)rule->op), rule->beneath ? "beneath " : "");
	put_escaped(&buf, what ? what : "");
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
