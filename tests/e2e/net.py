#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""net.py ACT ARGUMENT...: one act on the network, told as "ok ..." or the name
of the error. For both sides of the line.

    tcp HOST PORT        connect, send "hello", print what comes back
    nonblock HOST PORT   the same on a non-blocking socket
    fastopen HOST PORT   sendto with MSG_FASTOPEN in place of connect
    mptcp HOST PORT      connect by Multipath TCP
    udp HOST PORT        sendto, print what comes back
    udp-connect HOST PORT
    sendmsg HOST PORT    sendmsg with an address, on UDP
    unix PATH            connect; "@name" is abstract
    unix-dgram PATH      sendto
    socket FAMILY TYPE   just make one, by number
    loop                 own server and client, TCP on loopback
    any                  a server on any address, and a client on loopback
    own-unix PATH        own server and client
    serve FILE           TCP and UDP server that logs each peer to FILE; its port
                         is the first line
    serve-unix PATH FILE likewise
"""
import errno
import os
import select
import socket
import sys
import threading


def talk(s):
    s.sendall(b"hello")
    return s.recv(100).decode()


def tcp(host, port):
    with socket.create_connection((host, int(port)), 5) as s:
        return talk(s)


def wait(host, port):
    with socket.socket() as s:
        s.connect((host, int(port)))
        return talk(s)


def nonblock(host, port):
    s = socket.socket()
    s.setblocking(False)
    r = s.connect_ex((host, int(port)))
    if r not in (0, errno.EINPROGRESS):
        raise OSError(r, "")
    select.select([], [s], [], 5)
    r = s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if r:
        raise OSError(r, "")
    s.setblocking(True)
    return talk(s)


def fastopen(host, port):
    s = socket.socket()
    s.sendto(b"hello", socket.MSG_FASTOPEN, (host, int(port)))
    return s.recv(100).decode()


def mptcp(host, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    s.connect((host, int(port)))
    return talk(s)


def udp(host, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(5)
    s.sendto(b"hello", (host, int(port)))
    return s.recv(100).decode()


def udp_connect(host, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(5)
    s.connect((host, int(port)))
    return talk(s)


def sendmsg(host, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(5)
    s.sendmsg([b"hel", b"lo"], [], 0, (host, int(port)))
    return s.recv(100).decode()


def name_of(path):
    return "\0" + path[1:] if path.startswith("@") else path


def unix(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(name_of(path))
    return talk(s)


def unix_dgram(path):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.sendto(b"hello", name_of(path))
    return "sent"


def make(family, kind):
    socket.socket(int(family), int(kind)).close()
    return "made"


def answer(server):
    def run():
        c, _ = server.accept()
        c.recv(100)
        c.send(b"own")
        c.close()
    threading.Thread(target=run, daemon=True).start()


def loop(host="127.0.0.1"):
    server = socket.socket()
    server.bind((host, 0))
    server.listen(1)
    answer(server)
    s = socket.create_connection(("127.0.0.1", server.getsockname()[1]), 5)
    return talk(s)


def any_address():
    return loop("0.0.0.0")


def own_unix(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(name_of(path))
    server.listen(1)
    answer(server)
    return unix(path)


def serve(log):
    t = socket.socket()
    t.bind(("127.0.0.1", 0))
    t.listen(10)
    port = t.getsockname()[1]
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    u.bind(("127.0.0.1", port))
    serve_on(log, str(port), t, u)


def serve_unix(path, log):
    t = socket.socket(socket.AF_UNIX)
    t.bind(name_of(path))
    t.listen(10)
    u = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    u.bind(name_of(path + ".dgram"))
    serve_on(log, "ready", t, u)


def serve_on(log, first, t, u):
    with open(log + ".new", "w") as f:
        f.write(first + "\n")
    os.rename(log + ".new", log)
    with open(log, "a", buffering=1) as f:
        while True:
            for s in select.select([t, u], [], [])[0]:
                if s is t:
                    c, _ = t.accept()
                    f.write("stream\n")
                    c.settimeout(2)
                    try:
                        c.recv(100)
                        c.send(b"served")
                    except OSError:
                        pass
                    c.close()
                else:
                    _, peer = u.recvfrom(100)
                    f.write("datagram\n")
                    if peer:
                        u.sendto(b"served", peer)


ACTS = {"tcp": tcp, "wait": wait, "nonblock": nonblock, "fastopen": fastopen, "mptcp": mptcp, "udp": udp,
        "udp-connect": udp_connect, "sendmsg": sendmsg, "unix": unix, "unix-dgram": unix_dgram,
        "socket": make, "loop": loop, "any": any_address, "own-unix": own_unix, "serve": serve,
        "serve-unix": serve_unix}

try:
    print("ok", ACTS[sys.argv[1]](*sys.argv[2:]))
except OSError as e:
    print(errno.errorcode.get(e.errno, e))
    sys.exit(1)
