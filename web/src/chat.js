// The conversation: what was said, the answer as it comes, and what it wants changed.
import { get, post, stream } from "./api.js";
import { parts } from "./blocks.js";
import { count, fill, h, isTyping, percent } from "./dom.js";
import { answerNodes, editsPanel } from "./edits.js";
import { emit, on } from "./events.js";
import { isDocs, know, refresh, watch, work } from "./state.js";
import { composer } from "./composer.js";
import { tell, toast, trying } from "./toasts.js";

const DRAWN_MS = 80;
const PATIENCE_MS = 3000;
const LOOK_MS = 1000;

/** @param {{openPath: (path: string) => void, compare: (change: any) => void}} ways */
export function startChat(ways) {
  const log = h("div", { class: "log", role: "log", "aria-label": "Conversation", tabindex: "0" });
  /** @type {AbortController | null} */
  let asking = null;
  /** @type {ReturnType<typeof answerBox> | null} */
  let answering = null;
  const box = composer(ask, stop);
  const panel = h("div", { class: "chat" }, log, box.element);

  async function load() {
    const said = await get("/work/messages");
    if (asking) return;
    fill(log, ...(said.length ? said.map((/** @type {any} */ one) => message(one, ways)) : [welcome()]));
    atEnd(log, true);
  }

  /** @param {string} question */
  async function ask(question) {
    if (asking || !question.trim()) return;
    log.querySelector(".welcome")?.remove();
    log.append(message({ role: "user", text: question, files: work.selection }, ways));
    const answer = answerBox(ways);
    answering = answer;
    log.append(answer.element);
    atEnd(log, true);
    asking = new AbortController();
    know({ answering: true });
    try {
      await stream("POST", "/work/ask", { question }, asking.signal, (name, data) => {
        answer.hear(name, data);
        atEnd(log);
      });
    } catch (trouble) {
      if (!asking.signal.aborted)
        answer.hear("problem", { detail: /** @type {any} */ (trouble).words ?? String(trouble) });
    }
    asking = null;
    know({ answering: false });
    answer.end();
    atEnd(log);
    emit("answered");
    refresh().catch(tell);
  }

  /** The server ends the answer and says so; a server that does not is left alone. */
  async function stop() {
    const mine = asking;
    answering?.stop();
    await trying(() => post("/work/stop"));
    if (mine) window.setTimeout(() => mine.abort(), PATIENCE_MS);
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && asking && !event.defaultPrevented) stop();
    if (event.key === "c" && !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      emit("show", "chat");
      box.focus();
    }
  });
  /** An answer that another page asked for, or this one before it was loaded anew: its end is asked for. */
  let isOthers = false;
  watch(["answering"], async () => {
    if (asking || isOthers) return;
    isOthers = work.answering;
    while (isOthers && work.answering && !asking) {
      await new Promise((done) => window.setTimeout(done, LOOK_MS));
      await refresh().catch(tell);
    }
    if (isOthers && !asking) trying(load);
    isOthers = false;
  });
  on("session", () => trying(load));
  watch(["mode", "modes"], () => {
    const empty = log.querySelector(".welcome");
    if (empty) empty.replaceWith(welcome());
  });
  return { element: panel, load, focus: box.focus };
}

function welcome() {
  const words = isDocs()
    ? "Ask about your documents. Choose files on the left to put them into the conversation in full; the outlines of all the others are already there."
    : "Ask about this code. Choose files on the left to put them into the conversation in full; the map of all symbols is already there.";
  const missing = work.modes.code.reason ? h("p", { class: "quiet small-words" }, work.modes.code.reason) : null;
  return h(
    "div",
    { class: "welcome" },
    h("h2", {}, isDocs() ? "Document mode" : "Code mode"),
    h("p", {}, words),
    missing,
  );
}

/** Stay at the end while one is there; who scrolled up to read is left alone. @param {HTMLElement} log @param {boolean} [must] */
function atEnd(log, must = false) {
  const isNear = log.scrollHeight - log.scrollTop - log.clientHeight < 160;
  if (must || isNear) log.scrollTop = log.scrollHeight;
}

