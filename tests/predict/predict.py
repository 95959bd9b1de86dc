#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""predict.py [--operations N] [--seed N] [--only SEED] [-v]: is what `ambit why` says what happens?

Rounds of random settings and random operations; every sixth is of connects. Each operation is asked
about (`why`), done bare, and done in one `ambit run --ask deny` of the round, in the same world made
anew each time. A disagreement prints the seed of its round, which --only repeats. Ends in "N passed, N failed".
"""
import argparse
import collections
import errno
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from connects import ConnectDraw, HostSettings, Outside, Servers, is_about, make_servers
from places import GUARD_NAMES, MAKE, Places, ROOT, Settings, snapshot

HERE = os.path.dirname(os.path.realpath(__file__))
AMBIT = os.path.realpath(os.environ["AMBIT"])
ACTS_TEXT = open(HERE + "/acts.py").read()
PYTHON = ["/usr/bin/python3", "-I", "-S", "-c", ACTS_TEXT]
PER_ROUND = 60
MODES = ["600", "644", "666", "755", "777", "4755", "2755", "000"]


class Kind:
    """A kind of operation. why: the words that ask about it; exact: it is the very call that why
    looks at, so a natural error must be the same, too; beneath: why is asked about a directory and
    speaks of a new file in it."""

    def __init__(self, name, why=None, weight=1, exact=True, beneath=False, opens=False, made=None):
        self.name, self.weight, self.exact, self.beneath = name, weight, exact, beneath
        self.why = why or [name]
        self.opens = opens  # would wait at a FIFO, and may be tried at a device
        self.made = made    # what it mostly finds


KINDS = [
    Kind("write", weight=6, opens=True),
    Kind("read", weight=2, opens=True, made="file"),
    Kind("delete", weight=4, made="file"),
    Kind("mkdir", weight=4, made="absent"),
    Kind("move", weight=5),
    Kind("link", weight=3),
    Kind("symlink", weight=3, made="absent"),
    Kind("chmod", weight=3, made="file"),
    Kind("create", ["write"], exact=False, opens=True, made="absent"),
    Kind("append", ["write"], exact=False, opens=True, made="file"),
    Kind("empty", ["write"], exact=False, opens=True, made="file"),
    Kind("truncate", ["write"], exact=False, made="file"),
    Kind("tmpfile", ["write"], exact=False, beneath=True, made="dir"),
    Kind("mkfifo", ["write"], exact=False, made="absent"),
    Kind("utime", ["chmod", "600"], exact=False, made="file"),
    Kind("chown", ["chmod", "622"], exact=False, made="file"),  # not a mark, as chmod 600 is
    Kind("setxattr", ["chmod", "622"], exact=False, made="file"),
]

CONNECT_KINDS = [
    Kind("tcp", weight=6),
    Kind("poll", weight=2, exact=False),
    Kind("udp", weight=2),
    Kind("send", weight=2, exact=False),
    Kind("unix", weight=6),
    Kind("unix-udp", weight=2),
]

# -- operations ---------------------------------------------------------------


class Operation:
    def __init__(self, kind, number):
        self.kind, self.number = kind, number
        self.setup = []   # (kind of object, path)
        self.acts = []    # words of acts.py
        self.why = []     # words of ambit why
        self.why_flags = []

    def __str__(self):
        return f"{self.acts}  with {self.setup}"


class Draw:
    """Operations of one round."""

    def __init__(self, rng, places, settings):
        self.rng, self.places, self.settings = rng, places, settings
        self.number = 0

    def name(self):
        rng, tag = self.rng, f"_{self.number}_"
        return rng.choice(["n"] * 12 + ["x.guard", "odd\n", "\udcff\udcfe", "\u202e", " s p ", "-", "config.lock",
                                        "L" * (255 - len(tag)), "L" * (256 - len(tag))]) + tag

    def object(self, op, made, suffix=""):
        """An object of the operation's own, or nothing: (directory, leaf)."""
        rng, places, i = self.rng, self.places, self.number
        draw = rng.random()
        if draw < 0.06:
            directory, leaf = rng.choice(places.scratch), places.scratch_name(i) + suffix
        elif draw < 0.08:
            directory, leaf = places.others, f"n_{i}_{suffix}"
        elif draw < 0.10 and i < 6 and not suffix and made != "link":
            directory, leaf = places.out, f"granted_{i}_"
        else:
            directory, leaf = rng.choice(places.areas), self.name() + suffix
            if rng.random() < 0.15:
                directory += f"/g_{i}_{suffix}"
                op.setup.append(("dirs", directory))
                guard = rng.choice(GUARD_NAMES)
                directory, leaf = os.path.split(directory + "/" + guard)
                op.setup.append(("dirs", directory))
        if len(os.fsencode(leaf)) <= 255:
            self.put(op, made, directory + "/" + leaf)
        return directory, leaf

    def put(self, op, made, path):
        rng, i = self.rng, self.number
        if made == "absent":
            return
        if made != "link":
            op.setup.append((made, path))
            return
        places = self.places
        other = rng.choice(places.areas[:20]) + f"/t_{i}_"
        target = rng.choice(["inside", "inside", "dir", "out", "gone", "gone-out", "loop", "git", "twice", "self"])
        if target in ("inside", "out", "dir"):
            if target == "out":
                other = places.out + f"/t_{i}_"
            op.setup.append(("dir" if target == "dir" else "file", other))
        absent = places.scratch_name(i) + "absent"
        text = {"gone": os.path.dirname(path) + "/" + absent, "gone-out": places.out + "/" + absent,
                "loop": path, "git": places.folder + f"/.git/hooks/h_{i}_", "self": path + "/."}.get(target, other)
        if target == "twice":
            op.setup.append(("file", other))
            op.setup.append(("symlink " + other, other + "-l"))
            text = other + "-l"
        if rng.random() < 0.3:
            text = os.path.relpath(text, os.path.dirname(path)) if text.startswith("/") else text
        op.setup.append(("symlink " + text, path))

    def form(self, kind, directory, leaf):
        """One of the ways to write it."""
        rng, places = self.rng, self.places
        # The directory of all is not changed by one.
        own, changes_nothing = f"_{self.number}_" in directory, kind.why[0] != "chmod"
        path = directory + "/" + leaf
        at = os.path.realpath(self.settings.cwd)
        relative = os.path.relpath(path, at)
        draw = rng.choice(["plain"] * 8 + ["relative"] * 6 + ["dot", "doubled", "slash", "slashes", "slash-dot",
                          "dotdot", "proc-cwd", "proc-root", "via", "via", "back", "missing", "through-file",
                          "loop", "long", "dots", "linked", "also"])
        if draw == "via":
            for name, to in (("via-out", places.out), ("via-git", places.folder + "/.git"),
                             ("via-sub", places.folder + "/sub"), ("via-two", places.out),
                             ("via-self", places.folder)):
                if directory == to or directory.startswith(to + "/"):
                    return places.folder + "/" + name + path[len(to):]
        return {
            "relative": relative, "dot": "./" + relative, "doubled": path.replace("/", "//"),
            "slash": path + "/", "slashes": relative + "///", "slash-dot": path + "/.",
            "dotdot": directory + "/../" + os.path.basename(directory) + "/" + leaf,
            "proc-cwd": "/proc/self/cwd/" + relative, "proc-root": "/proc/self/root" + path,
            "back": places.out + "/back/" + os.path.relpath(path, places.folder),
            "missing": directory + "/missing/../" + leaf, "through-file": places.folder + "/plain/" + leaf,
            "loop": places.folder + "/loop-a/" + leaf, "long": directory + "/." * 2100 + "/" + leaf,
            "dots": directory + "/" + rng.choice([".", ".."] if changes_nothing else [".", leaf] if own else [leaf]),
            "also": path + "-also",
            "linked": path.replace(places.folder, places.home + "/linked", 1),
        }.get(draw, path)

    def made(self, kind):
        if kind.made and self.rng.random() < 0.5:
            return kind.made
        while True:
            made = self.rng.choice(list(MAKE) + ["file"] * 3 + ["absent"] * 4 + ["link"] * 4)
            if not (kind.opens and made == "fifo"):
                return made

    def special(self, kind):
        """A device, a file of /proc or a place of the system. Only what a normal user cannot harm,
        and as root only what is opened and not changed."""
        rng = self.rng
        opened = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdin", "/dev/console",
                  "/dev/ptmx", "/dev/random", "/dev/null/x", "/proc/self/comm", "/proc/self/oom_score_adj",
                  "/proc/version", "/proc/self/environ", "/proc/1/comm", "/proc/self/nothing",
                  "/proc/sys/kernel/hostname", "/sys/kernel/mm", "/proc/self/root", "/proc/self",
                  "/proc/self/exe", "/dev/stdout", "/proc/self/mem", "/proc/self/attr/current", "/proc/self/cwd"]
        places = ["/etc/hosts", "/etc/passwd", "/etc", "/usr/bin/env", "/", "/tmp", "/dev", "/dev/shm", "/proc",
                  "/etc/nothing", "/usr/lib", "/root/x", "/nothing", "/dev/nothing", "/var/tmp", "/usr/bin/x/y"]
        if kind.name in ("write", "append"):
            return rng.choice(opened + ([] if ROOT else places))
        if kind.name == "read":
            return rng.choice(["/dev/null", "/dev/zero", "/proc/version", "/proc/self/status", "/proc/1/mem",
                               "/etc/shadow"] + places)
        # The last three: /proc/PID/mem is refused by its name to other calls as well, and a mode of
        # the working directory is everybody's.
        return None if ROOT or kind.name in ("move", "link") else rng.choice(places + opened[:-3])

    def path(self, op, made=None, suffix=""):
        if made is None and self.rng.random() < 0.04 and self.special(op.kind):
            return self.special(op.kind)
        return self.form(op.kind, *self.object(op, made or self.made(op.kind), suffix))

    def text(self):
        rng, places = self.rng, self.places
        return rng.choice(["../x", "x", "/etc/passwd", places.out, ".", places.folder + "/.git/hooks", "", "..",
                           "nothing", ".git", "hooks/pre-commit", "y" * 4095, "y" * 4096, places.folder + "/sub"])

    def two(self, op):
        first = self.path(op, suffix="a")
        draw = self.rng.random()
        if draw < 0.06:
            return first, first
        if draw < 0.15:
            return first, first.rstrip("/") + "-new"
        made = "absent" if self.rng.random() < 0.7 else None
        return first, self.path(op, made, suffix="b")

    def operation(self, number):
        self.number = number
        kind = self.rng.choices(KINDS, [k.weight for k in KINDS])[0]
        op = Operation(kind, number)
        if kind.name in ("move", "link"):
            words = list(self.two(op))
        elif kind.name == "symlink":
            words = [self.text(), self.path(op)]
        elif kind.name == "chmod":
            words = [self.rng.choice(MODES), self.path(op)]
        else:
            words = [self.path(op)]
        op.acts, op.why = [kind.name] + words, kind.why + words
        return op


