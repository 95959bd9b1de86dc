/* SPDX-License-Identifier: Apache-2.0 */
/* The setting "judge": JSON of the person's into a program to run or an address
 * to ask. What it says yes to is not asked about, so an address that could be
 * read in two ways, or leads over a wire that others read, is refused here. */

#include <stdlib.h>

#include "base/ascii.h"
#include "base/own.h"
#include "base/str.h"
#include "settings/decode.h"

#define TIMEOUT_MS 2000
#define TIMEOUT_MAX_MS 60000
#define TEXT_MAX 2048

#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static const char completions[] = "/chat/completions";

void
judge_finish(struct settings_judge *judge)
{
	strv_free(judge->command);
	free(judge->url);
	free(judge->model);
	free(judge->key_env);
	*judge = (struct settings_judge){ 0 };
}

/* -- the address ------------------------------------------------------------- */

/* The length of "name", "127.0.0.1" or "[::1]" at the beginning of text. */
static size_t
host_length(const char *text)
{
	size_t n;

	if (text[0] != '[')
		return strspn(text, ALNUM ".-");
	n = 1 + strspn(text + 1, "0123456789abcdefABCDEF:.");
	return text[n] == ']' ? n + 1 : 0;
}

static bool
is_loopback(const char *host, size_t len)
{
	static const char *const names[] = { "localhost", "[::1]", "127.0.0.1" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && str_fold_equal(host, names[i], len))
			return true;
	return false;
}

/* ":443" or nothing, then a path without anything that another reader of it could
 * take for something else. NULL: as it should be. */
static const char *
rest_fault(const char *rest)
{
	size_t digits;

	if (*rest == ':') {
		digits = strspn(rest + 1, "0123456789");
		if (digits == 0 || digits > 5)
			return "its port is no number";
		rest += 1 + digits;
	}
	if (*rest != '/')
		return "there is no path behind its host";
	if (rest[strspn(rest, ALNUM "/-._~%!$&'()*+,;=:@?")] != '\0')
		return "its path has characters that do not belong there";
	return NULL;
}

static const char *
url_fault(const char *url)
{
	bool plain = str_prefix(url, "http://");
	const char *host = url + strlen(plain ? "http://" : "https://");
	size_t len;

	if (!plain && !str_prefix(url, "https://"))
		return "it does not begin with https://";
	len = host_length(host);
	if (len == 0)
		return "it has no host";
	if (plain && !is_loopback(host, len))
		return "http is for localhost, 127.0.0.1 and [::1] alone; elsewhere it is https";
	return rest_fault(host + len);
}

static bool
has_url_ending(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && streq(text + n - m, end);
}

/* What providers call the base of their address is one, too. */
static int
take_url(struct decode *d, const char *text, char **ret_url)
{
	const char *fault = url_fault(text);

	if (fault)
		return decode_bad(d, "'url': '%s': %s", decode_show(d, text), fault);
	*ret_url = str_printf("%s%s", text,
		has_url_ending(text, "/v1")    ? completions
		: has_url_ending(text, "/v1/") ? completions + 1
					       : "");
	return *ret_url ? 0 : err_nomem(d->err);
}

/* -- members ------------------------------------------------------------------ */

static int
take_key_env(struct decode *d, const char *text, char **ret_name)
{
	if (text[strspn(text, ALNUM "_")] != '\0' || ascii_is_digit(text[0]))
		return decode_bad(d,
			"'key_env': '%s' is no name of a variable; the key itself does not belong "
			"here",
			decode_show(d, text));
	*ret_name = str_dup(text);
	return *ret_name ? 0 : err_nomem(d->err);
}

static int
take_model(struct decode *d, const char *text, char **ret_model)
{
	(void)d;
	*ret_model = str_dup(text);
	return *ret_model ? 0 : err_nomem(d->err);
}

static const struct {
	const char *name;
	int (*take)(struct decode *d, const char *text, char **ret_text);
	size_t offset;
} texts[] = {
	{ "url", take_url, offsetof(struct settings_judge, url) },
	{ "model", take_model, offsetof(struct settings_judge, model) },
	{ "key_env", take_key_env, offsetof(struct settings_judge, key_env) },
};

#define TEXTS_N (sizeof(texts) / sizeof(texts[0]))

