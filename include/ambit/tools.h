/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_TOOLS_H
#define AMBIT_TOOLS_H

/* All of libambit-tools (pkg-config ambit-tools): ambit's tools, and a harness' own, bound to an
 * engine. examples/tool.c shows the use of it. */

#include <ambit/execute.h>
#include <ambit/registry.h>

#endif
