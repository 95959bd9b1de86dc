/* SPDX-License-Identifier: Apache-2.0 */
/* ambit completion: the tables as completions for three shells. */

#include <stdio.h>

#include <ambit/ambit.h>

#include "cli/cli.h"
#include "commands.h"

#include "base/str.h"
#include "scope/profile.h"

enum value_kind {
	VALUE_OTHER,
	VALUE_DIR,
	VALUE_FILE,
	VALUE_WORDS,
	VALUE_SESSION,
	VALUE_TOOL,
	VALUE_PROFILE,
	VALUE_ASK,
};

static enum value_kind
kind_of(enum opt opt)
{
	if (option_rows[opt].words != NULL)
		return VALUE_WORDS;
	switch (opt) {
	case OPT_FOLDER:
		return VALUE_DIR;
	case OPT_SETTINGS:
	case OPT_REPORT:
	case OPT_WRITE:
	case OPT_READ:
		return VALUE_FILE;
	case OPT_SESSION:
		return VALUE_SESSION;
	case OPT_TOOL:
		return VALUE_TOOL;
	case OPT_FOR:
		return VALUE_PROFILE;
	case OPT_ASK:
		return VALUE_ASK;
	default:
		return VALUE_OTHER;
	}
}

/* Session names hold no character that a shell could see as its own. */
#define SESSIONS                                                                                   \
	"ambit sessions --json 2>/dev/null | sed -n 's/.*\"name\":\"\\([^\"]*\\)\".*/\\1/p'"

/* What the value can be, as words between spaces. */
static void
value_words(enum opt opt)
{
	const struct profile *profile;
	struct ambit_tool_info tool;

	switch (kind_of(opt)) {
	case VALUE_WORDS:
		for (const struct ambit_word *w = option_rows[opt].words; w->name != NULL; w++)
			printf("%s ", w->name);
		break;
	case VALUE_TOOL:
		for (size_t i = 0; ambit_tool_at(i, &tool); i++)
			printf("%s ", tool.name);
		break;
	case VALUE_PROFILE:
		for (size_t i = 0; (profile = profile_at(i)) != NULL; i++)
			printf("%s ", profile->name);
		break;
	case VALUE_ASK:
		printf("tty deny allow exec:/ ");
		break;
	default:
		break;
	}
}

static void
first_words(const struct command *command)
{
	const struct command *other;

	if (command == &cmd_help)
		for (size_t i = 0; (other = command_at(i)) != NULL; i++)
			printf("%s ", other->name);
	for (const char *const *w = command->words; w != NULL && *w != NULL; w++)
		printf("%s ", *w);
}

/* -- bash ------------------------------------------------------------------ */

static void
bash_values(void)
{
	for (int i = 0; i < OPT_N; i++) {
		if (option_rows[i].arg == NULL || option_rows[i].hidden)
			continue;
		printf("\t--%s)\n\t\tmapfile -t COMPREPLY < <(compgen ", option_rows[i].name);
		switch (kind_of((enum opt)i)) {
		case VALUE_DIR:
			printf("-d");
			break;
		case VALUE_FILE:
			printf("-f");
			break;
		case VALUE_SESSION:
			printf("-W \"$(" SESSIONS ")\"");
			break;
		default:
			printf("-W '");
			value_words((enum opt)i);
			printf("'");
		}
		printf(" -- \"$cur\")\n\t\treturn ;;\n");
	}
}

static void
print_bash_completion(void)
{
	const struct command *command;

	printf("# ambit completion bash\n_ambit() {\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options "
	       "words\n"
	       "\tCOMPREPLY=()\n\tif [[ $COMP_CWORD -eq 1 ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	first_words(&cmd_help);
	printf("' -- \"$cur\")\n\t\treturn\n\tfi\n\tcase $prev in\n");
	bash_values();
	printf("\tesac\n\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
		printf("\t%s)\n\t\toptions='", command->name);
		for (int o = 0; o < OPT_N; o++)
			if (command_takes(command, (enum opt)o) && !option_rows[o].hidden)
				printf("--%s ", option_rows[o].name);
		printf("'\n");
		if (command->wraps) {
			printf("\t\twords=$(compgen -c -- \"$cur\") ;;\n");
			continue;
		}
		printf("\t\twords='");
		first_words(command);
		printf("' ;;\n");
	}
	/* Behind "--" stands the name of a program, or a word of no option. */
	printf("\tesac\n\tif [[ $cur == -* ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
	       "\telif [[ -n $words && ( $COMP_CWORD -eq 2 || $prev == -- ) ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	       "\telse\n\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n\tfi\n}\n"
	       "complete -o filenames -F _ambit ambit\n");
}

/* -- zsh ------------------------------------------------------------------- */

/* Inside single quotes, and inside the brackets of _arguments. */
static void
zsh_text(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '\'')
			printf("'\\''");
		else if (*text == '[' || *text == ']' || *text == ':')
			printf("\\%c", *text);
		else
			putchar(*text);
}

