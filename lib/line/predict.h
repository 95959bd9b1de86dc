/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_PREDICT_H
#define LINE_PREDICT_H

#include "line/gate/gate.h"

/* Predicts one operation of a command in a run with this engine, which only observes. The command
 * stands where this process does. Caller finishes the outcome. */
int run_predict(struct ambit_engine *engine, enum gate_operation operation, const char *path,
	const char *to, mode_t mode, struct gate_prediction *ret_prediction,
	struct ambit_error *err);

/* Whether a run begins at all with what is said about reads. 0: it does, and the engine is that
 * run's from now on; 1: it does not, and the prediction says why. Caller finishes the outcome. */
int run_predict_start(struct ambit_engine *engine, bool guard_reads,
	struct gate_prediction *ret_prediction, struct ambit_error *err);

/* Predicts a connect of such a command: see connect_predict. */
int run_predict_connect(struct ambit_engine *engine, const char *host, bool datagram,
	struct gate_prediction *ret_prediction, struct ambit_error *err);

#endif
