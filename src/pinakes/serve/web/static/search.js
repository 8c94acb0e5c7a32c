// Search as you type: a pause in typing asks for the hits alone and puts them where the old ones were.
const PAUSE_MS = 140;
const LONG_MS = 1500;
const WORD_AT_END = /[\p{L}\p{N}]$/u;

export function startSearch() {
  const form = document.querySelector('form[role="search"]');
  const box = form?.querySelector('input[type="search"]');
  const place = document.querySelector("[data-results]");
  if (!form || !box || !place) return;
  const filters = document.querySelector("details.filters");
  if (filters && !filters.dataset.used && matchMedia("(max-width: 59.99rem)").matches) filters.open = false;
  let timer = 0;
  let slow = 0;
  let asked = new AbortController();
  let shown = address(form);

  async function ask(isSubmitted) {
    const wanted = address(form);
    if (wanted === shown) return;
    asked.abort();
    asked = new AbortController();
    place.classList.add("busy");
    place.setAttribute("aria-busy", "true");
    clearTimeout(slow);
    slow = setTimeout(() => say(place, "The first search makes ready what later ones use; this takes a moment."), LONG_MS);
    try {
      const mark = wanted.includes("?") ? "&" : "?";
      const unfinished = !isSubmitted && WORD_AT_END.test(box.value) ? "&typing=true" : "";
      const answer = await fetch(`${wanted}${mark}part=hits${unfinished}`, { signal: asked.signal });
      const words = await answer.text();
      clearTimeout(slow);
      if (!answer.ok && isSubmitted) return location.assign(wanted); // the whole page says what is wrong
      if (!answer.ok) return rest(); // half a date is no mistake yet
      put(place, words);
      shown = wanted;
      history.replaceState(null, "", wanted);
      document.title = box.value.trim() ? `${box.value.trim()} · Pinakes` : "Pinakes";
    } catch (trouble) {
      if (trouble.name === "AbortError") return;
      clearTimeout(slow);
      say(place, "The server does not answer. Is pinakes serve still running?");
    }
    rest();
  }

  function rest() {
    place.classList.remove("busy");
    place.removeAttribute("aria-busy");
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(() => ask(false), PAUSE_MS);
  }

  // Filters stand elsewhere in the page and belong to the form by their attribute, so events are heard on the document.
  document.addEventListener("input", (event) => {
    if (event.target.form === form) soon();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    const first = document.querySelector("[data-hit] a.open");
    if (address(form) === shown && first) first.focus();
    else ask(true);
  });
}

function address(form) {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value.trim()) fields.set(name, value.trim());
  return fields.size ? `${form.action}?${fields}` : form.action;
}

function say(place, words) {
  const told = document.createElement("p");
  told.setAttribute("role", "status");
  told.className = "told";
  told.textContent = words;
  place.replaceChildren(told);
}

// What comes is the server's own markup; parsed apart from the page, it can run nothing even if it were not.
function put(place, words) {
  const parsed = new DOMParser().parseFromString(words, "text/html");
  place.replaceChildren(...parsed.body.childNodes);
}
