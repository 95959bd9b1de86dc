/* SPDX-License-Identifier: Apache-2.0 */
/* What a tool tells `ambit run` that it starts for something narrower than its door: a
 * sub-agent, or a command in the scope of its call. How much that is at most, the door says
 * (ambit_agents.around), and `run` holds it to that whatever stands here. */

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/registry/registry-private.h"

struct listing {
	char ***options;
	bool grants;
};

static int
append_option(char ***list, const char *name, const char *value)
{
	auto_free char *text = str_printf("--%s=%s", name, value);

	return text ? strv_append(list, text) : -ENOMEM;
}

/* The option that says an element of this setting, or NULL. */
static const char *
option_of(const struct listing *listing, const char *key)
{
	static const struct {
		const char *key, *option;
		bool grants;
	} rows[] = {
		{ "read", "read", false },
		{ "allow_hosts", "allow-host", false },
		{ "write", "write", true },
		{ "profiles", "for", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (streq(key, rows[i].key) && (listing->grants || !rows[i].grants))
			return rows[i].option;
	return NULL;
}

static int
append_list(void *data, const char *key, const char *value, const char *source, const char *text)
{
	const struct listing *listing = data;
	const char *option = option_of(listing, key);
	auto_json json_t *list = NULL;
	const json_t *one;
	size_t i;
	int r = 0;

	(void)source;
	(void)text;
	if (!option)
		return 0;
	if (json_parse(value, strlen(value), &list, NULL) < 0)
		return -ENOMEM;
	json_array_foreach (list, i, one)
		if (r == 0)
			r = append_option(listing->options, option, json_string_value(one));
	return r;
}

int
run_child_options(struct tool_run *run, const char *folder, const char *session, bool grants,
	char ***ret_options, struct ambit_error *err)
{
	struct listing listing = { .options = ret_options, .grants = grants };
	struct ambit_engine *engine = run_lock(run);
	int r = append_option(ret_options, "folder", folder);

	if (r == 0)
		r = append_option(
			ret_options, "net", ambit_word_name(ambit_nets, ambit_engine_net(engine)));
	if (r == 0)
		r = append_option(
			ret_options, "session", session ? session : ambit_engine_session(engine));
	run_unlock(run);
	if (r == 0)
		r = ambit_settings_each(run->registry->agents.settings, append_list, &listing);
	return r < 0 ? err_nomem(err) : 0;
}

int
run_make_within(struct tool_run *run, const struct ambit_agent_child *child, int *ret_fd,
	struct ambit_error *err)
{
	const struct ambit_agents *agents = &run->registry->agents;
	int r;

	run_lock(run);
	r = agents->around(agents->data, child, ret_fd, err);
	run_unlock(run);
	return r;
}
