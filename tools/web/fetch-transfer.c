/* SPDX-License-Identifier: Apache-2.0 */
/* One request and its answer, by libcurl, on an address that was decided about.
 * The server is not trusted: not with how much it sends, packed or in headers, not
 * with when, not with where to go next. libcurl is told the address, and the socket
 * is only made for it: a second answer to the name changes nothing. */

#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ambit/ambit.h>

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"
#include "tools/web/fetch-private.h"

#define HEADERS_MAX (256 << 10) /* bytes of all headers of one answer */
#define PROGRESS_MS 500
#define WORDS_MAX 160 /* bytes of libcurl's that are shown */

struct transfer {
	struct trip *trip;
	const struct goal *goal;
	CURL *easy;
	CURLM *multi;
	struct curl_slist *pins, *headers;
	size_t header_bytes;
	int64_t told;
	bool astray; /* libcurl wanted to go elsewhere */
	char words[CURL_ERROR_SIZE];
};

/* -- what libcurl calls ----------------------------------------------------------------- */

static size_t
on_body(char *data, size_t size, size_t n, void *user)
{
	struct transfer *t = user;
	struct fetched *page = t->trip->page;
	size_t len = size * n, room = t->trip->fetch->max - page->body.len;

	buf_append(&page->body, data, len < room ? len : room);
	page->cut = len > room;
	/* Less than it gave ends the transfer. */
	return page->cut || page->body.failed ? CURL_WRITEFUNC_ERROR : len;
}

static size_t
on_header(char *data, size_t size, size_t n, void *user)
{
	struct transfer *t = user;

	(void)data;
	t->header_bytes += size * n;
	return t->header_bytes > HEADERS_MAX ? CURL_WRITEFUNC_ERROR : size * n;
}

static bool
is_same_address(const struct goal_address *address, const struct curl_sockaddr *at)
{
	const struct sockaddr_in *a4 = (const struct sockaddr_in *)&address->at;
	const struct sockaddr_in6 *a6 = (const struct sockaddr_in6 *)&address->at;

	if (address->at.ss_family != at->family)
		return false;
	if (at->family == AF_INET) {
		struct sockaddr_in b;

		memcpy(&b, &at->addr, sizeof(b));
		return a4->sin_port == b.sin_port && a4->sin_addr.s_addr == b.sin_addr.s_addr;
	}
	return at->family == AF_INET6 && at->addrlen == sizeof(*a6) &&
	       memcmp(&((const struct sockaddr_in6 *)(const void *)&at->addr)->sin6_addr,
		       &a6->sin6_addr, sizeof(a6->sin6_addr)) == 0 &&
	       ((const struct sockaddr_in6 *)(const void *)&at->addr)->sin6_port == a6->sin6_port;
}

static curl_socket_t
on_socket(void *user, curlsocktype purpose, struct curl_sockaddr *at)
{
	struct transfer *t = user;

	for (size_t i = 0; purpose == CURLSOCKTYPE_IPCXN && i < t->goal->n; i++)
		if (is_same_address(&t->goal->address[i], at))
			return socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
	t->astray = true;
	return CURL_SOCKET_BAD;
}

static int
on_progress(void *user, curl_off_t total, curl_off_t done, curl_off_t up, curl_off_t sent)
{
	struct transfer *t = user;
	const struct fetch *fetch = t->trip->fetch;
	int64_t now = trip_now();

	(void)up;
	(void)sent;
	if (fetch->progress && now - t->told >= PROGRESS_MS) {
		t->told = now;
		fetch->progress(fetch->data, (uint64_t)done, (uint64_t)total);
	}
	return 0;
}

/* -- before ----------------------------------------------------------------------------- */

