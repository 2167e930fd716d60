// Checks messages against the published schema of the Agent Client Protocol: `schema.js CLIENT_LINES AGENT_LINES`.
// The files have what the client said and what the agent said, on one side of the proxy. Every request, notification and
// answer is checked as what its method says, and has no key at its root that the schema does not name.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv/dist/2020.js";

const schema = createRequire(import.meta.url)("@agentclientprotocol/sdk/schema/schema.json");
// Formats such as `uint16` are notes for programs that generate code.
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(schema, "acp");

/** The name of what a method's request, notification or answer must be. `side` is who is asked. */
function kind(method, side, endings) {
  const fits = ([name, { "x-method": of, "x-side": at }]) =>
    of === method && at === side && endings.some((ending) => name.endsWith(ending));
  return Object.entries(schema.$defs).find(fits)?.[0];
}

function check(value, name, what) {
  if (!name) return [`${what}: the schema knows no such method`];
  const holds = ajv.getSchema(`acp#/$defs/${name}`);
  const unknown = Object.keys(value ?? {}).filter((key) => !(key in (schema.$defs[name].properties ?? {})));
  const complaints = unknown.map((key) => `${what}: ${name} has no ${key}`);
  return holds(value) ? complaints : [...complaints, `${what}: ${ajv.errorsText(holds.errors)}`];
}

const [client, agent] = process.argv.slice(2).map((path) => {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
});
const complaints = [];
let checked = 0;
for (const [said, answered, side] of [[client, agent, "agent"], [agent, client, "client"]]) {
  for (const { jsonrpc, id, method, params } of said.filter((message) => message.method)) {
    if (jsonrpc !== "2.0") complaints.push(`${method}: this is no JSON-RPC 2.0`);
    complaints.push(...check(params, kind(method, side, id === undefined ? ["Notification"] : ["Request"]), method));
    checked += 1;
    if (id === undefined) continue;
    const answer = answered.find((message) => message.id === id && !message.method);
    if (!answer) complaints.push(`${method}: no answer`);
    else if (answer.error) complaints.push(...check(answer.error, "Error", `the answer to ${method}`));
    else complaints.push(...check(answer.result, kind(method, side, ["Response"]), `the answer to ${method}`));
    checked += 1;
  }
}
console.log(`${checked} checked`);
for (const complaint of complaints) console.log(complaint);
process.exit(complaints.length ? 1 : 0);
