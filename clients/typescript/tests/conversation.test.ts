/**
 * A whole conversation with a real server, by every method that the client has.
 *
 *     ANTEFIX_URL=… ANTEFIX_TOKEN_FILE=… PROJECT=… node tests/conversation.test.ts
 *
 * The server works in PROJECT, a directory with an AGENTS.md that says "Use tabs.", and has nothing in its store.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";

import {
  AntefixError,
  BadRequest,
  Client,
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PreconditionFailed,
  Problem,
  Unauthorized,
  Unavailable,
  Unreachable,
  request,
} from "../src/index.ts";

const instructions = join(process.env.PROJECT ?? "", "AGENTS.md");
const template = "You help Ada.\n[file:AGENTS.md]";

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test("from the first turn to the last", async () => {
  const client = new Client();
  assert.ok((await client.alive()) && (await client.ready()));
  assert.ok((await client.variables()).some((variable) => variable.name === "cwd"));

  // A template is saved by whoever saw the last one.
  const own = await client.template();
  assert.equal(own.from, "layout");
  const saved = await client.saveTemplate(template, { ifMatch: own.digest, author: "José Ørsted 明" });
  assert.deepEqual([saved.number, saved.author], [1, "José Ørsted 明"]);
  const late = await client.saveTemplate("Mine.", { ifMatch: own.digest }).catch((error: unknown) => error);
  assert.ok(late instanceof PreconditionFailed);
  assert.deepEqual([late.status, late.type, late.name], [412, "urn:antefix:conflict", "PreconditionFailed"]);
  assert.equal(late.error, "Somebody else saved the template meanwhile");
  assert.match(late.hint ?? "", /save again with its ETag/);

  // Open it, and get the same bytes again.
  const id = "chat 7/ä?#%";
  const model = "claude-opus-5";
  const first = await client.turn(id, { model, target: "anthropic", tools: ["read", { name: "edit" }] });
  const prefix = "You help Ada.\nUse tabs.\n";
  const said = (first.fragment as { system: { text: string }[] }).system.map((block) => block.text);
  // The fragment has the prefix, so that nothing else of the answer has it.
  assert.deepEqual([first.began, "prefix" in first, "suffix" in first, said], [true, false, false, [prefix]]);
  const again = await client.turn(id, { model });
  assert.deepEqual([again.began, again.prefix, again.suffix], [false, prefix, ""]);
  assert.equal(await client.prefix(id), prefix);
  assert.equal((await client.standing(id)).prefix, prefix);

  // The instructions change: the bytes stay, and the change is pending until the conversation is renewed.
  writeFileSync(instructions, "Use spaces.\n");
  const after = await client.turn(id);
  assert.equal(after.prefix, prefix);
  assert.deepEqual(after.pending.map((change) => change.kind), ["file-changed"]);
  assert.deepEqual((await client.drift(id, { model })).changes.map((change) => change.kind), ["file-changed"]);
  const shown = await client.preview({ conversation: id });
  assert.deepEqual([shown.prefix.text, shown.change?.conversation], ["You help Ada.\nUse spaces.\n", id]);
  const begun = await client.renew(id, { cause: "reloaded" });
  assert.deepEqual([begun.began, begun.epoch.number], [true, 2]);
  assert.equal((await client.renew(id)).began, false);
  assert.equal((await client.turn(id)).prefix, "You help Ada.\nUse spaces.\n");

  // A message waits for one turn, and comes again if the turn is asked for again.
  assert.equal((await client.send(id, "The build is red.")).number, 1);
  const texts = (messages: { text: string }[]) => messages.map((message) => message.text);
  assert.deepEqual(texts((await client.conversation(id)).waiting), ["The build is red."]);
  for (let count = 0; count < 2; count += 1) {
    assert.deepEqual(texts((await client.turn(id, { turn: "t-9" })).messages), ["The build is red."]);
  }
  assert.deepEqual((await client.turn(id)).messages, []);

  // What applies to a path is answered once; this layout has no files that wait for one.
  assert.equal((await client.touch(id, ["sub/x"])).notice, null);
  assert.deepEqual((await client.turn(id, { touch: ["sub/x"] })).messages, []);

  // It is in every request at its place, whoever keeps the messages.
  const history = [{ role: "user", content: "Go on." }];
  const queued = { role: "user", content: "The build is red." };
  const kept = request(await client.turn(id, { target: "ollama" }), { model: "m", messages: history });
  assert.deepEqual([kept.model, kept.messages.slice(1)], ["m", [...history, queued]]);
  const handed = request(await client.turn(id, { target: "ollama", messages: history }), { model: "m" });
  assert.deepEqual(handed, kept);
  const longer = [...history, { role: "assistant", content: "Done." }];
  const later = request(await client.turn(id, { target: "ollama", messages: longer }), {});
  assert.deepEqual((later["messages"] as unknown[]).slice(1), [...history, queued, longer[1]]);
  const blocks = [{ role: "user", content: [{ text: "Go on." }] }];
  const joined = request(await client.turn(id, { target: "bedrock" }), { messages: blocks });
  assert.deepEqual(joined.messages, [{ role: "user", content: [{ text: "Go on." }, { text: "The build is red." }] }]);
  assert.deepEqual(blocks, [{ role: "user", content: [{ text: "Go on." }] }]);
  const plain = await client.turn(id);
  assert.throws(() => request(plain, {}));

  // Compaction in two steps: one that fails, one that succeeds, and asking again gets what it made.
  const failing = await client.beginCompaction(id, { target: "ollama", messages: longer });
  const asked = request(failing, {})["messages"] as { role: string; content: string }[];
  assert.deepEqual([failing.form, asked.slice(1)], ["system", [...history, queued, longer[1]]]);
  assert.match(asked[0]?.content ?? "", /You shorten a conversation/);
  await client.abortCompaction(id, failing.token);
  writeFileSync(instructions, "Use both.\n");
  const { token } = await client.beginCompaction(id);
  assert.equal((await client.commitCompaction(id, token)).epoch.cause, "compacted");
  assert.equal((await client.commitCompaction(id, token)).epoch.number, 3);
  await assert.rejects(client.commitCompaction(id, "another"), Conflict);

  // The ledger, in pages of one.
  const causes = (await all(client.epochs(id, { page: 1 }))).map((epoch) => epoch.cause);
  assert.deepEqual(causes, ["opened", "reloaded", "compacted"]);
  assert.equal((await client.epoch(id, 1)).prefix, prefix);
  assert.equal((await client.diff(id, 1, 2, { model }))?.kept_bytes, "You help Ada.\nUse ".length);
  assert.equal(await client.diff(id, 1, 1), null);
  await client.turn("a");
  await client.turn("z");
  const ids = (rows: { conversation: string }[]) => rows.map((row) => row.conversation);
  assert.deepEqual(ids(await all(client.conversations({ page: 1 }))), ["a", id, "z"]);
  assert.deepEqual(ids(await all(client.conversations({ after: "a" }))), [id, "z"]);

  // What came back is explained, by receipts or by the ledger.
  const usage = { input_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 9 };
  const { receipt } = first;
  assert.ok(receipt);
  assert.equal((await client.why({ usage, receipt })).expected.parting.code, "first");
  const verdict = await client.why({ usage, conversation: id, target: "anthropic", epochs: [1, 2] });
  assert.equal(verdict.expected.parting.code, "system_changed");

  // Requests of any agent are compared without receipts.
  const body = { model: "claude-opus-5", messages: [], system: "Use tabs." };
  const observed = await client.whyRequests({ before: body, now: { ...body, system: "Use spaces." } });
  assert.equal(observed.requests[1]?.judgment.outcome, "not-told");

  // The provider is asked to compare a turn with the response before it.
  assert.equal(client.answered(id, { id: 7 }), undefined);
  assert.equal(client.answered(id, { id: "msg_1" }), "msg_1");
  const compared = await client.turn(id, { target: "anthropic", model: "claude-opus-5" });
  assert.deepEqual((compared.fragment as { diagnostics?: unknown }).diagnostics, { previous_message_id: "msg_1" });
  await assert.rejects(client.turn(id, { target: "anthropic", previous_response: "made up" }), BadRequest);

  // What a provider would refuse is found before it is sent.
  const agents = await client.agents({ tokens: false });
  assert.ok(agents.agents.some((agent) => agent.files.some((file) => file.path === "AGENTS.md")));
  assert.deepEqual((await client.agents({ name: "codex" })).agents.map((agent) => agent.name), ["codex"]);
  git(dirname(instructions));
  writeFileSync(instructions, "Use neither.\n");
  assert.equal((await client.compare({ range: "HEAD", model: "gpt-5.6" })).changed, true);
  await assert.rejects(client.compare({ range: "nowhere" }), NotFound);
  assert.deepEqual(await client.check({ target: "anthropic", messages: [{ role: "user", content: "Hello." }] }), []);
  const refused = await client.checkRequest({ target: "anthropic", request: { messages: [] } });
  assert.deepEqual(refused.map((one) => [one.refused?.rule, one.refused?.pointer]), [["messages-not-empty", "/messages"]]);

  // A ledger is carried to where its name is free, and only there.
  const lines = await client.export(id);
  assert.equal((await client.importLedgers(lines))[0]?.known, 3);
  assert.equal((await client.delete(id)).epochs, 3);
  await assert.rejects(client.delete(id), NotFound);
  assert.deepEqual((await client.importLedgers(lines)).map((one) => [one.conversation, one.epochs]), [[id, 3]]);
  assert.equal(await client.export(id), lines);

  // Nobody has been away for long.
  const found = await client.gc({ older_than: "90d", delete: true });
  assert.deepEqual([found.conversations, found.deleted], [0, true]);
  assert.equal((await client.gc()).texts, 0);

  // The history leads back.
  await client.saveTemplate("You help Bob.\n");
  assert.deepEqual((await all(client.history({ page: 1 }))).map((one) => one.number), [2, 1]);
  assert.equal((await client.label(1, "known good")).label, "known good");
  assert.equal((await client.saved(saved.digest)).template, template);
  assert.equal((await client.rollBack(1, { author: "Ada" })).template, template);
  assert.equal((await client.label(1, null)).label, undefined);
  assert.equal((await client.deleteTemplate({ author: "Ada" })).from, "layout");
});

test("every error has a type", async () => {
  const client = new Client();
  await assert.rejects(client.conversation("nobody"), NotFound);
  await assert.rejects(client.conversation(" "), BadRequest);
  await assert.rejects(client.conversation(".."), AntefixError);
  await assert.rejects(client.turn("c", { cwd: "/" }), Forbidden);
  const invalid = await client.preview({ template: "{{ 1 +", dialect: "jinja" }).catch((error: unknown) => error);
  assert.ok(invalid instanceof Invalid && invalid.diagnostics.length === 1);
  await assert.rejects(new Client({ token: "another" }).template(), Unauthorized);
  assert.throws(() => new Client({ base: "ftp://example.org" }), AntefixError);
});

/** How often a server that gives these answers is asked, and what the client makes of it. */
async function asked(answers: string[], call: "turn" | "send"): Promise<[number, unknown]> {
  let count = 0;
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.end(answers[count] ?? "");
      count += 1;
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const client = new Client({ base: `http://127.0.0.1:${port}`, token: "token", retries: 2 });
  const result = await (call === "turn" ? client.turn("c") : client.send("c", "x")).catch((error: unknown) => error);
  await new Promise((done) => server.close(done));
  return [count, result];
}

