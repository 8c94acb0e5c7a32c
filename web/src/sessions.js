// Conversations that were held here: searched, taken up again, begun anew.
import { get, post } from "./api.js";
import { button, fill, h, quietly, some } from "./dom.js";
import { compactNow } from "./chat.js";
import { emit } from "./events.js";
import { refresh, watch, work } from "./state.js";
import { toast, trying } from "./toasts.js";

export function startSessions() {
  const box = h("input", {
    type: "search",
    "aria-label": "Search conversations",
    placeholder: "Search conversations",
    oninput: quietly(200, () => trying(load)),
  });
  const shown = h("ul", { class: "sessions" });
  const compact = button("Compact", () => trying(compactNow), {
    title: "Summarise what was said before, to make room; nothing is deleted from disk",
  });
  const element = h(
    "div",
    { class: "session-panel" },
    h(
      "div",
      { class: "row" },
      button("New conversation", () => trying(begin), { class: "main" }),
      compact,
    ),
    box,
    shown,
  );

  async function load() {
    const found = await get("/work/sessions", { q: box.value.trim() });
    const rows = found.map((/** @type {any} */ one) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: "match",
            "aria-current": one.id === work.session?.id ? "true" : undefined,
            onclick: () => trying(() => resume(one.id)),
          },
          h("strong", {}, one.title || "Untitled"),
          h("span", { class: "quiet" }, `${when(one.at)} · ${some(one.messages ?? 0, "message")}`),
        ),
      ),
    );
    fill(
      shown,
      ...(rows.length
        ? rows
        : [h("li", { class: "quiet" }, box.value ? "No conversation has these words." : "No conversation yet.")]),
    );
  }

  async function begin() {
    await post("/work/sessions");
    await changed("A new conversation begins.");
  }

  /** @param {string} id */
  async function resume(id) {
    await post("/work/sessions/resume", { id });
    await changed("Taken up again.");
  }

  /** @param {string} words */
  async function changed(words) {
    await refresh();
    emit("session");
    emit("show", "chat");
    toast(words, "success");
    await load();
  }

  watch(["session"], () => element.isConnected && trying(load));
  watch(["conversation"], () => (compact.disabled = !work.conversation.available));
  return { element, load: () => trying(load) };
}

/** @param {string} at */
function when(at) {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at ?? "";
  return time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
