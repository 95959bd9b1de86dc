/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from a door become one struct ambit_request. The door is trusted to
 * pass on what it was given, the bytes are not: what cannot be understood
 * still makes a request, one that says what is wrong and cannot be allowed. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/own.h"
#include "base/str.h"
#include "request/argpath.h"
#include "request/args.h"
#include "request/host.h"
#include "request/request-object.h"
#include "request/request-private.h"

int
request_refuse(struct ambit_request *request, enum ambit_code code, bool hard, const char *fmt, ...)
{
	auto_free char *reason = NULL, *shown = NULL;
	va_list ap;
	int n;

	if (request->bad != AMBIT_CODE_NONE && (request->bad_hard || !hard))
		return 0;
	va_start(ap, fmt);
	n = vasprintf(&reason, fmt, ap);
	va_end(ap);
	if (n < 0) {
		reason = NULL;
		return -ENOMEM;
	}
	shown = str_escape(reason, strlen(reason));
	if (!shown)
		return -ENOMEM;
	free(request->bad_reason);
	request->bad = code;
	request->bad_hard = hard;
	request->bad_reason = steal_ptr(&shown);
	return 0;
}

void
ambit_request_destroy(struct ambit_request *request)
{
	if (!request)
		return;
	for (size_t i = 0; i < request->n_paths; i++) {
		free(request->paths[i].text);
		request_object_destroy(request->paths[i].object);
	}
	free(request->paths);
	json_decref(request->args);
	free(request->id);
	free(request->name);
	free(request->cwd);
	free(request->command);
	free(request->host);
	request_scope_finish(&request->scope);
	free(request->program);
	free(request->exe);
	strv_free(request->line);
	strv_free(request->words);
	strv_free(request->programs);
	free(request->server);
	free(request->agent);
	free(request->bad_reason);
	free(request);
}

static void
destroy_request_ptr(struct ambit_request **request)
{
	ambit_request_destroy(*request);
}
#define auto_request __attribute__((cleanup(destroy_request_ptr)))

/* The most dangerous of what a set of effects stands for. */
static enum ambit_danger
danger_of(unsigned effects)
{
	if (effects == 0 || (effects & (AMBIT_EXEC | AMBIT_MUTATE | AMBIT_NETWORK)))
		return AMBIT_DANGEROUS;
	return effects & AMBIT_WRITE ? AMBIT_DANGER_WRITE : AMBIT_DANGER_READ_ONLY;
}

void
request_begin_at(struct ambit_request *ret_request, const char *name)
{
	const struct tool *tool = tool_find(name);

	*ret_request = (struct ambit_request){
		.bad = AMBIT_CODE_NONE,
		.name = (char *)name,
		.tool = tool,
		.effects = tool ? tool->effects : 0,
		.danger = tool ? tool->danger : 0,
	};
}

struct ambit_request *
request_begin(const char *name)
{
	struct ambit_request *request = calloc(1, sizeof(*request));
	char *copy = strdup(name ? name : "");

	if (!request || !copy) {
		free(request);
		free(copy);
		return NULL;
	}
	request_begin_at(request, copy);
	return request;
}

/* An editor that only views is a reader. */
static void
read_view(struct ambit_request *request)
{
	const char *command = json_string_value(json_object_get(request->args, "command"));

	if (!streq(request->tool->name, "str_replace_editor") || !command ||
		!streq(command, "view") || json_object_get(request->args, "diff"))
		return;
	request->tool = tool_find("read");
	request->effects = request->tool->effects;
	request->danger = request->tool->danger;
}

/* A reader that declares that it writes writes what it reads. */
static int
add_writes(struct ambit_request *request)
{
	size_t n = request->n_paths;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		auto_free char *text = malloc(request->paths[i].len + 1);

		if (!text)
			return -ENOMEM;
		memcpy(text, request->paths[i].text, request->paths[i].len + 1);
		r = request_add_path(
			request, text, request->paths[i].len, AMBIT_ACCESS_WRITE, TOOL_FOLLOW_BOTH);
	}
	return r;
}

