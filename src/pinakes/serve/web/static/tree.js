// Folders fetch what is in them when they are opened; the document that is read is in sight.
export function startTree() {
  const column = document.querySelector(".left");
  const here = column?.querySelector("[aria-current]");
  if (here) column.scrollTop = here.getBoundingClientRect().top - column.getBoundingClientRect().top - 120;
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
