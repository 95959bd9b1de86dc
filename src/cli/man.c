/* SPDX-License-Identifier: Apache-2.0 */
/* The tables as man pages, in man(7) macros. Run at build time. */

#include <ctype.h>
#include <stdio.h>

#include <ambit/ambit.h>

#include "cli.h"

#include "base/str.h"

#define DATE "2026-01-01" /* a page is the same whenever it is built */

/* Text as roff: no line may begin as a request, no hyphen may become a dash. */
static void
print_roff(const char *text)
{
	bool start = true;

	for (; *text != '\0'; text++) {
		if (start && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
		start = *text == '\n';
	}
}

/* A blank line begins a paragraph; a line that is indented stays a line. */
static void
print_paragraphs(const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");
		char line[1024];

		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		if (len == 0)
			fputs(".PP", stdout);
		else if (line[0] == ' ')
			fputs(".br\n", stdout);
		print_roff(len > 0 && line[0] == ' ' ? line + strspn(line, " ") : line);
		putchar('\n');
		text += len;
		if (*text == '\n')
			text++;
	}
}

static void
print_man_title(const char *name, const char *text)
{
	const char *dash = "";

	fputs(".TH AMBIT", stdout);
	if (name != NULL) {
		fputs("\\-", stdout);
		for (const char *c = name; *c != '\0'; c++)
			putchar(toupper((unsigned char)*c));
		dash = "\\-";
	}
	printf(" 1 " DATE " \"ambit " AMBIT_VERSION "\"\n.SH NAME\nambit%s%s \\- ", dash,
		name != NULL ? name : "");
	print_roff(text);
	putchar('\n');
}

static void
option_text(const struct option_row *row)
{
	printf(".TP\n.B \\-\\-");
	print_roff(row->name);
	if (row->arg != NULL)
		printf(" \\fI%s\\fR", row->arg);
	putchar('\n');
	print_roff(row->text);
	if (row->words == NULL) {
		putchar('\n');
		return;
	}
	fputs("; one of:\n", stdout);
	for (const struct ambit_word *w = row->words; w->name != NULL; w++) {
		if (w->name[0] == '\0') /* the code of an allow */
			continue;
		fputs(".br\n", stdout);
		print_roff(w->name);
		if (row->words != ambit_codes) {
			fputs(": ", stdout);
			print_roff(w->text);
		}
		putchar('\n');
	}
}

static void
print_exit_status(void)
{
	fputs(".SH EXIT STATUS\n", stdout);
	for (const struct exit_row *row = exit_rows; row->text != NULL; row++) {
		printf(".TP\n%d\n", (int)row->code);
		print_roff(row->text);
		putchar('\n');
	}
}

void
man_command(const struct command *command)
{
	print_man_title(command->name, command->text);
	printf(".SH SYNOPSIS\n.B ambit %s\n[\\fIOPTION\\fR...]\n", command->name);
	if (command->args[0] != '\0') {
		print_roff(command->args);
		putchar('\n');
	}
	fputs(".SH DESCRIPTION\n", stdout);
	print_paragraphs(command->about);
	fputs(".SH OPTIONS\n", stdout);
	for (int i = 0; i < OPT_N; i++)
		if (command_takes(command, (enum opt)i) && !option_rows[i].hidden)
			option_text(&option_rows[i]);
	print_exit_status();
	if (command->examples != NULL)
		fputs(".SH EXAMPLES\n", stdout);
	for (const struct example *e = command->examples; e != NULL && e->line != NULL; e++) {
		fputs(".TP\n.B ", stdout);
		print_roff(e->line);
		putchar('\n');
		print_roff(e->text);
		putchar('\n');
	}
	fputs(".SH SEE ALSO\n.BR ambit (1)\n", stdout);
}

static void
print_environment(void)
{
	static const char *const rows[][2] = {
		{ "HOME", "The person's home; without it, the one in the user database." },
		{ "XDG_CONFIG_HOME",
			"Settings are in ambit/config.json there; else in ~/.config." },
		{ "XDG_STATE_HOME", "The record is in ambit/ there; else in ~/.local/state." },
		{ "XDG_RUNTIME_DIR", "Sockets are in ambit/ there." },
		{ "SHELL", "What run starts if no command is given." },
		{ "TMPDIR", "Where run makes the command's own temporary directory; else /tmp." },
		{ "NO_COLOR", "If not empty, no colours." },
		{ "AMBIT_SESSION, AMBIT_FOLDER",
			"Set by ambit for every command behind the line, also by mcp, serve and "
			"spawn: the name of the session, and the folder. For prompts and scripts. "
			"Ambit itself never reads them." },
		{ "PWD", "Set by ambit to the directory that the command starts in." },
	};

	fputs(".SH ENVIRONMENT\n", stdout);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		printf(".TP\n%s\n", rows[i][0]);
		print_roff(rows[i][1]);
		putchar('\n');
	}
	fputs("An XDG path that is not absolute is ignored.\n", stdout);
}

void
man_all(void)
{
	const struct command *command;

	print_man_title(NULL, "a line around one folder, for coding agents");
	fputs(".SH SYNOPSIS\n.B ambit\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\-\\-] "
	      "[\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\n",
		stdout);
	print_paragraphs(
		"ambit is a permission model and sandbox for coding agents whose whole policy is "
		"one\n"
		"folder: the agent reads anywhere and writes inside that folder, by its tools and "
		"by\n"
		"every program it starts. What lies past the line is a question to the person,\n"
		"answered once, for the session or for good.");
	fputs(".SH COMMANDS\n", stdout);
	for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
		printf(".TP\n.BR ambit\\-%s (1)\n", command->name);
		print_roff(command->text);
		putchar('\n');
	}
	print_exit_status();
	print_environment();
	fputs(".SH FILES\n.TP\n~/.config/ambit/config.json\nThe person's settings.\n"
	      ".TP\n.I .ambit.json\nIn the folder: settings that can only narrow.\n"
	      ".TP\n~/.local/state/ambit\nSessions, rules and the record.\n",
		stdout);
}