def make_objects(ops):
    for op in ops:
        for made, path in op.setup:
            try:
                if made == "dirs":
                    os.makedirs(path, exist_ok=True)
                elif made.startswith("symlink "):
                    os.symlink(made[8:], path)
                else:
                    MAKE[made](path)
            except OSError:
                pass  # a name too long, or one that lies in the way: the same each time


# -- the three results ----------------------------------------------------------


def environment(places):
    return {
        "HOME": places.home, "XDG_CONFIG_HOME": places.config, "XDG_STATE_HOME": places.state,
        "XDG_RUNTIME_DIR": places.top + "/run", "TMPDIR": places.top + "/tmp", "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "SHELL": "/bin/bash",
        **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")},
    }


def make_world(places, ops):
    places.remove()
    places.make()
    make_objects(ops)
    places.close()


def ask_why(op, settings, env):
    words = [AMBIT, "why", "--json"] + settings.flags + op.why_flags + ["--"] + op.why
    r = subprocess.run([os.fsencode(w) for w in words], input=b"", env=env, cwd=settings.cwd,
                       capture_output=True)
    try:
        answer = json.loads(r.stdout)
    except ValueError:
        return {"verdict": "none", "error": r.stderr.decode(errors="replace"), "status": r.returncode}
    return answer


class NotStarted(Exception):
    """No command starts with these settings."""


