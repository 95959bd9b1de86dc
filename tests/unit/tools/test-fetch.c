/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of tools/web/fetch*.c: who is connected to, and what is taken from them.
 * Names are resolved by the test, so that they can lie. */

#include "unit-world.h"

#include "web.h"

#include "base/fd.h"
#include "base/str.h"
#include "tools/registry/own-tool.h"
#include "tools/web/fetch.h"

static struct rig {
	struct web web;
	char allowed[8][64]; /* "host:port" */
	char asked[16][64];
	size_t n_asked;
	const char *addresses[8]; /* the answers of the name server, one lookup each */
	atomic_size_t lookups;
	const char *refused; /* an address */
	int hold;	     /* a lookup waits until this is readable; -1 */
	struct lookups *all;
} rig;

static int
decide(void *data, const char *host_port, struct ambit_error *err)
{
	(void)data;
	if (rig.n_asked < 16)
		snprintf(rig.asked[rig.n_asked++], 64, "%s", host_port);
	for (size_t i = 0; i < 8; i++)
		if (streq(rig.allowed[i], host_port))
			return 0;
	err->code = EACCES;
	snprintf(err->text, sizeof(err->text), "%s is not allowed", host_port);
	return -EACCES;
}

static bool
refuses(void *data, const char *address_port)
{
	(void)data;
	return rig.refused && str_prefix(address_port, rig.refused);
}

/* Several addresses in one answer are parted by a space. */
static int
lookup(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **ret_list)
{
	size_t i = atomic_fetch_add(&rig.lookups, 1);
	struct addrinfo numeric = *hints, *list = NULL, **end = &list;
	char text[200], *at = text, *word;

	(void)host;
	if (rig.hold >= 0) {
		struct pollfd p = { .fd = rig.hold, .events = POLLIN };

		poll(&p, 1, 20000);
	}
	if (i >= 8 || !rig.addresses[i])
		return EAI_NONAME;
	numeric.ai_flags |= AI_NUMERICHOST;
	snprintf(text, sizeof(text), "%s", rig.addresses[i]);
	while ((word = strsep(&at, " "))) {
		if (getaddrinfo(word, port, &numeric, end) != 0)
			return EAI_NONAME;
		while (*end)
			end = &(*end)->ai_next;
	}
	*ret_list = list;
	return 0;
}

static int
setup(void **state)
{
	(void)state;
	rig = (struct rig){ .hold = -1, .all = lookups_create() };
	assert_non_null(rig.all);
	web_open(&rig.web, "127.0.0.1", 0);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	web_close(&rig.web);
	lookups_destroy(rig.all);
	if (rig.hold >= 0)
		close(rig.hold);
	return 0;
}

static void
allow(size_t i, const char *host, int port)
{
	snprintf(rig.allowed[i], sizeof(rig.allowed[i]), "%s:%d", host, port);
}

/* host, or NULL: the server's address. */
static int
fetch_with(struct fetch fetch, const char *host, const char *path, struct fetched *page,
	struct ambit_error *err)
{
	char url[700];

	snprintf(url, sizeof(url), "http://%s:%d%s", host ? host : "127.0.0.1", rig.web.port, path);
	fetch.url = url;
	fetch.max = fetch.max ? fetch.max : 1000000;
	fetch.timeout_ms = fetch.timeout_ms ? fetch.timeout_ms : 20000;
	fetch.cancel = fetch.cancel ? fetch.cancel : -1;
	fetch.decide = decide;
	fetch.refuses = refuses;
	fetch.lookup = lookup;
	fetch.lookups = rig.all;
	*err = (struct ambit_error){ 0 };
	return fetch_page(&fetch, page, err);
}

static int
fetch(const char *host, const char *path, struct fetched *page, struct ambit_error *err)
{
	return fetch_with((struct fetch){ 0 }, host, path, page, err);
}

