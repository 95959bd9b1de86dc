#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A command joins no process group that was made outside, although it may share its session with
# one: with --no-pty, and in a run inside. Signals that it sends to its own group would reach that one, and
# so would those of a terminal. Its own groups are its own business.
. "${0%/*}/line.bash"

cat >join.py <<'END'
import os, sys
try:
    os.setpgid(0, int(sys.argv[1]))
    print("joined")
except PermissionError:
    print("refused")
END
# A process outside that leads a group of this session.
set -m
sleep 1000 &
victim=$!
set +m
trap 'kill $victim' EXIT
status 0 "$PYTHON" join.py $victim
says joined
held 0 --no-pty -- "$PYTHON" join.py $victim
says refused
held 0 --no-pty -- "$AMBIT" run --quiet --ask deny -- "$PYTHON" join.py $victim
says refused
# That of an outer command, from a run inside.
cat >outer.sh <<'END'
set -m
sleep 1000 &
"$AMBIT" run --quiet --ask deny -- "$PYTHON" join.py $!
"$PYTHON" join.py $!
kill %1
END
export AMBIT PYTHON
status 0 env AMBIT=env bash -c 'cd "$0"; set -m; sleep 1000 & "$PYTHON" join.py $!; kill %1' "$P"
says joined
held 0 -- bash outer.sh
[[ $out == refused$'\n'joined* ]] || fail "$out"

# Job control: pipes in groups of their own, by the shell and by each process itself.
held 0 -- bash -c 'set -m; seq 3 | cat | "$PYTHON" -c "
import os, sys
print(os.getpgrp() != os.getppid(), sorted(sys.stdin.read().split()))"; sleep 1000 | cat & kill %1; wait %1; echo "status $?"'
says "True ['1', '2', '3']"
says 'status 143'
