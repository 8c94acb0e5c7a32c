// What stands in place of the workspace until it is ready, and never again: how far it is, or why it cannot begin.
import { button, fill, h } from "./dom.js";
import { work } from "./state.js";

/** Kept over the load of the page that follows when somebody enters a token. */
const TRIED = "pinakes-work-tried";

/** @param {HTMLElement} room what it stands before */
export function startScreen(room) {
  const words = h("p", { class: "doing", role: "status" });
  const more = h("div", { class: "enter" });
  const element = h("div", { class: "start" }, h("p", { class: "mark" }, "Pinakes"), words, more);

  function draw() {
    const isReady = work.modes.code.ready;
    element.hidden = isReady;
    room.inert = !isReady;
    if (isReady) tried(false);
    const { progress } = work;
    words.textContent = progress ? `${progress.label} ${Math.round(progress.percent)} %` : "Reading the code …";
    fill(more);
  }

  /** The workspace could not be asked for. @param {import("./api.js").Problem} trouble */
  function refused(trouble) {
    const isLocked = trouble.status === 401;
    words.textContent = isLocked ? locked() : (trouble.words ?? String(trouble));
    if (isLocked) fill(more, entrance());
  }

  draw();
  return { element, draw, refused };
}

/** What keeps somebody out: no token, or one that the server does not take. */
function locked() {
  return tried(false)
    ? "That is not the token of this workspace. Run pinakes token where it was started."
    : "This workspace asks for your token.";
}

/** Whether a token was entered before the page was loaded again; from here on, whether it is. @param {boolean} isNow */
function tried(isNow) {
  try {
    const was = sessionStorage.getItem(TRIED) !== null;
    if (isNow) sessionStorage.setItem(TRIED, "");
    else sessionStorage.removeItem(TRIED);
    return was;
  } catch {
    return false; // without storage nobody is told that it was the wrong one
  }
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
    tried(true);
    location.hash = `token=${encodeURIComponent(box.value.trim())}`;
    location.reload();
  };
  box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && enter());
  return [box, button("Enter", enter, { class: "main" })];
}
