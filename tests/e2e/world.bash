# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For scripts about names and addresses: `. "${0%/*}/world.bash"` in place of
# line.bash. The script then runs in namespaces of its own: a near one, where it
# and ambit are, and a far one with the hosts below, their names and servers
# (world.py), and no way to any real network. A normal user stays who he is, without
# capabilities; root stays root. All of it ends with the script, also if it is killed.
#
#     203.0.113.10 203.0.113.20 203.0.113.30 198.51.100.7     hosts
#     203.0.113.53                    the one that answers about names
#     2001:db8::10 2001:db8::20       hosts by IPv6; $WORLD_V6 is empty where there is none
#     10.9.9.9 fd00::9                private hosts
#     169.254.169.254                 a "metadata" host
#     203.0.113.66                    cannot be reached: told at once
#     any other                       never answers

WORLD_ADDRESSES=(203.0.113.10 203.0.113.20 203.0.113.30 203.0.113.53 198.51.100.7 10.9.9.9 169.254.169.254)
WORLD_ADDRESSES_6=(2001:db8::10 2001:db8::20 fd00::9)

# As it was started: make the namespaces, go in, and give back how the script ended.
world_enter() { # SCRIPT ARGUMENT...
	local into=(--net --mount --pid --fork --kill-child --mount-proc) why status=0
	TEST_DIR=$(realpath "${TEST_DIR:-$(mktemp -d)}")
	export TEST_DIR WORLD=$TEST_DIR/world WORLD_STAGE=make
	# Who is not root has rights over a network only in a user namespace. One that
	# maps him to himself, so that ambit sees a normal user.
	[[ $EUID -eq 0 ]] || into+=(--user "--map-user=$EUID" "--map-group=$(id -g)" --keep-caps)
	why=$(unshare "${into[@]}" true 2>&1) || world_skip "no namespaces here: $why"
	mkdir -p "$WORLD"
	# unshare itself does not listen to SIGTERM.
	trap 'kill -KILL "$world"; wait "$world"; exit 143' TERM INT HUP
	setpriv --pdeathsig KILL unshare "${into[@]}" bash "$(realpath "${BASH_SOURCE[0]}")" "$@" <&0 &
	world=$!
	wait "$world" || status=$?
	exit "$status"
}

world_skip() {
	echo "$*"
	exit 77
}

# The first process in there, with every right over the namespaces. The script is its
# child, and when it ends the kernel ends all others.
world_make() { # SCRIPT ARGUMENT...
	local status=0 drop=() python why
	trap 'exit 143' TERM INT HUP
	PATH=$PATH:/usr/sbin:/sbin
	python=$(command -v /usr/bin/python3 || command -v python3) || world_skip "no python3"
	command -v ip >/dev/null || world_skip "no ip (iproute2)"
	mkdir -p "$WORLD/etc" "$WORLD/home"
	: >"$WORLD/zone"
	: >"$WORLD/heard"
	mkfifo "$WORLD/control" "$WORLD/answer"
	unshare --net --mount "$python" -B "${BASH_SOURCE[0]%/*}/world.py" "$WORLD" \
		"${WORLD_ADDRESSES[@]}" "${WORLD_ADDRESSES_6[@]}" </dev/null >"$WORLD/far.log" 2>&1 &
	export WORLD_FAR=$!
	why=$(world_answer) || world_skip "no far namespace: $why: $(tail -1 "$WORLD/far.log")"
	{
		world_wires "$WORLD_FAR" && world_etc
	} >"$WORLD/make.log" 2>&1 || world_skip "no world here: $(tail -1 "$WORLD/make.log")"
	[[ $EUID -eq 0 ]] || drop=(setpriv --ambient-caps=-all --inh-caps=-all)
	# What bash starts aside would not hear ^C.
	WORLD_STAGE=made "${drop[@]}" env --default-signal=INT,QUIT bash "$@" <&0 &
	wait $! || status=$?
	exit "$status"
}

