/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_MEMORY_H
#define TESTS_MEMORY_H

/* What the process has allocated, without the pages that the record keeps: its cache
 * grows until it is full, and that is no leak. The sanitizers count differently: 0. */

#include <malloc.h>
#include <sqlite3.h>

static inline long long
memory_used(void)
{
	sqlite3_int64 pages = 0, most;

	sqlite3_status64(SQLITE_STATUS_PAGECACHE_OVERFLOW, &pages, &most, 0);
	return (long long)mallinfo2().uordblks - pages;
}

#endif
