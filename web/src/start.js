// What stands in place of the workspace until it is ready, and never again: how far it is, or why it cannot begin.
import { button, fill, h } from "./dom.js";
import { work } from "./state.js";

/** @param {HTMLElement} room what it stands before */
export function startScreen(room) {
  const words = h("p", { class: "doing", role: "status" });
  const more = h("div", { class: "enter" });
  const element = h("div", { class: "start" }, h("p", { class: "mark" }, "Pinakes"), words, more);

  function draw() {
    const isReady = work.modes.code.ready;
    element.hidden = isReady;
    room.inert = !isReady;
    const { progress } = work;
    words.textContent = progress ? `${progress.label} ${Math.round(progress.percent)} %` : "Reading the code …";
    fill(more);
  }

  /** The workspace could not be asked for. @param {import("./api.js").Problem} trouble */
  function refused(trouble) {
    const isLocked = trouble.status === 401;
    words.textContent = isLocked ? "This workspace asks for your token." : (trouble.words ?? String(trouble));
    if (isLocked) fill(more, entrance());
  }

  draw();
  return { element, draw, refused };
}

/** Somebody typed the address: the token is asked for, kept for this tab, and shown to the server alone. */
function entrance() {
  const box = h("input", {
    type: "password",
    "aria-label": "Token",
    autocomplete: "off",
    placeholder: "what pinakes token prints",
  });
  const enter = () => {
    location.hash = `token=${encodeURIComponent(box.value.trim())}`;
    location.reload();
  };
  box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && enter());
  return [box, button("Enter", enter, { class: "main" })];
}
