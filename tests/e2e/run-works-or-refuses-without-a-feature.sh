#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Where the kernel lacks a part, or a container refuses it, `ambit run` holds the
# whole line all the same, or does not start and says which part: never less.
. "${0%/*}/line.bash"
[[ -z ${AMBIT_WITHOUT:-} ]] || skip "$AMBIT_WITHOUT is missing already"
WITHOUT=$HELPERS/without
REACH=$HELPERS/reach

# The helper takes something away, so the rest of this test says something.
! "$WITHOUT" openat2:ENOSYS -- "$CALLS" openat2 "$OUT/probe" >/dev/null || fail "openat2 is still there"
"$WITHOUT" landlock_create:EPERM -- true || fail "cannot take anything away"

# whole PART...: everything that the line promises.
whole() {
	rm -rf d link "${OUT:?}"/*
	status 7 "$WITHOUT" "$@" -- "$AMBIT" run --ask deny -- bash -c "
		echo in >in && mkdir d && mv in d/ && chmod 600 d/in && ln -s a link || exit 1
		echo no >$OUT/no; mkdir $OUT/dir; echo no >>$TEST_DIR/kept; chmod 777 $TEST_DIR/kept
		exit 7"
	[[ $(cat d/in) == in && $(stat -c %a d/in) == 600 && -L link ]] || fail "$*: inside: $(ls -l . d)"
	[[ -z $(ls "$OUT") && $(cat "$TEST_DIR/kept") == kept ]] || fail "$*: outside was changed"
	[[ $(stat -c %a "$TEST_DIR/kept") == 644 ]] || fail "$*: the mode outside"
	complains 'things were refused'
	status 3 "$WITHOUT" "$@" -- "$AMBIT" run --ask allow -- bash -c "
		echo yes >$OUT/yes; mkdir $OUT/dir; chmod 750 $OUT/dir; touch -d @9 $OUT/yes; exit 3"
	[[ $(cat "$OUT/yes") == yes && $(stat -c %a "$OUT/dir") == 750 && $(stat -c %Y "$OUT/yes") == 9 ]] ||
		fail "$*: not done after a yes: $(ls -l "$OUT") $errout"
	clean d link
}

# refused WORDS PART...: it does not start, and says so.
refused() {
	local words=$1
	shift
	rm -f ran
	status 125 "$WITHOUT" "$@" -- "$AMBIT" run --ask allow -- touch ran
	complains "$words"
	[[ ! -e ran ]] || fail "$*: it ran"
	rm -rf d link
	clean
}

echo kept >"$TEST_DIR/kept"
chmod 644 "$TEST_DIR/kept"
whole pidfd_getfd:EPERM
whole pidfd_getfd:ENOSYS
whole pidfd_thread:EINVAL # Linux 6.8
whole pidfd_send_signal:EPERM
whole wake_up:EINVAL # Linux 6.5
whole process_vm_writev:EPERM
whole clone3:ENOSYS
whole faccessat2:ENOSYS
whole fchmodat2:ENOSYS # Linux 6.5
whole fchmodat2:EPERM
whole statx:EPERM
refused 'needs faccessat2, which is forbidden' faccessat2:EPERM
refused 'needs openat2, which is not there' openat2:ENOSYS
refused 'needs openat2, which is forbidden' openat2:EPERM
refused 'needs pidfd_open, which is not there' pidfd_open:ENOSYS
refused 'needs pidfd_open, which is forbidden' pidfd_open:EPERM
refused 'needs process_vm_readv' process_vm_readv:ENOSYS
refused 'needs process_vm_readv' process_vm_readv:EPERM
refused 'needs memfd_create' memfd_create:ENOSYS
refused 'needs close_range' close_range:ENOSYS
refused 'no Landlock' landlock_create:ENOSYS landlock_add:ENOSYS landlock_restrict:ENOSYS
refused 'Landlock is forbidden' landlock_create:EPERM
refused 'landlock_add_rule' landlock_add:EPERM
refused 'landlock_restrict_self' landlock_restrict:EPERM
refused 'seccomp is forbidden' seccomp:EPERM
refused 'user notification is missing' seccomp:ENOSYS
refused 'Linux 5.19' new_listener:EINVAL
refused 'seccomp is forbidden' new_listener:EPERM
refused 'Linux 5.19' wait_killable:EINVAL
refused 'the supervisor' clone3:EPERM
refused 'reaper' subreaper:EINVAL

# Without pidfd_getfd sockets of ambit's stand in for the program's own: what is
# refused stays so, and what is allowed works.
"$REACH" serve "$TEST_DIR/heard" >/dev/null &
servers+=($!)
eventually test -s "$TEST_DIR/heard"
port=$(head -1 "$TEST_DIR/heard")
came() { grep -cE 'tcp|udp' "$TEST_DIR/heard" || true; }
blind() { "$WITHOUT" pidfd_getfd:EPERM -- "$AMBIT" run "$@"; }
for act in tcp tcp6 nonblock close udp bound-udp many; do
	before=$(came)
	status 1 blind --ask deny -- "$REACH" $act "$port"
	[[ $out == EACCES && $(came) -eq $before ]] || fail "$act was not refused: $out"
	status 1 blind --net none --ask allow -- "$REACH" $act "$port"
	[[ $out == EACCES && $(came) -eq $before ]] || fail "$act was not refused: $out"
	status 0 blind --ask allow -- "$REACH" $act "$port"
	[[ $(came) -gt $before ]] || fail "$act did not come"
	status 0 blind --net open -- "$REACH" $act "$port"
done
! grep 'no end' "$TEST_DIR/heard" || fail "a connection outlived the program's own end of it"
for act in loop ports "unix $P/socket"; do
	# shellcheck disable=SC2086
	status 0 blind --net none --ask deny -- "$REACH" $act
done
rm -f "$P/socket"
# What cannot be done is said.
status 1 blind --ask allow -- "$REACH" pass
[[ $out == EPERM ]] || fail "pass: $out"
complains SYS_PTRACE
# The line about a refusal comes by the pipe, before the program's own.
words=$(blind --ask deny -- bash -c "echo x >$OUT/never" 2>&1 | sed -n 1p || true)
[[ $words == "ambit: write $OUT/never was refused"* ]] || fail "no words in: $words"
clean
