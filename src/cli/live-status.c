/* SPDX-License-Identifier: Apache-2.0 */
/* What a live session says of itself, for people: what the kernel holds, what the gate
 * did, what was given and refused. It is a door of the person's own; its words came
 * from programs behind the line, and are escaped. */

#include <stdio.h>
#include <stdlib.h>

#include "cli-live.h"
#include "out.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

#define SHOWN_MAX 10

json_t *
live_status(const struct live_list *list, const char *session)
{
	auto_json json_t *array = json_array();

	for (size_t i = 0; array != NULL && i < list->n; i++) {
		auto_free char *text = NULL;
		struct ambit_error why = { 0 };
		json_t *one = NULL;

		if (!streq(list->list[i].session, session))
			continue;
		if (live_call(list, &list->list[i], "status", &text, &why) < 0 ||
			json_parse(text, strlen(text), &one, &why) < 0)
			fprintf(stderr, "ambit: %s\n", why.text);
		else if (json_array_append_new(array, one) < 0)
			return NULL;
	}
	return steal_ptr(&array);
}

static long long
number_of(const json_t *object, const char *key)
{
	return (long long)json_integer_value(json_object_get(object, key));
}

static void
show_given(const json_t *status)
{
	const json_t *list = json_object_get(status, "given"), *one;
	size_t n = json_array_size(list), i;

	json_array_foreach (list, i, one) {
		if (i + SHOWN_MAX < n)
			continue;
		printf("  given       ");
		out_text(json_text(one, "path"));
		printf(" to ");
		out_text(json_text(one, "program"));
		printf(" (pid %lld)\n", number_of(one, "pid"));
	}
	if (number_of(status, "given_total") > SHOWN_MAX)
		printf("  given       %lld in all\n", number_of(status, "given_total"));
}

/* Subjects were escaped where they were stored. */
static void
show_refused(const json_t *status)
{
	const json_t *list = json_object_get(status, "refusals"), *one;
	size_t i;

	json_array_foreach (list, i, one) {
		if (i >= SHOWN_MAX)
			break;
		printf("  refused     %s %s (%s), %s", json_text(one, "what"),
			json_text(one, "subject"), json_text(one, "code"),
			json_text(one, "program"));
		if (number_of(one, "count") > 1)
			printf(", %lld times", number_of(one, "count"));
		putchar('\n');
	}
	if (json_object_get(status, "refused") != NULL)
		printf("  refused     %lld so far\n", number_of(status, "refused"));
}

/* A run has a floor and a gate; a server's commands have each their own. */
static void
show_line(const json_t *status)
{
	if (json_object_get(status, "landlock") == NULL)
		return;
	printf("  floor       Landlock %lld; %zu folders open to writes, %zu looked at call by "
	       "call%s\n",
		number_of(status, "landlock"), json_array_size(json_object_get(status, "writable")),
		json_array_size(json_object_get(status, "spine")),
		json_is_true(json_object_get(status, "narrowed"))
			? "; less is allowed now than it gives, so all is done by the gate"
			: "");
	printf("  gate        %lld calls, %lld asked, %lld held now\n", number_of(status, "calls"),
		number_of(status, "asked"), number_of(status, "held"));
}

void
live_show(const json_t *statuses)
{
	const json_t *status;
	size_t i;

	json_array_foreach (statuses, i, status) {
		printf("live          %s (pid %lld): %s\n", json_text(status, "door"),
			number_of(status, "pid"), json_text(status, "what"));
		if (number_of(status, "watchers") > 0)
			printf("  watched     by %lld\n", number_of(status, "watchers"));
		show_line(status);
		show_given(status);
		show_refused(status);
	}
}
