/* SPDX-License-Identifier: Apache-2.0 */
/* For a server that starts one `ambit run` per command: descriptors that it gives
 * along, and what the command may use. The server is the person's own; that a
 * descriptor is what it should be is checked where it is used. */

#include <fcntl.h>
#include <limits.h>

#include "cli/out.h"
#include "run-command.h"

#include "base/err.h"

/* Not for the command, nor for whoever is started for a run inside. */
static int
take_descriptor(const struct args *args, enum opt opt, int *ret_fd, struct ambit_error *err)
{
	const char *text = args_get(args, opt);
	int64_t fd;

	if (text == NULL)
		return 0;
	if (when_number(text, INT_MAX, &fd) < 0 || fd < 3)
		return usage(err, "--%s: '%s' is not a descriptor", option_rows[opt].name, text);
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return err_sys(err, errno, "--%s %s", option_rows[opt].name, text);
	*ret_fd = (int)fd;
	return 0;
}

int
run_client(struct run *run, struct ambit_error *err)
{
	const struct args *args = run->args;
	int r = take_descriptor(args, OPT_ASK_FD, &run->client, err);

	if (r == 0)
		r = take_descriptor(args, OPT_LEASH, &run->leash, err);
	if (r == 0 && run->client > 0 && args_get(args, OPT_ASK) != NULL)
		return usage(err, "--ask and --ask-fd exclude each other");
	return r == 0 ? limits_parse(args, &run->limits, err) : r;
}
