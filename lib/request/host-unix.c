/* SPDX-License-Identifier: Apache-2.0 */
/* Unix sockets as hosts: "unix:/path" and "unix:@name". Compared byte for
 * byte, because whoever bound the socket chose the bytes. What could be read
 * as another path, or as a pattern, is no host at all. */

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "request/host.h"
#include "request/object.h"

#define PREFIX "unix:"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define ABSTRACT_MAX 512 /* 107 bytes, each perhaps written as \xNN */

bool
host_is_unix(const char *host)
{
	return str_prefix(host, PREFIX);
}

const char *
host_unix_path(const char *host)
{
	return host_is_unix(host) && host[PREFIX_LEN] == '/' ? host + PREFIX_LEN : NULL;
}

static bool
is_pattern(const char *text)
{
	size_t n = strlen(text);

	return n > 2 && streq(text + n - 2, "/*");
}

static bool
valid(const char *text)
{
	const char *name = text + PREFIX_LEN;

	if (name[0] == '@')
		return name[1] && strnlen(name, ABSTRACT_MAX) < ABSTRACT_MAX;
	return name[1] && object_path_plain(name);
}

int
host_unix_check(const char *text, bool pattern)
{
	if (!host_is_unix(text) || !valid(text))
		return -EINVAL;
	/* A socket that is called "*" would be remembered as every one beside it. */
	return is_pattern(text) && !pattern ? -EINVAL : 0;
}

bool
host_unix_match(const char *pattern, const char *host)
{
	size_t n = strlen(pattern);

	if (host_unix_check(pattern, true) < 0 || host_unix_check(host, false) < 0)
		return false;
	if (!is_pattern(pattern))
		return streq(pattern, host);
	return strncmp(pattern, host, n - 1) == 0 && host[n - 1];
}

/* By what usually stands in the name; the first row that fits counts. */
static const struct {
	const char *part;
	const char *text;
} sockets[] = {
	{ "docker.sock", "it gives full control of this machine" },
	{ "docker/", "it gives full control of this machine" },
	{ "podman.sock", "it gives full control of this machine" },
	{ "containerd", "it gives full control of this machine" },
	{ "libvirt", "it gives full control of virtual machines" },
	{ "gpg-agent", "it signs and decrypts as you" },
	{ "ssh-agent", "it signs in as you" },
	{ "/agent.", "it signs in as you" },
	{ "keyring", "it signs in as you and holds your secrets" },
	{ "dbus", "it starts programs as you" },
	{ "/bus", "it starts programs as you" },
	{ "systemd", "it starts programs as you" },
	{ "X11-unix", "it sees and types into your windows" },
	{ "wayland", "it sees and types into your windows" },
	{ "tmux", "it types into your terminals" },
	{ "screen", "it types into your terminals" },
	{ "pipewire", "it hears your microphone" },
	{ "pulse", "it hears your microphone" },
};

const char *
host_unix_text(const char *host)
{
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++)
		if (strstr(host + PREFIX_LEN, sockets[i].part))
			return sockets[i].text;
	return "a process outside may act on what it is sent";
}
