// Every file of the repository as a tree to choose from, and three ways to find: by name, by text, by rank.
import { get } from "./api.js";
import { button, count, fill, h, isTyping, nameOf, quietly, some } from "./dom.js";
import { on } from "./events.js";
import { select } from "./composer.js";
import { treeRows } from "./tree.js";
import { isDocs, watch, work } from "./state.js";
import { tell, trying } from "./toasts.js";

const PAUSE_MS = 180;
const CALM_MS = 400;
const MOST = 400;
const FEW = 30;
const WAYS = /** @type {const} */ ({
  name: { code: "Name", docs: "Name", hint: "Part of a name or path" },
  text: { code: "Text", docs: "Words", hint: "Exact text in all files" },
  rank: { code: "Ranked", docs: "Meaning", hint: "A question, in your words" },
});

/** @param {{openPath: (path: string, line?: number) => void, openNew: (path: string) => void}} ways */
export function startFiles(ways) {
  /** @type {{path: string, size: number, kind: string}[]} */
  let files = [];
  /** @type {keyof typeof WAYS} */
  let way = "name";
  let asked = new AbortController();
  const open = new Set([""]);
  let isLoaded = false;
  const found = h("div", { class: "found" });
  const box = h("input", {
    type: "search",
    id: "find-files",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => soon(),
    onkeydown: keys,
  });
  const isRegex = h("input", { type: "checkbox", onchange: () => look() });
  const isCase = h("input", { type: "checkbox", onchange: () => look() });
  const options = h(
    "div",
    { class: "find-options", hidden: true },
    h("label", {}, isRegex, " Regular expression"),
    h("label", {}, isCase, " Match case"),
  );
  const kinds = h("div", { class: "segments", role: "radiogroup", "aria-label": "Find files by" });
  const element = h("div", { class: "files" }, h("div", { class: "find" }, box, kinds, options), found);
  const soon = quietly(PAUSE_MS, look);

  function drawKinds() {
    box.setAttribute("aria-label", "Find files");
    box.placeholder = WAYS[way].hint;
    options.hidden = way !== "text";
    fill(
      kinds,
      ...Object.entries(WAYS).map(([name, words]) =>
        h(
          "label",
          { class: "segment" },
          h("input", {
            type: "radio",
            name: "find-by",
            value: name,
            checked: name === way,
            onchange: () => {
              way = /** @type {keyof typeof WAYS} */ (name);
              box.placeholder = words.hint;
              options.hidden = way !== "text";
              look();
            },
          }),
          h("span", {}, isDocs() ? words.docs : words.code),
        ),
      ),
    );
  }

  /** @param {KeyboardEvent} event */
  function keys(event) {
    if (event.key === "ArrowDown") {
      /** @type {HTMLElement | null} */ (found.querySelector('[tabindex="0"], button'))?.focus();
      event.preventDefault();
    } else if (event.key === "Escape") {
      if (box.value) {
        box.value = "";
        look();
        event.preventDefault();
      } else box.blur();
    }
  }

  async function look() {
    asked.abort();
    asked = new AbortController();
    const words = box.value.trim();
    if (!words || way === "name") return drawTree();
    found.setAttribute("aria-busy", "true");
    try {
      if (way === "text")
        drawMatches(
          await get("/work/grep", { q: box.value, regex: isRegex.checked, case: isCase.checked }, asked.signal),
        );
      else drawHits(await get("/search", { query: words, limit: 20 }, asked.signal));
    } catch (trouble) {
      if (/** @type {any} */ (trouble).name === "AbortError") return;
      fill(found, h("p", { class: "trouble" }, /** @type {any} */ (trouble).words ?? String(trouble)));
    }
    found.removeAttribute("aria-busy");
  }

  function drawTree() {
    const part = way === "name" ? box.value.trim().toLowerCase() : "";
    const shown = part ? files.filter((file) => matches(file.path.toLowerCase(), part)) : files;
    const cut = part ? shown.slice(0, MOST) : shown;
    const focused = /** @type {HTMLElement | null} */ (
      found.contains(document.activeElement) ? document.activeElement : null
    )?.dataset.path;
    const rows = treeRows(cut, {
      open: part ? null : open,
      selected: new Set(work.selection),
      onOpen: ways.openPath,
      onSelect: select,
      onFold: drawTree,
    });
    const left =
      shown.length > cut.length
        ? h("p", { class: "quiet" }, `${count(shown.length - cut.length)} more; type more of the name`)
        : null;
    fill(
      found,
      rows.length
        ? h("div", { class: "tree", role: "tree", "aria-label": "Files", "aria-multiselectable": "true" }, ...rows)
        : nothing(part),
      left,
    );
    if (focused !== undefined)
      /** @type {HTMLElement | null} */ (found.querySelector(`[data-path="${CSS.escape(focused)}"]`))?.focus();
  }

  /** @param {string} part */
  function nothing(part) {
    const path = box.value.trim();
    const make = /^[\w.][\w./ -]*\.\w+$/.test(path)
      ? button(`Write ${path}`, () => ways.openNew(path), { class: "small" })
      : null;
    return h(
      "div",
      {},
      h("p", { class: "quiet" }, part ? "No file has such a name." : "There are no files here."),
      make,
    );
  }

  /** @param {{matches: {path: string, line: number, text: string}[], is_cut: boolean}} told */
  function drawMatches(told) {
    const rows = told.matches.map((one) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "match", onclick: () => ways.openPath(one.path, one.line) },
          h("span", { class: "address" }, `${one.path}:${one.line}`),
          h("span", { class: "text" }, one.text.trim().slice(0, 200)),
        ),
      ),
    );
    const words = told.matches.length
      ? told.is_cut
        ? `${count(told.matches.length)} and more lines`
        : some(told.matches.length, "line")
      : "No line has this text.";
    fill(found, h("p", { class: "quiet", role: "status" }, words), h("ul", { class: "matches" }, ...rows));
  }

  /** @param {{hits: {path: string, title: string, trail: string[], lines: string, excerpt: string}[]}} told */
  function drawHits(told) {
    const rows = told.hits.map((hit) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: "match",
            onclick: () => ways.openPath(hit.path, Number.parseInt(hit.lines, 10) || 1),
          },
          h("strong", {}, hit.trail.at(-1) ?? hit.title),
          h("span", { class: "address" }, `${hit.path}:${hit.lines}`),
          h("span", { class: "text" }, hit.excerpt.slice(0, 160)),
        ),
      ),
    );
    fill(
      found,
      h(
        "p",
        { class: "quiet", role: "status" },
        rows.length ? `${count(rows.length)} passages, the best first` : "Nothing fits well.",
      ),
      h("ul", { class: "matches" }, ...rows),
    );
  }

  async function load() {
    files = await get("/work/files");
    if (!isLoaded) unfoldSome();
    isLoaded = true;
    if (!box.value || way === "name") drawTree();
  }

  /** A small repository shows what it has at once. */
  function unfoldSome() {
    const folders = new Set(files.map((file) => file.path.split("/").slice(0, -1).join("/")).filter(Boolean));
    if (files.length <= FEW)
      for (const folder of folders)
        folder.split("/").forEach((_, at, parts) => open.add(parts.slice(0, at + 1).join("/")));
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    focus();
  });

  function focus() {
    document.dispatchEvent(new CustomEvent("show-files"));
    box.focus();
    box.select();
  }

  watch(["selection"], () => (!box.value || way === "name") && drawTree());
  watch(["mode"], drawKinds);
  on(
    "changed",
    quietly(CALM_MS, () => load().catch(tell)),
  );
  drawKinds();
  return { element, load: () => trying(load), focus, paths: () => files };
}

/** All words of the filter stand in the path. @param {string} path @param {string} part */
function matches(path, part) {
  return part.split(/\s+/).every((word) => path.includes(word) || nameOf(path).includes(word));
}
