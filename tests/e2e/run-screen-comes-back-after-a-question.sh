#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A question stands beneath what the program has drawn, or alone, never over it, on screens of
# three sizes. Afterwards a program that draws its own screen has the same screen again, also if
# it was stopped meanwhile or looks at the size late; one that draws on the normal screen, too,
# with or without another screen to put the question on; the lines of others are all there.
# shellcheck source=tests/e2e/watch.bash
. "${0%/*}/watch.bash"

# draw.py HOW FILE NAME: draws, and on SIGUSR1 a child of it writes FILE.
cat >draw.py <<'PY'
import os, select, shutil, signal, sys, termios, tty

how, outside, name = sys.argv[1:]
screen = how in ("box", "alternate", "late", "inline")

def out(text):
    os.write(1, text.encode())

def note(what):
    with open(f"{name}.{what}", "a") as file:
        print(os.getpid(), file=file)

def line(n, columns):
    return (f"prog-{n:02}-" * columns)[:columns - 2] + "|"

def draw(*_):
    global drawn
    drawn = columns, rows = shutil.get_terminal_size()
    if how == "inline":
        out("\r\n".join(line(n, columns) for n in range(1, rows)) + "\x1b[3A")
    elif how == "late":
        out("".join(f"\x1b[{n};1H{line(n, columns)}\x1b[K" for n in range(1, rows)))
        out(f"\x1b[{rows};1H\x1b[K")
    else:
        out("\x1b[H\x1b[2J" + "\r\n".join(line(n, columns) for n in range(1, rows)))
    if how != "inline":
        out(f"\x1b[{rows // 2};5H")

# As Ink does: from the cursor, whatever the window does.
def draw_inline_again():
    columns, rows = drawn
    out("\x1b[3B" + "\x1b[2K\x1b[A" * (rows - 2) + "\x1b[2K\r")
    draw()

# As opencode does: when the size has stood still for a while, and is another one.
def resized(*_):
    if how == "inline":
        note("resized")
    elif how == "late":
        signal.setitimer(signal.ITIMER_REAL, 0.1)
    else:
        draw()

def look_at_size(*_):
    if shutil.get_terminal_size() != drawn:
        draw()

def enter():
    if how in ("alternate", "late"):
        out("\x1b[?1049h\x1b[?25l\x1b[?1000h")
    if screen:
        tty.setraw(0)
        draw()

def leave():
    if how in ("alternate", "late"):
        out("\x1b[?1000l\x1b[?25h\x1b[?1049l")
    if how == "inline":
        out("\x1b[3B\r\n")
    termios.tcsetattr(0, termios.TCSANOW, cooked)

def stop(*_):
    leave()
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTSTP)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTSTP})
    signal.signal(signal.SIGTSTP, stop)
    enter()
    note("continued")

def ask(*_):
    if os.fork() == 0:
        try:
            open(outside, "w").close()
        except OSError:
            pass
        os._exit(0)

def ended(*_):
    global answered
    answered = os.waitpid(-1, os.WNOHANG)[0] > 0

cooked = termios.tcgetattr(0)
os.environ.pop("COLUMNS", None)
os.environ.pop("LINES", None)
signal.signal(signal.SIGUSR1, ask)
signal.signal(signal.SIGTSTP, stop)
signal.signal(signal.SIGCHLD, ended)
answered = False
woken, wakes = os.pipe()
os.set_blocking(wakes, False)
signal.set_wakeup_fd(wakes)
if screen:
    signal.signal(signal.SIGWINCH, resized)
    signal.signal(signal.SIGALRM, look_at_size)
else:
    signal.signal(signal.SIGWINCH, lambda *_: note("resized"))
    for n in range(1, 10):
        out(f"prog-{n:02}\n")
    out("prog-10")
    if how == "above":  # as a progress bar of several lines
        out("\x1b[3A")
enter()
note("pid")
while not answered:
    select.select([woken], [], [])
    os.read(woken, 1)
if screen:
    if how == "inline":
        draw_inline_again()
    while os.read(0, 1) != b"q":
        pass
    leave()
else:
    out("\x1b[3B" if how == "above" else "")
    for n in range(11, 20):
        out(f"\nprog-{n:02}")
    out("\n")
PY

all_of() { t capture-pane -p -S - -t "=$1:"; }
# Nothing of the program's behind the beginning of the question, and the other way round.
unmixed() {
	all_of "$1" | awk '
		/ambit  / { asked++ }
		/prog-/ && (asked || !/^prog-[-prog0-9]*[|]?$/) { bad = 1; print "mixed: " $0 }
		END { exit bad || asked != 1 }' >&2 || { all_of "$1" >&2; fail "over each other on $1"; }
}
same() { [[ $(screen "$1") == "$2" ]]; }
comes_back() {
	local n
	for ((n = 0; n < 400; n++)); do
		same "$1" "$2" && return
		sleep 0.025
	done
	diff <(echo "$2") <(screen "$1") >&2
	fail "another screen on $1"
}

# starts NAME HOW COLUMNS ROWS: until it has drawn.
starts() {
	terminal "$1" "$3" "$4"
	enter "$1" "clear; '$AMBIT' run --quiet -- '$PYTHON' -B draw.py $2 '$OUT/$1' $1"
	eventually test -s "$1.pid"
}
is_asked() {
	kill -USR1 "$(cat "$1.pid")"
	sees "$1" "ambit>"
	unmixed "$1"
}

for size in 80x24 120x40 40x12; do
	columns=${size%x*} rows=${size#*x}
	for how in box alternate late inline; do
		name=$how-$columns
		starts "$name" "$how" "$columns" "$rows"
		sees "$name" "$(printf 'prog-%02d' $((rows - 1)))"
		before=$(screen "$name")
		is_asked "$name"
		if [[ $how == alternate ]]; then
			kill -TSTP "$(cat "$name.pid")"
			eventually test -s "$name.continued"
			has "$name" "ambit>"
			unmixed "$name"
		fi
		keys "$name" y
		eventually test -e "$OUT/$name"
		comes_back "$name" "$before"
		keys "$name" q
		sees "$name" 'ready>'
		# What was answered stays on the normal screen.
		case $how in
		alternate | late) sees "$name" 'allowed: ' ;;
		inline) [[ ! -e $name.resized ]] || fail "got a signal, though its screen was put aside" ;;
		esac
	done

	for how in lines above; do
		name=$how-$columns
		starts "$name" "$how" "$columns" "$rows"
		is_asked "$name"
		keys "$name" y
		sees "$name" prog-19
		sees "$name" 'ready>'
		shown=$(all_of "$name" | grep -oE '^prog-[0-9]*$|^ambit  |allowed: ' | tr '\n' ' ')
		wanted="$(printf 'prog-%02d ' {1..10})ambit   allowed:  $(printf 'prog-%02d ' {11..19})"
		[[ $shown == "$wanted" ]] || { all_of "$name" >&2; fail "not all lines in order: $shown"; }
		[[ ! -e $name.resized ]] || fail "a program that reads lines got a signal"
	done
done

# A dumb terminal gets no sequences, whether it is relayed or not.
for how in '' --no-pty; do
	NO_COLOR='' TERM=dumb person 'wait:ambit  write' 'wait:ambit> ' send:n wait:refused \
		end 'never:\e' -- bash -c '"$AMBIT" run $1 --quiet -- "$2" create "$3"; true' - "$how" "$CALLS" "$OUT/dumb"
done