static void
page_comes_whole(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	assert_int_equal(fetch(NULL, "/plain#part", &page, &err), 0);
	assert_int_equal(page.status, 200);
	assert_string_equal(page.body.data, "just words\n");
	assert_string_equal(page.type, "text/plain");
	assert_null(strchr(page.url, '#'));
	assert_false(page.cut);
	assert_int_equal(page.size, 11);
	fetched_finish(&page);
	/* The address was in the URL, so it was decided about: nobody is asked. */
	assert_int_equal(rig.n_asked, 0);
	assert_int_equal(rig.lookups, 0);
	assert_non_null(strstr(rig.web.request, "User-Agent: ambit/"));
	assert_null(strstr(rig.web.request, "Cookie"));
	assert_null(strstr(rig.web.request, "Authorization"));
}

static void
environment_says_nothing(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	setenv("http_proxy", "http://127.0.0.1:1/", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
	setenv("no_proxy", "", 1);
	assert_int_equal(fetch(NULL, "/plain", &page, &err), 0);
	unsetenv("http_proxy");
	unsetenv("ALL_PROXY");
	unsetenv("no_proxy");
	fetched_finish(&page);
}

static void
name_that_leads_inside_opens_nothing(void **state)
{
	static const char *const near[] = { "127.0.0.1", "::1", "::ffff:127.0.0.1",
		"169.254.169.254", "10.0.0.1", "192.168.1.1", "fd00::1", "fe80::1", "0.0.0.0",
		"64:ff9b::7f00:1" };
	struct fetched page;
	struct ambit_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
		rig.addresses[0] = near[i];
		rig.lookups = rig.n_asked = 0;
		assert_int_equal(fetch("allowed.test", "/plain", &page, &err), -EACCES);
		assert_int_equal(rig.n_asked, 1);
		assert_non_null(strstr(err.text, "allowed.test leads to this machine"));
		fetched_finish(&page);
	}
	assert_int_equal(rig.web.connections, 0);
	/* Decided by its address, in the one spelling. */
	rig.addresses[0] = "::ffff:127.0.0.1";
	rig.lookups = rig.n_asked = 0;
	fetch("allowed.test", "/plain", &page, &err);
	fetched_finish(&page);
	assert_true(str_prefix(rig.asked[0], "127.0.0.1:"));
	/* With a yes to the address it is that address. */
	allow(0, "127.0.0.1", rig.web.port);
	rig.addresses[0] = "127.0.0.1";
	rig.lookups = 0;
	assert_int_equal(fetch("allowed.test", "/plain", &page, &err), 0);
	assert_int_equal(rig.web.connections, 1);
	assert_non_null(strstr(rig.web.request, "Host: allowed.test"));
	fetched_finish(&page);
}

static void
localhost_is_what_it_says(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	rig.addresses[0] = "127.0.0.1";
	assert_int_equal(fetch("localhost", "/plain", &page, &err), 0);
	assert_int_equal(rig.n_asked, 0);
	fetched_finish(&page);
	/* Unless it does not. */
	rig.addresses[1] = "10.0.0.1";
	assert_int_equal(fetch("localhost", "/plain", &page, &err), -EACCES);
	fetched_finish(&page);
}

/* A name with one answer when it is looked at, and another one later. */
static void
second_answer_changes_nothing(void **state)
{
	struct web other;
	struct fetched page;
	struct ambit_error err;

	(void)state;
	web_open(&other, "127.0.0.2", rig.web.port);
	allow(0, "127.0.0.1", rig.web.port);
	rig.addresses[0] = "127.0.0.1";
	rig.addresses[1] = rig.addresses[2] = "127.0.0.2";
	assert_int_equal(fetch("rebind.test", "/plain", &page, &err), 0);
	assert_int_equal(rig.lookups, 1);
	fetched_finish(&page);
	/* The next stop of the same host is looked up and looked at again. */
	rig.lookups = 0;
	assert_int_equal(fetch("rebind.test", "/there", &page, &err), -EACCES);
	assert_int_equal(rig.lookups, 2);
	assert_non_null(strstr(err.text, "127.0.0.2"));
	fetched_finish(&page);
	assert_int_equal(other.connections, 0);
	web_close(&other);
}

