/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this tool may be used at all: the session's permissions over the
 * person's over the table's defaults, narrowed by the folder's. */

#include "base/glob.h"
#include "base/str.h"
#include "decide/decide.h"
#include "request/request-private.h"

/* A name in a permission list stands for its tool, whichever agent's word
 * for it is used: "Write": "deny" must hold for write_file too. */
static size_t
name_matches(const struct ambit_request *request, const char *pattern)
{
	size_t n = strlen(pattern);

	if (n > 0 && pattern[n - 1] == '*') {
		if (strncmp(request->name, pattern, n - 1) == 0 ||
			strncmp(request_tool(request), pattern, n - 1) == 0)
			return n;
		return 0;
	}
	if (streq(request->name, pattern) || streq(request_tool(request), pattern) ||
		(request->tool && tool_find(pattern) == request->tool))
		return SIZE_MAX;
	return 0;
}

struct found {
	size_t best; /* length of the best match; 0: none */
	int permission;
};

static void
apply_pattern(struct found *found, const struct ambit_request *request, const char *pattern,
	enum ambit_permission permission)
{
	size_t n = name_matches(request, pattern);

	if (n == 0 || n < found->best)
		return;
	if (n > found->best || (int)permission < found->permission)
		found->permission = (int)permission;
	found->best = n;
}

static int
find_listed_permission(
	const struct ambit_tool_permission *list, size_t n, const struct ambit_request *request)
{
	struct found found = { .permission = -1 };

	for (size_t i = 0; i < n; i++)
		apply_pattern(&found, request, list[i].tool, list[i].permission);
	return found.permission;
}

int
permission_said(const struct decide_input *in, const char **ret_from)
{
	const struct settings_values *person = settings_person(in->settings);
	int said = find_listed_permission(
		in->session->permissions, in->session->n_permissions, in->request);

	*ret_from = "session";
	if (said < 0) {
		said = find_listed_permission(
			person->permissions, person->n_permissions, in->request);
		*ret_from = "person";
	}
	return said;
}

int
permission_folder(const struct decide_input *in)
{
	const struct settings_values *folder = settings_folder(in->settings);

	return find_listed_permission(folder->permissions, folder->n_permissions, in->request);
}

/* Nothing here knows which files an unknown tool touches. Where the kernel
 * line does not hold it either, what it does past the line would be seen by
 * nobody. */
static bool
is_blind(const struct decide_input *in)
{
	const struct ambit_request *request = in->request;

	if (request->tool)
		return false;
	if (request->bad == AMBIT_CODE_UNKNOWN_TOOL)
		return true;
	return !request->held && ((request->effects & (AMBIT_WRITE | AMBIT_EXEC | AMBIT_MUTATE)) ||
					 decision_reads(in) == AMBIT_READS_FOLDER);
}

static bool
bash_is_off(const struct decide_input *in)
{
	return !in->scope->allow_bash || in->request->scope.no_bash ||
	       settings_person(in->settings)->allow_bash == 0 ||
	       settings_folder(in->settings)->allow_bash == 0;
}

/* One that ambit itself starts has a shell: it may no more than bash may here. What others'
 * sub-agents do comes through their own door again. */
static bool
needs_shell(const struct ambit_request *request)
{
	return request->tool && (request->tool->shell || (request->tool->agent && request->held));
}

static int
narrow_by_shell(const struct decide_input *in, int permission)
{
	char name[] = "bash";
	const struct ambit_request shell = { .name = name, .tool = tool_find(name) };
	struct decide_input as = *in;
	const char *from;
	int said, folder;

	as.request = &shell;
	said = permission_said(&as, &from);
	folder = permission_folder(&as);
	if (said >= 0 && said < permission)
		permission = said;
	return folder >= 0 && folder < permission ? folder : permission;
}

void
permission_decide(struct decision *d)
{
	const struct decide_input *in = d->in;
	const struct ambit_request *request = in->request;
	const char *tool = request_tool(request);
	bool shell = request->tool && request->tool->shell;
	int said, permission, folder, own;
	const char *from;

	if (needs_shell(request) && bash_is_off(in)) {
		decision_say(d, AMBIT_DENY, AMBIT_CODE_BASH_NOT_ALLOWED, true,
			"shell commands are switched off in this scope%s",
			shell ? "" : ", and a sub-agent has a shell");
		return;
	}
	said = permission_said(in, &from);
	/* A person who allowed a tool by name has accepted its danger; so has
	 * the kernel line for what it holds. Its paths are still decided. */
	if ((said == AMBIT_PERMISSION_ALLOW || (request->tool && request->held)) &&
		d->danger < AMBIT_DANGER_WRITE)
		d->danger = AMBIT_DANGER_WRITE;
	permission = said >= 0		      ? said
		     : shell && request->held ? AMBIT_PERMISSION_ALLOW
		     : request->tool	      ? (int)request->tool->permission
		     : is_blind(in)	      ? AMBIT_PERMISSION_ASK
					      : AMBIT_PERMISSION_ALLOW;
	folder = permission_folder(in);
	if (folder >= 0 && folder < permission)
		permission = folder;
	own = permission;
	if (!shell && needs_shell(request))
		permission = narrow_by_shell(in, own);
	if (permission < own)
		tool = "bash";

	if (permission == AMBIT_PERMISSION_DENY) {
		decision_say(d, AMBIT_DENY, AMBIT_CODE_DENIED, true, "%s is set to deny", tool);
	} else if (permission == AMBIT_PERMISSION_ALLOW) {
		decision_say(d, AMBIT_ALLOW, AMBIT_CODE_NONE, false, "%s is set to allow", tool);
	} else if (is_blind(in)) {
		d->firm = d->out->call = true;
		decision_say(d, AMBIT_ASK, AMBIT_CODE_UNKNOWN_TOOL, false,
			"%s is not a tool ambit knows: what it touches cannot be told", tool);
	} else {
		d->out->call = true;
		decision_say(d, AMBIT_ASK, AMBIT_CODE_NONE, false, "%s is set to ask", tool);
	}
}
