# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scripts about real coding agents: `. "${0%/*}/agent.bash"`, then the agent's settings,
# then `measure_agent`. On top of watch.bash: a scripted model (model.js), an MCP server
# (notes-mcp.js), and a task whose every step is judged by its effect. The agent does it without
# ambit; then behind the line with a program that answers, twice; then on a screen of tmux, twice,
# the second time with `ambit watch` beside it; then as a sub-agent. Questions about the two forbidden
# files are not counted: they are part of the task.
# A script sets
#   agent      the name of the program, and of its profile
#   package    the package of npm that it is in
#   headless   the command for one task, given in its last word
#   screen     the command for the full-screen mode
#   ready      a text that is on the screen when it takes a task
#   without    "mcp" if it has no MCP client
#   spawns     "yes" if `ambit spawn` has it
#   quiet      on the screen: for how many quarters of a second nothing more may be asked
# and the function configure, which writes what a person who has used the agent before has in
# $HOME, and the address of the model.

# shellcheck source=tests/e2e/watch.bash
. "${BASH_SOURCE[0]%/*}/../e2e/watch.bash"
command -v node >/dev/null || skip "no node"
: "${AGENTS:?where the agents are installed}"
RIG=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
export PATH=$AGENTS/node_modules/.bin:$PATH
TASK='TASK: do the steps'
# shellcheck disable=SC2034 # for the scripts
MCP=$RIG/notes-mcp.js
agent='' package='' headless=() screen=() ready='' without='' spawns='' quiet=0
HEADLESS_FIRST=2 SCREEN_FIRST=3

# -- the model ---------------------------------------------------------------------------

mkdir "$TEST_DIR/model"
SCRIPT=$TEST_DIR/model/script.json TOLD=$TEST_DIR/model/told
cat >"$SCRIPT" <<END
[{"shell": "echo shell >by-shell.txt"},
 {"write": "$P/by-file.txt", "content": "file"},
 {"shell": "echo shell >$OUT/by-shell.txt"},
 {"write": "$OUT/by-file.txt", "content": "file"},
 {"shell": "git add by-shell.txt by-file.txt && git commit -qm 'by the agent'"},
 {"mcp": "keep_word", "arguments": {"word": "kept"}}]
END
touch "$TOLD"
node "$RIG/model.js" "$SCRIPT" "$TOLD" "$TEST_DIR/model/port" &
servers+=($!)
eventually test -s "$TEST_DIR/model/port"
PORT=$(cat "$TEST_DIR/model/port")
# shellcheck disable=SC2034
MODEL=http://127.0.0.1:$PORT

# told STEP: what the model was told of that step, from 0.
told() { jq -rs --argjson step "$1" 'map(select(.step == $step)) | last | .told // ""' "$TOLD"; }

# -- homes -------------------------------------------------------------------------------

# fresh: the home of a person who has used the agent before, but never behind ambit.
fresh() {
	chmod -R u+rwX "$HOME"
	eventually rm -rf "$HOME" # an agent that has ended may have children that still write there
	mkdir -p "$XDG_CONFIG_HOME/ambit" "$XDG_STATE_HOME"
	configure
	again
}

# again: the project as it was before the task.
again() {
	rm -rf "${P:?}" "$OUT"
	mkdir -p "$P" "$OUT"
	cd "$P" || exit 1
	git init -q .
	git config user.name Ada
	git config user.email ada@example.org
	: >"$TOLD"
}

# -- questions ---------------------------------------------------------------------------

# What the person would choose with "a": always, and the nearest folder where one is offered.
approver always <<END
#!/bin/bash
question=\$(cat)
if [[ \$(jq -r .object <<<"\$question") == *'$OUT'* ]]; then
	echo '{"answer": "no"}'
	exit
fi
jq -r '.act + " " + .object' <<<"\$question" >>'$TEST_DIR/asked'
jq -c '.choices | map(select(.answer == "always" and .path)) + map(select(.answer == "always")) +
	map(select(.answer == "file")) + map(select(.answer == "once")) | .[0] | {answer, path} |
	with_entries(select(.value))' <<<"\$question"
END

# asked LIMIT WHEN: at most that many questions were put.
asked_at_most() {
	local n
	n=$(wc -l <"$TEST_DIR/asked")
	counts+=("$n")
	[[ $n -le $1 ]] || surprise "$2: $n questions, not $1: $(tr '\n' ';' <"$TEST_DIR/asked")"
}
# All that is not as it must be is said, and fails at the end: the table needs every number.
surprises=0
surprise() {
	echo "not so: $*" >&2
	surprises=$((surprises + 1))
}

