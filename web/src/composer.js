// Where one writes: snippets, the files and addresses that go along, and the box itself.
import { post } from "./api.js";
import { button, count, fill, h, nameOf, some } from "./dom.js";
import { isDocs, know, watch, work } from "./state.js";
import { toast, trying } from "./toasts.js";

const URL_IN_TEXT = /https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/g;
const MOST_CHIPS = 6;

/** What the server takes; no model reads more. */
const MOST_SELECTED = 500;

/** @param {(question: string) => Promise<void>} ask @param {() => void} stop */
export function composer(ask, stop) {
  const snippets = h("div", { class: "snippets", role: "group", "aria-label": "Snippets" });
  const chips = h("div", { class: "chosen", role: "group", "aria-label": "Goes along" });
  const offers = h("div", { class: "offers", role: "group", "aria-label": "Addresses in the question" });
  const box = h("textarea", {
    rows: "2",
    "aria-label": "Question",
    "aria-describedby": "ask-hint",
    onkeydown: keys,
    oninput: changed,
  });
  const send = button("Ask", submit, { class: "main" });
  const end = button("Stop", stop, { class: "stop", hidden: true });
  const hint = h("p", { class: "hint", id: "ask-hint" });
  const form = h(
    "div",
    { class: "composer" },
    snippets,
    chips,
    h("div", { class: "ask" }, box, h("div", { class: "ask-buttons" }, send, end)),
    offers,
    hint,
  );
  /** @type {Map<string, string>} */
  const titles = new Map();

  /** @param {KeyboardEvent} event */
  function keys(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    }
  }

  function submit() {
    const question = box.value.trim();
    if (!question || work.answering || !work.conversation.available) return;
    box.value = "";
    changed();
    ask(question);
  }

  function changed() {
    box.rows = Math.min(10, Math.max(2, box.value.split("\n").length));
    const found = [...new Set(/** @type {string} */ (box.value).match(URL_IN_TEXT) ?? [])].filter(
      (url) => !work.urls.includes(url),
    );
    fill(offers, ...found.map((url) => button(`Fetch ${url}`, (event) => fetchOne(url, event), { class: "small" })));
  }

  /** @param {string} url @param {Event} event */
  async function fetchOne(url, event) {
    const pressed = /** @type {HTMLButtonElement} */ (event.currentTarget);
    pressed.disabled = true;
    await trying(async () => {
      const told = await post("/work/fetch", { url });
      titles.set(told.url ?? url, told.title);
      know({ urls: [...new Set([...work.urls, told.url ?? url])] });
      toast(`Fetched “${told.title || url}”, ${some(told.tokens, "token")}.`, "success");
    });
    pressed.disabled = false;
    changed();
  }

  function drawChips() {
    const files = work.selection
      .slice(0, MOST_CHIPS)
      .map((path) => chip(nameOf(path), path, () => select(work.selection.filter((one) => one !== path))));
    const more =
      work.selection.length > MOST_CHIPS
        ? h("span", { class: "quiet" }, `and ${work.selection.length - MOST_CHIPS} more`)
        : null;
    const urls = work.urls.map((url) =>
      chip(`🔗 ${titles.get(url) || url}`, url, () =>
        trying(async () => {
          await post("/work/forget-url", { url });
          know({ urls: work.urls.filter((one) => one !== url) });
          changed();
        }),
      ),
    );
    const total = work.selection.length
      ? h("span", { class: "quiet" }, `${some(work.selection.length, "file")} · ${count(work.selection_tokens)} tokens`)
      : null;
    const none =
      work.selection.length > 1
        ? button("None", () => select([]), { class: "small", "aria-label": "Deselect all files" })
        : null;
    fill(chips, ...files, more, ...urls, total, none);
  }

  function drawSnippets() {
    fill(
      snippets,
      ...work.snippets.map((one) =>
        button(
          one.name,
          () => {
            box.value = one.text;
            changed();
            box.focus();
          },
          { class: "chip", title: one.text },
        ),
      ),
    );
  }

  function drawBox() {
    const { available, reason, model } = work.conversation;
    box.placeholder = isDocs() ? "Ask about your documents …" : "Ask about this code …";
    send.disabled = !available || work.answering;
    end.hidden = !work.answering;
    send.hidden = work.answering;
    hint.textContent = available
      ? `Enter sends, Shift+Enter makes a new line${model ? ` · ${model}` : ""}`
      : `No conversation: ${reason} Everything else works.`;
    hint.classList.toggle("trouble", !available);
  }

  watch(["selection", "selection_tokens", "urls"], drawChips);
  watch(["snippets"], drawSnippets);
  watch(["snippets_warning"], () => work.snippets_warning && toast(work.snippets_warning, "warning"));
  watch(["conversation", "answering", "mode"], drawBox);
  drawSnippets();
  drawChips();
  drawBox();
  return { element: form, focus: () => box.focus() };
}

/** @param {string} words @param {string} title @param {() => void} remove */
function chip(words, title, remove) {
  return h(
    "span",
    { class: "chip", title },
    words,
    button("×", remove, { class: "plain", "aria-label": `Leave out ${title}` }),
  );
}

/** Say which files go along in full. @param {string[]} paths */
export async function select(paths) {
  if (paths.length > MOST_SELECTED) {
    const limit = `At most ${MOST_SELECTED} files go along`;
    return toast(`${limit}; these would be ${count(paths.length)}. Choose folders or files below.`, "warning");
  }
  const before = work.selection;
  know({ selection: paths });
  const told = await trying(() => post("/work/selection", { paths }));
  if (told) know({ selection: told.selection, selection_tokens: told.tokens });
  else know({ selection: before });
}
