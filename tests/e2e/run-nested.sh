#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# ambit run inside ambit run narrows: what the inner one holds back is held back,
# what would be wider is refused, and status, signals, input and output are the
# inner command's. Nothing of it is left over, however it ends.
. "${0%/*}/line.bash"
# It is taken away by a filter, behind which nobody can start one.
[[ -z ${AMBIT_WITHOUT:-} ]] || skip "$AMBIT_WITHOUT is missing"

mkdir -p sub/deep "$OUT/granted"
inner=(env "$AMBIT" run)

# -- it narrows, at three levels --------------------------------------------------------

held 0 -- "${inner[@]}" --folder sub -- "$AMBIT" run --folder deep -- sh -c '
	cd '"$P"'/sub/deep; echo in >three; { echo out >../two; } 2>/dev/null; { echo out >../../one; } 2>/dev/null
	{ echo out >"$1"; } 2>/dev/null; pwd' _ "$OUT/four"
[[ $out == "$P/sub/deep" ]] || fail "it ran in $out"
[[ $(cat sub/deep/three) == in ]] || fail "the innermost folder cannot be written"
[[ ! -e sub/two && ! -e one && ! -e $OUT/four ]] || fail "past one of the lines: $(find . "$OUT")"
complains 'refused'
# The outer command itself is not narrowed by that, nor the one in the middle.
held 0 -- bash -c '"$1" run --folder sub -- bash -c "\"\$1\" run --folder deep -- true; echo 2 >two" _ "$1"; echo 1 >one' _ "$AMBIT"
[[ $(cat one sub/two) == $'1\n2' ]] || fail "after an inner run, writing is refused"
# By other calls than open: performed, not bounded.
held 0 -- "${inner[@]}" --folder sub -- bash -c 'chmod 600 ../one; touch -d 2001-01-01 ../one; rm -f ../one; mkdir ../dir; ln -s x ../link; chmod 640 two; mkdir made; mv made moved; true'
[[ -e one && $(stat -c %a one) != 600 && $(stat -c %Y one) -gt 1000000000 ]] || fail "one was changed"
[[ ! -e dir && ! -L link && $(stat -c %a sub/two) == 640 && -d sub/moved ]] || fail "names or modes"
rmdir sub/moved
# Directories that came after the start of the outer one.
held 0 -- bash -c 'mkdir -p new/er; "$1" run --folder new -- bash -c "echo a >f; mkdir d; echo b >d/g; echo c >er/h"; cat new/f new/d/g new/er/h' _ "$AMBIT"
[[ $out == $'a\nb\nc' ]] || fail "in a new folder: $out / $errout"
rm -r new one sub/two sub/deep/three

# -- what would be wider -------------------------------------------------------------------

wide() { # WORDS OUTER-OPTIONS... -- INNER-OPTIONS...
	local words=$1 outer=()
	shift
	while [[ $1 != -- ]]; do outer+=("$1"); shift; done
	shift
	status 125 "$AMBIT" run --ask deny "${outer[@]}" -- "${inner[@]}" "$@" -- touch ran
	complains 'inside another ambit run'
	complains "$words"
	[[ ! -e ran && ! -e sub/ran ]] || fail "it ran: $*"
}
export PATH=$PATH:/usr/bin:/bin
wide 'not open' -- --folder ..
wide 'not open' -- --folder /
wide 'not open' --folder sub -- --folder "$P"
wide 'it is none' --net none -- --net open
wide 'it is none' --net none -- --net ask
wide 'it is ask' --net ask -- --net open
wide 'not open' -- --write "$OUT"
wide 'not open' -- --write ../newfile
# What the outer one asks about is not opened by a word inside.
mkdir -p .git/hooks
for guard in .git/hooks .git/config .envrc .claude/settings.json . sub/.vscode; do
	wide 'not open' -- --write "$PWD/$guard"
