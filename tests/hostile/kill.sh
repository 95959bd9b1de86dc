#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kill.sh: kills the supervisor in the middle of each kind of work. Afterwards no
# process of the tree is left within two seconds, no temporary directory, and
# nothing outside has changed. Ends in "N passed, N failed".
set -uo pipefail
: "${AMBIT:?the program to test}"
base=$(mktemp -d "${TMPDIR:-/tmp}/k.XXXXXX") || exit 1
end_approvers() { [[ ! -s $base/asked ]] || xargs kill <"$base/asked" 2>/dev/null; }
trap 'end_approvers; rm -rf "$base" /tmp/ambit-hostile-kill.$$.*' EXIT
passed=0
failed=0

# An approver that never answers, where the command cannot write.
cat >"$base/never" <<'SH'
#!/bin/bash
read -r line
echo "$$" >>"$(dirname "$0")/asked"
exec sleep 60
SH
chmod 755 "$base" "$base/never"

fail() {
	echo "FAIL kill $name: $*"
	failed=$((failed + 1))
	return 1
}

# within SECONDS COMMAND...
within() {
	local n=$(($1 * 50))
	shift
	until "$@"; do
		((n-- > 0)) || return 1
		sleep 0.02
	done
}

world() {
	dir=$base/w
	end_approvers
	rm -rf "$dir" "$base/asked"
	mkdir -p "$dir"/{home/project/sub,outside/dir,tmp,run}
	chmod 700 "$dir/run"
	echo kept >"$dir/outside/file"
	touch -d @900000000 "$dir/outside/file"
	export HOME=$dir/home XDG_STATE_HOME=$dir/home/.local/state XDG_CONFIG_HOME=$dir/home/.config
	export XDG_RUNTIME_DIR=$dir/run TMPDIR=$dir/tmp
}

shape() { (cd "$dir/outside" && find . -printf '%P %y %m %n %l %s %T@ %C@\n' | sort && cat file); }

# Every process of the tree carries this in its environment, and none else: not
# the supervisor, nor an approver of its.
mark=AMBIT_HOSTILE_MARK=$$.$RANDOM
marked() {
	local file pid
	for file in /proc/[0-9]*/environ; do
		pid=${file#/proc/}
		pid=${pid%/environ}
		[[ $pid != "$$" ]] || continue
		grep -qzxF -- "$mark" "$file" 2>/dev/null && echo "$pid"
	done
}
# A zombie is gone; when somebody asks for it is not ambit's doing.
gone() { [[ ! -e /proc/$1 || $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) == Z* ]]; }
nobody_left() { [[ -z $(marked) ]]; }
is_empty() { [[ -z $(ls -A "$1") ]]; }
# What has begun shows in the folder, or in what the approver was asked.
begun() { [[ -e $dir/home/project/begun || -s $base/asked ]]; }

# one NAME ASK CODE: the supervisor dies while CODE runs in the folder.
one() {
	name=$1
	local ask=$2 code=$3 before supervisor keeper
	world
	before=$(shape)
	OUT=$dir/outside "$AMBIT" run --quiet --ask "$ask" --folder "$dir/home/project" -- \
		env "$mark" bash -c "$code" </dev/null >"$base/said" 2>&1 &
	supervisor=$!
	if ! within 10 begun; then
		kill -KILL "$supervisor" 2>/dev/null
		wait "$supervisor" 2>/dev/null
		cat "$base/said"
		fail "it never began"
		return
	fi
	keeper=$(pgrep -P "$supervisor" | head -1)
	kill -KILL "$supervisor"
	wait "$supervisor" 2>/dev/null
	within 2 nobody_left || { fail "left: $(marked | xargs -r ps -o pid,stat,args -p)"; return; }
	[[ -n $keeper ]] || { fail "no keeper"; return; }
	within 2 gone "$keeper" || { fail "the keeper is still there"; return; }
	is_empty "$dir/tmp" || { fail "left in TMPDIR: $(ls -A "$dir/tmp")"; return; }
	[[ $(shape) == "$before" ]] || { diff <(echo "$before") <(shape); fail "changed outside"; return; }
	if ! "$AMBIT" log verify >"$base/said" 2>&1; then
		cat "$base/said"
		fail "the record is broken"
		return
	fi
	echo "ok   kill $name"
	passed=$((passed + 1))
}

loop() { echo "n=0; while [ \$n -lt 200000 ]; do $1; n=\$((n + 1)); : >begun; done"; }

one "while nothing happens" deny ': >begun; sleep 100'
one "open held" "exec:$base/never" 'echo SPOILT >"$OUT/file"'
one "unlink held" "exec:$base/never" 'rm "$OUT/file"'
one "chmod held" "exec:$base/never" 'chmod 777 "$OUT/file"'
one "rename held" "exec:$base/never" 'touch x; mv x "$OUT/file"'
one "connect held" "exec:$base/never" 'exec 3<>/dev/tcp/192.0.2.1/9'
one "many held" "exec:$base/never" 'for i in 1 2 3 4 5 6 7 8; do (echo x >"$OUT/new$i") & done; wait'
one "opens refused" deny "$(loop 'echo x 2>/dev/null >"$OUT/new"')"
one "opens performed" deny "$(loop 'echo x >top; echo y >sub/x')"
one "chmods performed" deny "$(loop 'chmod 600 sub; chmod 700 sub')"
one "directories made" deny "$(loop 'mkdir d; rmdir d')"
one "connects" deny "$(loop '(exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null')"
one "scratch" deny "$(loop 't=$(mktemp -p /tmp ambit-hostile-kill.'$$'.XXXXXX); rm "$t"')"
one "children that ignore signals" deny \
	'trap "" TERM HUP INT; for i in 1 2 3; do (setsid bash -c "trap \"\" TERM HUP; sleep 100; sleep 100" &) ; done; : >begun; sleep 100'
one "children that fork" deny \
	'f() { [ $1 -lt 400 ] || return; sleep 0.01; (setsid bash -c "$(declare -f f); f $(($1 + 1))" &); }; (f 0 &); : >begun; sleep 100'
one "a private directory that is hard to remove" deny \
	'mkdir -p "$TMPDIR/a/b"; : >"$TMPDIR/a/b/c"; ln -s "$OUT" "$TMPDIR/out"; chmod 0 "$TMPDIR/a/b"; : >begun; sleep 100'

# The same when it is stopped first, so that calls queue up.
name="stopped, then killed"
world
before=$(shape)
OUT=$dir/outside "$AMBIT" run --quiet --ask deny --folder "$dir/home/project" -- \
	env "$mark" bash -c "$(loop 'mkdir d; rmdir d; echo x 2>/dev/null >"$OUT/new"')" </dev/null >"$base/said" 2>&1 &
supervisor=$!
if within 10 begun; then
	kill -STOP "$supervisor"
	sleep 0.2
	kill -KILL "$supervisor"
	wait "$supervisor" 2>/dev/null
	if ! within 2 nobody_left; then
		fail "left: $(marked | xargs -r ps -o pid,stat,args -p)"
	elif [[ $(shape) != "$before" ]]; then
		fail "changed outside"
	elif ! is_empty "$dir/tmp"; then
		fail "left in TMPDIR"
	else
		echo "ok   kill $name"
		passed=$((passed + 1))
	fi
else
	fail "it never began"
fi

echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