static void
begin_curl(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* "host:port:address,address": the name is not looked up any more. */
static int
pin_addresses(struct transfer *t)
{
	auto_buf struct buf row = { 0 };

	buf_printf(&row, "%s:%d:", t->goal->host, t->goal->port);
	for (size_t i = 0; i < t->goal->n; i++) {
		bool v6 = t->goal->address[i].at.ss_family == AF_INET6;
		char text[INET6_ADDRSTRLEN];
		const void *bytes =
			v6 ? (const void *)&((const struct sockaddr_in6 *)&t->goal->address[i].at)
					->sin6_addr
			   : (const void *)&((const struct sockaddr_in *)&t->goal->address[i].at)
					->sin_addr;

		if (!inet_ntop(v6 ? AF_INET6 : AF_INET, bytes, text, sizeof(text)))
			continue;
		buf_printf(&row, v6 ? "%s[%s]" : "%s%s", i ? "," : "", text);
	}
	if (!row.failed)
		t->pins = curl_slist_append(NULL, row.data);
	return t->pins ? 0 : -ENOMEM;
}

/* -ENOMEM, or -ENOSYS: a libcurl that cannot be told what it must not do. */
static int
set_transfer_options(struct transfer *t)
{
	const struct fetch *fetch = t->trip->fetch;
	CURLcode r = CURLE_OK;

	t->easy = curl_easy_init();
	t->multi = curl_multi_init();
	t->headers = curl_slist_append(NULL, "Accept: text/html, text/*;q=0.9, */*;q=0.5");
	/* An IPv6 address is not looked up, and could not be written down here. */
	if (!t->easy || !t->multi || !t->headers ||
		(!strchr(t->goal->host, ':') && pin_addresses(t) < 0))
		return -ENOMEM;
#define SET(option, value) r = r ? r : curl_easy_setopt(t->easy, option, value)
	SET(CURLOPT_URL, t->goal->url);
	SET(CURLOPT_RESOLVE, t->pins);
	SET(CURLOPT_HTTPHEADER, t->headers);
	SET(CURLOPT_OPENSOCKETFUNCTION, on_socket);
	SET(CURLOPT_OPENSOCKETDATA, t);
	SET(CURLOPT_FORBID_REUSE, 1L);
	SET(CURLOPT_PROTOCOLS_STR, t->goal->tls ? "https" : "http");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_NOPROXY, "*");
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_USERAGENT, "ambit/" AMBIT_VERSION);
	SET(CURLOPT_ACCEPT_ENCODING, "");
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	if (fetch->ca_file)
		SET(CURLOPT_CAINFO, fetch->ca_file);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, t);
	SET(CURLOPT_HEADERFUNCTION, on_header);
	SET(CURLOPT_HEADERDATA, t);
	SET(CURLOPT_XFERINFOFUNCTION, on_progress);
	SET(CURLOPT_XFERINFODATA, t);
	SET(CURLOPT_NOPROGRESS, 0L);
	SET(CURLOPT_ERRORBUFFER, t->words);
#undef SET
	if (r == CURLE_OUT_OF_MEMORY)
		return -ENOMEM;
	return r || curl_multi_add_handle(t->multi, t->easy) ? -ENOSYS : 0;
}

static void
transfer_finish(struct transfer *t)
{
	if (t->multi && t->easy)
		curl_multi_remove_handle(t->multi, t->easy);
	curl_easy_cleanup(t->easy);
	curl_multi_cleanup(t->multi);
	curl_slist_free_all(t->pins);
	curl_slist_free_all(t->headers);
}

/* -- while ------------------------------------------------------------------------------- */

/* 0 with what libcurl made of it; -ECANCELED, -ETIMEDOUT. */
static int
drive_transfer(struct transfer *t, CURLcode *ret_code)
{
	struct trip *trip = t->trip;
	int64_t until = trip_now() + trip->left_ms;
	struct curl_waitfd cancel = { .fd = trip->fetch->cancel, .events = CURL_WAIT_POLLIN };
	struct CURLMsg *message;
	int running = 1, left;

	for (;;) {
		if (curl_multi_perform(t->multi, &running) != CURLM_OK)
			return -ENOMEM;
		trip->left_ms = until - trip_now();
		if (!running)
			break;
		if (trip->left_ms <= 0)
			return -ETIMEDOUT;
		if (curl_multi_poll(t->multi, &cancel, cancel.fd >= 0 ? 1 : 0,
			    (int)(trip->left_ms < PROGRESS_MS ? trip->left_ms : PROGRESS_MS),
			    NULL) != CURLM_OK)
			return -ENOMEM;
		if (cancel.revents)
			return -ECANCELED;
	}
	*ret_code = CURLE_RECV_ERROR;
	while ((message = curl_multi_info_read(t->multi, &left)))
		if (message->msg == CURLMSG_DONE)
			*ret_code = message->data.result;
	return 0;
}

/* -- after ------------------------------------------------------------------------------- */

static const struct {
	CURLcode code;
	int error;
	const char *text; /* behind the host; libcurl's own words follow */
	const char *hint;
} failures[] = {
	{ CURLE_PEER_FAILED_VERIFICATION, EPROTO, "has a certificate that is not valid here",
		"The connection cannot be trusted, and was not used. Go on without it, or have the "
		"person look at the certificate." },
	{ CURLE_SSL_CACERT_BADFILE, EINVAL, "cannot be checked: the CA file cannot be read",
		"Have the person look at the certificates that this system trusts." },
	{ CURLE_SSL_CONNECT_ERROR, EPROTO, "does not speak TLS as it should",
		"Try http:// if the page is public and exists there." },
	{ CURLE_GOT_NOTHING, EPROTO, "closed the connection without an answer",
		"Try again later, or go on without it." },
	{ CURLE_BAD_CONTENT_ENCODING, EPROTO, "sent what cannot be unpacked", "Go on without it." },
	{ CURLE_PARTIAL_FILE, EPROTO, "closed the connection before the end of the page",
		"Try again later, or go on without it." },
	{ CURLE_WEIRD_SERVER_REPLY, EPROTO, "does not answer as a web server does",
		"Check the port in the URL." },
	{ CURLE_UNSUPPORTED_PROTOCOL, EPROTO, "does not answer as a web server does",
		"Check the port in the URL." },
};