done
wide 'it is plan' --mode plan -- --mode build
wide 'does not have it' -- --for claude
wide 'hosts are asked' -- --allow-host example.com
wide 'settings hold' -- --settings /dev/null
wide 'nobody else' -- --ask allow
wide 'nobody else' -- --ask exec:/bin/true
wide 'nobody else' -- --ask tty
wide 'it is folder' --reads folder --read "${AMBIT%/*}" --read "${HELPERS%/*}" -- --reads anywhere
ambit mode --session old plan >/dev/null
wide 'a new one' -- --session old
# At the second level what holds is that of the one in the middle.
held 125 --net open -- "${inner[@]}" --net none -- "$AMBIT" run --net ask -- touch ran
complains 'it is none'
held 125 -- "${inner[@]}" --folder sub -- "$AMBIT" run --folder "$P" -- touch ran
[[ ! -e ran ]] || fail "it ran"
# What is as wide, or less, is not refused.
held 0 --net open --write "$OUT/granted" -- "${inner[@]}" --net none --read-only --write "$OUT/granted" --session fresh -- true
held 0 --write "$OUT/granted" -- "${inner[@]}" --folder "$OUT/granted" -- bash -c 'echo g >g; ! echo p >'"$P"'/p'
[[ $(cat "$OUT/granted/g") == g && ! -e p ]] || fail "a granted folder"
# A grant of the outer one is not the inner one's unless it says so.
held 0 --write "$OUT/granted" -- "${inner[@]}" -- bash -c '! echo h >'"$OUT"'/granted/h'
held 0 --write "$OUT/granted" -- "${inner[@]}" --write "$OUT/granted" -- bash -c 'echo i >'"$OUT"'/granted/i'
[[ ! -e $OUT/granted/h && $(cat "$OUT/granted/i") == i ]] || fail "grants: $(ls "$OUT/granted")"
# The person's settings open nothing that the outer line has not got; nor does a
# standing rule for the inner folder alone; a no for it holds.
ambit rules add write "$OUT" --folder "$P/sub" >/dev/null
held 0 -- "${inner[@]}" --folder sub -- bash -c '! echo r >'"$OUT"'/r'
[[ ! -e $OUT/r ]] || fail "a rule of the inner folder was used"
ambit rules add --no write "$P/sub/never" --folder "$P/sub" >/dev/null
held 0 -- "${inner[@]}" --folder sub -- bash -c '! echo n >never'
[[ ! -e sub/never ]] || fail "a no of the inner folder was forgotten"
# Read-only outside is read-only inside; a net that is off is off.
held 0 --read-only -- "${inner[@]}" -- bash -c '! echo w >w'
[[ ! -e w ]] || fail "written in a read-only run"
server
held 0 --net none -- "${inner[@]}" -- "$PYTHON" -c "
import socket
try: socket.create_connection(('127.0.0.1', $port)); print('reached')
except OSError: print('refused')"
says refused
held 0 --net open -- "${inner[@]}" --net open -- "$PYTHON" -c "
import socket
socket.create_connection(('127.0.0.1', $port)); print('reached')"
says reached
# Guards of the outer folder hold inside, also when they lie in the inner one.
git init -q . && git config core.hooksPath sub/hooks && mkdir sub/hooks
held 0 -- "${inner[@]}" --folder sub -- bash -c '! echo x >hooks/pre-commit'
[[ ! -e sub/hooks/pre-commit ]] || fail "a guard of the outer folder was written"
rm -rf .git sub/hooks

# -- status, signals, input and output -------------------------------------------------------

held 3 -- "${inner[@]}" -- bash -c 'exit 3'
held 143 -- "${inner[@]}" -- bash -c 'kill -TERM $$'
held 127 -- "${inner[@]}" -- no-such-program-anywhere
echo text >text
held 126 -- "${inner[@]}" -- ./text
held 124 -- "${inner[@]}" --timeout 0.3 -- sleep 30
held 124 --timeout 1 -- "${inner[@]}" -- "$AMBIT" run -- sleep 30
held 2 -- "${inner[@]}" --timeout x -- true
complains timeout
held 1 -- "${inner[@]}" --fail-on-refusal -- bash -c ': >'"$OUT"'/x; true'
[[ $(echo in | line -- "${inner[@]}" -- "$AMBIT" run -- bash -c 'cat; echo err >&2' 2>&1 | tr '\n' ' ') == 'in err ' ]] ||
	fail "input and output"