/* What a door declares widens what a known tool is taken for, never narrows
 * it; about an unknown tool it is all there is. */
static int
settle_tool_call(struct ambit_request *request, unsigned declared)
{
	int r;

	if (request->tool) {
		unsigned added;

		/* First what it is, then what it declares beyond that. */
		read_view(request);
		added = declared & ~request->effects;
		request->effects |= declared;
		if (added && danger_of(added) < request->danger)
			request->danger = danger_of(added);
		r = args_read(request);
		return r == 0 && (added & (AMBIT_WRITE | AMBIT_MUTATE)) ? add_writes(request) : r;
	}
	request->effects = declared;
	request->danger = danger_of(declared);
	if (declared)
		return request->args ? argpath_guess(request, request->args, 0) : 0;
	return request_refuse(request, AMBIT_CODE_UNKNOWN_TOOL, false,
		"the tool '%s' is not known and declares no effects", request->name);
}

/* A name is shown, recorded and looked up in many places: one that no agent
 * would have is kept only as text that can be shown. */
static int
check_name(struct ambit_request *request)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_.:/-";
	size_t len = strlen(request->name);
	char *shown;

	if (len > 0 && len <= REQUEST_NAME_MAX && strspn(request->name, plain) == len)
		return 0;
	shown = str_escape(request->name, str_cut(request->name, len, REQUEST_NAME_MAX));
	if (!shown)
		return -ENOMEM;
	free(request->name);
	request->name = shown;
	request->tool = NULL;
	return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, true, "%s",
		len == 0 ? "the tool has no name"
		: len > REQUEST_NAME_MAX
			? "the tool's name is too long"
			: "the tool's name is not made of letters, digits and _.:/-");
}

static int
read_args_text(struct ambit_request *request, const char *args, size_t len)
{
	struct ambit_error why = { 0 };

	if (!args) {
		request->args = json_object();
		return request->args ? 0 : -ENOMEM;
	}
	if (len > REQUEST_TEXT_MAX)
		return request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, true,
			"args: more than %u bytes", REQUEST_TEXT_MAX);
	if (json_parse(args, len, &request->args, &why) < 0) {
		request->args = NULL;
		return request_refuse(
			request, AMBIT_CODE_BAD_ARGUMENTS, true, "args: %s", why.text);
	}
	if (!json_is_object(request->args)) {
		json_decref(request->args);
		request->args = NULL;
		return request_refuse(
			request, AMBIT_CODE_BAD_ARGUMENTS, true, "args: 1:1: must be an object");
	}
	return 0;
}

int
ambit_request_create(const char *tool, const char *args, size_t len,
	struct ambit_request **ret_request, struct ambit_error *err)
{
	auto_request struct ambit_request *request = request_begin(tool);
	int r;

	if (!request)
		return err_nomem(err);
	r = check_name(request);
	if (r == 0)
		r = read_args_text(request, args, len);
	if (r == 0 && !request->bad_hard)
		r = settle_tool_call(request, 0);
	if (r < 0)
		return err_nomem(err);
	*ret_request = steal_ptr(&request);
	return 0;
}

/* The row of a harness' own tool says which arguments are paths. If it has some and
 * the call names none, what it is about is not known. */
static int
settle_own(struct ambit_request *request, const struct tool *row)
{
	int r;

	request->tool = row;
	request->effects = row->effects;
	request->danger = row->effects ? row->danger : AMBIT_DANGEROUS;
	r = args_read(request);
	if (r == 0 && row->args && row->args[0].name && request->n_paths == 0)
		r = request_refuse(request, AMBIT_CODE_BAD_ARGUMENTS, false,
			"%s: no path in the arguments", row->name);
	return r;
}

int
request_create(const char *name, const struct tool *row, json_t *args,
	struct ambit_request **ret_request, struct ambit_error *err)
{
	auto_request struct ambit_request *request = request_begin(name);
	int r;

