// Files that are open to be written: a strip of names, one text, beside it the picture of a drawing or the text on disk.
import { get, put } from "./api.js";
import { button, fill, h, nameOf } from "./dom.js";
import { drawingView } from "./drawing.js";
import { editor } from "./editing.js";
import { emit, on } from "./events.js";
import { isDocs, refresh, watch } from "./state.js";
import { tell, toast, trying } from "./toasts.js";

/**
 * @typedef {object} OpenFile
 * @property {string} path
 * @property {string} media
 * @property {string} saved the text on disk, as far as we know
 * @property {string} digest
 * @property {string} text what stands in the editor
 * @property {boolean} isCompared
 * @property {string | null} base what it is compared with, when that is not the text on disk
 * @property {boolean} isConflict
 */

export function startWorkbench() {
  /** @type {Map<string, OpenFile>} */
  const open = new Map();
  /** @type {OpenFile | null} */
  let shown = null;
  /** @type {{text: () => string, focus: () => void, destroy: () => void, wrap?: (is: boolean) => void, set?: (text: string) => void, line?: (number: number) => void} | null} */
  let view = null;
  /** @type {{draw: (text: string) => void} | null} */
  let drawing = null;
  /** @type {boolean | null} */
  let wrapWanted = null;
  let turn = 0;

  const strip = h("div", { class: "strip", role: "group", "aria-label": "Open files" });
  const save = button("Save", () => trying(saveShown), { class: "main", "aria-keyshortcuts": "Control+S" });
  const compare = button("Compare", () => trying(toggleCompare), {
    "aria-pressed": "false",
    title: "Beside the text on disk",
  });
  const wrap = button("Wrap lines", () => setWrap(!isWrapped()), { "aria-pressed": "true" });
  const bar = h(
    "div",
    { class: "bar", hidden: true },
    h("span", { class: "address path" }),
    h("div", { class: "row" }, save, compare, wrap),
  );
  const banner = h("div", { class: "banner", role: "alert", hidden: true });
  const place = h("div", { class: "editor" });
  const beside = h("div", { class: "beside", hidden: true });
  const empty = h("p", { class: "quiet empty" }, "Open a file on the left to read or write it here.");
  const element = h(
    "div",
    { class: "workbench" },
    strip,
    bar,
    banner,
    h("div", { class: "desk" }, place, beside, empty),
  );

  const isDirty = (/** @type {OpenFile} */ file) => file.text !== file.saved;
  const isWrapped = () => wrapWanted ?? isDocs();
  const isDrawing = (/** @type {OpenFile} */ file) => file.path.toLowerCase().endsWith(".svg");
  const isProse = (/** @type {OpenFile} */ file) => isDocs() && /\.(md|markdown|mdx|txt|rst|adoc)$/i.test(file.path);

  /** @param {string} path @returns {Promise<OpenFile>} */
  async function fetched(path) {
    const known = open.get(path);
    if (known) return known;
    const told = await get("/work/file", { path });
    const file = {
      path,
      media: told.media ?? "",
      saved: told.text,
      digest: told.digest,
      text: told.text,
      isCompared: false,
      base: null,
      isConflict: false,
    };
    open.set(path, file);
    return file;
  }

  /** @param {string} path @param {number} [line] */
  async function openPath(path, line) {
    const file = await fetched(path);
    emit("show", "editor");
    await show(file);
    if (line) view?.line?.(line);
    else view?.focus();
  }

  /** Look at a change beside what it came from, and write it. @param {{path: string, before: string | null, after: string | null}} change */
  async function openChange(change) {
    const file = await fetched(change.path).catch((trouble) => {
      if (trouble.status !== 404) throw trouble;
      const made = {
        path: change.path,
        media: "",
        saved: "",
        digest: "",
        text: "",
        isCompared: true,
        base: null,
        isConflict: false,
      };
      open.set(change.path, made);
      return made;
    });
    if (change.after !== null) file.text = change.after;
    file.base = change.after === null ? (change.before ?? "") : null;
    file.isCompared = true;
    emit("show", "editor");
    await show(file);
    view?.focus();
  }

  /** A file that is not there yet; saving makes it. @param {string} path */
  async function openNew(path) {
    const file = open.get(path) ?? {
      path,
      media: "",
      saved: "",
      digest: "",
      text: "",
      isCompared: false,
      base: null,
      isConflict: false,
    };
    open.set(path, file);
    emit("show", "editor");
    await show(file);
    view?.focus();
  }

  /** @param {OpenFile | null} file */
  async function show(file) {
    const mine = ++turn;
    const { single, merge } = await editor();
    if (mine !== turn) return;
    view?.destroy();
    view = null;
    drawing = null;
    shown = file;
    draw();
    if (!file) return;
    const given = {
      path: file.path,
      isWrapped: isWrapped(),
      isProse: isProse(file),
      onChange: changed,
      onSave: () => trying(saveShown),
    };
    view = file.isCompared
      ? merge(place, { ...given, before: file.base ?? file.saved, after: file.text })
      : single(place, { ...given, text: file.text });
    if (isDrawing(file) && !file.isCompared) {
      const made = drawingView(file.path);
      fill(beside, made.element);
      made.draw(file.text);
      drawing = made;
    }
  }

  function changed() {
    if (!shown || !view) return;
    const wasDirty = isDirty(shown);
    shown.text = view.text();
    drawing?.draw(shown.text);
    if (isDirty(shown) !== wasDirty) draw();
  }

  function draw() {
    fill(strip, ...[...open.values()].map(tab));
    bar.hidden = !shown;
    empty.hidden = Boolean(shown);
    place.hidden = !shown;
    beside.hidden = !shown || !isDrawing(shown) || shown.isCompared;
    banner.hidden = !shown?.isConflict;
    if (!shown) return;
    bar.querySelector(".path").textContent = shown.path;
    save.disabled = !isDirty(shown) && Boolean(shown.digest);
    compare.setAttribute("aria-pressed", String(shown.isCompared));
    wrap.setAttribute("aria-pressed", String(isWrapped()));
    wrap.hidden = shown.isCompared; // two columns are always wrapped
    if (shown.isConflict) drawConflict(shown);
  }

  /** @param {OpenFile} file */
  function tab(file) {
    const words = `${isDirty(file) ? "• " : ""}${nameOf(file.path)}`;
    return h(
      "span",
      { class: `file-tab${file === shown ? " here" : ""}` },
      button(words, () => trying(() => show(file)), {
        class: "plain",
        title: file.path,
        "aria-current": file === shown ? "true" : undefined,
        "aria-label": isDirty(file) ? `${file.path}, not saved` : file.path,
      }),
      button("×", () => close(file), { class: "plain", "aria-label": `Close ${file.path}` }),
    );
  }

  /** @param {OpenFile} file */
  function close(file) {
    if (isDirty(file) && !confirm(`${file.path} is not saved. Close it and lose what you wrote?`)) return;
    open.delete(file.path);
    if (file === shown) trying(() => show([...open.values()].at(-1) ?? null));
    else draw();
  }

  async function saveShown() {
    const file = shown;
    if (!file) return;
    const text = file.text;
    try {
      const told = await put("/work/file", { path: file.path, text, digest: file.digest });
      file.digest = told.digest;
      file.saved = text;
      file.isConflict = false;
      file.base = null;
      toast(`Saved ${file.path}`, "success");
      draw();
      emit("saved");
      emit("changed", { paths: [file.path] });
      refresh().catch(tell);
    } catch (trouble) {
      if (/** @type {any} */ (trouble).status !== 409) throw trouble;
      file.isConflict = true;
      draw();
    }
  }

  /** @param {OpenFile} file */
  function drawConflict(file) {
    const choose = (/** @type {string} */ words, /** @type {() => Promise<any>} */ act) =>
      button(words, () => trying(act));
    fill(
      banner,
      h("p", {}, `${file.path} changed on disk since it was opened. Nothing was written.`),
      h(
        "div",
        { class: "row" },
        choose("Reload, lose mine", () => reload(file)),
        choose("Keep mine, write over it", async () => {
          file.digest = (await get("/work/file", { path: file.path })).digest;
          await saveShown();
        }),
        choose("Compare both", async () => {
          const told = await get("/work/file", { path: file.path });
          Object.assign(file, {
            saved: told.text,
            digest: told.digest,
            isConflict: false,
            isCompared: true,
            base: null,
          });
          await show(file);
        }),
      ),
    );
  }

  /** @param {OpenFile} file */
  async function reload(file) {
    const told = await get("/work/file", { path: file.path });
    Object.assign(file, { saved: told.text, text: told.text, digest: told.digest, isConflict: false, base: null });
    if (file === shown) await show(file);
    else draw();
  }

  /** Others wrote these: what has no words of ours in it follows, the rest is asked about when it is saved. @param {string[]} paths */
  async function follow(paths) {
    for (const path of paths) {
      const file = open.get(path);
      if (!file || isDirty(file)) continue;
      const told = await get("/work/file", { path }).catch(() => null);
      if (told && told.digest !== file.digest && !isDirty(file)) await reload(file);
    }
  }

  async function toggleCompare() {
    if (!shown) return;
    shown.isCompared = !shown.isCompared;
    shown.base = null;
    await show(shown);
    view?.focus();
  }

  /** @param {boolean} is */
  function setWrap(is) {
    wrapWanted = is;
    if (view?.wrap) view.wrap(is);
    else trying(() => show(shown));
    draw();
  }

  watch(["mode"], () => {
    wrapWanted = null;
    if (shown) trying(() => show(shown));
  });
  on("changed", (told) => trying(() => follow(told.paths ?? [])));
  addEventListener("beforeunload", (event) => {
    if ([...open.values()].some(isDirty)) event.preventDefault();
  });
  draw();
  return {
    element,
    /** @param {string} path @param {number} [line] */
    openPath: (path, line) => trying(() => openPath(path, line)),
    openNew: (/** @type {string} */ path) => trying(() => openNew(path)),
    openChange: (/** @type {any} */ change) => trying(() => openChange(change)),
    save: () => trying(saveShown),
    focus: () => view?.focus(),
  };
}
