/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_AMBIT_H
#define AMBIT_AMBIT_H

/* All of libambit (pkg-config ambit); the tools are in <ambit/tools.h>. A harness needs settings,
 * scope, record and engine, then a request per tool call: examples/tiny.c. */

#include <ambit/approve.h>
#include <ambit/engine.h>
#include <ambit/error.h>
#include <ambit/limits.h>
#include <ambit/judge.h>
#include <ambit/label.h>
#include <ambit/outcome.h>
#include <ambit/policy.h>
#include <ambit/record.h>
#include <ambit/request.h>
#include <ambit/rule.h>
#include <ambit/run.h>
#include <ambit/scope.h>
#include <ambit/settings.h>
#include <ambit/tool.h>
#include <ambit/words.h>

#define AMBIT_VERSION "0.1.0"

#endif