held 0 -- bash -c 'umask 027; ulimit -n 99; trap "" USR1; cd sub; X=y "$1" run -- bash -c "umask; ulimit -n; pwd; echo \$X; kill -USR1 \\$\\$; echo alive"' _ "$AMBIT"
[[ $out == "0027"$'\n'"99"$'\n'"$P/sub"$'\n'"y"$'\n'"alive" ]] || fail "manners: $out"
held 0 -- "${inner[@]}" --report report -- bash -c ': >'"$OUT"'/x; true'
[[ $(jq -r '.refusals[0].what, .status' report | tr '\n' ' ') == 'write 0 ' ]] || fail "report: $(cat report)"
rm report text
# Much to pass on; many at a time.
held 0 -- bash -c '"$1" run -- bash -c "echo \$#" _ $(printf "%0100d " {1..3000})' _ "$AMBIT"
[[ $out == 3000 ]] || fail "many arguments: $out"
held 0 -- bash -c 'for ((i = 0; i < 12; i++)); do "$1" run -- bash -c "exit $i" & pids+=($!); done
	for p in "${pids[@]}"; do wait "$p"; echo -n "$? "; done' _ "$AMBIT"
[[ $out == '0 1 2 3 4 5 6 7 8 9 10 11 ' ]] || fail "many at a time: $out"
# One that asks for the report where it cannot write gets none.
held 125 -- "${inner[@]}" --report "$OUT/report" -- true
[[ ! -e $OUT/report ]] || fail "a report outside"
# The innermost session is recorded, with the one around it.
ambit log --session fresh --kind run --json | jq -e 'select(.body.inside != null)' >/dev/null ||
	fail "the record does not say inside what: $(ambit log --session fresh --json)"

# A signal to the inner ambit reaches the command; its death ends it.
cat >"$TEST_DIR/wait.sh" <<'END'
trap 'echo term >>told; exit 9' TERM
(setsid sleep 1000 >/dev/null 2>&1 & echo $! >>pids)
echo $$ >>pids
while :; do sleep 0.05; done
END
held 9 -- bash -c '"$1" run -- bash "$2" & p=$!; until [[ -s pids && $(wc -l <pids) -ge 2 ]]; do sleep 0.02; done
	kill -TERM $p; wait $p; exit $?' _ "$AMBIT" "$TEST_DIR/wait.sh"
[[ $(cat told) == term ]] || fail "told: $(cat told)"
all_gone() { local pid; while read -r pid; do gone "$pid" || return 1; done <pids; }
all_gone || fail "left: $(cat pids)"
rm pids told
held 0 -- bash -c '"$1" run -- bash "$2" & p=$!; until [[ -s pids && $(wc -l <pids) -ge 2 ]]; do sleep 0.02; done
	kill -KILL $p; wait $p; while read -r pid; do while [[ -d /proc/$pid ]]; do sleep 0.02; done; done <pids; echo over' _ "$AMBIT" "$TEST_DIR/wait.sh"
says over
rm -f pids told
# So does the death of its supervisor, or of its keeper; the inner ambit says so.
below() { local pid; for pid in $(pgrep -P "$1"); do echo "$pid"; below "$pid"; done; }
for victim in supervisor keeper; do
	"$AMBIT" run --ask deny -- bash -c '"$1" run -- bash "$2" 2>said; echo $? >code; sleep 1000' _ "$AMBIT" "$TEST_DIR/wait.sh" </dev/null >/dev/null 2>&1 &
	around=$!
	eventually bash -c '[[ $(wc -l <pids) -ge 2 ]]'
	for pid in $(below "$around"); do
		[[ $(tr '\0' ' ' <"/proc/$pid/cmdline") == "/proc/self/exe run"* ]] || continue
		parent=$(ps -o ppid= -p "$pid" | tr -d ' ') kind=supervisor
		[[ $(tr '\0' ' ' <"/proc/$parent/cmdline") != "/proc/self/exe run"* ]] || kind=keeper
		[[ $kind == "$victim" ]] || continue
		kill -KILL "$pid"
		break
	done
	eventually test -s code
	[[ $(cat code) -eq 125 || $victim == keeper && $(cat code) -eq 137 ]] || fail "$victim: $(cat code) $(cat said)"
	eventually all_gone
	kill -TERM "$around"
	wait "$around" || true
	rm -f pids told said code
done
# The outer one's death ends all of it.
"$AMBIT" run --ask deny -- "$AMBIT" run -- "$AMBIT" run -- bash "$TEST_DIR/wait.sh" </dev/null >/dev/null 2>&1 &
around=$!
eventually bash -c '[[ $(wc -l <pids) -ge 2 ]]'
below "$around" >>pids
[[ $(wc -l <pids) -ge 8 ]] || fail "not all of ambit's own processes: $(cat pids)"
disown "$around"
kill -KILL "$around"
eventually all_gone
rm -f pids told

# -- the broker gives nothing more -------------------------------------------------------------

