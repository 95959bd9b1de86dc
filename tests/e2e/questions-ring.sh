#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A question rings on the terminal where it appears, and in ambit watch: the bell everywhere, a
# notification only where the terminal is known to show one. "bell": false is quiet.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

unset TMUX STY TERM_PROGRAM KITTY_WINDOW_ID WT_SESSION VTE_VERSION
settings=$XDG_CONFIG_HOME/ambit/config.json
osc777="\\e]777;notify;ambit;asks: write $OUT/"
osc9="\\e]9;ambit asks: write $OUT/"

# asks STEP...: a command asks on a terminal, and Enter is a no.
asks() { PERSON_STATUS=1 person "$@" 'wait:ambit> ' "send:\\r" end -- "$AMBIT" run -- touch "$OUT/x"; }

TERM=xterm asks "wait:\\x07" wait:outside/x never:777 "never:\\e]9;"
TERM=foot asks "wait:\\x07${osc777}x\\e\\\\" wait:outside/x
TERM=xterm TERM_PROGRAM=iTerm.app asks "wait:\\x07${osc9}x\\e\\\\" wait:outside/x
TERM=foot TMUX=x asks "wait:\\x07" wait:outside/x never:777
echo '{"bell": false}' >"$settings"
TERM=foot asks wait:outside/x "never:\\x07" never:777
# It is the person's to be quiet: a file in the folder has no say.
rm "$settings"
echo '{"bell": false}' >.ambit.json
status 1 "$AMBIT" settings
complains "would widen"
rm .ambit.json
[[ ! -e $OUT/x ]] || fail "written"

# watches STEP...: ambit watch on a terminal, while a command without one asks. The bell comes
# behind the picture. A watcher who leaves has not answered: the call is refused.
watches() {
	person "wait:ambit watch" "$run" "wait:1 question" "$@" -- "$AMBIT" watch
	eventually grep -q 1 "$TEST_DIR/ended"
	rm "$TEST_DIR/ended"
}
run="do:(sleep 0.1; \"\$AMBIT\" run --quiet -- touch '$OUT/y' </dev/null >/dev/null 2>&1; echo \$? >'$TEST_DIR/ended') &"
export AMBIT
TERM=xterm watches "wait:\\x07" send:^C end never:777
TERM=foot watches "wait:\\x07${osc777}y\\e\\\\" send:^C end
echo '{"bell": false}' >"$settings"
TERM=foot watches send:^C end "never:\\x07" never:777
[[ ! -e $OUT/y ]] || fail "written"
