// The keyboard comes first: every view can be reached and read without a mouse.
import { openPalette } from "./palette.js";
import { switchFigures, switchTheme } from "./switch.js";

const base = document.body.dataset.base;
const GO = { m: "map", g: "graph", h: "history", r: "memories", f: "files", a: "manage" };
const MAY_TYPE = "input, select, textarea";

export function startKeys() {
  const help = document.querySelector("dialog.help");
  document.querySelector("[data-help]")?.addEventListener("click", () => help.showModal());
  document.querySelector("[data-palette]")?.addEventListener("click", openPalette);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const isTyping = event.target.matches(MAY_TYPE);
    if (event.key === "Escape" && isTyping) event.target.blur();
    else if (event.key === "Escape") event.target.closest("details.menu")?.removeAttribute("open");
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (move(event.target, event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
    } else if (isTyping && !(event.key === "/" && event.target.matches('input[type="search"]') && !event.target.value)) return;
    else if (event.key === "/") {
      event.preventDefault();
      const box = document.querySelector('input[type="search"]');
      box.focus();
      box.select();
    } else if (event.key === "?") help.showModal();
    else if (event.key === "t") switchTheme();
    else if (event.key === "x") switchFigures();
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") fold(event.target, event.key === "ArrowRight");
    else if (GO[event.key]) location.assign(`${base}/${GO[event.key]}`);
  });
}

// From the box down into the hits, and through hits or the tree, one after another.
function move(from, step) {
  if (from.matches("select, textarea, input:not([type=search])")) return false;
  const inTree = from.closest(".tree");
  const rows = inTree ? treeRows(inTree) : hitRows();
  if (!rows.length) return false;
  const here = rows.findIndex((row) => row === from || row.contains(from));
  if (here < 0 && step < 0) return false;
  if (here === 0 && step < 0 && !inTree) {
    document.querySelector('input[type="search"]').focus();
    return true;
  }
  const next = rows[here + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return Boolean(next);
}

function hitRows() {
  const hits = [...document.querySelectorAll("[data-hit] a.open, .nearest a")];
  const tree = document.querySelector(".middle .tree");
  return hits.length || !tree ? hits : treeRows(tree);
}

function treeRows(tree) {
  return [...tree.querySelectorAll(".row > a")].filter((row) => row.checkVisibility());
}

function fold(from, isOpen) {
  const row = from.closest(".tree li");
  const folder = row?.querySelector(":scope > details");
  if (folder && folder.open !== isOpen) folder.open = isOpen;
  else if (row && !isOpen) row.parentElement.closest("li")?.querySelector(".row > a")?.focus();
}
