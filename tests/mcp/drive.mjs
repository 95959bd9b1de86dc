// SPDX-License-Identifier: Apache-2.0
// drive.mjs v1|v2|v2-auto FOLDER OUTSIDE: the official client drives a real server.
// What it promises is looked for in the files. The client itself checks messages
// against its schemas, and structured results against the tools' output schemas.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, , kind, folder, outside] = process.argv;
const ambit = process.env.AMBIT;
const v1 = kind === "v1";
const modern = kind === "v2-auto";

const { Client } = v1
	? await import("@modelcontextprotocol/sdk/client/index.js")
	: await import("@modelcontextprotocol/client");
const { StdioClientTransport } = v1
	? await import("@modelcontextprotocol/sdk/client/stdio.js")
	: await import("@modelcontextprotocol/client/stdio");
const elicit = v1
	? (await import("@modelcontextprotocol/sdk/types.js")).ElicitRequestSchema
	: "elicitation/create";

const list = v1
	? (await import("@modelcontextprotocol/sdk/types.js")).ListRootsRequestSchema
	: "roots/list";

const asked = [];
let answer = { action: "decline" };

async function connect(forms, root, ...args) {
	const client = new Client(
		{ name: `ambit-test-${kind}`, version: "1" },
		{
			capabilities: {
				...(forms ? { elicitation: { form: {} } } : {}),
				...(root ? { roots: {} } : {}),
			},
			...(modern ? { versionNegotiation: { mode: "auto" } } : {}),
		});
	client.onerror = (error) => assert.fail(`the client complains: ${error}`);
	if (forms)
		client.setRequestHandler(elicit, async (request) => {
			asked.push(request.params);
			return answer;
		});
	if (root)
		client.setRequestHandler(list, async () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
	await client.connect(new StdioClientTransport({
		command: ambit,
		args: ["mcp", "--folder", folder, ...args],
		env: process.env,
		stderr: "inherit",
	}));
	return client;
}

const inside = (name) => path.join(folder, name);
const beyond = (name) => path.join(outside, name);
const call = (client, name, args, options) => v1
	? client.callTool({ name, arguments: args }, undefined, options)
	: client.callTool({ name, arguments: args }, options);
const choose = (name) => ({ action: "accept", content: { answer: name } });

async function eventually(what, condition) {
	for (let n = 0; n < 600; n++) {
		if (condition())
			return;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	assert.fail(`never so: ${what}`);
}

function running(mark) {
	return fs.readdirSync("/proc").some((pid) => {
		try {
			return /^\d+$/.test(pid) && Number(pid) !== process.pid &&
				fs.readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(mark);
		} catch {
			return false;
		}
	});
}

const client = await connect(true, null, "--session", kind);
assert.equal(client.getServerVersion().name, "ambit");
assert.match(client.getInstructions(), /Your scope/);
const era = modern ? "2026-07-28" : "2025-11-25";
if (client.getNegotiatedProtocolVersion)
	assert.equal(client.getNegotiatedProtocolVersion(), era);

// The list has what a tool needs, in the same order each time.
const { tools } = await client.listTools();
assert.equal(tools.length, 17);
assert.deepEqual((await client.listTools()).tools, tools);
for (const tool of tools)
	assert.equal(tool.outputSchema.type, "object", tool.name);

// Prompts: a person's slash commands, which show.
const { prompts } = await client.listPrompts();
assert.deepEqual(prompts.map((prompt) => prompt.name), ["agent", "perm", "perms", "sandbox"]);
const shown = await client.getPrompt({ name: "perm", arguments: { tool: "read" } });
assert.match(shown.messages[0].content.text, /^read: allow \(default\)$/m);
await assert.rejects(client.getPrompt({ name: "nothing" }));

// Each of the quick tools does what it says; the client validates what it returns.
let result = await call(client, "write", { file_path: "a.txt", content: "one\ntwo\n" });
assert.equal(result.isError, false);
assert.equal(fs.readFileSync(inside("a.txt"), "utf8"), "one\ntwo\n");
result = await call(client, "read", { file_path: "a.txt" });
assert.match(result.content[0].text, /one/);
assert.match(result.structuredContent.text, /two/);
await call(client, "edit", { file_path: "a.txt", old_string: "two", new_string: "2" });
await call(client, "multi_edit", {
	file_path: "a.txt", edits: [{ old_string: "one", new_string: "1" }],
});
assert.equal(fs.readFileSync(inside("a.txt"), "utf8"), "1\n2\n");
await call(client, "apply_patch", {
	patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-2\n+two\n*** End Patch\n",
});
assert.equal(fs.readFileSync(inside("a.txt"), "utf8"), "1\ntwo\n");
await call(client, "copy", { src: "a.txt", dst: "b.txt" });
await call(client, "move", { src: "b.txt", dst: "c.txt" });
await call(client, "delete", { path: "a.txt" });
assert.deepEqual(fs.readdirSync(folder), ["c.txt"]);
for (const [name, args] of [["ls", {}], ["glob", { pattern: "*.txt" }], ["grep", { pattern: "tw." }]]) {
	result = await call(client, name, args);
	assert.equal(result.isError, false, name);
	assert.match(JSON.stringify(result.structuredContent), /c\.txt/, name);
}
result = await call(client, "bash", { command: "echo out; echo err >&2; exit 3" });
assert.equal(result.structuredContent.exit_code, 3);
assert.equal(result.structuredContent.stdout, "out\n");

// What fails is a result; what is no call is an error.
result = await call(client, "read", { file_path: "no-such" });
assert.equal(result.isError, true);
assert.equal(result.structuredContent.error, "BadArguments");
await assert.rejects(call(client, "no_such_tool", {}), /Unknown tool/);

// The person is asked through the client; both answers hold.
answer = { action: "decline" };
result = await call(client, "write", { file_path: beyond("no"), content: "x" });
assert.equal(result.isError, true);
assert.equal(fs.existsSync(beyond("no")), false);
answer = choose("once");
result = await call(client, "write", { file_path: beyond("yes"), content: "x" });
assert.equal(result.isError, false, JSON.stringify(result));
assert.equal(fs.existsSync(beyond("yes")), true);
assert.equal(asked.length, 2);
assert.ok(asked[1].message.includes(beyond("yes")), asked[1].message);

// Also about what a command tries while it runs, which goes on with the answer.
result = await call(client, "bash", { command: `echo x >>runs; echo x >${beyond("crossed")} && echo over` });
assert.equal(result.structuredContent?.stdout, "over\n", JSON.stringify(result));
assert.equal(fs.existsSync(beyond("crossed")), true);
assert.equal(fs.readFileSync(inside("runs"), "utf8"), "x\n");
answer = { action: "decline" };
result = await call(client, "bash", { command: `echo x >${beyond("not-crossed")}` });
assert.equal(result.structuredContent.exit_code, 1, JSON.stringify(result));
assert.equal(fs.existsSync(beyond("not-crossed")), false);
assert.equal(asked.length, 4);

// And in the background: in the newest version it is asked when somebody looks.
answer = choose("once");
result = await call(client, "bash", { command: `echo x >${beyond("behind")}`, background: true });
const { id } = result.structuredContent;
do
	result = await call(client, "bash_output", { id, wait: 20000 });
while (result.structuredContent.running);
assert.equal(result.structuredContent.exit_code, 0, JSON.stringify(result));
assert.equal(fs.existsSync(beyond("behind")), true);
assert.equal(asked.length, 5);

// Progress comes, and cancelling ends the command.
const mark = `mark-${kind}-${process.pid}`;
const abort = new AbortController();
let progress = 0;
const long = call(client, "bash", { command: `touch began; while :; do echo x; sleep 0.1; done # ${mark}` }, {
	signal: abort.signal,
	onprogress: () => progress++,
});
long.catch(() => {});
await eventually("progress", () => progress > 0 && fs.existsSync(inside("began")));
assert.ok(running(mark));
abort.abort("enough");
await assert.rejects(long);
await eventually("the command is gone", () => !running(mark));
assert.equal((await call(client, "read", { file_path: "c.txt" })).isError, false);

// Many at once.
const many = await Promise.all(Array.from({ length: 50 }, (_, n) =>
	call(client, "write", { file_path: `many/${n}`, content: `${n}` })));
assert.ok(many.every((one) => one.isError === false));
assert.equal(fs.readdirSync(inside("many")).length, 50);
const { pid } = client.transport;
await client.close();
await eventually("the server is gone", () => !fs.existsSync(`/proc/${pid}`));

// A client that shows no forms: refused, and the words say what a person can do.
const plain = await connect(false, null, "--session", `${kind}-plain`);
result = await call(plain, "write", { file_path: beyond("plain"), content: "x" });
assert.equal(result.isError, true);
assert.match(result.content[0].text, /ambit rules add write/);
assert.equal(fs.existsSync(beyond("plain")), false);
await plain.close();

// A client that says what it works on: of the folder, no more than that is open.
fs.mkdirSync(inside("part one"));
const rooted = await connect(false, inside("part one"), "--session", `${kind}-roots`);
result = await call(rooted, "write", { file_path: "part one/x", content: "x" });
assert.equal(result.isError, false, JSON.stringify(result));
result = await call(rooted, "write", { file_path: "rest", content: "x" });
assert.equal(result.isError, true);
assert.match(result.content[0].text, /the client's roots \(part one\)/);
await call(rooted, "bash", { command: "echo x >'part one/y'; echo x >rest" });
assert.equal(fs.existsSync(inside("part one/y")), true);
assert.equal(fs.existsSync(inside("rest")), false);
await rooted.close();
console.log(`ok   ${kind}`);
process.exit(0);