/* The world first: what is near is then neither used nor asked about. */
static void
near_one_among_far_ones_is_left_alone(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	rig.addresses[0] = "127.0.0.1 192.0.2.1";
	assert_true(fetch_with((struct fetch){ .timeout_ms = 300 }, "mixed.test", "/", &page,
			    &err) < 0);
	fetched_finish(&page);
	assert_int_equal(rig.n_asked, 0);
	assert_int_equal(rig.web.connections, 0);
}

/* A no to an address holds, whatever name leads there. */
static void
refused_address_has_no_other_name(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	rig.addresses[0] = rig.refused = "192.0.2.1";
	assert_int_equal(fetch("alias.test", "/", &page, &err), -EACCES);
	assert_int_equal(page.code, AMBIT_CODE_HOST_NOT_ALLOWED);
	assert_non_null(strstr(err.text, "alias.test leads to 192.0.2.1"));
	assert_int_equal(rig.n_asked, 0);
	fetched_finish(&page);
}

static void
each_allowed_address_is_tried(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	allow(0, "127.0.0.1", rig.web.port);
	allow(1, "127.0.0.3", rig.web.port);
	rig.addresses[0] = "127.0.0.2 127.0.0.3 127.0.0.1";
	assert_int_equal(fetch("several.test", "/plain", &page, &err), 0);
	assert_int_equal(rig.n_asked, 3);
	fetched_finish(&page);
}

static void
redirects_are_decided_anew(void **state)
{
	struct web other;
	struct fetched page;
	struct ambit_error err;

	(void)state;
	web_open(&other, "127.0.0.1", 0);
	snprintf(rig.web.location, sizeof(rig.web.location), "http://127.0.0.1:%d/plain",
		other.port);
	assert_int_equal(fetch(NULL, "/to", &page, &err), -EACCES);
	assert_int_equal(page.code, 0);
	assert_int_equal(rig.n_asked, 1);
	assert_int_equal(other.connections, 0);
	fetched_finish(&page);
	/* Without a scheme, too. */
	snprintf(rig.web.location, sizeof(rig.web.location), "//127.0.0.1:%d/plain", other.port);
	assert_int_equal(fetch(NULL, "/to", &page, &err), -EACCES);
	assert_int_equal(other.connections, 0);
	fetched_finish(&page);
	allow(0, "127.0.0.1", other.port);
	assert_int_equal(fetch(NULL, "/to", &page, &err), 0);
	assert_int_equal(other.connections, 1);
	assert_string_equal(page.body.data, "just words\n");
	assert_null(strstr(other.request, "Referer"));
	fetched_finish(&page);
	web_close(&other);
	/* On the same host it is the same decision, and relative ones are resolved. */
	rig.n_asked = 0;
	assert_int_equal(fetch(NULL, "/there", &page, &err), 0);
	assert_int_equal(rig.n_asked, 0);
	assert_string_equal(page.body.data, "just words\n");
	fetched_finish(&page);
}

static void
redirects_that_lead_nowhere_are_told(void **state)
{
	static const struct {
		const char *path, *says;
		int r;
	} rows[] = {
		{ "/loop-a", "loop", -ELOOP },
		{ "/chain0", "more than 10 times", -ELOOP },
		{ "/file", "not an http or https URL", -EINVAL },
		{ "/script", "no place to go", -EINVAL },
		{ "/user", "user name", -EINVAL },
	};
	struct fetched page;
	struct ambit_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(fetch(NULL, rows[i].path, &page, &err), rows[i].r);
		if (!strstr(err.text, rows[i].says))
			fail_msg("%s: %s", rows[i].path, err.text);
		assert_int_equal(page.code, AMBIT_CODE_BAD_ARGUMENTS);
		assert_non_null(page.hint);
		fetched_finish(&page);
	}
	assert_int_equal(rig.n_asked, 0);
	assert_int_equal(fetch(NULL, "/nowhere", &page, &err), 0);
	assert_int_equal(page.status, 302);
	fetched_finish(&page);
}

