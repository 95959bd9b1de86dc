#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# What a program leaves its terminal in does not keep the question from being seen: strings
# without an end, which a terminal (tmux) takes all that follows for, and what hides colours.
# shellcheck source=tests/e2e/watch.bash
. "${0%/*}/watch.bash"
export CALLS OUT AMBIT

# Without ambit all that comes after is gone.
terminal plain
enter plain "clear; printf 'Run %s \\033Pq' tests?; echo HID''DEN; touch '$OUT/after'; sleep 1000"
sees plain 'Run tests?'
eventually test -e "$OUT/after"
has_not plain HIDDEN

i=0
for trick in '\033Pq' '\033Pq\030' '\033Ptmux;' '\033ktitle' '\033Pq\033[' '\033]0;'; do
	i=$((i + 1))
	terminal "t$i"
	enter "t$i" "$AMBIT run --quiet -- bash -c 'printf \"Run the tests? $trick\"; \"\$CALLS\" create \"\$OUT/$i\"'"
	sees "t$i" 'ambit  write'
	sees "t$i" 'ambit>'
	keys "t$i" n
	sees "t$i" 'refused'
	[[ ! -e $OUT/$i ]] || fail "written after a no: $trick"
done
