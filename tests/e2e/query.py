# SPDX-License-Identifier: Apache-2.0
"""Questions for name servers, as they are on the wire. For programs of the scripts
that have no resolver between them and the server: PYTHONPATH=$HERE."""
import ipaddress
import os
import socket
import struct

A, CNAME, PTR, TXT, AAAA, OPT, SVCB, HTTPS, IXFR, AXFR, ANY = 1, 5, 12, 16, 28, 41, 64, 65, 251, 252, 255
SERVER = ("203.0.113.53", 53)


def wire(name):
    """A label may be bytes; a name, a list of labels."""
    labels = name if isinstance(name, list) else [part for part in name.split(".") if part]
    labels = [part if isinstance(part, bytes) else part.encode("latin-1") for part in labels]
    return b"".join(bytes([len(part)]) + part for part in labels) + b"\0"


def opt(options=b"", size=1232, flags=0, version=0):
    return b"\0" + struct.pack(">HHBBHH", OPT, size, 0, version, flags, len(options)) + options


def make(name, kind=A, ident=None, flags=0x0100, extra=b"", counts=None, cls=1):
    ident = int.from_bytes(os.urandom(2), "big") if ident is None else ident
    counts = counts or (1, 0, 0, 1 if extra else 0)
    return struct.pack(">HHHHHH", ident, flags, *counts) + wire(name) + struct.pack(">HH", kind, cls) + extra


class Answer:
    def __init__(self, message):
        self.message = message
        self.id, flags, questions, answers, _, _ = struct.unpack_from(">HHHHHH", message)
        self.code, self.truncated, self.response = flags & 15, bool(flags & 0x0200), bool(flags & 0x8000)
        self.records, at = [], 12
        for _ in range(questions):
            start, at = at, self.skip(at) + 4
            self.question = message[start:at]
        for _ in range(answers):
            at = self.skip(at)
            kind, _, self.ttl, size = struct.unpack_from(">HHIH", message, at)
            at += 10
            self.records.append((kind, self.shown(kind, at, size)))
            at += size

    def skip(self, at):
        while self.message[at]:
            if self.message[at] >= 0xc0:
                return at + 2
            at += self.message[at] + 1
        return at + 1

    def name(self, at):
        labels = []
        while self.message[at]:
            size = self.message[at]
            if size >= 0xc0:
                at = struct.unpack_from(">H", self.message, at)[0] & 0x3fff
                continue
            labels.append(self.message[at + 1:at + 1 + size].decode("latin-1"))
            at += size + 1
        return ".".join(labels)

    def shown(self, kind, at, size):
        if kind in (A, AAAA):
            return str(ipaddress.ip_address(self.message[at:at + size]))
        if kind in (PTR, CNAME):
            return self.name(at)
        return self.message[at:at + size]

    def of(self, kind):
        return [data for type_, data in self.records if type_ == kind]


def udp(message, server=SERVER, timeout=5):
    """From a socket that is connected, as the C library has it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(timeout)
        s.connect(server)
        s.send(message)
        while True:
            data = s.recv(65536)
            if data[:2] == message[:2]:
                return Answer(data)


def put(stream, *messages):
    stream.sendall(b"".join(struct.pack(">H", len(message)) + message for message in messages))


def take(stream):
    """The next message of a stream; None at its end."""
    data, want = b"", 2
    while len(data) < want:
        more = stream.recv(want - len(data))
        if not more:
            return None
        data += more
        if len(data) == 2:
            want = 2 + struct.unpack(">H", data)[0]
    return Answer(data[2:])


def tcp(*messages, server=SERVER, timeout=5):
    """All at once by one connection; the answers by their ids."""
    with socket.create_connection(server, timeout) as s:
        put(s, *messages)
        answers = [take(s) for _ in messages]
    return {answer.id: answer for answer in answers}
