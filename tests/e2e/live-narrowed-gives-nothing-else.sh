#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# While a run is held to less than its floor gives, what is performed in the floor's place is
# no more than that gave: not another terminal, not a file by another name. A pattern that
# is said to the outer session is for the one inside. And a session is not swallowed by one
# that its command starts, nor broken by being told something before its first call.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
[[ -z ${AMBIT_WITHOUT:-} ]] || skip "$AMBIT_WITHOUT is missing"
export AMBIT OUT PYTHONPATH=$HERE
mkdir -p sub
"$PYTHON" -B - <<'PY'
import fcntl, pty, sys
from live import *

OUT = os.environ["OUT"]


def does(run, line):
    run.tell(line)
    return int(run.line()[1:])


def told(*args):
    done = ambit(*args)
    check(done.returncode == 0, args, done.stderr)
    return done.stdout


# -- another terminal ----------------------------------------------------------------------
master, slave = pty.openpty()
other = os.ttyname(slave)
check(subprocess.run(["sh", "-c", f"echo natural >{other}"]).returncode == 0, "without ambit")
check(b"natural" in os.read(master, 100), "without ambit")
os.set_blocking(master, False)
run = Run("--session", "one", "--", *SHELL)
Link(run.pid).close()
check(does(run, "echo 1 >sub/file; ln sub/file sub/second; mv sub/second $TMPDIR/second; echo 1 >$TMPDIR/own; exec 5>>$TMPDIR/second") == 0, "at first")
check(does(run, f"{{ echo x >{other}; }} 2>/dev/null") != 0, "before")
told("mode", "plan", "--session", "one")
for line in (f"echo x >{other}", f"exec 7<>{other}", f"exec 7>>{other}"):
    check(does(run, "{ " + line + "; } 2>/dev/null") != 0, line)
try:
    check(os.read(master, 100) == b"", "it reached another terminal")
except BlockingIOError:
    pass
check(does(run, "echo x >/dev/null && echo 2 >$TMPDIR/own") == 0, "what is its own")

# -- another process: the supervisor may look into it, and the command may not ----------------
looks = f"{sys.executable} -c 'import os; os.read(os.open(\"/proc/{os.getpid()}/maps\", os.O_CREAT), 1)' 2>/dev/null"
check(subprocess.run(["sh", "-c", looks]).returncode == 0, "without ambit")
check(does(run, looks) != 0, "it sees the memory of another process")

# -- what the floor keeps from reading: O_CREAT makes the gate open it ------------------------------
HOME = os.environ["HOME"]
os.makedirs(HOME + "/.ssh", 0o700)
for path in (HOME + "/.ssh/id_test", OUT + "/secret"):
    with open(path, "w") as file:
        file.write("key")
for option, path in ((["--guard-reads"], HOME + "/.ssh/id_test"), (["--reads", "folder"], OUT + "/secret")):
    opens = f"{sys.executable} -c 'import os; os.open(\"{path}\", os.O_CREAT)' 2>/dev/null"
    check(subprocess.run(["sh", "-c", opens]).returncode == 0, "without ambit")
    kept = Run("--session", "kept" + option[0], *option, "--", *SHELL)
    Link(kept.pid).close()
    check(does(kept, "echo 1 >sub/kept") == 0 and does(kept, opens) != 0, option, "before")
    told("mode", "plan", "--session", "kept" + option[0])
    check(does(kept, opens) != 0, option, "it reads what it may not")
    check(does(kept, opens.replace(path, "sub/kept")) == 0, option, "it reads its own")
    kept.end()

# -- another name ---------------------------------------------------------------------------
check(does(run, "{ echo 2 >$TMPDIR/second; } 2>/dev/null") != 0, "by another name")
check(does(run, "chmod 600 $TMPDIR/second 2>/dev/null") != 0, "its mode by another name")
check(open("sub/file").read() == "1\n", open("sub/file").read())
check(does(run, ": >>/dev/fd/5") == 0, "what it holds open already")
told("mode", "build", "--session", "one")
check(does(run, "echo 3 >$TMPDIR/second") == 0 and open("sub/file").read() == "3\n", "and back")

# -- a pattern, for the run inside ------------------------------------------------------------
check(does(run, "echo 1 >sub/file") == 0, "before")
told("perm", "w*", "deny", "--session", "one")
check(does(run, "{ echo 2 >sub/file; } 2>/dev/null") != 0, "outside")
check(does(run, f"{os.environ['AMBIT']} run --quiet -- sh -c 'echo 2 >sub/file' 2>/dev/null") != 0, "inside")
told("perm", "w*", "ask", "--session", "one")
check(does(run, f"{os.environ['AMBIT']} run --quiet -- sh -c 'echo 2 >sub/file' 2>/dev/null") != 0, "asked inside")
check(open("sub/file").read() == "1\n", "written")
run.end()

# -- a decoy -----------------------------------------------------------------------------------
run = Run("--session", "real", "--", *SHELL)
Link(run.pid).close()
before = set(sockets())
run.tell(f"{os.environ['AMBIT']} run -- sleep 1000 & sleep 0; true")
run.line()
eventually(lambda: len(sockets()) > len(before), "the decoy runs")
out = told("mode", "plan")
check(f"in force now in: run (pid {run.pid})" in out, out)
check(does(run, "{ echo 4 >sub/file; } 2>/dev/null") != 0, "the decoy took it")
out = told("stop")
check(f"(pid {run.pid})" in out, out)
run.end()

# -- one that was told before its first call ------------------------------------------------------
import serve
client = serve.Client()
name = client.ask("session")["session"]
Link(client.process.pid).close()
check(name in told("sessions", "--live"), "not listed")
check("in force now in: serve" in told("mode", "plan", "--session", name), "not told")
told("mode", "build", "--session", name)
check(client.ask("call", tool="write", args={"file_path": "after", "content": "x"}).get("ok"), "broken by that")
client.process.stdin.close()
client.process.wait(PATIENCE)
check(ambit("log", "verify").returncode == 0, "the chain")

# -- who holds the lock of those who watch ----------------------------------------------------------
held = open(LIVE + "/attended", "a+")
fcntl.flock(held, fcntl.LOCK_EX)
watcher = subprocess.Popen([os.environ["AMBIT"], "watch", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
run = Run("--session", "seen", "--", *SHELL)
Link(run.pid).close()
check(any(b"seen" in line for line in iter(watcher.stdout.readline, b"")), "it hangs")
watcher.kill()
run.end()
PY
