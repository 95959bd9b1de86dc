/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_CALLS_CONNECT_PREDICT_H
#define LINE_CALLS_CONNECT_PREDICT_H

#include "line/gate/gate.h"

/* Predicts the outcome if a command connects now, for `ambit why`: facts are found out and decided
 * about by the code that handles held calls, with this process as the one that calls. Nothing is
 * connected, sent, looked up, asked or recorded; the engine only observes.
 *
 * host: "name:port", "address:port", "unix:PATH" (as the kernel takes it: relative, through links)
 * or "unix:@NAME". Without a port, or if it is no host, there are no facts, and the outcome stays
 * empty. options: engine, tree. */
int connect_predict(const struct gate_options *options, const char *host, bool datagram,
	struct gate_prediction *ret_prediction, struct ambit_error *err);

#endif