/** @param {any} said @param {{openPath: (path: string) => void, compare: (change: any) => void}} ways */
function message(said, ways) {
  if (said.role === "system") return h("p", { class: "note-line" }, h("span", {}, said.text));
  if (said.role === "summary")
    return h(
      "details",
      { class: "summary" },
      h("summary", {}, "Summary of what was said before"),
      ...answerNodes(said.text, ways.openPath),
    );
  if (said.role === "user") {
    const files = said.files?.length ? h("p", { class: "with" }, `with ${said.files.join(", ")}`) : null;
    return h("article", { class: "said user", "aria-label": "You" }, h("p", { class: "words" }, said.text), files);
  }
  const answer = answerBox(ways);
  answer.hear("text", { text: said.text });
  const paths = parts(said.text).flatMap((part) => ("path" in part && part.isWhole ? [part.path] : []));
  if (said.usage) answer.hear("usage", said.usage);
  answer.hear("done", { exchange: said.id, paths, is_whole: said.is_whole, is_kept: true });
  answer.end();
  return answer.element;
}

/** An answer that is being written. @param {{openPath: (path: string) => void, compare: (change: any) => void}} ways */
function answerBox(ways) {
  const body = h(
    "div",
    { class: "answer" },
    h("p", { class: "waiting", "aria-label": "Thinking" }, h("span"), h("span"), h("span")),
  );
  const foot = h("div", { class: "foot" });
  const element = h("article", { class: "said assistant", "aria-label": "Answer", "aria-busy": "true" }, body, foot);
  let text = "";
  let timer = 0;
  let exchange = "";
  let isDone = false;
  let isStopped = false;
  /** @type {string[]} */
  const paths = [];
  /** @type {HTMLElement[]} */
  const notes = [];

  function draw() {
    timer = 0;
    if (text) fill(body, ...answerNodes(text, ways.openPath));
  }

  /** @param {string} name @param {any} data */
  function hear(name, data) {
    if (name === "begin") {
      exchange = String(data.exchange ?? "");
      if (data.context_tokens) element.dataset.context = count(data.context_tokens);
    } else if (name === "text") {
      text += data.text;
      timer ||= window.setTimeout(draw, DRAWN_MS);
    } else if (name === "edit") paths.push(data.path);
    else if (name === "usage") notes.push(usage(data));
    else if (name === "done") {
      isDone = true;
      exchange = String(data.exchange ?? exchange);
      if (data.paths) paths.push(...data.paths);
      if (data.is_whole === false && !isStopped) {
        // Why an answer of an earlier time ended is told by the note that was kept behind it.
        const end = data.is_kept ? "is not whole" : "was cut short at the limit of tokens";
        notes.push(h("p", { class: "refused" }, `The answer ${end}; a change that is not finished is left out.`));
      }
    } else if (name === "problem") {
      isDone = true;
      notes.push(h("p", { class: "trouble", role: "alert" }, [data.detail, data.next_step].filter(Boolean).join(" ")));
    }
  }

  function end() {
    clearTimeout(timer);
    draw();
    if (!text) body.replaceChildren();
    if (isStopped) notes.push(h("p", { class: "quiet" }, "Stopped."));
    else if (!isDone && !notes.length)
      notes.push(h("p", { class: "trouble", role: "alert" }, "The connection ended before the answer did."));
    if (paths.length && exchange) notes.unshift(editsPanel(exchange, paths, ways.compare));
    fill(foot, ...notes);
    element.removeAttribute("aria-busy");
  }

  return { element, hear, end, stop: () => (isStopped = true) };
}

/** What a provider does not count is left out. @param {Record<"sent" | "cached" | "written" | "answered", number | null> & {is_estimate?: boolean}} used */
function usage(used) {
  const { sent, cached, written, answered } = used;
  const about = used.is_estimate ? "about " : "";
  const words = [
    sent === null ? "" : `${about}${count(sent)} tokens sent`,
    cached === null ? "" : `${count(cached)} from the cache${sent ? ` (${percent(cached, sent)})` : ""}`,
    written ? `${count(written)} written to it` : "",
    answered === null ? "" : `${about}${count(answered)} answered`,
  ];
  return h("p", { class: "usage" }, words.filter(Boolean).join(" · "));
}

/** Summarise what was said before, to make room. */
export async function compactNow() {
  toast("Summarising what was said before …");
  const done = await post("/work/compact");
  toast(done?.message ?? "What was said before is summarised.", "success");
  emit("session");
  await refresh();
}