def run_acts(lines, command, settings, env):
    r = subprocess.run(command + PYTHON, input="".join(json.dumps(line) + "\n" for line in lines), text=True,
                       env=env, cwd=settings.cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240)
    errors = [int(line) for line in r.stdout.split()]
    if r.returncode == 125 and not errors:
        raise NotStarted(r.stderr)
    if len(errors) != len(lines):
        raise RuntimeError(f"{len(errors)} of {len(lines)} acts, status {r.returncode}: {r.stderr[-2000:]}")
    return errors


def bare_command():
    if not ROOT:
        return []
    # A command in a run has no capabilities, whoever it is.
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]


def read_record(places, env):
    """The events of each operation: behind its marker, up to the next one. None: not all are there."""
    r = subprocess.run([AMBIT, "log", "--json"], env=env, cwd=places.home, capture_output=True, text=True)
    events, at = collections.defaultdict(list), None
    for line in r.stdout.splitlines():
        event = json.loads(line)
        marker = re.search(r"/@(\d+)@", event.get("subject") or "")
        if marker:
            at = int(marker.group(1))
        elif at is not None and event["kind"] in ("decide", "ask"):
            events[at].append(event)
        elif event["kind"] == "more":
            return None  # some were only counted
    return events


class Round:
    def __init__(self, seed, count, top):
        self.seed = seed
        self.rng = random.Random(seed)
        self.places = Places(top, f"{os.getpid()}")
        self.env = environment(self.places)
        os.makedirs(self.places.top + "/tmp", exist_ok=True)
        self.places.remove()
        self.places.make()
        self.draw(count)

    def draw(self, count):
        self.settings = Settings(self.rng, self.places)
        draw = Draw(self.rng, self.places, self.settings)
        self.ops = [draw.operation(i) for i in range(count)]

    @staticmethod
    def is_about(op, subject):
        return f"_{op.number}_" in subject

    def changes(self, before, after):
        """What differs, for each operation by its number; None: of none."""
        found = collections.defaultdict(dict)
        for path in set(before) | set(after):
            if before.get(path) != after.get(path):
                tag = re.search(r"_(\d+)_", path[len(self.places.top):] if path.startswith(self.places.top) else path)
                found[int(tag.group(1)) if tag else None][path] = after.get(path)
        return found

    def go(self):
        places, settings, env = self.places, self.settings, self.env
        settings.store(AMBIT, env)
        make_world(places, self.ops)
        before = snapshot(places)
        self.why = [ask_why(op, settings, env) for op in self.ops]
        self.untouched = self.changes(before, snapshot(places))
        self.bare = run_acts([op.acts for op in self.ops], bare_command(), settings, env)
        self.bare_did = self.changes(before, snapshot(places))
        make_world(places, self.ops)
        self.run = self.run_acts_held()
        self.run_did = self.changes(before, snapshot(places))
        places.remove()

    def run_acts_held(self):
        """All in one run: the errors."""
        places, settings, env = self.places, self.settings, self.env
        lines = []
        for op in self.ops:
            # The record counts what is refused in one place again and again: then it has no order.
            lines += [["mkdir", places.marks + f"{op.number // 12}/@{op.number}@"], op.acts]
        report = places.top + "/report"
        self.refused, self.events = None, {}
        try:
            errors = run_acts(lines, [AMBIT, "run", "--quiet", "--ask", "deny", "--report", report] +
                              settings.flags + ["--"], settings, env)[1::2]
        except NotStarted as e:
            self.refused = str(e)
            return [None] * len(self.ops)
        self.report = json.load(open(report))
        self.events = read_record(places, env)
        return errors

    def events_of(self, i):
        if self.events is not None:
            return self.events.get(i, [])
        # Where the record only counts, the report still has each thing once.
        return [{"kind": "decide", "verdict": "deny", "code": refusal["code"], "body": None}
                for refusal in self.report["refusals"] if self.is_about(self.ops[i], refusal["subject"])]