# The far addresses are all on its end of one wire; it forwards nothing.
world_wires() { # PROCESS-IN-THE-FAR-NAMESPACE
	ip -batch - <<-END || return
		link set lo up
		link add world0 type veth peer name world1 netns $1
		address add 192.0.2.2/24 dev world0
		link set world0 up
	END
	nsenter --target "$1" --net ip -batch - <<-END || return
		link set lo up
		address add 192.0.2.1/24 dev world1
		$(printf 'address add %s/32 dev world1\n' "${WORLD_ADDRESSES[@]}")
		link set world1 up
	END
	ip -batch - <<-END || return
		route add default via 192.0.2.1
		route add unreachable 203.0.113.66
	END
	export WORLD_V6=yes
	nsenter --target "$1" --net ip -batch - <<-END && ip -batch - <<-END || WORLD_V6=
		address add 2001:db8:ffff::1/64 dev world1 nodad
		$(printf 'address add %s/128 dev world1 nodad\n' "${WORLD_ADDRESSES_6[@]}")
	END
		address add 2001:db8:ffff::2/64 dev world0 nodad
		route add default via 2001:db8:ffff::1
	END
}

# How names are looked up is the script's to say. Users may come from anywhere: of
# nsswitch.conf only the line about hosts. Nobody else's cache may answer.
world_etc() {
	echo "nameserver 203.0.113.53" >"$WORLD/etc/resolv.conf"
	printf '%s\n' "127.0.0.1 localhost" "::1 localhost" >"$WORLD/etc/hosts"
	{
		grep -v '^hosts:' /etc/nsswitch.conf
		echo "hosts: files dns"
	} >"$WORLD/etc/nsswitch.conf"
	mount --bind "$WORLD/etc/resolv.conf" /etc/resolv.conf &&
		mount --bind "$WORLD/etc/hosts" /etc/hosts || return
	[[ ! -e /etc/nsswitch.conf ]] || mount --bind "$WORLD/etc/nsswitch.conf" /etc/nsswitch.conf || return
	[[ ! -d /run/nscd ]] || mount -t tmpfs none /run/nscd
}

# What the far side did not do of the last thing it was told.
world_answer() {
	local said="" part
	# When the time is up it may have read half a line.
	until read -r -t 1 part <>"$WORLD/answer"; do
		said+=$part
		kill -0 "$WORLD_FAR" 2>/dev/null || { part="the far side has ended" && break; }
	done
	said+=$part
	[[ $said == ok ]] || { echo "$said" && return 1; }
}

case ${WORLD_STAGE:-} in
'') world_enter "$(realpath "$0")" "$@" ;;
make) world_make "$@" ;;
esac
# Who starts scripts in turn begins anew. And how this machine reaches its own network
# is of no use here.
unset WORLD_STAGE {http,https,ftp,all,no}_proxy {HTTP,HTTPS,FTP,ALL,NO}_PROXY
# shellcheck disable=SC2086 # names
unset ${!PIP_*} ${!npm_config_*} ${!NPM_CONFIG_*} ${!CARGO_*} ${!GIT_*} ${!GOPROXY*}
export GIT_CONFIG_NOSYSTEM=1 PIP_CONFIG_FILE=/dev/null npm_config_globalconfig=/dev/null

# shellcheck source=tests/e2e/line.bash
. "${BASH_SOURCE[0]%/*}/line.bash"
# shellcheck disable=SC2034 # for the scripts
WORLD_CA=$WORLD/ca.pem

# world_start SERVICE...: see the head of world.py: dns http https echo banner udp raw
# ssh git npm pip. A skip, where the programs for it are missing.
world_start() {
	world_tell start "$@"
	[[ ! -e $WORLD/ssh/config ]] || export GIT_SSH_COMMAND="ssh -F $WORLD/ssh/config"
}

# world_far COMMAND...: begins it in the far namespace, with every right there; its
# words are in $WORLD/far.log.
world_far() { world_tell run "$@"; }

world_tell() {
	local why
	why=$(world_ask "$@" 9>"$WORLD/lock") && return
	[[ $why != Missing:* ]] || skip "$*: ${why#*: }"
	fail "the world does not $*: $why: $(tail -3 "$WORLD/far.log")"
}

# One at a time.
world_ask() {
	flock 9
	printf '%s\0' "$@" >"$WORLD/told"
	echo 1<>"$WORLD/control"
	world_answer
}

