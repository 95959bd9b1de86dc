/* SPDX-License-Identifier: Apache-2.0 */
/* A host into the patterns that may be offered for it. The host is a program's choice: a pattern
 * that covers other people's names would let it send what it read to one of them. The owner
 * of a name cannot be known for sure, so the table offers too little rather than too much. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ask/question-hosts.h"
#include "base/own.h"
#include "base/str.h"
#include "request/host.h"

/* Beneath these anybody may get a name, or names mean another machine on each network. */
static const char *const shared_names[] = {
	/* networks' own */
	"arpa", "corp", "home", "internal", "intranet", "lan", "local", "localdomain", "localhost",
	"onion", "private",
	/* hosting, where each customer has a name */
	"akamaized.net", "amazonaws.com", "amplifyapp.com", "appspot.com", "azure.com",
	"azureedge.net", "azurefd.net", "azurewebsites.net", "backblazeb2.com", "blogspot.com",
	"cloudapp.net", "cloudfront.net", "cloudfunctions.net", "codeberg.page", "convex.site",
	"deno.dev", "digitaloceanspaces.com", "duckdns.org", "dyndns.org", "edgekey.net",
	"fastly.net", "firebaseapp.com", "firebaseio.com", "fly.dev", "gitbook.io", "github.dev",
	"github.io", "githubpreview.dev", "githubusercontent.com", "gitlab.io", "glitch.me",
	"googleapis.com", "googleusercontent.com", "herokuapp.com", "hf.space", "loca.lt",
	"lovable.app", "modal.run", "myshopify.com", "netlify.app", "ngrok-free.app", "ngrok.app",
	"ngrok.io", "no-ip.org", "now.sh", "on.aws", "onrender.com", "oraclecloud.com", "ovh.net",
	"pages.dev", "pipedream.net", "r2.dev", "railway.app", "readthedocs.io", "repl.co",
	"replit.app", "replit.dev", "requestbin.net", "run.app", "sharepoint.com", "surge.sh",
	"trycloudflare.com", "vercel.app", "web.app", "webhook.site", "windows.net", "wixsite.com",
	"wordpress.com", "workers.dev"
};

static bool
is_listed(const char *name)
{
	for (size_t i = 0; i < sizeof(shared_names) / sizeof(shared_names[0]); i++)
		if (streq(shared_names[i], name))
			return true;
	return false;
}

/* "co.uk", "com.au", "gouv.fr": countries give out names one level further down. There are more of
 * them than a table can keep up with, and they are short. */
#define COUNTRY_LEVEL_MAX 4

static bool
is_country_level(const char *name, const char *dot)
{
	return strlen(dot + 1) == 2 && dot - name <= COUNTRY_LEVEL_MAX;
}

/* Whether names beneath this one are other people's. The same holds for all above it: the table
 * has names of one and two labels, and what has three lies beneath one of them or does not. */
static bool
is_shared(const char *name)
{
	const char *dot = strchr(name, '.');

	if (!dot || is_country_level(name, dot))
		return true;
	for (const char *at = name; at; at = strchr(at, '.')) {
		at += *at == '.';
		if (is_listed(at))
			return true;
	}
	return false;
}

bool
question_is_pattern(const char *width)
{
	return width && str_prefix(width, "*.");
}

static int
append_pattern(char ***list, const char *name, int port)
{
	auto_free char *pattern =
		port > 0 ? str_printf("*.%s:%d", name, port) : str_printf("*.%s", name);

	return pattern ? strv_append(list, pattern) : -ENOMEM;
}

/* An address has no names beneath it, and so long a name is covered by no pattern. */
static bool
may_have_patterns(const char *name)
{
	return !host_is_unix(name) && !host_is_long(name) && !host_is_localhost(name) &&
	       !host_ends_in_number(name) && !strchr(name, ':') && name[0] != '.';
}

int
question_list_patterns(const char *host, char ***ret_list)
{
	auto_free char *name = NULL;
	char **list = NULL;
	int port = 0, r = 0;

	*ret_list = NULL;
	if (host_parse(host, &name, &port) < 0 || !may_have_patterns(name))
		return 0;
	for (const char *dot = strchr(name, '.'); r == 0 && dot && !is_shared(dot + 1);
		dot = strchr(dot + 1, '.'))
		r = append_pattern(&list, dot + 1, port);
	if (r < 0) {
		strv_free(list);
		return r;
	}
	*ret_list = list;
	return 0;
}
