// What the server tells by itself. Whatever is lost is asked for: on connecting, on coming back, and after each answer.
import { stream } from "./api.js";
import { know, pass, refresh, watch, work } from "./state.js";
import { tell, toast } from "./toasts.js";

/** @type {Map<string, Set<(data: any) => void>>} */
const hearers = new Map();

/** @param {string} name @param {(data: any) => void} act */
export function on(name, act) {
  if (!hearers.has(name)) hearers.set(name, new Set());
  hearers.get(name)?.add(act);
}

/** @param {string} name @param {any} [data] */
export function emit(name, data = {}) {
  for (const act of hearers.get(name) ?? []) act(data);
}

const SOON_MS = 500;
const LATEST_MS = 5000;

/** Listen for as long as the page is looked at: browsers allow few connections to a server. */
export function startEvents() {
  /** @type {AbortController | null} */
  let listening = null;
  let wait = SOON_MS;
  let isLost = false;

  async function open() {
    if (document.hidden || listening) return;
    const mine = new AbortController();
    listening = mine;
    try {
      await stream("GET", "/work/events", undefined, mine.signal, emit);
    } catch {
      // The server may be gone for a moment.
    }
    if (mine.signal.aborted) return;
    listening = null;
    lost();
    window.setTimeout(open, wait);
    wait = Math.min(LATEST_MS, wait * 2);
  }

  async function connected() {
    if (isLost) toast("Connected again.", "success");
    isLost = false;
    wait = SOON_MS;
    document.documentElement.classList.remove("lost");
    await refresh().then(() => emit("connected"), tell);
  }

  function lost() {
    isLost = true;
    document.documentElement.classList.add("lost");
  }

  function close() {
    listening?.abort();
    listening = null;
  }

  on("hello", connected); // from here on the server tells; the head of its answer comes a moment earlier
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}

export function startStateEvents() {
  on("progress", (told) => (told.percent >= 100 ? pass({ progress: null }) : know({ progress: told })));
  on("ready", () => pass({ modes: { ...work.modes, code: { ...work.modes.code, ready: true } } }));
  on("selection", (told) => {
    if (JSON.stringify(told.paths) !== JSON.stringify(work.selection)) refresh().catch(tell); // another page chose
  });
  on("doc_index_ready", () => {
    pass({ progress: null, modes: { ...work.modes, docs: { ready: true, building: false } } });
    toast("📝 Document index ready — doc mode available", "success");
  });
  on("doc_index_failed", (told) => {
    pass({ progress: null, modes: { ...work.modes, docs: { ready: false, building: false, reason: told.message } } });
  });
  on("notice", (told) => toast(told.text, told.level));
  watch(["modes"], tellFailure);
}

let toldOf = "";

/** Say once why there is no document index: a page that connects later hears of no event, but loads the state. */
function tellFailure() {
  const reason = work.modes.docs.reason ?? "";
  if (reason === toldOf) return;
  toldOf = reason;
  if (reason) toast(`The document index could not be built: ${reason}`, "error");
}
