/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_CLI_JUDGE_H
#define CLI_CLI_JUDGE_H

#include <ambit/judge.h>

/* *ret_judge is NULL where the settings, or --ask, have none. 0 or -errno. */
int judge_open(const struct ambit_settings *settings, struct ambit_judge **ret_judge,
	struct ambit_error *err);

#endif
