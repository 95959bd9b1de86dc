#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs that make terminals or need one work in a session: script, tmux, screen, expect,
# vim's :terminal, less and htop, driven and read. Those that are missing here are named.
. "${0%/*}/line.bash"

export TERM=xterm HISTFILE='' PS1='own$ '
missing=()
have() {
	command -v "$1" >/dev/null && return
	missing+=("$1")
	false
}
# A person in the session, at a terminal that the session made.
own() { held 0 -- "${PERSON[@]}" -t 30 "$@"; }
# Bash takes PS1 out of the environment of what it starts without a terminal.
SHELL_PLAIN="env PS1='own$ ' bash --norc --noprofile"

if have script; then
	held 0 -- script -qec 'tty; echo through >/dev/tty; exit 0' script.log
	says /dev/pts/
	says through
	grep -q through script.log || fail "script wrote nothing down"
	status 0 "$AMBIT" run --ask deny -- bash -c 'script -qec "exit 7" /dev/null; [[ $? -eq 7 ]]'
fi
# It passes its terminal's descriptor, which takes pidfd_getfd.
if have tmux && [[ ${AMBIT_WITHOUT:-} != pidfd_getfd ]]; then
	# Two panes; what is typed into one is read on the screen.
	cat >tmux.sh <<-'END'
		t() { tmux -S own.sock "$@"; }
		shows() {
			for ((n = 0; n < 200; n++)); do
				t capture-pane -p -t "$1" | grep -q -- "$2" && return
				sleep 0.05
			done
			t capture-pane -p -t "$1" >&2
			tail -n 40 tmux-server-*.log >&2
			exit 1
		}
		rm -f own.sock tmux-*.log
		t -vv -f /dev/null new-session -d -x 80 -y 24 "$1" || exit 1
		t split-window "$1"
		for pane in 0 1; do
			t send-keys -t "$pane" 'echo pane-$((40+2)) >/dev/tty; tty' Enter
			shows "$pane" pane-42 && shows "$pane" '^/dev/pts/'
			t send-keys -t "$pane" 'sh -c "echo be""gun; exec sleep 1000"' Enter
			shows "$pane" '^begun'
			t send-keys -t "$pane" C-z && shows "$pane" Stopped
			t send-keys -t "$pane" 'kill %1; echo en""ded' Enter && shows "$pane" '^ended'
		done
		t resize-window -x 100 -y 40
		t send-keys -t 0 'until stty size | grep -q " 100"; do sleep 0.1; done; echo wi""der' Enter && shows 0 '^wider'
		t kill-server
		echo tmux works
	END
	status 0 "$AMBIT" run --ask deny -- bash tmux.sh "$SHELL_PLAIN -i"
	says 'tmux works'
	# Attached, on a terminal of the session's own.
	own 'wait:own$ ' 'send:tty\r' wait:/dev/pts/ 'send:exit\r' wait:exited -- tmux -S other.sock -f /dev/null new-session "$SHELL_PLAIN"
fi
# As root it sets the group of its terminal, which takes a capability unless it is that already.
if have screen && [[ $EUID -ne 0 ]]; then
	# A socket's name has 107 bytes, and screen adds process, terminal and host to this one's.
	mkdir -m 700 s
	export SCREENDIR=$P/s SYSSCREENRC=/dev/null
	# It does not read keys while it shows a message.
	printf 'msgwait 0\nmsgminwait 0\nstartup_message off\n' >screenrc
	own 'wait:own$ ' 'send:tty; echo in-$((40+2)) >/dev/tty\r' wait:/dev/pts/ wait:in-42 \
		'send:sh -c "echo be""gun; exec sleep 1000"\r' wait:begun send:^Z wait:Stopped 'wait:own$ ' 'send:fg\r' 'wait:exec sleep' send:^C 'wait:own$ ' 'send:exit\r' \
		'wait:[screen is terminating]' -- screen -S s -c screenrc setsid -wc bash --norc --noprofile
fi
if have expect; then
	cat >drive.exp <<-'END'
		set timeout 20
		spawn -nottyinit bash --norc --noprofile
		expect {own$ }
		send "tty; echo re\"\"ad >/dev/tty\r"
		expect {
			-re {/dev/pts/[0-9]+.*read} {}
			timeout { exit 9 }
			eof { exit 8 }
		}
		send "exit 5\r"
		expect eof
		exit [lindex [wait] 3]
	END
	held 5 -- expect drive.exp
fi
if have vim && vim --version | grep -q +terminal; then
	own 'send::terminal bash --norc --noprofile\r' 'wait:own$ ' 'send:tty; echo in-$((40+2)) >/dev/tty\r' wait:/dev/pts/ wait:in-42 \
		'send:exit\r' wait:finished 'send::qa!\r' -- vim -u NONE -N -i NONE -n
elif have vim; then
	missing+=("vim's :terminal")
fi
if have less; then
	seq 1000 >numbers
	own wait:38 send:G wait:1000 send:q -- less numbers
	# Its keys come from /dev/tty when the text is a pipe.
	own wait:38 send:G wait:1000 send:q -- bash -c 'seq 1000 | less'
fi
if have htop; then
	own wait:PID wait:Quit send:q -- htop
fi
[[ ${#missing[@]} -eq 0 ]] || skip "the rest works; not here: ${missing[*]}"
