// A client of the Agent Client Protocol, made with its SDK: `client.js PROJECT COMMAND ARGS…`.
// It has a whole session with what COMMAND starts, and edits AGENTS.md on the way. What the agent says it can do is
// done: a session that can be loaded is loaded, one that can be resumed is resumed, one that can be forked is forked.

import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [project, command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => agent.on("exit", resolve));
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const { initialize, session } = acp.methods.agent;
let updates = 0;

await acp
  .client({ name: "antefix-test" })
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => ({
    outcome: { outcome: "selected", optionId: params.options[0].optionId },
  }))
  .onNotification(acp.methods.client.session.update, () => void (updates += 1))
  .connectWith(stream, async (agent) => {
    const { agentCapabilities: can = {} } = await agent.request(initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    const place = { cwd: project, mcpServers: [] };
    const { sessionId } = await agent.request(session.new, place);
    const prompt = async (sessionId, text) => {
      const { stopReason } = await agent.request(session.prompt, { sessionId, prompt: [{ type: "text", text }] });
      console.log("prompt", stopReason);
    };
    await prompt(sessionId, "one");
    appendFileSync(join(project, "AGENTS.md"), "Indent with spaces from now on.\n");
    await prompt(sessionId, "two");
    if (can.loadSession) {
      await agent.request(session.load, { sessionId, ...place });
      await prompt(sessionId, "three");
      console.log("loaded");
    }
    if (can.sessionCapabilities?.resume) {
      await agent.request(session.resume, { sessionId, ...place });
      console.log("resumed");
    }
    if (can.sessionCapabilities?.fork) {
      const fork = await agent.request(session.fork, { sessionId, ...place });
      await prompt(fork.sessionId, "four");
      console.log("forked");
    }
  });
console.log("updates", updates);
agent.stdin.end();
console.log("ended", await ended);
process.exit(0);
