/* SPDX-License-Identifier: Apache-2.0 */
/* The judge of a door, by the settings. Who said that nobody is asked, or that all is
 * allowed, has said it of the judge, too. */

#include <limits.h>
#include <unistd.h>

#include "cli-judge.h"

#include "base/err.h"
#include "base/str.h"

/* This program carries a question to an address itself, or becomes the one that does. */
static const char *
own_path(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);

	if (n <= 0)
		return NULL;
	buf[n] = '\0';
	return buf;
}

int
judge_open(const struct ambit_settings *settings, struct ambit_judge **ret_judge,
	struct ambit_error *err)
{
	const char *ask = ambit_settings_get(settings, "ask");
	char self[PATH_MAX];
	const struct ambit_judge_options options = {
		.settings = settings,
		.helper = own_path(self, sizeof(self)),
		.envp = environ,
	};

	*ret_judge = NULL;
	if (ask != NULL && (streq(ask, "deny") || streq(ask, "allow")))
		return 0;
	return ambit_judge_create(&options, ret_judge, err);
}
