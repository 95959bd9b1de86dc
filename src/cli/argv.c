/* SPDX-License-Identifier: Apache-2.0 */
/* Turns argv into options and words by the table of options. What it does not
 * know is an error, never a word: a path that begins with a dash must come
 * behind "--", where nothing is an option any more. So does what follows the
 * first word of a command that runs another. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

int
usage(struct ambit_error *err, const char *fmt, ...)
{
	char text[512];
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof(text), fmt, list);
	va_end(list);
	auto_free char *shown = str_escape(text, strlen(text));
	err_set(err, EINVAL, "%s", shown != NULL ? shown : "wrong usage");
	return EXIT_USAGE;
}

/* Of the command's own options; a hidden one is not for guesses. */
static const char *
option_name_at(const void *data, size_t i)
{
	const struct command *command = data;

	for (int opt = 0; opt < OPT_N; opt++)
		if (command_takes(command, (enum opt)opt) && !option_rows[opt].hidden && i-- == 0)
			return option_rows[opt].name;
	return NULL;
}

static int
unknown_option(
	const struct command *command, const char *given, const char *name, struct ambit_error *err)
{
	const char *near = str_nearest(name, option_name_at, command);

	if (near != NULL)
		return usage(err, "unknown option '%s'; did you mean '--%s'?", given, near);
	return usage(err, "unknown option '%s' (words that begin with '-' go behind '--')", given);
}

static int
find_option(const struct command *command, const char *name, size_t len)
{
	for (int i = 0; i < OPT_N; i++)
		if (strlen(option_rows[i].name) == len &&
			memcmp(option_rows[i].name, name, len) == 0 &&
			command_takes(command, (enum opt)i))
			return i;
	return -1;
}

static int
check_value(const struct option_row *row, const char *value, struct ambit_error *err)
{
	auto_free char *known = NULL;

	if (row->words == NULL || (value[0] != '\0' && ambit_word_find(row->words, value) != NULL))
		return 0;
	for (const struct ambit_word *w = row->words; w->name != NULL; w++) {
		char *more = w->name[0] == '\0' ? str_dup(known)
			     : known == NULL	? str_dup(w->name)
						: str_printf("%s, %s", known, w->name);

		free(known);
		known = more;
	}
	return usage(err, "--%s: '%s' is not one of %s", row->name, value,
		known != NULL ? known : "its words");
}

/* One option at argv[*at]; moves *at past its value. */
static int
parse_option(struct args *args, char **argv, size_t argc, size_t *at, struct ambit_error *err)
{
	const char *text = argv[*at];
	const char *name = streq(text, "-h") ? "help" : text + 2;
	const char *equals = strchr(name, '=');
	size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);
	auto_free char *bare = strndup(name, len);
	int found = -1;

	if (bare == NULL)
		return err_nomem(err);
	if (str_prefix(text, "--") || streq(text, "-h"))
		found = find_option(args->command, name, len);
	if (found < 0)
		return unknown_option(args->command, text, bare, err);
	const struct option_row *row = &option_rows[found];
	const char *value = equals != NULL ? equals + 1 : "";

	if (row->arg == NULL && equals != NULL)
		return usage(err, "--%s takes no value", row->name);
	if (row->arg != NULL && equals == NULL) {
		if (*at + 1 >= argc)
			return usage(err, "--%s needs a value: %s", row->name, row->arg);
		value = argv[++*at];
	}
	if (!row->many && args_get(args, (enum opt)found) != NULL)
		return usage(err, "--%s is given twice", row->name);
	args->given[args->n_given++] = (struct given){ .opt = (enum opt)found, .value = value };
	return row->arg != NULL ? check_value(row, value, err) : 0;
}

int
args_parse(const struct command *command, char **argv, size_t argc, struct args *args,
	struct ambit_error *err)
{
	*args = (struct args){ .command = command };
	/* With room for what is around it (nested-scope.h). */
	args->given = calloc(argc + 3, sizeof(*args->given));
	args->words = calloc(argc + 1, sizeof(*args->words));
	if (args->given == NULL || args->words == NULL)
		return err_nomem(err);
	for (size_t i = 0; i < argc; i++) {
		int r;

		if (streq(argv[i], "--")) {
			while (++i < argc)
				args->words[args->n++] = argv[i];
			break;
		}
		if (argv[i][0] != '-' || argv[i][1] == '\0') {
			args->words[args->n++] = argv[i];
			while (command->wraps && ++i < argc)
				args->words[args->n++] = argv[i];
			continue;
		}
		r = parse_option(args, argv, argc, &i, err);
		if (r != 0)
			return r;
	}
	/* What is asked for inside a line is in what comes with --inner. */
	if (args_get(args, OPT_HELP) != NULL || args_get(args, OPT_INNER) != NULL)
		return 0;
	if (args->n < command->min)
		return usage(
			err, "too few arguments; usage: ambit %s %s", command->name, command->args);
	if (args->n > command->max)
		return usage(err, "too many arguments: '%s'", args->words[command->max]);
	return 0;
}

void
args_finish(struct args *args)
{
	free(args->given);
	free(args->words);
}

const char *
args_get(const struct args *args, enum opt opt)
{
	for (size_t i = args->n_given; i-- > 0;)
		if (args->given[i].opt == opt)
			return args->given[i].value;
	return NULL;
}
