/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AMBIT_LIMITS_H
#define AMBIT_LIMITS_H

#include <stdint.h>

/* What a command and all it starts may use at most. They can only lower what
 * holds already, and nothing they start can raise them again. */

struct ambit_limits {
	uint64_t cpu_seconds; /* 0: as it is */
	uint64_t memory;      /* bytes of address space per process; 0: as it is */
	uint64_t processes;   /* of this user, all told; root is not bound; 0: as it is */
	uint64_t file_size;   /* bytes; 0: as it is */
};

#endif