class ConnectRound(Round):
    """A round of connects. The files stay as they are, and the effect is what a server heard."""

    is_about = staticmethod(is_about)

    def draw(self, count):
        self.settings = HostSettings(self.rng, self.places)
        self.servers = Servers()
        draw = Draw(self.rng, self.places, self.settings)
        connects = ConnectDraw(draw, self.servers)
        self.ops = []
        for i in range(count):
            draw.number = i
            op = Operation(self.rng.choices(CONNECT_KINDS, [k.weight for k in CONNECT_KINDS])[0], i)
            connects.fill(op)
            self.ops.append(op)
        self.settings.choose_hosts(self.ops)

    def go(self):
        outside = Outside()
        try:
            self.connect_all(outside)
        finally:
            outside.close()
            self.servers.close()

    def connect_all(self, outside):
        places, settings, env = self.places, self.settings, self.env
        make_world(places, self.ops)
        make_servers(self.ops, self.servers)
        settings.store(AMBIT, env)
        self.why, said = self.servers.during(lambda: [ask_why(op, settings, env) for op in self.ops])
        self.untouched = said
        bare = [op.acts for op in self.ops if not op.is_outside]
        errors, self.bare_did = self.servers.during(lambda: run_acts(bare, bare_command(), settings, env))
        # An address of another machine is not tried bare: then why's word is all there is.
        if not self.bare_did:
            raise RuntimeError("bare, no server is reached")
        self.bare = [getattr(errno, why.get("fails", ""), 0) if op.is_outside else errors.pop(0)
                     for op, why in zip(self.ops, self.why)]
        outside.sent()
        self.run, self.run_did = self.servers.during(self.run_acts_held)
        for number in outside.sent():
            self.run_did.setdefault(number - 1, {})["sent"] = True
        places.remove()


