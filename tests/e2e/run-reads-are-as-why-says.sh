#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# why and a command agree about reads: a remembered no, guarded files, a limit, and a setting that
# the floor cannot hold, so that no command starts. The tools of a server hold that setting.
. "${0%/*}/line.bash"

# meets allow|deny CODE PATH [OPTION...]: by why, and by a command.
meets()
{
	local want=$1 code=$2 path=$3 status=0
	shift 3
	verdict "$want" "$code" "$@" read "$path"
	[[ $want == deny ]] && status=1
	held "$status" "$@" -- cat "$path"
	[[ $want == allow || -z $out ]] || fail "cat $path: $out"
}

mkdir -p "$OUT/closed/part" "$OUT/closed/open" sub
for file in "$OUT/closed/a" "$OUT/closed/part/b" "$OUT/closed/open/c" "$OUT/beside" inside sub/inside; do
	echo text >"$file"
done
meets allow - "$OUT/closed/a"

# A remembered no: a folder, with a yes to a part of it, and a file.
status 0 "$AMBIT" rules add --no read "$OUT/closed"
status 0 "$AMBIT" rules add read "$OUT/closed/open"
meets deny Denied "$OUT/closed/a"
meets deny Denied "$OUT/closed/part/b"
meets allow - "$OUT/closed/open/c"
meets allow - "$OUT/beside"
meets allow - sub/inside
status 11 "$AMBIT" why read "$OUT/closed/a"
says "nobody is asked, and nothing is recorded"
says "ambit rules revoke 1"
# Other names of the same file, and a file that comes later.
ln -s "$OUT/closed/a" link
meets deny Denied link
# What is closed can be open to writes; but it gets no name by which it could be read.
cat >"$TEST_DIR/name.py" <<'PYTHON'
import os, sys
how, old, new = sys.argv[1:]
# Who moves much is decided about by a shorter way.
for _ in range(40):
    os.rename("inside", "moved")
    os.rename("moved", "inside")
getattr(os, how)(old, new)
print(open(new + "/b" if os.path.isdir(new) else new).read())
PYTHON
takes() { # EXPECTED-STATUS [OPTION...]
	local expected=$1 how
	shift
	for how in link rename; do
		status "$expected" "$@" "$PYTHON" -B "$TEST_DIR/name.py" "$how" "$OUT/closed/part/b" taken
		[[ $expected -eq 0 || ! -e taken ]] || fail "$how: taken"
		rm -f taken
		echo text >"$OUT/closed/part/b"
	done
}
takes 0
takes 1 "$AMBIT" run --ask deny --write "$OUT/closed/part/b" --
takes 1 "$AMBIT" run --ask deny --write "$OUT/closed/part" --
takes 1 "$AMBIT" run --ask deny --guard-reads --write "$OUT" --
# Nor one that the rule does not know, for the next run.
held 1 --guard-reads --write "$OUT" -- "$PYTHON" -B "$TEST_DIR/name.py" rename "$OUT/closed" "$OUT/named"
[[ -e $OUT/closed/part/b && ! -e $OUT/named ]] || fail "the closed folder has another name"
for how in link rename; do
	held 1 --guard-reads --write "$OUT" -- "$PYTHON" -B "$TEST_DIR/name.py" "$how" "$OUT/closed/part/b" "$OUT/named"
	[[ -e $OUT/closed/part/b && ! -e $OUT/named ]] || fail "$how: a closed file has another name"
done
held 0 --write "$OUT/closed/part" -- mv "$OUT/closed/part/b" "$OUT/closed/part/c"
mv "$OUT/closed/part/c" "$OUT/closed/part/b"
status 0 "$AMBIT" rules add --no read "$OUT/later"
mkfifo go
held 1 -- bash -c 'echo text >later; read -r _ <go; cat "$1"' _ "$OUT/later" &
eventually test -e later
echo secret >"$OUT/later"
echo >go
wait $! || fail "what came later was read"
meets deny Denied "$OUT/later"
# A yes that is newer counts, and so does taking the no back.
status 0 "$AMBIT" rules add read "$OUT/later"
meets allow - "$OUT/later"
status 0 "$AMBIT" rules revoke 1
meets allow - "$OUT/closed/a"
# A no of one session holds for the commands of that session.
status 0 "$AMBIT" rules add --no --session one read "$OUT/beside"
meets deny Denied "$OUT/beside" --session one
meets allow - "$OUT/beside"
# A folder around the folder: the command reads nothing of its own there, and has its temp directory.
status 0 "$AMBIT" rules add --no --session two read "$HOME"
meets deny Denied sub/inside --session two
held 0 --session two -- bash -c 'cd /; echo text >"$TMPDIR/x"; cat "$TMPDIR/x"'
says text

