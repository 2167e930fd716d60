/** The request for a provider, made of a turn, or of a compaction that was begun, and of what the caller has of its own. */

import type { CompactionDocument, TurnDocument } from "./documents.ts";

/** The name under which a target has the messages of a conversation, where it is another one than `messages`. */
const KEYS: Record<string, string> = { "openai-responses": "input", gemini: "contents", acp: "prompt" };

interface Message {
  role?: string;
  content?: unknown;
}

/**
 * What to send: the caller's members, and those of the fragment, which count where both have one; of two `tool_choice` the narrower.
 *
 * Only messages that the caller did not hand over to the turn are its own: then those of the fragment come first, the caller's behind
 * them, and what the turn hands over to append comes last. What is appended is for this request alone.
 */
export function request<Own extends object>(
  turn: TurnDocument | CompactionDocument,
  own: Own,
): Own & Record<string, unknown> {
  const fragment = turn.fragment as Record<string, unknown> | null | undefined;
  const receipt = turn.receipt as { target: string } | null | undefined;
  if (!fragment || !receipt) throw new Error("the turn has no fragment: name its `target`");
  const merged: Own & Record<string, unknown> = { ...own, ...fragment };
  if ("tool_choice" in own && "tool_choice" in fragment) {
    Object.assign(merged, { tool_choice: narrower(fragment.tool_choice, own.tool_choice) });
  }
  const append = turn.append as Message[] | null | undefined;
  if (!append) return merged;
  const key = KEYS[receipt.target] ?? "messages";
  const list = (from: object) => (from as Record<string, Message[] | undefined>)[key] ?? [];
  const messages = [...list(fragment)];
  for (const message of [...list(own), ...append]) {
    const last = messages.at(-1);
    if (receipt.target === "bedrock" && last && last.role === message.role) {
      // Converse wants users and assistants to take turns.
      const content = [...(last.content as unknown[]), ...(message.content as unknown[])];
      messages[messages.length - 1] = { ...last, content };
    } else {
      messages.push(message);
    }
  }
  return messages.length > 0 ? { ...merged, [key]: messages } : merged;
}

/** Which tools may be called, where both say it: a wish for any tool is one among those that the fragment allows. */
function narrower(allowed: unknown, wish: unknown): unknown {
  if (typeof allowed === "string" || wish === undefined || wish === null || wish === "auto") return allowed;
  if (wish !== "required") return wish;
  const ours = allowed as { mode?: string; allowed_tools?: object };
  if (ours.mode) return { ...ours, mode: wish };
  return { ...ours, allowed_tools: { ...ours.allowed_tools, mode: wish } };
}
