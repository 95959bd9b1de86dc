#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs as a user.
# A question is four lines: what, who with the programs that lead to it, why, and the answers. What
# an answer opens is what its words say: this file, this folder, for the session or for good.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

mkdir -p "$HOME/data/sub" .git/hooks
cat >agent.sh <<'END'
bash -c '"$0" append "$1" && echo WROTE || echo NOT-WRITTEN; true' "$CALLS" "$1"
true
END
cat >twice.sh <<'END'
for file; do "$CALLS" append "$file" || echo "NO-${file##*/}"; done
echo OVER
END
export CALLS
echo old | tee "$HOME/data/one" "$HOME/data/two" >"$HOME/data/sub/three"

# Without ambit it is written.
bash agent.sh "$HOME/data/one" | grep -q WROTE || fail "cannot be written without ambit either"

# The text, in a window of 80 columns and, the same words, in one of 40.
person -s 24x80 'wait:ambit> ' send:n wait:NOT-WRITTEN -- "$AMBIT" run --quiet -- bash agent.sh "$HOME/data/one"
[[ ${out//$'\r'/} == *$'\nambit  write ~/data/one
       by calls (bash > calls); outside ~/project
       y once   s this file, this session   d all of ~/data, this session
       n no     a always in this project...   ? more               Enter = no
ambit> n
refused\n'* ]] || fail "$out"
person -s 24x40 'wait:ambit> ' send:n wait:NOT-WRITTEN -- "$AMBIT" run --quiet -- bash agent.sh "$HOME/data/one"
[[ ${out//$'\r'/} == *$'\nambit  write ~/data/one
       by calls (bash > calls);'* ]] || fail "$out"
[[ ! $(tr -d '\r' <<<"$out" | grep -E '^(ambit|   ) ' | awk 'length > 39') ]] || fail "too wide: $out"
[[ $(wc -l <"$HOME/data/one") -eq 2 ]] || fail "a no wrote"

# s: this file and no other.
person 'wait:~/data/one' 'wait:ambit> ' send:s 'wait:~/data/two' 'wait:ambit> ' send:n wait:NO-two wait:OVER -- \
	"$AMBIT" run --quiet -- bash twice.sh "$HOME/data/one" "$HOME/data/one" "$HOME/data/two"
[[ $(wc -l <"$HOME/data/one") -eq 4 && $(cat "$HOME/data/two") == old ]] || fail "not this file alone"
# d: the folder and what is beneath it.
person 'wait:ambit> ' send:d wait:OVER -- \
	"$AMBIT" run --quiet -- bash twice.sh "$HOME/data/two" "$HOME/data/sub/three"
[[ $(wc -l <"$HOME/data/two") -eq 2 && $(wc -l <"$HOME/data/sub/three") -eq 2 ]] || fail "not the folder"
# It is the one that the file lies in, not one above it.
person 'wait:d all of ~/data/sub, this session' 'wait:ambit> ' send:d 'wait:~/data/two' 'wait:ambit> ' send:n wait:NO-two wait:OVER -- \
	"$AMBIT" run --quiet -- bash twice.sh "$HOME/data/sub/three" "$HOME/data/two"
[[ $(wc -l <"$HOME/data/sub/three") -eq 3 && $(wc -l <"$HOME/data/two") -eq 2 ]] || fail "not the file's own folder"
# With + and -, which count only behind ?: the folder that is offered then.
echo old >"$HOME/data/wide"
person 'wait:ambit> ' send:+ 'wait:one of these keys, please: y s d n a ?' 'wait:ambit> ' 'send:?' 'wait:+ d and a offer' \
	'wait:ambit> ' send:+ 'wait:d all of ~/data, this session' 'wait:ambit> ' send:d wait:OVER -- \
	"$AMBIT" run --quiet -- bash twice.sh "$HOME/data/sub/three" "$HOME/data/wide"
[[ $(wc -l <"$HOME/data/sub/three") -eq 4 && $(wc -l <"$HOME/data/wide") -eq 2 ]] || fail "not the wider folder"

# a: for good, as wide as the second key says. Another key goes back; Enter is a no.
person 'wait:ambit> ' send:a 'wait:always in ~/project:  s this file   d all of ~/data' 'wait:ambit> ' 'send:\r' \
	wait:NO-two wait:OVER -- "$AMBIT" run --quiet -- bash twice.sh "$HOME/data/two"
person 'wait:ambit> ' send:a 'wait:always in ' 'wait:ambit> ' send:y 'wait:y once' 'wait:ambit> ' send:a \
	'wait:always in ' 'wait:ambit> ' send:s wait:OVER -- "$AMBIT" run --quiet -- bash twice.sh "$HOME/data/two"
held 0 -- "$CALLS" append "$HOME/data/two"
held 1 -- "$CALLS" append "$HOME/data/one"
[[ $(wc -l <"$HOME/data/two") -eq 4 && $(wc -l <"$HOME/data/one") -eq 4 ]] || fail "not this file for good"

# A guard: its danger in capitals, and no folder, whatever is pressed.
natural create "$P/.git/hooks/pre-commit"
rm .git/hooks/pre-commit
PERSON_STATUS=1 person 'wait:write .git/hooks/pre-commit' 'wait:RUNS AS YOU at your next git commit' \
	'wait:inside ~/project, guarded' 'wait:y once   s this file, this session' 'wait:ambit> ' send:d \
	'wait:one of these keys, please: y s n a ?' 'wait:ambit> ' send:n \
	-- "$AMBIT" run --quiet -- "$CALLS" create "$P/.git/hooks/pre-commit"
[[ ! -e .git/hooks/pre-commit ]] || fail "a key that is not offered wrote"

# A name that a program made up.
mkdir "$HOME/more"
echo old >"$HOME/more/edited"
person 'wait:write a new file in ~/more, sed'\''s temporary' \
	'wait:by sed; outside ~/project; replaces one file there' 'wait:ambit> ' 'send:?' 'wait:/more/sed' \
	'wait:ambit> ' send:y -- "$AMBIT" run --quiet -- sed -i s/old/new/ "$HOME/more/edited"
[[ $(cat "$HOME/more/edited") == new ]] || fail "not edited"
# Styles are for those who have them: without, the text is the same.
for styled in '' 1; do
	NO_COLOR=$styled TERM=xterm PERSON_STATUS=1 person 'wait:RUNS AS YOU' 'wait:ambit> ' send:n \
		-- "$AMBIT" run --quiet -- "$CALLS" create "$P/.git/hooks/pre-commit"
	[[ $out == *$'\e[1;31mRUNS AS YOU at your next git commit\e[0m'* || $styled ]] || fail "no red: $out"
	[[ $out != *$'\e[1'* || ! $styled ]] || fail "styles in spite of NO_COLOR: $out"
done
# A letter that passes for another.
PERSON_STATUS=1 person 'wait:(not plain letters: U+0430)' 'wait:ambit> ' send:n \
	-- "$AMBIT" run --quiet -- "$CALLS" create "$HOME/data/p"$'\u0430'"y"

# x, which counts only behind ?: no, and the run ends, whatever else it does.
PERSON_STATUS=143 person 'wait:ambit> ' send:x 'wait:one of these keys' 'wait:ambit> ' 'send:?' 'wait:x no, and stop the run' \
	'wait:ambit> ' send:x 'wait:refused, and the run is stopped' \
	-- "$AMBIT" run --quiet -- bash -c 'sleep 1000 & echo x >~/data/stopped; wait'
[[ ! -e $HOME/data/stopped ]] || fail "written, and stopped"
