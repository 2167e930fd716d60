// Sends fragments with the providers' official SDKs: `send.js BASE_URL < requests`.
// A line of stdin is `{"target": …, "model": …, "fragment": …}`. Nothing is added but what an SDK insists on.

import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const url = process.argv[2];
const anthropic = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

const senders = {
  anthropic: (model, fragment) => anthropic.messages.create({ model, max_tokens: 16, ...fragment }),
  "openai-chat": (model, fragment) => openai.chat.completions.create({ model, ...fragment }),
  "openai-responses": (model, fragment) => openai.responses.create({ model, ...fragment }),
};

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const { target, model, fragment } = JSON.parse(line);
  console.log((await senders[target](model, fragment)).usage);
}