static void
zsh_option(enum opt opt)
{
	const struct option_row *row = &option_rows[opt];

	printf(" \\\n\t\t\t'%s--%s%s[", row->many ? "*" : "", row->name,
		row->arg != NULL ? "=" : "");
	zsh_text(row->text);
	printf("]");
	if (row->arg != NULL) {
		printf(":%s:", row->arg);
		switch (kind_of(opt)) {
		case VALUE_DIR:
			printf("_files -/");
			break;
		case VALUE_FILE:
			printf("_files");
			break;
		case VALUE_SESSION:
			printf("_ambit_sessions");
			break;
		default:
			printf("(");
			value_words(opt);
			printf(")");
		}
	}
	printf("'");
}

static void
print_zsh_completion(void)
{
	const struct command *command;

	printf("#compdef ambit\n_ambit_sessions() {\n\tlocal -a names\n\tnames=(${(f)\"$(" SESSIONS
	       ")\"})\n"
	       "\t_describe session names\n}\n_ambit() {\n\tlocal -a commands\n\tcommands=(\n");
	for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
		printf("\t\t'%s:", command->name);
		zsh_text(command->text);
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command "
	       "commands\n\t\treturn\n\tfi\n"
	       "\tlocal name=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $name in\n");
	for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
		printf("\t%s)\n\t\t_arguments", command->name);
		for (int o = 0; o < OPT_N; o++)
			if (command_takes(command, (enum opt)o) && !option_rows[o].hidden)
				zsh_option((enum opt)o);
		if (command->wraps) {
			printf(" \\\n\t\t\t'(-)1:command:_command_names -e'"
			       " \\\n\t\t\t'*::argument:_normal' ;;\n");
			continue;
		}
		if (command->words != NULL || command == &cmd_help) {
			printf(" \\\n\t\t\t'1:what:(");
			first_words(command);
			printf(")'");
		}
		printf(" \\\n\t\t\t'*:argument:_files' ;;\n");
	}
	printf("\tesac\n}\n_ambit \"$@\"\n");
}

/* -- fish ------------------------------------------------------------------ */

static void
fish_text(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
}

static void
fish_option(const struct command *command, enum opt opt)
{
	const struct option_row *row = &option_rows[opt];

	printf("complete -c ambit -n '__fish_seen_subcommand_from %s' -l %s -d '", command->name,
		row->name);
	fish_text(row->text);
	printf("'");
	if (row->arg != NULL)
		printf(" -r");
	if (kind_of(opt) == VALUE_SESSION) {
		printf(" -f -a \"("
		       "ambit sessions --json 2>/dev/null | "
		       "string replace -rf '.*\\\"name\\\":\\\"([^\\\"]*)\\\".*' '\\$1'"
		       ")\"");
	} else if (kind_of(opt) >= VALUE_WORDS) {
		printf(" -f -a '");
		value_words(opt);
		printf("'");
	}
	putchar('\n');
}

static void
print_fish_completion(void)
{
	const struct command *command;

	printf("# ambit completion fish\n");
	for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
		printf("complete -c ambit -f -n __fish_use_subcommand -a %s -d '", command->name);
		fish_text(command->text);
		printf("'\n");
		for (int o = 0; o < OPT_N; o++)
			if (command_takes(command, (enum opt)o) && !option_rows[o].hidden)
				fish_option(command, (enum opt)o);
		if (command->wraps)
			printf("complete -c ambit -n '__fish_seen_subcommand_from %s' -a "
			       "'(__fish_complete_subcommand --fcs-skip=2)'\n",
				command->name);
		if (command->words == NULL && command != &cmd_help)
			continue;
		printf("complete -c ambit -n '__fish_seen_subcommand_from %s' -a '", command->name);
		first_words(command);
		printf("'\n");
	}
}

static int
run_completion(const struct args *args, struct ambit_error *err)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {
		{ "bash", print_bash_completion },
		{ "zsh", print_zsh_completion },
		{ "fish", print_fish_completion },
	};

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (streq(args->words[0], shells[i].name)) {
			shells[i].print();
			return EXIT_OK;
		}
	return usage(err, "no completion for '%s'; one of bash, zsh, fish", args->words[0]);
}

const struct command cmd_completion = {
	.name = "completion",
	.args = "bash|zsh|fish",
	.text = "completions for a shell",
	.about = "Prints a script for the shell to read. 'make install' has put them where the "
		 "shells\n"
		 "look; this is for those who have only the program.",
	.words = (const char *const[]){ "bash", "zsh", "fish", NULL },
	.options = (const enum opt[]){ OPT_END },
	.examples =
		(const struct example[]){
			{ "source <(ambit completion bash)", "in this shell" },
			{ NULL, NULL },
		},
	.min = 1,
	.max = 1,
	.run = run_completion,
};
