#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is still a question in a sub-agent's folder, a guard or a host, is put to the one who
# answers its parent's questions, and names the sub-agent. What is outside is none, unless
# children_ask says so; and then a yes is for that child's process, not for its siblings.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir -p a b
approver yes <<'END'
#!/bin/sh
cat >>"${0%/*}/asked"
echo >>"${0%/*}/asked"
echo '{"answer":"once"}'
END
asked=${approver%/*}/asked
questions() { wc -l <"$asked" 2>/dev/null || echo 0; }

# Nobody to ask: no.
spawn 0 hand a "write .envrc x"
[[ ! -e a/.envrc ]] || fail "a guard was written unasked"
# Somebody: asked, by name, and done.
status 0 "$AMBIT" spawn --ask "exec:$approver" --json hand a "write .envrc x
say ok"
[[ -e a/.envrc ]] || fail "a yes has no effect: $out"
grep -q 'sub-agent hand' "$asked" || fail "the question does not say who: $(cat "$asked")"
rm -f a/.envrc "$asked"
# Outside is no question.
status 0 "$AMBIT" spawn --ask "exec:$approver" --json hand a "write ../b/x x
shell echo x >$OUT/x
tool write {\"file_path\":\"b/x\",\"content\":\"x\"}"
[[ ! -e b/x && ! -e $OUT/x ]] || fail "outside was written"
[[ ! -s $asked ]] || fail "outside was asked: $(cat "$asked")"
jq -e '[.deferred[] | select(.code == "OutOfScope")] | length >= 2' <<<"$out" >/dev/null || fail "$out"
# Unless the settings say so.
settings '{"children_ask": true}'
status 0 "$AMBIT" spawn --ask "exec:$approver" --json hand a "write ../b/x x"
[[ -e b/x ]] || fail "children may ask, and did not get it: $out"
grep -q 'b/x' "$asked" || fail "not asked: $(cat "$asked" 2>/dev/null)"
# A file in the folder can take that back, and not give it.
echo '{"children_ask": false}' >.ambit.json
rm -f b/x "$asked"
status 0 "$AMBIT" spawn --ask "exec:$approver" --json hand a "write ../b/x x"
[[ ! -e b/x && ! -s $asked ]] || fail "the folder's no did not hold"
settings
echo '{"children_ask": true}' >.ambit.json
status 1 "$AMBIT" spawn --ask "exec:$approver" --json hand a "write ../b/x x"
[[ ! -e b/x ]] || fail "a file in the folder let children ask"
rm .ambit.json

# At the terminal of whoever runs ambit spawn; his no is one.
person wait:'sub-agent hand' 'wait:ambit> ' send:n -- "$AMBIT" spawn hand a "write .envrc x"
[[ ! -e a/.envrc ]] || fail "a no was not heard"
person wait:'sub-agent hand' 'wait:ambit> ' send:y -- "$AMBIT" spawn hand a "write .envrc x"
[[ -e a/.envrc ]] || fail "a yes was not heard"
rm a/.envrc
# Through MCP's forms.
"$PYTHON" -B - <<'PY'
import os
from mcp import *
client = Client(answer=choose("once"))
client.legacy(capabilities={"elicitation": {}})
good(client.call("run_agent", name="hand", folder="a", task="write .envrc x"))
check(os.path.exists("a/.envrc"), "the client's yes has no effect")
check("hand" in str(client.asked), client.asked)
client.end()
PY

# -- an agent's own state folders: one question, remembered ------------------------------------------
mkdir -p "$TEST_DIR/bin" "$HOME/.claude"
cat >"$TEST_DIR/bin/claude" <<'END'
#!/bin/sh
cat >/dev/null
echo state >"$HOME/.claude/state" || exit 5
echo x >"$HOME/.bashrc" && exit 6
echo '{"type":"result","result":"in claude"}'
END
chmod 755 "$TEST_DIR/bin/claude"
export PATH=$TEST_DIR/bin:$PATH
spawn 5 claude a work
[[ ! -e $HOME/.claude/state ]] || fail "its state folder was open unasked"
rm -f "$asked"
approver session <<'END'
#!/bin/sh
cat >>"${0%/*}/asked"
echo >>"${0%/*}/asked"
echo '{"answer":"file"}'
END
status 0 "$AMBIT" spawn --session kept --ask "exec:$approver" --json claude a work
is .summary "in claude"
[[ -e $HOME/.claude/state && $(questions) == 1 ]] || fail "asked $(questions) times: $(cat "$asked")"
[[ ! -e $HOME/.bashrc ]] || fail "more than its state folders was open"
rm "$HOME/.claude/state"
status 0 "$AMBIT" spawn --session kept --ask "exec:$approver" --json claude a work
[[ -e $HOME/.claude/state && $(questions) == 1 ]] || fail "it was asked again: $(cat "$asked")"