static void
odd_urls_are_refused(void **state)
{
	static const char *const urls[] = { "ftp://127.0.0.1/", "file:///etc/passwd", "http://",
		"x", "http://a:b@127.0.0.1/", "http://127.0.0.1\\@evil.test/", "http://127.0.0.1 /",
		"http://127.0.0.1:0/", "http://127.0.0.1:99999/", "gopher://127.0.0.1/",
		"http://ex\xc3\xa4mple.test/", "http://[::1/" };
	struct fetched page;
	struct ambit_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		struct fetch f = { .url = urls[i],
			.max = 10,
			.timeout_ms = 1000,
			.cancel = -1,
			.decide = decide,
			.lookup = lookup };

		assert_int_equal(fetch_page(&f, &page, &err), -EINVAL);
		assert_int_equal(page.code, AMBIT_CODE_BAD_ARGUMENTS);
		fetched_finish(&page);
	}
	assert_int_equal(rig.lookups, 0);
	assert_int_equal(rig.web.connections, 0);
}

/* One address has many spellings: it is asked for in the one that was decided. */
static void
address_has_one_spelling(void **state)
{
	static const char *const forms[] = { "2130706433", "0x7f000001", "0177.0.0.1", "127.1",
		"127.0.0.1.", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]" };
	struct fetched page;
	struct ambit_error err;

	(void)state;
	assert_int_equal(fetch("0x7f.1", "/plain", &page, &err), 0);
	assert_true(str_prefix(page.url, "http://127.0.0.1:"));
	fetched_finish(&page);
	/* And a redirect to one is decided about as what it is. */
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(rig.web.location, sizeof(rig.web.location), "http://%s:1/", forms[i]);
		rig.n_asked = 0;
		assert_int_equal(fetch(NULL, "/to", &page, &err), -EACCES);
		assert_int_equal(rig.n_asked, 1);
		assert_string_equal(rig.asked[0], "127.0.0.1:1");
		fetched_finish(&page);
	}
	assert_int_equal(rig.lookups, 0);
}

/* Nothing is at [::1] with this port, or it is not there at all. */
static void
address_of_the_other_kind_works(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	assert_true(fetch("[::1]", "/plain", &page, &err) < 0);
	assert_non_null(strstr(err.text, "::1"));
	assert_int_not_equal(err.code, ENOMEM);
	assert_int_not_equal(err.code, EACCES);
	assert_int_equal(rig.n_asked, 0);
	fetched_finish(&page);
}

static void
size_is_limited(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	assert_int_equal(
		fetch_with((struct fetch){ .max = 100000 }, NULL, "/endless", &page, &err), 0);
	assert_true(page.cut);
	assert_int_equal(page.body.len, 100000);
	fetched_finish(&page);
	/* Exactly all of it is not cut. */
	assert_int_equal(fetch_with((struct fetch){ .max = 11 }, NULL, "/plain", &page, &err), 0);
	assert_false(page.cut);
	fetched_finish(&page);
	assert_int_equal(fetch_with((struct fetch){ .max = 10 }, NULL, "/plain", &page, &err), 0);
	assert_true(page.cut);
	assert_int_equal(page.size, 11);
	fetched_finish(&page);
	assert_int_equal(fetch(NULL, "/headers", &page, &err), -EMSGSIZE);
	fetched_finish(&page);
}

static void
packed_bomb_stops_at_the_limit(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	web_pack(&rig.web, 200 << 20);
	assert_true(rig.web.packed_len < 1 << 20);
	assert_int_equal(fetch(NULL, "/bomb", &page, &err), 0);
	assert_true(page.cut);
	assert_int_equal(page.body.len, 1000000);
	assert_true(page.body.size < 4 << 20);
	fetched_finish(&page);
}

