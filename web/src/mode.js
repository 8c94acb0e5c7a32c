// Code or documents: the switch, what is remembered for this repository, and the wish that waits for the index.
import { post } from "./api.js";
import { fill, h } from "./dom.js";
import { emit, on } from "./events.js";
import { know, watch, work } from "./state.js";
import { toast, trying } from "./toasts.js";

const keyOf = (/** @type {string} */ root) => `pinakes-work-mode:${root}`;

/** @returns {"code" | "docs" | null} */
function remembered() {
  try {
    const mode = localStorage.getItem(keyOf(work.root));
    return mode === "code" || mode === "docs" ? mode : null;
  } catch {
    return null;
  }
}

/** @param {string} mode */
function remember(mode) {
  try {
    localStorage.setItem(keyOf(work.root), mode);
  } catch {
    // Without storage the mode lasts for this view.
  }
}

export function startMode() {
  const element = h("div", { class: "modes", role: "radiogroup", "aria-label": "Mode" });
  /** @type {"code" | "docs" | null} */
  let wish = null;
  let isTurning = false;

  /** @param {"code" | "docs"} mode */
  async function turnTo(mode) {
    wish = null;
    if (mode === work.mode) return draw();
    if (mode === "docs" && !work.modes.docs.ready) {
      if (work.modes.docs.reason) {
        draw();
        return toast(`Document mode is not there: ${work.modes.docs.reason}`, "warning");
      }
      wish = mode;
      remember(mode);
      draw();
      return toast("The document index is being built; document mode begins when it is ready.");
    }
    remember(mode);
    if (isTurning) return;
    isTurning = true;
    element.setAttribute("aria-busy", "true");
    try {
      taken(await post("/work/mode", { mode }));
    } finally {
      isTurning = false;
      element.removeAttribute("aria-busy");
      draw();
    }
  }

  /** @param {any} told */
  function taken(told) {
    const isNew = told.mode !== work.mode;
    know({
      mode: told.mode,
      snippets: told.snippets ?? work.snippets,
      snippets_warning: told.snippets_warning ?? "",
      selection: told.selection ?? [],
      selection_tokens: 0,
      overlay: false,
      keywords_available: told.keywords_available ?? true,
      keywords_message: told.keywords_message ?? "",
    });
    remember(told.mode);
    if (!isNew) return;
    emit("switched", told);
    if (told.message) toast(told.message, "success");
    if (told.mode === "docs") tellKeywords();
  }

  function draw() {
    const { docs } = work.modes;
    const isBuilding = Boolean(docs.building);
    const focused = element.contains(document.activeElement);
    fill(
      element,
      choice("code", "‹›", "Code", work.modes.code.reason || "Symbols of the code in context", false),
      choice(
        "docs",
        isBuilding ? "⏳" : "📝",
        "Documents",
        isBuilding ? "The document index is being built" : "Outlines of documents in context",
        isBuilding,
      ),
    );
    if (focused) /** @type {HTMLElement | null} */ (element.querySelector("input:checked"))?.focus();
  }

  /** @param {"code" | "docs"} mode @param {string} sign @param {string} words @param {string} title @param {boolean} isPulsing */
  function choice(mode, sign, words, title, isPulsing) {
    return h(
      "label",
      { class: `segment mode-${mode}${wish === mode ? " wished" : ""}`, title },
      h("input", {
        type: "radio",
        name: "mode",
        value: mode,
        checked: mode === work.mode,
        onchange: () => trying(() => turnTo(mode)),
      }),
      h(
        "span",
        {},
        h("span", { class: `mode-sign${isPulsing ? " pulsing" : ""}`, "aria-hidden": "true" }, sign),
        ` ${words}`,
        isPulsing ? h("span", { class: "unseen" }, " (index being built)") : null,
      ),
    );
  }

  /** The page says which mode this repository was left in; the server keeps none. */
  async function connected() {
    const mode = wish ?? remembered();
    if (mode === "code" && work.modes.code.reason) draw();
    else if (mode && mode !== work.mode) {
      if (mode === "docs" && !work.modes.docs.ready) {
        wish = work.modes.docs.reason ? null : mode;
        draw();
      } else await turnTo(mode);
    } else draw();
  }

  on("mode", taken);
  on("connected", () => trying(connected));
  on("doc_index_ready", () => wish === "docs" && trying(() => turnTo("docs")));
  on("doc_index_failed", () => {
    wish = null;
    draw();
  });
  watch(["mode", "modes"], () => {
    draw();
    document.documentElement.dataset.mode = work.mode;
    if (wish === "docs" && work.modes.docs.ready) trying(() => turnTo("docs"));
  });
  draw();
  return { element, other: () => trying(() => turnTo(work.mode === "code" ? "docs" : "code")) };
}

let toldOf = "";

/** Say once that keywords are missing, with the command that brings them. */
export function tellKeywords() {
  if (work.keywords_available || !work.keywords_message || toldOf === work.keywords_message) return;
  toldOf = work.keywords_message;
  toast(work.keywords_message, "warning");
}
