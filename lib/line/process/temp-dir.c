/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a directory for temporary files, into a private directory in it. Others may
 * write in that directory: a run inside another makes its own in the outer one's. */

#include <errno.h>
#include <stdlib.h>

#include "base/own.h"
#include "line/process/temp-dir.h"

int
temp_dir_create(const char *parent, struct leftovers *store, struct leftover *ret_temp,
	char **ret_path, struct ambit_error *err)
{
	auto_free char *base = realpath(parent, NULL);
	int r;

	if (!base)
		return err_sys(err, errno,
			"the directory for temporary files, %s (TMPDIR says where)", parent);
	r = leftovers_make(store, base, LEFTOVER_DIR, ret_temp, ret_path);
	return r < 0 ? err_sys(err, -r, "a private directory in %s (TMPDIR says where)", base) : 0;
}
