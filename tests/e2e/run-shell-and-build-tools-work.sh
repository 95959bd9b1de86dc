#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make, gcc, tar, rsync, sqlite3, a static binary: they work inside, and nothing
# is refused.
. "${0%/*}/line.bash"

calm() { [[ $errout != *ambit:* ]] || fail "$errout"; }
have() { command -v "$1" >/dev/null; }
if have gcc && have make; then
	mkdir src
	printf 'int add(int a, int b) { return a + b; }\n' >src/add.c
	printf 'int add(int, int);\nint main(void) { return add(40, 2) != 42; }\n' >src/main.c
	printf 'prog: src/add.o src/main.o\n\t$(CC) -o $@ $^\nsrc/%%.o: src/%%.c\n\t$(CC) -g -c $< -o $@\n' >Makefile
	held 0 -- make -j2
	calm
	held 0 -- ./prog
	if gcc -static -o static src/add.c src/main.c 2>/dev/null; then held 0 -- ./static; fi
	if have gdb; then
		held 0 -- gdb -nx -q -batch -ex 'break add' -ex run -ex 'set var a=41' -ex 'set var b=1' -ex cont ./prog
		calm
		says 'exited normally'
	fi
	if have strace; then
		held 0 -- strace -f -o trace -e trace=openat,execve sh -c 'cat Makefile >copy; true'
		calm
		grep -q 'copy' trace || fail "strace saw nothing"
	fi
fi
mkdir -p tree/sub
for i in $(seq 50); do echo "$i" >"tree/sub/f$i"; done
ln -s f1 tree/sub/l
held 0 -- bash -c 'tar czf t.tgz tree && mkdir x && tar xzf t.tgz -C x && diff -r tree x/tree'
calm
if have rsync; then
	held 0 -- bash -c 'rsync -a --delete tree/ y/ && echo more >>tree/sub/f1 && rsync -a tree/ y/ && diff -r tree y'
	calm
fi
if have sqlite3; then
	held 0 -- bash -c 'sqlite3 db "pragma journal_mode=wal; create table t(a); insert into t values (1),(2)" && sqlite3 db "select sum(a) from t"'
	calm
	says 3
fi
held 0 -- bash -c 'sed -i s/1/one/ tree/sub/f1; find tree -name "f2*" -delete; xargs -n 5 echo <<<"a b c" >o; mktemp >/dev/null; sort -o o o; (ulimit -n 64; ls >/dev/null)'
calm
