/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_ARCHIVE_ARCHIVE_GUARD_H
#define TOOLS_ARCHIVE_ARCHIVE_GUARD_H

#include "tools/archive/archive-unpack.h"
#include "tools/registry/own-tool.h"

/* Whether an entry of an archive may come to lie at dst/name: inside of what the call
 * was allowed to write to, and nothing that is asked about by itself. dst: open, or -1
 * if it is not there yet; dst_real: its real path. False with *ret_why (caller frees;
 * NULL without memory). target: the text of a link, or NULL. Nobody is asked. *refused
 * counts those that were, of one call. */
bool archive_may(struct tool_run *run, int dst, const char *dst_real, const char *name,
	enum unpack_kind kind, const char *target, size_t *refused, char **ret_why);

#endif
