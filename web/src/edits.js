// The changes of an answer: cards in its text, and one panel that tries, applies and takes back all of them.
import { post } from "./api.js";
import { parts } from "./blocks.js";
import { button, fill, h, some } from "./dom.js";
import { emit, on } from "./events.js";
import { markdown } from "./markdown.js";
import { know, refresh } from "./state.js";
import { toast, trying } from "./toasts.js";

/** @typedef {{settle: () => void, takeBack: (paths: string[]) => void}} Step */

/** @type {Step | null} the panel whose changes Undo takes back, wherever that is asked for; null after another step */
let latest = null;

/** @param {Step | null} step */
function stepped(step) {
  latest?.settle();
  latest = step;
}
on("saved", () => stepped(null));

/** An answer as elements. @param {string} text @param {(path: string) => void} openPath @returns {Node[]} */
export function answerNodes(text, openPath) {
  return parts(text).flatMap((part) => ("text" in part ? markdown(part.text, openPath) : [card(part, openPath)]));
}

/** @param {{path: string, find: string, put: string, isWhole: boolean}} edit @param {(path: string) => void} openPath */
function card(edit, openPath) {
  const isNew = !edit.find.trim() && edit.isWhole;
  const lines = [
    ...(isNew ? [] : edit.find.split("\n").map((line) => ["gone", line])),
    ...(edit.put ? edit.put.split("\n").map((line) => ["added", line]) : []),
  ];
  return h(
    "div",
    { class: "card", role: "group", "aria-label": `Change in ${edit.path}` },
    h(
      "div",
      { class: "card-top" },
      h("button", { type: "button", class: "link address", onclick: () => openPath(edit.path) }, edit.path),
      h("span", { class: "quiet" }, !edit.isWhole ? "being written …" : isNew ? "new file" : "change"),
    ),
    h("pre", { class: "diff", tabindex: "0" }, ...lines.map(([kind, line]) => diffLine(kind, line))),
  );
}

/** @param {string} kind @param {string} line */
function diffLine(kind, line) {
  const sign = { gone: "−", added: "+" }[kind] ?? " ";
  return h("span", { class: `line ${kind}` }, h("span", { class: "sign", "aria-hidden": "true" }, sign), `${line}\n`);
}

/** A unified diff with its lines coloured. @param {string} text */
export function unified(text) {
  const lines = text.replace(/\n$/, "").split("\n");
  return h(
    "pre",
    { class: "diff", tabindex: "0" },
    ...lines.map((line) => {
      if (/^(---|\+\+\+) /.test(line)) return h("span", { class: "line file" }, `${line}\n`);
      if (line.startsWith("@@")) return h("span", { class: "line place" }, `${line}\n`);
      if (line.startsWith("+")) return diffLine("added", line.slice(1));
      if (line.startsWith("-")) return diffLine("gone", line.slice(1));
      return diffLine("", line.slice(1));
    }),
  );
}

/**
 * What one can do with the changes of an answer.
 * @param {string} exchange
 * @param {string[]} paths
 * @param {(change: {path: string, before: string, after: string}) => void} compare
 */
export function editsPanel(exchange, paths, compare) {
  const shown = h("div", { class: "edits-shown" });
  const apply = button("Apply", () => trying(applied), { class: "main" });
  const dry = button("Dry run", () => trying(tried));
  const undo = button("Undo", () => trying(undoLast), { hidden: true });
  const head = h(
    "p",
    { class: "edits-head" },
    `${some(paths.length, "change")} in ${some(new Set(paths).size, "file")}`,
  );

  async function tried() {
    const plan = await post("/work/edits/preview", { exchange });
    const files = (plan.changes ?? []).map((/** @type {any} */ change) =>
      button(`Compare and edit ${change.path}`, () => compare(change), { class: "small" }),
    );
    fill(
      shown,
      plan.diff ? unified(plan.diff) : h("p", { class: "quiet" }, "Nothing would change."),
      h("div", { class: "row" }, ...files),
      refusals(plan.refused),
    );
  }

  async function applied() {
    apply.disabled = true;
    try {
      const done = await post("/work/edits/apply", { exchange });
      fill(shown, refusals(done.refused));
      head.textContent = done.changed.length ? `Changed: ${done.changed.join(", ")}` : "Nothing was changed.";
      if (done.changed.length) toast(`${some(done.changed.length, "file")} changed. Undo takes it back.`, "success");
      if (done.changed.length) {
        stepped({ settle: () => (undo.hidden = true), takeBack: takenBack });
        undo.hidden = false;
        apply.hidden = true;
      }
      emit("changed", { paths: done.changed });
      await refresh();
    } finally {
      apply.disabled = false;
    }
  }

  /** @param {string[]} paths */
  function takenBack(paths) {
    head.textContent = `Taken back: ${paths.join(", ")}`;
    undo.hidden = true;
    apply.hidden = false;
  }

  return h(
    "div",
    { class: "edits", role: "group", "aria-label": "Changes of this answer" },
    head,
    h("div", { class: "row" }, apply, dry, undo),
    shown,
  );
}

/** Take back the last step of edits. */
export async function undoLast() {
  const back = await post("/work/edits/undo");
  know({ can_undo: false });
  latest?.takeBack(back.changed);
  latest = null;
  toast(`Taken back: ${back.changed.join(", ")}`, "success");
  emit("changed", { paths: back.changed });
  await refresh();
}

/** @param {{path: string, reason: string, nearest: string}[]} [refused] */
function refusals(refused = []) {
  return refused.map((one) =>
    h(
      "div",
      { class: "refused" },
      h("p", {}, h("span", { class: "address" }, one.path), ` was not changed: ${one.reason}`),
      one.nearest
        ? h("details", {}, h("summary", {}, "The nearest text there"), h("pre", { tabindex: "0" }, one.nearest))
        : null,
    ),
  );
}
