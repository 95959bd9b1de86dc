#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# 40x10 is enough to read and answer, but a yes waits until all was shown. Less than
# that asks for more. Without colours there is not one escape sequence for them.
. "${0%/*}/watch.bash"

long=$OUT/a-folder-with-a-rather-long-name/another-one-below-it
mkdir -p "$long"
watcher w 40 10
begin one bash -c "$PUT" - x "$long/file"
sees w "1 session"
go one
sees w "ambit  write"
sees w "more lines: Space"
sees_not w "(new on the screen"
keys w y
sees w "not read to its end yet"
[[ ! -e $long/file ]] || fail "written before it was read"
pages=0
until shown w "Enter = no"; do
	before=$(screen w | sed -n 2,9p)
	keys w Space
	moved() { [[ $(screen w | sed -n 2,9p) != "$before" ]]; }
	eventually moved
	((++pages < 20)) || fail "there is no end to it"
done
((pages > 0)) || fail "nothing was scrolled"
size w 30 4
sees w "larger, please"
keys w y
size w 40 10
sees w "Enter = no"
[[ ! -e $long/file ]] || fail "answered what could not be seen"
keys w y
ended one 0
[[ $(cat "$long/file") == x ]] || fail "not written"
keys w q

styles() { t capture-pane -ep -t "=$1:" | grep -c $'\e\\[' || true; }
watcher plain
[[ $(styles plain) -eq 0 ]] || fail "styles in spite of NO_COLOR"
terminal coloured
enter coloured "NO_COLOR= '$AMBIT' watch"
sees coloured "no sessions"
[[ $(styles coloured) -gt 0 ]] || fail "no styles at all"
