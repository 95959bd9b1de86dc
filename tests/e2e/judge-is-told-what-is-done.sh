#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A judge who says yes to a file that is made has said it to nothing else: not to what
# is dropped, removed or put in another's place beside it, nor to the same file later.
# Modes, links, attributes and nodes he is not asked about at all, whatever he would say.
# shellcheck source=tests/e2e/judge.bash
. "${0%/*}/judge.bash"

# act.py NAME...: one after the other, in one process; $OUT has what was there before.
cat >act.py <<'PY'
import ctypes, os, socket, sys
OUT = os.environ["OUT"]
new, old, folder = OUT + "/new", OUT + "/old", OUT + "/dir"

def opened(path, flags, mode=0o644):
    os.close(os.open(path, os.O_WRONLY | flags, mode))

def bind():
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(new)

def umasked(act, *args):
    os.umask(0)
    act(*args)

ACTS = {
    "create": lambda: opened(OUT + "/a.log", os.O_CREAT),
    "create-again": lambda: opened(OUT + "/other.log", os.O_CREAT),
    "append": lambda: os.write(os.open(old, os.O_WRONLY | os.O_APPEND), b"more"),
    "truncate": lambda: opened(old, os.O_TRUNC),
    "truncate-call": lambda: os.truncate(old, 0),
    "delete": lambda: os.unlink(old),
    "replace": lambda: os.rename(OUT + "/a.log", old),
    "mkdir": lambda: os.mkdir(OUT + "/nd"),
    "rmdir": lambda: os.rmdir(OUT + "/nd"),
    "move-dir": lambda: os.rename(OUT + "/nd", OUT + "/moved"),
    "setuid": lambda: os.chmod(old, 0o4777),
    "setuid-log": lambda: os.chmod(OUT + "/a.log", 0o4777),
    "open-dir": lambda: os.chmod(folder, 0o777),
    "symlink": lambda: os.symlink("/etc/passwd", new),
    "link": lambda: os.link(old, new),
    "xattr": lambda: os.setxattr(old, "user.x", b"x"),
    "fifo": lambda: os.mkfifo(new),
    "node": lambda: os.mknod(new, 0o104755),
    "bind": bind,
    "unnamed": lambda: opened(OUT, os.O_TMPFILE),
    "make-setuid": lambda: opened(new, os.O_CREAT, 0o4755),
    "make-wide": lambda: umasked(opened, new, os.O_CREAT, 0o666),
    "mkdir-wide": lambda: umasked(os.mkdir, new, 0o777),
    "move-setuid": lambda: os.rename(OUT + "/setuid", new),
    "move-link": lambda: os.rename(OUT + "/link", new),
    "move-folder": lambda: os.rename(folder, new),
    "called-cc": lambda: ctypes.CDLL(None).prctl(15, b"cc", 0, 0, 0),
}
for name in sys.argv[1:]:
    try:
        ACTS[name]()
        print(name, "done")
    except OSError as error:
        print(name, error.errno)
PY
before() {
	rm -rf "$OUT"
	mkdir -p "$OUT/dir"
	echo data >"$OUT/old"
	chmod 755 "$OUT/dir"
	chmod 644 "$OUT/old"
	: >"$OUT/setuid"
	chmod 4755 "$OUT/setuid"
	ln -s /etc/passwd "$OUT/link"
}
# What there is, with modes, owners, links and attributes.
state() {
	find "$OUT" -mindepth 1 -printf '%P %y %m %n %l %s\n' | sort
	"$PYTHON" -c 'import os, sys; print(os.listxattr(sys.argv[1]))' "$OUT/old" 2>/dev/null || true
}
acts() { status 0 "$AMBIT" run --ask "exec:$person_program" -- "$PYTHON" act.py "$@"; }
told() { jq -r '.body.messages[1].content | fromjson | .paths | map(.access) | join("+")' <(tail -n +2 "$judged") | tr '\n' ' '; }

judge_serve 0
judge_is allow

# All of them work without ambit.
for act in setuid open-dir symlink link fifo node bind unnamed make-setuid make-wide \
	mkdir-wide move-setuid move-link move-folder xattr; do
	before
	was=$(state)
	got=$("$PYTHON" act.py "$act")
	# Not every file system has these.
	[[ $act != @(unnamed|xattr) || $got == *done ]] || continue
	[[ $got == "$act done" ]] || fail "does not work without ambit either: $got"
	[[ $act == unnamed || $(state) != "$was" ]] || fail "$act does nothing"

	# He says yes to the first, and would to all; the person says no.
	before
	acts create
	was=$(state)
	asked 0
	forget
	rm "$OUT/a.log"
	acts create "$act"
	[[ $out == *"create done"*"$act 13"* ]] || fail "$out"
	[[ $(state) == "$was" ]] || fail "$act: $was / $(state)"
	asked 1
	[[ $(told) == "create " ]] || fail "$act: he was asked: $(told)"
done

# The same file that he let be made, in the same process.
before
forget
acts create setuid-log
[[ $out == *"setuid-log 13"* && $(stat -c %a "$OUT/a.log") == 644 ]] || fail "$out"
asked 1

# Each he is told as it is, and once.
before
forget
acts create create-again append truncate truncate-call replace delete
[[ $out != *13* ]] || fail "$out"
[[ $(told) == "create write truncate delete+replace delete " ]] || fail "$(told)"
asked 0
[[ ! -e $OUT/a.log && ! -e $OUT/old && -e $OUT/other.log ]] || fail "$(state)"

# One who lets files be made, and directories, and nothing else.
approver makes <<SH
#!/bin/sh
cat >"$TEST_DIR/question"
jq -e '[.paths[].access] - ["create", "mkdir"] == []' "$TEST_DIR/question" >/dev/null ||
	exec echo '{"verdict":"pass","reason":"not new"}'
echo '{"verdict":"allow","reason":"new"}'
SH
judge_is_program "$approver"
# A no of the person's would end it: each in a session of its own.
for act in append truncate truncate-call delete replace rmdir move-dir; do
	before
	acts create mkdir "$act"
	[[ $out == *"create done"*"mkdir done"*"$act 13"* ]] || fail "$out"
	[[ $(cat "$OUT/old") == data && -d $OUT/nd && ! -e $OUT/moved && -e $OUT/a.log ]] ||
		fail "$act: $(state)"
	asked 1
done

# A program is what it runs, whatever it calls itself; and he is told that.
judge_serve 0
judge_is allow
before
acts called-cc create create-again
times 1
[[ $(jq -r '.body.messages[1].content | fromjson | .program' <(tail -1 "$judged")) == "$(realpath "$PYTHON")" ]] ||
	fail "$(tail -1 "$judged")"
forget
before
# shellcheck disable=SC2016
status 0 "$AMBIT" run --ask "exec:$person_program" -- bash -c \
	'"$0" act.py create; exec -a python3 bash -c "echo >\"\$OUT/other.log\""' "$PYTHON"
times 2
[[ -e $OUT/a.log && -e $OUT/other.log ]] || fail "$(state)"
# Hundreds of processes of one program are one question.
forget
before
# shellcheck disable=SC2016
status 0 "$AMBIT" run --ask "exec:$person_program" -- bash -c \
	'for i in {1..100}; do (echo x >"$OUT/f$i.o"); done'
times 1
asked 0
[[ $(find "$OUT" -name 'f*' | wc -l) -eq 100 ]] || fail "$(state)"