	if (!request)
		return err_nomem(err);
	request->args = json_incref(args);
	r = check_name(request);
	if (r == 0 && !request->bad_hard)
		r = row ? settle_own(request, row) : settle_tool_call(request, 0);
	if (r < 0)
		return err_nomem(err);
	*ret_request = steal_ptr(&request);
	return 0;
}

int
request_create_refused(const char *name, json_t *args, enum ambit_code code, const char *why,
	struct ambit_request **ret_request, struct ambit_error *err)
{
	auto_request struct ambit_request *request = request_begin(name);
	int r;

	if (!request)
		return err_nomem(err);
	request->args = json_incref(args);
	/* The first refusal stays, whatever is wrong with the name besides. */
	r = request_refuse(request, code, true, "%s", why);
	if (r == 0)
		r = check_name(request);
	if (r < 0)
		return err_nomem(err);
	*ret_request = steal_ptr(&request);
	return 0;
}

static const struct {
	const char *tool;
	enum tool_follow follow;
} path_tools[] = {
	[AMBIT_ACCESS_WRITE] = { "write", TOOL_FOLLOW },
	[AMBIT_ACCESS_DELETE] = { "delete", TOOL_NOFOLLOW },
	[AMBIT_ACCESS_REPLACE] = { "write", TOOL_FOLLOW_BOTH },
	[AMBIT_ACCESS_MKDIR] = { "write", TOOL_FOLLOW_BOTH },
	[AMBIT_ACCESS_READ] = { "read", TOOL_FOLLOW },
	[AMBIT_ACCESS_READ_TREE] = { "read", TOOL_FOLLOW },
};

const char *
request_access_tool(enum ambit_access access)
{
	if ((size_t)access >= sizeof(path_tools) / sizeof(path_tools[0]))
		return NULL;
	return path_tools[access].tool;
}

int
ambit_request_path(enum ambit_access access, const char *path, size_t len,
	struct ambit_request **ret_request, struct ambit_error *err)
{
	auto_request struct ambit_request *request = NULL;

	if (!request_access_tool(access))
		return err_set(err, EINVAL, "no such access: %d", (int)access);
	request = request_begin(path_tools[access].tool);
	if (!request || request_add_path(request, path, len, access, path_tools[access].follow) < 0)
		return err_nomem(err);
	*ret_request = steal_ptr(&request);
	return 0;
}

int
ambit_request_connect(const char *host, struct ambit_request **ret_request, struct ambit_error *err)
{
	auto_request struct ambit_request *request = request_begin("connect");
	int r;

	if (!request)
		return err_nomem(err);
	r = host_parse(host, &request->host, &request->port);
	if (r == -EINVAL)
		r = request_refuse(
			request, AMBIT_CODE_BAD_ARGUMENTS, true, "'%.300s' is no host", host);
	if (r < 0)
		return err_nomem(err);
	*ret_request = steal_ptr(&request);
	return 0;
}

/* The text of a request while it is taken apart. */
struct parse {
	const char *text;
	size_t len;
	json_t *object;
	struct ambit_request *request;
	unsigned effects;
};

/* Refuses with the place of a member: under (or NULL) is the object it is in. */
static int
refuse_member(struct parse *p, const char *under, const char *key, const char *what)
{
	const char *path[] = { under ? under : key, under ? key : NULL, NULL };
	int line, column;

	json_locate(p->text, p->len, path, &line, &column);
	return request_refuse(p->request, AMBIT_CODE_BAD_ARGUMENTS, true, "%d:%d: %s%s%.100s: %s",
		line, column, under ? under : "", under ? "." : "", key, what);
}

