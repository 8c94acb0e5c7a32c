// Ctrl K: a question from anywhere, to all libraries at once; before anything is typed, recent questions and the views.
import { recentQuestions, rememberQuestion } from "./recent.js";

const PAUSE_MS = 120;
const WAYS = ["Search", "Map", "Graph", "History", "Memories", "Files", "Manage"];
const { base, everywhere } = document.body.dataset;
let dialog = null;
let box = null;
let list = null;
let said = null;
let chosen = -1;
let asked = new AbortController();
let timer = 0;

export function openPalette() {
  dialog ??= build();
  if (dialog.open) return;
  box.value = "";
  dialog.showModal();
  offer();
}

function build() {
  const made = document.createElement("dialog");
  made.className = "palette";
  made.setAttribute("aria-label", "Ask from anywhere");
  box = document.createElement("input");
  box.type = "text";
  box.placeholder = "Ask all libraries, or go to a view";
  const names = { role: "combobox", "aria-label": "Ask from anywhere", "aria-expanded": "true", "aria-autocomplete": "list" };
  for (const [name, value] of Object.entries({ ...names, "aria-controls": "pk-found", autocomplete: "off", spellcheck: "false" }))
    box.setAttribute(name, value);
  list = document.createElement("ul");
  list.id = "pk-found";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Found");
  said = document.createElement("p");
  said.setAttribute("role", "status");
  said.className = "quiet";
  made.append(box, list, said);
  document.body.append(made);
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(offer, PAUSE_MS);
  });
  box.addEventListener("keydown", move);
  list.addEventListener("click", (event) => go(event.target.closest("[role=option]"), event));
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close(); // beside the dialog
  });
  made.addEventListener("close", () => asked.abort());
  return made;
}

function move(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const rows = [...list.children];
  if (step && rows.length) {
    event.preventDefault();
    choose((chosen + step + rows.length) % rows.length);
  } else if (event.key === "Enter") {
    event.preventDefault();
    go(rows[Math.max(chosen, 0)], event);
  }
}

function choose(place) {
  chosen = place;
  [...list.children].forEach((row, at) => row.setAttribute("aria-selected", String(at === place)));
  const row = list.children[place];
  if (!row) return box.removeAttribute("aria-activedescendant");
  box.setAttribute("aria-activedescendant", row.id);
  row.scrollIntoView({ block: "nearest" });
}

function go(row, event) {
  if (!row?.dataset.href) return;
  rememberQuestion(box.value);
  if (event.ctrlKey || event.metaKey) window.open(row.dataset.href);
  else location.assign(row.dataset.href);
}

async function offer() {
  const question = box.value.trim();
  asked.abort();
  asked = new AbortController();
  if (!question) return show([...recentQuestions().map((one) => asking(one, "asked before")), ...views("")]);
  const first = [asking(question, "search"), ...views(question)];
  try {
    const wanted = new URLSearchParams({ query: question, part: "short", typing: "true" });
    const answer = await fetch(`${everywhere}?${wanted}`, { signal: asked.signal });
    if (!answer.ok) throw new Error(answer.statusText);
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    const hits = [...parsed.querySelectorAll("a")].map((link) => option(link.getAttribute("href"), ...link.childNodes));
    show([...hits, ...first]);
    said.textContent = hits.length ? "" : "No passage answers this.";
  } catch (trouble) {
    if (trouble.name === "AbortError") return;
    show(first);
    said.textContent = "The server does not answer.";
  }
}

function asking(question, detail) {
  return option(`${base}/search?${new URLSearchParams({ query: question })}`, part("heading", question), part("address", detail));
}

function views(question) {
  const wanted = question.toLowerCase();
  return WAYS.filter((name) => name.toLowerCase().startsWith(wanted)).map((name) =>
    option(`${base}/${name.toLowerCase()}`, part("heading", name), part("address", "view")),
  );
}

function part(looks, words) {
  const made = document.createElement("span");
  made.className = looks;
  made.textContent = words;
  return made;
}

function option(href, ...parts) {
  const row = document.createElement("li");
  row.setAttribute("role", "option");
  row.dataset.href = href;
  row.append(...parts);
  return row;
}

function show(rows) {
  rows.forEach((row, place) => (row.id = `pk-found-${place}`));
  list.replaceChildren(...rows);
  said.textContent = "";
  choose(rows.length ? 0 : -1);
}
