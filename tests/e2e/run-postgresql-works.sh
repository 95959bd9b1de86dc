#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Takes long.
# A whole database server inside one session: its files and socket in the folder
# or the socket in /tmp, its memory of either kind, workers that share it.
. "${0%/*}/line.bash"

bin=
found=$(realpath "$(command -v initdb || echo /none)")
for dir in "${found%/*}" /usr/lib/postgresql/*/bin; do
	[[ -x $dir/initdb && -x $dir/pg_ctl && -x $dir/psql ]] && bin=$dir
done
[[ -n $bin ]] || skip "no PostgreSQL here"
[[ $(id -u) -ne 0 ]] || skip "PostgreSQL does not run as root"

cat >serve.sh <<'END'
set -e
"$BIN/initdb" -D "data.$1" -A trust -U me --no-sync -E UTF8 --locale=C
cat >>"data.$1/postgresql.conf" <<EOF
shared_memory_type = $1
dynamic_shared_memory_type = $2
listen_addresses = '127.0.0.1'
port = $4
unix_socket_directories = '$3'
fsync = off
EOF
"$BIN/pg_ctl" -D "data.$1" -l "log.$1" -w start
ask() { "$BIN/psql" -p "$PORT" -U me -d postgres -X -At "$@"; }
PORT=$4
ask -h "$3" -c 'create table t (a int)' -c 'insert into t select generate_series(1, 100000)'
# Workers, which attach to the server's memory.
ask -h "$3" -c 'set max_parallel_workers_per_gather = 2' -c 'set min_parallel_table_scan_size = 0' \
	-c 'set parallel_setup_cost = 0' -c 'set parallel_tuple_cost = 0' -c 'select sum(a) from t' \
	-c 'explain (analyze, costs off, timing off) select sum(a) from t'
ask -h 127.0.0.1 -c 'show shared_memory_type'
"$BIN/pg_ctl" -D "data.$1" -m fast -w stop
# And again, with what the first one left.
"$BIN/pg_ctl" -D "data.$1" -l "log.$1" -w start
ask -h "$3" -c 'select count(*) from t'
"$BIN/pg_ctl" -D "data.$1" -m fast -w stop
echo finished
END
export BIN=$bin
mkdir sock
# A unix socket's path has 107 bytes.
near=/tmp
[[ ${#P} -lt 80 ]] && near=$P/sock
port=$((20000 + RANDOM % 10000))
while read -r memory dynamic at; do
	held 0 -- bash serve.sh "$memory" "$dynamic" "$at" "$port"
	says 5000050000
	says 'Workers Launched: 2'
	says "$memory"
	says finished
	[[ $errout != *ambit:* ]] || fail "$errout"
	[[ ! -e $at/.s.PGSQL.$port ]] || fail "its socket is left"
done <<END
mmap posix $near
sysv sysv /tmp
END
