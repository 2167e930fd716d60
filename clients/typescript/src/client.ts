/** Everything that a program asks a server for. Each method names its route, as the server's OpenAPI document spells it. */

import { randomUUID } from "node:crypto";

import { type Asked, Connection, type Options } from "./connection.ts";
import type {
  AgentsDocument,
  BegunDocument,
  Changes,
  CheckBody,
  CheckRequestBody,
  CompactionBody,
  CompactionDocument,
  ConversationDocument,
  Conversations,
  DeletedDocument,
  DialectName,
  DifferenceOf,
  DriftDocument,
  EndBody,
  EpochDocument,
  Epochs,
  Finding,
  Findings,
  GcBody,
  GcDocument,
  History,
  ImportDocument,
  ImportedOf,
  ListedEpoch,
  ListedTemplate,
  MessageBody,
  ObservedDocument,
  Preview,
  PreviewBody,
  Queued,
  RenewalBody,
  RowOf,
  SavedDocument,
  StandingDocument,
  TemplateBody,
  TemplateDocument,
  TouchBody,
  TouchDocument,
  TurnBody,
  TurnDocument,
  Variable,
  Variables,
  VerdictDocument,
  WhyBody,
  WhyRequestsBody,
} from "./documents.ts";
import { Unavailable, Unreachable } from "./problem.ts";

/** Under which condition a template is saved, and by whom. */
export interface Saving {
  /** The digest of the template that was edited. If it does not count any more, that is a `PreconditionFailed`. */
  ifMatch?: string;
  /** For the history. */
  author?: string;
}

/** Of how many conversations the last response is remembered. */
const REMEMBERED = 1000;

/** A server, and who asks it. */
export class Client {
  readonly #connection: Connection;
  readonly #answered = new Map<string, string>();

  constructor(options: Options = {}) {
    this.#connection = new Connection(options);
  }

  // Conversations. An id is any text of 1 to 200 bytes.

  /**
   * Opens a conversation, or goes on with it. The prefix is the same bytes until an epoch begins.
   *
   * Messages that wait are in the request of this turn, and of every later one at the same place. `messages` names those that are
   * new; a turn has a name, so that it names the same ones if it is asked for again. If the caller has none, this client makes one.
   *
   * With a `target`, `prefix` and `suffix` are left out: the fragment has both.
   */
  turn(id: string, body: TurnBody = {}): Promise<TurnDocument> {
    const last = body.target ? this.#answered.get(id) : undefined;
    const named = { turn: randomUUID(), ...(last === undefined ? {} : { previous_response: last }), ...body };
    const headers = { Prefer: body.target ? "return=minimal" : undefined };
    return this.#read("POST /conversations/{id}/turns", { names: { id }, body: named, headers, repeat: true });
  }

