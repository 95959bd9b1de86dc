/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

#include <stdint.h>
#include <sys/resource.h>

/* Lowers a resource limit of this process; 0 leaves it. Fit for the time between
 * fork and exec. 0, or -1 with errno. */
static inline int
limit_lower(__rlimit_resource_t resource, uint64_t value)
{
	struct rlimit limit;

	if (value == 0)
		return 0;
	if (getrlimit(resource, &limit) < 0)
		return -1;
	if (limit.rlim_cur > value)
		limit.rlim_cur = value;
	/* SIGXCPU can be caught: a second later it is SIGKILL. */
	if (resource == RLIMIT_CPU)
		value++;
	if (limit.rlim_max > value)
		limit.rlim_max = value;
	return setrlimit(resource, &limit);
}

#endif
