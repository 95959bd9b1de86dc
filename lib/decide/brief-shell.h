/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECIDE_BRIEF_SHELL_H
#define DECIDE_BRIEF_SHELL_H

/* How a model's shell commands run, as its briefing says it. */
enum brief_shell {
	BRIEF_SHELL_NONE = 0, /* there is no way to run any */
	BRIEF_SHELL_LOOSE,    /* nothing that ambit knows of holds them */
	BRIEF_SHELL_HELD,     /* the kernel line does */
};

#endif
