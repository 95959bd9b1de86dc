#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""world.py DIRECTORY ADDRESS...: the far side of world.bash. Runs in the far
network namespace, starts what world_start asks for, and writes what is seen to
DIRECTORY/heard. Names are in DIRECTORY/zone, read for each query.

    dns      53 on the host that answers about names; elsewhere it is only heard
    http     80 and 8080; https is 443 and 8443, with a certificate for any name
    echo     TCP 7; banner is TCP 25 and speaks first
    udp      UDP 7, 123 and 443 give back what came
    raw      TCP 9000: "source BYTES" or, up to its end, "sink", on a first line
    ssh      22, by sshd or, where there is none, dropbear
    git      /git/tiny.git over http, https and ssh
    npm      /npm/, a registry with one package; pip is /simple/, an index with one

Paths of http: /big?bytes=N, /slow?ms=N, /redirect?to=URL, /chunked?bytes=N, /upgrade
(then an echo); a POST or PUT gives back its bytes; all else tells who was asked.
"""
import base64
import hashlib
import http.server
import io
import ipaddress
import json
import os
import pwd
import re
import select
import selectors
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tarfile
import threading
import time
import traceback
import urllib.parse
import zipfile

WORLD, ADDRESSES = sys.argv[1], sys.argv[2:]
RESOLVER = "203.0.113.53"
CHUNK = bytes(65536)


def place(*names):
    return os.path.join(WORLD, *names)


def write(path, data):
    path = place(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


# What was seen

LOG = os.open(place("heard"), os.O_WRONLY | os.O_APPEND)
doors = []
forgotten = 0


def shown(data):
    """One word, whatever was in it."""
    if isinstance(data, bytes):
        data = data.decode("latin-1")
    return "".join(c if "!" <= c <= "~" and c != "\\" else f"\\x{ord(c):02x}" for c in data) or "-"


def hear(*words):
    os.write(LOG, (" ".join(words) + "\n").encode())


def settle():
    """Until what has come in is heard: nothing waits at any door, for a while."""
    quiet, tries = 0, 500
    while quiet < 3 and tries:
        quiet, tries = 0 if select.select(doors, [], [], 0)[0] else quiet + 1, tries - 1
        time.sleep(0.002)


def forget():
    """Of what is open already, the end will not be heard."""
    global forgotten
    settle()
    forgotten += 1
    os.ftruncate(LOG, 0)


def local_name(sock):
    host, port = sock.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


# Names

TYPES = {"A": 1, "CNAME": 5, "TXT": 16, "AAAA": 28}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
NXDOMAIN, SERVFAIL = 3, 2
turn = {}


def zone():
    names = {}
    with open(place("zone")) as file:
        for line in file:
            words = line.split()
            if len(words) < 2:
                continue
            ttl = 60
            if words[-1].startswith("ttl="):
                ttl = int(words.pop()[4:])
            names.setdefault(words[0].lower().rstrip("."), []).append((words[1], words[2:], ttl))
    return names


def find(names, name):
    """What the zone says of it: by itself, else by the nearest *."""
    name = name.lower()
    if name in names:
        return names[name]
    while "." in name:
        name = name.split(".", 1)[1]
        if "*." + name in names:
            return names["*." + name]
    return None


def wire(name):
    labels = [part.encode("latin-1") for part in name.split(".") if part]
    return b"".join(bytes([len(part)]) + part for part in labels) + b"\0"


def record(owner, number, ttl, data):
    return owner + struct.pack(">HHIH", number, 1, ttl, len(data)) + data


def of_type(address, number):
    packed = ipaddress.ip_address(address).packed
    return packed if len(packed) == (4 if number == 1 else 16) else None


def a_turn(name, number, given):
    own = [address for address in given if of_type(address, number)]
    count = turn[name, number] = turn.get((name, number), -1) + 1
    return [of_type(own[count % len(own)], number)] if own else []


def many(number, count):
    if number == 1:
        return [bytes([203, 0, 113, 1 + i % 250]) for i in range(count)]
    return []


# What KIND and its arguments give for one type of query: a list of records' data.
KINDS = {
    "A": lambda name, number, given: [of_type(given[0], 1)] if number == 1 else [],
    "AAAA": lambda name, number, given: [of_type(given[0], 28)] if number == 28 else [],
    "TXT": lambda name, number, given:
        [bytes([len(given[0])]) + given[0].encode()] if number == 16 else [],
    "turns": a_turn,
    "huge": lambda name, number, given: many(number, int(given[0])),
}


def records(names, name, number, depth=0):
    """Records for a query as bytes, or None if there is no such name."""
    said = find(names, name)
    if said is None or any(kind == "gone" for kind, _, _ in said):
        return None
    owner = b"\xc0\x0c" if depth == 0 else wire(name)
    found = []
    for kind, given, ttl in said:
        if kind == "alias":
            found.append(record(owner, 5, ttl, wire(given[0])))
            if number != 5 and depth < 8:
                found += records(names, given[0], number, depth + 1) or []
        elif kind in KINDS:
            found += [record(owner, number, ttl, data) for data in KINDS[kind](name, number, given)]
        elif kind == f"TYPE{number}":
            found.append(record(owner, number, ttl, bytes.fromhex(given[0])))
    return found


def question(message):
    """The name, the type, and where the question ends."""
    labels, at = [], 12
    while message[at]:
        length = message[at]
        if length > 63:
            raise ValueError("a label")
        labels.append(message[at + 1:at + 1 + length].decode("latin-1"))
        at += 1 + length
    number, = struct.unpack_from(">H", message, at + 1)
    return ".".join(labels), number, at + 5


def reply(message, transport, local):
    """Bytes and how long to wait before they go; None is no answer at all."""
    try:
        name, number, end = question(message)
    except (IndexError, ValueError, struct.error):
        hear("dns-bad", local, transport, shown(message[:64]))
        return None
    hear("dns" if local.startswith(RESOLVER + ":") else "unanswered", local, transport,
         TYPE_NAMES.get(number, f"TYPE{number}"), shown(name))
    if not local.startswith(RESOLVER + ":"):
        return None
    names = zone()
    said = {kind: given for kind, given, _ in find(names, name) or []}
    wait = int(said["slow"][0]) / 1000 if "slow" in said else 0
    if "mute" in said:
        return None
    if "raw" in said:
        return message[:2] + bytes.fromhex(said["raw"][0]), wait
    edns = message[end:end + 3] == b"\0\0\x29"
    room = max(512, struct.unpack_from(">H", message, end + 3)[0]) if edns else 512
    found, code = records(names, name, number), 0
    if "broken" in said:
        found, code = [], SERVFAIL
    elif found is None:
        found, code = [], NXDOMAIN
    extra = b"\0\0\x29" + struct.pack(">HIH", 4096, 0, 0) if edns else b""

    def made(flags, answers):
        return message[:2] + struct.pack(">HHHHH", 0x8180 | flags, 1, len(answers), 0, bool(extra)) + \
            message[12:end] + b"".join(answers) + extra
    whole = made(code, found)
    if transport == "udp" and ("truncated" in said or len(whole) > room):
        whole = made(code | 0x0200, [])
    return whole, wait


def dns_datagram(sock, data, peer):
    answer = reply(data, "udp", local_name(sock))
    if answer and answer[1]:
        threading.Timer(answer[1], sock.sendto, (answer[0], peer)).start()
    elif answer:
        sock.sendto(answer[0], peer)


def dns_stream(sock, local):
    stream = sock.makefile("rb")
    while True:
        head = stream.read(2)
        if len(head) < 2:
            return
        answer = reply(stream.read(struct.unpack(">H", head)[0]), "tcp", local)
        if answer:
            time.sleep(answer[1])
            sock.sendall(struct.pack(">H", len(answer[0])) + answer[0])


# Certificates

OPENSSL = """[req]
distinguished_name = name
prompt = no
[name]
CN = world
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = ${ENV::WORLD_SAN}
"""
contexts = {}
minting = threading.Lock()


def openssl(*words, san="DNS:world", data=None):
    return subprocess.run(("openssl",) + words, check=True, input=data, stdout=subprocess.PIPE,
                          env={**os.environ, "WORLD_SAN": san}).stdout


def key(path):
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", place(path))


def make_ca():
    write("tls/openssl.cnf", OPENSSL)
    key("tls/ca.key")
    key("tls/leaf.key")
    openssl("req", "-config", place("tls/openssl.cnf"), "-x509", "-new", "-key", place("tls/ca.key"),
            "-days", "2", "-extensions", "ca", "-out", place("ca.pem"))


def context_for(name):
    """For a name that a client asks for; made when it is first asked."""
    san = "DNS:" + name if name else ",".join(["DNS:localhost"] + ["IP:" + a for a in ADDRESSES])
    if name and not re.fullmatch("[A-Za-z0-9._-]{1,253}", name):
        raise ValueError("a name for no certificate: " + shown(name))
    with minting:
        if name not in contexts:
            request = openssl("req", "-config", place("tls/openssl.cnf"), "-new", "-key", place("tls/leaf.key"))
            leaf = openssl("x509", "-req", "-CA", place("ca.pem"), "-CAkey", place("tls/ca.key"), "-days", "2",
                           "-set_serial", str(len(contexts) + 2), "-extfile", place("tls/openssl.cnf"),
                           "-extensions", "leaf", san=san, data=request)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(write(f"tls/{len(contexts)}.pem", leaf), place("tls/leaf.key"))
            context.set_alpn_protocols(["http/1.1"])
            contexts[name] = context
        return contexts[name]


def named(sock, name, _):
    sock.world_name = name
    try:
        sock.context = context_for(name)
    except (ValueError, subprocess.CalledProcessError):
        return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
    return None


# Streams

def first(sock, local):
    data = sock.recv(64, socket.MSG_PEEK)
    if data:
        hear("first", local, shown(data))
    return data


def echo(sock, local):
    first(sock, local)
    while data := sock.recv(65536):
        sock.sendall(data)


def banner(sock, local):
    sock.sendall(b"220 the world speaks first\r\n")
    first(sock, local)
    for line in sock.makefile("rb"):
        sock.sendall(b"250 " + line)


def raw(sock, local):
    """Reads in big pieces: what is measured should not be this."""
    first(sock, local)
    head = b""
    while not head.endswith(b"\n"):
        byte = sock.recv(1)
        if not byte:
            return
        head += byte
    words = head.split()
    if words[0] == b"source":
        left = int(words[1])
        while left:
            left -= sock.send(CHUNK[:min(left, len(CHUNK))])
    else:
        count, room = 0, bytearray(1 << 18)
        while n := sock.recv_into(room):
            count += n
        sock.sendall(b"%d\n" % count)


def ssh(sock, local):
    """A server for each connection, so that it is heard as the others are."""
    if os.path.exists(SSHD):
        command = [SSHD, "-i", "-e", "-f", place("ssh/sshd_config")]
    else:
        command = [DROPBEAR, "-i", "-s", "-m", "-r", place("ssh/host")]
    subprocess.run(command, stdin=sock, stdout=sock, check=False)


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, sock, local, name):
        self.local, self.sni = local, name
        super().__init__(sock, None, None)

    def log_message(self, *words):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def give(self, data, status=200, kind="text/plain", **headers):
        if isinstance(data, str):
            data = data.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def pieces(self):
        """Of the request's body."""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return
        left = int(self.headers.get("Content-Length", 0))
        while left:
            data = self.rfile.read(min(left, 65536))
            if not data:
                return
            left -= len(data)
            yield data

    def answer(self):
        url = urllib.parse.urlsplit(self.path)
        self.query = dict(urllib.parse.parse_qsl(url.query))
        self.host = self.headers.get("Host", "-")
        hear("request", self.local, "sni=" + shown(self.sni or "-"), self.command,
             "host=" + shown(self.host), shown(self.path))
        for prefix, handler in PATHS.items():
            if url.path.startswith(prefix):
                handler(self, url)
                return
        if self.command in ("POST", "PUT"):
            self.posted()
        else:
            self.give(f"local={self.local} sni={self.sni or '-'} host={self.host} "
                      f"method={self.command} path={self.path}\n")

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = answer

    def posted(self):
        """The count of all, and the first of it."""
        count, kept = 0, b""
        for data in self.pieces():
            count += len(data)
            kept += data[:65536 - len(kept)]
        hear("body", self.local, f"in={count}")
        self.give(f"{count} bytes\n".encode() + kept)

    def big(self, _):
        left = int(self.query.get("bytes", 1 << 20))
        self.send_response(200)
        self.send_header("Content-Length", str(left))
        self.end_headers()
        while left and self.command != "HEAD":
            left -= self.wfile.write(CHUNK[:min(left, len(CHUNK))])

    def chunked(self, _):
        left = int(self.query.get("bytes", 100))
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while left:
            size = min(left, 1000)
            self.wfile.write(b"%x\r\n%s\r\n" % (size, CHUNK[:size]))
            left -= size
        self.wfile.write(b"0\r\n\r\n")

    def slow(self, _):
        time.sleep(int(self.query.get("ms", 100)) / 1000)
        self.give("slowly\n")

    def redirect(self, _):
        self.give("", 302, Location=self.query["to"])

    def upgrade(self, _):
        self.send_response(101)
        self.send_header("Connection", "Upgrade")
        self.send_header("Upgrade", self.headers.get("Upgrade", "echo"))
        self.end_headers()
        while data := self.rfile.read1(65536):
            self.wfile.write(data)
        self.close_connection = True

    def git(self, url):
        """git's own CGI program."""
        body = b"".join(self.pieces())
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": place("git"), "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": url.path[len("/git"):], "QUERY_STRING": url.query, "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""), "REMOTE_ADDR": "192.0.2.2",
        }
        out = subprocess.run(["git", "http-backend"], input=body, env=environment, check=True,
                             stdout=subprocess.PIPE).stdout
        head, _, out = out.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(headers.pop("Status", "200").split()[0])
        self.give(out, status, headers.pop("Content-Type", "text/plain"), **headers)

    def npm(self, url):
        if url.path.endswith(".tgz"):
            with open(place("npm/tiny.tgz"), "rb") as file:
                self.give(file.read(), kind="application/octet-stream")
            return
        if url.path != "/npm/tiny":
            self.give("{}", 404, "application/json")
            return
        with open(place("npm/tiny.tgz"), "rb") as file:
            digest = base64.b64encode(hashlib.sha512(file.read()).digest()).decode()
        scheme = "https" if isinstance(self.connection, ssl.SSLSocket) else "http"
        version = {"name": "tiny", "version": "1.0.0", "main": "index.js", "dist": {
            "integrity": "sha512-" + digest,
            "tarball": f"{scheme}://{self.host}/npm/tiny/-/tiny-1.0.0.tgz"}}
        self.give(json.dumps({"name": "tiny", "dist-tags": {"latest": "1.0.0"},
                              "versions": {"1.0.0": version}}), kind="application/json")

    def pip(self, url):
        if url.path.endswith(".whl"):
            with open(place("pip", WHEEL), "rb") as file:
                self.give(file.read(), kind="application/octet-stream")
        elif url.path.rstrip("/") == "/simple/tiny":
            self.give(f'<!DOCTYPE html><a href="/simple/tiny/{WHEEL}">{WHEEL}</a>\n', kind="text/html")
        else:
            self.give("", 404)


