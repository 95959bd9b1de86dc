#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# q and ^C leave the question as it is, and the next who watches answers it. What was
# typed before it stood on the screen answers nothing. A program that gives up takes its
# question away.
. "${0%/*}/watch.bash"

watcher w
begin one bash -c "$PUT" - x "$OUT/one"
sees w "1 session"
keys w y
keys w y
keys w d
go one
asked w "write $OUT/one"
[[ ! -e $OUT/one ]] || fail "an early key wrote"
# Two watch, so that the question has somewhere to stay.
watcher v
asked v "write $OUT/one"
keys w a
sees w "always in "
keys w C-c
sees_not w "always in "
has v "ambit  write $OUT/one"
enter w "'$AMBIT' watch"
asked w "write $OUT/one"
keys w "?"
sees w "asked: write"
keys w m
sees w "message: _"
keys w C-c
sees_not w "message: _"
enter w "'$AMBIT' watch"
asked w "write $OUT/one"
keys w q
sees_not w "ambit  "
has v "ambit  write $OUT/one"
[[ ! -e $OUT/one ]] || fail "quitting wrote"
keys v y
ended one 0
[[ $(cat "$OUT/one") == x ]] || fail "the one that stayed could not answer"

# A program that is gone does not wait any more.
begin two bash -c "$PUT" - x "$OUT/two"
sees v "1 session"
go two
asked v "write $OUT/two"
kill "${run[two]}"
sees_not v "ambit  "
sees v "no questions"
[[ ! -e $OUT/two ]] || fail "a question that is gone wrote"
