// Short notes in a corner, read aloud politely; those of trouble stay until they are closed.
import { button, h } from "./dom.js";

const SHOWN_MS = 7000;
const MOST = 4;
let place = /** @type {HTMLElement | null} */ (null);

export function startToasts() {
  const made = h("div", { class: "toasts", role: "status", "aria-live": "polite", "aria-label": "Notes" });
  place = made;
  return made;
}

/**
 * A sentence; a command that stands in it can be copied from a line of its own.
 * @param {string} words
 * @param {"info" | "success" | "warning" | "error"} [level]
 */
export function toast(words, level = "info") {
  if (!place) return;
  for (const same of place.querySelectorAll(".toast")) {
    if (/** @type {HTMLElement} */ (same).dataset.words === words) same.remove();
  }
  const box = h("div", { class: `toast ${level}`, data: { words } }, h("p", {}, words));
  const command = /`([^`]+)`|(pip install (?:"[^"]+"|'[^']+'|[\w.[\]-]+))/.exec(words);
  if (command) box.append(h("code", { class: "command" }, command[1] ?? command[2]));
  box.append(button("×", () => box.remove(), { class: "plain close", "aria-label": "Close this note" }));
  place.append(box);
  while (place.children.length > MOST) place.firstElementChild?.remove();
  if (level === "info" || level === "success") leaveLater(box);
}

/** A note that is looked at stays. @param {HTMLElement} box */
function leaveLater(box) {
  window.setTimeout(() => (box.matches(":hover, :focus-within") ? leaveLater(box) : box.remove()), SHOWN_MS);
}

/** Say what went wrong; a request that was given up is nothing wrong. @param {any} trouble */
export function tell(trouble) {
  if (trouble?.name === "AbortError") return;
  toast(trouble?.words ?? trouble?.message ?? String(trouble), "error");
}

/** Do something and say so when it fails. @template T @param {() => Promise<T>} act @returns {Promise<T | undefined>} */
export async function trying(act) {
  try {
    return await act();
  } catch (trouble) {
    tell(trouble);
    return undefined;
  }
}
