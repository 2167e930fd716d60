// Item 1: writing.

import assert from "node:assert/strict";
import { draft, editor, previews, save, sentence, status, TEMPLATE, type, until } from "./with.js";

const files = { "AGENTS.md": "Be kind.\n" };

sentence(
  "an empty server greets with the default template, rendered for the served directory",
  { files, toured: false },
  async ({ page, server }) => {
    assert.equal(await draft(page), TEMPLATE);
    await previews(
      page,
      `You help with the code in this directory.\n\n\nBe kind.\n\n\n\nThe current working directory is ${server.root}.\n`,
    );
    assert.match(await status(page).textContent(), /Nobody saved a template yet/);
    const tour = page.getByRole("dialog", { name: "Tour" });
    for (const title of ["Write", "Insert", "See", "The cache ruler", "Before you save"]) {
      await tour.getByRole("heading", { name: title, exact: true }).waitFor();
      await tour.getByRole("button", { name: /Next|Done/ }).click();
    }
    await tour.waitFor({ state: "detached" });
    await page.reload();
    await editor(page).waitFor();
    assert.equal(await tour.count(), 0);
  },
);

sentence(
  "Save is disabled without changes, Reset goes back to what was loaded, and the status says which",
  { files },
  async ({ page, server }) => {
    const reset = page.getByRole("button", { name: "Reset", exact: true });
    assert.equal(await save(page).isDisabled(), true);
    assert.equal(await reset.isDisabled(), true);
    await type(page, "More.");
    assert.equal(await status(page).textContent(), "Unsaved changes");
    await reset.click();
    assert.equal(await draft(page), TEMPLATE);
    assert.equal(await save(page).isDisabled(), true);
    await type(page, "More.");
    await save(page).click();
    await until("saved", async () => assert.equal(await status(page).textContent(), "Saved."));
    assert.equal(await save(page).isDisabled(), true);
    assert.equal((await server.ask("GET", "/system-prompt")).template, `${TEMPLATE}More.`);
    await type(page, "!");
    assert.equal(await status(page).textContent(), "Unsaved changes");
    await page.keyboard.press("Control+s");
    await until("saved by key", async () =>
      assert.equal((await server.ask("GET", "/system-prompt")).template, `${TEMPLATE}More.!`),
    );
  },
);

sentence(
  "the catalog's buttons are those of the server, grouped by type in order of first appearance",
  { files },
  async ({ page, server }) => {
    const { variables } = await server.ask("GET", "/system-prompt/variables");
    const types = [...new Set(variables.map((variable) => variable.type))];
    const groups = page.locator(".catalog .group");
    await groups.first().waitFor();
    assert.deepEqual((await groups.locator(".type").allTextContents()).slice(1), types);
    for (const [index, type] of types.entries()) {
      const own = variables.filter((variable) => variable.type === type && !variable.dynamic);
      assert.deepEqual(
        await groups
          .nth(index + 1)
          .locator(".tag")
          .allTextContents(),
        own.map((variable) => variable.name),
      );
      for (const variable of own)
        assert.equal(
          await page.getByRole("button", { name: `${type}:${variable.name}`, exact: true }).getAttribute("title"),
          variable.description,
        );
    }
  },
);

sentence(
  "a button inserts at the caret, replaces the selection, and leaves focus and caret behind the tag",
  { files },
  async ({ page }) => {
    await editor(page).click();
    await page.keyboard.press("Control+Home");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: "git:branch", exact: true }).click();
    assert.ok((await draft(page)).startsWith("You[git:branch] help"));
    // No click in between: the focus is in the editor again.
    await page.keyboard.insertText("!");
    assert.ok((await draft(page)).startsWith("You[git:branch]! help"));
    for (let i = 0; i < 5; i++) await page.keyboard.press("Shift+ArrowRight");
    await page.getByRole("button", { name: "system:os", exact: true }).click();
    await page.keyboard.insertText("?");
    assert.ok((await draft(page)).startsWith("You[git:branch]![system:os]? with"));
  },
);