PATHS = {"/big": Web.big, "/chunked": Web.chunked, "/slow": Web.slow, "/redirect": Web.redirect,
         "/upgrade": Web.upgrade, "/git/": Web.git, "/npm/": Web.npm, "/simple/": Web.pip}


def plain_web(sock, local):
    if first(sock, local):
        Web(sock, local, None)


def secret_web(sock, local):
    if not first(sock, local):
        return
    since = forgotten
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = named
    tls = context.wrap_socket(sock.dup(), server_side=True, do_handshake_on_connect=False)
    with tls:
        try:
            tls.do_handshake()
        except OSError as error:
            if since == forgotten:
                hear("tls-failed", local, shown(getattr(error, "reason", None) or str(error)))
            return
        name = getattr(tls, "world_name", None)
        hear("tls", local, "sni=" + shown(name or "-"))
        Web(tls, local, name)


def carried(sock):
    """Bytes in and out, as the kernel counts them. It counts the end as one."""
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 232)
    out, came = struct.unpack_from("QQ", info, 120)
    close_wait, last_ack = 8, 9
    return max(0, came - (info[0] in (close_wait, last_ack))), out


def connection(sock, service, local):
    since = forgotten
    try:
        service(sock, local)
    except OSError:
        pass
    finally:
        came, out = carried(sock)
        if since == forgotten:
            hear("close", local, f"in={came}", f"out={out}")
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        sock.close()


