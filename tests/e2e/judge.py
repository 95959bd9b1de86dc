#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""judge.py HEARD [PORT [CERTIFICATE]]: a judge at an address, good or bad.

Serves chat completions on 127.0.0.1. The first line of HEARD is its port; then each
request is a line of JSON: its path, its key, its body. The first part of the path says
how it judges: see below.
"""
import http.server
import json
import socket
import ssl
import sys
import time

YES = '{"verdict":"allow","reason":"an ordinary file of the project"}'


def said(content, finish="stop", **more):
    return {"choices": [{"index": 0, "finish_reason": finish,
                         "message": {"role": "assistant", "content": content, **more}}]}


def reason(text):
    return said(json.dumps({"verdict": "allow", "reason": text}))


# How it judges -> what it says, as an object, as text, or a function of the handler.
WAYS = {
    "allow": said(YES),
    "pass": said('{"verdict":"pass","reason":"that is for the developer"}'),
    "deny": said('{"verdict":"deny","reason":"no"}'),
    "hedged": reason("this is probably fine"),
    "condition": reason("fine, if the file is a cache"),
    "talks": said("Sure! " + YES),
    "fenced": said("```json\n" + YES + "\n```"),
    "two": said(YES + YES),
    "twice": said('{"verdict":"pass","verdict":"allow","reason":"fine"}'),
    "other": said('{"verdict":"allow","reason":"fine","request":"another one"}'),
    "empty": said(""),
    "long": reason("a" * 301),
    "escapes": reason("fine\x1b]0;owned\x07\x1b[2J"),
    "bidi": reason("fine\u202e"),
    "cut": said(YES, "length"),
    "filtered": said(YES, "content_filter"),
    "calls": said(YES, tool_calls=[{"id": "1", "type": "function"}]),
    "refusal": said(YES, refusal="I would rather not"),
    "person": said(YES, role="user"),
    "error": {**said(YES), "error": {"message": "overloaded"}},
    "choices": {"choices": said(YES)["choices"] * 2},
    "none": {"choices": []},
    "bare": YES,
    "garbage": "<html>it works</html>",
    "half": json.dumps(said(YES))[:-3],
    "bytes": b'{"choices":[{"finish_reason":"stop","message":{"content":"\xff\xfe"}}]}',
    "status": (500, json.dumps(said(YES))),
    "created": (201, json.dumps(said(YES))),
    "huge": {**said(YES), "padding": "x" * 70000},
}


class Judge(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        with open(sys.argv[1], "a") as heard:
            print(json.dumps({"path": self.path, "key": self.headers.get("authorization"),
                              "body": json.loads(body)}), file=heard)
        way = self.path.split("/")[1]
        if way == "slow":
            time.sleep(60)
        elif way == "drip":
            self.drip()
        elif way == "closes":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif way == "redirects":
            self.reply(307, "", [("Location", "/allow/v1/chat/completions")])
        else:
            what = WAYS[way]
            status, what = what if isinstance(what, tuple) else (200, what)
            self.reply(status, json.dumps(what) if isinstance(what, dict) else what)

    def reply(self, status, text, headers=()):
        data = text if isinstance(text, bytes) else text.encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def drip(self):
        """A byte now and then, without end: each read succeeds."""
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # who has gone away does not hear it


def main():
    server = Server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Judge)
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(sys.argv[1], "a") as heard:
        print(server.server_address[1], file=heard)
    server.serve_forever()


main()
