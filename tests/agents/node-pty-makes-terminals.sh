#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# node-pty, by which agents give their shell tool a terminal: it opens one, has a controlling
# terminal there, passes keys and sizes on, and asks nobody.
. "${0%/*}/../e2e/line.bash"

cat >drive.js <<END
const pty = require('$AGENTS/node_modules/@lydell/node-pty');
const script = 'trap changed=1 WINCH; tty; stty size; until [[ -n \$changed ]]; do sleep 0.05; done; ' +
	'stty size; read -r word; echo "got \$word"; echo named >"\$(tty)"; tty -s </dev/tty && echo controlling';
const terminal = pty.spawn('bash', ['--norc', '--noprofile', '-c', script], { cols: 91, rows: 33 });
let shown = '', resized = false;
terminal.onData(data => {
	shown += data;
	if (!resized && shown.includes('33 91')) {
		resized = true;
		terminal.resize(70, 20);
		terminal.write('word\\r');
	}
});
terminal.onExit(end => { process.stdout.write(shown); process.exit(end.exitCode); });
END
node drive.js | grep -q controlling || fail "node-pty does not work without ambit either"
held 0 -- node drive.js
for text in /dev/pts/ '20 70' 'got word' named controlling; do says "$text"; done
[[ -z $errout ]] || fail "$errout"

# A refusal reaches whoever reads the terminal: the agent, and its model.
cat >refused.js <<END
const pty = require('$AGENTS/node_modules/@lydell/node-pty');
const terminal = pty.spawn('bash', ['--norc', '--noprofile', '-c', 'echo x >"$OUT/x"; echo own words'], { cols: 80, rows: 30 });
let shown = '';
terminal.onData(data => { shown += data; });
terminal.onExit(() => { process.stdout.write(shown); });
END
held 0 -- node refused.js
says "ambit: write $OUT/x was refused (Outside): "
says 'own words'
[[ ! -e $OUT/x ]] || fail "made"
