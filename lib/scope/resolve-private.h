/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCOPE_RESOLVE_PRIVATE_H
#define SCOPE_RESOLVE_PRIVATE_H

#include <sys/types.h>

/* As resolve_open, without openat2. RESOLVE_IN_ROOT and RESOLVE_CACHED: -ENOSYS. */
int resolve_walk(int dirfd, const char *path, int flags, mode_t mode, unsigned long long resolve);

#endif
