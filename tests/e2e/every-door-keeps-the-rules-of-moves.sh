#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One table of things that a move, a copy, a link or an archive must not bring, and every door
# that can bring them: a command behind the line, the tools over MCP, and `ambit mcp` started
# inside a run. Each row is shown to work without ambit first; then nothing of it is there.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

TEST_DIR=$TEST_DIR PYTHONPATH=$HERE P=$P HOME=$HOME "$PYTHON" -B - <<'PY'
import io, os, shutil, subprocess, tarfile
from mcp import *

P, HOME = os.environ["P"], os.environ["HOME"]
BASHRC = HOME + "/.bashrc"
os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b",
                  GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b")

def scene():
    for name in os.listdir(P):
        path = os.path.join(P, name)
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
    subprocess.run(["git", "init", "-q", P], check=True)
    subprocess.run(["git", "-C", P, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    open(BASHRC, "w").write("kept\n")
    os.makedirs(P + "/d/deep")
    os.symlink(BASHRC, P + "/link")                 # leads outside
    os.symlink("config", P + "/beside")             # in .git it is another name of the config
    os.symlink(BASHRC, P + "/d/deep/HEAD")          # a directory that brings one
    os.makedirs(P + "/mod/hooks")                   # a directory that brings a hook
    open(P + "/mod/hooks/pre-commit", "w").write("#!/bin/sh\n")
    os.makedirs(P + "/editor/.vscode")
    open(P + "/editor/.vscode/tasks.json", "w").write("{}\n")
    with tarfile.open(P + "/links.tar", "w") as tar:
        link = tarfile.TarInfo("COMMIT_EDITMSG")
        link.type, link.linkname = tarfile.SYMTYPE, "../d"
        tar.addfile(link)
        inside = tarfile.TarInfo("x/y")
        inside.type, inside.linkname = tarfile.SYMTYPE, "../config"
        tar.addfile(inside)
    with tarfile.open(P + "/mod.tar", "w") as tar:
        tar.add(P + "/mod", "n")

def links_in_git():
    return [os.path.join(top, name) for top, dirs, files in os.walk(P + "/.git")
            for name in dirs + files if os.path.islink(os.path.join(top, name))]

def hooks():
    return [top for top, _, files in os.walk(P) if "pre-commit" in files and "/.git/" in top]

# name, effect that must not be there, the same thing at each door: a shell command, or calls
LINKS, HOOKS = links_in_git, hooks
ROWS = [
    ("a new symlink", LINKS, "ln -s %s .git/FETCH_HEAD" % BASHRC, None),
    ("a symlink, moved", LINKS, "mv link .git/COMMIT_EDITMSG",
     [("move", dict(src="link", dst=".git/COMMIT_EDITMSG", overwrite=True))]),
    ("a symlink, moved into a directory", LINKS, "mv link .git",
     [("move", dict(src="link", dst=".git"))]),
    ("a symlink, moved deeper", LINKS, "mv link .git/logs/x",
     [("move", dict(src="link", dst=".git/logs/x"))]),
    ("a symlink to the config beside", LINKS, "mv beside .git/COMMIT_EDITMSG",
     [("move", dict(src="beside", dst=".git/COMMIT_EDITMSG", overwrite=True))]),
    ("a symlink, linked", LINKS, "ln -P link .git/FETCH_HEAD", None),
    ("a symlink, copied", LINKS, "cp -P link .git/FETCH_HEAD", None),
    ("a directory that holds one, moved", LINKS, "mv d .git/logs/d",
     [("move", dict(src="d", dst=".git/logs/d"))]),
    ("a directory that holds one, copied", LINKS, "cp -a d .git/d",
     [("copy", dict(src="d", dst=".git/d"))]),
    ("symlinks of an archive", LINKS, "tar -C .git -xf links.tar --overwrite",
     [("extract", dict(src="links.tar", dst=".git", overwrite=True))]),
    ("a directory with a hook, moved", HOOKS, "mkdir -p .git/modules; mv mod .git/modules/n",
     [("move", dict(src="mod", dst=".git/modules/n"))]),
    ("a directory with a hook, copied", HOOKS, "mkdir -p .git/modules; cp -a mod .git/modules/n",
     [("copy", dict(src="mod", dst=".git/modules/n"))]),
    ("a directory with a hook, unpacked", HOOKS,
     "mkdir -p .git/modules; tar -C .git/modules -xf mod.tar",
     [("extract", dict(src="mod.tar", dst=".git/modules"))]),
    ("editor tasks, moved", lambda: os.path.exists(P + "/.vscode/tasks.json"),
     "mv editor/.vscode .", [("move", dict(src="editor/.vscode", dst=".vscode"))]),
    ("editor tasks, copied", lambda: os.path.exists(P + "/.vscode/tasks.json"),
     "cp -a editor/.vscode .", [("copy", dict(src="editor/.vscode", dst=".vscode"))]),
    ("editor tasks, patched", lambda: os.path.exists(P + "/.vscode/tasks.json"),
     "mkdir -p .vscode; echo x >.vscode/tasks.json",
     [("apply_patch", dict(patch="*** Begin Patch\n*** Add File: .vscode/tasks.json\n+x\n"
                                 "*** End Patch\n"))]),
    ("editor tasks, written", lambda: os.path.exists(P + "/.vscode/tasks.json"),
     "mkdir -p .vscode; echo x >.vscode/tasks.json",
     [("write", dict(file_path=".vscode/tasks.json", content="x\n"))]),
]

def by_command(command):
    subprocess.run([os.environ["AMBIT"], "run", "--quiet", "--ask", "deny", "--net", "none", "--",
                    "bash", "-c", command], cwd=P, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

def by_tools(calls, inside):
    # Inside a run, AMBIT is a program that starts `ambit mcp` behind the line.
    client = Client(cwd=P) if not inside else Inside(cwd=P)
    client.legacy()
    for tool, args in calls:
        bad(client.call(tool, **args)) if tool != "extract" else client.call(tool, **args)
    client.end()

class Inside(Client):
    def __init__(self, **popen):
        real = os.environ["AMBIT"]
        script = os.path.join(os.environ["TEST_DIR"], "inside")
        with open(script, "w") as f:
            f.write("#!/bin/sh\nexec '%s' run --quiet --ask deny --net none -- '%s' \"$@\"\n"
                    % (real, real))
        os.chmod(script, 0o755)
        os.environ["AMBIT"] = script
        try:
            super().__init__(**popen)
        finally:
            os.environ["AMBIT"] = real

for name, effect, command, calls in ROWS:
    scene()
    subprocess.run(["bash", "-c", command], cwd=P, check=True)
    check(effect(), name, "does not work without ambit either")
    scene()
    by_command(command)
    check(not effect(), name, "by a command", effect())
    for inside in (False, True) if calls else ():
        scene()
        by_tools(calls, inside)
        check(not effect(), name, "by a tool", "inside a run" if inside else "", effect())
    subprocess.run(["git", "-C", P, "commit", "-q", "--allow-empty", "-m", "evil"], check=True)
    check(open(BASHRC).read() == "kept\n", name, "the person's commit wrote ~/.bashrc")

# What the rules do not forbid goes on working, by the same doors.
scene()
by_command("mv link other; mv d e; mkdir x; mv e x/; mv mod/hooks/pre-commit a; mv a b; "
           "echo 1 >c; mv c b; ln b hard; mv -T x y")
check(sorted(os.listdir(P)) == sorted([".git", "other", "y", "mod", "b", "hard", "beside", "editor",
                                       "links.tar", "mod.tar"]), os.listdir(P))
check(open(P + "/b").read() == "1\n" and os.stat(P + "/b").st_nlink == 2, "b")
scene()
client = Client(cwd=P)
client.legacy()
good(client.call("move", src="link", dst="other"))
good(client.call("move", src="d", dst="e"))
good(client.call("copy", src="e", dst="f"))
good(client.call("move", src="mod/hooks/pre-commit", dst="b"))
good(client.call("write", file_path="c", content="1\n"))
good(client.call("move", src="c", dst="b", overwrite=True))
client.end()
check(os.readlink(P + "/f/deep/HEAD") == BASHRC and os.path.islink(P + "/other"), "links")
check(open(P + "/b").read() == "1\n" and not os.path.exists(P + "/c"), "b")
PY
