#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ambit starts its own programs by their path. Where those who are held could put something
# else there, it starts none: not for mcp, serve and spawn, nor for one of these behind a line.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
[[ -z ${AMBIT_WITHOUT:-} ]] || skip "$AMBIT_WITHOUT is missing"

mkdir -p bin sub "$OUT/bin"
cp "$AMBIT" "${AMBIT%/*}/ambit-tools" bin
cp "$AMBIT" "${AMBIT%/*}/ambit-tools" "$OUT/bin"
for door in mcp serve "spawn claude sub x"; do
	# shellcheck disable=SC2086 # words
	status 1 bin/ambit $door </dev/null
	complains "where commands of this session can write"
	# shellcheck disable=SC2086
	status 1 "$OUT/bin/ambit" ${door%% *} --write "$OUT" ${door#"${door%% *}"} </dev/null
	complains "where commands of this session can write"
done
# Behind a line: the program is replaced, and the door asked for.
cat >evil <<END
#!/bin/sh
grep Seccomp: /proc/self/status >$OUT/escaped
END
chmod 755 evil
held 0 -- bash -c 'true' # ambit itself, from elsewhere, is as ever
status 0 bin/ambit run --ask deny -- bash -c 'cp evil bin/new && mv bin/new bin/ambit-tools && ! bin/ambit mcp </dev/null'
complains "so it is not started outside of it"
[[ ! -e $OUT/escaped ]] || fail "what the command put there was started outside: $(cat "$OUT/escaped")"
cp "${AMBIT%/*}/ambit-tools" bin
# One that lies elsewhere serves.
status 0 "$OUT/bin/ambit" mcp </dev/null
status 0 "$OUT/bin/ambit" run --ask deny -- "$OUT/bin/ambit" mcp </dev/null

# Whoever decides or answers for the person is guarded, with the files it is given to run: a
# yes for something beside it is none.
mkdir -p "$TEST_DIR/deciders"
for name in judge policy answer script; do
	printf '#!/bin/sh\nexit 1\n' >"$TEST_DIR/deciders/$name"
	chmod 755 "$TEST_DIR/deciders/$name"
done
jq -n --arg d "$TEST_DIR/deciders" '{judge: {command: [($d + "/judge"), ($d + "/script")]},
	policy_program: {command: [($d + "/policy")]}, ask: ("exec:" + $d + "/answer")}' >"$XDG_CONFIG_HOME/ambit/config.json"
for name in judge policy answer script; do
	status 10 "$AMBIT" why write "$TEST_DIR/deciders/$name"
	says Guarded
done
status 10 "$AMBIT" why write "$TEST_DIR/deciders/other"
says Outside
