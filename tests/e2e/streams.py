#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""streams.py tls SHAPE NAME: a TLS request to good.example:443 that asks for NAME ("-": for
none), with its hello in an odd shape. streams.py http PART...: these bytes (escaped as in
Python) to good.example:80; "~MS" waits, "END" closes that half. Prints what came back.

    plain bytes records alert version change data empty hellorequest tls12-... retry
"""
import ctypes
import socket
import ssl
import struct
import sys
import time

PORT = {"tls": 443, "http": 80}


def dial(port):
    s = socket.create_connection(("good.example", port), 5)
    s.settimeout(4)
    return s


def record(kind, version, data):
    return bytes([kind]) + version + struct.pack(">H", len(data)) + data


def shaped(shape, hello, s):
    body, one = hello[5:], b"\3\1"
    if "bytes" in shape:
        for i in range(len(hello)):
            s.sendall(hello[i:i + 1])
            time.sleep(0.001)
        return b""
    if "records" in shape:
        return b"".join(record(22, one, body[i:i + 7]) for i in range(0, len(body), 7))
    if "version" in shape:
        return b"\x16\2\1" + hello[3:]
    front = {"alert": record(21, one, b"\1\x5a"), "change": record(20, b"\3\3", b"\1"), "data": record(23, one, b"x"),
             "empty": record(22, one, b""), "hellorequest": record(22, one, b"\0\0\0\0")}
    for word, data in front.items():
        if word in shape:
            return data + hello
    return hello


def tls(shape, name):
    if shape == "retry":
        return retry(name)
    s = dial(443)
    c = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    c.check_hostname, c.verify_mode = False, ssl.CERT_NONE
    if "tls12" in shape:
        c.maximum_version = ssl.TLSVersion.TLSv1_2
    came, goes = ssl.MemoryBIO(), ssl.MemoryBIO()
    t = c.wrap_bio(came, goes, server_hostname=None if name == "-" else name)
    first, done = True, False
    while not done:
        try:
            t.do_handshake()
            done = True
        except ssl.SSLWantReadError:
            pass
        data = goes.read()
        s.sendall(shaped(shape, data, s) if first else data)
        first = False
        if not done:
            data = s.recv(65536)
            if not data:
                raise OSError("the end")
            came.write(data)
    t.write(b"GET /secret HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % name.encode())
    s.sendall(goes.read())
    while data := s.recv(65536):
        came.write(data)
    return t.read(65536)


def retry(name):
    """A first hello for good.example with a group that the server does not take; the second,
    which it asks for, is for NAME."""
    lib = ctypes.CDLL("libssl.so.3")
    pointer, number = ctypes.c_void_p, ctypes.c_int
    for f in ("TLS_client_method", "SSL_CTX_new", "SSL_new"):
        getattr(lib, f).restype = pointer
    lib.SSL_CTX_new.argtypes = lib.SSL_new.argtypes = lib.SSL_connect.argtypes = [pointer]
    lib.SSL_ctrl.argtypes = [pointer, number, ctypes.c_long, pointer]
    lib.SSL_set_fd.argtypes = [pointer, number]
    lib.SSL_write.argtypes = lib.SSL_read.argtypes = [pointer, ctypes.c_char_p, number]
    told = ctypes.CFUNCTYPE(None, number, number, number, pointer, ctypes.c_size_t, pointer, pointer)
    lib.SSL_set_msg_callback.argtypes = [pointer, told]
    s = dial(443)
    s.settimeout(None)
    t = lib.SSL_new(lib.SSL_CTX_new(lib.TLS_client_method()))
    lib.SSL_ctrl(t, 92, 0, b"P-384:X25519")
    lib.SSL_ctrl(t, 55, 0, b"good.example")
    hellos = []

    def heard(sent, version, kind, data, size, ssl_, arg):
        if kind == 22 and not sent and ctypes.string_at(data, 1) == b"\2":
            hellos.append(size)
            if len(hellos) == 1:
                lib.SSL_ctrl(t, 55, 0, name.encode())
    keep = told(heard)
    lib.SSL_set_msg_callback(t, keep)
    lib.SSL_set_fd(t, s.fileno())
    if lib.SSL_connect(t) != 1:
        raise OSError("no handshake")
    if len(hellos) < 2:
        raise OSError("no retry")
    request = b"GET /secret HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % name.encode()
    lib.SSL_write(t, request, len(request))
    room = ctypes.create_string_buffer(65536)
    return room.raw[:max(0, lib.SSL_read(t, room, 65536))]


def http(*parts):
    s = dial(80)
    for part in parts:
        if part.startswith("~"):
            time.sleep(int(part[1:]) / 1000)
        elif part == "END":
            s.shutdown(socket.SHUT_WR)
        else:
            s.sendall(part.encode().decode("unicode_escape").encode("latin-1"))
    got = b""
    try:
        while data := s.recv(65536):
            got += data
    except TimeoutError:
        pass
    return got


try:
    print("ok", {"tls": tls, "http": http}[sys.argv[1]](*sys.argv[2:]))
except (OSError, ssl.SSLError) as e:
    print("failed:", e)
    sys.exit(1)
