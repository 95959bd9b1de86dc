#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Python with processes and shared memory, a virtual environment; node and npm.
. "${0%/*}/line.bash"

calm() { [[ $errout != *ambit:* ]] || fail "$errout"; }
cat >many.py <<'END'
import multiprocessing as m, tempfile, os
from concurrent.futures import ThreadPoolExecutor
def square(n): return n * n
if __name__ == "__main__":
    with m.Pool(2) as p: print(sum(p.map(square, range(100))))
    q = m.Queue(); q.put(1); q.get()
    l = m.Lock(); s = m.Semaphore(2); v = m.Value("i", 3)
    with l: v.value += 1
    with ThreadPoolExecutor(4) as e: list(e.map(lambda i: open("t%d" % i, "w").write("x"), range(20)))
    with tempfile.NamedTemporaryFile() as f: f.write(b"x")
    with tempfile.TemporaryDirectory() as d: os.mkdir(d + "/x")
    from multiprocessing import shared_memory
    x = shared_memory.SharedMemory(create=True, size=10); x.buf[0] = 1; x.close(); x.unlink()
    print("finished")
END
held 0 -- "$PYTHON" many.py
calm
says 328350
says finished
if "$PYTHON" -c 'import venv, ensurepip' 2>/dev/null; then
	held 0 -- bash -c '"$1" -m venv --without-pip env && env/bin/python -c "import sys; print(sys.prefix)"' _ "$PYTHON"
	calm
	says "$P/env"
fi
if command -v node >/dev/null; then
	cat >work.js <<'END'
const fs = require("fs"), { Worker, isMainThread } = require("worker_threads"), cp = require("child_process");
if (isMainThread) {
  fs.mkdirSync("n/a/b", { recursive: true }); fs.writeFileSync("n/a/b/c", "x"); fs.renameSync("n/a/b/c", "n/a/d");
  fs.rmSync("n/a/b", { recursive: true }); fs.copyFileSync("n/a/d", "n/e");
  new Worker(__filename).on("exit", () => console.log(cp.execSync("echo child").toString().trim(), "done"));
} else fs.writeFileSync("n/worker", "w");
END
	held 0 -- node work.js
	calm
	says 'child done'
	if command -v npm >/dev/null; then
		mkdir pkg
		echo '{"name":"p","version":"1.0.0","scripts":{"go":"echo went >went"}}' >pkg/package.json
		held 0 --for npm -- bash -c 'cd pkg && npm run --silent go && npm pack --silent --offline'
		[[ -e pkg/went && -e pkg/p-1.0.0.tgz ]] || fail "$out $errout"
	fi
fi