static int
take_text(struct decode *d, size_t i, const json_t *value, struct settings_judge *judge)
{
	char **field = (char **)((char *)judge + texts[i].offset);
	const char *text;
	int r = decode_string(d, value, "a string", &text);

	if (r < 0)
		return r;
	if (text[0] == '\0' || strlen(text) > TEXT_MAX)
		return decode_bad(d, "'%s' has 1 to %d bytes", texts[i].name, TEXT_MAX);
	return texts[i].take(d, text, field);
}

static int
take_member(struct decode *d, const char *name, const json_t *value, struct settings_judge *judge)
{
	if (streq(name, "command"))
		return decode_command(d, value, &judge->command);
	if (streq(name, "timeout_ms"))
		return decode_count(d, value, 1, TIMEOUT_MAX_MS, &judge->timeout);
	for (size_t i = 0; i < TEXTS_N; i++)
		if (streq(name, texts[i].name))
			return take_text(d, i, value, judge);
	return decode_bad(d, "unknown key '%s': command, or url, model and key_env; timeout_ms",
		decode_show(d, name));
}

static int
check_whole(struct decode *d, const struct settings_judge *judge)
{
	if (!judge->command == !judge->url)
		return decode_bad(d, "'judge' has either a 'command' or a 'url'");
	if (judge->command && (judge->model || judge->key_env))
		return decode_bad(d, "'model' and 'key_env' belong to a 'url', not to a 'command'");
	if (judge->url && !judge->model)
		return decode_bad(d, "'judge' has no 'model'");
	return 0;
}

int
judge_take(struct decode *d, const json_t *value, struct settings_judge *judge)
{
	const char *name;
	json_t *member;
	int r = decode_object(d, value, "an object with 'command' or 'url'");

	if (r < 0)
		return r;
	judge->timeout = TIMEOUT_MS;
	json_object_foreach ((json_t *)value, name, member) {
		decode_enter(d, name);
		r = take_member(d, name, member, judge);
		if (r < 0)
			return r;
		decode_leave(d);
	}
	return check_whole(d, judge);
}

/* -- shown --------------------------------------------------------------------- */

json_t *
judge_show(const struct settings_judge *judge)
{
	auto_json json_t *object = NULL, *command = NULL;

	if (!judge->command && !judge->url)
		return json_null();
	object = json_pack("{s:i}", "timeout_ms", judge->timeout);
	if (!object)
		return NULL;
	for (size_t i = 0; i < TEXTS_N; i++) {
		const char *text = *(char *const *)((const char *)judge + texts[i].offset);

		if (text && json_set_text(object, texts[i].name, text) < 0)
			return NULL;
	}
	if (!judge->command)
		return steal_ptr(&object);
	command = json_array();
	for (char **word = judge->command; *word; word++)
		if (json_array_append_new(command, json_string(*word)) < 0)
			return NULL;
	return json_object_set(object, "command", command) < 0 ? NULL : steal_ptr(&object);
}

json_t *
judge_schema(void)
{
	json_t *timeout = json_pack("{s:s, s:i, s:i, s:i}", "type", "integer", "minimum", 1,
		"maximum", TIMEOUT_MAX_MS, "default", TIMEOUT_MS);
	json_t *program = json_pack("{s:s, s:{s:{s:s, s:{s:s}, s:i, s:i}, s:O?}, s:[s], s:b}",
		"type", "object", "properties", "command", "type", "array", "items", "type",
		"string", "minItems", 1, "maxItems", DECODE_LIST_MAX, "timeout_ms", timeout,
		"required", "command", "additionalProperties", 0);
	json_t *model = json_pack("{s:s, s:{s:{s:s, s:s}, s:{s:s, s:i}, s:{s:s, s:s}, s:o?}, "
				  "s:[s,s], s:b}",
		"type", "object", "properties", "url", "type", "string", "pattern",
		"^(https://|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:|/))", "model", "type",
		"string", "minLength", 1, "key_env", "type", "string", "pattern",
		"^[A-Za-z_][A-Za-z0-9_]*$", "timeout_ms", timeout, "required", "url", "model",
		"additionalProperties", 0);

	return json_pack("{s:[o, o]}", "oneOf", program, model);
}