/* A string without NUL bytes, copied. */
static int
read_string(struct parse *p, const char *under, const char *key, const json_t *value, char **ret)
{
	const char *text = json_string_value(value);

	if (!text)
		return refuse_member(p, under, key, "must be a string");
	if (strlen(text) != json_string_length(value))
		return refuse_member(p, under, key, "must not hold a NUL");
	free(*ret);
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

/* 0, -E2BIG or -ENOMEM. */
static int
keep_id(struct ambit_request *request, const json_t *value)
{
	auto_free char *text = json_line(value);

	if (!text)
		return -ENOMEM;
	if (strlen(text) > REQUEST_ID_MAX)
		return -E2BIG;
	free(request->id);
	request->id = steal_ptr(&text);
	return 0;
}

static int
read_id(struct parse *p, json_t *value)
{
	int r = keep_id(p->request, value);

	return r == -E2BIG ? refuse_member(p, NULL, "id", "too long to be given back") : r;
}

static int
read_tool(struct parse *p, json_t *value)
{
	int r = read_string(p, NULL, "tool", value, &p->request->name);

	if (r < 0 || p->request->bad_hard)
		return r;
	p->request->tool = tool_find(p->request->name);
	if (p->request->tool) {
		p->request->effects = p->request->tool->effects;
		p->request->danger = p->request->tool->danger;
	}
	return check_name(p->request);
}

static int
read_args(struct parse *p, json_t *value)
{
	if (!json_is_object(value))
		return refuse_member(p, NULL, "args", "must be an object");
	p->request->args = json_incref(value);
	return 0;
}

static int
read_cwd(struct parse *p, json_t *value)
{
	return read_string(p, NULL, "cwd", value, &p->request->cwd);
}

static int
read_effects(struct parse *p, json_t *value)
{
	json_t *item;
	size_t i;

	if (!json_is_array(value))
		return refuse_member(p, NULL, "effects", "must be a list");
	json_array_foreach (value, i, item) {
		const struct ambit_word *word =
			ambit_word_find(ambit_effects, json_string_value(item));
		char at[32];

		if (!word || strlen(word->name) != json_string_length(item)) {
			snprintf(at, sizeof(at), "#%zu", i);
			return refuse_member(
				p, "effects", at, "must be read, write, exec, network or mutate");
		}
		p->effects |= (unsigned)word->value;
	}
	return 0;
}

/* A request can bind itself closer than its door does. */
static int
read_scope(struct parse *p, json_t *value)
{
	const char *key, *why;
	int r = request_scope_read(value, &p->request->scope, &key, &why);

	if (r != -EINVAL)
		return r;
	return key ? refuse_member(p, "scope", key, why) : refuse_member(p, NULL, "scope", why);
}

static int
read_mode(struct parse *p, json_t *value)
{
	const struct ambit_word *word =
		ambit_word_find(ambit_agent_modes, json_string_value(value));

	if (!word || strlen(word->name) != json_string_length(value))
		return refuse_member(p, NULL, "mode", "must be plan or build");
	p->request->plan = word->value == AMBIT_PLAN;
	return 0;
}

static const struct {
	const char *key;
	int (*read)(struct parse *p, json_t *value);
} keys[] = {
	{ "id", read_id },
	{ "tool", read_tool },
	{ "args", read_args },
	{ "cwd", read_cwd },
	{ "effects", read_effects },
	{ "scope", read_scope },
	{ "mode", read_mode },
};
#define KEYS_N (sizeof(keys) / sizeof(keys[0]))

static int
check_keys(struct parse *p)
{
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach (p->object, key, value) {
		for (i = 0; i < KEYS_N && !streq(keys[i].key, key); i++)
			;
		if (i == KEYS_N)
			return refuse_member(p, NULL, key, "unknown key");
	}
	return 0;
}

static int
read_keys(struct parse *p)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < KEYS_N; i++) {
		json_t *value = json_object_get(p->object, keys[i].key);

		if (value && (i == 0 || !p->request->bad_hard))
			r = keys[i].read(p, value);
		if (r == 0 && i == 0)
			r = check_keys(p);
	}
	if (r == 0 && !json_object_get(p->object, "tool"))
		r = request_refuse(
			p->request, AMBIT_CODE_BAD_ARGUMENTS, true, "1:1: tool: missing");
	if (r == 0 && !p->request->args) {
		p->request->args = json_object();
		r = p->request->args ? 0 : -ENOMEM;
	}
	return r < 0 || p->request->bad_hard ? r : settle_tool_call(p->request, p->effects);
}

/* The answer to a broken request should still find its way: the id is looked
 * for in what a laxer parser can make of it. */
