// An agent of the Agent Client Protocol, made with its SDK, that takes a system prompt by the field of the protocol, and
// can load, resume and fork sessions. The SDK refuses requests that are not as its schema says.

import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

let sessions = 0;
const begin = () => ({ sessionId: `s${(sessions += 1)}` });

acp
  .agent({ name: "field-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentInfo: { name: "field-agent", version: "1" },
    agentCapabilities: { loadSession: true, sessionCapabilities: { systemPrompt: {}, resume: {}, fork: {} } },
  }))
  .onRequest("session/new", begin)
  .onRequest("session/fork", begin)
  .onRequest("session/load", () => ({}))
  .onRequest("session/resume", () => ({}))
  .onRequest("session/prompt", async ({ params, client }) => {
    const content = { type: "text", text: "Well understood." };
    const update = { sessionUpdate: "agent_message_chunk", content };
    await client.notify(acp.methods.client.session.update, { sessionId: params.sessionId, update });
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