  /**
   * Remembers the provider's response to a turn: the next turn asks the provider why its cache was missed, if it was, and `why` reports
   * it. Nothing is asked of the server; the answer is the id that is remembered, undefined if the provider compares no requests.
   */
  answered(id: string, response: { id?: unknown }): string | undefined {
    const found = response.id;
    this.#answered.delete(id);
    if (typeof found !== "string" || !/^(?:msg|resp)_[A-Za-z0-9_-]{1,190}$/.test(found)) return undefined;
    // The newest come last, and only so many are kept.
    this.#answered.set(id, found);
    for (const oldest of [...this.#answered.keys()].slice(0, -REMEMBERED)) this.#answered.delete(oldest);
    return found;
  }

  /** Queues a message for the next turn. It is in that request and in every later one, until a compaction is committed. */
  send(id: string, message: string): Promise<Queued> {
    const body: MessageBody = { message };
    return this.#read("POST /conversations/{id}/messages", { names: { id }, body, repeat: false });
  }

  /**
   * Names paths that the agent reads or changes. `notice` is what applies to them and is not in the conversation yet; it is in the
   * request of the next turn and of every later one, until a compaction is committed. `touch` of `turn` does the same.
   */
  touch(id: string, paths: string[], place: { cwd?: string } = {}): Promise<TouchDocument> {
    const body: TouchBody = { paths, cwd: place.cwd ?? null };
    return this.#read("POST /conversations/{id}/touch", { names: { id }, body, repeat: false });
  }

  /** All conversations in the order of their ids, each with its standing epoch; asked for page by page. */
  async *conversations(from: { after?: string; page?: number } = {}): AsyncGenerator<RowOf, void, undefined> {
    let after: string | null | undefined = from.after;
    do {
      const query = { after, limit: from.page };
      const found: Conversations = await this.#read("GET /conversations", { query, repeat: true });
      yield* found.conversations;
      after = found.next ?? undefined;
    } while (after !== undefined);
  }

  /** A conversation as it stands, with the messages that wait. */
  conversation(id: string): Promise<ConversationDocument> {
    return this.#read("GET /conversations/{id}", { names: { id }, repeat: true });
  }

  /** The standing prefix of a conversation, and the notices that amend it. */
  standing(id: string): Promise<StandingDocument> {
    return this.#read("GET /conversations/{id}/system-prompt", { names: { id }, repeat: true });
  }

  /** The standing prefix alone. */
  prefix(id: string): Promise<string> {
    const headers = { Accept: "text/plain" };
    return this.#connection.ask("GET /conversations/{id}/system-prompt", { names: { id }, headers, repeat: true });
  }

  /** Ends a conversation: its ledger goes. A turn with the same id opens a new one. */
  delete(id: string): Promise<DeletedDocument> {
    return this.#read("DELETE /conversations/{id}", { names: { id }, repeat: false });
  }

  /** A conversation's ledger, one JSON value a line. */
  export(id: string): Promise<string> {
    return this.#connection.ask("GET /conversations/{id}/export", { names: { id }, repeat: true });
  }

  /**
   * Takes in what `export` answered, of one conversation or of many behind one another: all of it, or nothing. Once or twice is
   * the same.
   */
  async importLedgers(lines: string): Promise<ImportedOf[]> {
    const found: ImportDocument = await this.#read("POST /import", { lines, repeat: true });
    return found.conversations;
  }

  /**
   * Counts the conversations that have not been used for so long, such as `90d`, and the texts that no conversation has, or deletes
   * them.
   */
  gc(body: GcBody = {}): Promise<GcDocument> {
    return this.#read("POST /gc", { body, repeat: true });
  }

  /** Whether a provider's cache was hit as expected, and if not, why. Nothing is stored. */
  why(body: WhyBody): Promise<VerdictDocument> {
    return this.#read("POST /why", { body, repeat: true });
  }

  /** What differs between two requests of any agent, what that cost, and who said it. Nothing is stored. */
  whyRequests(body: WhyRequestsBody): Promise<ObservedDocument> {
    return this.#read("POST /why/requests", { body, repeat: true });
  }

  /** What is wrong with a prompt, and what the provider would refuse of its request. Nothing is stored. */
  async check(body: CheckBody): Promise<Finding[]> {
    return (await this.#read<Findings>("POST /check", { body, repeat: true })).diagnostics;
  }

  /** What the provider would refuse of a request, whoever made it. Nothing is stored. */
  async checkRequest(body: CheckRequestBody): Promise<Finding[]> {
    return (await this.#read<Findings>("POST /check/request", { body, repeat: true })).diagnostics;
  }

  // Other agents.

  /** Which agent reads which file in a directory, what each is given, and what is wrong with that; with a name, that agent alone. */
  agents(asked: { name?: string; cwd?: string; tokens?: boolean } = {}): Promise<AgentsDocument> {
    const query = { cwd: asked.cwd, tokens: asked.tokens === undefined ? undefined : String(asked.tokens) };
    if (asked.name === undefined) return this.#read("GET /agents", { query, repeat: true });
    return this.#read("GET /agents/{name}", { names: { name: asked.name }, query, repeat: true });
  }

  /** What a change in git does to what agents are told: `REV`, `A..B` or `A...B`; the last commit and the work tree without it. */
  compare(
    asked: { range?: string; cwd?: string; layout?: string; agent?: string; model?: string } = {},
  ): Promise<Changes> {
    return this.#read("GET /diff", { query: asked, repeat: true });
  }

  // Epochs.

  /** The epochs of a conversation by number; asked for page by page. */
  async *epochs(id: string, from: { after?: number; page?: number } = {}): AsyncGenerator<ListedEpoch, void, undefined> {
    let after: number | undefined = from.after;
    do {
      const asked = { names: { id }, query: { after, limit: from.page }, repeat: true };
      const found: Epochs = await this.#read("GET /conversations/{id}/epochs", asked);
      yield* found.epochs;
      after = found.next ?? undefined;
    } while (after !== undefined);
  }

  /** One epoch, with the origin of every byte. */
  epoch(id: string, number: number): Promise<EpochDocument> {
    return this.#read("GET /conversations/{id}/epochs/{number}", { names: { id, number }, repeat: true });
  }

  /** Where the bytes of two epochs part, and what that costs; null if they are the same. */
  diff(id: string, a: number, b: number, priced: { model?: string } = {}): Promise<DifferenceOf | null> {
    const asked = { names: { id, a, b }, query: { model: priced.model }, repeat: true };
    return this.#read("GET /conversations/{id}/epochs/{a}/diff/{b}", asked);
  }

  /** What composing now would change, and what that would cost. Nothing is stored. */
  drift(id: string, place: { cwd?: string; model?: string } = {}): Promise<DriftDocument> {
    return this.#read("GET /conversations/{id}/drift", { names: { id }, query: { ...place }, repeat: true });
  }

  /** Begins a new epoch, unless the bytes are the same. */
  renew(id: string, body: RenewalBody = {}): Promise<BegunDocument> {
    return this.#read("POST /conversations/{id}/renewals", { names: { id }, body, repeat: true });
  }

  /** Begins a compaction. With `target` and `messages`, `request` makes the provider's request for the summary of it, which reads what is
   *  cached of the conversation; `prompt` is for a request of one's own. A conversation that nobody opened is opened; the ledger of any other
   *  stays as it is. */
  beginCompaction(id: string, body: CompactionBody = {}): Promise<CompactionDocument> {
    return this.#read("POST /conversations/{id}/compaction", { names: { id }, body, repeat: true });
  }

  /** Ends a compaction that has succeeded, with the epoch that holds from now on. Once or twice is the same. */
  commitCompaction(id: string, token: string, body: Omit<EndBody, "outcome"> = {}): Promise<BegunDocument> {
    return this.#endCompaction(id, token, { ...body, outcome: "succeeded" });
  }

  /** Ends a compaction that has failed; all is as it was. Once or twice is the same. */
  abortCompaction(id: string, token: string): Promise<BegunDocument> {
    return this.#endCompaction(id, token, { outcome: "failed" });
  }

  #endCompaction(id: string, token: string, body: EndBody): Promise<BegunDocument> {
    return this.#read("PUT /conversations/{id}/compaction/{token}", { names: { id, token }, body, repeat: true });
  }

  // The template that everybody shares.

  /** The template that applies: what was saved last, else the layout's own text. */
  template(): Promise<TemplateDocument> {
    return this.#read("GET /system-prompt", { repeat: true });
  }

  /** Saves a template. */
  saveTemplate(template: string, saving: Saving & { dialect?: DialectName } = {}): Promise<TemplateDocument> {
    const body: TemplateBody = { template, dialect: saving.dialect ?? null };
    return this.#read("PUT /system-prompt", { body, headers: conditions(saving), repeat: false });
  }

  /** Deletes the saved template. The answer is the layout's own text, which applies then; what was saved stays in the history. */
  deleteTemplate(saving: Saving = {}): Promise<TemplateDocument> {
    return this.#read("DELETE /system-prompt", { headers: conditions(saving), repeat: false });
  }

  /** The facts that a template may name. */
  async variables(): Promise<Variable[]> {
    const found: Variables = await this.#read("GET /system-prompt/variables", { repeat: true });
    return found.variables;
  }

  /** Composes a draft. Nothing is stored. */
  preview(body: PreviewBody = {}): Promise<Preview> {
    return this.#read("POST /system-prompt/preview", { body, repeat: true });
  }

  /** Every saved template, the last one first; asked for page by page. */
  async *history(from: { before?: number; page?: number } = {}): AsyncGenerator<ListedTemplate, void, undefined> {
    let before: number | undefined = from.before;
    do {
      const query = { before, limit: from.page };
      const found: History = await this.#read("GET /system-prompt/history", { query, repeat: true });
      yield* found.templates;
      before = found.next ?? undefined;
    } while (before !== undefined);
  }

  /** One saved template, by its number or its digest. */
  saved(which: number | string): Promise<SavedDocument> {
    return this.#read("GET /system-prompt/history/{which}", { names: { which }, repeat: true });
  }

  /** Gives a saved template a label, or takes it away. Once or twice is the same. */
  label(which: number | string, label: string | null): Promise<ListedTemplate> {
    return this.#read("POST /system-prompt/history/{which}/labels", { names: { which }, body: { label }, repeat: true });
  }

  /** Saves an old template anew, under the same condition as `saveTemplate`. */
  rollBack(which: number | string, saving: Saving = {}): Promise<TemplateDocument> {
    const asked = { names: { which }, headers: conditions(saving), repeat: false };
    return this.#read("POST /system-prompt/history/{which}/rollback", asked);
  }

  // The server.

  /** Whether a server answers. */
  async alive(): Promise<boolean> {
    return this.#does("GET /healthz");
  }

  /** Whether a server answers, and its store does, too. */
  async ready(): Promise<boolean> {
    return this.#does("GET /readyz");
  }

  async #does(route: string): Promise<boolean> {
    try {
      await this.#connection.ask(route, { repeat: false });
      return true;
    } catch (error) {
      if (error instanceof Unreachable || error instanceof Unavailable) return false;
      throw error;
    }
  }

  async #read<T>(route: string, asked: Asked): Promise<T> {
    const answer = await this.#connection.ask(route, asked);
    try {
      return JSON.parse(answer) as T;
    } catch (cause) {
      throw new Unreachable(`an answer that is no JSON, and so not of antefix: ${answer.slice(0, 200)}`, { cause });
    }
  }
}

function conditions(saving: Saving): Record<string, string | undefined> {
  // Headers are bytes. The server reads this one as UTF-8, `fetch` writes it as Latin-1.
  const author = saving.author === undefined ? undefined : Buffer.from(saving.author).toString("latin1");
  return { "If-Match": saving.ifMatch === undefined ? undefined : `"${saving.ifMatch}"`, "Antefix-Author": author };
}