cat >broker.py <<'END'
import array, os, socket, struct, sys
def knock(): return socket.socket(fileno=os.open("/.ambit/broker", os.O_RDWR))
HELLO = struct.pack("IiI", 1, 1, 0)
STDIO = struct.pack("IiI", 2, 0, 0)
def fds(s, n): s.sendmsg([STDIO], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * n))])
def head(args, envp, size): return struct.pack("IIIIQQ", args, envp, size, 0o22, 0, 0) + b"\xff" * 16 * 16
def request(s, texts, args=4, size=None):
    fds(s, 3); s.send(head(args, 0, len(texts) if size is None else size)); s.send(texts)
def answer(s):
    s.settimeout(15)
    try: data = s.recv(100)
    except ConnectionResetError: data = b""
    return struct.unpack("IiI", data)[:2] if data else None
TEXTS = b"--\0touch\0" + sys.argv[1].encode() + b"\0--\0" + os.getcwd().encode() + b"\0"
def last(s):
    while True:
        a = answer(s)
        if a is None or a[0] == 7: return a
# As it should be: the words that follow are obeyed.
s = knock(); s.send(HELLO); request(s, TEXTS); print("plain", last(s))
# Used by another process than the one that opened it.
s = knock()
if os.fork() == 0: s.send(HELLO); os._exit(0)
os.wait(); print("child", answer(s))
s = knock(); s.send(HELLO)
if os.fork() == 0:
    s.send(STDIO); os._exit(0)
os.wait(); print("later", last(s))
# Used twice, used wrongly.
s = knock(); s.send(HELLO); request(s, TEXTS); print("once", last(s))
try: s.send(HELLO); print("twice", answer(s))
except OSError: print("twice", None)
s = knock(); s.send(b"x"); print("short", answer(s))
s = knock(); s.send(HELLO + b"x" * 70000); print("long", answer(s))
s = knock(); s.send(struct.pack("IiI", 1, 99, 0)); print("version", answer(s))
s = knock(); s.send(HELLO); s.send(HELLO); print("nostdio", last(s))
for n in (1, 4, 40):
    s = knock(); s.send(HELLO); fds(s, n); print("fds", last(s))
for args, size in ((4, 0xffffffff), (0xffffffff, 100), (100, 50), (4, 0)):
    s = knock(); s.send(HELLO); fds(s, 3)
    try: s.send(head(args, 0, size))
    except OSError: pass
    print("head", last(s))
s = knock(); s.send(HELLO); request(s, b"a\0b\0c", 2); print("texts", last(s))
s = knock(); s.send(HELLO); request(s, b"--inner=3\0--\0a\0b\0" + b"/\0", 4); print("words", last(s))
s = knock(); s.send(HELLO); request(s, b"--report=" + sys.argv[1].encode() + b".report\0--\0true\0--\0" + os.getcwd().encode() + b"\0", 4); print("report", last(s))
s = knock(); s.send(HELLO); request(s, b"--settings=/dev/null\0--\0true\0--\0" + os.getcwd().encode() + b"\0", 4); print("settings", last(s))
# More than there is room for; room again when they are closed.
many = []
try:
    for i in range(100): many.append(knock())
except BlockingIOError: print("many", len(many) <= 32)
for m in many: m.close()
for i in range(500):
    try: s = knock(); break
    except BlockingIOError: pass
s.send(HELLO); request(s, TEXTS); print("again", last(s))
# Read only, or made, it is no broker.
for flags in (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY | os.O_CREAT):
    try: os.open("/.ambit/broker", flags); print("flags", flags)
    except OSError: pass
END
held 0 --quiet -- "$PYTHON" -B broker.py "$P/by-hand"
[[ -e by-hand ]] || fail "a plain request: $out"
[[ ! -e by-hand.report ]] || fail "a report was written from outside"
want="plain (7, 0)
child None
later None
once (7, 0)
twice None
short None
long None
version None
nostdio None
fds None
fds None
fds None
head None
head None
head None
head None
texts None
words (7, 2)
report (7, 2)
settings (7, 125)
many True
again (7, 0)"
[[ $out == "$want" ]] || fail "$(diff <(echo "$want") <(echo "$out"))"
rm by-hand broker.py
# Outside there is none.
[[ ! -e /.ambit/broker ]] || fail "there is a /.ambit/broker here"