def accept(server, service):
    while True:
        sock, _ = server.accept()
        local = local_name(sock)
        hear("open", local)
        threading.Thread(target=connection, args=(sock, service, local), daemon=True).start()


def listen(port, service, hosts=("0.0.0.0", "::")):
    for host in hosts:
        server = bound(host, port, socket.SOCK_STREAM)
        if server:
            server.listen(1024)
            threading.Thread(target=accept, args=(server, service), daemon=True).start()


def bound(host, port, kind):
    """None if it is of a family that is not there."""
    try:
        sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if ":" in host:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((host, port))
        doors.append(sock)
        return sock
    except OSError:
        if ":" in host:
            return None
        raise


# Datagrams: one socket for each address, so that answers come from where they were asked.

def datagrams(service, *ports):
    selector = selectors.DefaultSelector()
    for port in ports:
        for host in ADDRESSES:
            sock = bound(host, port, socket.SOCK_DGRAM)
            if sock:
                selector.register(sock, selectors.EVENT_READ)

    def serve():
        while True:
            for ready, _ in selector.select():
                data, peer = ready.fileobj.recvfrom(65536)
                try:
                    service(ready.fileobj, data, peer)
                except Exception:  # a zone that cannot be read, say; the next may be better
                    traceback.print_exc()
    threading.Thread(target=serve, daemon=True).start()


