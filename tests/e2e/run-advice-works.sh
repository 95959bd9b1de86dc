#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The advice at a refusal is a command after which the same is allowed: for each code that has
# one. If no command would allow it, there is no advice.
. "${0%/*}/line.bash"

sessions=0
# refused CODE [OPTION...] -- COMMAND...: it is refused with that code; the advice is in $advice.
refused()
{
	local code=$1
	shift
	sessions=$((sessions + 1))
	options=()
	while [[ $1 != -- ]]; do options+=("$1") && shift; done
	shift
	: >"$TEST_DIR/report"
	"$AMBIT" run --ask deny "${options[@]}" --report "$TEST_DIR/report" -- "$@" 2>"$TEST_DIR/err" &&
		fail "'$*' was not refused"
	[[ $(jq -r '.refusals[0].code' "$TEST_DIR/report") == "$code" ]] ||
		fail "'$*' is not $code: $(cat "$TEST_DIR/report")"
	advice=$(jq -r '[.refusals[].advice] | unique | join("\n")' "$TEST_DIR/report")
}
# helps CODE [OPTION...] -- COMMAND...: refused, then its advice is taken, then it is allowed. One
# command may need several things, each of which it meets only when the one before is open.
helps()
{
	local n
	for ((n = 0; n < 3; n++)); do
		if ((n == 0)); then refused "$@"; elif try "${@:2}"; then return; else refused "${code:-$1}" "${@:2}"; fi
		[[ $advice == *"ambit rules "* ]] || fail "no advice: $(cat "$TEST_DIR/report")"
		while read -r line; do
			grep -qxF "    to allow it: $line" "$TEST_DIR/err" || fail "no '$line' in: $(cat "$TEST_DIR/err")"
			status 0 bash -c "ambit() { \"$AMBIT\" \"\$@\"; }; $line"
		done <<<"$advice"
	done
	try "${@:2}" || fail "still refused: ${*:2}: $(cat "$TEST_DIR/err")"
}
try() { "$AMBIT" run --ask deny "$@" >/dev/null 2>"$TEST_DIR/err"; }
# hopeless CODE [OPTION...] -- COMMAND...: refused, and no command is advised.
hopeless()
{
	refused "$@"
	[[ $advice != *"ambit rules"* ]] || fail "advice that does not help: $advice"
	! grep -q "to allow it: ambit rules" "$TEST_DIR/err" || fail "$(cat "$TEST_DIR/err")"
}

mkdir -p .git/hooks "$OUT/dir" "$OUT/moved" "$OUT/gone" "$OUT/with space"
for file in "$OUT/"{old,mode,from,with-quote\'s} "$OUT/with space/f" inside; do echo x >"$file"; done

# Outside: each way to change something.
helps Outside -- "$CALLS" create "$OUT/new"
helps Outside -- "$CALLS" write "$OUT/old"
helps Outside -- "$CALLS" write "$OUT/with space/f"
# A name that no quotes are safe around is no part of a command.
hopeless Outside -- "$CALLS" write "$OUT/with-quote's"
helps Outside -- "$CALLS" mkdir "$OUT/made"
helps Outside -- "$CALLS" chmod "$OUT/mode" 600
helps Outside -- mv "$OUT/from" "$OUT/to"
helps Outside -- rmdir "$OUT/gone"
helps Outside -- "$CALLS" tmpfile "$OUT/dir"
# Guarded, in the folder, and read and written at once.
helps Guarded -- "$CALLS" create .git/hooks/pre-commit
mkdir -m 700 "$HOME/.gnupg"
echo x >"$HOME/.gnupg/trustdb.gpg"
helps Outside -- bash -c 'exec 3<>"$1"' _ "$HOME/.gnupg/trustdb.gpg"
# Through a link out.
ln -s "$OUT/linked" out
echo x >"$OUT/linked"
helps SymlinkEscape -- "$CALLS" write out
# A person's own no, in the folder and outside.
status 0 "$AMBIT" rules add --no write "$P/inside"
helps Denied -- "$CALLS" write inside
status 0 "$AMBIT" rules add --no write "$OUT/dir"
echo x >"$OUT/dir/f"
code=Outside helps Denied -- "$CALLS" write "$OUT/dir/f"
# A host, by address.
server
helps HostNotAllowed -- "$PYTHON" -B "$HERE/net.py" tcp 127.0.0.1 "$port"

# Refusals that no rule opens: the advice is another way, or empty.
hopeless HostNotAllowed --net none -- "$PYTHON" -B "$HERE/net.py" tcp 127.0.0.1 "$port"
[[ $advice == *"the network is off"* && $advice == *"--net ask"* ]] || fail "net: $advice"
hopeless PlanMode --mode plan -- "$CALLS" write inside
hopeless ReadOnly --read-only -- "$CALLS" write inside
hopeless Protected -- "$CALLS" create "$XDG_CONFIG_HOME/ambit/config.json"
hopeless Outside -- "$CALLS" tmpfile "$HOME"
echo '{"permissions":{"write":"deny"}}' >"$XDG_CONFIG_HOME/ambit/config.json"
hopeless Denied -- "$CALLS" write inside
echo '{"deny_hosts":["127.0.0.1"]}' >"$XDG_CONFIG_HOME/ambit/config.json"
hopeless HostNotAllowed -- "$PYTHON" -B "$HERE/net.py" tcp 127.0.0.1 "$port"
