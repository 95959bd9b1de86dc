#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# However a run ends, its processes are ended and its temporary directory is
# gone: at the end, on a timeout, when the supervisor or the keeper is killed.
. "${0%/*}/line.bash"

# Fills its TMPDIR with what is hard to remove, tells its own pid, and stays.
cat >"$TEST_DIR/stay.sh" <<'END'
mkdir -p "$TMPDIR/a/b"; touch "$TMPDIR/a/b/c"; ln -s / "$TMPDIR/root"; chmod 000 "$TMPDIR/a/b"
(setsid sleep 1000 >/dev/null 2>&1 & echo $! >>"$1")
(trap '' TERM HUP; setsid bash -c 'echo $$ >>"$1"; trap "" TERM HUP; while :; do sleep 1000; done' _ "$1" >/dev/null 2>&1 &)
until [[ $(wc -l <"$1") -ge 2 ]]; do sleep 0.02; done
echo $$ >>"$1"
[[ -n ${STAY:-} ]] && exec sleep 1000
exit 0
END
pids=$P/pids
all_gone() { local pid; while read -r pid; do gone "$pid" || return 1; done <"$pids"; }

held 0 -- bash "$TEST_DIR/stay.sh" "$pids"
all_gone || fail "left after a normal end: $(cat "$pids")"
clean pids

rm "$pids"
STAY=1 held 124 --timeout 1 -- bash "$TEST_DIR/stay.sh" "$pids"
all_gone || fail "left after a timeout"
clean pids

# Three processes: the supervisor, its keeper, the command.
begin() {
	rm -f "$pids"
	STAY=1 "$AMBIT" run --ask deny -- bash "$TEST_DIR/stay.sh" "$pids" </dev/null >"$TEST_DIR/o" 2>&1 &
	supervisor=$!
	eventually bash -c '[[ $(wc -l <"$1") -ge 3 ]]' _ "$pids"
	keeper=$(pgrep -P "$supervisor" | head -1)
	[[ -n $keeper ]] || fail "no keeper"
}
begin
kill -KILL "$supervisor"
wait "$supervisor" 2>/dev/null || true
eventually all_gone
eventually gone "$keeper"
eventually clean pids

begin
kill -KILL "$keeper"
status=0
wait "$supervisor" || status=$?
[[ $status -ne 0 ]] || fail "a killed keeper is a good end"
eventually all_gone
eventually clean pids

# TERM to ambit ends the command, too.
begin
kill -TERM "$supervisor"
status=0
wait "$supervisor" || status=$?
[[ $status -eq 143 ]] || fail "TERM: $status"
eventually all_gone
eventually clean pids