sentence("a path field takes Enter, trims, ignores nothing, and is empty afterwards", { files }, async ({ page }) => {
  const field = page.getByRole("combobox", { name: /^file:/ });
  await editor(page).click();
  await page.keyboard.press("Control+Home");
  await field.fill("   ");
  await field.press("Enter");
  assert.equal(await draft(page), TEMPLATE);
  await field.fill("  docs/notes.md ");
  await field.press("Enter");
  await page.keyboard.insertText("!");
  assert.ok((await draft(page)).startsWith("[file:docs/notes.md]!You help"));
  assert.equal(await field.inputValue(), "");
  await field.fill("a b]c");
  await page.getByRole("button", { name: "Insert file" }).click();
  assert.ok((await draft(page)).startsWith("[file:docs/notes.md]![file:a b]c]You help"));
});

sentence("conditions go around the selection and leave the name to be written", { files }, async ({ page }) => {
  await editor(page).click();
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowRight");
  await page.getByRole("button", { name: "[if]…[else]…[endif]" }).click();
  await page.keyboard.insertText("git:branch");
  assert.ok((await draft(page)).startsWith("[if git:branch]\nYou\n[else]\n\n[endif] help"));
});

/** Whether these pieces of the template have a color of their own. */
const colored = (page, pieces) =>
  editor(page).evaluate((content, pieces) => {
    const plain = getComputedStyle(content).color;
    return pieces.map((piece) =>
      [...content.querySelectorAll("span")].some(
        (span) => span.textContent === piece && getComputedStyle(span).color !== plain,
      ),
    );
  }, pieces);

