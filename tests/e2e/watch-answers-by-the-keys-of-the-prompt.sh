#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Every key does in the screen what it does at the prompt, and the file is there, or it
# is not. The screen may change its size in between.
. "${0%/*}/watch.bash"

# Without ambit anybody could.
bash -c "$PUT" - natural "$OUT/natural"
[[ -s $OUT/natural ]] || fail "cannot be written without ambit either"

watcher w
sees w "no sessions   no questions"
has w "No live session."

# once
begin one bash -c "$PUT" - x "$OUT/one"
sees w "1 session   no questions"
has w "  one               run (pid"
go one
asked w "write $OUT/one"
has w "1 session   1 question"
sees w "one  run (pid"
has_not w "s left" # no limit, as none is set
has w "       by bash; outside ~/project"
has w "       y once   s this file, this session"
[[ ! -e $OUT/one ]] || fail "written before it was answered"
size w 60 20
sees w "Enter = no"
has w "ambit  write"
size w 100 30
sees w "ambit  write $OUT/one"
keys w y
sees w "allowed: this process, for two seconds: make"
ended one 0
[[ $(cat "$OUT/one") == x ]] || fail "not written"
sees w "decide    allow  write $OUT/one"
sees w "no sessions   no questions"

# no, Enter, Esc
for key in n Enter Escape; do
	begin "no-$key" bash -c "$PUT" - x "$OUT/no"
	sees w "1 session"
	go "no-$key"
	asked w "write $OUT/no"
	keys w "$key"
	sees w "refused: write $OUT/no"
	ended "no-$key" 1
	[[ ! -e $OUT/no ]] || fail "$key wrote"
	sees w "no sessions"
done

# a message reaches whoever asked
begin words bash -c "$PUT" - x "$OUT/no"
sees w "1 session"
go words
asked w "write $OUT/no"
keys w "?"
sees w "asked: write $OUT/no"
keys w m
sees w "message: _"
keys w -l "yes is what I do not say"
sees w "message: yes is what I do not say_"
keys w Enter
sees w "refused, with your message"
ended words 1
[[ ! -e $OUT/no ]] || fail "a message wrote"
grep -qF "yes is what I do not say" "$TEST_DIR/words.out" || fail "the message did not arrive"

# the folder: the second file is no question
begin folder bash -c 'echo x >"$1" && echo y >"$2"' - "$OUT/f1" "$OUT/f2"
sees w "1 session"
go folder
asked w "write $OUT/f1"
keys w d
ended folder 0
[[ $(cat "$OUT/f1" "$OUT/f2") == x*y ]] || fail "not written"

# always: a second key says how wide, and it is in the rules
begin always bash -c "$PUT" - x "$OUT/always"
sees w "1 session"
go always
asked w "write $OUT/always"
keys w a
sees w "always in ~/project:  s this file   d all of /.../outside"
[[ ! -e $OUT/always ]] || fail "the first key wrote"
keys w x
sees w "y once"
keys w a
sees w "d all of /.../outside"
keys w d
ended always 0
[[ $(cat "$OUT/always") == x ]] || fail "not written"
status 0 ambit rules --json
says "$OUT"

keys w q
sees w "watch"
sees_not w "sessions"
