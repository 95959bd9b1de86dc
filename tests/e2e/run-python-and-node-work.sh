#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Takes long.
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
# Processes that meet by sockets, by names, and by descriptors handed over.
cat >meet.py <<'END'
import multiprocessing as m, os, socket, sys
from multiprocessing import shared_memory
from multiprocessing.connection import Client, Listener
def fill(queue, name, shared):
    there = shared_memory.SharedMemory(name=name)
    there.buf[0] = 7
    there.close()
    shared["pid"] = os.getpid()
    queue.put("from a child")
def call(address):
    with Client(address, authkey=b"k") as c: c.send("called")
def take(end):
    _, fds, _, _ = socket.recv_fds(end, 1, 4)
    os.write(fds[0], b"by a descriptor")
if __name__ == "__main__":
    for way in "fork", "spawn", "forkserver":
        x = m.get_context(way)
        memory = shared_memory.SharedMemory(create=True, size=10)
        with x.Manager() as manager:
            queue, shared = x.Queue(), manager.dict()
            p = x.Process(target=fill, args=(queue, memory.name, shared)); p.start()
            assert queue.get() == "from a child"
            p.join()
            assert memory.buf[0] == 7 and shared["pid"] == p.pid and p.exitcode == 0
        memory.close(); memory.unlink()
        for address in "met", "\0ambit-meet-%d" % os.getpid(), ("localhost", 0):
            with Listener(address, authkey=b"k") as l:
                p = x.Process(target=call, args=(l.address,)); p.start()
                with l.accept() as c: assert c.recv() == "called"
                p.join()
        with x.Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]
        a, b = socket.socketpair(); r, w = os.pipe()
        p = x.Process(target=take, args=(b,)); p.start()
        socket.send_fds(a, [b"x"], [w])
        os.close(w); p.join()
        assert os.read(r, 99) == b"by a descriptor"
        print(way, "met")
END
# The sockets lie in the command's own TMPDIR, and their paths have 107 bytes.
if [[ ${AMBIT_WITHOUT:-} != pidfd_getfd ]]; then
	TMPDIR=/tmp held 0 -- "$PYTHON" meet.py
	calm
	for way in fork spawn forkserver; do says "$way met"; done
fi
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
