/* SPDX-License-Identifier: Apache-2.0 */
/* A request that is not understood says so: no call of a path tool without a
 * path, of a shell without a command, of an unknown tool without effects is
 * ever a plain request. The first line is read as a request, and as the
 * arguments of every tool. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "request/request-private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char name_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_.:/-";

static void
check_plain(const struct ambit_request *request)
{
	const struct tool *tool = request->tool;

	assert(request->effects != 0);
	if (!tool)
		return;
	assert((request->effects & tool->effects) == tool->effects);
	assert(request->danger <= tool->danger);
	assert(!tool->needs_path || request->n_paths > 0);
	assert(!tool->shell || request->command);
	assert(!strstr("webfetch connect", tool->name) || request->host);
}

static void
check(struct ambit_request *request)
{
	char *label = request_label(request), *key = request_call_key(request);
	char *text = request_text(request);
	json_t *json = request_json(request);

	assert(request->name && label && key && json && text);
	assert(str_is_utf8(text, strlen(text)) && !strpbrk(text, "\n\r\t\x1b\x7f"));
	assert(request->bad_hard || request->name[strspn(request->name, name_bytes)] == '\0');
	assert(!request->id || strlen(request->id) <= REQUEST_ID_MAX);
	assert(strlen(label) <= 210 && str_is_utf8(label, strlen(label)));
	assert(!strpbrk(label, "\n\r\t\x1b"));
	assert(request->n_paths <= REQUEST_PATHS_MAX);
	if (request->bad == AMBIT_CODE_NONE)
		check_plain(request);
	else
		assert(request->bad_reason && request->bad_reason[0] &&
			(request->bad == AMBIT_CODE_BAD_ARGUMENTS ||
				request->bad == AMBIT_CODE_UNKNOWN_TOOL));
	if (request->bad == AMBIT_CODE_UNKNOWN_TOOL)
		assert(!request->tool && request->effects == 0 &&
			request->danger == AMBIT_DANGEROUS);
	free(label);
	free(text);
	free(key);
	json_decref(json);
	ambit_request_destroy(request);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct ambit_request *request = NULL;
	const struct tool *tool;

	assert(ambit_request_parse(text, size, &request, NULL) == 0);
	check(request);
	for (size_t i = 0; (tool = tool_at(i)); i++) {
		assert(ambit_request_create(tool->name, text, size, &request, NULL) == 0);
		check(request);
	}
	assert(ambit_request_create("mcp__unknown", text, size, &request, NULL) == 0);
	assert(request->bad != AMBIT_CODE_NONE);
	check(request);
	assert(ambit_request_path(AMBIT_ACCESS_WRITE, text, size, &request, NULL) == 0);
	check(request);
	return 0;
}
