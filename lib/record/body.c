/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON body as the engine has it -> the one line that is stored: secrets
 * taken out, long strings by digest, never more than RECORD_BODY_MAX. What a
 * request says is hostile: its keys, its depth and its size are not trusted. */

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/str.h"
#include "record/redact/redact.h"
#include "record/store.h"

/* The digest is that of the original bytes, so that a file at hand can be
 * compared with what was once written. */
static json_t *
digest_of(const char *data, size_t len)
{
	char hex[HASH_HEX];

	hash_sha256(data, len, hex);
	return json_pack("{s:s, s:I}", "sha256", hex, "bytes", (json_int_t)len);
}

static json_t *
digest_of_value(const json_t *value)
{
	if (json_is_string(value))
		return digest_of(json_string_value(value), json_string_length(value));
	auto_free char *line = json_line(value);

	return line ? digest_of(line, strlen(line)) : NULL;
}

static json_t *shrink_value(const json_t *value);

static json_t *
shrink_object(const json_t *value)
{
	auto_json json_t *copy = json_object();
	const char *key;
	json_t *member;

	json_object_foreach ((json_t *)value, key, member) {
		if (!copy || json_object_set_new(copy, key, shrink_value(member)) < 0)
			return NULL;
	}
	return steal_ptr(&copy);
}

static json_t *
shrink_array(const json_t *value)
{
	auto_json json_t *copy = json_array();
	size_t i;
	json_t *member;

	json_array_foreach (value, i, member) {
		if (!copy || json_array_append_new(copy, shrink_value(member)) < 0)
			return NULL;
	}
	return steal_ptr(&copy);
}

static json_t *
shrink_value(const json_t *value)
{
	if (json_is_object(value))
		return shrink_object(value);
	if (json_is_array(value))
		return shrink_array(value);
	if (json_is_string(value) && json_string_length(value) > BODY_STRING_MAX)
		return digest_of_value(value);
	return json_incref((json_t *)value);
}

static size_t
line_size(const json_t *value)
{
	return json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
}

/* The largest member of object that a digest would make smaller, or NULL. */
static const char *
find_largest_member(const json_t *object, size_t *ret_size)
{
	const char *found = NULL, *key;
	size_t most = 2 * HASH_HEX;
	json_t *member;

	json_object_foreach ((json_t *)object, key, member) {
		size_t size = line_size(member);

		if (size > most) {
			most = size;
			found = key;
		}
	}
	*ret_size = most;
	return found;
}

/* Room for what set_lost() adds. */
#define LOST_ROOM 256

/* Members give way to their digests, largest first, until the rest fits. At
 * most this many times: a body of ten thousand middling members is not worth
 * a quadratic effort, and goes by one digest as a whole. */
#define CUT_MAX 64

static int
limit_body_size(json_t *object, const json_t *original)
{
	const size_t max = RECORD_BODY_MAX - LOST_ROOM;

	size_t size = line_size(object);

	for (int i = 0; size > max && i < CUT_MAX; i++) {
		size_t most;
		const char *key = find_largest_member(object, &most);

		if (!key)
			break;
		const json_t *whole = json_object_get(original, key);
		json_t *digest = digest_of_value(whole ? whole : json_object_get(object, key));

		if (json_object_set_new(object, key, digest) < 0)
			return -ENOMEM;
		size = line_size(object);
	}
	if (size <= max)
		return 0;
	auto_json json_t *digest = digest_of_value(original);

	if (!digest || json_object_clear(object) < 0)
		return -ENOMEM;
	return json_object_update(object, digest) < 0 ? -ENOMEM : 0;
}

/* Whoever has the original can still tell that it is this one. Without the
 * digest, a word that looks like a secret's name would be a way to deny what
 * was done. */
static int
set_lost(json_t *clean, const struct body_lost *lost)
{
	json_t *value =
		json_pack("{s:I, s:s}", "count", (json_int_t)lost->count, "sha256", lost->sha256);

	return json_object_set_new(clean, "redacted", value) < 0 ? -ENOMEM : 0;
}

/* The digest of the line as it would have been. */
static int
digest_line(const json_t *small, struct body_lost *lost)
{
	auto_free char *line = json_line(small);

	if (!line)
		return -ENOMEM;
	hash_sha256(line, strlen(line), lost->sha256);
	return 0;
}

int
body_line(
	const json_t *body, const struct body_lost *lost, char **ret_line, struct ambit_error *err)
{
	if (body && !json_is_object(body))
		return err_set(err, EINVAL, "the body of an event is not an object");
	struct body_lost own = { 0 };
	auto_json json_t *none = body ? NULL : json_object();
	auto_json json_t *small = shrink_value(body ? body : none);
	auto_json json_t *clean = small ? redact_json(small, &own.count) : NULL;
	int r = clean ? limit_body_size(clean, body ? body : none) : -ENOMEM;

	if (own.count > 0)
		lost = &own;
	if (r == 0 && own.count > 0)
		r = digest_line(small, &own);
	if (r == 0 && lost && lost->count > 0)
		r = set_lost(clean, lost);
	char *line = r == 0 ? json_line(clean) : NULL;

	if (!line)
		return err_nomem(err);
	*ret_line = line;
	return 0;
}

/* Callers escape what they show, and escaping twice would double every
 * backslash: so only text that was not escaped is. */
static bool
is_plain_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return str_is_utf8(text, len);
}

/* Control bytes escaped, at most max bytes. Takes text over. */
static int
clean_stored_text(char *text, size_t max, char **ret_text)
{
	auto_free char *clean = text;

	if (!is_plain_text(clean, strlen(clean))) {
		char *shown = str_escape(clean, strlen(clean));

		free(clean);
		clean = shown;
	}
	if (!clean)
		return -ENOMEM;
	size_t len = strlen(clean);

	if (len > max) {
		len = max - 3;
		while (len > 0 && ((unsigned char)clean[len] & 0xc0) == 0x80)
			len--;
		memcpy(clean + len, "...", 4);
	}
	*ret_text = steal_ptr(&clean);
	return 0;
}

int
body_text(const char *text, size_t max, struct body_lost *lost, char **ret_text)
{
	struct buf buf = { 0 };

	if (!text) {
		*ret_text = NULL;
		return 0;
	}
	if (redact_append(&buf, text, strlen(text)) > 0 && lost) {
		lost->count++;
		hash_sha256(text, strlen(text), lost->sha256);
	}
	char *clean = buf_take(&buf);

	return clean ? clean_stored_text(clean, max, ret_text) : -ENOMEM;
}
