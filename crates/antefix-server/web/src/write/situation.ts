// For which directory, model and conversation the preview is. The choice outlives a reload.

import { api } from "../api/client.ts";
import { cell } from "../cell.ts";
import { h } from "../dom.ts";
import { session } from "../shell/storage.ts";

export interface Situation {
  cwd: string;
  model: string;
  conversation: string;
}

const KEY = "antefix.situation";

export const situation = cell<Situation>(read());

function read(): Situation {
  const none = { cwd: "", model: "", conversation: "" };
  try {
    return { ...none, ...(JSON.parse(session.getItem(KEY) ?? "{}") as Partial<Situation>) };
  } catch {
    return none;
  }
}

export function choose(part: Partial<Situation>): void {
  situation.set({ ...situation.value, ...part });
  session.setItem(KEY, JSON.stringify(situation.value));
}

/** The three fields above the preview. Each offers what the server knows and takes what is typed. */
export function pickers(roots: string[]): HTMLElement {
  const first = roots[0] ?? "";
  const cwd = field("cwd", "Directory", first, () => directories(situation.value.cwd));
  const model = field("model", "Model", "any", async () => (await api.models()).map((model) => model.name));
  const conversation = field("conversation", "Compare with", "no conversation", async () =>
    (await api.conversations(undefined, 100)).conversations.map((row) => row.conversation),
  );
  return h("div", { class: "pickers", role: "group", "aria-label": "The preview is for" }, cwd, model, conversation);
}

async function directories(at: string): Promise<string[]> {
  const listed = await api.roots(at || undefined).catch(() => api.roots());
  return listed.flatMap(({ path, directories }) => [
    path,
    ...directories.map((name) => `${path.replace(/\/$/, "")}/${name}`),
  ]);
}

function field(key: keyof Situation, label: string, placeholder: string, offer: () => Promise<string[]>): HTMLElement {
  const list = h("datalist", { id: `offer-${key}` });
  const input = h("input", {
    id: `pick-${key}`,
    list: list.id,
    placeholder,
    autocomplete: "off",
    spellcheck: "false",
    "data-key": key,
    onfocus: () => {
      // What cannot be offered can still be typed; the preview tells what is wrong.
      void offer().then(
        (names) => list.replaceChildren(...names.map((name) => h("option", { value: name }))),
        () => {},
      );
    },
    onchange: () => choose({ [key]: input.value.trim() }),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter") choose({ [key]: input.value.trim() });
    },
  });
  situation.watch((value) => {
    if (document.activeElement !== input) input.value = value[key];
  });
  return h("div", { class: "picker" }, h("label", { for: input.id }, label), input, list);
}
