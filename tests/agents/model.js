// SPDX-License-Identifier: Apache-2.0
// node model.js SCRIPT LOG PORTFILE: a scripted model on the loopback, for real coding agents. It
// speaks Anthropic Messages, OpenAI Responses and Chat Completions, and Gemini generateContent,
// streaming or not. SCRIPT is a JSON list of steps: {"shell": COMMAND}, {"write": PATH, "content":
// TEXT}, {"mcp": TOOL, "arguments": {}}. A step becomes a call of the tool that the agent offers for
// it; a step without such a tool is left out. A request is part of the task if it offers tools and
// has the word TASK in it; its step is the number of tool results in it, so nothing is kept between
// two requests. Each result that comes back is a line in LOG: {"step", "told"}. Every other request
// (titles, token counts, lists of models) is answered with a short text.
'use strict';
const fs = require('fs');
const http = require('http');
const [script, log, portFile] = process.argv.slice(2);
const FINAL = 'The task is done.';

const NAMES = {
	shell: /^(bash|exec_command|shell_command|shell|local_shell|run_shell_command)$/i,
	write: /^(write|write_file|create|apply_patch)$/i,
	search: /^tool_?search/i,
};

// -- the steps ----------------------------------------------------------------------------

// The arguments that the tool has, of those given by lower-case names; what else it requires, too.
function fillArguments(schema, given) {
	const filled = {};
	for (const [name, property] of Object.entries(schema.properties || {})) {
		const value = given[name.toLowerCase().replace(/_/g, '')];
		if (value !== undefined)
			filled[name] = property.type === 'array' ? ['bash', '-lc', value] : value;
		else if ((schema.required || []).includes(name))
			filled[name] = { boolean: false, number: 60 }[property.type] ?? 'for the task';
	}
	return filled;
}

function makePatch(step) {
	const lines = step.content.split('\n').map(line => '+' + line).join('\n');
	return `*** Begin Patch\n*** Add File: ${step.write}\n${lines}\n*** End Patch\n`;
}

// An MCP tool that the agent has but does not offer: it is to be searched for first, and what the
// search brought can be called by its name.
function searchTool(step, tools, found) {
	const name = new RegExp(`[\\w.-]*${step.mcp}`).exec(found);
	if (name)
		return { name: name[0], arguments: step.arguments };
	const search = found === '' && tools.find(tool => NAMES.search.test(tool.name));
	const given = { query: step.mcp, limit: 5, maxresults: 5 };
	return search && { name: search.name, special: search.special, search: true,
		arguments: fillArguments(search.schema, given) };
}

// The call of a step: { name, namespace?, arguments }, or { name, input } for a free-form tool.
function makeCall(step, tools, found) {
	const kind = Object.keys(step)[0];
	const tool = tools.find(({ name }) =>
		kind === 'mcp' ? name.endsWith(step.mcp) : NAMES[kind].test(name));
	if (!tool)
		return kind === 'mcp' ? searchTool(step, tools, found) : null;
	const { name, namespace } = tool;
	if (kind === 'mcp')
		return { name, namespace, arguments: step.arguments };
	if (tool.freeform)
		return { name, input: makePatch(step) };
	const given = kind === 'shell' ? { command: step.shell, cmd: step.shell } : {
		filepath: step.write, path: step.write, content: step.content, filetext: step.content,
	};
	return { name, namespace, arguments: fillArguments(tool.schema, given) };
}

let ids = 0;
const makeId = prefix => `${prefix}${process.pid}_${++ids}`;
// A search for tools is no step. Its result is known by the call's id (Gemini: by its name).
const callId = call => makeId(call.search ? 'search_' : 'call_');
const isSearch = result => /^(search_|tool_?search)/i.test(result.of);

// -- the dialects: the tools on offer, the results that came back, and an answer --------------

