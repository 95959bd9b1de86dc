/* SPDX-License-Identifier: Apache-2.0 */
/* The kind "host": a host, a URL or a pattern becomes what ambit reads in it. args: says
 * which of the functions below is asked. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/str.h"
#include "request/host.h"
#include "texts.h"

/* A split of "PATTERN | HOST | PORT". */
#define BAR " | "

static char *
print_host(int r, const char *host, int port)
{
	if (r < 0)
		return r == -EINVAL ? str_dup("refused") : str_printf("error %d", -r);
	return port ? str_printf("%s port %d", host, port) : str_dup(host);
}

static char *
ask_spelling(char *text)
{
	auto_free char *host = NULL;
	int port = -1, r = host_parse(text, &host, &port);

	return print_host(r, host, port);
}

static char *
ask_url(char *text)
{
	auto_free char *host = NULL;
	int port = -1, r = host_parse_url(text, &host, &port);

	return print_host(r, host, port);
}

static char *
cut_at_bar(char *text)
{
	char *bar = strstr(text, BAR);

	if (!bar)
		return NULL;
	*bar = '\0';
	return bar + strlen(BAR);
}

static char *
ask_match(char *pattern)
{
	char *host = cut_at_bar(pattern), *port = host ? cut_at_bar(host) : NULL;
	int number = !port ? 0 : streq(port, "any") ? HOST_PORT_ANY : (int)strtol(port, NULL, 10);

	if (!host)
		return str_dup("not 'PATTERN | HOST'");
	return str_dup(host_match(pattern, host, number) ? "yes" : "no");
}

static char *
ask_pattern(char *text)
{
	int r = host_pattern_check(text);

	return r == 0 ? str_dup("good") : print_host(r, NULL, 0);
}

static char *
ask_local(char *text)
{
	return str_dup(host_is_local(text) ? "local" : "no");
}

static char *
ask_long(char *text)
{
	return str_dup(host_is_long(text) ? "long" : "no");
}

static char *
ask_socket(char *text)
{
	return str_dup(host_unix_text(text));
}

static char *
ask_service(char *text)
{
	return str_dup(host_of_service(text));
}

static const struct {
	const char *args;
	char *(*ask)(char *text); /* may write into it; the caller frees what comes back */
} questions[] = {
	{ "spelling", ask_spelling },
	{ "url", ask_url },
	{ "match", ask_match },
	{ "pattern", ask_pattern },
	{ "local", ask_local },
	{ "long", ask_long },
	{ "socket", ask_socket },
	{ "service", ask_service },
};

static const char *
run_host(const struct text_test *test, struct text_outputs *out)
{
	auto_free char *text = str_dup(text_find(test, "in")->data);

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		if (streq(questions[i].args, test->args)) {
			auto_free char *result = questions[i].ask(text);

			text_puts(out, "", result);
			return NULL;
		}
	return "args: is none of spelling, url, match, pattern, local, long, socket, "
	       "service";
}

const struct text_kind text_host = {
	.name = "host",
	.inputs = "in",
	.run = run_host,
};
