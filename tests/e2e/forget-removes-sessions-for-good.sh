#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sessions leave the record when a person says so, when they are old, and when the
# record is too large; live ones stay, chains hold, and the file becomes smaller.
. "${0%/*}/line.bash"

status 0 "$AMBIT" forget --all --yes
complains 'nothing is recorded'
[[ ! -e $STATE/ambit.db ]] || fail "forget makes a record"
for s in one two three; do
	SESSION=$s decide '{"tool":"write","args":{"file_path":"x-'$s'"}}' \
		'{"tool":"write","args":{"file_path":"secret-of-'$s'"}}'
done
status 2 "$AMBIT" forget
status 2 "$AMBIT" forget --all --before 3d --yes
status 2 "$AMBIT" forget --before soon --yes
status 2 "$AMBIT" forget one </dev/null
complains 'use --yes'
status 1 "$AMBIT" forget one four --yes
complains "no session 'four'"
status 0 "$AMBIT" log --session one --json
says secret-of-one

status 0 "$AMBIT" forget one --yes
says '1 session with 3 events removed'
status 0 "$AMBIT" log --session one
[[ -z $out ]] || fail "still there: $out"
status 0 "$AMBIT" sessions --json
[[ $(jq -r .name <<<"$out" | sort | xargs) == 'three two' ]] || fail "$out"
! grep -aq secret-of-one "$STATE"/ambit.db* || fail "its words are still in the file"
status 0 "$AMBIT" log --kind forget
says 'session one, 3 events'
status 0 "$AMBIT" forget --before 1h --yes --json
[[ $(jq -c . <<<"$out") == '{"events":0,"live":0,"sessions":0}' ]] || fail "$out"

# At a terminal it asks; Enter is a no.
cat >"$TMPDIR/person" <<'PY'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
seen = b""
while b"[y/N]" not in seen:
    seen += os.read(fd, 4096)
os.write(fd, sys.argv[1].encode() + b"\n")
try:
    while data := os.read(fd, 4096):
        seen += data
except OSError:
    pass
print(seen.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
status 1 "$PYTHON" "$TMPDIR/person" '' "$AMBIT" forget two
says 'remove 1 session with 3 events'
says 'nothing was removed'
status 0 "$PYTHON" "$TMPDIR/person" y "$AMBIT" forget two
status 0 "$AMBIT" sessions --json
[[ $(jq -r .name <<<"$out") == three ]] || fail "$out"

# A live session stays, and a command behind the line forgets nothing.
cat >inside.sh <<SH
"$AMBIT" forget three --yes && echo forgot
"$AMBIT" forget --all --yes && echo forgot
touch here
read -r _ <"$TMPDIR/hold"
SH
mkfifo "$TMPDIR/hold"
exec 9<>"$TMPDIR/hold"
"$AMBIT" run --session live --ask deny -- bash inside.sh 9>&- >"$TMPDIR/said" 2>&1 &
pid=$!
until [[ -e here ]]; do kill -0 "$pid" || fail "$(cat "$TMPDIR/said")"; done
! grep -q forgot "$TMPDIR/said" || fail "behind the line: $(cat "$TMPDIR/said")"
status 0 "$AMBIT" log --session three --json
says secret-of-three
status 1 "$AMBIT" forget live --yes
complains 'live'
status 0 "$AMBIT" forget --all --yes
says '1 live session'
echo >&9
wait "$pid" || fail "the run: $(cat "$TMPDIR/said")"
status 0 "$AMBIT" log --session live --kind end --json
says '"kind"'
status 0 "$AMBIT" log verify
status 0 "$AMBIT" forget live --yes

# Old ones go by themselves, when something else ends.
command -v sqlite3 >/dev/null || skip "no sqlite3"
old() { # SESSION: as if it had been a hundred days ago; its chain is made anew
	SESSION=$1 decide '{"tool":"read","args":{"file_path":"x"}}'
	"$PYTHON" - "$STATE/ambit.db" "$1" <<'PY'
import hashlib, json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
last = "0" * 64
rows = db.execute("select id, session, seq, time - 100 * 86400000, kind, tool, verdict, code,"
    " subject, body from events where session = ? order by seq", (sys.argv[2],)).fetchall()
for row in rows:
    text = json.dumps([last, *row[1:]], separators=(",", ":"), ensure_ascii=False)
    last = hashlib.sha256(text.encode()).hexdigest()
    db.execute("update events set time = ?, hash = ? where id = ?", (row[3], last, row[0]))
db.execute("update heads set hash = ? where session = ?", (last, sys.argv[2]))
db.commit()
PY
}
old ancient
status 0 "$AMBIT" log verify --session ancient
echo '{"keep_days": 0}' >"$XDG_CONFIG_HOME/ambit/config.json"
rm -f "$STATE/ambit.lock" # else it looks again in an hour
SESSION=now decide '{"tool":"read","args":{"file_path":"x"}}'
status 0 "$AMBIT" log verify --session ancient
echo '{"keep_days": 90}' >"$XDG_CONFIG_HOME/ambit/config.json"
rm -f "$STATE/ambit.lock"
SESSION=now decide '{"tool":"read","args":{"file_path":"x"}}'
status 1 "$AMBIT" log verify --session ancient
status 0 "$AMBIT" log --kind forget --json --last 1
[[ $(jq -r .body.why <<<"$out") == keep_days ]] || fail "$out"
status 0 "$AMBIT" log verify

# A session's share: what is allowed beyond it is counted, and that is told before.
echo '{"record_session_max": 50}' >"$XDG_CONFIG_HOME/ambit/config.json"
for ((i = 0; i < 200; i++)); do
	echo "{\"id\":$i,\"tool\":\"write\",\"args\":{\"file_path\":\"sub/f$i\"}}"
done >"$TMPDIR/lines"
status 0 "$AMBIT" decide --session share <"$TMPDIR/lines"
[[ $(jq -r .verdict <<<"$out" | sort | uniq -c | xargs) == '200 allow' ]] || fail "$out"
status 0 "$AMBIT" log --session share --json
[[ $(wc -l <<<"$out") -lt 60 ]] || fail "$(wc -l <<<"$out") events"
status 0 "$AMBIT" log --session share
says 'counted from here on in sub: this session has used its share of the record'
status 0 "$AMBIT" log --session share --summary --json
[[ $(jq '[.[] | select(.kind == "decide") | .count] | add' <<<"$out") -eq 200 ]] || fail "$out"
# The folder's own file does not decide how much is recorded about it.
echo '{"record_session_max": 1}' >.ambit.json
status 1 "$AMBIT" decide --session folder </dev/null
complains 'record_session_max'
