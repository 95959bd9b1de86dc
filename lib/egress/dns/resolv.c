/* SPDX-License-Identifier: Apache-2.0 */
/* /etc/resolv.conf into addresses. It is read each time it is needed: it changes
 * with the network, and whoever asks is about to wait for a name server. */

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/str.h"
#include "egress/dns/resolv.h"

#define RESOLV_CONF "/etc/resolv.conf"
#define RESOLV_MAX 65536

static void
add_server(struct resolv *resolv, const char *text)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&resolv->server[resolv->n];
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)in;
	char plain[INET6_ADDRSTRLEN];
	size_t n = strcspn(text, "%"); /* fe80::1%eth0 */

	if (resolv->n == RESOLV_SERVERS || n >= sizeof(plain))
		return;
	memcpy(plain, text, n);
	plain[n] = '\0';
	memset(&resolv->server[resolv->n], 0, sizeof(resolv->server[0]));
	if (inet_pton(AF_INET, plain, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(RESOLV_PORT);
		resolv->len[resolv->n++] = sizeof(*in);
	} else if (inet_pton(AF_INET6, plain, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(RESOLV_PORT);
		in6->sin6_scope_id = text[n] == '%' ? if_nametoindex(text + n + 1) : 0;
		resolv->len[resolv->n++] = sizeof(*in6);
	}
}

/* The last line that says it counts, and all of its words. */
static void
set_search(struct resolv *resolv, const char *words)
{
	resolv->n_search = 0;
	while (*words && resolv->n_search < RESOLV_SEARCH) {
		size_t n = strcspn(words, " \t\r");
		char *name = resolv->search[resolv->n_search];

		if (n > 0 && n < sizeof(resolv->search[0])) {
			for (size_t i = 0; i < n; i++)
				name[i] = str_lower(words[i]);
			if (name[n - 1] == '.')
				n--;
			name[n] = '\0';
			resolv->n_search += n > 0;
		}
		words += strcspn(words, " \t\r");
		words += strspn(words, " \t\r");
	}
}

void
resolv_parse(const char *text, struct resolv *ret_resolv)
{
	memset(ret_resolv, 0, sizeof(*ret_resolv));
	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[1024], word[64];
		int at = 0;

		snprintf(line, sizeof(line), "%.*s", len < sizeof(line) ? (int)len : 0, text);
		if (sscanf(line, "nameserver%*[ \t]%63[^ \t\r#;]", word) == 1)
			add_server(ret_resolv, word);
		else if (sscanf(line, "search%*[ \t]%n", &at) == 0 && at > 0)
			set_search(ret_resolv, line + at);
		else if (sscanf(line, "domain%*[ \t]%n", &at) == 0 && at > 0)
			set_search(ret_resolv, line + at);
		text += len + (text[len] == '\n');
	}
	if (ret_resolv->n == 0)
		add_server(ret_resolv, "127.0.0.1");
}

int
resolv_read(struct resolv *ret_resolv)
{
	auto_free char *text = NULL;
	size_t len;
	int r = fd_read_file(AT_FDCWD, RESOLV_CONF, RESOLV_MAX, &text, &len);

	memset(ret_resolv, 0, sizeof(*ret_resolv));
	if (r == 0)
		resolv_parse(text, ret_resolv);
	return r;
}

bool
resolv_completes(const char *name, size_t len, const char *whole)
{
	struct resolv resolv;

	if (strlen(whole) <= len || !str_fold_equal(whole, name, len) || whole[len] != '.' ||
		resolv_read(&resolv) < 0)
		return false;
	for (size_t i = 0; i < resolv.n_search; i++)
		if (streq(whole + len + 1, resolv.search[i]))
			return true;
	return false;
}
