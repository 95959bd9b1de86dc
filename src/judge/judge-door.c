/* SPDX-License-Identifier: Apache-2.0 */
/* ambit judge: a question on standard input to a model and back, for the ambit that
 * started it, which is trusted and checks what is printed here as if it were not. The key
 * comes out of the environment by its name, and is not in arguments, output or messages. */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "judge-door.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

#include "cli/door.h"

static int
read_input(json_t **ret_input, struct ambit_error *err)
{
	auto_free char *text = malloc(JUDGE_INPUT_MAX);
	size_t len = 0;
	ssize_t n = 1;

	while (text != NULL && n > 0 && len < JUDGE_INPUT_MAX) {
		n = read(STDIN_FILENO, text + len, JUDGE_INPUT_MAX - len);
		len += n > 0 ? (size_t)n : 0;
	}
	if (text == NULL)
		return err_nomem(err);
	if (n != 0)
		return err_set(err, EIO, "standard input cannot be read to its end");
	return json_parse(text, len, ret_input, err);
}

static const char *
text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* A key with a line end in it would be more than one header. */
static int
take_key(const char *name, const char **ret_key, struct ambit_error *err)
{
	const char *key = name != NULL ? getenv(name) : NULL;

	if (name != NULL && (key == NULL || *key == '\0'))
		return err_set(err, ENOENT, "the environment has no %s", name);
	for (const char *c = key; c != NULL && *c != '\0'; c++)
		if (*c <= ' ' || *c > '~')
			return err_set(err, EINVAL, "%s does not hold a key", name);
	*ret_key = key;
	return 0;
}

static int
make_errand(const json_t *input, struct errand *errand, struct ambit_error *err)
{
	const char *model = text_of(input, "model");
	const json_t *request = json_object_get(input, "request");

	errand->url = text_of(input, "url");
	errand->timeout_ms = (long)json_integer_value(json_object_get(input, "timeout_ms"));
	if (errand->url == NULL || model == NULL || !json_is_object(request) ||
		errand->timeout_ms <= 0)
		return err_set(err, EINVAL, "a question has url, model, timeout_ms and request");
	errand->plain = str_prefix(errand->url, "http://");
	errand->body = chat_body(model, request);
	if (errand->body == NULL)
		return err_nomem(err);
	return take_key(text_of(input, "key_env"), &errand->key, err);
}

static int
ask_judge_model(const json_t *input, struct ambit_error *err)
{
	auto_free char *answer = NULL;
	auto_json json_t *object = NULL;
	struct errand errand = { 0 };
	const char *content;
	size_t len = 0;
	int r = make_errand(input, &errand, err);

	if (r == 0)
		r = errand_run(&errand, &answer, &len, err);
	free(errand.body);
	if (r == 0)
		r = json_parse(answer, len, &object, err);
	if (r == 0)
		r = chat_read(object, &content, err);
	if (r == 0 && puts(content) < 0)
		r = err_sys(err, EIO, "standard output");
	return r;
}

/* The one who started it reads nothing but this. */
static int
tell_failure(int r, const struct ambit_error *err)
{
	auto_json json_t *object = json_object();
	auto_free char *line = NULL;

	if (object != NULL && json_set_text(object, "failed", err->text) == 0)
		line = json_line(object);
	return line != NULL && puts(line) >= 0 ? EXIT_OK : r;
}

int
door_judge(const struct args *args, struct ambit_error *err)
{
	auto_json json_t *input = NULL;
	int r = read_input(&input, err);

	(void)args;
	if (r == 0)
		r = ask_judge_model(input, err);
	return r < 0 ? tell_failure(r, err) : r;
}
