#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Several sessions, several watchers: each sees every question, the first answer counts,
# and then it is gone everywhere. --session sees only its own.
. "${0%/*}/watch.bash"

watcher a
watcher b
watcher only 80 24 --session two
begin one bash -c "$PUT" - x "$OUT/one"
sees a "1 session"
sees b "1 session"
go one
asked a "write $OUT/one"
asked b "write $OUT/one"
begin two bash -c "$PUT" - x "$OUT/two"
sees a "2 sessions"
go two
sees a "2 questions"
sees b "2 questions"

# A new one does not take the selection.
has a "ambit  write $OUT/one"
has a "1 of 2"
has a "-- waiting"
has a "> one "
has a "  two "
asked only "write $OUT/two"
has only "1 session   1 question"

# b takes the second, a the first.
keys b j
asked b "write $OUT/two"
has b "2 of 2"
keys b y
sees b "allowed:"
ended two 0
[[ $(cat "$OUT/two") == x ]] || fail "two was not written"
# It was not the one that a shows; a says how it ended all the same.
sees a "allowed in ambit watch: write $OUT/two"
sees a "1 question"
has a "ambit  write $OUT/one"
sees only "allowed in ambit watch: write $OUT/two"
sees only "no questions"
asked b "write $OUT/one"
keys a n
ended one 1
sees b "refused in ambit watch: write $OUT/one"
[[ ! -e $OUT/one ]] || fail "one was written"
sees b "no sessions   no questions"
has_not b "ambit  "