def echo_datagram(sock, data, peer):
    hear("datagram", local_name(sock), f"in={len(data)}", shown(data[:64]))
    sock.sendto(data, peer)


# What the tools come for

class Missing(Exception):
    """This machine has not what a service needs."""



WHEEL = "tiny-1.0-py3-none-any.whl"
SSHD, DROPBEAR = "/usr/sbin/sshd", "/usr/sbin/dropbear"
TREE = {
    "README": "It is tiny.\n",
    "Cargo.toml": '[package]\nname = "tiny"\nversion = "1.0.0"\nedition = "2018"\n',
    "src/lib.rs": "pub fn size() -> u32 { 1 }\n",
}


def make_git():
    os.mkdir(place("git"))
    write("home/.gitconfig", "[safe]\n\tdirectory = *\n[http]\n\treceivepack = true\n")
    stream = "commit refs/heads/main\ncommitter World <world@world.example> 1700000000 +0000\ndata 4\nmade\n"
    for path, text in TREE.items():
        stream += f"M 644 inline {path}\ndata {len(text)}\n{text}\n"
    directory = "--git-dir=" + place("git/tiny.git")
    subprocess.run(["git", directory, "init", "--quiet", "--bare"], check=True)
    subprocess.run(["git", directory, "symbolic-ref", "HEAD", "refs/heads/main"], check=True)
    subprocess.run(["git", directory, "fast-import", "--quiet"], check=True, input=stream.encode())


