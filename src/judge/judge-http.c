/* SPDX-License-Identifier: Apache-2.0 */
/* One POST to the judge's address. The address is the person's; the way there is not
 * trusted: certificates are checked, nothing is followed, little is read. Over plain
 * http only this machine is reached, by no proxy, and only one whom none of those who
 * ask can be. */

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <ambit/ambit.h>

#include "judge-door.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

struct transfer {
	const struct errand *errand;
	struct buf answer;
	int port;		/* that was connected to */
	struct ambit_error why; /* it was not */
};

static size_t
on_body(char *data, size_t size, size_t n, void *user)
{
	struct transfer *t = user;

	if (size * n > JUDGE_ANSWER_MAX - t->answer.len)
		return 0;
	buf_append(&t->answer, data, size * n);
	return t->answer.failed ? 0 : size * n;
}

static bool
is_loopback(const struct sockaddr *address, int *ret_port)
{
	const struct sockaddr_in *in = (const void *)address;
	const struct sockaddr_in6 *in6 = (const void *)address;

	if (address->sa_family == AF_INET) {
		*ret_port = ntohs(in->sin_port);
		return ntohl(in->sin_addr.s_addr) >> 24 == 127;
	}
	*ret_port = address->sa_family == AF_INET6 ? ntohs(in6->sin6_port) : 0;
	return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

/* "localhost" is a name like others: it is where it leads that counts. */
static curl_socket_t
on_socket(void *user, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct transfer *t = user;
	int port = 0;

	(void)purpose;
	if (t->errand->plain && !is_loopback(&address->addr, &port)) {
		err_set(&t->why, EPERM, "its name leads elsewhere than to this machine");
		return CURL_SOCKET_BAD;
	}
	if (t->errand->plain && listener_check(port, &t->why) < 0)
		return CURL_SOCKET_BAD;
	t->port = port;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* The key goes into a header of this process' memory, and is nowhere else. */
static int
make_headers(const struct errand *errand, struct curl_slist **ret_list)
{
	static const char *const fixed[] = { "Content-Type: application/json",
		"Accept: application/json", "Expect:" };
	auto_free char *key = NULL;
	struct curl_slist *list = NULL, *more = NULL;
	size_t n = sizeof(fixed) / sizeof(fixed[0]);

	if (errand->key && !(key = str_printf("Authorization: Bearer %s", errand->key)))
		return -ENOMEM;
	for (size_t i = 0; i <= n; i++) {
		const char *row = i < n ? fixed[i] : key;

		more = row ? curl_slist_append(list, row) : list;
		if (!more) {
			curl_slist_free_all(list);
			return -ENOMEM;
		}
		list = more;
	}
	*ret_list = list;
	return 0;
}

static CURLcode
set_judge_options(CURL *easy, struct transfer *t, struct curl_slist *headers)
{
	const struct errand *errand = t->errand;
	CURLcode r = CURLE_OK;

#define SET(option, value) r = r ? r : curl_easy_setopt(easy, option, value)
	SET(CURLOPT_URL, errand->url);
	SET(CURLOPT_POSTFIELDS, errand->body);
	SET(CURLOPT_HTTPHEADER, headers);
	SET(CURLOPT_PROTOCOLS_STR, errand->plain ? "http" : "https");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_TIMEOUT_MS, errand->timeout_ms);
	SET(CURLOPT_USERAGENT, "ambit/" AMBIT_VERSION);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, t);
	SET(CURLOPT_OPENSOCKETFUNCTION, on_socket);
	SET(CURLOPT_OPENSOCKETDATA, t);
	if (errand->plain) {
		SET(CURLOPT_PROXY, "");
		SET(CURLOPT_NOPROXY, "*");
	}
#undef SET
	return r;
}

static int
perform_transfer(CURL *easy, struct transfer *t, struct ambit_error *err)
{
	CURLcode code = curl_easy_perform(easy);
	long status = 0;

	if (code != CURLE_OK)
		return err_set(
			err, EIO, "%s", t->why.code != 0 ? t->why.text : curl_easy_strerror(code));
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		return err_set(err, EIO, "it answered with status %ld", status);
	/* Who listened before the call may have been another than who answered it. */
	return t->errand->plain ? listener_check(t->port, err) : 0;
}

int
errand_run(const struct errand *errand, char **ret_answer, size_t *ret_len, struct ambit_error *err)
{
	struct transfer t = { .errand = errand };
	struct curl_slist *headers = NULL;
	CURL *easy = curl_easy_init();
	int r = easy && make_headers(errand, &headers) == 0 ? 0 : err_nomem(err);

	if (r == 0 && set_judge_options(easy, &t, headers) != CURLE_OK)
		r = err_set(err, ENOSYS, "libcurl cannot be told what it must not do");
	if (r == 0)
		r = perform_transfer(easy, &t, err);
	curl_slist_free_all(headers);
	curl_easy_cleanup(easy);
	if (r == 0) {
		*ret_len = t.answer.len;
		*ret_answer = buf_take(&t.answer);
		r = *ret_answer ? 0 : err_nomem(err);
	}
	buf_finish(&t.answer);
	return r;
}
