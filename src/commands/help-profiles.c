/* SPDX-License-Identifier: Apache-2.0 */
/* ambit help profiles: the table of profiles, as text. */

#include <stdio.h>

#include "commands.h"

#include "base/str.h"
#include "scope/profile.h"

#define LINE_WIDTH 80
#define NAME_WIDTH 12 /* of "  settings  " */

/* "  hosts     a  b", continued beneath where the line is full. */
static void
print_list(const char *name, const char *const *list)
{
	size_t column = NAME_WIDTH;

	if (list == NULL || *list == NULL)
		return;
	printf("  %-*s", NAME_WIDTH - 2, name);
	for (; *list != NULL; list++) {
		if (column > NAME_WIDTH && column + 2 + strlen(*list) > LINE_WIDTH) {
			printf("\n%*s", NAME_WIDTH, "");
			column = NAME_WIDTH;
		}
		column += (size_t)printf("%s%s", column > NAME_WIDTH ? "  " : "", *list);
	}
	putchar('\n');
}

static void
print_profile(const struct profile *profile)
{
	printf("\n%s: %s\n", profile->name, profile->text);
	print_list("programs", profile->commands);
	print_list("write", profile->folders);
	print_list("settings", profile->settings);
	print_list("hosts", profile->hosts);
	for (const struct profile_add *add = profile->adds; add->args != NULL || add->env != NULL;
		add++) {
		const char *env[] = { add->env, NULL };

		print_list("adds", add->args != NULL ? add->args : env);
		print_list("unless", add->unless);
	}
}

void
help_profiles(void)
{
	const struct profile *profile;

	puts("What agents and package managers keep outside the folder, and whom they talk\n"
	     "to. When one of these programs needs it, one question opens all of it; --for\n"
	     "NAME opens it for a run, and the setting \"profiles\" always. \"settings\" is a\n"
	     "question of its own. \"adds\" is put before the program's own arguments, or into\n"
	     "its environment, unless yours begin like one of the words behind \"unless\".");
	for (size_t i = 0; (profile = profile_at(i)) != NULL; i++)
		print_profile(profile);
}