sentence("both dialects are highlighted, and their tags are offered while one writes", { files }, async ({ page }) => {
  const offered = page.locator(".cm-tooltip-autocomplete li");
  await type(page, "\n");
  await page.keyboard.type("[git:b");
  await offered.first().waitFor();
  assert.match(await offered.first().textContent(), /^\[git:branch\]/);
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  await until("a tag", async () => assert.match(await draft(page), /\n\[git:branch\]$/));
  await page.getByRole("combobox", { name: "Dialect" }).selectOption("jinja");
  await type(page, "");
  await page.keyboard.press("Enter");
  await page.keyboard.type("{{ git.br");
  await until("holes", async () => assert.match(await offered.first().textContent(), /^\{\{ git\.branch \}\}/));
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  await until("a hole", async () => assert.match(await draft(page), /\n\{\{ git\.branch \}\}$/));
  await page.keyboard.type("{%");
  await until("statements", async () => assert.match((await offered.allTextContents()).join("\n"), /\{% include/));
  await page.keyboard.press("Escape");
  assert.deepEqual(await colored(page, ["git.branch"]), [true]);
  await page.getByRole("combobox", { name: "Dialect" }).selectOption("bracket");
  await until("colors", async () =>
    assert.deepEqual(await colored(page, ["[if ", "file:AGENTS.md", "[endif]"]), [true, true, true]),
  );
});

const prompts = {
  ".antefix/prompts/greet.md": "Hello from a file.\n",
  ".antefix/prompts/common/header.md": "Header.\n",
};

sentence(
  "`$` offers the templates that can be included, in an include and as one; in the bracket dialect it is a dollar sign",
  { files: { ...files, ...prompts } },
  async ({ page }) => {
    const offered = page.locator(".cm-tooltip-autocomplete li");
    const labels = () => page.locator(".cm-tooltip-autocomplete .cm-completionLabel").allTextContents();
    await page.getByRole("combobox", { name: "Dialect" }).selectOption("jinja");
    await editor(page).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("$");
    await until("all of them", async () =>
      assert.deepEqual((await labels()).slice(0, 4), [
        "$workspace/common/header",
        "$workspace/greet",
        "$user/",
        "$builtin/coding-agent/here",
      ]),
    );
    assert.match(
      (await offered.allTextContents()).join("\n"),
      /\$user\/none yet: ~\/antefix\/prompts has no \.md file/,
    );
    await page.keyboard.type("workspace/gr");
    await until("one", async () => assert.deepEqual(await labels(), ["$workspace/greet"]));
    await page.waitForTimeout(300);
    await page.keyboard.press("Enter");
    await until("an include", async () => assert.equal(await draft(page), '{% include "$workspace/greet" %}'));
    await previews(page, "Hello from a file.");
    await page.keyboard.type('\n{% include "$w');
    await until("in an include", async () =>
      assert.deepEqual(await labels(), ["$workspace/common/header", "$workspace/greet"]),
    );
    await page.waitForTimeout(300);
    await page.keyboard.press("Enter");
    await page.keyboard.type('" %}');
    assert.equal(await draft(page), '{% include "$workspace/greet" %}\n{% include "$workspace/common/header" %}');
    await page.keyboard.type(' {{ "$w');
    await page.waitForTimeout(400);
    assert.equal(await offered.count(), 0);
    await page.getByRole("combobox", { name: "Dialect" }).selectOption("bracket");
    await editor(page).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("costs $w");
    await page.waitForTimeout(400);
    assert.equal(await offered.count(), 0);
  },
);

const tree = {
  ...files,
  "docs/notes.md": "Notes.\n",
  "docs/deep/more.md": "More.\n",
  ".env": "SECRET=1\n",
  "server.key": "x",
  ".hidden/x.md": "x",
  "<img src=x onerror=alert(1)>.md": "x",
};

sentence(
  "the path field offers the files of the chosen directory, one directory after the other, by keyboard and by mouse",
  { files: tree },
  async ({ page }) => {
    const field = page.getByRole("combobox", { name: /^file:/ });
    const options = page.getByRole("listbox", { name: "Paths" }).getByRole("option");
    await editor(page).click();
    await page.keyboard.press("Control+a");
    await field.focus();
    await until("the files", async () =>
      assert.deepEqual(await options.allTextContents(), ["<img src=x onerror=alert(1)>.md", "AGENTS.md", "docs/"]),
    );
    assert.equal(await field.getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowUp");
    assert.equal(
      await field.evaluate(
        (element) => document.getElementById(element.getAttribute("aria-activedescendant")).textContent,
      ),
      "docs/",
    );
    await page.keyboard.press("Enter");
    await until("the directory", async () => {
      assert.equal(await field.inputValue(), "docs/");
      assert.deepEqual(await options.allTextContents(), ["docs/deep/", "docs/notes.md"]);
    });
    await page.keyboard.type("n");
    await until("what begins so", async () => assert.deepEqual(await options.allTextContents(), ["docs/notes.md"]));
    await options.first().click();
    assert.equal(await draft(page), "[file:docs/notes.md]");
    assert.equal(await field.inputValue(), "");
    assert.equal(await options.first().isVisible(), false);

    await page.getByRole("combobox", { name: "Directory", exact: true }).fill("docs");
    await page.getByRole("combobox", { name: "Directory", exact: true }).press("Enter");
    await field.focus();
    await until("of the directory", async () =>
      assert.deepEqual(await options.allTextContents(), ["deep/", "notes.md"]),
    );
    // Escape closes the list and nothing else.
    await page.keyboard.type("deep");
    await until("open", async () => assert.deepEqual(await options.allTextContents(), ["deep/"]));
    await page.keyboard.press("Escape");
    assert.equal(await field.getAttribute("aria-expanded"), "false");
    assert.equal(await field.inputValue(), "deep");
    await field.fill("../../");
    await until("told", async () =>
      assert.match(await page.locator(".paths .note").textContent(), /not offered: outside the directories/),
    );
    await editor(page).click();
    assert.equal(await page.locator(".paths").isVisible(), false);
  },
);

sentence(
  "a directory of thousands offers the first ones, and says so",
  { files: Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`many/${String(n).padStart(4, "0")}.md`, "x"])) },
  async ({ page }) => {
    const field = page.getByRole("combobox", { name: /^file:/ });
    const options = page.getByRole("listbox", { name: "Paths" }).getByRole("option");
    await field.fill("many/");
    await until("the first", async () => assert.equal(await options.count(), 200));
    assert.equal(await page.locator(".paths .note").textContent(), "The first 200 are shown. Write on to find others.");
    await field.fill("many/149");
    await until("others", async () => assert.equal(await options.count(), 10));
    assert.equal(await page.locator(".paths .note").textContent(), "");
  },
);

