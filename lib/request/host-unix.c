/* SPDX-License-Identifier: Apache-2.0 */
/* Unix sockets as hosts: "unix:/path" and "unix:@name". Compared byte for
 * byte, because whoever bound the socket chose the bytes. What could be read
 * as another path, or as a pattern, is no host at all. */

#include <errno.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/str.h"
#include "request/host.h"
#include "request/request-object.h"

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
is_valid_socket(const char *text)
{
	const char *name = text + PREFIX_LEN;

	if (name[0] == '@')
		return name[1] && strnlen(name, ABSTRACT_MAX) < ABSTRACT_MAX;
	return name[0] && name[1] && object_path_plain(name);
}

int
host_unix_check(const char *text, bool pattern)
{
	if (!host_is_unix(text) || !is_valid_socket(text))
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

#define MACHINE "it gives full control of this machine"
#define VIRTUAL "it gives full control of virtual machines"
#define SIGNS_IN "it signs in as you"
#define STARTS "it starts programs as you"
#define WINDOWS "it sees and types into your windows"
#define TERMINALS "it types into your terminals"
#define EDITOR "it runs commands in your editor"
#define HEARS "it hears your microphone"
#define DATABASE "it reads and changes a database"

/* By what usually stands in the name; the first row that fits counts, so that a
 * name which fits several is shown as the worst of them. Nobody is bound to such
 * names: the text warns, it decides nothing. */
static const struct {
	const char *part;
	const char *text;
} sockets[] = {
	{ "docker.sock", MACHINE },
	{ "docker.raw.sock", MACHINE },
	{ "docker/", MACHINE },
	{ "dockerd", MACHINE },
	{ "podman", MACHINE },
	{ "containerd", MACHINE },
	{ "crio", MACHINE },
	{ "buildkit", MACHINE },
	{ "lxd/", MACHINE },
	{ "lxc/", MACHINE },
	{ "incus/", MACHINE },
	{ "kubelet", MACHINE },
	{ "snapd", "it installs software on this machine" },
	{ "nix/daemon", "it installs software on this machine" },
	{ "PackageKit", "it installs software on this machine" },
	{ "libvirt", VIRTUAL },
	{ "qemu", VIRTUAL },
	{ "gpg-agent.ssh", SIGNS_IN },
	{ "gpg-agent", "it signs and decrypts as you" },
	{ "gnupg", "it signs and decrypts as you" },
	{ "ssh-agent", SIGNS_IN },
	{ "ssh-auth", SIGNS_IN },
	{ "/agent.", SIGNS_IN },
	{ ".ssh/", SIGNS_IN },
	{ "gcr/ssh", SIGNS_IN },
	{ "keyring", "it signs in as you and holds your secrets" },
	{ "kwallet", "it holds your secrets" },
	{ "tailscale", "it reaches your private network" },
	{ "system_bus_socket", "it asks the system's services, some of which act as root" },
	{ "dbus", STARTS },
	{ "/bus", STARTS },
	{ "systemd/journal", "it writes into the system's log" },
	{ "/dev/log", "it writes into the system's log" },
	{ "io.systemd.Resolve", "it looks up names" },
	{ "nscd", "it looks up users and names" },
	{ "/sss/", "it looks up users and names" },
	{ "systemd", STARTS },
	{ "supervisor.sock", STARTS },
	{ ".pm2/", STARTS },
	{ "watchman", STARTS },
	{ "X11-unix", WINDOWS },
	{ "ICE-unix", WINDOWS },
	{ "at-spi", WINDOWS },
	{ "wayland", WINDOWS },
	{ "sway-ipc", WINDOWS },
	{ "ipc-socket.", WINDOWS },
	{ "/hypr/", WINDOWS },
	{ "tmux", TERMINALS },
	{ "screen", TERMINALS },
	{ "zellij", TERMINALS },
	{ "kitty", TERMINALS },
	{ "wezterm", TERMINALS },
	{ "vscode", EDITOR },
	{ "nvim", EDITOR },
	{ "emacs", EDITOR },
	{ "SingletonSocket", "it opens pages in your browser" },
	{ "pipewire", HEARS },
	{ "pulse", HEARS },
	{ "cups", "it prints" },
	{ ".s.PGSQL.", DATABASE },
	{ "postgres", DATABASE },
	{ "mysql", DATABASE },
	{ "mariadb", DATABASE },
	{ "redis", DATABASE },
	{ "valkey", DATABASE },
	{ "mongo", DATABASE },
};

const char *
host_unix_text(const char *host)
{
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++)
		if (strstr(host + PREFIX_LEN, sockets[i].part))
			return sockets[i].text;
	return HOST_UNIX_UNKNOWN;
}

/* Names that begin so are harmless by themselves. */
static const char *const harmless[] = { "it looks up", "it prints", "it writes into" };

char *
host_unix_danger(const char *host)
{
	const char *text = host_unix_text(host);
	char *danger;

	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (str_prefix(text, harmless[i]))
			return strdup("");
	if (!str_prefix(text, "it "))
		return strdup("NOT HELD BY AMBIT");
	danger = strdup(text + strlen(str_prefix(text, "it gives ") ? "it gives " : "it "));
	for (char *at = danger; at && *at; at++)
		*at = ascii_is_lower(*at) ? (char)(*at - 32) : *at;
	return danger;
}

const char *
host_unix_name(const char *host)
{
	static const struct {
		const char *part, *name;
	} names[] = {
		{ "docker", "Docker" },
		{ "podman", "Podman" },
		{ "containerd", "containerd" },
		{ "ssh", "the SSH agent" },
		{ "gpg", "the GPG agent" },
		{ "systemd", "systemd" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(host + PREFIX_LEN, names[i].part))
			return names[i].name;
	return "its program";
}

/* Behind a number, one name and no more. */
static bool
is_socket_of_user(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits > 0 && text[digits] == '/' && text[digits + 1] &&
	       !strchr(text + digits + 1, '/');
}

bool
host_unix_is_multiplexer(const char *host)
{
	static const char *const screens[] = { "/run/screen/S-", "/var/run/screen/S-",
		"/tmp/screens/S-", "/tmp/uscreens/S-" };
	const char *path = host_unix_path(host), *tmux = path ? strstr(path, "/tmux-") : NULL;

	for (size_t i = 0; path && i < sizeof(screens) / sizeof(screens[0]); i++)
		if (str_prefix(path, screens[i]))
			return true;
	if (path && str_prefix(path, "/run/user/") && strstr(path, "/zellij/"))
		return true;
	return tmux && is_socket_of_user(tmux + strlen("/tmux-"));
}
