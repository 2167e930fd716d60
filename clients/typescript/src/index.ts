/**
 * A client of `antefix serve`.
 *
 *     import { Client, request } from "antefix-client";
 *
 *     const client = new Client({ base: "http://127.0.0.1:7777" });
 *     const turn = await client.turn("chat-7", { model: "claude-opus-5", target: "anthropic" });
 *     console.log(turn.prefix);
 *     request(turn, { model: "claude-opus-5", max_tokens: 1024, messages }); // what to send
 *
 * `Client` has a method for each thing that a program asks a server for; `request` makes a provider's request of a turn; the documents are the types of what goes in and comes
 * out; what goes wrong is a `Problem`, which the server explains, or `Unreachable`, if no server answered.
 */

export { Client } from "./client.ts";
export type { Options } from "./connection.ts";
export type * from "./documents.ts";
export * from "./problem.ts";
export { request } from "./request.ts";
