// Tabs: one can be reached by Tab, the others by arrows; each shows one panel.
import { h } from "./dom.js";

/**
 * @typedef {{name: string, words: string, panel: HTMLElement, show?: (is: boolean) => void, key?: string}} TabGiven
 * @param {string} label
 * @param {TabGiven[]} given
 * @param {string} [prefix]
 */
export function tabs(label, given, prefix = "tab") {
  const list = h("div", { role: "tablist", class: "tabs", "aria-label": label, onkeydown: keys });
  const buttons = given.map((one) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `${prefix}-${one.name}`,
        "aria-controls": `${prefix}-panel-${one.name}`,
        title: one.key ? `Alt+${one.key}` : undefined,
        "aria-keyshortcuts": one.key ? `Alt+${one.key}` : undefined,
        onclick: () => show(one.name),
      },
      one.words,
    ),
  );
  for (const one of given) {
    one.panel.id = `${prefix}-panel-${one.name}`;
    one.panel.setAttribute("role", "tabpanel");
    one.panel.setAttribute("aria-labelledby", `${prefix}-${one.name}`);
  }
  list.append(...buttons);
  let shown = "";

  /** @param {string} name */
  function show(name) {
    if (name === shown) return;
    const before = shown;
    shown = name;
    given.forEach((one, at) => {
      const isHere = one.name === name;
      one.panel.hidden = !isHere;
      buttons[at].setAttribute("aria-selected", String(isHere));
      buttons[at].tabIndex = isHere ? 0 : -1;
      if (isHere || one.name === before) one.show?.(isHere);
    });
    list.dispatchEvent(new CustomEvent("shown", { detail: name, bubbles: true }));
  }

  /** @param {KeyboardEvent} event */
  function keys(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    const usable = buttons.filter((one) => one.checkVisibility());
    const here = usable.findIndex((one) => one.getAttribute("aria-selected") === "true");
    const to =
      event.key === "Home"
        ? 0
        : event.key === "End"
          ? usable.length - 1
          : (here + (step ?? 0) + usable.length) % usable.length;
    usable[to].focus();
    usable[to].click();
  }

  return { element: list, show, shown: () => shown, names: given.map((one) => one.name) };
}
