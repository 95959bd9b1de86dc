#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Closed descriptors, bad pointers, long and odd names, processes that cannot
# be looked into: natural errors, no crash, nothing written.
. "${0%/*}/line.bash"

for close in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
	eval "status 3 bash -c 'exec \"\$@\" $close' _ \"\$AMBIT\" run --ask deny --quiet -- bash -c 'echo x >closed; exit 3'"
	[[ -s closed ]] || fail "$close"
	rm closed
done
# The descriptors that came closed are still closed for the command.
"$AMBIT" run --ask deny --quiet -- bash -c 'ls -l /proc/self/fd >fds 2>&1' <&- >&-
! grep -q 'record' fds || fail "$(cat fds)"
# Descriptors that the caller left open do not reach the command.
exec 9>"$OUT/nine"
held 1 --quiet -- bash -c 'echo leaked >&9'
exec 9>&-
[[ ! -s $OUT/nine ]] || fail "leaked"

held 1 -- "$CALLS" bad-pointer
[[ $out == EFAULT ]] || fail "$out"
held 1 -- "$CALLS" bad-mkdir
[[ $out == EFAULT ]] || fail "$out"
long=$(printf 'n%.0s' {1..300})
held 1 -- "$CALLS" create "$OUT/$long"
[[ $out == ENAMETOOLONG ]] || fail "$out"
held 1 -- "$CALLS" create "$long"
[[ $out == ENAMETOOLONG ]] || fail "$out"
held 1 -- "$CALLS" create "$OUT/$(printf '%.0s../outside/' {1..500})x"
[[ $out == ENAMETOOLONG ]] || fail "$out"
held 1 -- "$CALLS" create ''
[[ $out == ENOENT ]] || fail "$out"
held 1 -- "$CALLS" create "$OUT/none/x"
[[ $out == ENOENT ]] || fail "$out"
ln -s loop loop
held 1 -- "$CALLS" write loop/x
[[ $out == ELOOP ]] || fail "$out"

# A slash behind a name says that it is a directory, also where calls are performed.
echo keep >file
for call in 'unlink file/' 'rename file new/' 'symlink text new/'; do
	# shellcheck disable=SC2086 # words
	natively=$("$CALLS" $call) && fail "$call works without ambit"
	# shellcheck disable=SC2086
	held 1 -- "$CALLS" $call
	[[ $out == "$natively" ]] || fail "$call: $out, and $natively without ambit"
done
[[ $(<file) == keep && ! -e new && ! -L new ]] || fail "a name with a slash: $(ls -l)"
rm file

# Odd names: shown escaped, never raw.
odd=$'new\nline\e[31m\xff\u202e'
held 1 -- "$CALLS" create "$OUT/$odd"
[[ $errout != *$'\e'* && $errout != *$'\u202e'* ]] || fail "raw: $errout"
complains '\n'
held 0 -- "$CALLS" create "$odd"
[[ -e $odd ]] || fail "inside it is a name like any other"
status 0 "$AMBIT" log verify

# A process that cannot be looked into gets what the floor gives, not more: at
# the top, where guards may lie, nothing.
mkdir sub
held 0 -- "$CALLS" -n create sub/inside
held 1 -- "$CALLS" -n create .envrc
held 1 -- "$CALLS" -n create top
held 1 -- "$CALLS" -n create "$OUT/dark"
held 1 -- "$CALLS" -n chmod "$OUT" 700
status 1 "$AMBIT" run --ask allow --quiet -- "$CALLS" -n create "$OUT/dark"
cp "$CALLS" dark
chmod 111 dark
held 0 -- ./dark create sub/inside2
held 1 -- ./dark create "$OUT/dark"
[[ ! -e $OUT/dark && -e sub/inside && -e sub/inside2 && ! -e .envrc && ! -e top ]] ||
	fail "dark"
# Almost no environment, on either side.
status 0 env -i HOME="$HOME" "$AMBIT" run --ask deny -- /bin/true
held 0 -- env -i /bin/true
