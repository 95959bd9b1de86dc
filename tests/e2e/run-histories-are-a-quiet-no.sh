#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A history in the home is a no of which nobody hears: no question, no line on standard error, none
# in the summary, no refusal in the report. The record and `ambit why` have it. A rule or an option
# opens it, and in the folder it is a file like any other.
# shellcheck source=tests/e2e/once.bash
. "${0%/*}/once.bash"

names=(.bash_history .viminfo.tmp .python_history-04120.tmp .lesshstQ .local/state/bash/history)
mkdir -p "$HOME/.local/state/bash" "$HOME/.local/share/nano"

# Without ambit all of it works.
for name in "${names[@]}"; do
	natural create "$HOME/$name"
	echo old >"$HOME/$name"
done

# Nobody is asked, whoever could be, and the program gets EACCES.
for name in "${names[@]}"; do
	yes 9 "$CALLS" append "$HOME/$name"
	[[ $out == EACCES ]] || fail "$name: $out"
	asked 0
	yes 9 "$CALLS" truncate "$HOME/$name"
	asked 0
	[[ $(cat "$HOME/$name") == old ]] || fail "$name was changed: $(cat "$HOME/$name")"
done
rm "$HOME/.viminfo.tmp"
yes 9 "$CALLS" create "$HOME/.viminfo.tmp"
asked 0
[[ ! -e $HOME/.viminfo.tmp ]] || fail "it was made"

# Nobody hears of it.
held 0 --session silent --report report.json -- bash -c '"$1" append "$2" 2>err; true' _ "$CALLS" "$HOME/.bash_history"
[[ -z $errout && ! -s err ]] || fail "said: $errout; $(cat err)"
jq -e '.refused == 0 and .refusals == []' report.json >/dev/null || fail "$(cat report.json)"
held 0 --fail-on-refusal -- bash -c '"$1" append "$2"; true' _ "$CALLS" "$HOME/.bash_history"
# Beside others it is not counted.
held 0 -- bash -c '"$1" append "$2"; "$1" create "$3"; true' _ "$CALLS" "$HOME/.bash_history" "$OUT/x"
complains 'one thing was refused'
[[ $errout != *bash_history* ]] || fail "said: $errout"
# The record has it, and why says it.
status 0 "$AMBIT" log --session silent
says "$HOME/.bash_history"
status 11 "$AMBIT" why write "$HOME/.bash_history"
says 'histories'
says 'refused without a question'

# Removing one is asked about: no program does that by itself.
yes 0 rm -f "$HOME/.bash_history"
asked 1
[[ -e $HOME/.bash_history ]] || fail "removed"

# Opened by an option or by a rule, with the file by which it is replaced.
held 0 --write "$HOME/.bash_history" -- bash -c 'echo new >>"$1"' _ "$HOME/.bash_history"
[[ $(cat "$HOME/.bash_history") == $'old\nnew' ]] || fail "not opened by --write"
status 0 "$AMBIT" rules add write "$HOME/.viminfo"
echo old >"$HOME/.viminfo"
yes 0 "${STEPS[@]}" "create:$HOME/.viminfo.tmp" "rename:$HOME/.viminfo.tmp:$HOME/.viminfo"
! grep -v 'ok$' <<<"$out" || fail "not opened by a rule: $out"
[[ $(cat "$HOME/.viminfo") == made ]] || fail "it holds: $(cat "$HOME/.viminfo")"
asked 0
yes 0 "$CALLS" append "$HOME/.python_history-04120.tmp"
[[ $out == EACCES ]] || fail "a rule for another one opened it: $out"

# In the folder it is a file like any other.
held 0 -- bash -c 'echo x >.bash_history && echo x >.viminfo'
[[ -s .bash_history && -s .viminfo ]] || fail "not written"

# A shell that a person works in asks nothing when it ends.
before=$(cat "$HOME/.python_history-04120.tmp")
echo old >"$HOME/.bash_history"
yes 9 env HISTFILE="$HOME/.bash_history" bash --norc -ic 'history -s one; history -a; history -w; echo done'
[[ $out == "done" ]] || fail "it said: $out"
asked 0
[[ $(cat "$HOME/.bash_history") == old && $(cat "$HOME/.python_history-04120.tmp") == "$before" ]] || fail "written"