# Agreed differences: (name, whether this is one, its reason). Each is counted and named at the end.
EXCLUDED = [
    ("a name that is too long beside another mistake",
     lambda j: j.op.kind.name in ("move", "link") and "L" * 240 in str(j.op.acts) and "0" not in (j.bare, j.run)
     and j.why.get("fails") == j.run,
     "which of two errors comes first"),
    ("a read of a socket behind a read floor",
     lambda j: j.op.kind.name == "read" and j.bare == "ENXIO" and j.run == "EACCES",
     "which of two errors comes first"),
    ("a file without a name in /proc",
     lambda j: j.op.kind.name == "tmpfile" and j.run == "ENOTSUP" and "/proc" in j.op.acts[1],
     "which of two errors comes first"),
    ("a move of a directory that brings guards",
     lambda j: j.op.kind.name == "move" and j.why["verdict"] == "allow" and j.run == "EACCES" and not j.run_did
     and any(made in ("repo", "dirs") for made, _ in j.op.setup),
     "the hand refuses it after the decision, and nothing is recorded"),
    ("modes, owners, times and lengths in /proc",
     lambda j: (j.op.kind.why[0] == "chmod" or j.op.kind.name == "truncate") and "/proc" in j.op.acts[-1] and j.run == "EPERM",
     "the gate changes none of them, and asks nobody"),
    ("localhost, where only [::1] has a server",
     lambda j: j.op.acts[1] == "localhost" and j.op.served == "::1" and j.run == j.bare == "ECONNREFUSED",
     "why takes it for both loopback addresses, and the system's look-up may give one"),
    ("a datagram to an IPv4 address as IPv6 that nobody has",
     lambda j: j.op.kind.name == "udp" and "ffff" in j.op.acts[1] and j.why["layer"] == "nobody"
     and j.run == "EINVAL" and not j.run_did,
     "its connect leads to port 0, and Linux lets nothing be sent there (EINVAL)"),
    ("a process' own memory",
     lambda j: "/proc/self/mem" in j.op.acts,
     "it is never opened for writing, and why says the error (EACCES) in place of a reason"),
]

