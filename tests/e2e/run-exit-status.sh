#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The exit status is the command's, in the manner of a shell.
. "${0%/*}/line.bash"

held 0 -- true
held 3 -- bash -c 'exit 3'
held 143 -- bash -c 'kill -TERM $$'
held 137 -- bash -c 'kill -KILL $$'
held 139 -- bash -c 'ulimit -c 0; kill -SEGV $$'
held 127 -- ./nothing-here
PATH=/usr/bin:/bin held 127 -- no-such-program-anywhere
complains PATH
echo 'exit 6' >text
held 126 -- ./text
mkdir dir
held 126 -- ./dir
held 124 --timeout 0.3 -- sleep 30
held 0 --timeout 30 -- true
# A script without an interpreter line is what a shell makes of it.
chmod +x text
held 6 -- ./text

# ambit's own failures are 125, and nothing ran.
held 125 --folder "$TEST_DIR/nowhere" -- touch "$OUT/ran"
complains nowhere
held 125 --folder "$P/text" -- touch "$OUT/ran"
held 125 --settings "$P/nothing.json" -- touch ran
held 125 --for nobody -- touch ran
status 125 "$AMBIT" run --ask maybe -- touch ran
held 125 --report "$TEST_DIR/none/report" -- touch ran
[[ ! -e $OUT/ran && ! -e ran ]] || fail "something ran"
# A wrong line is 2.
for wrong in --frob --timeout=x --timeout=0 --timeout=-1 --net=maybe --session=../x \
	--reads=until-first-write --keep-env=A; do
	status 2 "$AMBIT" run "$wrong" -- touch ran
	[[ $errout == 'ambit: '* ]] || fail "$wrong: $errout"
done
[[ ! -e ran ]] || fail "it ran"

# Options end at the first word; the command's own are its own.
held 0 -- echo --help
says --help
held 0 echo --folder / --ask -x
[[ $out == '--folder / --ask -x' ]] || fail "$out"
held 0 --folder "$P" -- bash -c 'printf "%s|" "$@"' _ -- -a ''
[[ $out == '--|-a||' ]] || fail "$out"
# Without a command: the person's shell.
status 4 env SHELL=/bin/bash "$AMBIT" run --ask deny <<<'echo $0; exit 4'
says bash
