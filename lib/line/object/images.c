/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the images of a process apart. exec keeps the process's number and start time, and without
 * address randomization every address. But it takes the old memory away, and a descriptor of
 * /proc/PID/mem stays with the memory that it was opened for: once nobody uses that any more, a
 * read gives 0 bytes; before, a read of the first page fails with EIO. Such a descriptor keeps no
 * memory of the program in use.
 *
 * A process that shares its memory (clone with CLONE_VM) keeps it in use after the other's exec.
 * The layout of the memory is compared as well, and differs then but for chance where addresses
 * are random. A process that hides its own exec gains nothing that it could not do before it. */

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "line/object/images.h"

#define IMAGES_MAX 64 /* one descriptor each */

struct image {
	uint64_t number; /* 0: this one is free */
	pid_t pid;
	uint64_t start;
	uint64_t layout;
	int memory;
	uint64_t used; /* when, by images.uses */
};

struct images {
	pthread_mutex_t lock;
	struct image list[IMAGES_MAX];
	uint64_t last; /* the number that was given last */
	uint64_t uses;
};

struct images *
images_create(void)
{
	struct images *images = calloc(1, sizeof(*images));

	if (images)
		pthread_mutex_init(&images->lock, NULL);
	return images;
}

static void
drop_image(struct image *image)
{
	if (image->number != 0)
		close(image->memory);
	*image = (struct image){ 0 };
}

void
images_destroy(struct images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < IMAGES_MAX; i++)
		drop_image(&images->list[i]);
	pthread_mutex_destroy(&images->lock);
	free(images);
}

static bool
is_in_use(int memory)
{
	char byte;
	ssize_t n;

	do
		n = pread(memory, &byte, sizeof(byte), 0);
	while (n < 0 && errno == EINTR);
	return n > 0 || (n < 0 && errno == EIO);
}

static int
open_memory(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Its parent would keep the memory in use after its exec. If kcmp is refused, as in some
 * containers, this is not noticed. */
static bool
shares_with_parent(const struct target_who *who)
{
	return syscall(SYS_kcmp, who->pid, who->parent, KCMP_VM, 0, 0) == 0;
}

/* A free one, one whose program is gone, or the one that was not used for longest. */
static struct image *
choose_image(struct images *images)
{
	struct image *oldest = &images->list[0];

	for (size_t i = 0; i < IMAGES_MAX; i++) {
		struct image *image = &images->list[i];

		if (image->number == 0 || !is_in_use(image->memory)) {
			oldest = image;
			break;
		}
		if (image->used < oldest->used)
			oldest = image;
	}
	drop_image(oldest);
	return oldest;
}

static uint64_t
add_image(struct images *images, const struct target_who *who)
{
	auto_close int memory = open_memory(who->pid);
	struct image *image;

	if (memory < 0 || !is_in_use(memory) || shares_with_parent(who))
		return 0;
	image = choose_image(images);
	*image = (struct image){
		.number = ++images->last,
		.pid = who->pid,
		.start = who->start,
		.layout = who->layout,
		.memory = steal_fd(&memory),
		.used = images->uses,
	};
	return image->number;
}

/* Drops what is known of an earlier image of the process. */
static struct image *
find_image(struct images *images, const struct target_who *who)
{
	for (size_t i = 0; i < IMAGES_MAX; i++) {
		struct image *image = &images->list[i];

		if (image->number == 0 || image->pid != who->pid)
			continue;
		if (image->start == who->start && image->layout == who->layout &&
			is_in_use(image->memory))
			return image;
		drop_image(image);
	}
	return NULL;
}

uint64_t
images_find(struct images *images, const struct target_who *who)
{
	struct image *image;
	uint64_t number;

	pthread_mutex_lock(&images->lock);
	images->uses++;
	image = find_image(images, who);
	if (image)
		image->used = images->uses;
	number = image ? image->number : add_image(images, who);
	pthread_mutex_unlock(&images->lock);
	return number;
}