# A no in a place where the command writes needs --guard-reads, or nothing starts.
status 0 "$AMBIT" rules add --no --session three read sub/inside
verdict deny Denied --session three read sub/inside
status 125 "$AMBIT" run --session three --ask deny -- true
complains "--guard-reads"
complains "ambit rules revoke"
meets deny Denied sub/inside --session three --guard-reads
meets allow - inside --session three --guard-reads

# Guarded files, ambit's own, devices and a limit.
mkdir -m 700 "$HOME/.ssh"
echo key >"$HOME/.ssh/id_test"
meets allow - "$HOME/.ssh/id_test"
meets deny GuardedRead "$HOME/.ssh/id_test" --guard-reads
record=$(find "$STATE" -maxdepth 1 -type f -name '*.db' | head -1)
meets allow - "$record"
meets deny Protected "$record" --guard-reads
status 0 "$AMBIT" rules add read "$HOME/.ssh/id_test"
meets allow - "$HOME/.ssh/id_test" --guard-reads
meets deny OutOfScope "$OUT/beside" --reads folder
meets allow - /etc/passwd --reads folder
meets allow - "$OUT/beside" --reads folder --read "$OUT"
status 0 "$AMBIT" rules add write "$OUT/closed"
meets deny OutOfScope "$OUT/closed/a" --reads folder
meets allow - /dev/null
if ((EUID == 0)) && [[ -c /dev/console ]]; then
	verdict deny Outside read /dev/console
fi

# Settings that a floor cannot hold: nothing starts, by the words of why.
settings() { printf '%s\n' "$1" >"$XDG_CONFIG_HOME/ambit/config.json"; }
starts_not()
{
	verdict deny Denied "${@:2}" read /etc/passwd
	says "$1"
	verdict deny Denied "${@:2}" write inside
	held 125 "${@:2}" -- touch started
	complains "$1"
	[[ ! -e started ]] || fail "it ran"
}
settings '{"permissions":{"read":"deny"}}'
starts_not "permissions sets read to deny (~/.config/ambit/config.json:1)"
verdict deny Denied --door mcp read /etc/passwd
settings '{"by_side_effect":{"read":"ask"}}'
starts_not "by_side_effect sets read to ask (~/.config/ambit/config.json:1)"
settings '{"reads":"until-first-write"}'
starts_not "reads is until-first-write (~/.config/ambit/config.json:1)"
meets deny OutOfScope "$OUT/beside" --reads folder
meets allow - "$OUT/beside" --reads anywhere
settings '{}'
echo '{"permissions":{"Read":"ask"}}' >.ambit.json
starts_not "permissions sets read to ask (.ambit.json:1)"
rm .ambit.json
status 0 "$AMBIT" perm read ask --session four
starts_not "ambit perm read default --session four" --session four
status 2 "$AMBIT" run --reads until-first-write -- true

# A server's session: its tools read until they write, and its commands in the folder alone.
settings '{"reads":"until-first-write"}'
PYTHONPATH=$HERE OUT=$OUT "$PYTHON" -B - <<'PY'
from mcp import *

OUT = os.environ["OUT"]
client = Client()
client.legacy()
good(client.call("read", file_path=OUT + "/beside"))
good(client.call("write", file_path="new", content="x"))
bad(client.call("read", file_path=OUT + "/beside"), "OutOfScope")
words = str(client.call("bash", command=f"cat {OUT}/beside || cat inside"))
check("Permission denied" in words, words)
check("text" in words, words)
client.end()
PY