# world_host [-t TTL] NAME ADDRESS...: it has these too. NAME may be *.something.
world_host() {
	local ttl=60 name address
	if [[ $1 == -t ]]; then
		ttl=$2
		shift 2
	fi
	name=$1
	shift
	for address; do
		case $address in
		*:*) echo "$name AAAA $address ttl=$ttl" ;;
		*) echo "$name A $address ttl=$ttl" ;;
		esac
	done >>"$WORLD/zone"
}

# world_name NAME KIND [ARGUMENT...]: see KINDS in world.py.
#     alias NAME          a CNAME         slow MS        each answer takes so long
#     mute                never answers   gone           NXDOMAIN, as every unknown name
#     broken              SERVFAIL        truncated      the answer comes by TCP only
#     turns ADDRESS...    the next one for each query    huge COUNT     so many addresses
#     TXT TEXT            one word        TYPE65 HEX     any type by number
#     raw HEX             the answer's bytes after the id
world_name() { echo "$*" >>"$WORLD/zone"; }

# world_forget_name NAME: it is unknown again.
world_forget_name() {
	awk -v name="$1" '$1 != name' "$WORLD/zone" >"$WORLD/zone.new"
	mv "$WORLD/zone.new" "$WORLD/zone"
}

# These have new text on standard input. Written in place, for it is mounted.
world_resolv() { cat >"$WORLD/etc/resolv.conf"; }
world_hosts() { cat >"$WORLD/etc/hosts"; }
world_nsswitch() { cat >"$WORLD/etc/nsswitch.conf"; }

# heard [NAME|ADDRESS|PORT]: what the servers saw of it, one thing on a line:
#     dns LOCAL udp|tcp TYPE NAME          unanswered, where nobody answers
#     open LOCAL                           a connection
#     first LOCAL BYTES                    what came first, escaped
#     tls LOCAL sni=NAME                   a handshake ended; or tls-failed LOCAL WHY
#     request LOCAL sni=NAME METHOD host=HOST PATH
#     body LOCAL in=BYTES                  of a request
#     datagram LOCAL in=BYTES TEXT
#     close LOCAL in=BYTES out=BYTES       on the wire, TLS and all
# LOCAL is the far address and port, as 203.0.113.10:443 or [2001:db8::10]:443.
heard() {
	local what=${1:-}
	# Never silence because nobody listens.
	(world_tell settle) || { echo "nobody listens" && return 1; }
	case $what in
	'') cat "$WORLD/heard" ;;
	*[!0-9]*)
		# shellcheck disable=SC2001 # no pattern of bash's
		what=$(sed 's/[][\.*^$+?(){}|]/\\&/g' <<<"$what")
		grep -iE "(^|[ =[])$what(\$|[] :])" "$WORLD/heard" || true
		;;
	*) grep -E "^[^ ]+ [^ ]+:$what( |\$)" "$WORLD/heard" || true ;;
	esac
}
# unheard [NAME|ADDRESS|PORT]: nobody saw anything of it.
unheard() {
	local what
	what=$(heard "$@") || true
	[[ -z $what ]] || fail "heard of ${1:-something}: $what"
}
# world_forget: nothing was heard; nor will be how what is open now ends.
world_forget() { world_tell forget; }

# world_trust: every tool takes the world's certificates.
world_trust() {
	export CURL_CA_BUNDLE=$WORLD_CA SSL_CERT_FILE=$WORLD_CA GIT_SSL_CAINFO=$WORLD_CA
	export REQUESTS_CA_BUNDLE=$WORLD_CA PIP_CERT=$WORLD_CA NODE_EXTRA_CA_CERTS=$WORLD_CA
	export npm_config_cafile=$WORLD_CA CARGO_HTTP_CAINFO=$WORLD_CA
	export PERL_LWP_SSL_CA_FILE=$WORLD_CA
}

# What logs in: ssh "${WORLD_SSH[@]}" NAME COMMAND. git does so by itself.
# shellcheck disable=SC2034
WORLD_SSH=(-F "$WORLD/ssh/config")
