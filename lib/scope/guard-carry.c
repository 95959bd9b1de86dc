/* SPDX-License-Identifier: Apache-2.0 */
/* What was found at the start of a session, for the one inside it. That one looks
 * for itself, but at a folder that the outer session's command has been at: what
 * was a guard when all began must not be forgotten because it is hidden now. The
 * text comes from the outer supervisor, which is this program. */

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "scope/guard-private.h"

/* Names are bytes, and JSON has none. */
static json_t *
encode_hex_name(const char *text)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = strlen(text);
	auto_free char *out = malloc(2 * n + 1);

	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[(unsigned char)text[i] >> 4];
		out[2 * i + 1] = digits[(unsigned char)text[i] & 15];
	}
	out[2 * n] = '\0';
	return json_string(out);
}

static char *
decode_hex_name(const char *text)
{
	size_t n = text ? strlen(text) / 2 : 0;
	char *out = n > 0 ? malloc(n + 1) : NULL;

	for (size_t i = 0; out && i < n; i++)
		out[i] = (char)strtoul((char[]){ text[2 * i], text[2 * i + 1], '\0' }, NULL, 16);
	if (out)
		out[n] = '\0';
	return out;
}

static json_t *
pack_guard_row(const struct guard *guard)
{
	return json_pack("{s:s, s:s, s:s?, s:b, s:b, s:b}", "pattern", guard->pattern, "text",
		guard->text, "except", guard->except, "reads", guard->reads, "kept", guard->kept,
		"loose", guard->loose);
}

static int
put_places(json_t *list, const struct guard_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_t *one = pack_guard_row(places[i].guard);

		if (!one || json_object_set_new(one, "real", encode_hex_name(places[i].real)) < 0 ||
			json_array_append_new(list, one) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int
put_inodes(json_t *list, const struct guards *guards)
{
	for (size_t i = 0; i < guards->n_inodes; i++) {
		json_t *one = pack_guard_row(guards->inodes[i].guard);

		if (!one ||
			json_object_set_new(
				one, "dev", json_integer((json_int_t)guards->inodes[i].dev)) < 0 ||
			json_object_set_new(
				one, "ino", json_integer((json_int_t)guards->inodes[i].ino)) < 0 ||
			json_array_append_new(list, one) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int
put_gitdirs(json_t *list, const struct guards *guards)
{
	for (char **dir = guards->gitdirs; dir && *dir; dir++)
		if (json_array_append_new(list, encode_hex_name(*dir)) < 0)
			return -ENOMEM;
	return 0;
}

char *
guards_carry(const struct guards *guards)
{
	json_t *aliases = json_array(), *places = json_array(), *inodes = json_array();
	json_t *gitdirs = json_array();
	auto_json json_t *whole = json_pack("{s:o, s:o, s:o, s:o}", "aliases", aliases, "places",
		places, "inodes", inodes, "gitdirs", gitdirs);

	if (!whole || put_places(aliases, guards->aliases, guards->n_aliases) < 0 ||
		put_places(places, guards->places, guards->n_places) < 0 ||
		put_inodes(inodes, guards) < 0 || put_gitdirs(gitdirs, guards) < 0)
		return NULL;
	return json_line(whole);
}

/* -- taking it -------------------------------------------------------------------- */

static const char *
text_of(const json_t *one, const char *key)
{
	return json_string_value(json_object_get(one, key));
}

/* The same row is told again and again, one after another. */
static const struct guard *
own_row(struct guards *guards, const json_t *one)
{
	const char *pattern = text_of(one, "pattern"), *text = text_of(one, "text");
	struct guard_own *own = guards->own;
	const struct guard row = {
		.pattern = pattern,
		.reads = json_is_true(json_object_get(one, "reads")),
		.kept = json_is_true(json_object_get(one, "kept")),
		.loose = json_is_true(json_object_get(one, "loose")),
	};

	if (!pattern || !text)
		return NULL;
	if (own && own->carried && streq(own->guard.pattern, pattern) &&
		own->guard.reads == row.reads && own->guard.kept == row.kept &&
		own->guard.loose == row.loose)
		return &own->guard;
	own = calloc(1, sizeof(*own));
	if (!own)
		return NULL;
	own->next = guards->own;
	guards->own = own;
	own->carried = true;
	own->guard = row;
	own->guard.pattern = own->text = strdup(pattern);
	own->guard.text = own->why = strdup(text);
	own->guard.except = own->except = str_dup(text_of(one, "except"));
	return own->text && own->why ? &own->guard : NULL;
}

static int
take_places(struct guards *guards, const json_t *list, bool alias)
{
	const json_t *one;
	size_t i;
	int r = 0;

	json_array_foreach (list, i, one) {
		const struct guard *guard = own_row(guards, one);
		auto_free char *real = decode_hex_name(text_of(one, "real"));

		if (!guard || !real)
			return -ENOMEM;
		/* Of an alias there is a place as well, and it is told as one. */
		r = alias ? guards_add_name(guards, real, guard)
			  : guards_add_place(guards, real, guard);
		if (r < 0)
			return r;
	}
	return r;
}

static int
take_inodes(struct guards *guards, const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach (list, i, one) {
		const struct guard *guard = own_row(guards, one);
		struct stat st = {
			.st_dev = (dev_t)json_integer_value(json_object_get(one, "dev")),
			.st_ino = (ino_t)json_integer_value(json_object_get(one, "ino")),
		};

		if (!guard || guards_add_inode(guards, &st, guard) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int
take_gitdirs(struct guards *guards, const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach (list, i, one) {
		auto_free char *real = decode_hex_name(json_string_value(one));

		if (!real || guards_add_gitdir(guards, real) < 0)
			return -ENOMEM;
	}
	return 0;
}

int
guards_take(struct guards *guards, const char *text, struct ambit_error *err)
{
	auto_json json_t *whole = NULL;
	int r = json_parse(text, strlen(text), &whole, err);

	if (r < 0)
		return err_context(err, "the guards of the run around this one");
	if (take_places(guards, json_object_get(whole, "aliases"), true) < 0 ||
		take_places(guards, json_object_get(whole, "places"), false) < 0 ||
		take_inodes(guards, json_object_get(whole, "inodes")) < 0 ||
		take_gitdirs(guards, json_object_get(whole, "gitdirs")) < 0)
		return err_nomem(err);
	return 0;
}
