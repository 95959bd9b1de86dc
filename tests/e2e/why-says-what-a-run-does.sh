#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# why, for every operation: what it says is what a command meets. tests/predict compares thousands;
# here are the reasons that people see.
. "${0%/*}/lib.sh"

# says_layer LAYER OPERATION...: the layer that settles it.
says_layer()
{
	local layer=$1
	shift
	"$AMBIT" why --json "$@" >why.json || true
	[[ $(jq -r .layer why.json) == "$layer" ]] || fail "$*: $(jq -r .layer why.json), not $layer"
}

# fails_with ERRNO OPERATION...
fails_with()
{
	local errno=$1
	shift
	"$AMBIT" why --json "$@" >why.json || true
	[[ $(jq -r .fails why.json) == "$errno" ]] || fail "$*: fails is $(jq -r .fails why.json)"
}

mkdir -p sub .git/hooks
echo a >a
ln -s loop loop
mkfifo fifo

# Reasons that are not about the folder have layers of their own.
verdict allow - write /dev/null
says_layer special write /dev/null
verdict allow - write /proc/self/comm
says_layer special write /proc/self/comm
verdict allow - write "/tmp/ambit-why-$$"
says_layer scratch write "/tmp/ambit-why-$$"
if ((EUID == 0)) && [[ -c /dev/console ]]; then # others fail there by themselves
	verdict deny Outside write /dev/console
	says_layer special write /dev/console
fi
status 0 "$AMBIT" run --ask deny --quiet -- sh -c "echo >/dev/null; echo x >/proc/self/comm"
status 0 "$AMBIT" run --ask deny --quiet -- sh -c "echo >/tmp/ambit-why-$$; rm /tmp/ambit-why-$$"

# A path is what the kernel makes of it.
verdict allow - write /proc/self/cwd/a
verdict allow - write sub//..//a
fails_with ENOTDIR read a/
fails_with EISDIR write a/
fails_with EISDIR write sub
fails_with ELOOP read loop/x
fails_with ENOENT delete nothing
fails_with EEXIST mkdir sub
fails_with ENOTDIR write a/x
# A namespace and a pipe have no path to decide about.
verdict allow - read /proc/self/ns/net
[[ $("$AMBIT" why write /dev/stdout) == allow* ]] || fail "a pipe of its own"
status 0 "$AMBIT" run --ask deny --quiet -- sh -c ': </proc/self/ns/net; (echo >/dev/stdout) | cat'

# A file that was granted alone, and its name.
echo x >"$OUT/alone"
verdict allow - --write "$OUT/alone" delete "$OUT/alone"
status 0 "$AMBIT" run --ask deny --quiet --write "$OUT/alone" -- bash -c "rm '$OUT/alone' && echo y >'$OUT/alone'"
[[ $(cat "$OUT/alone") == y ]] || fail "not made anew"
fails_with EXDEV --write "$OUT/alone" link "$OUT/alone" sub/alone

# Every operation.
verdict allow - mkdir sub/new
verdict ask Outside mkdir "$OUT/new"
verdict allow - move a b
fails_with EXDEV move a "$OUT/a"
says_layer special move a "$OUT/a"
mkdir .git/had
fails_with EXDEV move .git/had .git/has # it has rights of its own
says_layer special move .git/had .git/has
fails_with EXDEV move a /proc/x
[[ $("$AMBIT" why --json chmod 600 /dev/stdout | jq -r .layer) == special ]] || fail "a pipe"
verdict ask Guarded move a .git/hooks/pre-commit
verdict allow - link a sub/a
fails_with EXDEV link /etc/passwd sub/passwd
verdict allow - symlink /etc/passwd sub/passwd
verdict ask Guarded symlink ../../x .git/x
verdict allow - chmod 600 a
verdict ask Outside chmod 600 "$OUT"
verdict ask Guarded chmod 755 .git/hooks/x
status 2 "$AMBIT" why chmod rwx a
status 2 "$AMBIT" why move a
status 2 "$AMBIT" why --door mcp chmod 600 a

# The doors differ: tools ask before they read a secret, and read no /proc/self.
verdict deny Unresolvable --door mcp write /proc/self/cwd/a
verdict allow - --door decide move a b
