/* SPDX-License-Identifier: Apache-2.0 */
/* A URL, from a model or from a server, into what is asked for. Two readers of the
 * same URL must not come to two hosts: it is read by ambit, by whose reading it was
 * decided, then written anew with that host in it, and read again. */

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "request/host.h"
#include "tools/web/fetch-private.h"

#define SHOWN_MAX 120

void
goal_finish(struct goal *goal)
{
	free(goal->url);
	free(goal->host);
	*goal = (struct goal){ 0 };
}

/* A URL of the model's own is shown. One that a server wrote is not: this stands in
 * ambit's own words, where nothing marks it as somebody else's. */
static int
refuse_url(struct trip *trip, const char *url, const char *why, const char *hint)
{
	auto_free char *shown = str_escape(url, str_cut(url, strlen(url), SHOWN_MAX));

	return trip_fail(trip, EINVAL, AMBIT_CODE_BAD_ARGUMENTS, hint, "%s %s",
		trip->visited ? "where it leads"
		: shown	      ? shown
			      : "the URL",
		why);
}

static bool
has_user(const char *url)
{
	const char *at = strstr(url, "://");

	return at && memchr(at + 3, '@', strcspn(at + 3, "/?#"));
}

/* url with this host and without its fragment; NULL: not a URL, or no memory. */
static char *
rewrite_url(const char *url, const char *host)
{
	bool bracket = strchr(host, ':') != NULL;
	auto_free char *name = str_printf(bracket ? "[%s]" : "%s", host);
	char *made = NULL, *copy = NULL;
	CURLU *u = curl_url();

	if (u && name && curl_url_set(u, CURLUPART_URL, url, CURLU_URLENCODE) == CURLUE_OK &&
		curl_url_set(u, CURLUPART_HOST, name, 0) == CURLUE_OK &&
		curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK &&
		curl_url_get(u, CURLUPART_URL, &made, 0) == CURLUE_OK)
		copy = strdup(made);
	curl_free(made);
	curl_url_cleanup(u);
	return copy;
}

int
goal_parse(struct trip *trip, const char *url, struct goal *ret_goal)
{
	static const char again[] = "Give the plain http or https URL of the page.";
	bool tls = str_fold_equal(url, "https://", 8);
	auto_free char *host = NULL, *made = NULL, *host_again = NULL;
	int port, port_again;

	if (!tls && !str_fold_equal(url, "http://", 7))
		return refuse_url(trip, url,
			"is not an http or https URL, and others are not fetched", again);
	if (has_user(url))
		return refuse_url(trip, url, "has a user name in it, and none is ever sent",
			"Leave out what is before the @.");
	if (host_parse_url(url, &host, &port) < 0)
		return refuse_url(trip, url, "names no host that can be told for sure",
			"Percent-encode odd characters; write names in letters of ASCII "
			"(xn--...).");
	made = rewrite_url(url, host);
	if (!made || host_parse_url(made, &host_again, &port_again) < 0 ||
		!streq(host, host_again) || port != port_again)
		return refuse_url(trip, url, "can be read in two ways", again);
	*ret_goal = (struct goal){
		.url = steal_ptr(&made),
		.host = steal_ptr(&host),
		.port = port,
		.tls = tls,
	};
	return 0;
}

int
goal_follow(struct trip *trip, const char *base, const char *location, char **ret_url)
{
	char *made = NULL;
	CURLU *u = curl_url();
	bool ok = u && curl_url_set(u, CURLUPART_URL, base, 0) == CURLUE_OK &&
		  curl_url_set(u, CURLUPART_URL, location, CURLU_URLENCODE) == CURLUE_OK &&
		  curl_url_get(u, CURLUPART_URL, &made, 0) == CURLUE_OK;

	*ret_url = ok ? strdup(made) : NULL;
	curl_free(made);
	curl_url_cleanup(u);
	return *ret_url ? 0
			: refuse_url(trip, location, "is no place to go", "Fetch another page.");
}
