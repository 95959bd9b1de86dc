/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PREDICT_H
#define LINE_PREDICT_H

#include "line/gate/gate.h"

/* What becomes of an operation of a command in a run with this engine, which only observes. The
 * command stands where this process does. Caller finishes the outcome. */
int run_predict(struct ambit_engine *engine, enum gate_operation operation, const char *path,
	const char *to, mode_t mode, struct gate_prediction *ret_prediction,
	struct ambit_error *err);

#endif
