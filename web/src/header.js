// The line above everything: whose workspace this is, and how far the index has come.
import { button, fill, h, nameOf } from "./dom.js";
import { undoLast } from "./edits.js";
import { switchTheme } from "./theme.js";
import { watch, work } from "./state.js";
import { trying } from "./toasts.js";

/** @param {{fold: () => void, help: () => void}} ways */
export function startHeader(ways) {
  const root = h("h1", { class: "root" });
  const label = h("span", { class: "label" });
  const amount = h("span", { class: "amount" });
  const words = h("p", { class: "progress-words" }, label, amount);
  const bar = h("progress", { class: "progress-bar", max: "100", "aria-label": "Index", hidden: true });
  const undo = button("Undo", () => trying(undoLast), {
    title: "Take back the last changes that were applied",
    hidden: true,
  });
  const fold = button("☰", ways.fold, {
    class: "fold",
    "aria-label": "Fold the panel",
    "aria-expanded": "true",
    "aria-controls": "side",
  });
  const lost = h("span", { class: "lost-words", role: "status" });
  const element = h(
    "header",
    { class: "top" },
    fold,
    h("a", { class: "mark", href: "/" }, "Pinakes"),
    root,
    words,
    lost,
    h(
      "div",
      { class: "row ways" },
      undo,
      button("Light/dark", switchTheme, { class: "theme", "aria-keyshortcuts": "t" }),
      button("?", ways.help, { "aria-label": "Keys", "aria-keyshortcuts": "?" }),
    ),
    bar,
  );

  function draw() {
    root.textContent = nameOf(work.root.replace(/\/$/, ""));
    root.title = work.root;
    const { progress } = work;
    bar.hidden = words.hidden = !progress;
    if (progress) {
      bar.value = progress.percent;
      label.textContent = progress.label;
      amount.textContent = `${Math.round(progress.percent)} %`;
    }
    undo.hidden = !work.can_undo;
  }

  new MutationObserver(() => {
    const isLost = document.documentElement.classList.contains("lost");
    if (Boolean(lost.textContent) !== isLost) fill(lost, isLost ? "Not connected; trying again …" : "");
  }).observe(document.documentElement, { attributeFilter: ["class"] });
  watch(["root", "progress", "can_undo"], draw);
  draw();
  return {
    element,
    /** @param {boolean} isOpen */
    folded: (isOpen) => {
      fold.setAttribute("aria-expanded", String(isOpen));
      fold.setAttribute("aria-label", isOpen ? "Fold the panel" : "Unfold the panel");
    },
  };
}
