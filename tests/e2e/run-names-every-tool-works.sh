#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Takes long.
# Every tool works unmodified against hosts that are allowed by name: by libc's resolver, by
# its own, by TLS, by ssh. First without ambit. What is not installed is left out.
. "${0%/*}/world.bash"

world_start dns http https echo npm pip git
# ssh wants its user to have a name.
if id -un >/dev/null 2>&1 && (world_start ssh); then
	world_start ssh
else
	echo "left out: ssh"
fi
world_trust
world_host good.example 203.0.113.10
world_host other.example 203.0.113.20
for name in git npm pip; do
	world_host $name.example 203.0.113.30
done
have() { command -v "$1" >/dev/null || { echo "left out: no $1" && return 1; }; }

tools=()
tool() { # NAME PROGRAM, and then what to do, on standard input
	have "$2" || return 0
	tools+=("$1")
	cat >"$TEST_DIR/$1.sh"
}

# Each tool in its own directory and at once with the others; how it ended is in a file.
export PYTHON WORLD
work() { # COMMAND...
	local name
	rm -rf "${P:?}"/* "$TEST_DIR"/*.done
	for name in "${tools[@]}"; do
		mkdir "$P/$name"
		(
			cd "$P/$name"
			"$@" bash -euo pipefail "$TEST_DIR/$name.sh" >"$TEST_DIR/$name.log" 2>&1 </dev/null
			touch "$TEST_DIR/$name.done"
		) &
	done
	wait
	for name in "${tools[@]}"; do
		grep '^left out' "$TEST_DIR/$name.log" || true
		[[ -e $TEST_DIR/$name.done ]] || fail "${1##*/}: $name: $(tail -20 "$TEST_DIR/$name.log")"
		[[ $1 == env ]] || ! grep 'connect .* was refused' "$TEST_DIR/$name.log" || fail "$name: refused"
	done
}

tool java java <<'END'
cat >Fetch.java <<'JAVA'
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.security.*;
import java.security.cert.*;
import javax.net.ssl.*;
public class Fetch {
	public static void main(String[] a) throws Exception {
		KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
		store.load(null, null);
		store.setCertificateEntry("world", CertificateFactory.getInstance("X.509").generateCertificate(new FileInputStream(a[0])));
		TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
		trust.init(store);
		SSLContext tls = SSLContext.getInstance("TLS");
		tls.init(null, trust.getTrustManagers(), null);
		HttpClient client = HttpClient.newBuilder().sslContext(tls).build();
		System.out.print(client.send(HttpRequest.newBuilder(URI.create("https://good.example/java")).build(),
			HttpResponse.BodyHandlers.ofString()).body());
	}
}
JAVA
java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC Fetch.java "$WORLD/ca.pem" | grep "sni=good.example"
END
tool go go <<'END'
cat >main.go <<'GO'
package main

import (
	"fmt"
	"net"
)

func main() {
	c, err := net.Dial("tcp", "good.example:7")
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(c, "from go")
	b := make([]byte, 100)
	n, _ := c.Read(b)
	fmt.Println(string(b[:n]))
}
GO
GO111MODULE=off CGO_ENABLED=0 GOFLAGS= go run main.go | grep "from go"
END
tool npm npm <<'END'
npm install --registry=https://npm.example/npm/ --no-audit --no-fund --no-update-notifier tiny
node -e 'if (require("tiny") !== "tiny") process.exit(1)'
END
tool pip "$PYTHON" <<'END'
"$PYTHON" -m pip --version || { echo "left out: no pip" && exit; }
"$PYTHON" -m pip install --disable-pip-version-check --no-cache-dir --index-url https://pip.example/simple/ --target lib tiny
PYTHONPATH=lib "$PYTHON" -c 'import tiny; assert tiny.size == 1'
END
tool cargo cargo <<'END'
cargo --version || { echo "left out: a cargo that does not work" && exit; }
cat >Cargo.toml <<'CARGO'
[package]
name = "own"
version = "1.0.0"
[lib]
path = "lib.rs"
[dependencies]
tiny = { git = "https://git.example/git/tiny.git" }
CARGO
touch lib.rs
cargo fetch
END
tool node node <<'END'
cat >all.js <<'NODE'
const dns = require("dns"), http = require("http"), https = require("https")
const body = (m, url) => new Promise((ok, no) => m.get(url, r => {
	let text = ""
	r.on("data", d => { text += d }).on("end", () => ok(text))
}).on("error", no))
const must = (text, part) => { if (!text.includes(part)) throw new Error(text) }
const all = async () => {
	must(await body(http, "http://good.example/"), "local=203.0.113.10:80")
	must(await body(https, "https://good.example/"), "sni=good.example")
	if (globalThis.fetch) must(await (await fetch("https://other.example/")).text(), "sni=other.example")
	must((await dns.promises.resolve4("good.example")).join(), "203.0.113.10")
	must((await dns.promises.lookup("good.example")).address, "203.0.113.10")
}
all().then(() => process.exit(0), e => { console.error(e); process.exit(1) })
NODE
node all.js
END
tool python "$PYTHON" <<'END'
cat >all.py <<'PYTHON'
import asyncio, urllib.request
assert b"sni=good.example" in urllib.request.urlopen("https://good.example/").read()
try:
    import requests
    assert "sni=other.example" in requests.get("https://other.example/").text
