// Joins the parts of the page: files and conversations on the left; conversation, editor, context and review beside them.
import { startChat } from "./chat.js";
import { startContext } from "./context.js";
import { h, isTyping } from "./dom.js";
import { emit, on, startEvents, startStateEvents } from "./events.js";
import { startFiles } from "./files.js";
import { startHeader } from "./header.js";
import { helpDialog } from "./help.js";
import { startMode, tellKeywords } from "./mode.js";
import { startReview } from "./review.js";
import { startSessions } from "./sessions.js";
import { startScreen } from "./start.js";
import { refresh, watch, work } from "./state.js";
import { tabs } from "./tabs.js";
import { startTheme, switchTheme } from "./theme.js";
import { startToasts, tell } from "./toasts.js";
import { startWorkbench } from "./workbench.js";

const NARROW = "(max-width: 52rem)";

startTheme();
startStateEvents();
const bench = startWorkbench();
const ways = { openPath: bench.openPath, compare: bench.openChange, openNew: bench.openNew };
const chat = startChat(ways);
const context = startContext();
const review = startReview(ways);
const files = startFiles(ways);
const sessions = startSessions();
const mode = startMode();
const help = helpDialog();

const side = tabs(
  "Panel",
  [
    { name: "files", words: "Files", panel: files.element },
    { name: "sessions", words: "Conversations", panel: sessions.element, show: (is) => is && sessions.load() },
  ],
  "side",
);
const sidePanel = h(
  "aside",
  { class: "side", id: "side", "aria-label": "Files and conversations" },
  side.element,
  files.element,
  sessions.element,
);
const narrowFiles = h("div", { class: "narrow-files" });
const main = tabs("Workspace", [
  { name: "files", words: "Files", panel: narrowFiles },
  { name: "chat", words: "Chat", panel: chat.element, key: "1" },
  { name: "editor", words: "Editor", panel: bench.element, key: "2" },
  { name: "context", words: "Context", panel: context.element, show: context.show, key: "3" },
  { name: "review", words: "Review", panel: review.element, show: review.show, key: "4" },
]);
const middle = h(
  "main",
  { class: "middle", id: "pk-main", tabindex: "-1" },
  h("div", { class: "tab-bar" }, main.element, mode.element),
  narrowFiles,
  chat.element,
  bench.element,
  context.element,
  review.element,
);
const header = startHeader({ fold, help: () => help.showModal() });
const room = h("div", { class: "room" }, sidePanel, middle);
const start = startScreen(room);
const place = document.getElementById("work") ?? document.body;
const toasts = startToasts();
place.replaceChildren(
  h("a", { class: "skip", href: "#pk-main" }, "To the workspace"),
  header.element,
  room,
  toasts,
  help,
  start.element,
);

/** Where there is no room for columns, the panel is one of the tabs. */
function arrange() {
  const isNarrow = matchMedia(NARROW).matches;
  document.documentElement.classList.toggle("narrow", isNarrow);
  if (isNarrow && sidePanel.parentElement !== narrowFiles) narrowFiles.append(sidePanel);
  else if (!isNarrow && sidePanel.parentElement !== room) {
    room.prepend(sidePanel);
    if (main.shown() === "files") main.show("chat");
  }
  placeToasts();
}

/** Notes lie below the panel, or below everything where it is folded or a tab: they cover nothing. */
function placeToasts() {
  const isBelow = document.documentElement.classList.contains("narrow") || room.classList.contains("folded");
  if (isBelow) room.after(toasts);
  else sidePanel.append(toasts);
}

function fold() {
  const isFolded = room.classList.toggle("folded");
  header.folded(!isFolded);
  placeToasts();
}

function keys(/** @type {KeyboardEvent} */ event) {
  if (event.defaultPrevented || help.open) return;
  if (event.altKey && !event.ctrlKey && !event.metaKey && "1234".includes(event.key)) {
    event.preventDefault();
    main.show(main.names[Number(event.key)]);
    document.getElementById(`tab-${main.shown()}`)?.focus();
  } else if ((event.ctrlKey || event.metaKey) && event.key === "s") {
    event.preventDefault();
    if (main.shown() === "editor") bench.save();
  } else if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  else if (event.key === "?") help.showModal();
  else if (event.key === "t") switchTheme();
  else if (event.key === "m") mode.other();
  else if (event.key === "b") fold();
}

document.addEventListener("keydown", keys);
document.addEventListener("show-files", () => {
  if (room.classList.contains("folded")) fold();
  if (document.documentElement.classList.contains("narrow")) main.show("files");
  side.show("files");
});
on("show", (name) => main.show(name));
matchMedia(NARROW).addEventListener("change", arrange);
watch(["modes", "progress"], start.draw);
watch(["root"], () => (document.title = `${work.root.split("/").pop()} · Pinakes`));
watch(["mode"], () => (document.documentElement.dataset.mode = work.mode));

/** What is shown is asked for anew when the connection comes back: events may have been lost. */
on("connected", async () => {
  start.draw();
  await Promise.all([files.load(), chat.load().catch(tell)]);
  if (work.mode === "docs") tellKeywords();
});
on("ready", () => refresh().then(() => emit("connected"), tell));
on("switched", () => chat.load().catch(tell));

side.show("files");
main.show("chat");
arrange();
refresh().then(startEvents, (trouble) => {
  start.refused(trouble);
  if (trouble.status !== 401) startEvents();
});
