#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An interactive shell on a terminal begins with one line that says where it may write; a
# script, a pipeline and --quiet do not.
. "${0%/*}/line.bash"

LINE='ambit: this shell may write in ~/project; elsewhere ambit asks'
export PS1='ready$ ' SHELL=/bin/sh HISTFILE=$P/history
# greets LINE ARGUMENTS...: LINE comes once, before the prompt, in at most 80 columns.
greets() {
	local line=$1
	shift
	[[ ${#line} -le 80 ]] || fail "too long: $line"
	person "wait:$line" 'send:echo in-$((40+2))\r' wait:in-42 'send:exit\r' -- "$AMBIT" run "$@"
	[[ $(grep -c '^ambit: this shell' <<<"$out") -eq 1 ]] || fail "not once: $out"
}
silent() { # the command ends by itself, or by `exit`
	person 'send:exit\r' -- "$AMBIT" run "$@"
	[[ $out != *'ambit: this shell'* ]] || fail "$*: $out"
}

greets "$LINE"
for words in sh /bin/sh 'sh -i' bash 'bash -l' 'bash --login' 'bash -il'; do
	read -ra words <<<"$words"
	greets "$LINE" -- "${words[@]}"
done
greets "$LINE" --no-pty -- sh
# It says what holds.
greets 'ambit: this shell may write in ~/project; elsewhere it is refused' --ask deny -- sh
greets 'ambit: this shell may write in ~/project; writes elsewhere are allowed' --ask allow -- sh
greets 'ambit: this shell is in ~/project and may not write anywhere' --read-only -- sh
mkdir $'odd\e[31m'
greets 'ambit: this shell may write in ~/project/odd\\x1b[31m; elsewhere ambit asks' --folder $'odd\e[31m' -- sh
# A shell in a shell. Not where a call is taken away by a filter: no run can start inside then.
[[ -n ${AMBIT_WITHOUT:-} ]] || person "wait:$LINE" "send:\"$AMBIT\" run sh\\r" 'wait:ambit: this shell may write in ~/project; elsewhere it is refused' \
	'send:exit\r' 'send:exit\r' -- "$AMBIT" run -- sh

echo 'echo script' >script
silent -- sh -c 'echo command'
silent -- sh script
silent -- sh -s
silent --quiet -- sh
silent -- cat script
silent -- bash --norc
# No terminal, or not for both.
held 0 -- sh <<<'echo no terminal'
[[ $out == 'no terminal' && -z $errout ]] || fail "$out / $errout"
person 'send:exit\r' -- sh -c '"$1" run -- sh | cat' _ "$AMBIT"
[[ $out != *'ambit: this shell'* ]] || fail "a pipeline: $out"
