#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `ambit mcp` and `ambit serve` are in ambit-tools, which lies beside ambit or where it is
# installed from there. Nothing else is run in its place, and what is wrong with it is told
# by name, with what to do.
# Runs once.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

tools=${AMBIT%/*}/ambit-tools
[[ -x $tools ]] || tools=${AMBIT%/*}/../libexec/ambit/ambit-tools
[[ -x $tools ]] || fail "no ambit-tools"
session() { # PROGRAM
	status 0 "$1" serve <<<'{"jsonrpc":"2.0","id":1,"method":"session"}'
	[[ $(jq -r .result.folder <<<"$out") == "$P" ]] || fail "$1 serves not: $out"
}

# Where somebody else might have put one, it is not looked for.
mkdir "$TEST_DIR/alone" "$TEST_DIR/decoys"
cp "$AMBIT" "$TEST_DIR/alone/ambit"
cat >"$TEST_DIR/decoys/ambit-tools" <<END
#!/bin/sh
touch "$TEST_DIR/decoy-ran"
END
chmod 755 "$TEST_DIR/decoys/ambit-tools"
cp "$TEST_DIR/decoys/ambit-tools" "$P/ambit-tools"
ln -s "$TEST_DIR/alone/ambit" "$TEST_DIR/decoys/ambit"
for door in mcp serve; do
	for program in "$TEST_DIR/alone/ambit" "$TEST_DIR/decoys/ambit"; do
		status 1 env PATH="$TEST_DIR/decoys:$PATH" "$program" "$door" </dev/null
		complains "ambit-tools, which has 'mcp', 'serve' and 'spawn', is neither in $TEST_DIR/alone/"
		complains "install ambit again"
	done
done
[[ ! -e $TEST_DIR/decoy-ran ]] || fail "another program was run in its place"

# What is there and cannot be run is not passed over.
echo nothing >"$TEST_DIR/alone/ambit-tools"
status 1 "$TEST_DIR/alone/ambit" serve </dev/null
complains "$TEST_DIR/alone/ambit-tools, which has 'mcp', 'serve' and 'spawn', cannot be run: Permission denied"
printf '#!/no/such/loader\n' >"$TEST_DIR/alone/ambit-tools"
chmod 755 "$TEST_DIR/alone/ambit-tools"
status 1 "$TEST_DIR/alone/ambit" serve </dev/null
complains "cannot be run: No such file"

# One of another version says so, before it says what it does not understand.
status 1 "$tools" serve --tools-version=0.0.0 --no-such-option </dev/null
complains "ambit is version 0.0.0 and ambit-tools"
complains "install both from one build"
cat >"$TEST_DIR/alone/ambit-tools" <<END
#!/bin/sh
printf '%s\n' "\$@"
END
status 0 "$TEST_DIR/alone/ambit" serve --session 'a b' --read-only
[[ $out == "serve
--tools-version=$("$AMBIT" version | cut -d' ' -f2)
--session
a b
--read-only" ]] || fail "it was started with: $out"

# By a link from elsewhere, and as installed.
ln -s "$AMBIT" "$TEST_DIR/link"
session "$TEST_DIR/link"
mkdir -p "$TEST_DIR/usr/bin" "$TEST_DIR/usr/libexec/ambit"
cp "$AMBIT" "$TEST_DIR/usr/bin/ambit"
cp "$tools" "$TEST_DIR/usr/libexec/ambit/ambit-tools"
session "$TEST_DIR/usr/bin/ambit"
status 0 "$TEST_DIR/usr/bin/ambit" serve \
	<<<'{"jsonrpc":"2.0","id":1,"method":"execute","params":{"command":"echo held"}}'
[[ $(jq -r .result.stdout <<<"$out") == held ]] || fail "no bash: $out"
