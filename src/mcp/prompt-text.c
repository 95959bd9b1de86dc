/* SPDX-License-Identifier: Apache-2.0 */
/* What holds in this session, as text: modes, permissions, the line. The engine and the
 * record say it; names of files and hosts in it are escaped, and those of what was
 * refused, which whoever was refused has chosen, stand between marks. */

#include <stdlib.h>
#include <string.h>

#include <ambit/label.h>
#include <ambit/tool.h>

#include "prompt.h"

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"

#define REFUSED_SHOWN 10
#define SUBJECT_SHOWN 200

static void
put_text(struct buf *out, const char *text)
{
	auto_free char *shown = str_escape(text, strlen(text));

	buf_puts(out, shown != NULL ? shown : "?");
}

/* -- modes and permissions ------------------------------------------------------------ */

static void
put_mode(const struct prompt_view *view, const struct stored_mode *mode, struct buf *out)
{
	const char *from = "?";
	int value = ambit_engine_mode(view->engine, mode->key, &from);

	buf_printf(out, "%s: %s (%s)\n", mode->name, ambit_word_name(mode->words, value), from);
}

int
prompt_agent(
	const struct prompt_view *view, const char *tool, struct buf *out, struct ambit_error *err)
{
	const char *session = ambit_engine_session(view->engine);

	(void)tool;
	(void)err;
	for (const struct stored_mode *mode = stored_modes; mode->key != NULL; mode++)
		if (streq(mode->key, "agent_mode"))
			put_mode(view, mode, out);
	buf_printf(out,
		"In build the agent works; in plan nothing can be written, run or changed.\n\n"
		"To change it, in a terminal: ambit mode plan --session %s (or build)\n",
		session);
	return 0;
}

/* By default a command is asked about; but not where the kernel holds it. */
static bool
is_held_bash(const struct prompt_view *view, const char *tool, const char *from)
{
	struct ambit_tool_entry entry;

	return streq(from, "default") && view->box->executor != NULL &&
	       ambit_executor_backend(view->box->executor) == AMBIT_BACKEND_KERNEL &&
	       ambit_registry_find(view->box->registry, tool, &entry) > 0 &&
	       streq(entry.name, "bash");
}

static void
put_permission(const struct prompt_view *view, const char *tool, struct buf *out)
{
	const char *from = "?";
	enum ambit_permission permission = ambit_engine_permission(view->engine, tool, &from);

	put_text(out, tool);
	if (is_held_bash(view, tool, from))
		buf_puts(out, ": allow (default: the line holds each command)\n");
	else
		buf_printf(out, ": %s (%s)\n", ambit_word_name(ambit_permissions, (int)permission),
			from);
}

static void
put_how_to_change(const struct prompt_view *view, const char *tool, struct buf *out)
{
	buf_puts(out, "\nIts paths and hosts are decided as well, and the most restrictive holds.\n"
		      "To change it, in a terminal: ambit perm ");
	put_text(out, tool);
	buf_printf(
		out, " allow|ask|deny|default --session %s\n", ambit_engine_session(view->engine));
}

int
prompt_perms(
	const struct prompt_view *view, const char *tool, struct buf *out, struct ambit_error *err)
{
	struct ambit_tool_entry entry;

	(void)tool;
	(void)err;
	for (size_t i = 0; ambit_registry_at(view->box->registry, i, &entry) > 0; i++)
		put_permission(view, entry.name, out);
	put_how_to_change(view, "TOOL", out);
	return 0;
}

int
prompt_perm(
	const struct prompt_view *view, const char *tool, struct buf *out, struct ambit_error *err)
{
	struct ambit_tool_entry entry;

	if (tool == NULL)
		return prompt_perms(view, tool, out, err);
	put_permission(view, tool, out);
	if (ambit_registry_find(view->box->registry, tool, &entry) <= 0)
		buf_puts(out, "There is no tool of that name here; that is what would hold.\n");
	put_how_to_change(view, tool, out);
	return 0;
}

/* -- what is open past the line --------------------------------------------------------- */

struct grants {
	struct buf *out;
	size_t n;
};

static void
put_grant(struct grants *grants, bool yes, const char *what, const char *from)
{
	buf_puts(grants->out, yes ? "  yes: " : "  no: ");
	put_text(grants->out, what);
	buf_puts(grants->out, " (");
	put_text(grants->out, from);
	buf_puts(grants->out, ")\n");
	grants->n++;
}

static const struct {
	const char *key, *op;
	bool yes;
} grant_keys[] = {
	{ "write", "write ", true },
	{ "read", "read ", true },
	{ "allow_hosts", "connect ", true },
	{ "deny_hosts", "connect ", false },
	{ "profiles", "state folders and hosts of ", true },
};

static int
add_setting(void *data, const char *key, const char *value, const char *source, const char *text)
{
	auto_json json_t *list = NULL;
	json_t *item;
	size_t n;

	(void)text;
	for (size_t i = 0; i < sizeof(grant_keys) / sizeof(grant_keys[0]); i++) {
		if (!streq(key, grant_keys[i].key) ||
			json_parse(value, strlen(value), &list, NULL) < 0)
			continue;
		json_array_foreach (list, n, item) {
			auto_free char *what =
				str_printf("%s%s", grant_keys[i].op, json_string_value(item));

			if (what == NULL)
				return -ENOMEM;
			put_grant(data, grant_keys[i].yes, what, source);
		}
	}
	return 0;
}