/** Makes a repository of a directory, with one commit. */
function git(directory: string): void {
  for (const words of [["init", "-q"], ["add", "AGENTS.md"], ["commit", "-qm", "one"]]) {
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], { cwd: directory });
  }
}

test("requests are sent again only where that is safe", async () => {
  const answer = (status: number, body: string, headers = "") =>
    `HTTP/1.1 ${status} Words\r\n${headers}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const problem = (word: string) =>
    JSON.stringify({ type: `urn:antefix:${word}`, title: "Words", status: 503, error: "No." });
  const well = answer(200, "{}");
  const lost = "";
  const busy = answer(503, problem("busy"), "Retry-After: 0\r\n");
  const away = answer(503, problem("unreachable"), "Retry-After: 0\r\n");
  const never = answer(503, problem("busy"), "Retry-After: 3600\r\n");
  const silent = answer(503, problem("refused"));
  const rows: ["turn" | "send", string[], typeof AntefixError | typeof Problem | undefined][] = [
    ["turn", [lost, well], undefined],
    ["turn", [away, lost, well], undefined],
    ["turn", [busy, busy, busy], Unavailable],
    ["turn", [lost, lost, lost], Unreachable],
    ["turn", [never], Unavailable],
    ["turn", [silent], Unavailable],
    ["turn", [answer(500, "<html>")], Problem],
    ["turn", [answer(200, "<html>")], Unreachable],
    ["send", [busy, well], undefined],
    ["send", [lost], Unreachable],
    ["send", [away], Unavailable],
  ];
  for (const [call, answers, expected] of rows) {
    const [count, result] = await asked(answers, call);
    assert.equal(count, answers.length, `${call}: ${answers}`);
    assert.equal(result instanceof AntefixError ? result.constructor : undefined, expected, `${call}: ${answers}`);
  }
});

test("no server is not alive", async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  const client = new Client({ base: `http://127.0.0.1:${port}`, token: "token" });
  assert.deepEqual([await client.alive(), await client.ready()], [false, false]);
});
