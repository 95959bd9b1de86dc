/* SPDX-License-Identifier: Apache-2.0 */
/* One string of a list in the settings: a guard pattern, a path, a host
 * pattern, the name of a profile. A guard that could never match, or a grant
 * that means another place than it seems to, is refused here and not found
 * out later. */

#include <limits.h>
#include <stdlib.h>

#include <ambit/tool.h>

#include "base/own.h"
#include "base/str.h"
#include "request/host.h"
#include "scope/guard.h"
#include "scope/profile.h"
#include "settings/decode.h"

static int
append_pattern(struct decode *d, const struct key *key, const char *text, char ***list)
{
	const char *fault = guard_pattern_fault(text);

	if (fault)
		return decode_bad(
			d, "'%s': bad pattern '%s': %s", key->name, decode_show(d, text), fault);
	return strv_append(list, text) < 0 ? err_nomem(d->err) : 0;
}

int
element_path(struct decode *d, const char *text, char **ret_path)
{
	auto_free char *path = NULL;

	if (text[0] == '/') {
		path = str_dup(text);
	} else if (streq(text, "~") || str_prefix(text, "~/")) {
		if (!d->home)
			return decode_bad(d, "'%s': no home directory is known for '~'",
				decode_show(d, text));
		path = str_printf("%s%s", d->home, text + 1);
	} else if (d->relative && text[0] != '\0') {
		path = str_absolute(text);
		if (!path)
			return err_sys(d->err, errno, "%s: the current directory", d->name);
	} else {
		return decode_bad(d, "'%s' is not an absolute path", decode_show(d, text));
	}
	if (!path)
		return err_nomem(d->err);
	if (strlen(path) >= PATH_MAX)
		return decode_bad(d, "'%s' is longer than a path can be", decode_show(d, text));
	*ret_path = steal_ptr(&path);
	return 0;
}

static int
append_path(struct decode *d, const struct key *key, const char *text, char ***list)
{
	auto_free char *path = NULL;
	int r = element_path(d, text, &path);

	(void)key;
	if (r < 0)
		return r;
	return strv_append(list, path) < 0 ? err_nomem(d->err) : 0;
}

static int
append_host(struct decode *d, const struct key *key, const char *text, char ***list)
{
	if (host_pattern_check(text) < 0)
		return decode_bad(
			d, "'%s': '%s' is not a host pattern", key->name, decode_show(d, text));
	return strv_append(list, text) < 0 ? err_nomem(d->err) : 0;
}

static const char *
profile_name_at(const void *data, size_t i)
{
	const struct profile *profile = profile_at(i);

	(void)data;
	return profile ? profile->name : NULL;
}

static int
append_profile(struct decode *d, const struct key *key, const char *text, char ***list)
{
	const char *nearest;

	if (!profile_find(text)) {
		nearest = str_nearest(text, profile_name_at, NULL);
		return decode_bad(d, "'%s': there is no profile '%s'%s%s%s", key->name,
			decode_show(d, text), nearest ? " (did you mean '" : "",
			nearest ? nearest : "", nearest ? "'?)" : "");
	}
	return strv_append(list, text) < 0 ? err_nomem(d->err) : 0;
}

int
element_append(struct decode *d, const struct key *key, const char *text, char ***list)
{
	switch (key->type) {
	case KEY_PATTERNS:
		return append_pattern(d, key, text, list);
	case KEY_PATHS:
		return append_path(d, key, text, list);
	case KEY_HOSTS:
		return append_host(d, key, text, list);
	case KEY_PROFILES:
		return append_profile(d, key, text, list);
	default:
		return decode_bad(d, "'%s' is not a list", key->name);
	}
}