static int
add_rule(void *data, const struct ambit_rule *rule)
{
	auto_free char *text = ambit_rule_text(rule);
	struct grants *grants = data;

	if (text == NULL)
		return -ENOMEM;
	/* ambit_rule_text has escaped it. */
	buf_printf(grants->out, "  %s: %s (rule %lld)\n", rule->yes ? "yes" : "no", text,
		(long long)rule->id);
	grants->n++;
	return 0;
}

static int
put_grants(const struct prompt_view *view, struct buf *out, struct ambit_error *err)
{
	const struct world *world = &view->box->world;
	const struct ambit_rule_filter filter = {
		.session = ambit_engine_session(view->engine),
		.project = ambit_scope_root(world->scope),
	};
	struct grants grants = { .out = out };
	int r;

	buf_puts(out, "past the line:\n");
	r = ambit_settings_each(world->settings, add_setting, &grants);
	if (r < 0)
		return err_nomem(err);
	if (world->record != NULL)
		r = ambit_record_rules(world->record, &filter, add_rule, &grants, err);
	if (r == 0 && grants.n == 0)
		buf_puts(out, "  nothing is open\n");
	return r;
}

/* -- what was refused --------------------------------------------------------------------- */

struct refused {
	size_t n;
	struct buf last[REFUSED_SHOWN]; /* by n */
};

static int
add_refused(void *data, int64_t id, const struct ambit_event *event)
{
	struct refused *refused = data;
	struct buf *line = &refused->last[refused->n++ % REFUSED_SHOWN];
	const char *subject = event->subject != NULL ? event->subject : event->tool;

	(void)id;
	subject = subject != NULL ? subject : "-";
	line->len = 0;
	/* The subject is escaped in the record. */
	buf_printf(line, "%s: %.*s", event->code != NULL ? event->code : "refused",
		(int)str_cut(subject, strlen(subject), SUBJECT_SHOWN), subject);
	return line->failed ? -ENOMEM : 0;
}

static int
put_lines(const struct refused *refused, struct buf *out)
{
	size_t shown = refused->n < REFUSED_SHOWN ? refused->n : REFUSED_SHOWN;
	auto_buf struct buf lines = { 0 };
	auto_free char *marked = NULL;

	for (size_t i = refused->n - shown; i < refused->n; i++)
		buf_printf(&lines, "%s\n", refused->last[i % REFUSED_SHOWN].data);
	if (lines.failed)
		return -ENOMEM;
	marked = ambit_label_untrusted("names of what was refused", lines.data, lines.len);
	if (marked == NULL)
		return -ENOMEM;
	buf_printf(out, "%s\n", marked);
	return 0;
}

static int
put_refused(const struct prompt_view *view, struct buf *out, struct ambit_error *err)
{
	const struct ambit_event_filter filter = {
		.session = ambit_engine_session(view->engine),
		.verdict = "deny",
	};
	struct refused refused = { 0 };
	int r = 0;

	if (view->box->world.record != NULL)
		r = ambit_record_events(
			view->box->world.record, &filter, add_refused, &refused, err);
	if (r == 0)
		buf_printf(out, "refused so far: %zu%s\n", refused.n,
			refused.n > REFUSED_SHOWN ? "; the last of them:" : "");
	if (r == 0 && refused.n > 0 && put_lines(&refused, out) < 0)
		r = err_nomem(err);
	for (size_t i = 0; i < REFUSED_SHOWN; i++)
		buf_finish(&refused.last[i]);
	return r;
}

static void
put_bash(const struct prompt_view *view, struct buf *out)
{
	if (view->box->executor == NULL) {
		buf_puts(out, "bash: none; ");
		put_text(out, view->box->why != NULL ? view->box->why
						     : "there is nothing to run it with");
		buf_putc(out, '\n');
		return;
	}
	buf_printf(out, "bash: behind %s\n",
		ambit_word_name(ambit_backends, (int)ambit_executor_backend(view->box->executor)));
}

int
prompt_sandbox(
	const struct prompt_view *view, const char *tool, struct buf *out, struct ambit_error *err)
{
	const struct world *world = &view->box->world;
	const char *session = ambit_engine_session(view->engine);
	int r;

	(void)tool;
	buf_printf(out, "session: %s\nfolder: ", session);
	put_text(out, ambit_scope_root(world->scope));
	buf_putc(out, '\n');
	for (const struct stored_mode *mode = stored_modes; mode->key != NULL; mode++)
		put_mode(view, mode, out);
	buf_printf(out, "net: %s\n", ambit_word_name(ambit_nets, ambit_engine_net(view->engine)));
	put_bash(view, out);
	r = put_grants(view, out, err);
	if (r == 0)
		r = put_refused(view, out, err);
	buf_printf(out,
		"\nTo change it, in a terminal: ambit mode read-only --session %s (or another "
		"mode), ambit rules add write PATH, ambit rules revoke N\n",
		session);
	return r;
}
