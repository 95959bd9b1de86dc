/* SPDX-License-Identifier: Apache-2.0 */
/* What the client works on, as far as it says so (roots/list), into a folder that is
 * narrowed to it. The client is somebody else's program: its roots take away and never
 * give. One that declares roots is asked, and what would change something waits for
 * the answer; without one, nothing of the folder is open. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "mcp.h"

#include "base/ascii.h"
#include "base/err.h"
#include "base/own.h"
#include "base/program.h"
#include "base/str.h"
#include "scope/scope-narrow.h"

#define PATIENCE_MS 10000	/* for a client that was asked */
#define GOOD_MS (5 * 60 * 1000) /* modern: there is no word when they change */
#define ROOTS_MAX 256

/* -- URIs into paths --------------------------------------------------------------- */

/* In place. False: it is no path. */
static bool
unescape_path(char *path)
{
	char *to = path;

	for (const char *at = path; *at != '\0'; at++) {
		int byte = (unsigned char)*at;

		if (*at == '?' || *at == '#')
			return false;
		if (*at == '%') {
			int high = ascii_hex_value(at[1]),
			    low = high < 0 ? -1 : ascii_hex_value(at[2]);

			if (low < 0 || (high == 0 && low == 0))
				return false;
			byte = high * 16 + low;
			at += 2;
		}
		*to++ = (char)byte;
	}
	*to = '\0';
	return true;
}

char *
roots_path(const char *uri)
{
	static const char *const starts[] = { "file:///", "file://localhost/" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		size_t n = strlen(starts[i]);
		char *path = str_fold_equal(uri, starts[i], n) ? str_dup(uri + n - 1) : NULL;

		if (path != NULL && unescape_path(path))
			return path;
		free(path);
	}
	return NULL;
}

enum telling {
	TELLS_NOTHING = 0, /* though it was asked */
	TELLS_ROOTS,
	TELLS_ALL, /* it works on nothing in particular, or has no roots after all */
};

/* -- the answer -------------------------------------------------------------------- */

static bool
is_known(const struct mcp *mcp)
{
	struct pollfd fd = { .fd = mcp->roots.known, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* With the registry's lock. dirs NULL: nothing. */
static void
narrow_to_roots(struct mcp *mcp, char *const *dirs, const char *by)
{
	static char *const none[] = { NULL };
	const char *const *list = (const char *const *)(dirs != NULL ? dirs : none);
	struct ambit_error err = { 0 };

	if (scope_narrow(mcp->box.world.scope, list, strv_len(dirs), by, &err) < 0)
		fprintf(stderr, "ambit: roots: %s\n", err.text);
}

/* What cannot be used opens nothing; the others count. */
static int
collect_root_paths(const json_t *list, char ***ret_dirs)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < json_array_size(list) && i < ROOTS_MAX; i++) {
		const json_t *uri = json_object_get(json_array_get(list, i), "uri");
		const char *text = json_string_value(uri);
		auto_free char *path = text != NULL && strlen(text) == json_string_length(uri)
					       ? roots_path(text)
					       : NULL;

		if (path != NULL)
			r = strv_append(ret_dirs, path);
	}
	return r;
}

/* As one step, so that one who has waited long enough cannot come between. */
static void
apply_roots(struct mcp *mcp, enum telling telling, char *const *dirs)
{
	ambit_registry_lock(mcp->box.registry);
	if (telling == TELLS_NOTHING)
		narrow_to_roots(mcp, NULL, "the client's roots (which it did not tell)");
	else if (telling == TELLS_ROOTS)
		narrow_to_roots(mcp, dirs, "the client's roots");
	else
		scope_narrow(mcp->box.world.scope, NULL, 0, NULL, NULL);
	pthread_mutex_lock(&mcp->lock);
	mcp->roots.told = telling != TELLS_NOTHING ? clock_steady() : 0;
	pthread_mutex_unlock(&mcp->lock);
	eventfd_write(mcp->roots.known, 1);
	ambit_registry_unlock(mcp->box.registry);
}

void
roots_take(struct mcp *mcp, const json_t *result)
{
	const json_t *list = json_object_get(result, "roots");
	char **dirs = NULL;

	if (!json_is_array(list) || collect_root_paths(list, &dirs) < 0)
		apply_roots(mcp, TELLS_NOTHING, NULL);
	else
		apply_roots(mcp, json_array_size(list) > 0 ? TELLS_ROOTS : TELLS_ALL, dirs);
	strv_free(dirs);
}

/* -- legacy: a request of ours ------------------------------------------------------- */

void
roots_ask(struct mcp *mcp)
{
	char id[32];
	eventfd_t old;

	if (!mcp->legacy.roots)
		return;
	mcp->roots.open = true;
	pthread_mutex_lock(&mcp->lock);
	mcp->roots.asked++;
	mcp->roots.since = clock_steady();
	snprintf(id, sizeof(id), "ambit-roots-%u", mcp->roots.asked);
	pthread_mutex_unlock(&mcp->lock);
	/* Only now: whoever finds them not known waits from since on. */
	eventfd_read(mcp->roots.known, &old);
	rpc_request(&mcp->out, id, "roots/list", NULL);
}

bool
roots_response(struct mcp *mcp, const struct rpc_message *message)
{
	const char *id = json_string_value(message->id);
	const json_t *code = json_object_get(message->error, "code");
	char newest[32];

	if (id == NULL || !str_prefix(id, "ambit-roots-"))
		return false;
	/* One that was overtaken says what was, and a second one was not asked for. */
	snprintf(newest, sizeof(newest), "ambit-roots-%u", mcp->roots.asked);
	if (!mcp->roots.open || !streq(id, newest))
		return true;
	mcp->roots.open = false;
	/* It says that it has them, and then that it has not. */
	if (json_integer_value(code) == RPC_NO_METHOD)
		apply_roots(mcp, TELLS_ALL, NULL);
	else
		roots_take(mcp, message->result);
	return true;
}

/* -- those who wait ------------------------------------------------------------------ */

bool
roots_wait(struct mcp *mcp, int cancel)
{
	struct pollfd fds[] = {
		{ .fd = mcp->roots.known, .events = POLLIN },
		{ .fd = cancel, .events = POLLIN },
	};
	int64_t left;
	int n;

	do {
		pthread_mutex_lock(&mcp->lock);
		left = mcp->roots.since + PATIENCE_MS - clock_steady();
		pthread_mutex_unlock(&mcp->lock);
		n = poll(fds, 2, left > 0 ? (int)left : 0);
	} while (n < 0 && errno == EINTR);
	if (n == 0) {
		ambit_registry_lock(mcp->box.registry);
		if (!is_known(mcp))
			narrow_to_roots(
				mcp, NULL, "the client's roots (which it did not tell in time)");
		ambit_registry_unlock(mcp->box.registry);
	}
	return n <= 0 || fds[1].revents == 0;
}

bool
roots_are_old(struct mcp *mcp)
{
	bool old;

	pthread_mutex_lock(&mcp->lock);
	old = mcp->roots.told == 0 || clock_steady() - mcp->roots.told > GOOD_MS;
	pthread_mutex_unlock(&mcp->lock);
	return old;
}
