# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scripts about `ambit run`: `. "${0%/*}/line.bash"`. On top of lib.sh:
# commands behind the line, a person at a terminal, helpers that make one system
# call each, and a check that nothing is left behind.
# shellcheck source=tests/e2e/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

HERE=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
HELPERS=$(realpath "${BUILD:-${AMBIT%/*}}")/e2e
CALLS=$HELPERS/calls
[[ -x $CALLS ]] || fail "no $CALLS; 'make tests' builds it"
# Not a wrapper script of some version manager, whose own writes would count.
PYTHON=$(command -v /usr/bin/python3 || command -v python3) || skip "no python3"
PERSON=("$PYTHON" -B "$HERE/person.py")

# Only what the machine lacks is a skip; a line that is broken is a failure.
while read -r part; do
	skip "the line cannot be held here: $part"
done < <("$AMBIT" doctor --json 2>/dev/null |
	jq -r '.[] | select((.name == "landlock" or .name == "seccomp" or .name == "yama") and .ok == false) | .name')

# line ARGUMENTS...: ambit run, with nobody to ask.
line() { "$AMBIT" run --ask deny "$@"; }
# held STATUS ARGUMENTS...: it exits so; words are in $out and $errout.
held() {
	local want=$1
	shift
	status "$want" "$AMBIT" run --ask deny "$@"
}

# person STEP... -- COMMAND...: somebody at a terminal; see person.py. What the
# terminal showed is in $out.
person() { status "${PERSON_STATUS:-0}" "${PERSON[@]}" "$@"; }

# An approver program where the command cannot write: approver NAME, with its
# text on standard input. Its path is in $approver.
approver() {
	mkdir -p "$TEST_DIR/approvers"
	chmod 755 "$TEST_DIR" "$TEST_DIR/approvers"
	approver=$TEST_DIR/approvers/$1
	cat >"$approver"
	chmod 755 "$approver"
}

# natural CALLS-ARGUMENTS...: it works without ambit; so the refusal is ambit's.
natural() {
	"$CALLS" "$@" >/dev/null || fail "'$*' does not work without ambit either"
}

# eventually COMMAND...: it holds within ten seconds.
eventually() {
	local n
	for ((n = 0; n < 200; n++)); do
		"$@" 2>/dev/null && return
		sleep 0.05
	done
	fail "never so: $*"
}

# Nothing of ambit's is left in the temp directory, and the folder holds only
# what is named: clean [NAME...].
clean() {
	local left
	left=$(find "$TMPDIR" -mindepth 1 -maxdepth 1)
	[[ -z $left ]] || fail "left in TMPDIR: $left"
	left=$(cd "$P" && find . -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' ')
	[[ $left == "${*:+$* }" ]] || fail "left in the folder: $left"
}

gone() { ! kill -0 "$1" 2>/dev/null; }

# A server outside: its port is in $port, and each peer is a line in $heard.
net() { "$PYTHON" -B "$HERE/net.py" "$@"; }
server() {
	heard=$TEST_DIR/heard
	"$PYTHON" -B "$HERE/net.py" serve "$heard" </dev/null >/dev/null 2>&1 &
	servers+=($!)
	eventually test -s "$heard"
	port=$(head -1 "$heard")
}
unix_server() { # PATH
	heard=$TEST_DIR/heard-unix
	rm -f "$heard"
	"$PYTHON" -B "$HERE/net.py" serve-unix "$1" "$heard" </dev/null >/dev/null 2>&1 &
	servers+=($!)
	eventually test -s "$heard"
}
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true' EXIT
peers() { tail -n +2 "$heard" | wc -l; }
