#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The devices and /proc files that programs write to work, and only those.
. "${0%/*}/line.bash"

held 0 -- bash -c '{ echo null >/dev/null; echo out >/dev/stdout; echo err >/dev/stderr; echo fd >/dev/fd/1
	head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo x | tee /dev/fd/1 >/dev/null; } | cat'
says out
says fd
complains err
if [[ ${AMBIT_WITHOUT:-} != pidfd_getfd ]]; then
	held 0 -- bash -c 'echo file >/dev/stdout' # it is a file here, outside the folder
	says file
fi
held 0 -- bash -c 'echo 500 >/proc/self/oom_score_adj && cat /proc/self/oom_score_adj; printf name >/proc/self/comm; cat /proc/$$/comm'
says 500
held 0 -- bash -c 'exec {a}< <(echo through); cat /dev/fd/$a; cat <(echo sub) | cat'
says through
if [[ -e /dev/full ]]; then
	held 1 -- bash -c 'echo x >/dev/full'
	complains 'No space left'
fi
# Not those of other processes, and not their memory.
sleep 1000 &
other=$!
trap 'kill $other' EXIT
held 1 -- bash -c 'echo 700 >/proc/$1/oom_score_adj' _ "$other"
[[ $(cat "/proc/$other/oom_score_adj") != 700 ]] || fail "another's oom_score_adj was written"
held 1 -- bash -c 'kill -STOP $1' _ "$other"
[[ $(awk '/^State/ { print $2 }' "/proc/$other/status") == S ]] || fail "another was stopped"
held 1 -- bash -c 'exec 3<>/proc/$1/mem' _ "$other"
if [[ $(id -u) -eq 0 && -b /dev/sda ]]; then
	held 1 -- "$CALLS" write /dev/sda
fi