static int
could_not_connect(struct transfer *t)
{
	long number = 0;

	curl_easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
	if (number == ECONNREFUSED)
		return trip_fail(t->trip, ECONNREFUSED, AMBIT_CODE_BAD_ARGUMENTS,
			"Check the port, and that the server is running.",
			"%s:%d refused the connection: nothing listens there", t->goal->host,
			t->goal->port);
	return trip_fail(t->trip, number > 0 ? (int)number : EHOSTUNREACH, AMBIT_CODE_BAD_ARGUMENTS,
		"Try again later, or go on without it.", "%s:%d cannot be reached: %s",
		t->goal->host, t->goal->port, number > 0 ? strerror((int)number) : t->words);
}

static int
report_timeout(struct transfer *t)
{
	return trip_fail(t->trip, ETIMEDOUT, AMBIT_CODE_TIMEOUT,
		"Try again with a longer timeout, or go on without it.",
		"%s:%d did not send all of it within the time for this call (%d ms); %zu bytes "
		"came",
		t->goal->host, t->goal->port, t->trip->fetch->timeout_ms, t->trip->page->body.len);
}

/* libcurl's own words; a name from a certificate may be in them. */
static void
tame_words(struct transfer *t)
{
	auto_free char *shown =
		str_escape(t->words, str_cut(t->words, strlen(t->words), WORDS_MAX));

	snprintf(t->words, sizeof(t->words), "%s", shown ? shown : "");
}

static int
report_curl_failure(struct transfer *t, CURLcode code)
{
	struct trip *trip = t->trip;

	tame_words(t);
	if (t->astray)
		return trip_fail(trip, EACCES, AMBIT_CODE_HOST_NOT_ALLOWED, "Go on without it.",
			"%s led to an address that nobody decided about", t->goal->host);
	if (trip->page->body.failed || code == CURLE_OUT_OF_MEMORY)
		return err_nomem(trip->err);
	if (code == CURLE_COULDNT_CONNECT)
		return could_not_connect(t);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return report_timeout(t);
	if (t->header_bytes > HEADERS_MAX)
		return trip_fail(trip, EMSGSIZE, AMBIT_CODE_BAD_ARGUMENTS, "Go on without it.",
			"%s:%d sent more than %d KB of headers", t->goal->host, t->goal->port,
			HEADERS_MAX >> 10);
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (failures[i].code == code)
			return trip_fail(trip, failures[i].error, AMBIT_CODE_BAD_ARGUMENTS,
				failures[i].hint, "%s:%d %s%s%s", t->goal->host, t->goal->port,
				failures[i].text, t->words[0] ? ": " : "", t->words);
	return trip_fail(trip, EIO, AMBIT_CODE_BAD_ARGUMENTS,
		"Try again later, or go on without it.", "%s:%d: %s", t->goal->host, t->goal->port,
		t->words[0] ? t->words : curl_easy_strerror(code));
}

static char *
header_of(CURL *easy, const char *name)
{
	struct curl_header *header;

	if (curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
		return NULL;
	return strdup(header->value);
}

static int
take_answer(struct transfer *t)
{
	struct fetched *page = t->trip->page;
	curl_off_t announced = -1;
	long status = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
	page->status = (int)status;
	page->type = header_of(t->easy, "Content-Type");
	page->size = page->body.len;
	if (page->cut && announced > (curl_off_t)page->body.len)
		page->size = (uint64_t)announced;
	if (!page->type)
		page->type = strdup("");
	if (status == 301 || status == 302 || status == 303 || status == 307 || status == 308)
		t->trip->location = header_of(t->easy, "Location");
	return page->type ? 0 : err_nomem(t->trip->err);
}

static int
transfer_goal(struct trip *trip, const struct goal *goal)
{
	struct transfer t = { .trip = trip, .goal = goal };
	CURLcode code = CURLE_OK;
	int r = set_transfer_options(&t);

	if (r < 0)
		r = err_sys(trip->err, -r, "cannot set up a connection");
	else
		r = drive_transfer(&t, &code);
	if (r == -ETIMEDOUT)
		r = report_timeout(&t);
	else if (r == -ECANCELED)
		err_set(trip->err, ECANCELED, "the call was cancelled");
	else if (r == 0 && code != CURLE_OK && !trip->page->cut)
		r = report_curl_failure(&t, code);
	else if (r == 0)
		r = take_answer(&t);
	transfer_finish(&t);
	return r;
}

/* A server that goes away while TLS says goodbye must not end the program. */
int
trip_transfer(struct trip *trip, const struct goal *goal)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct timespec at_once = { 0 };
	sigset_t pipe, before, waiting;
	int r;

	pthread_once(&once, begin_curl);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&waiting);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	r = transfer_goal(trip, goal);
	if (!sigismember(&waiting, SIGPIPE))
		while (sigtimedwait(&pipe, NULL, &at_once) > 0)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}
