#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs as a user.
# Takes long.
# Two names share one address, and one is allowed. Whatever a stream to that address says,
# in whatever shape, its server never hears of the other name; in good shape the allowed one
# is served. Each shape reaches the other name without ambit, where the server takes it.
. "${0%/*}/world.bash"

world_start dns
world_host good.example 203.0.113.10
world_host evil.example 203.0.113.10
world_host third.example 203.0.113.20
# Servers that take much: Go's and OpenSSL's ways are tried where they are; Python's is here.
mkdir -p "$WORLD/lenient"
cat >"$WORLD/lenient/tls.cnf" <<-END
	openssl_conf = a
	[a]
	ssl_conf = b
	[b]
	system_default = c
	[c]
	Groups = X25519
END
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$WORLD/lenient/key" \
	-out "$WORLD/lenient/cert" -subj /CN=world -days 2 2>/dev/null
cat >"$WORLD/lenient/serve.py" <<'END'
import http.server, socketserver, ssl, sys, threading
where = sys.argv[1]
log = open(where + "/heard", "a", buffering=1)
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        log.write(f"{self.command} {self.headers.get('Host')} {self.path}\n")
        self.send_response(200); self.send_header("Content-Length", "3"); self.end_headers(); self.wfile.write(b"ok\n")
    do_HEAD = do_POST = do_CONNECT = do_GET
    def __getattr__(self, name): # any method at all, as wsgiref has it
        if name.startswith("do_"): return self.do_GET
        raise AttributeError(name)
    def log_message(self, *a): pass
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    def handle_error(self, *a): pass
plain, tls = Server(("203.0.113.10", 80), Handler), Server(("203.0.113.10", 443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(where + "/cert", where + "/key")
context.sni_callback = lambda s, name, c: log.write(f"sni {name}\n") and None
tls.socket = context.wrap_socket(tls.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=plain.serve_forever, daemon=True).start()
open(where + "/up", "w").close()
tls.serve_forever()
END
world_far env OPENSSL_CONF="$WORLD/lenient/tls.cnf" "$PYTHON" -B "$WORLD/lenient/serve.py" "$WORLD/lenient"
eventually test -e "$WORLD/lenient/up"

other() { grep -aE 'evil|third|secret' "$WORLD/lenient/heard" || true; }
clear() { : >"$WORLD/lenient/heard"; }
say() { "$PYTHON" -B "$HERE/streams.py" "$@"; }
behind() { "$AMBIT" run --ask deny --quiet --allow-host good.example -- "$PYTHON" -B "$HERE/streams.py" "$@" >"$TEST_DIR/.out" 2>&1 || true; }

# reaches ARGUMENT...: it reaches the other name without ambit; then not behind it.
reaches() {
	clear
	say "$@" >/dev/null || true
	[[ -n $(other) ]] || fail "without ambit it does not reach the other name either: $*"
	keeps "$@"
}
# What no server here takes is still not passed on.
keeps() {
	clear
	behind "$@"
	[[ -z $(other) ]] || fail "$*: heard $(other); $(cat "$TEST_DIR/.out")"
}
serves() {
	clear
	behind "$@"
	grep -q '^ok' "$TEST_DIR/.out" || fail "$*: $(cat "$TEST_DIR/.out")"
	grep -q good.example "$WORLD/lenient/heard" || fail "$*: not heard"
}

for shape in plain bytes records tls12 retry; do
	serves tls "$shape" good.example
	reaches tls "$shape" evil.example
done
reaches tls plain -
for shape in alert version change data empty hellorequest tls12-alert tls12-version; do
	keeps tls "$shape" evil.example
done

good='GET / HTTP/1.1\r\nHost: good.example\r\n'
evil='GET /secret HTTP/1.1\r\nHost: evil.example\r\n\r\n'
serves http "$good\r\n" END
serves http "$good\r\n$good\r\n" END
serves http 'GET / HT' ~300 'TP/1.1\r\nHost: good.ex' ~300 'ample\r\n\r\n' END
serves http 'POST / HTTP/1.1\r\nHost: good.example\r\nContent-Length: 0\r\n\r\n' END
reaches http "$evil" END
keeps http '\r\n\r\n'"$evil" END
reaches http "$good\r\n$evil" END
reaches http "$good\r\n" ~300 "$evil" END
reaches http 'get / HTTP/1.1\r\nHost: good.example\r\n\r\n'"$evil" END
reaches http 'GET /secret HTTP/1.1' ~400 '\r\nHost: evil.example\r\n\r\n' END
reaches http 'GET /secret HTTP/1.1\r\nHost: evil.example\r\n' END
reaches http '\xa0'"$evil" END
for method in 'P=ST' '\0POST' '\xffPOST' 'PO(T' '{POST' '\x16POST' '\x80'; do
	reaches http "$method"' /secret HTTP/1.1\r\nHost: evil.example\r\n\r\n' END
	reaches http "$method" ~300 ' /secret HTTP/1.1\r\nHost: evil.example\r\n\r\n' END
done
keeps http 'PROXY TCP4 203.0.113.1 203.0.113.10 1 80\r\n'"$evil" END
keeps http '\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\x01\x01\x01\x01\x02\x02\x02\x02\0\1\0\x50'"$evil" END
reaches http '\x1c'"$evil" END
reaches http "${good}Content-Length: 60\r\n\r\n$evil" END
reaches http "DELETE / HTTP/1.1\r\nHost: good.example\r\nContent-Length: 48\r\n\r\n$evil" END
reaches http "CONNECT good.example:80 HTTP/1.1\r\nHost: good.example:80\r\n\r\n$evil" END
reaches http "${good}Connection: upgrade\r\nUpgrade: foo\r\n\r\n$evil" END
reaches http "${good}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n" ~200 "$evil" END
reaches http "${good}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n" ~200 '\x81PO' ~200 'ST /secret HTTP/1.1\r\nHost: evil.example\r\n\r\n' END
keeps http "${good}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n" ~200 '{' ~200 '\r\n'"$evil" END
reaches http 'GET http://evil.example/secret HTTP/1.1\r\nHost: evil.example\r\n\r\n' END
reaches http 'GET /secret HTTP/1.0\r\n\r\n' END
reaches http 'GET /secret\tHTTP/1.1\r\nHost: evil.example\r\n\r\n' END
keeps http "${good}Host: evil.example\r\n\r\n" END
keeps http 'GET http://evil.example/secret HTTP/1.1\r\nHost: good.example\r\n\r\n' END
keeps http "${good}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n$evil" END
keeps http "${good}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n$evil" END
keeps http "POST / HTTP/1.1\r\nHost: good.example\r\nTransfer-Encoding: chunked\r\n\r\n0\n\n$evil" END
keeps http 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' END

# What disagrees is recorded by the name that it said.
held 1 --session told --allow-host good.example -- "$PYTHON" -B "$HERE/streams.py" tls plain evil.example
complains "connect evil.example:443 was refused (HostNotAllowed): the connection was allowed for good.example, but asks for evil.example"
status 0 "$AMBIT" log --session told
says "evil.example:443"
# Once, also where a rule says no.
"$AMBIT" rules add connect evil.example --no >/dev/null
held 1 --session ruled --allow-host good.example -- "$PYTHON" -B "$HERE/streams.py" tls plain evil.example
status 0 "$AMBIT" log --session ruled --verdict deny --json
[[ $(jq -s 'flatten | length' <<<"$out") -eq 1 ]] || fail "not one refusal: $out"
"$AMBIT" rules revoke "$("$AMBIT" rules | awk '/evil.example/ { print $1 + 0; exit }')" >/dev/null
# Both allowed: then it is a connection to that one, where that leads.
held 0 --allow-host good.example --allow-host evil.example -- "$PYTHON" -B "$HERE/streams.py" tls plain evil.example
