// SPDX-License-Identifier: Apache-2.0
// node notes-mcp.js FILE: an MCP server on standard input and output with one tool, keep_word, which
// writes the word that it is given into FILE.
'use strict';
const fs = require('fs');
const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
const answers = {
	initialize: params => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} },
		serverInfo: { name: 'notes', version: '1' } }),
	'tools/list': () =>
		({ tools: [{ name: 'keep_word', description: 'Keeps a word', inputSchema: schema }] }),
	'tools/call': params => {
		fs.writeFileSync(process.argv[2], params.arguments.word + '\n');
		return { content: [{ type: 'text', text: 'kept ' + params.arguments.word }] };
	},
	ping: () => ({}),
};
require('readline').createInterface({ input: process.stdin }).on('line', line => {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined)
		return;
	const answer = answers[method] ? { result: answers[method](params || {}) }
		: { error: { code: -32601, message: 'no such method' } };
	process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\n');
});
