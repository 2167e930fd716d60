// The agent loop of agent.ts with a server: antefix's client says what to send, the provider's official SDK sends it.
//
//     antefix serve --layout coding-agent               (in the project that the agent works in)
//     npm install && node http_agent.ts                 (Node 22.18 or newer; ANTHROPIC_API_KEY has the key)
//
// ANTEFIX_URL and ANTEFIX_TOKEN name another server than the one on this machine; BASE_URL another one than the provider's.
//
// Watch the last two columns: the prefix is written to the provider's cache once and read from then on, although AGENTS.md
// changes on the way. The change is told as a notice behind the conversation, where it re-bills nothing.

import Anthropic from "@anthropic-ai/sdk";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

// In a project of your own: from "antefix-client".
import { Client, request } from "../../clients/typescript/src/index.ts";

const model = process.argv[2] ?? "claude-opus-5";
const cwd = process.env.PROJECT ?? process.cwd();
const conversation = `example-${process.pid}`;
const antefix = new Client();
const provider = new Anthropic({ baseURL: process.env.BASE_URL });

const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const tools = [{ name: "read", description: "Reads a file of the project.", parameters }];
const messages: Anthropic.MessageParam[] = [];
const questions = ["Where is the parser?", "Who calls it?", "Rename it, please.", "Is there a test for it?"];
console.log("turn  epoch  notices  prefix        read  written");
for (const [at, question] of questions.entries()) {
  // Somebody edits the instructions while the conversation goes on.
  if (at === 2) appendFileSync(join(cwd, "AGENTS.md"), "Indent with spaces from now on.\n");
  messages.push({ role: "user", content: question });
  const now = await antefix.turn(conversation, { cwd, model, target: "anthropic", tools, messages });
  const sent = request(now, { model, max_tokens: 1024 }) as unknown as Anthropic.MessageCreateParamsNonStreaming;
  // Some turns need a beta of the provider's: see `headers`.
  const answer = await provider.messages.create(sent, { headers: now.headers ?? {} });
  const { content, usage } = answer;
  // The next request asks the provider to compare itself with this one.
  antefix.answered(conversation, answer);
  messages.push({ role: "assistant", content });
  const form = String(now.receipt?.prefix_form).slice(-8);
  const cells = [at + 1, now.epoch?.number, now.amendments.length, form];
  const widths = [4, 5, 7, 8, 8, 7];
  const counts = [usage.cache_read_input_tokens ?? 0, usage.cache_creation_input_tokens ?? 0];
  console.log([...cells, ...counts].map((cell, n) => String(cell).padStart(widths[n] ?? 0)).join("  "));
}
