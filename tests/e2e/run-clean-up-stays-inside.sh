#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Runs as a user.
# ambit makes and removes directories where a command of another session can write. That command
# waits until ambit empties one, and exchanges a directory on the way for a link: nothing outside
# is removed, nothing is made there, no mode is changed there.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
REDIRECT=$HELPERS/redirect
DIRS=(d0 d1 d2 d3 d4 d5 d6 d7)

# What must stay: directories of the same names, outside.
precious() {
	local d
	chmod -R u+rwx "$OUT" && rm -rf "$OUT/precious"
	for d in "${DIRS[@]}"; do
		mkdir -p "$OUT/precious/$d/sub"
		echo "$d" >"$OUT/precious/$d/file"
	done
	touch "$OUT/precious/file"
	chmod 500 "$OUT/precious/d7"
}
stays() {
	[[ $(find "$OUT/precious" -type f | wc -l) == 9 && $(find "$OUT/precious" -mindepth 1 | wc -l) == 25 &&
		$(stat -c %a "$OUT/precious/d7") == 500 ]] ||
		fail "$1: removed or made outside: $(find "$OUT/precious" -printf '%m %P, ')"
}
# decoys DIR: it takes a while to empty them.
decoys() {
	local d
	for d in "${DIRS[@]}"; do
		mkdir -p "$1/$d/sub"
		(cd "$1/$d" && seq -f 'f%g' 250 | xargs touch)
	done
}

# redirected PLACE LINK DIR [COMMAND...]: starts the attack, by this command; its words are in
# $TEST_DIR/redirect.
redirected() {
	"${@:4}" "$REDIRECT" "$1" "$2" "${DIRS[@]/#/$3/}" >"$TEST_DIR/redirect" 2>&1 &
	attacker=$!
	eventually grep -q ready "$TEST_DIR/redirect"
}
# Behind the line of a session whose folder is mono.
BEHIND=("$AMBIT" run --ask deny --folder mono --)
swapped() { grep -q swapped "$TEST_DIR/redirect"; }
over() {
	kill "$attacker" 2>/dev/null || true
	wait "$attacker" 2>/dev/null || true
}

mkdir -p mono/sub/pkg mono/w/tmp

# Without ambit: whoever empties such directories by path empties the others.
precious
decoys mono/sub/.ambit-pool
ln -s "$OUT/precious" mono/sub/link
redirected mono/sub/.ambit-pool mono/sub/link mono/sub/.ambit-pool
(
	cd mono/sub || exit 1
	for d in "${DIRS[@]}"; do
		rm -f ".ambit-pool/$d/f1"
		eventually swapped
		rm -rf ".ambit-pool/$d" 2>/dev/null || true
	done
)
over
[[ ! -e $OUT/precious/d3 ]] || fail "nothing is led away without ambit either"
rm -rf mono/sub/.ambit-pool mono/sub/link

# A directory of ambit's name that a command made: ambit neither empties it nor uses it.
precious
decoys mono/sub/.ambit-pool
chmod 700 mono/sub/.ambit-pool
ln -s "$OUT/precious" mono/sub/link
redirected "$P/mono/sub/.ambit-pool" "$P/mono/sub/link" "$P/mono/sub/.ambit-pool" "${BEHIND[@]}"
line --folder mono/sub/pkg -- bash -c 'mkdir a; echo x >a/x; ls -A "$1" >listed' _ "$OUT/precious"
over
stays "a pool that a command made"
[[ $(tr '\n' ' ' <mono/sub/pkg/listed) == "${DIRS[*]} file " && -e mono/sub/pkg/a/x ]] ||
	fail "made outside: $(cat mono/sub/pkg/listed)"
