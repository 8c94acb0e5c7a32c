// What changed since the last commit, or in a range of commits: side by side, into the conversation, and committed by a click.
import { get, post } from "./api.js";
import { button, count, fill, h, some } from "./dom.js";
import { emit, on } from "./events.js";
import { editor } from "./editing.js";
import { isDocs, know, refresh, watch, work } from "./state.js";
import { toast, trying } from "./toasts.js";

/** @param {{compare: (change: any) => void}} ways */
export function startReview(ways) {
  const range = h("input", {
    type: "text",
    "aria-label": "Range of commits",
    placeholder: "Uncommitted changes, or a range: main..HEAD",
    onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && trying(load),
  });
  const into = h("input", { type: "checkbox", onchange: () => trying(setInto) });
  const list = h("div", { class: "changes" });
  const message = h("textarea", { rows: "4", "aria-label": "Message of the commit" });
  const propose = button("Propose a message", () => trying(proposed));
  const commit = button("Commit", () => trying(committed), { class: "main" });
  const committing = h(
    "div",
    { class: "commit" },
    h("h3", {}, "Commit"),
    message,
    h("div", { class: "row" }, propose, commit),
  );
  committing.hidden = true; // until there is something to commit
  const element = h(
    "div",
    { class: "review" },
    h(
      "div",
      { class: "bar" },
      h("h2", {}, "Review"),
      range,
      button("Show", () => trying(load)),
    ),
    h("label", { class: "switch" }, into, h("span", {}, " Put these changes into the conversation")),
    list,
    committing,
  );
  let isShown = false;
  let turn = 0;
  /** @type {string | null} the range that is shown or looked for */
  let drawn = null;
  /** @type {{destroy: () => void}[]} */
  let views = [];
  /** @type {string[]} */
  let changed = [];
  /** @type {Set<string>} files that the commit leaves out */
  const left = new Set();
  /** @type {Set<string>} files without a text to show, which a click puts into the commit */
  const known = new Set();

  async function load() {
    if (!isShown) return;
    const asked = range.value.trim();
    const mine = (turn += 1);
    if (asked !== drawn) fill(list, h("p", { class: "quiet", role: "status" }, "Looking for changes …"));
    drawn = asked;
    const told = await get("/work/review", { range: asked }).catch((trouble) => {
      if (mine !== turn) return;
      committing.hidden = true;
      fill(list, h("p", { class: "trouble" }, trouble.words ?? String(trouble)));
    });
    if (!told || mine !== turn) return; // a large repository may answer an earlier question last
    for (const view of views) view.destroy();
    views = [];
    const isTree = !asked;
    changed = [...told.changes, ...told.unseen].map((/** @type {{path: string}} */ one) => one.path);
    committing.hidden = !isTree || !changed.length;
    if (!changed.length)
      return fill(
        list,
        h(
          "p",
          { class: "quiet" },
          isTree ? "Nothing has changed since the last commit." : "Nothing changed in this range.",
        ),
      );
    fill(
      list,
      h("p", { class: "quiet" }, `${some(told.changes.length, "file")} · ${count(told.tokens)} tokens`),
      ...told.changes.map((/** @type {any} */ change, /** @type {number} */ at) => changeBox(change, isTree, at < 3)),
      ...told.unseen.map((/** @type {any} */ one) => unseenRow(one, isTree)),
    );
  }

  /** @param {{path: string, before: string | null, after: string | null}} change @param {boolean} isTree @param {boolean} isOpen */
  function changeBox(change, isTree, isOpen) {
    const place = h("div", { class: "merge" });
    const kind = change.before === null ? "new" : change.after === null ? "deleted" : "changed";
    const edit = button("Edit", () => ways.compare({ path: change.path, before: change.before ?? "", after: null }), {
      class: "small",
    });
    const details = h(
      "details",
      { class: "change" },
      h("summary", {}, h("span", { class: "address" }, change.path), h("span", { class: `kind ${kind}` }, kind)),
      place,
    );
    let isDrawn = false;
    details.addEventListener("toggle", async () => {
      if (!details.open || isDrawn) return;
      isDrawn = true;
      const { merge } = await editor();
      views.push(
        merge(place, { path: change.path, before: change.before ?? "", after: change.after ?? "", isReadOnly: true }),
      );
    });
    details.open = isOpen;
    return h(
      "div",
      { class: "change-row" },
      isTree ? check(change.path) : null,
      details,
      isTree && change.after !== null ? edit : null,
    );
  }

  /** @param {{path: string, reason: string}} file @param {boolean} isTree */
  function unseenRow(file, isTree) {
    if (!known.has(file.path)) left.add(file.path);
    known.add(file.path);
    return h(
      "div",
      { class: "change-row" },
      isTree ? check(file.path) : null,
      h("p", { class: "quiet" }, h("span", { class: "address" }, file.path), ` ${file.reason}`),
    );
  }

  /** Whether the commit takes a file. @param {string} path */
  function check(path) {
    const box = h("input", {
      type: "checkbox",
      checked: !left.has(path),
      "aria-label": `Commit ${path}`,
      onchange: () => (box.checked ? left.delete(path) : left.add(path)),
    });
    return box;
  }

  async function setInto() {
    await post("/work/review", { on: into.checked, range: range.value.trim() });
    know({ review: { on: into.checked, range: range.value.trim() } });
    await refresh();
  }

  async function proposed() {
    propose.disabled = true;
    try {
      message.value = (await post("/work/commit/message")).message;
      message.focus();
    } finally {
      propose.disabled = !work.conversation.available;
    }
  }

  async function committed() {
    const paths = changed.filter((path) => !left.has(path));
    if (!message.value.trim()) {
      message.focus();
      return toast("A commit needs a message.", "warning");
    }
    const done = await post("/work/commit", { message: message.value, paths });
    toast(`Committed ${String(done.commit).slice(0, 10)}: ${some(paths.length, "file")}.`, "success");
    message.value = "";
    left.clear();
    known.clear();
    emit("changed", { paths });
    await load();
  }

  const drawWords = () => {
    propose.disabled = !work.conversation.available;
    propose.title = work.conversation.available ? "" : work.conversation.reason;
    into.checked = Boolean(work.review?.on);
    message.placeholder = isDocs() ? "What changed in these documents, and why" : "What changed, and why";
  };
  drawWords();
  watch(["conversation", "review", "mode"], drawWords);
  on("changed", () => trying(load));
  return {
    element,
    /** @param {boolean} is */
    show: (is) => {
      isShown = is;
      if (is) trying(load);
    },
  };
}