sentence("paths are offered while a tag is written, too, in both dialects", { files: tree }, async ({ page }) => {
  const labels = () => page.locator(".cm-tooltip-autocomplete .cm-completionLabel").allTextContents();
  await editor(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("[file:d");
  await until("the directory", async () => assert.deepEqual(await labels(), ["docs/"]));
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  await until("what is in it", async () => assert.deepEqual(await labels(), ["docs/deep/", "docs/notes.md"]));
  await page.waitForTimeout(300);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until("a tag", async () => assert.equal(await draft(page), "[file:docs/notes.md]"));
  await page.keyboard.type("!");
  assert.equal(await draft(page), "[file:docs/notes.md]!");
  await page.getByRole("combobox", { name: "Dialect" }).selectOption("jinja");
  await editor(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type('{{ file("A');
  await until("a file", async () => assert.deepEqual(await labels(), ["AGENTS.md"]));
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  await page.keyboard.type('") }}');
  await previews(page, "Be kind.\n");
});

sentence(
  "in jinja the buttons insert holes, and a plain template says that it has none",
  { files },
  async ({ page }) => {
    const dialect = page.getByRole("combobox", { name: "Dialect" });
    await dialect.selectOption("jinja");
    await editor(page).click();
    await page.keyboard.press("Control+a");
    await page.getByRole("button", { name: "git:branch", exact: true }).click();
    const field = page.getByRole("combobox", { name: /^file:/ });
    await field.fill("a.md");
    await field.press("Enter");
    await field.fill('a"b.md');
    await field.press("Enter");
    assert.equal(await draft(page), '{{ git.branch }}{{ file("a.md") }}{{ file("a\\"b.md") }}');
    await dialect.selectOption("plain");
    assert.match(await page.locator(".catalog").textContent(), /it has no variables/);
  },
);

sentence("lint marks are the findings of `check`, at their places", { files }, async ({ page, server }) => {
  await editor(page).click();
  await page.keyboard.press("Control+a");
  // Letters outside of ASCII before the tag: bytes and units differ.
  await page.keyboard.insertText("Grüße 👋 [nope:x]\n[if file:x]\n");
  const marks = page.locator(".cm-lintRange-warning");
  await until("marks", async () => assert.deepEqual(await marks.allTextContents(), ["[nope:x]", "[if file:x]"]));
  await page.getByRole("tab", { name: /^Problems/ }).click();
  const { diagnostics } = await server.ask("POST", "/system-prompt/preview", { template: await draft(page) });
  assert.deepEqual(
    await page.locator(".findings .message").allTextContents(),
    diagnostics.map((finding) => finding.message),
  );
  assert.match(await page.locator(".findings").textContent(), /antefix vars/);
  await page.getByRole("combobox", { name: "Dialect" }).selectOption("jinja");
  await editor(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("ä {{ a.");
  await until("an error", async () =>
    assert.equal(await page.locator(".cm-lintRange-error, .cm-lintPoint-error").count(), 1),
  );
  assert.match(await page.locator(".failed").textContent(), /syntax error/);
  await save(page).click();
  await until("refused", async () => assert.match(await status(page).textContent(), /Not saved\. Unsaved changes/));
  assert.match(await page.locator(".said").textContent(), /syntax error/);
});

sentence("what takes longer shows that it is under way", { files }, async ({ page }) => {
  const bar = page.getByRole("progressbar", { name: "Working" });
  await page.route("**/system-prompt/preview", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await route.continue();
  });
  assert.equal(await bar.isVisible(), false);
  await type(page, "x");
  await bar.waitFor({ state: "visible", timeout: 1000 });
  await bar.waitFor({ state: "hidden" });
});

sentence("an empty template is a template: no system prompt", { files }, async ({ page, server }) => {
  await editor(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await save(page).click();
  await until("saved", async () => assert.equal((await server.ask("GET", "/system-prompt")).template, ""));
  await until("told", async () => assert.equal(await page.locator(".total").textContent(), "no system prompt"));
});

sentence(
  "bytes stay as they are: carriage returns, tabs and joined emoji survive a load and a save",
  {
    files,
    before: (server) => server.save("a\r\nb\rc\t👩‍👩‍👧 \u200b e\u0301\n\n"),
  },
  async ({ page, server }) => {
    await type(page, "x");
    await save(page).click();
    await until("saved", async () =>
      assert.equal((await server.ask("GET", "/system-prompt")).template, "a\r\nb\rc\t👩‍👩‍👧 \u200b e\u0301\n\nx"),
    );
  },
);
