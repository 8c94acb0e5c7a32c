// Rows of a tree of files: one can be reached by Tab, the others by arrows; Space chooses, Enter opens.
import { h, nameOf } from "./dom.js";

const SIGNS = /** @type {Record<string, string>} */ ({
  document: "¶",
  drawing: "◇",
  image: "▣",
  code: "‹›",
  other: "·",
});

/**
 * @typedef {{name: string, path: string, kind: string, files: string[], folders: Map<string, TreeNode>, leaves: TreeNode[]}} TreeNode
 * @typedef {object} TreeWays
 * @property {Set<string> | null} open folders that are unfolded; null when all are
 * @property {Set<string>} selected
 * @property {(path: string) => void} onOpen
 * @property {(paths: string[]) => void} onSelect
 * @property {() => void} onFold
 */

/** @param {{path: string, kind: string}[]} files @param {TreeWays} ways @returns {HTMLElement[]} */
export function treeRows(files, ways) {
  /** @type {HTMLElement[]} */
  const rows = [];
  walk(treeOf(files), 1, ways, rows);
  if (rows.length) rows[0].tabIndex = 0;
  return rows;
}

/** @param {{path: string, kind: string}[]} files */
function treeOf(files) {
  const root = folder("", "");
  for (const file of files) {
    let at = root;
    const parts = file.path.split("/");
    for (const name of parts.slice(0, -1)) {
      at.files.push(file.path);
      if (!at.folders.has(name)) at.folders.set(name, folder(name, at.path ? `${at.path}/${name}` : name));
      at = /** @type {TreeNode} */ (at.folders.get(name));
    }
    at.files.push(file.path);
    at.leaves.push({ ...folder(nameOf(file.path), file.path), kind: file.kind });
  }
  return root;
}

/** @param {string} name @param {string} path @returns {TreeNode} */
function folder(name, path) {
  return { name, path, kind: "", files: [], folders: new Map(), leaves: [] };
}

/** @param {TreeNode} node @param {number} level @param {TreeWays} ways @param {HTMLElement[]} rows */
function walk(node, level, ways, rows) {
  const byName = (/** @type {TreeNode} */ a, /** @type {TreeNode} */ b) => a.name.localeCompare(b.name, "en");
  for (const inner of [...node.folders.values()].sort(byName)) {
    const isOpen = !ways.open || ways.open.has(inner.path);
    rows.push(folderRow(inner, level, isOpen, ways));
    if (isOpen) walk(inner, level + 1, ways, rows);
  }
  for (const leaf of [...node.leaves].sort(byName)) rows.push(fileRow(leaf, level, ways));
}

/** @param {TreeNode} node @param {number} level @param {boolean} isOpen @param {TreeWays} ways */
function folderRow(node, level, isOpen, ways) {
  const chosen = node.files.filter((path) => ways.selected.has(path)).length;
  const state = !chosen ? "false" : chosen === node.files.length ? "true" : "mixed";
  const fold = (/** @type {boolean} */ wanted) => {
    if (!ways.open || wanted === isOpen) return;
    if (wanted) ways.open.add(node.path);
    else ways.open.delete(node.path);
    ways.onFold();
  };
  const choose = () => {
    const inside = new Set(node.files);
    const others = [...ways.selected].filter((path) => !inside.has(path));
    ways.onSelect(state === "true" ? others : [...others, ...node.files]);
  };
  return row(
    node,
    level,
    { "aria-expanded": String(isOpen), "aria-checked": state },
    isOpen ? "▾" : "▸",
    choose,
    () => fold(!isOpen),
    fold,
  );
}

/** @param {TreeNode} node @param {number} level @param {TreeWays} ways */
function fileRow(node, level, ways) {
  const isChosen = ways.selected.has(node.path);
  const choose = () =>
    ways.onSelect(isChosen ? [...ways.selected].filter((path) => path !== node.path) : [...ways.selected, node.path]);
  return row(
    node,
    level,
    { "aria-checked": String(isChosen) },
    SIGNS[node.kind] ?? SIGNS.other,
    choose,
    () => ways.onOpen(node.path),
    () => {},
  );
}

/**
 * @param {TreeNode} node
 * @param {number} level
 * @param {Record<string, string>} aria
 * @param {string} sign
 * @param {() => void} choose
 * @param {() => void} act
 * @param {(wanted: boolean) => void} fold
 */
function row(node, level, aria, sign, choose, act, fold) {
  const check = h("span", {
    class: "check",
    "aria-hidden": "true",
    onclick: (/** @type {Event} */ event) => (event.stopPropagation(), choose()),
  });
  const isFolder = "aria-expanded" in aria;
  return h(
    "div",
    {
      role: "treeitem",
      class: `row level-${Math.min(level, 9)}${isFolder ? " folder" : ""}`,
      "aria-level": String(level),
      "aria-label": node.name,
      ...aria,
      tabIndex: -1,
      title: node.path,
      data: { path: node.path },
      onclick: act,
      onfocus: (/** @type {Event} */ event) => only(/** @type {HTMLElement} */ (event.currentTarget)),
      onkeydown: (/** @type {KeyboardEvent} */ event) => keys(event, choose, act, fold),
    },
    h("span", { class: "sign", "aria-hidden": "true" }, sign),
    check,
    h("span", { class: "name" }, node.name),
  );
}

/** Tab comes back to where one was. @param {HTMLElement} row */
function only(row) {
  for (const other of row.parentElement?.querySelectorAll('[tabindex="0"]') ?? [])
    /** @type {HTMLElement} */ (other).tabIndex = -1;
  row.tabIndex = 0;
}

/** @param {KeyboardEvent} event @param {() => void} choose @param {() => void} act @param {(wanted: boolean) => void} fold */
function keys(event, choose, act, fold) {
  const row = /** @type {HTMLElement} */ (event.currentTarget);
  const isOpen = row.getAttribute("aria-expanded") === "true";
  /** @type {Record<string, () => void>} */
  const does = {
    ArrowDown: () => focus(row.nextElementSibling),
    ArrowUp: () => focus(row.previousElementSibling ?? document.getElementById("find-files")),
    ArrowRight: () => (isOpen ? focus(row.nextElementSibling) : fold(true)),
    ArrowLeft: () => (isOpen ? fold(false) : focus(parent(row))),
    Home: () => focus(row.parentElement?.firstElementChild),
    End: () => focus(row.parentElement?.lastElementChild),
    Enter: act,
    " ": choose,
  };
  if (!does[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  does[event.key]();
}

/** @param {Element | null | undefined} element */
function focus(element) {
  /** @type {HTMLElement | null | undefined} */ (element)?.focus();
}

/** @param {HTMLElement} row */
function parent(row) {
  const level = Number(row.getAttribute("aria-level"));
  let at = row.previousElementSibling;
  while (at && Number(at.getAttribute("aria-level")) >= level) at = at.previousElementSibling;
  return at;
}
