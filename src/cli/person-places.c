/* SPDX-License-Identifier: Apache-2.0 */
/* Where this person's things are, from the environment and, without a HOME,
 * from the user database. A relative XDG path is ignored, as its
 * specification says. */

#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

static const char *
absolute_env(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] == '/' ? value : NULL;
}

char *
place_of_user(size_t field)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *user = NULL;
	char *value = NULL;

	while (file != NULL && (user = fgetpwent(file)) != NULL && user->pw_uid != getuid())
		;
	if (user != NULL)
		memcpy(&value, (const char *)user + field, sizeof(value));
	value = value != NULL && value[0] == '/' ? str_dup(value) : NULL;
	if (file != NULL)
		fclose(file);
	return value;
}

static char *
find_home(void)
{
	const char *home = absolute_env("HOME");

	return home != NULL ? str_dup(home) : place_of_user(offsetof(struct passwd, pw_dir));
}

/* $variable/ambit, else home/fallback/ambit, else nothing. -ENOMEM. */
static int
find_dir(const char *variable, const char *home, const char *fallback, char **ret_dir)
{
	const char *base = absolute_env(variable);

	*ret_dir = NULL;
	if (base != NULL)
		*ret_dir = str_printf("%s/ambit", base);
	else if (home != NULL && fallback != NULL) /* containers say "/" where there is none */
		*ret_dir = str_printf("%s/%s/ambit", streq(home, "/") ? "" : home, fallback);
	else
		return 0;
	return *ret_dir != NULL ? 0 : -ENOMEM;
}

int
place_init(struct place *place, struct ambit_error *err)
{
	*place = (struct place){ .home = find_home() };
	if (find_dir("XDG_CONFIG_HOME", place->home, ".config", &place->config) < 0 ||
		find_dir("XDG_STATE_HOME", place->home, ".local/state", &place->state) < 0 ||
		find_dir("XDG_RUNTIME_DIR", NULL, NULL, &place->runtime) < 0)
		return err_nomem(err);
	/* A door without the variable is looked for elsewhere; but where the person's others are
	 * looked for, its commands must not put one either. */
	place->sockets = place->runtime != NULL
				 ? str_dup(place->runtime)
				 : str_printf("/run/user/%lu/ambit", (unsigned long)getuid());
	if (place->sockets == NULL)
		return err_nomem(err);
	if (place->config == NULL || place->state == NULL)
		return err_set(err, ENOENT,
			"no home directory: set HOME, or XDG_CONFIG_HOME and XDG_STATE_HOME");
	return 0;
}

void
place_finish(struct place *place)
{
	free(place->home);
	free(place->config);
	free(place->state);
	free(place->runtime);
	free(place->sockets);
}

char *
place_live(const struct place *place)
{
	return str_printf("%s/live", place->runtime != NULL ? place->runtime : place->state);
}

bool
place_is_wide(const struct place *place, const char *folder)
{
	auto_free char *home = place->home != NULL ? realpath(place->home, NULL) : NULL;

	if (streq(folder, "/") || (place->home != NULL && str_beneath(place->home, folder)))
		return true;
	return home != NULL && str_beneath(home, folder);
}