except ImportError:
    print("left out: no requests")
async def talk():
    r, w = await asyncio.open_connection("good.example", 7)
    w.write(b"async\n")
    assert await r.readline() == b"async\n"
    w.close()
asyncio.run(talk())
PYTHON
"$PYTHON" all.py
END
tool git git <<'END'
git clone -q https://git.example/git/tiny.git by-https
[[ -e $WORLD/ssh/config ]] || exit 0
git clone -q "ssh://git.example$WORLD/git/tiny.git" by-ssh
cmp by-https/README by-ssh/README
cd by-https
git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m more
git push -q origin main
cd ../by-ssh
git pull -q
git log --format=%s | grep more
END
tool ssh ssh <<'END'
[[ -e $WORLD/ssh/config ]] || exit 0
ssh -F "$WORLD/ssh/config" good.example 'echo over; cat' </dev/null | grep over
echo sent | ssh -F "$WORLD/ssh/config" 203.0.113.20 cat | grep sent
END
tool wget wget <<'END'
wget -q -O - --ca-certificate="$WORLD/ca.pem" https://good.example/ | grep sni=good.example
END
tool perl perl <<'END'
perl -MIO::Socket::INET -e '
	my $s = IO::Socket::INET->new(PeerAddr => "good.example", PeerPort => 80) or die "$@";
	print $s "GET /perl HTTP/1.0\r\nHost: good.example\r\n\r\n";
	local $/; die unless <$s> =~ m{path=/perl};'
perl -MLWP::UserAgent -MLWP::Protocol::https -e 1 || { echo "left out: no LWP" && exit; }
perl -MLWP::UserAgent -e '
	my $r = LWP::UserAgent->new->get("https://good.example/lwp"); die $r->as_string unless $r->content =~ m{sni=good.example}'
END
tool busybox busybox <<'END'
busybox wget -q -O - http://good.example/busybox | grep path=/busybox
busybox nslookup good.example 203.0.113.53 | grep 203.0.113.10
END
tool musl musl-gcc <<'END'
cat >client.c <<'C'
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
int
main(void)
{
	struct addrinfo *a, hints = { .ai_socktype = SOCK_STREAM };
	char text[100] = "";
	if (getaddrinfo("good.example", "7", &hints, &a))
		return 2;
	int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
	if (connect(fd, a->ai_addr, a->ai_addrlen) || write(fd, "from musl", 9) != 9 || read(fd, text, 99) != 9)
		return 3;
	return puts(text) < 0;
}
C
musl-gcc -static -o client client.c
./client | grep "from musl"
END

work env
allowed=(--allow-host 203.0.113.20)
for name in good other git npm pip; do
	allowed+=(--allow-host "$name.example")
done
mkdir -p "$HOME"/{.npm,.cache,.config,.cargo,go,.ssh}
work "$AMBIT" run --ask deny "${allowed[@]}" --write "$HOME/.npm" --write "$HOME/.cache" --write "$HOME/.config" \
	--write "$HOME/.cargo" --write "$HOME/go" --write "$HOME/.ssh" --write "$WORLD/git" --
