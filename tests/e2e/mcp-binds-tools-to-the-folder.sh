#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the reference file system server promises of paths holds here too, and is seen
# in the files: traversal, prefix siblings, symlinks, files that are not there yet.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

mkdir -p "$P/sub" "$P-sibling" "$OUT/dir"
echo secret >"$OUT/file"
echo sibling >"$P-sibling/file"
ln -s "$OUT/dir" "$P/out-dir"
ln -s "$OUT/file" "$P/out-file"
ln -s "$OUT/new" "$P/out-new"
ln -s sub "$P/in-dir"
ln -s loop "$P/loop"

git init -q --bare "$P/lib.git"
git init -q "$P/deep/nested"

PYTHONPATH=$HERE P=$P OUT=$OUT "$PYTHON" -B - <<'PY'
import os, subprocess, sys, tarfile
from mcp import *

P, OUT = os.environ["P"], os.environ["OUT"]
client = Client()
client.legacy()

def write(path, content="x\n"):
    return client.call("write", file_path=path, content=content)

# Inside, by any spelling.
for path in ["a.txt", "sub/b.txt", "./c.txt", "sub/../d.txt", P + "/e.txt", "new/deep/er/f.txt",
             "in-dir/g.txt", "name with space", "ünï", "..dots"]:
    good(write(path))
    check(os.path.exists(os.path.join(P, path)), path, "is not there")
check(os.path.exists(P + "/sub/g.txt"), "through a link inside")

# Outside, by any spelling: nobody to ask, so refused, and the words say how to allow it.
for path in ["../x", OUT + "/x", P + "-sibling/x", P + "/../project-sibling/x", "sub/../../x",
             "/" + P + "/../x"]:
    words = bad(write(path), "Outside")
    check("ambit rules add write" in words, words)
for path in ["out-dir/x", "out-file", "out-new", P + "/out-dir/deep/x"]:
    bad(write(path), "SymlinkEscape")
bad(write("loop"), "Unresolvable")
bad(client.call("delete", path=OUT + "/file"), "Outside")
bad(client.call("move", src=OUT + "/file", dst="moved"), "Outside")
bad(client.call("move", src="a.txt", dst=OUT + "/moved"), "Outside")
bad(client.call("copy", src="a.txt", dst=P + "-sibling/file"), "Outside")
bad(client.call("edit", file_path=OUT + "/file", old_string="secret", new_string="known"), "Outside")
bad(client.call("apply_patch", patch="*** Begin Patch\n*** Add File: ../patched\n+x\n*** End Patch\n"))
check(open(OUT + "/file").read() == "secret\n", "changed")
check(open(P + "-sibling/file").read() == "sibling\n", "changed")
check(os.listdir(OUT + "/dir") == [] and sorted(os.listdir(OUT)) == ["dir", "file"], os.listdir(OUT))
check(sorted(os.listdir(os.path.dirname(P))) == [".config", ".local", "project", "project-sibling"],
      os.listdir(os.path.dirname(P)))
check(os.path.exists(P + "/a.txt") and not os.path.exists(P + "/moved"), "moved")

# What git runs in the repositories that were there: as guarded as for commands.
config = open("lib.git/config").read()
for path in ["lib.git/config", "lib.git/hooks/post-update", "deep/nested/HEAD", "deep/HEAD", "HEAD",
             "deep/nested/.git/hooks/pre-commit"]:
    bad(write(path), "Guarded")
    bad(client.call("copy", src="a.txt", dst=path))
    check(path == "lib.git/config" or not os.path.exists(path), path)
check(open("lib.git/config").read() == config, "changed")
good(write("lib.git/description"))

# What is in an archive is held entry by entry: inside it needs no yes, outside it does, and
# what would run later is left out.
with tarfile.open("a.tar", "w") as tar:
    for name in ["plain", ".git/hooks/post-commit", "../escaped"]:
        tar.addfile(tarfile.TarInfo(name))
result = good(client.call("extract", src="a.tar", dst="deep/nested"))
check(os.path.exists("deep/nested/plain"), result)
check(not os.path.exists("deep/nested/.git/hooks/post-commit") and "post-commit" in str(result), result)
check(not os.path.exists("deep/escaped"), "escaped")
bad(client.call("extract", src="a.tar", dst=OUT + "/dir"), "Outside")
check(os.listdir(OUT + "/dir") == [], "unpacked outside")

# They stay so, however much comes into the folder: also for a program that the line cannot look
# into, which without it writes the hook.
plant = "import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); open('%s', 'x').write('#!/bin/sh\\n')"
subprocess.run([sys.executable, "-c", plant % "deep/nested/.git/hooks/pre-push"], check=True)
os.unlink("deep/nested/.git/hooks/pre-push")
good(client.call("bash", command="mkdir -p many/{1..40}/{1..50}"))
result = good(client.call("bash", command=f'{sys.executable} -c "{plant % "many/1/x"}"'))
check(os.path.exists("many/1/x"), result)
result = good(client.call("bash", command=f'{sys.executable} -c "{plant % "deep/nested/.git/hooks/pre-push"}"'))
check(result["exit_code"] != 0 and not os.path.exists("deep/nested/.git/hooks/pre-push"), result)

# Reads go anywhere.
check("secret" in good(client.call("read", file_path=OUT + "/file"))["text"], "read")
check("secret" in good(client.call("read", file_path="out-file"))["text"], "read through a link")
bad(client.call("read", file_path="no-such"), "BadArguments")

# bash has the same line.
result = client.call("bash", command=f"echo in >made; echo out >{OUT}/made; cat {OUT}/file")
check("secret" in result["structuredContent"]["stdout"], result)
check(os.path.exists(P + "/made") and not os.path.exists(OUT + "/made"), "bash")
check(any(OUT + "/made" in str(row) for row in result["structuredContent"]["refused"]), result)
client.end()
PY

# The folder: not one that holds the person's own things, unless it is named.
cd "$HOME"
status 1 ambit mcp </dev/null
complains "--folder"
cd /
status 1 ambit mcp </dev/null
complains "--folder"
status 0 ambit mcp --folder "$P" </dev/null
status 1 ambit mcp --folder "$P/no-such" </dev/null
status 2 ambit mcp --no-such </dev/null
status 2 ambit mcp --folder "$P" --limit nonsense=1 </dev/null
status 2 ambit mcp --folder "$P" --backend prefix </dev/null