function textOf(value) {
	if (Array.isArray(value))
		return value.map(textOf).join('\n');
	if (!value || typeof value !== 'object')
		return String(value ?? '');
	const inner = value.text ?? value.content ?? value.output ?? value.error;
	return inner === undefined ? JSON.stringify(value) : textOf(inner);
}

const anthropic = {
	tools: body => (body.tools || []).filter(tool => tool.input_schema)
		.map(tool => ({ name: tool.name, schema: tool.input_schema })),
	results: body => body.messages.flatMap(({ content }) => Array.isArray(content) ? content : [])
		.filter(part => part.type === 'tool_result')
		.map(part => ({ of: part.tool_use_id, told: textOf(part.content) })),
	answer(body, call, response) {
		const message = { id: makeId('msg_'), type: 'message', role: 'assistant', model: body.model,
			content: [], stop_reason: null, stop_sequence: null,
			usage: { input_tokens: 10, output_tokens: 5 } };
		const stop = { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null };
		const block = call ? { type: 'tool_use', id: callId(call), name: call.name, input: {} }
			: { type: 'text', text: '' };
		const full = call ? { ...block, input: call.arguments } : { ...block, text: FINAL };
		const delta = call ? { type: 'input_json_delta', partial_json: JSON.stringify(full.input) }
			: { type: 'text_delta', text: FINAL };
		if (!body.stream)
			return sendJson(response, { ...message, ...stop, content: [full] });
		sendEvents(response, [
			{ type: 'message_start', message },
			{ type: 'content_block_start', index: 0, content_block: block },
			{ type: 'content_block_delta', index: 0, delta },
			{ type: 'content_block_stop', index: 0 },
			{ type: 'message_delta', delta: stop, usage: { output_tokens: 5 } },
			{ type: 'message_stop' },
		]);
	},
};

const itemsOf = body => Array.isArray(body.input) ? body.input : [];
const responses = {
	tools(body) {
		const loaded = itemsOf(body).flatMap(item =>
			item.type === 'tool_search_output' ? item.tools || [] : []);
		return [...(body.tools || []), ...loaded].flatMap(tool => {
			const schema = tool.parameters || {};
			if (tool.type === 'namespace')
				return (tool.tools || []).map(inner =>
					({ name: inner.name, namespace: tool.name, schema: inner.parameters }));
			if (tool.type === 'tool_search')
				return [{ name: 'tool_search', special: true, schema }];
			return [{ name: tool.name || tool.type, schema, freeform: tool.type === 'custom' }];
		});
	},
	results: body => itemsOf(body).filter(item => /_call_output$/.test(item.type))
		.map(item => ({ of: item.call_id, told: textOf(item.output) })),
	makeItem(call) {
		if (!call)
			return { type: 'message', id: makeId('msg_'), role: 'assistant',
				content: [{ type: 'output_text', text: FINAL, annotations: [] }] };
		const item = { id: makeId('item_'), call_id: callId(call), name: call.name };
		if (call.special)
			return { ...item, type: 'tool_search_call', execution: 'client',
				arguments: call.arguments };
		if (call.input !== undefined)
			return { ...item, type: 'custom_tool_call', input: call.input };
		return { ...item, type: 'function_call', namespace: call.namespace,
			arguments: JSON.stringify(call.arguments) };
	},
	answer(body, call, response) {
		const item = { ...this.makeItem(call), status: 'completed' };
		const whole = { id: makeId('resp_'), object: 'response', created_at: 1, model: body.model,
			status: 'completed', output: [item],
			usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 0 },
				output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 } };
		if (!body.stream)
			return sendJson(response, whole);
		sendEvents(response, [
			{ type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
			{ type: 'response.output_item.added', output_index: 0, item },
			{ type: 'response.output_item.done', output_index: 0, item },
			{ type: 'response.completed', response: whole },
		]);
	},
};