NO_START = "no command starts here: "

# -- judging ----------------------------------------------------------------------


def code_name(number):
    return errno.errorcode.get(number, "0" if number == 0 else str(number))


class Judge:
    """One operation. Returns what disagrees, or None."""

    def __init__(self, round, i):
        self.op, self.why = round.ops[i], round.why[i]
        self.bare, self.run = code_name(round.bare[i]), code_name(round.run[i])
        self.bare_did, self.run_did = round.bare_did.get(i, {}), round.run_did.get(i, {})
        self.events, self.refused = round.events_of(i), round.refused
        # Refused in one place again and again, and no name of its own to find it by.
        self.is_counted = round.events is None and not round.is_about(self.op, str(self.op.acts))
        self.asks = [e for e in self.events if e["kind"] == "ask"]
        self.denies = [e for e in self.events if e["kind"] == "decide" and e["verdict"] == "deny"]

    def judge(self):
        why, kind = self.why, self.op.kind
        fails = why.get("fails", "0")
        if kind.beneath and fails == "EISDIR":
            fails = "0"
        if why["verdict"] == "none":
            return "why gave no answer"
        says_refused = why["layer"] == "run" and (why["reason"] or "").startswith(NO_START)
        if self.refused or says_refused:
            return self.judge_start(says_refused)
        if not kind.exact and self.bare != "0":
            return self.judge_inexact_failure()
        if fails != "0":
            return self.judge_natural(fails)
        return {"allow": self.judge_allow, "ask": self.judge_refusal, "deny": self.judge_refusal}[why["verdict"]]()

    def judge_start(self, says_refused):
        if not self.refused:
            return "why says that no command starts, and one does"
        if not says_refused or self.why["verdict"] != "deny":
            return f"why does not say that no command starts: {self.refused}"
        said = self.why["reason"][len(NO_START):]
        if said not in self.refused:
            return f"why says {said}, the run {self.refused}"
        return "an effect in the run" if self.run_did else None

    def judge_inexact_failure(self):
        if self.run not in (self.bare, "EACCES", "EXDEV"):
            return f"the run fails with {self.run}, bare with {self.bare}"
        return "an effect in the run" if self.run_did else None

    def judge_natural(self, fails):
        if self.asks or self.denies:
            return f"why says that it fails by itself ({fails}), and the run decides"
        if self.run != fails:
            return f"why says {fails}, the run {self.run}"
        if fails == "EXDEV" and self.why["layer"] == "special":
            return "an effect in the run" if self.run_did else None
        return None if self.bare == fails else f"why and run say {fails}, bare {self.bare}"

    def judge_allow(self):
        if self.asks or self.denies:
            return "why allows, the run refuses"
        if self.run != self.bare:
            return f"why allows: bare {self.bare}, the run {self.run}"
        return None if self.run_did == self.bare_did else "why allows: another effect than bare"

    def judge_refusal(self):
        why = self.why
        if self.run != "EACCES":
            return f"why: {why['verdict']}, the run {self.run}"
        if self.run_did:
            return "an effect in the run"
        if self.op.kind.name == "read":
            return None
        if not self.denies and not self.is_counted:
            return f"why: {why['verdict']}, the run refuses without a record"
        if not self.denies:
            return None
        codes = [e.get("code") for e in self.denies]
        if self.op.acts[1] == "localhost":
            codes = list(dict.fromkeys(codes))  # each of its addresses was tried
        # An ask that is only about danger has no code until nobody can be asked.
        if codes != [why["code"] or "Denied"]:
            return f"why: code {why['code']}, the run {codes}"
        if self.denies[0]["body"] is None:
            return None
        if bool(self.asks) != (why["verdict"] == "ask"):
            return f"why: {why['verdict']}, the run {'asks' if self.asks else 'does not ask'}"
        return self.judge_paths() if self.op.kind.exact else None

    def judge_paths(self):
        def key(paths):
            return sorted((p["access"], re.sub("^/proc/[0-9]+/", "/proc/N/", p["path"]), p["verdict"])
                          for p in paths)
        ran = key(self.denies[0]["body"].get("paths", []))
        said = key(self.why.get("paths", []))
        return None if ran == said else f"why: paths {said}, the run {ran}"


