// Folders fetch what is in them when they are opened; the document that is read is in sight.
const NARROWEST = 160;
const WIDEST = 720;
const STEP = 24;

export function startTree() {
  const column = document.querySelector(".left");
  if (column) startResizing(column);
  const here = column?.querySelector("[aria-current]");
  if (here) column.scrollTop = here.getBoundingClientRect().top - column.getBoundingClientRect().top - 120;
  // A row unfolds also where it is no link.
  document.addEventListener("click", (event) => {
    const row = event.target.closest(".tree .row");
    const folder = row?.parentElement.querySelector(":scope > details");
    if (folder && !event.target.closest("a")) folder.open = !folder.open;
  });
  document.addEventListener(
    "toggle",
    (event) => {
      const folder = event.target;
      if (folder.matches?.("details[data-branch]") && folder.open) fill(folder);
    },
    true, // `toggle` does not bubble
  );
}

async function fill(folder) {
  if (folder.querySelector(":scope > .branch, :scope > p")) return;
  const waiting = document.createElement("p");
  waiting.className = "quiet";
  waiting.textContent = "…";
  folder.append(waiting);
  try {
    const answer = await fetch(folder.dataset.branch);
    if (!answer.ok) throw new Error(answer.statusText);
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    waiting.replaceWith(...parsed.body.childNodes);
  } catch {
    waiting.textContent = "This could not be fetched; fold and unfold to try again.";
    folder.addEventListener("toggle", () => waiting.remove(), { once: true });
  }
}

// The column of the map is as wide as its reader wants it; the browser remembers it.
function startResizing(column) {
  const edge = document.createElement("div");
  edge.className = "edge";
  edge.tabIndex = 0;
  const names = { role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the map" };
  for (const [name, value] of Object.entries({ ...names, "aria-valuemin": NARROWEST, "aria-valuemax": WIDEST }))
    edge.setAttribute(name, value);
  const say = () => edge.setAttribute("aria-valuenow", Math.round(column.getBoundingClientRect().width));
  document.querySelector(".middle").prepend(edge);
  say();

  function widen(width) {
    const wanted = Math.round(Math.min(Math.max(width, NARROWEST), WIDEST, innerWidth / 2));
    document.documentElement.style.setProperty("--left", `${wanted}px`);
    say();
    try {
      localStorage.setItem("pinakes-left", String(wanted));
    } catch {
      // Without storage the width lasts for this view.
    }
  }

  edge.addEventListener("pointerdown", (event) => {
    edge.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  edge.addEventListener("pointermove", (event) => {
    if (edge.hasPointerCapture(event.pointerId)) widen(event.clientX - column.getBoundingClientRect().left);
  });
  edge.addEventListener("keydown", (event) => {
    const step = { ArrowRight: STEP, ArrowLeft: -STEP }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    widen(column.getBoundingClientRect().width + step);
  });
}
