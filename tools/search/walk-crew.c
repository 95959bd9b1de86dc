/* SPDX-License-Identifier: Apache-2.0 */
/* A few threads for the length of one call. */

#include <sched.h>

#include "base/thread.h"
#include "tools/search/walk.h"

struct crew {
	void (*work)(void *data);
	void *data;
};

size_t
walk_crew_size(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < 1 ? 1 : n > WALK_CREW_MAX ? WALK_CREW_MAX : (size_t)n;
}

static void *
run_crew_work(void *data)
{
	const struct crew *crew = data;

	crew->work(crew->data);
	return NULL;
}

void
walk_crew(size_t n, void (*work)(void *data), void *data)
{
	struct crew crew = { .work = work, .data = data };
	pthread_t threads[WALK_CREW_MAX];
	size_t started = 0;

	while (started + 1 < n && started < WALK_CREW_MAX &&
		thread_start(&threads[started], NULL, run_crew_work, &crew) == 0)
		started++;
	work(data);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}