# -- the task ----------------------------------------------------------------------------

# Each step, by its effect; forbidden files exist only where "without" ambit.
steps_done() { # WHEN
	local word
	[[ $(cat "$P/by-shell.txt" 2>&1) == shell ]] || surprise "$1: the shell tool wrote nothing"
	[[ $(cat "$P/by-file.txt" 2>&1) == file ]] || surprise "$1: the file tool wrote nothing"
	[[ $(git -C "$P" log --format=%s 2>&1) == 'by the agent' ]] || surprise "$1: no commit"
	word=$(cat "$P/by-mcp.txt" 2>&1) || true
	[[ $without == mcp || $word == kept ]] || surprise "$1: the MCP tool was not called: $word"
}
steps_refused() { # WHEN
	[[ ! -e $OUT/by-shell.txt ]] || surprise "$1: the shell tool wrote outside"
	[[ ! -e $OUT/by-file.txt ]] || surprise "$1: the file tool wrote outside"
}

run_natively() {
	fresh
	timeout 120 "${headless[@]}" </dev/null >"$TEST_DIR/out" 2>&1 ||
		surprise "native: $(tail -5 "$TEST_DIR/out")"
	steps_done native
	[[ -e $OUT/by-shell.txt ]] || surprise "native: the shell tool cannot write outside either"
	own_rule=
	[[ -e $OUT/by-file.txt ]] || own_rule=1
}

run_headless() { # WHEN LIMIT
	local got=0
	: >"$TEST_DIR/asked"
	timeout 120 "$AMBIT" run --ask "exec:$approver" --net ask --allow-host "127.0.0.1:$PORT" -- \
		"${headless[@]}" </dev/null >"$TEST_DIR/out" 2>&1 || got=$?
	[[ $got -eq 0 ]] || surprise "$1: exit $got: $(tail -5 "$TEST_DIR/out")"
	steps_done "$1"
	steps_refused "$1"
	asked_at_most "$2" "$1"
}

# -- the screen --------------------------------------------------------------------------

# A question is on the screen and takes keys: at a prompt, or in `ambit watch`.
questioned() {
	local shown
	shown=$(screen "$1")
	if [[ $shown == ' ambit watch'* ]]; then
		[[ $shown == *$'\n'ambit\ \ * && $shown != *'(new on the screen'* ]]
	else
		grep -q '^ambit> *$' <<<"$shown"
	fi
}
# answer TERMINAL: as the approver does, by keys; the first line goes to the list.
answer() {
	local before question
	before=$(screen "$1")
	question=$(sed '/^-- record/,$d' <<<"$before" | tac | sed '/^ambit  /q' | tac)
	if [[ $question == *"$OUT"* ]]; then
		keys "$1" n
	else
		head -1 <<<"$question" >>"$TEST_DIR/asked"
		case $question in
		*' a always'*) keys "$1" a && choose_width "$1" ;;
		*'  s '*) keys "$1" s ;;
		*) keys "$1" y ;;
		esac
	fi
	eventually another "$1" "$before"
}
another() { [[ $(screen "$1") != "$2" ]]; }
choose_width() {
	local n line
	for ((n = 0; n < 20; n++)); do
		line=$(screen "$1" | grep 'always in .*:  s ' | tail -1) || true
		[[ -z $line ]] || break
		questioned "$1" || return 0
		sleep 0.1
	done
	case $line in
	*'  d '*) keys "$1" d ;;
	?*) keys "$1" s ;;
	esac
}

# drive TERMINAL WHERE QUIET CONDITION...: answers what is asked at WHERE until the condition holds
# and nothing was asked for QUIET quarters of a second.
drive() {
	local terminal=$1 where=$2 least=$3 n silent=0
	shift 3
	for ((n = 1; n < 400; n++)); do
		silent=$((silent + 1))
		if questioned "$where"; then
			answer "$where"
			silent=0
		elif "$@"; then
			[[ $silent -lt $least ]] || return 0
		fi
		sleep 0.25
	done
	screen "$terminal" >&2
	surprise "$agent is never so far: $*"
	return 1
}
# The model was told of the last step. Until it is told of the first: a question may have swallowed
# what was typed.
finished() {
	[[ -z $(told "$last") ]] || return 0
	[[ $((n % 40)) -ne 0 || -s $TOLD ]] || questioned "$terminal" || type_task "$terminal"
	return 1
}
type_task() {
	keys "$1" C-u
	keys "$1" -l "$TASK"
	sleep 1
	keys "$1" Enter
}