static void
time_is_limited(void **state)
{
	struct fetched page;
	struct ambit_error err;
	struct timespec a, b;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(
		fetch_with((struct fetch){ .timeout_ms = 200 }, NULL, "/slow", &page, &err),
		-ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_int_equal(page.code, AMBIT_CODE_TIMEOUT);
	assert_true(b.tv_sec - a.tv_sec < 10);
	fetched_finish(&page);
	/* A name server as well. */
	rig.hold = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(
		fetch_with((struct fetch){ .timeout_ms = 100 }, "slow.test", "/", &page, &err),
		-ETIMEDOUT);
	assert_int_equal(page.code, AMBIT_CODE_TIMEOUT);
	fetched_finish(&page);
	eventfd_write(rig.hold, 1);
}

/* Each that nobody waits for any more is a thread yet: there is an end to them. */
static void
lookups_that_hang_are_counted(void **state)
{
	struct fetched page;
	struct ambit_error err;

	(void)state;
	rig.hold = eventfd(0, EFD_CLOEXEC);
	for (int i = 0; i < FETCH_LOOKUPS; i++) {
		assert_int_equal(fetch_with((struct fetch){ .timeout_ms = 1 }, "slow.test", "/",
					 &page, &err),
			-ETIMEDOUT);
		fetched_finish(&page);
	}
	assert_int_equal(fetch("slow.test", "/", &page, &err), -EBUSY);
	assert_non_null(strstr(err.text, "slow.test was not looked up: 16 other names"));
	assert_non_null(page.hint);
	fetched_finish(&page);
	/* An address is none, and needs no name server. */
	assert_int_equal(fetch(NULL, "/plain", &page, &err), 0);
	fetched_finish(&page);
	while (atomic_load(&rig.lookups) < FETCH_LOOKUPS)
		sched_yield();
	/* With an answer, there is room again. */
	eventfd_write(rig.hold, 1);
	do {
		assert_true(fetch("slow.test", "/", &page, &err) < 0);
		fetched_finish(&page);
	} while (err.code == EBUSY);
	assert_non_null(strstr(err.text, "was not found"));
	assert_int_equal(rig.lookups, FETCH_LOOKUPS + 1);
}

static void
cancelling_ends_it_at_once(void **state)
{
	auto_close int cancel = eventfd(0, EFD_CLOEXEC);
	struct fetched page;
	struct ambit_error err;

	(void)state;
	/* The server cancels when it was asked. */
	rig.web.cancel = cancel;
	assert_int_equal(
		fetch_with((struct fetch){ .cancel = cancel }, NULL, "/cancel", &page, &err),
		-ECANCELED);
	fetched_finish(&page);
	/* Still cancelled: while the name is looked up. */
	rig.hold = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(
		fetch_with((struct fetch){ .cancel = cancel }, "slow.test", "/", &page, &err),
		-ECANCELED);
	fetched_finish(&page);
	eventfd_write(rig.hold, 1);
}

static void
failures_have_plain_words(void **state)
{
	struct fetched page;
	struct ambit_error err;
	struct web gone;
	char url[100];
	struct fetch f = {
		.url = url, .max = 10, .timeout_ms = 20000, .cancel = -1, .decide = decide
	};

	(void)state;
	assert_int_equal(fetch("missing.test", "/", &page, &err), -EHOSTUNREACH);
	assert_non_null(strstr(err.text, "missing.test was not found"));
	assert_non_null(page.hint);
	fetched_finish(&page);
	assert_int_equal(fetch(NULL, "/nothing", &page, &err), -EPROTO);
	assert_non_null(strstr(err.text, "without an answer"));
	fetched_finish(&page);
	web_open(&gone, "127.0.0.1", 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/", gone.port);
	web_close(&gone);
	assert_int_equal(fetch_page(&f, &page, &err), -ECONNREFUSED);
	assert_non_null(strstr(err.text, "refused the connection"));
	fetched_finish(&page);
}

static void
fetch_tls(const char *ca_file, const char *host, int port, const char *path, int expected,
	const char *says)
{
	struct fetched page;
	struct ambit_error err = { 0 };
	char url[300];
	struct fetch f = { .url = url,
		.max = 100000,
		.timeout_ms = 20000,
		.cancel = -1,
		.ca_file = ca_file,
		.decide = decide,
		.lookup = lookup,
		.lookups = rig.all };

	snprintf(url, sizeof(url), "https://%s:%d%s", host, port, path);
	rig.lookups = 0;
	rig.addresses[0] = "127.0.0.1";
	assert_int_equal(fetch_page(&f, &page, &err), expected);
	if (!strstr(expected < 0 ? err.text : page.body.data, says))
		fail_msg("%s: %s", url, expected < 0 ? err.text : page.body.data);
	fetched_finish(&page);
}

static void
certificates_are_checked(void **state)
{
	struct web_process process;
	char top[SCRATCH_PATH], key[80], cert[80], log[80], path[200];

	(void)state;
	scratch_make(top, sizeof(top));
	snprintf(key, sizeof(key), "%s/key", top);
	snprintf(cert, sizeof(cert), "%s/cert", top);
	snprintf(log, sizeof(log), "%s/log", top);
	if (!web_run_quietly((char *[]){ "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
		    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", key, "-out",
		    cert, "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", NULL })) {
		scratch_remove(top);
		if (getenv("AMBIT_MUST_WORK"))
			fail_msg("openssl is missing");
		print_message("skip: no openssl\n");
		skip();
	}
	web_process_start(&process, (char *[]){ "python3", "tests/e2e/hostile-page.py", "--log",
					    log, "--tls", cert, key, NULL });
	/* Not known to the system: no request is made. */
	fetch_tls(NULL, "127.0.0.1", process.port, "/plain", -EPROTO, "certificate");
	assert_null(strstr(world_read(log), "GET"));
	fetch_tls(cert, "127.0.0.1", process.port, "/plain", 0, "SECRET_ORDER");
	/* One for another name. */
	fetch_tls(cert, "localhost", process.port, "/big", -EPROTO, "certificate");
	assert_null(strstr(world_read(log), "GET /big"));
	/* From https there is no way to http. */
	snprintf(path, sizeof(path), "/to?http://127.0.0.1:%d/plain", rig.web.port);
	fetch_tls(cert, "127.0.0.1", process.port, path, -EACCES, "from https to http");
	assert_int_equal(rig.web.connections, 0);
	web_process_stop(&process);
	scratch_remove(top);
}

/* Where a page leads is the server's to write: it is no part of what ambit says. */
static void
words_of_a_redirect_are_not_repeated(void **state)
{
	static const char *const places[] = { "file:///SECRET_ORDER", "SECRET-ORDER:obey",
		"http://SECRET_ORDER@127.0.0.1/", "http://a b/SECRET_ORDER" };
	struct fetched page;
	struct ambit_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(rig.web.location, sizeof(rig.web.location), "%s", places[i]);
		assert_int_equal(fetch(NULL, "/to", &page, &err), -EINVAL);
		assert_non_null(strstr(err.text, "redirects"));
		if (strstr(err.text, "SECRET"))
			fail_msg("%s", err.text);
		fetched_finish(&page);
	}
	assert_int_equal(rig.n_asked, 0);
}

static void
nothing_is_left_open(void **state)
{
	static const char *const paths[] = { "/", "/there", "/loop-a", "/nothing", "/bad" };
	struct fetched page;
	struct ambit_error err;
	int before = 0;

	(void)state;
	allow(0, "127.0.0.1", rig.web.port);
	for (int i = 0; i < 100; i++) {
		rig.lookups = 0;
		rig.addresses[0] = rig.addresses[1] = rig.addresses[2] = "127.0.0.1";
		fetch(i % 2 ? "name.test" : NULL, paths[i % 5], &page, &err);
		fetched_finish(&page);
		if (i == 20)
			before = scratch_descriptors();
	}
	/* A thread that looked up may be on its way out yet. */
	assert_true(scratch_descriptors() <= before + 2);
}

static void
kinds_and_charsets_are_told_apart(void **state)
{
	static const struct {
		const char *type, *body;
		size_t len;
		enum fetch_kind kind;
		const char *text;
	} rows[] = {
		{ "text/html", "x", 1, FETCH_HTML, "x" },
		{ "Application/XHTML+xml; a=b", "x", 1, FETCH_HTML, "x" },
		{ "application/vnd.api+json", "{}", 2, FETCH_TEXT, "{}" },
		{ "image/svg+xml", "<svg/>", 6, FETCH_TEXT, "<svg/>" },
		{ "image/png", "x", 1, FETCH_BINARY, NULL },
		{ "application/zip", "x", 1, FETCH_BINARY, NULL },
		{ "", " <!DOCTYPE HTML>", 16, FETCH_HTML, " <!DOCTYPE HTML>" },
		{ "", "a\0b", 3, FETCH_BINARY, NULL },
		{ "application/octet-stream", "words\n", 6, FETCH_TEXT, "words\n" },
		{ "application/octet-stream",
			"\x7f"
			"ELF\1\1",
			6, FETCH_BINARY, NULL },
		{ "text/plain; charset=\"latin1\"", "\xe9\x93\x81", 3, FETCH_TEXT,
			"\xc3\xa9\xe2\x80\x9c\xef\xbf\xbd" },
		{ "text/plain", "\xe9", 1, FETCH_TEXT, "\xc3\xa9" },
		{ "text/plain", "\xc3\xa9", 2, FETCH_TEXT, "\xc3\xa9" },
		{ "text/plain; charset=utf-8", "a\xe9z", 3, FETCH_TEXT, "a\xef\xbf\xbdz" },
		{ "text/plain; charset=utf-8",
			"\xff\xfe"
			"A\0\xe9\0",
			6, FETCH_TEXT, "A\xc3\xa9" },
		{ "", "\xfe\xff\0A", 4, FETCH_TEXT, "A" },
		{ "text/plain", "\xef\xbb\xbfx", 4, FETCH_TEXT, "x" },
		{ "text/plain; charset=utf-16le", "A\0B\0C", 5, FETCH_TEXT, "AB\xef\xbf\xbd" },
		{ "text/html", "<meta charset=koi8-r>\xf0", 22, FETCH_HTML,
			"<meta charset=koi8-r>\xd0\x9f" },
		{ "text/html", "<meta charset=utf-16>\xc3\xa9", 23, FETCH_HTML,
			"<meta charset=utf-16>\xc3\xa9" },
		{ "text/plain; charset=ISO-2022-CN-EXT", "x", 1, FETCH_TEXT, "x" },
		{ "text/plain; charset=../../evil//TRANSLIT", "x", 1, FETCH_TEXT, "x" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = NULL;
		size_t len = 0;

		assert_int_equal(fetch_kind(rows[i].type, rows[i].body, rows[i].len), rows[i].kind);
		if (!rows[i].text)
			continue;
		assert_int_equal(fetch_utf8(rows[i].type, rows[i].kind, rows[i].body, rows[i].len,
					 &text, &len),
			0);
		assert_string_equal(text, rows[i].text);
		assert_int_equal(len, strlen(rows[i].text));
		free(text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(page_comes_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(environment_says_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
			name_that_leads_inside_opens_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(localhost_is_what_it_says, setup, teardown),
		cmocka_unit_test_setup_teardown(second_answer_changes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
			near_one_among_far_ones_is_left_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(refused_address_has_no_other_name, setup, teardown),
		cmocka_unit_test_setup_teardown(each_allowed_address_is_tried, setup, teardown),
		cmocka_unit_test_setup_teardown(redirects_are_decided_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(
			redirects_that_lead_nowhere_are_told, setup, teardown),
		cmocka_unit_test_setup_teardown(odd_urls_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(address_has_one_spelling, setup, teardown),
		cmocka_unit_test_setup_teardown(address_of_the_other_kind_works, setup, teardown),
		cmocka_unit_test_setup_teardown(size_is_limited, setup, teardown),
		cmocka_unit_test_setup_teardown(packed_bomb_stops_at_the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(time_is_limited, setup, teardown),
		cmocka_unit_test_setup_teardown(lookups_that_hang_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(cancelling_ends_it_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(failures_have_plain_words, setup, teardown),
		cmocka_unit_test_setup_teardown(certificates_are_checked, setup, teardown),
		cmocka_unit_test_setup_teardown(
			words_of_a_redirect_are_not_repeated, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_left_open, setup, teardown),
		cmocka_unit_test(kinds_and_charsets_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