static int
salvage_id(struct parse *p)
{
	auto_json json_t *object =
		json_loadb(p->text, p->len, JSON_ALLOW_NUL | JSON_DISABLE_EOF_CHECK, NULL);
	json_t *id = json_object_get(object, "id");

	return id && keep_id(p->request, id) == -ENOMEM ? -ENOMEM : 0;
}

static int
parse_text(struct parse *p)
{
	struct ambit_error why = { 0 };
	int r;

	if (p->len > REQUEST_TEXT_MAX)
		return request_refuse(p->request, AMBIT_CODE_BAD_ARGUMENTS, true,
			"more than %u bytes in one request", REQUEST_TEXT_MAX);
	if (json_parse(p->text, p->len, &p->object, &why) < 0) {
		p->object = NULL;
		r = request_refuse(p->request, AMBIT_CODE_BAD_ARGUMENTS, true, "%s", why.text);
		return r < 0 ? r : salvage_id(p);
	}
	if (!json_is_object(p->object))
		return request_refuse(p->request, AMBIT_CODE_BAD_ARGUMENTS, true,
			"1:1: a request must be an object");
	return read_keys(p);
}

int
ambit_request_parse(
	const char *text, size_t len, struct ambit_request **ret_request, struct ambit_error *err)
{
	auto_request struct ambit_request *request = request_begin("");
	struct parse p = { .text = text, .len = len, .request = request };
	int r;

	if (!request)
		return err_nomem(err);
	r = parse_text(&p);
	json_decref(p.object);
	if (r < 0)
		return err_nomem(err);
	*ret_request = steal_ptr(&request);
	return 0;
}

static int
replace_text(char **slot, const char *text)
{
	char *copy = str_dup(text);

	if (text && !copy)
		return -ENOMEM;
	free(*slot);
	*slot = copy;
	return 0;
}

int
ambit_request_set_cwd(struct ambit_request *request, const char *cwd)
{
	return replace_text(&request->cwd, cwd);
}

int
ambit_request_set_who(struct ambit_request *request, pid_t pid, uint64_t start, const char *program,
	const char *agent)
{
	int r = replace_text(&request->program, program);

	if (r == 0)
		r = replace_text(&request->agent, agent);
	request->pid = pid;
	request->start = start;
	return r;
}

void
request_set_detail(struct ambit_request *request, uint64_t detail)
{
	request->detail = detail;
}

void
request_set_image(struct ambit_request *request, uint64_t image)
{
	request->image = image;
}

int
request_set_exe(struct ambit_request *request, const char *exe, dev_t dev, ino_t ino)
{
	request->exe_dev = dev;
	request->exe_ino = ino;
	return replace_text(&request->exe, exe);
}

void
request_set_line(struct ambit_request *request, char **names)
{
	strv_free(request->line);
	request->line = names;
}

int
request_set_server(struct ambit_request *request, const char *program, pid_t pid, bool same)
{
	request->server_pid = pid;
	request->server_same = same;
	return replace_text(&request->server, program);
}

void
request_set_programs(struct ambit_request *request, char **programs)
{
	strv_free(request->programs);
	request->programs = programs;
}

void
request_set_words(struct ambit_request *request, char **words)
{
	strv_free(request->words);
	request->words = words;
}

void
request_set_held(struct ambit_request *request, bool held)
{
	request->held = held;
}

void
request_set_runner(struct ambit_request *request, enum request_runner runner)
{
	const struct tool *tool = request->tool;

	request->runner = runner;
	request->held = tool && ((tool->held && runner != RUNNER_OTHER) ||
					(tool->shell && runner == RUNNER_LINE));
}

void
request_set_lookup(struct ambit_request *request, bool lookup)
{
	request->lookup = lookup;
}

bool
request_is_syscall(const struct ambit_request *request)
{
	return (request->n_paths > 0 && request->paths[0].object) ||
	       (!request->args && request->pid != 0);
}

const char *
request_tool(const struct ambit_request *request)
{
	return request->tool ? request->tool->name : request->name;
}
