/* SPDX-License-Identifier: Apache-2.0 */
/* A question as an MCP client is shown it, for the kind "question". */

#include "text-question-form.h"

#include "ask/text-columns.h"
#include "base/buf.h"
#include "base/json.h"
#include "mcp/mcp.h"

#define FORM_COLUMNS 40 /* clients cut what is longer */

char *
show_form(const struct ambit_question *question)
{
	const struct era era = { .elicits = true, .titles = true };
	auto_json json_t *form = form_create(question, &era);
	const json_t *schema = json_object_get(form, "requestedSchema");
	const json_t *answer = json_object_get(json_object_get(schema, "properties"), "answer");
	struct buf text = { 0 };
	json_t *row;
	size_t i;

	buf_printf(&text, "%s\n", json_text(form, "message"));
	json_array_foreach (json_object_get(answer, "oneOf"), i, row)
		buf_printf(&text, "%s: %s%s\n", json_text(row, "const"), json_text(row, "title"),
			text_columns(json_text(row, "title")) > FORM_COLUMNS ? " (wider than 40)"
									     : "");
	return buf_take(&text);
}
