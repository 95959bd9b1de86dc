#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# The tables are complete: each command has help, a man page and completions.
. "${0%/*}/lib.sh"

status 0 "$AMBIT" help --names
names=$out
for name in run why decide mcp serve log rules sessions forget mode perms perm sandbox brief settings doctor help version completion; do
	grep -qx "$name" <<<"$names" || fail "no command $name"
done
status 0 "$AMBIT" --help
all=$out
for name in $names; do
	[[ $all == *"  $name "* ]] || fail "$name is not in the help"
	status 0 "$AMBIT" help "$name"
	says Options:
	page=$out
	status 0 "$AMBIT" "$name" --help
	[[ $out == "$page" ]] || fail "$name --help is not help $name"
	status 0 "$AMBIT" help --man "$name"
	says '.SH NAME'
	for shell in bash zsh fish; do
		status 0 "$AMBIT" completion $shell
		says "$name"
	done
done
status 0 "$AMBIT" --version
says 'ambit '
status 0 "$AMBIT" version --json
jq -e .version <<<"$out" >/dev/null

# bash completes, really
"$AMBIT" completion bash >"$TMPDIR/c"
complete_bash() {
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ambit; printf "%s\n" "${COMPREPLY[@]}"' \
		_ "$TMPDIR/c" "$@"
}
[[ $(complete_bash ambit wh) == why ]] || fail "wh"
[[ $(complete_bash ambit why --mode pl) == plan ]] || fail "--mode pl"
[[ $(complete_bash ambit log --summ) == --summary ]] || fail "--summ"
[[ $(complete_bash ambit log ver) == verify ]] || fail "ver"
if command -v fish >/dev/null; then
	"$AMBIT" completion fish >"$TMPDIR/c.fish"
	status 0 fish -c 'source $argv[1]; complete -C "ambit log --summ"' "$TMPDIR/c.fish"
	says --summary
fi

# Each profile is in its list, with its places.
status 0 "$AMBIT" help profiles
says $'\nclaude: '
says '.claude.json*'
says '--no-daemon'
status 2 "$AMBIT" help profile