rm -rf mono/sub/link mono/sub/.ambit-pool mono/sub/pkg/*

# lead WHAT: the link that stands for the temp directory, a directory in it, or the one above it.
lead() {
	rm -rf mono/w/other
	case $1 in
	temp) place=$temp target=$OUT/precious ;;
	inner) place=$temp/d7 target=$OUT/precious/d7 ;;
	above)
		place=$P/mono/w/tmp target=$OUT/above
		mkdir -p "$OUT/above"
		ln -sfn "$OUT/precious" "$OUT/above/${temp##*/}"
		;;
	esac
	ln -s "$target" mono/w/other
}
# each SCENE: with each kind of link. On a busy machine all may be empty before the attacker
# moves: then once more.
each() {
	local what n
	for what in temp inner above; do
		for ((n = 0; n < 8; n++)); do
			precious
			rm -rf mono/w/tmp mono/go
			mkdir mono/w/tmp
			"$1" "$what"
			stays "$1, $what"
			! swapped || break
		done
		swapped || fail "$1, $what: never swapped: $(<"$TEST_DIR/redirect")"
	done
}
ended() { ! kill -0 "$attacker" 2>/dev/null; }

# The private temp directory lies where the other session can write. It is full when the run
# ends, and the keeper empties it.
at_the_end() {
	rm -f mono/sub/pkg/at
	TMPDIR=$P/mono/w/tmp DIRS_TEXT="${DIRS[*]}" line --folder mono/sub/pkg -- bash -c '
		read -ra DIRS <<<"$DIRS_TEXT"; decoys "$TMPDIR"
		echo "$TMPDIR" >at.new; mv at.new at; until [ -e "$1/go" ]; do sleep 0.02; done' _ "$P/mono" &
	local runner=$!
	eventually test -e mono/sub/pkg/at
	temp=$(<mono/sub/pkg/at)
	lead "$1"
	# The link above is guarded behind the line: there the attacker is any other program.
	if [[ $1 == above ]]; then
		redirected "$place" "$P/mono/w/other" "$temp"
	else
		redirected "$place" "$P/mono/w/other" "$temp" "${BEHIND[@]}"
	fi
	touch mono/go
	wait "$runner" || fail "$1: the run failed"
	eventually ended
	over
}
export -f decoys
each at_the_end

# killed FOLDER: a session whose supervisor and keeper are killed at once; where its temp
# directory is, is in $temp.
killed() {
	rm -f "$1/ready"
	(
		cd "$1" || exit 1
		"$AMBIT" run --ask deny -- bash -c 'echo "$TMPDIR" >ready.new; mv ready.new ready; exec sleep 61.75' &
		eventually test -e ready
		keeper=$(pgrep -P $! -x ambit-keeper) || fail "no keeper"
		kill -STOP $! "$keeper" # neither sees the other die
		kill -KILL $! "$keeper"
		wait $! || true
	) 2>/dev/null
	pkill -KILL -f '^sleep 61[.]75' || true
	temp=$(<"$1/ready")
	[[ -d $temp ]] || fail "nothing was left over: then this shows nothing"
}
left() { find "$STATE/own" -mindepth 1; }

# What it left is emptied by the next start, while somebody redirects that. (A session that did
# it would collect at its own start, before it watches.)
at_the_next_start() {
	TMPDIR=$P/mono/w/tmp killed mono/sub/pkg
	decoys "$temp"
	lead "$1"
	redirected "$place" "$P/mono/w/other" "$temp"
	line --folder mono/sub/pkg -- true
	eventually ended
	over
	held 0 --folder mono/sub/pkg -- true
	[[ -z $(left) ]] || fail "$1: left in the store: $(left)"
}
each at_the_next_start

# Something else has the name by then: it is not ambit's, and stays.
killed mono/sub/pkg
rm -rf "$temp"
mkdir "$temp"
echo mine >"$temp/mine"
one=$temp
killed mono/sub/pkg
mv "$temp" "$TEST_DIR/moved"
ln -s "$OUT/precious" "$temp"
precious
held 0 --folder mono/sub/pkg -- true
stays "a link in the place of what was left"
[[ $(<"$one/mine") == mine && -L $temp ]] || fail "what is not ambit's was removed"
[[ -z $(left) ]] || fail "left in the store: $(left)"
rm -r "$one" "$temp"

# A killed session leaves nothing that the next start does not collect.
killed mono/sub/pkg
held 0 --folder mono/sub/pkg -- true
[[ -z $(left) && -z $(find "$TMPDIR" -mindepth 1) ]] || fail "left: $(left) $(find "$TMPDIR")"
