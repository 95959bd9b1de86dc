#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The two example harnesses, built and run against what `make install` put in
# place: what is inside is written, what is outside is refused or asked about,
# and the record holds it.
. "${0%/*}/lib.sh"

[[ -n ${AMBIT_STAGE:-} ]] || skip "nothing is installed (AMBIT_STAGE)"
command -v cc >/dev/null || skip "no compiler"
command -v python3 >/dev/null || skip "no python3"
examples=$(cd "${0%/*}/../../examples" 2>/dev/null && pwd) || examples=$AMBIT_SOURCE/examples
export PKG_CONFIG_PATH=$AMBIT_STAGE/lib/pkgconfig LD_LIBRARY_PATH=$AMBIT_STAGE/lib
export AMBIT=$AMBIT_STAGE/bin/ambit

# build NAME: with the packages that the example itself names.
build() {
	local packages
	packages=$(sed -n 's/.*pkg-config --cflags --libs \([^)]*\)).*/\1/p' "$examples/$1.c")
	[[ -n $packages ]] || fail "$1.c does not say how to build it"
	# shellcheck disable=SC2046,SC2086 # words are meant
	cc -Wall -Wextra -Werror -o "$TMPDIR/$1" "$examples/$1.c" $(pkg-config --cflags --libs $packages)
}
build tiny
tiny() { "$TMPDIR/tiny" "$P" "$STATE" "$@"; }

status 0 tiny deny inside.txt hello
says "wrote inside.txt"
[[ $(cat inside.txt) == hello ]] || fail "inside.txt was not written"

echo old >"$OUT/f"
status 1 tiny deny "$OUT/f" new
says '"code":"Outside"'
[[ $(cat "$OUT/f") == old ]] || fail "a refused write happened"

ln -s "$OUT" leaves
status 1 tiny allow leaves/f new
says '"code":"SymlinkEscape"'
[[ $(cat "$OUT/f") == old ]] || fail "a write through a symlink happened"

# A program that answers; kept where the folder is not.
mkdir -m 755 "$TEST_DIR/answers"
cat >"$TEST_DIR/answers/yes" <<'END'
#!/bin/sh
cat >"${0%/*}/question"
echo '{"answer":"file"}'
END
chmod 755 "$TEST_DIR/answers/yes"
status 0 tiny "exec:$TEST_DIR/answers/yes" "$OUT/f" new
[[ $(cat "$OUT/f") == new ]] || fail "an approved write did not happen"
jq -e '.choices[] | select(.answer == "file") | .stores | contains("this session")' \
	"$TEST_DIR/answers/question" >/dev/null || fail "the question does not say what is stored"

cat >"$P/mine" <<'END'
#!/bin/sh
echo '{"answer":"once"}'
END
chmod 755 "$P/mine"
status 1 tiny "exec:$P/mine" "$OUT/f" newer
complains "approver"
[[ $(cat "$OUT/f") == new ]] || fail "a program inside the folder said yes"

# A tool of the harness' own: the same line, and what is outside stays as it is.
build tool
tool() { "$TMPDIR/tool" "$P" "$STATE" "$@"; }
status 0 tool deny deep/down/loud.txt hello
says "shouted into deep/down/loud.txt"
[[ $(cat deep/down/loud.txt) == HELLO ]] || fail "the tool did not write"
status 1 tool deny "$OUT/f" hello
says '"error":"Outside"'
status 1 tool allow leaves/f hello
says '"error":"SymlinkEscape"'
[[ $(cat "$OUT/f") == new ]] || fail "a tool of the harness' own wrote outside"
status 0 tool "exec:$TEST_DIR/answers/yes" "$OUT/g" hello
[[ $(cat "$OUT/g") == HELLO ]] || fail "an approved call of the tool did nothing"
echo '{"permissions":{"shout":"deny"}}' >.ambit.json
status 1 tool allow loud.txt hello
says '"error":"Denied"'
[[ ! -e loud.txt ]] || fail "a tool that is denied wrote"
rm .ambit.json

cat >"$TMPDIR/calls" <<END
{"tool":"write","args":{"file_path":"a.txt","content":"from python"}}
{"tool":"read","args":{"file_path":"a.txt"}}
{"tool":"write","args":{"file_path":"$OUT/f","content":"x"}}
{"tool":"bash","args":{"command":"echo hi"}}
END
status 0 setsid -w python3 "$examples/harness.py" "$P" <"$TMPDIR/calls"
says "from python"
says '"error": "Denied"'
[[ $(cat a.txt) == "from python" ]] || fail "a.txt was not written"
[[ $(cat "$OUT/f") == new ]] || fail "the harness wrote outside"

status 0 "$AMBIT" log verify
status 0 "$AMBIT" log --json --kind result
[[ $(wc -l <<<"$out") -ge 2 ]] || fail "results are not recorded: $out"
