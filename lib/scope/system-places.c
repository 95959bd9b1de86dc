/* SPDX-License-Identifier: Apache-2.0 */
/* A list of directories. Links among them (/bin on most systems) lead to others, and stand for
 * nothing: a real path goes through no link. */

#include <stddef.h>

#include "base/str.h"
#include "scope/system-places.h"

const char *const system_places[] = {
	"/usr",
	"/bin",
	"/sbin",
	"/lib",
	"/lib32",
	"/lib64",
	"/libx32",
	"/etc",
	"/opt",
	"/nix",
	"/proc",
	"/sys",
	"/dev/shm",
	/* /etc/resolv.conf may be a link to these. */
	"/run/systemd/resolve",
	"/run/resolvconf",
	"/run/NetworkManager/resolv.conf",
	NULL,
};

bool
system_places_hold(const char *real)
{
	for (const char *const *place = system_places; *place; place++)
		if (str_beneath(real, *place))
			return true;
	return false;
}