run_on_screen() { # WHEN LIMIT [WATCH]
	local where=${3:-$1}
	: >"$TEST_DIR/asked"
	terminal "$1" 120 40
	printf '%q ' "$AMBIT" run --net ask --allow-host "127.0.0.1:$PORT" -- \
		"${screen[@]}" >"$TEST_DIR/command"
	enter "$1" ". $TEST_DIR/command; echo over=\$?"
	if drive "$1" "$where" 12 shown "$1" "$ready"; then
		type_task "$1"
		drive "$1" "$where" "$quiet" finished || true
	fi
	leave "$1" "$where"
	steps_done "$1"
	steps_refused "$1"
	asked_at_most "$2" "$1"
}
leave() {
	local n
	for ((n = 0; n < 20; n++)); do
		shown "$1" over= && return
		if questioned "$2"; then answer "$2"; else keys "$1" C-c C-c; fi
		sleep 0.5
	done
	surprise "$agent does not end: $(screen "$1")"
	t kill-session -t "=$1:"
}

# -- as a sub-agent ------------------------------------------------------------------------

# It has the settings of `ambit spawn`, so that no MCP server need be there.
run_spawned() {
	local got=0 without=mcp
	: >"$TEST_DIR/asked"
	timeout 180 "$AMBIT" spawn --ask "exec:$approver" --net ask --allow-host "127.0.0.1:$PORT" \
		--json "$agent" . "$TASK" </dev/null >"$TEST_DIR/result" 2>"$TEST_DIR/out" || got=$?
	[[ $got -eq 0 ]] || surprise "spawned: exit $got: $(tail -5 "$TEST_DIR/out" "$TEST_DIR/result")"
	steps_done spawned
	steps_refused spawned
	jq -e --arg path "$OUT/by-shell.txt" 'any(.deferred[]; .path == $path)' "$TEST_DIR/result" >/dev/null ||
		surprise "spawned: what was refused is not told: $(cat "$TEST_DIR/result")"
	[[ $(told 2) == *'was refused'* ]] || surprise "spawned: the model was not told why: $(told 2)"
	asked_at_most "$HEADLESS_FIRST" spawned
}

# -- all of it ---------------------------------------------------------------------------

# hears STEP: what the model was told of it, for the table.
hears() {
	if [[ $(told "$1") == *'was refused'* ]]; then
		echo "ambit's line"
		return
	fi
	{ told "$1" | grep -m1 -iE 'denied|failed|not in' || told "$1"; } | tr '\n|' '  ' |
		sed -E "s#$OUT#OUT#g; s#$P#FOLDER#g; s/.*(EACCES:|Path not|bash: )/\1/
			s/\.tmp\.[0-9]+\.[0-9a-f]+/.tmp.N/; s/ +$//" | cut -c1-70
}

measure_agent() {
	local version shell_heard file_heard last=5 works='shell, file, commit, MCP'
	[[ -z $without ]] || last=4 works='shell, file, commit; it has no MCP'
	version=$(jq -r .version "$AGENTS/node_modules/$package/package.json")
	counts=()
	run_natively
	fresh
	run_headless 'headless, first' "$HEADLESS_FIRST"
	[[ $(told 2) == *'was refused'* ]] || surprise "the model was not told why: $(told 2)"
	file_heard=$(hears 3)
	shell_heard=$(hears 2)
	again
	run_headless 'headless, second' 0
	fresh
	run_on_screen first "$SCREEN_FIRST"
	again
	watcher beside 100 30
	run_on_screen second 0 beside
	shell_heard="$shell_heard; $(hears 2)"
	fresh
	[[ -z $spawns ]] || run_spawned
	[[ $surprises -eq 0 ]] || works="see the failures"
	printf '| %s |' "$agent $version" "${counts[0]} / ${counts[1]}" "${counts[2]} / ${counts[3]}" \
		"$works" "$shell_heard" "${own_rule:+its own rule: }$file_heard" |
		sed 's/||/|/g; s/$/\n/' >>"${ROWS:-/dev/null}"
	[[ $surprises -eq 0 ]] || fail "$surprises things are not as they must be"
}
