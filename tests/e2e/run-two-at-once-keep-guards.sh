#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two runs in one folder, each with its own supervisor: what one puts in place after it was
# judged, nobody behind the other has open, links, or replaces before it has its name.
# Runs once.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

git init -q
cat >meddle.py <<'PY'
import os, stat, sys
HERE, EVIL = sys.argv[1], b"[core]\n\tfsmonitor = \"touch PWNED; false\"\n#"
held, tried = [], 0

def meddle(name):
    try:
        held.append(os.open(name, os.O_RDWR))
    except OSError:
        pass
    for act in (lambda: os.link(name, f"link-{tried}"), lambda: os.rename("mine", name),
                lambda: os.chmod(name, 0o666)):
        try:
            act()
        except OSError:
            pass

open("mine", "wb").write(EVIL)
while not os.path.exists("over"):
    for name in os.listdir(HERE):
        if name.startswith((".ambit-", "ambit-")):
            tried += 1
            meddle(os.path.join(HERE, name))
    for fd in held:
        if os.fstat(fd).st_nlink:
            os.pwrite(fd, EVIL, 0)
    for link in [n for n in os.listdir(".") if n.startswith("link-")]:
        open(link, "wb").write(EVIL)
open("tried", "w").write(str(tried))
PY
# Without ambit a name that shows for as long is found: this is what it would do.
cat >put.py <<'PY'
import os, sys
for i in range(int(sys.argv[1])):
    with open(".git/ambit-x", "wb") as f:
        f.write(b"[core]\n" + b"# padding\n" * 20000)
        f.flush()
        os.fsync(f.fileno())
    os.rename(".git/ambit-x", ".git/config")
    if b"fsmonitor" in open(".git/config", "rb").read():
        sys.exit(0)
sys.exit(1)
PY
cp .git/config kept
"$PYTHON" meddle.py .git &
"$PYTHON" put.py 2000 || fail "nothing finds such a file"
touch over
wait
rm -f over link-* mine tried
cp kept .git/config

line -- "$PYTHON" meddle.py .git 2>/dev/null &
eventually test -e mine
line -- bash -c 'for i in {1..4000}; do echo "# padding padding padding padding"; done >padding
	for i in {1..300}; do cat kept padding >.git/config.lock && mv .git/config.lock .git/config; done' 2>/dev/null
touch over
wait
grep -q fsmonitor .git/config && fail "planted"
[[ $(stat -c %h .git/config) == 1 ]] || fail "it has another name"
[[ $(tail -1 .git/config) == "# padding"* ]] || fail "nothing was put in place"
[[ -z $(find . -name '.ambit-*') ]] || fail "something was left"
# With one core it may never be its turn.
[[ $(cat tried) -gt 0 ]] || skip "it saw nothing to meddle with"
