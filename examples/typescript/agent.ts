// An agent loop in TypeScript: antefix says what to send, the provider's official SDK sends it.
//
//     npm install && node agent.ts                      (Node 22.18 or newer; ANTHROPIC_API_KEY has the key)
//     node agent.ts openai-responses gpt-5.6
//
// `antefix` must be on the path, or its place in ANTEFIX_BIN. BASE_URL sends to another server than the provider's.
//
// Watch the last two columns: the prefix is written to the provider's cache once and read from then on, although AGENTS.md
// changes on the way. The change is told as a notice behind the conversation, where it re-bills nothing.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What `antefix turn --json` prints, as far as it is used here. */
interface Turn {
  epoch: { number: number };
  amendments: { text: string }[];
  fragment: object;
  receipt: { prefix_form: string };
}

/** What a provider answered: the text, and how many tokens its cache has read and written. */
interface Answer {
  text: string;
  read: number;
  written: number;
}

type Message = { role: "user" | "assistant"; content: string };

const [target = "anthropic", model = "claude-opus-5"] = process.argv.slice(2);
const base = process.env.BASE_URL;
const project = process.env.PROJECT ?? mkdtempSync(join(tmpdir(), "agent-"));
const instructions = join(project, "AGENTS.md");
const tools = join(project, "tools.json");
const conversation = `example-${process.pid}`;

/** What to send in this turn. antefix remembers the conversation, so this process may end at any time. */
function turn(messages: Message[]): Turn {
  const args = ["turn", conversation, "--for", target, "--model", model, "--cwd", project, "--tools", tools];
  const printed = execFileSync(process.env.ANTEFIX_BIN ?? "antefix", [...args, "--messages", "-", "--json"], {
    input: JSON.stringify(messages),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(printed) as Turn;
}

// One function a provider. The fragment is spread into the request; a request's own settings go beside it.
const providers: Record<string, (fragment: object) => Promise<Answer>> = {
  async anthropic(fragment) {
    const client = new Anthropic({ baseURL: base });
    const request = { model, max_tokens: 1024, ...fragment } as Anthropic.MessageCreateParamsNonStreaming;
    const { content, usage } = await client.messages.create(request);
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    return { text, read: usage.cache_read_input_tokens ?? 0, written: usage.cache_creation_input_tokens ?? 0 };
  },
  async "openai-chat"(fragment) {
    const client = new OpenAI({ baseURL: base && `${base}/v1` });
    const request = { model, ...fragment } as OpenAI.ChatCompletionCreateParamsNonStreaming;
    const { choices, usage } = await client.chat.completions.create(request);
    const details = usage?.prompt_tokens_details;
    const written = details?.cache_write_tokens ?? 0;
    return { text: choices[0]?.message.content ?? "", read: details?.cached_tokens ?? 0, written };
  },
  async "openai-responses"(fragment) {
    const client = new OpenAI({ baseURL: base && `${base}/v1` });
    const request = { model, ...fragment } as OpenAI.Responses.ResponseCreateParamsNonStreaming;
    const { output_text, usage } = await client.responses.create(request);
    const details = usage?.input_tokens_details;
    return { text: output_text, read: details?.cached_tokens ?? 0, written: details?.cache_write_tokens ?? 0 };
  },
};

const send = providers[target];
if (!send) throw new Error(`no provider ${target}: there are ${Object.keys(providers).join(", ")}`);
// Providers cache from a few thousand bytes on, so this file is longer than is wise.
if (!existsSync(instructions)) writeFileSync(instructions, "Indent with tabs.\n".repeat(400));
const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
writeFileSync(tools, JSON.stringify([{ name: "read", description: "Reads a file of the project.", parameters: path }]));

const messages: Message[] = [];
const questions = ["Where is the parser?", "Who calls it?", "Rename it, please.", "Is there a test for it?"];
console.log("turn  epoch  notices  prefix        read  written");
for (const [at, question] of questions.entries()) {
  // Somebody edits the instructions while the conversation goes on.
  if (at === 2) appendFileSync(instructions, "Indent with spaces from now on.\n");
  messages.push({ role: "user", content: question });
  const now = turn(messages);
  const answer = await send(now.fragment);
  messages.push({ role: "assistant", content: answer.text });
  const cells = [at + 1, now.epoch.number, now.amendments.length, now.receipt.prefix_form.slice(-8)];
  const widths = [4, 5, 7, 8, 8, 7];
  console.log([...cells, answer.read, answer.written].map((cell, n) => String(cell).padStart(widths[n] ?? 0)).join("  "));
}
