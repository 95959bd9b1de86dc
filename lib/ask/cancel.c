/* SPDX-License-Identifier: Apache-2.0 */
/* A word from one thread to another that asks: this question, no other. Behind
 * a lock, since a withdrawal that is on its way while the question ends must
 * not reach the next one. */

#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ask/cancel.h"

int
cancel_init(struct cancel *cancel, struct ambit_error *err)
{
	int r;

	*cancel = (struct cancel){ .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	if (cancel->fd < 0)
		return err_sys(err, errno, "eventfd");
	r = pthread_mutex_init(&cancel->lock, NULL);
	if (r != 0) {
		close(cancel->fd);
		return err_sys(err, r, "pthread_mutex_init");
	}
	return 0;
}

void
cancel_finish(struct cancel *cancel)
{
	pthread_mutex_destroy(&cancel->lock);
	close(cancel->fd);
}

/* Locked. An eventfd's counter cannot overflow by ones, nor be empty and
 * block: what these return says nothing. */
static void
raise_fd(struct cancel *cancel)
{
	ssize_t n = write(cancel->fd, &(uint64_t){ 1 }, sizeof(uint64_t));

	(void)n;
}

static void
lower_fd(struct cancel *cancel)
{
	uint64_t count;
	ssize_t n = read(cancel->fd, &count, sizeof(count));

	(void)n;
}

bool
cancel_begin(struct cancel *cancel, uint64_t question)
{
	bool already = false;

	pthread_mutex_lock(&cancel->lock);
	lower_fd(cancel);
	cancel->asked = question;
	cancel->how[0] = '\0';
	for (size_t i = 0; question != 0 && i < CANCEL_KEPT; i++)
		if (cancel->early[i] == question) {
			cancel->early[i] = 0;
			already = true;
		}
	if (already)
		raise_fd(cancel);
	pthread_mutex_unlock(&cancel->lock);
	return already;
}

void
cancel_end(struct cancel *cancel)
{
	pthread_mutex_lock(&cancel->lock);
	cancel->asked = 0;
	lower_fd(cancel);
	pthread_mutex_unlock(&cancel->lock);
}

void
cancel_say(struct cancel *cancel, uint64_t question, const char *how)
{
	pthread_mutex_lock(&cancel->lock);
	if (question != 0 && cancel->asked == question) {
		snprintf(cancel->how, sizeof(cancel->how), "%s", how ? how : "");
		raise_fd(cancel);
	} else if (question != 0) {
		cancel->early[cancel->next] = question;
		cancel->next = (cancel->next + 1) % CANCEL_KEPT;
	}
	pthread_mutex_unlock(&cancel->lock);
}

void
cancel_how(struct cancel *cancel, char *how, size_t size)
{
	pthread_mutex_lock(&cancel->lock);
	snprintf(how, size, "%s", cancel->how);
	pthread_mutex_unlock(&cancel->lock);
}
