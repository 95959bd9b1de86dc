/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WEB_HTML_ELEMENT_H
#define TOOLS_WEB_HTML_ELEMENT_H

#include <stdbool.h>

/* The elements that change how text looks, for html.c. */

enum role {
	ROLE_NONE = 0,
	ROLE_BLOCK, /* on lines of its own */
	ROLE_PARAGRAPH,
	ROLE_HEADING,
	ROLE_LIST,
	ROLE_ITEM,
	ROLE_QUOTE,
	ROLE_PRE,
	ROLE_TABLE,
	ROLE_ROW,
	ROLE_CELL,
	ROLE_LINK,
	ROLE_IMAGE,
	ROLE_CODE,
	ROLE_RAISED,
	ROLE_Q,
	ROLE_NEWLINE,
	ROLE_LINE,
	ROLE_SPACE,
	ROLE_SKIP, /* nothing in it is shown */
};

struct element {
	const char *name;
	enum role role;
	/* Its end may be left out, or it has none: where something that hides it
	 * would end cannot be told. */
	bool open;
};

/* NULL: it means nothing here. */
const struct element *element_find(const char *name);

#endif