def report_difference(round, i, what):
    judge = Judge(round, i)
    print(f"FAIL --only {round.seed} number {i}: {what}")
    print(f"     operation {judge.op}")
    print(f"     settings  {round.settings.flags} in {round.settings.cwd} {json.dumps(round.settings.config)} "
          f"rules {round.settings.kept}")
    short = {k: judge.why.get(k) for k in ("verdict", "code", "layer", "fails", "reason", "error")}
    print(f"     why       {json.dumps(short)}")
    print(f"     bare      {judge.bare} {judge.bare_did}")
    print(f"     run       {judge.run} {judge.run_did} {[(e['kind'], e.get('code')) for e in judge.events]}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--operations", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--stop", type=int, default=20, help="end after so many disagreements")
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    passed = failed = refused = 0
    kinds, excluded = collections.Counter(), collections.Counter()
    seeds = [args.only] if args.only is not None else range(args.seed * 1000000,
                                                          args.seed * 1000000 + args.operations // PER_ROUND)
    with tempfile.TemporaryDirectory(prefix="predict.", ignore_cleanup_errors=True) as top:
        top = os.path.realpath(top)
        for seed in seeds:
            start = time.monotonic()
            round = (ConnectRound if seed % 6 == 5 else Round)(seed, PER_ROUND, top)
            try:
                round.go()
            except Exception as e:
                print(f"FAIL --only {seed}: {type(e).__name__} {e}")
                failed += 1
                round.places.remove()
                continue
            if round.untouched or None in round.run_did or None in round.bare_did:
                print(f"FAIL --only {seed}: changes that belong to no operation: "
                      f"{dict(round.untouched)} {round.bare_did.get(None)} {round.run_did.get(None)}")
                failed += 1
            for i in range(len(round.ops)):
                judge = Judge(round, i)
                what = judge.judge()
                for name, is_one, reason in EXCLUDED if what else ():
                    if is_one(judge):
                        excluded[f"{name}: {reason}"] += 1
                        what = None
                kinds[(round.ops[i].kind.name, round.why[i]["verdict"])] += 1
                if what:
                    report_difference(round, i, what)
                    failed += 1
                else:
                    passed += 1
            refused += round.refused is not None
            if args.v:
                print(f"     round {seed}: {time.monotonic() - start:.2f} s")
            if failed >= args.stop:
                print("     and no further")
                break
    if args.v:
        print(sorted(kinds.items()))
    for name, count in excluded.items():
        print(f"     {count} times {name}")
    if args.v:
        print(f"     {refused} rounds in which no command starts")
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
