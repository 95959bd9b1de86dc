#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The question about a unix socket says what it can do; so does `ambit why`, and
# so does the refusal.
. "${0%/*}/line.bash"

while read -r path words; do
	verdict ask HostNotAllowed connect "unix:$path"
	[[ $(jq -r .reason <<<"$out") == *"$words"* ]] || fail "$path: $out"
	status 10 "$AMBIT" why connect "unix:$path"
	says "$words"
done <<'END'
/run/docker.sock full control of this machine
/run/podman/podman.sock full control of this machine
/run/containerd/containerd.sock full control of this machine
/run/crio/crio.sock full control of this machine
/run/user/1000/bus starts programs as you
/run/user/1000/systemd/private starts programs as you
/run/dbus/system_bus_socket act as root
/tmp/ssh-x/agent.1 signs in as you
/run/user/1000/gnupg/S.gpg-agent signs and decrypts as you
/tmp/.X11-unix/X0 types into your windows
/run/user/1000/wayland-0 types into your windows
/run/user/1000/pipewire-0 microphone
/run/user/1000/pulse/native microphone
/run/postgresql/.s.PGSQL.5432 database
/run/mysqld/mysqld.sock database
/run/redis/redis.sock database
END

unix_server "$OUT/docker.sock"
status 0 net unix "$OUT/docker.sock"
before=$(peers)
PERSON_STATUS=1 person 'wait:docker.sock' 'wait:FULL CONTROL OF THIS MACHINE' 'wait:what Docker does is not held' 'wait:ambit> ' \
	send:n wait:EACCES -- "$AMBIT" run -- "$PYTHON" -B "$HERE/net.py" unix "$OUT/docker.sock"
held 1 -- "$PYTHON" -B "$HERE/net.py" unix "$OUT/docker.sock"
complains 'full control of this machine'
[[ $(peers) -eq $before ]] || fail "it heard: $(cat "$heard")"
person 'wait:FULL CONTROL OF THIS MACHINE' 'wait:ambit> ' send:y wait:served \
	-- "$AMBIT" run -- "$PYTHON" -B "$HERE/net.py" unix "$OUT/docker.sock"
[[ $(peers) -eq $((before + 1)) ]] || fail "it heard: $(cat "$heard")"
# A link to it is no other socket.
ln -s "$OUT/docker.sock" harmless
held 1 -- "$PYTHON" -B "$HERE/net.py" unix harmless
complains 'docker.sock'
