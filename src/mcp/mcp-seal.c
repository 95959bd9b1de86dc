/* SPDX-License-Identifier: Apache-2.0 */
/* What a client carries from a question to its answer, in the modern era: which call,
 * which question, what was answered before. It comes back from a program that may
 * have been told to change it, so it is authenticated with a key that lives as long
 * as this process, bound to the call by digest, has an end, and is good once. What
 * fails any of that is no answer, and the question is put anew. */

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "mcp.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"

#define WINDOW 4096 /* how many seals are remembered as used; what is older is void */
#define BASE64 sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define SEALED_MAX (64u << 10)

struct seals {
	pthread_mutex_t lock;
	unsigned char key[crypto_auth_KEYBYTES];
	uint64_t last;
	unsigned char used[WINDOW / 8]; /* by number modulo WINDOW */
};

struct seals *
seals_create(void)
{
	struct seals *seals = sodium_init() >= 0 ? calloc(1, sizeof(*seals)) : NULL;

	if (seals == NULL)
		return NULL;
	pthread_mutex_init(&seals->lock, NULL);
	crypto_auth_keygen(seals->key);
	return seals;
}

void
seals_destroy(struct seals *seals)
{
	if (seals == NULL)
		return;
	pthread_mutex_destroy(&seals->lock);
	sodium_memzero(seals->key, sizeof(seals->key));
	free(seals);
}

/* -- digests --------------------------------------------------------------------- */

int
seal_call_digest(const char *tool, const json_t *args, char ret_hex[SEAL_DIGEST])
{
	auto_json json_t *both = json_pack("[s O]", tool, args);
	auto_free char *text = both != NULL ? json_line(both) : NULL;

	if (text == NULL)
		return -ENOMEM;
	hash_sha256(text, strlen(text), ret_hex);
	return 0;
}

/* With lengths, so that two fields cannot share their bytes otherwise. */
static void
append_digest_field(struct buf *out, const char *text)
{
	buf_printf(out, "%zu:", text != NULL ? strlen(text) : 0);
	buf_puts(out, text != NULL ? text : "");
}

int
seal_question_digest(const struct ambit_question *question, char ret_hex[SEAL_DIGEST])
{
	auto_buf struct buf text = { 0 };

	append_digest_field(&text, question->who);
	append_digest_field(&text, question->what);
	append_digest_field(&text, question->why);
	for (size_t i = 0; i < question->n_choices; i++) {
		buf_printf(&text, "%d", (int)question->choices[i].kind);
		append_digest_field(&text, question->choices[i].path);
		append_digest_field(&text, question->choices[i].stores);
	}
	if (text.failed)
		return -ENOMEM;
	hash_sha256(text.data, text.len, ret_hex);
	return 0;
}

/* -- seals ----------------------------------------------------------------------- */

static bool
is_used(const struct seals *seals, uint64_t number)
{
	return number == 0 || number > seals->last || seals->last - number >= WINDOW ||
	       (seals->used[number % WINDOW / 8] & 1u << number % 8) != 0;
}

static uint64_t
next_number(struct seals *seals)
{
	uint64_t number;

	pthread_mutex_lock(&seals->lock);
	number = ++seals->last;
	seals->used[number % WINDOW / 8] &= (unsigned char)~(1u << number % 8);
	pthread_mutex_unlock(&seals->lock);
	return number;
}

static bool
use_number(struct seals *seals, uint64_t number)
{
	bool fresh;

	pthread_mutex_lock(&seals->lock);
	fresh = !is_used(seals, number);
	if (fresh)
		seals->used[number % WINDOW / 8] |= (unsigned char)(1u << number % 8);
	pthread_mutex_unlock(&seals->lock);
	return fresh;
}

char *
seal_make(struct seals *seals, const char *call, const char *question, const json_t *answers,
	int64_t expires)
{
	auto_json json_t *object = json_pack("{s:I s:s s:s s:O s:I}", "number",
		(json_int_t)next_number(seals), "call", call, "question", question, "answers",
		answers, "expires", (json_int_t)expires);
	auto_free char *text = object != NULL ? json_line(object) : NULL;
	size_t len = text != NULL ? strlen(text) : 0, room;
	auto_free unsigned char *sealed = malloc(crypto_auth_BYTES + len + 1);
	char *out;

	if (text == NULL || sealed == NULL)
		return NULL;
	crypto_auth(sealed, (const unsigned char *)text, len, seals->key);
	memcpy(sealed + crypto_auth_BYTES, text, len);
	room = sodium_base64_ENCODED_LEN(crypto_auth_BYTES + len, BASE64);
	out = malloc(room);
	if (out != NULL)
		sodium_bin2base64(out, room, sealed, crypto_auth_BYTES + len, BASE64);
	return out;
}

/* The text that was sealed, if it is this process' own. */
static int
unseal_object(struct seals *seals, const char *text, json_t **ret_object)
{
	size_t len = strlen(text), got = 0;
	auto_free unsigned char *sealed = len <= SEALED_MAX ? malloc(len + 1) : NULL;
	const unsigned char *body;

	if (sealed == NULL)
		return len > SEALED_MAX ? -EBADMSG : -ENOMEM;
	if (sodium_base642bin(sealed, len, text, len, NULL, &got, NULL, BASE64) != 0 ||
		got <= crypto_auth_BYTES)
		return -EBADMSG;
	body = sealed + crypto_auth_BYTES;
	got -= crypto_auth_BYTES;
	if (crypto_auth_verify(sealed, body, got, seals->key) != 0)
		return -EBADMSG;
	return json_parse((const char *)body, got, ret_object, NULL) < 0 ? -ENOMEM : 0;
}

int
seal_open(struct seals *seals, const char *text, const char *call, json_t **ret_answers,
	char ret_question[SEAL_DIGEST])
{
	auto_json json_t *object = NULL;
	const char *mine, *question;
	int r = unseal_object(seals, text, &object);

	if (r < 0)
		return r;
	mine = json_string_value(json_object_get(object, "call"));
	question = json_string_value(json_object_get(object, "question"));
	if (mine == NULL || question == NULL || !streq(mine, call) ||
		strlen(question) >= SEAL_DIGEST)
		return -EBADMSG;
	memcpy(ret_question, question, strlen(question) + 1);
	if (clock_now() >= json_integer_value(json_object_get(object, "expires")))
		return -ESTALE;
	if (!use_number(seals, (uint64_t)json_integer_value(json_object_get(object, "number"))))
		return -EALREADY;
	*ret_answers = json_incref(json_object_get(object, "answers"));
	return 0;
}
