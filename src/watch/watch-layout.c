/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a screen into its parts. Arithmetic alone. */

#include "watch-layout.h"

#define ROWS_LEAST 5 /* title, three lines, keys */
#define COLUMNS_LEAST 24
#define LIST_LEAST 3 /* a rule and two questions: worth looking at */
#define LIST_ROOM 14 /* from so many rows on, the list has its least share */
#define TAIL_LEAST 2 /* a rule and an event */

static size_t
choose_smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

struct layout
layout_of(size_t rows, size_t columns, size_t lines, size_t questions)
{
	struct layout layout = { .blind = rows < ROWS_LEAST || columns < COLUMNS_LEAST };
	size_t room = rows - 2, list = 0;

	if (layout.blind)
		return layout;
	if (questions > 1 && rows >= LIST_ROOM)
		list = LIST_LEAST;
	layout.question = choose_smaller(lines, room - list);
	room -= layout.question;
	if (questions > 1 && room >= LIST_LEAST)
		layout.list = choose_smaller(questions + 1, room);
	room -= layout.list;
	layout.tail = room >= TAIL_LEAST ? room : 0;
	return layout;
}