const chat = {
	tools: body => (body.tools || [])
		.map(tool => ({ name: tool.function.name, schema: tool.function.parameters || {} })),
	results: body => body.messages.filter(message => message.role === 'tool')
		.map(message => ({ of: message.tool_call_id, told: textOf(message.content) })),
	answer(body, call, response) {
		const message = { role: 'assistant', content: call ? null : FINAL };
		if (call)
			message.tool_calls = [{ index: 0, id: callId(call), type: 'function',
				function: { name: call.name, arguments: JSON.stringify(call.arguments) } }];
		const whole = { id: makeId('chatcmpl-'), created: 1, model: body.model };
		const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
		const finish = call ? 'tool_calls' : 'stop';
		if (!body.stream)
			return sendJson(response, { ...whole, object: 'chat.completion', usage,
				choices: [{ index: 0, message, finish_reason: finish }] });
		const chunk = { ...whole, object: 'chat.completion.chunk' };
		sendEvents(response, [
			{ ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
			{ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
			{ ...chunk, choices: [], usage },
			'[DONE]',
		]);
	},
};

const gemini = {
	tools: body => (body.tools || []).flatMap(tool => tool.functionDeclarations || [])
		.map(tool => ({ name: tool.name, schema: tool.parametersJsonSchema || tool.parameters || {} })),
	results: body => body.contents.flatMap(content => content.parts || [])
		.filter(part => part.functionResponse).map(({ functionResponse }) =>
			({ of: functionResponse.name, told: textOf(functionResponse.response) })),
	answer(body, call, response, stream) {
		const part = call ? { functionCall: { name: call.name, args: call.arguments } }
			: { text: FINAL };
		const whole = { modelVersion: 'scripted',
			candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
			usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 } };
		return stream ? sendEvents(response, [whole]) : sendJson(response, whole);
	},
};

// -- the server -----------------------------------------------------------------------------

function sendJson(response, value) {
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(JSON.stringify(value));
}

function sendEvents(response, events) {
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	for (const event of events)
		response.write((event.type ? `event: ${event.type}\n` : '') +
			`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
	response.end();
}

function answerModel(dialect, body, response, stream) {
	const offered = dialect.tools(body);
	if (offered.length === 0 || !JSON.stringify(body).includes('TASK'))
		return dialect.answer(body, null, response, stream);
	const results = dialect.results(body);
	const told = results.filter(result => !isSearch(result));
	if (told.length > 0)
		fs.appendFileSync(log,
			JSON.stringify({ step: told.length - 1, told: told[told.length - 1].told }) + '\n');
	const found = results.filter(isSearch).map(result => result.told || 'nothing').join(' ');
	const calls = JSON.parse(fs.readFileSync(script, 'utf8'))
		.map(step => makeCall(step, offered, found)).filter(Boolean);
	dialect.answer(body, calls[told.length], response, stream);
}

function route({ url, method }, body, response) {
	if (/count_?tokens/i.test(url))
		return sendJson(response, { input_tokens: 10, totalTokens: 10 });
	if (/\/messages/.test(url))
		return answerModel(anthropic, body, response);
	if (/\/responses/.test(url) && method === 'POST')
		return answerModel(responses, body, response);
	if (/\/chat\/completions/.test(url))
		return answerModel(chat, body, response);
	if (/generateContent/i.test(url))
		return answerModel(gemini, body, response, /stream/i.test(url));
	sendJson(response, { object: 'list', data: [], models: [] });
}

const server = http.createServer((request, response) => {
	let text = '';
	request.on('data', data => { text += data; });
	request.on('end', () => {
		try {
			route(request, text.startsWith('{') ? JSON.parse(text) : {}, response);
		} catch (error) {
			fs.appendFileSync(log, JSON.stringify({ error: String(error.stack) }) + '\n');
			response.writeHead(500);
			response.end(String(error));
		}
	});
});
server.listen(0, '127.0.0.1', () => fs.writeFileSync(portFile, server.address().port + '\n'));
