# SPDX-License-Identifier: Apache-2.0
# Destinations for tests/predict: servers of this machine, outside of the run, random settings about
# hosts, and connects to those servers, to ports that nobody has, and to unix sockets. Nothing leaves
# this machine: an address of another one is tried in the run alone, and only where `why` denies it.
import collections
import os
import random
import re
import selectors
import socket
import threading

from places import Settings

LOOPBACK = ("127.0.0.1", "127.0.0.2", "::1")


def is_v6_there():
    try:
        with socket.socket(socket.AF_INET6) as s:
            s.bind(("::1", 0))
        return True
    except OSError:
        return False


def is_localhost_known():
    """Else a bare look-up would ask a name server."""
    with open("/etc/hosts", encoding="utf-8", errors="replace") as f:
        return any("localhost" in line.split("#")[0].split()[1:] for line in f)


def is_of_this_machine(address):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind((address, 0))
        return True
    except OSError:
        return False


V6 = is_v6_there()
LOCALHOST = is_localhost_known()
# The network of examples, and nobody here is in it.
OUTSIDE = next(net for net in ("203.0.113", "198.51.100", "192.0.2")
               if not any(is_of_this_machine(f"{net}.{i}") for i in range(256)))


class Servers:
    """Listeners, each for one operation. `heard` counts what came, for each operation."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.held = []
        self.heard = collections.Counter()
        # Where the ports begin is left to chance: others may have the ones of the last time.
        self.next_port = random.SystemRandom().randrange(10000, 25000)

    def bind(self, family, kind, address, v6_only=True):
        s = socket.socket(family, kind)
        self.held.append(s)
        if family == socket.AF_INET6:
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, v6_only)
        s.bind(address)
        return s

    def serve(self, s, number):
        if s.type == socket.SOCK_STREAM:
            s.listen(64)
        s.setblocking(False)
        self.selector.register(s, selectors.EVENT_READ, number)

    def bind_port(self, port, kind, where):
        """The server, if any. The rest of the loopback is held by streams that do not listen, so that
        nobody has it."""
        before, server = len(self.held), None
        try:
            for address in LOOPBACK + ("0.0.0.0", "::"):
                is_there = address == where
                family = socket.AF_INET6 if ":" in address else socket.AF_INET
                is_free = kind == socket.SOCK_DGRAM or where != "::" and (where != "0.0.0.0" or ":" in address)
                is_held = address in LOOPBACK and is_free and (V6 or ":" not in address)
                if is_held and not (is_there and kind == socket.SOCK_STREAM):
                    self.bind(family, socket.SOCK_STREAM, (address, port))
                if is_there:
                    server = self.bind(family, kind, (address, port), v6_only=where != "::")
            return server
        except OSError:
            while len(self.held) > before:
                self.held.pop().close()
            raise

    def make_port(self, number, kind, where):
        """A port with a server at `where`, or with none."""
        for _ in range(1000):
            self.next_port += 1
            try:
                server = self.bind_port(self.next_port, kind, where)
            except OSError:
                continue
            if server:
                self.serve(server, number)
            return self.next_port
        raise RuntimeError("no port is free")

    def make_unix(self, number, kind, name):
        s = socket.socket(socket.AF_UNIX, kind)
        self.held.append(s)
        if name.startswith("@"):
            s.bind("\0" + name[1:])
        else:
            at = os.getcwd()
            os.chdir(os.path.dirname(name))
            try:
                s.bind(os.path.basename(name))
            finally:
                os.chdir(at)
        self.serve(s, number)

    def answer(self, timeout):
        """What is there now. The client waits for the answer, so nothing is heard late."""
        ready = self.selector.select(timeout)
        for key, _ in ready:
            self.heard[key.data] += 1
            try:
                if key.fileobj.type == socket.SOCK_STREAM:
                    with key.fileobj.accept()[0] as s:
                        s.sendall(b"!")
                else:
                    peer = key.fileobj.recvfrom(100)[1]
                    if peer:
                        key.fileobj.sendto(b"!", peer)
            except OSError:
                pass  # the client is gone
        return ready

    def during(self, act):
        """Its result, and how much was heard meanwhile: {number: {"heard": count}}."""
        self.heard.clear()
        ended = threading.Event()

        def answer_all():
            while not ended.is_set():
                self.answer(0.1)

        thread = threading.Thread(target=answer_all)
        thread.start()
        try:
            result = act()
        finally:
            ended.set()
            thread.join()
        while self.answer(0):
            pass
        return result, {n: {"heard": count} for n, count in self.heard.items()}

    def close(self):
        for s in self.held:
            s.close()
        self.selector.close()


class Outside:
    """Packets to OUTSIDE, seen by root; nobody else may look."""

    def __init__(self):
        try:
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
            self.socket.setblocking(False)
        except PermissionError:
            self.socket = None

    def sent(self):
        """The last numbers of the addresses that packets went to, since the last time."""
        found = set()
        while self.socket:
            try:
                packet = self.socket.recv(40)
            except BlockingIOError:
                break
            except OSError:
                continue
            if packet[:1] >= b"\x40" and packet[16:19] == bytes(map(int, OUTSIDE.split("."))):
                found.add(packet[19])
        return found

    def close(self):
        if self.socket:
            self.socket.close()


# -- settings -----------------------------------------------------------------

SPELLINGS = ["localhost", "127.0.0.1", "127.0.0.1", "LocalHost", "[::1]", "0.0.0.0", "[::]", "127.0.0.2",
             "a.localhost", "localhost."]
WIDE = ["127.0.0.0/8", "127.0.0.0/30", "127.0.0.2/32", "[::1]/128", "10.0.0.0/8", "*", "*.localhost", "*.example.org",
        "example.org:443", "[::ffff:127.0.0.0]/104", "[::]/0", "0.0.0.0/0", OUTSIDE + ".7", "unix:@*"]


class HostSettings(Settings):
    """The settings of other rounds, and what is said about hosts."""

    def __init__(self, rng, places):
        super().__init__(rng, places)
        self.denies_outside = rng.random() < 0.6
        net = rng.choice(["ask"] * 4 + ["none", "open", None, None])
        if net and rng.random() < 0.5:
            self.flags += ["--net", net]
        elif net:
            self.config["net"] = net

    def pattern(self, ops):
        rng, op = self.rng, self.rng.choice(ops)
        draw = rng.random()
        if draw < 0.15:
            return rng.choice(WIDE)
        if not op.port:
            return rng.choice(op.names)
        spelling = rng.choice(SPELLINGS)
        return spelling if draw < 0.3 else f"{spelling}:{op.port}"

    def choose_hosts(self, ops):
        rng = self.rng
        for _ in range(rng.choice([0, 4, 8, 12])):
            pattern = self.pattern(ops)
            draw = rng.random()
            if draw < 0.2:
                self.flags += ["--allow-host", pattern]
            elif draw < 0.4:
                self.config.setdefault("allow_hosts", []).append(pattern)
            elif draw < 0.65:
                self.config.setdefault("deny_hosts", []).append(pattern)
            else:
                self.rules.append(["connect", pattern] + (["--no"] if rng.random() < 0.5 else []))
        if self.denies_outside:
            self.config.setdefault("deny_hosts", []).append(f"{OUTSIDE}.0/24")


# -- operations ---------------------------------------------------------------

HOSTS = ["127.0.0.1"] * 4 + ["localhost"] * 3 + ["0.0.0.0", "127.0.0.2", "[::1]", "[::1]", "[::]",
                                                 "[::ffff:127.0.0.1]"]
SERVED = ["127.0.0.1"] * 4 + ["nobody"] * 2 + ["0.0.0.0", "127.0.0.2", "::1", "::"]
MAPPED = "[::ffff:127.0.0.1]"
# Where it is served: by which of the hosts it is heard; "::" by all of them.
HEARD = {
    "127.0.0.1": ("127.0.0.1", "0.0.0.0", MAPPED), "127.0.0.2": ("127.0.0.2",), "::1": ("[::1]", "[::]"),
    "0.0.0.0": ("127.0.0.1", "0.0.0.0", "127.0.0.2", MAPPED), "nobody": (),
}
MADE = ["listening"] * 5 + ["datagram", "socket", "file", "absent", "dir", "fifo", "link", "link", "dangling",
                            "links", "closed"]


class ConnectDraw:
    """Fills in one connect. `draw` knows the forms of paths; `servers` makes the server, or not."""

    def __init__(self, draw, servers):
        self.rng, self.places, self.draw = draw.rng, draw.places, draw
        self.denies_outside, self.servers = draw.settings.denies_outside, servers

    def answered(self, host, where):
        """A datagram has only the first address of a name, and its answer comes from 127.0.0.1."""
        if host == "localhost" and where not in ("::", "nobody"):
            host = "127.0.0.1"
        if host == "127.0.0.2" and where in ("::", "0.0.0.0"):
            where = "127.0.0.2"
        return host, where

    def address(self, op, kind):
        rng = self.rng
        draw, host, where = rng.random(), rng.choice(HOSTS), rng.choice(SERVED)
        if host == "localhost" and not LOCALHOST or ":" in host and not V6:
            host = "127.0.0.1"
        if ":" in where and not V6:
            where = "127.0.0.1"
        if kind == socket.SOCK_DGRAM:
            host, where = self.answered(host, where)
        op.port = self.servers.make_port(op.number, kind, where)
        if draw < 0.08 and self.denies_outside:
            op.is_outside, op.port, where = True, rng.choice([443, 80, 22, 9]), "nobody"
            host = f"{OUTSIDE}.{op.number + 1}"
        elif draw < 0.1:
            op.port, where = 0, "nobody"
        op.names, op.served = [f"{host}:{op.port or 1}"], where
        return [host, op.port, where == "::" or host in HEARD[where]]

    def abstract(self, op, kind, made):
        name = f"@{self.places.scratch_name(op.number)}"
        other = socket.SOCK_DGRAM if kind == socket.SOCK_STREAM else socket.SOCK_STREAM
        if made != "absent":
            op.servers.append((kind if made == "same" else other, name))
        op.names = [f"unix:{name}"]
        return [name]

    def make_at(self, op, kind, path):
        made = self.rng.choice(MADE)
        there = os.path.dirname(path) + "/" + os.path.basename(path)[:30] + "-to"
        other = {"listening": kind, "closed": kind, "datagram": socket.SOCK_DGRAM}
        if made in other:
            op.servers.append((other[made], path))
        elif made in ("link", "links"):
            op.servers.append((kind, there))
            op.setup.append((f"symlink {os.path.basename(there)}", path if made == "link" else there + "2"))
            if made == "links":
                op.setup.append((f"symlink {there}2", path))
            op.names.append(f"unix:{there}")
        elif made == "dangling":
            op.setup.append(("symlink nothing-there", path))
        elif made != "absent":
            op.setup.append((made, path))
        if made == "closed":
            op.modes.append(path)

    def path(self, op, kind):
        rng, places, i = self.rng, self.places, op.number
        directory, leaf = rng.choice(places.areas + places.scratch), f"n_{i}_"
        if directory in places.scratch:
            leaf = places.scratch_name(i)
        op.names = [f"unix:{directory}/{leaf}", f"unix:{directory}/*", f"unix:{directory}/{leaf}"]
        self.make_at(op, kind, f"{directory}/{leaf}")
        text = self.draw.form(op.kind, directory, leaf)
        at = self.draw.settings.cwd
        if len(text) > 107:
            text = os.path.relpath(f"{directory}/{leaf}", os.path.realpath(at))
        return [text] if len(text) <= 107 else self.abstract(op, kind, "same")

    def fill(self, op):
        """op.kind.name: tcp, poll, udp, send, unix, unix-udp."""
        is_udp = op.kind.name in ("udp", "send", "unix-udp")
        kind = socket.SOCK_DGRAM if is_udp else socket.SOCK_STREAM
        op.port, op.names, op.servers, op.modes, op.is_outside, op.served = 0, [], [], [], False, None
        if not op.kind.name.startswith("unix"):
            words = self.address(op, kind)
        elif self.rng.random() < 0.25:
            made = self.rng.choice(["same", "same", "same", "absent", "other"])
            words = self.abstract(op, kind, made)
        else:
            words = self.path(op, kind)
        host = f"unix:{words[0]}" if len(words) == 1 else f"{words[0]}:{words[1]}"
        op.acts, op.why = [op.kind.name] + words, ["connect", host]
        op.why_flags = ["--udp"] if is_udp else []


def make_servers(ops, servers):
    for op in ops:
        for kind, name in op.servers:
            try:
                servers.make_unix(op.number, kind, name)
            except OSError:
                pass  # it lies where nobody may make one
        for path in op.modes:
            if os.path.lexists(path):
                os.chmod(path, 0o000)


def is_about(op, subject):
    """Whether a refusal of the report, which is not in order, is that of the operation."""
    if op.port:
        return subject.endswith(f":{op.port}") and (not op.is_outside or subject.startswith(op.acts[1] + ":"))
    return bool(re.search(f"_{op.number}_", subject))
