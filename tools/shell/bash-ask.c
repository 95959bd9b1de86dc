/* SPDX-License-Identifier: Apache-2.0 */
/* A crossing of a command's into a question of the call's. It is withdrawn when the
 * command does not wait for it any more, which need not be the end of the call. */

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/err.h"
#include "tools/shell/bash.h"

/* True: it was withdrawn before it was put. */
static bool
begin_bash_question(struct bash_asker *asker, uint64_t question)
{
	eventfd_t value;
	bool early;

	pthread_mutex_lock(&asker->lock);
	eventfd_read(asker->options.cancel, &value);
	asker->asked = question;
	early = asker->withdrawn == question;
	pthread_mutex_unlock(&asker->lock);
	return early;
}

static int
ask_bash_question(struct ambit_approver *approver, const struct ambit_question *question,
	struct ambit_answer *ret_answer, struct ambit_error *err)
{
	struct bash_asker *asker = (struct bash_asker *)approver;
	int r;

	if (begin_bash_question(asker, question->id))
		return err_set(err, ECANCELED, "the question was withdrawn");
	r = run_ask(&asker->run, question, ret_answer, err);
	pthread_mutex_lock(&asker->lock);
	asker->asked = 0;
	pthread_mutex_unlock(&asker->lock);
	return r;
}

static void
cancel_bash_question(struct ambit_approver *approver, uint64_t question)
{
	struct bash_asker *asker = (struct bash_asker *)approver;

	pthread_mutex_lock(&asker->lock);
	asker->withdrawn = question;
	if (asker->asked == question)
		eventfd_write(asker->options.cancel, 1);
	pthread_mutex_unlock(&asker->lock);
	if (asker->options.withdraw)
		asker->options.withdraw(asker->options.data, question);
}

int
bash_asker_init(struct bash_asker *asker, const struct tool_run *run)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	*asker = (struct bash_asker){
		.approver = { .ask = ask_bash_question,
			.cancel = cancel_bash_question,
			.name = "call" },
		.run = *run,
		.options = *run->options,
	};
	asker->options.cancel = asker->run.cancel = fd;
	asker->run.options = &asker->options;
	pthread_mutex_init(&asker->lock, NULL);
	return 0;
}

void
bash_asker_finish(struct bash_asker *asker)
{
	pthread_mutex_destroy(&asker->lock);
	close(asker->options.cancel);
}