def make_npm():
    files = {"package/package.json": '{"name": "tiny", "version": "1.0.0", "main": "index.js"}\n',
             "package/index.js": "module.exports = 'tiny'\n"}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    write("npm/tiny.tgz", out.getvalue())


def make_pip():
    info = "tiny-1.0.dist-info"
    files = {"tiny.py": "size = 1\n",
             info + "/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
             info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: world\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    files[info + "/RECORD"] = "".join(name + ",,\n" for name in files) + info + "/RECORD,,\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    write("pip/" + WHEEL, out.getvalue())


def mount(*words):
    subprocess.run(("mount",) + words, check=True)


def own_account():
    """A login for whoever this is: a user may have no shell, or no entry. Seen only here."""
    uid = os.getuid()
    with open("/etc/passwd") as file:
        lines = file.read().splitlines()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = "world"
    lines = [line for line in lines if line.split(":")[0] != name]
    lines.append(f"{name}:*:{uid}:{os.getgid()}::{place('home')}:/bin/bash")
    mount("--bind", write("ssh/passwd", "\n".join(lines) + "\n"), "/etc/passwd")
    # Who is locked cannot log in; and root's sshd wants a directory.
    if os.path.exists("/etc/shadow"):
        mount("--bind", write("ssh/shadow", f"{name}:*:19000:0:99999:7:::\n"), "/etc/shadow")
    if uid == 0:
        mount("-t", "tmpfs", "none", "/run")
        os.mkdir("/run/sshd", 0o755)
    return name


def make_ssh():
    account = own_account()
    keygen = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f"]
    subprocess.run(keygen + [place("ssh/user")], check=True)
    if os.path.exists(SSHD):
        subprocess.run(keygen + [place("ssh/host")], check=True)
        with open(place("ssh/host.pub")) as file:
            public = file.read()
    elif os.path.exists(DROPBEAR):
        out = subprocess.run(["dropbearkey", "-t", "ed25519", "-f", place("ssh/host")], check=True,
                             stdout=subprocess.PIPE).stdout.decode()
        public = re.search("^ssh-ed25519 .*$", out, re.MULTILINE)[0] + "\n"
    else:
        raise Missing(f"no {SSHD} and no {DROPBEAR}")
    os.mkdir(place("home/.ssh"), 0o700)
    os.link(place("ssh/user.pub"), place("home/.ssh/authorized_keys"))
    write("ssh/known_hosts", "* " + public)
    write("ssh/sshd_config", "\n".join([
        f"HostKey {place('ssh/host')}", "StrictModes no", "UsePAM no", "PermitRootLogin yes",
        "PasswordAuthentication no", "KbdInteractiveAuthentication no", "PidFile none", "PrintMotd no",
        "PrintLastLog no", "UseDNS no", "AcceptEnv GIT_PROTOCOL", "Subsystem sftp internal-sftp"]) + "\n")
    write("ssh/config", "\n".join([
        "Host *", f"User {account}", f"IdentityFile {place('ssh/user')}", "IdentitiesOnly yes", "BatchMode yes",
        f"UserKnownHostsFile {place('ssh/known_hosts')}", "GlobalKnownHostsFile none",
        "StrictHostKeyChecking yes", "UpdateHostKeys no"]) + "\n")


# Each with the services and programs that it needs first.
SERVICES = {
    "dns": ((), (), lambda: (datagrams(dns_datagram, 53), listen(53, dns_stream, (RESOLVER,)))),
    "http": ((), (), lambda: (listen(80, plain_web), listen(8080, plain_web))),
    "https": ((), ("openssl",), lambda: (make_ca(), listen(443, secret_web), listen(8443, secret_web))),
    "echo": ((), (), lambda: listen(7, echo)),
    "banner": ((), (), lambda: listen(25, banner)),
    "udp": ((), (), lambda: datagrams(echo_datagram, 7, 123, 443)),
    "raw": ((), (), lambda: listen(9000, raw)),
    "ssh": ((), ("ssh-keygen",), lambda: (make_ssh(), listen(22, ssh))),
    "git": (("https",), ("git",), make_git),
    "npm": (("https",), (), make_npm),
    "pip": (("https",), (), make_pip),
}
started = set()


def start(*names):
    for name in names:
        if name in started:
            continue
        services, programs, begin = SERVICES[name]
        start(*services)
        for program in programs:
            if not shutil.which(program):
                raise Missing("no " + program)
        begin()
        started.add(name)


def run(*words):
    subprocess.Popen(words)


ACTS = {"start": start, "run": run, "settle": settle, "forget": forget}


def main():
    os.environ["HOME"] = place("home")
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
    control, answer = open(place("control"), "r+b", 0), open(place("answer"), "r+b", 0)
    answer.write(b"ok\n")
    while True:
        control.readline()
        with open(place("told")) as file:
            words = file.read().split("\0")[:-1]
        try:
            ACTS[words[0]](*words[1:])
            answer.write(b"ok\n")
        except Exception as error:  # the script should hear of any
            answer.write(f"{type(error).__name__}: {error}".encode().replace(b"\n", b" ") + b"\n")


main()