# Who put more around himself does not get out of that by it.
cat >narrow.py <<'END'
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
if sys.argv[1] == "landlock":
    attr = ctypes.create_string_buffer(struct.pack("Q", 1 << 1), 8)
    fd = libc.syscall(444, attr, 8, 0)
    assert fd >= 0 and libc.syscall(446, fd, 0) == 0
else:
    allow = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000), 8)
    class Prog(ctypes.Structure): _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
    prog = Prog(1, ctypes.addressof(allow))
    assert libc.prctl(22, 2, ctypes.byref(prog), 0, 0) == 0
os.execv(sys.argv[2], [sys.argv[2], "run", "--", "touch", "escaped"])
END
for how in landlock seccomp; do
	held 125 -- "$PYTHON" -B narrow.py "$how" "$AMBIT"
	complains 'restricted itself'
	[[ ! -e escaped ]] || fail "$how: it got out of its own restriction"
done
rm narrow.py

# ambit's own processes in there cannot be ended, stopped or traced from inside.
held 0 -- bash -c '"$1" run -- bash -c "echo >up; until [[ -e down ]]; do sleep 0.02; done; echo inner done" & p=$!
	until [[ -e up ]]; do sleep 0.02; done
	for dir in /proc/[0-9]*; do
		pid=${dir#/proc/}
		read -r name 2>/dev/null <"$dir/comm" || continue
		[[ $(ps -o sid= -p "$pid") == "$(ps -o sid= -p $$)" ]] || continue
		[[ $(tr "\0" " " 2>/dev/null <"$dir/cmdline") == "/proc/self/exe run"* || $name == ambit-keeper ]] || continue
		kill -KILL "$pid" 2>/dev/null && echo "killed $name"
		kill -STOP "$pid" 2>/dev/null && echo "stopped $name"
		prlimit --pid "$pid" --nofile=1:1 2>/dev/null && echo "limited $name"
		cat "$dir/mem" >/dev/null 2>&1 && echo "read $name"
		echo seen
	done | sort -u
	echo >down; wait $p; echo $?' _ "$AMBIT"
[[ $out == $'seen\ninner done\n0' ]] || fail "ambit's own: $out"
rm up down

# -- what the outer one knows ---------------------------------------------------------

# The inner one looks for guards in a folder that the outer command has been at: what
# was found before is not forgotten because there is too much now, or it is hidden.
if command -v git >/dev/null; then
	# Deeper than what is in the way of it.
	repo=z/y/x/repo
	git init -q $repo
	mkdir $repo/hk
	echo original >$repo/hk/pre-commit
	git -C $repo config core.hooksPath hk
	git -C $repo config --add include.path ../inc/more
	spoil="{ echo evil >$repo/hk/pre-commit; } 2>/dev/null; { mkdir -p $repo/inc; echo evil >$repo/inc/more; } 2>/dev/null; true"
	held 0 -- bash -c 'for i in 0 1 2 3; do mkdir a$i; (cd a$i && mkdir $(seq 400)); done
		"$1" run -- "$1" run -- bash -c "$2"; rm -r a?' _ "$AMBIT" "$spoil"
	[[ $(<$repo/hk/pre-commit) == original && ! -e $repo/inc/more ]] || fail "an inner run forgot the outer one's guards"
	bash -c "$spoil"
	[[ $(<$repo/hk/pre-commit) == evil && -e $repo/inc/more ]] || fail "without ambit it does not work either"
	rm -rf z
fi

# What an answer opened is open inside for as long as the answer holds.
"$AMBIT" rules add write "$OUT/granted" >/dev/null
rule=$("$AMBIT" rules list | tail -1 | cut -d ' ' -f 1)
status 125 "$AMBIT" run --ask deny -- "$AMBIT" run --folder "$OUT/granted" -- touch "$OUT/granted/x"
complains 'can be taken back'
mkfifo go
# A change of rules is noticed within 20 ms.
echo 'for i in {1..200}; do { echo $i >"$1/try"; } 2>/dev/null || break; sleep 0.05; done' >until-refused.sh
line --quiet -- "$AMBIT" run --quiet --write "$OUT/granted" -- bash -c 'echo 1 >"$1/before"; read -r x <go; . ./until-refused.sh; { echo 2 >"$1/after"; } 2>/dev/null; mkdir "$1/dir" 2>/dev/null; true' _ "$OUT/granted" &
eventually test -e "$OUT/granted/before"
"$AMBIT" rules revoke "$rule" >/dev/null
echo >go
wait $! || fail "an inner run whose rule was revoked"
[[ ! -e $OUT/granted/after && ! -e $OUT/granted/dir ]] || fail "revoked, and written all the same"
# A no that counts for more outside counts for more inside.
mkdir "$OUT/other"
"$AMBIT" rules add write "$OUT" >/dev/null
"$AMBIT" rules add write "$OUT/other" --no >/dev/null
line --quiet -- "$AMBIT" run --quiet --write "$OUT/granted" -- bash -c 'echo 1 >"$1/open"; read -r x <go; . ./until-refused.sh; { echo 2 >"$1/after"; } 2>/dev/null; true' _ "$OUT/granted" &
eventually test -e "$OUT/granted/open"
"$AMBIT" rules add write "$OUT" --no >/dev/null
echo >go
wait $! || fail "an inner run and a no"
[[ ! -e $OUT/granted/after ]] || fail "a no for what is above, and written all the same"
"$AMBIT" rules list | sed 1d | cut -d ' ' -f 1 | while read -r rule; do "$AMBIT" rules revoke "$rule" >/dev/null; done
rmdir "$OUT/other"
rm -f go until-refused.sh "$OUT/granted/"{before,open,try}

# -- on a terminal --------------------------------------------------------------------------

export HISTFILE=
# What waits here starts no process: of one that is being started, the kernel can keep
# the ^Z and lose the fg, with or without ambit.
mkfifo never
cat >until-go.sh <<'END'
echo begun
exec 9<>never
until [[ -e go ]]; do read -rt 0.05 -u 9; done
END
# ^C, ^Z and fg, as a shell inside sees them.
person 'wait:outer$ ' 'send:"$AMBIT" run -- bash -c ". ./until-go.sh; echo as""ks; read x; echo got \$x"\r' wait:begun send:^Z wait:Stopped \
	'wait:outer$ ' 'send:echo shell-$((40+2))\r' wait:shell-42 'wait:outer$ ' 'send:fg\r' 'do:touch go' wait:asks 'send:typed\r' 'wait:got typed' \
	'wait:outer$ ' 'send:"$AMBIT" run -- sh -c "echo a""gain; exec sleep 1000"\r' wait:again send:^C 'wait:outer$ ' 'send:echo s=$?\r' wait:s=130 \
	'wait:outer$ ' 'send:"$AMBIT" run -- bash -c "echo sel""fstop; kill -STOP \$\$; echo went on"\r' wait:selfstop wait:Stopped 'wait:outer$ ' \
	'send:fg\r' 'wait:went on' 'wait:outer$ ' 'send:exit 5\r' \
	-- bash -c 'PS1="outer$ " "$AMBIT" run -- bash --norc --noprofile -i; [[ $? -eq 5 ]]'
# The outer command is the inner ambit itself: the person's own shell sees the job stop.
rm go
person 'wait:mine$ ' 'send:"$AMBIT" run -- "$AMBIT" run -- bash -c ". ./until-go.sh; echo en""ded"\r' wait:begun \
	send:^Z wait:Stopped 'wait:mine$ ' 'do:touch go' 'send:fg\r' wait:ended 'wait:mine$ ' 'send:exit 4\r' \
	-- bash -c 'PS1="mine$ " bash --norc --noprofile -i; [[ $? -eq 4 ]]'
# A shell inside the inner one, with jobs of its own.
person 'wait:inner$ ' 'send:sh -c "echo be""gun; exec sleep 1000"\r' wait:begun send:^Z wait:Stopped 'wait:inner$ ' 'send:bg\r' 'wait:inner$ ' \
	'send:kill %1; wait %1; echo w=$?\r' wait:w=143 'wait:inner$ ' 'send:sh -c "echo re""ady; exec cat"\r' wait:ready 'send:hello\r' wait:hello wait:hello send:^D \
	'wait:inner$ ' 'send:exit 6\r' -- bash -c '"$AMBIT" run -- bash -c "PS1=\"inner$ \" \"$AMBIT\" run -- bash --norc --noprofile -i; exit \$?"; [[ $? -eq 6 ]]'
# In a session of its own there is no job to join; signals are passed on.
held 143 -- setsid -w bash -c '"$1" run -- bash -c "echo \$\$ >up; exec sleep 1000" & p=$!; until [[ -s up ]]; do sleep 0.02; done; kill -TERM $p; wait $p' _ "$AMBIT"
rm up go never until-go.sh

rm -r sub
eventually clean
