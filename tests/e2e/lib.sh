# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For every end-to-end script: `. "${0%/*}/lib.sh"`. Gives it a person with a
# home ($HOME), a project folder ($P, also the current directory), a place
# outside ($OUT), and an end at the first promise that does not hold.
set -euo pipefail

TEST_DIR=${TEST_DIR:-$(mktemp -d)}
TEST_DIR=$(realpath "$TEST_DIR")
: "${AMBIT:?the program to test}"
export HOME=$TEST_DIR/home
export XDG_CONFIG_HOME=$HOME/.config XDG_STATE_HOME=$HOME/.local/state
export XDG_RUNTIME_DIR=$TEST_DIR/run TMPDIR=$TEST_DIR/tmp NO_COLOR=1 LC_ALL=C.UTF-8
# Without it tmux and others start the user's login shell, which for nobody is nologin.
export SHELL=/bin/bash
# As root gdb's Python writes its bytecode beside its sources, which is outside.
export PYTHONDONTWRITEBYTECODE=1
P=$HOME/project
# shellcheck disable=SC2034 # for the scripts
OUT=$TEST_DIR/outside
# shellcheck disable=SC2034
STATE=$XDG_STATE_HOME/ambit
mkdir -p "$P" "$OUT" "$TMPDIR" "$XDG_CONFIG_HOME/ambit" "$XDG_STATE_HOME"
mkdir -m 700 "$XDG_RUNTIME_DIR"
cd "$P"

ambit() { "$AMBIT" "$@"; }

fail() {
	echo "not so: $*" >&2
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

# status N COMMAND...: it exits with N. Output is in $out and $errout.
status() {
	local want=$1 got=0
	shift
	"$@" >"$TEST_DIR/.out" 2>"$TEST_DIR/.err" || got=$?
	out=$(cat "$TEST_DIR/.out")
	errout=$(cat "$TEST_DIR/.err")
	if [[ $got -ne $want ]]; then
		printf '%s\n%s\n' "$out" "$errout" >&2
		fail "'$*' exits with $got, not $want"
	fi
}

# says TEXT / complains TEXT: the last status' output, or messages, hold it.
says() { [[ $out == *"$1"* ]] || fail "no '$1' in: $out"; }
says_not() { [[ $out != *"$1"* ]] || fail "'$1' in: $out"; }
complains() { [[ $errout == *"$1"* ]] || fail "no '$1' in: $errout"; }

# verdict allow|ask|deny CODE WHY-ARGUMENTS...: CODE is - for an allow.
verdict() {
	local want=$1 code=$2 n
	shift 2
	case $want in allow) n=0 ;; ask) n=10 ;; deny) n=11 ;; *) fail "verdict $want" ;; esac
	status "$n" "$AMBIT" why --json "$@"
	[[ $(jq -r .verdict <<<"$out") == "$want" ]] || fail "why $*: $out"
	[[ $code == - || $(jq -r .code <<<"$out") == "$code" ]] || fail "why $*: not $code: $out"
}

# decide JSON...: one stream of these lines; the outcomes are in $out.
decide() { status 0 "$AMBIT" decide --session "${SESSION:-test}" < <(printf '%s\n' "$@"); }
# field N NAME: of the N-th outcome (from 1).
field() { sed -n "$1p" <<<"$out" | jq -r ".$2"; }
