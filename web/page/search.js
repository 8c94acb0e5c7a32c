// Search as you type: a pause in typing asks for the hits alone and puts them where the old ones were.
import { rememberQuestion, showRecent } from "./recent.js";
import { tellFigures } from "./switch.js";

const PAUSE_MS = 140;
const LONG_MS = 1500;
const COUNT_MS = 350; // counting costs as much as the search: not for every letter
const SETTLED_MS = 2000; // a question that stood for so long is one to come back to
const WORD_AT_END = /[\p{L}\p{N}]$/u;

export function startSearch() {
  const form = document.querySelector('form[role="search"]');
  const box = form?.querySelector('input[type="search"]');
  const place = document.querySelector("[data-results]");
  showRecent();
  if (!form || !box || !place) return;
  const filters = document.querySelector("details.filters");
  if (filters && !filters.dataset.used && matchMedia("(max-width: 59.99rem)").matches) filters.open = false;
  let timer = 0;
  let slow = 0;
  let settling = 0;
  let counting = 0;
  let isSettled = true; // whether Back should come back to what is shown
  let asked = new AbortController();
  let shown = address(form);
  rememberQuestion(box.value);

  async function ask({ isSubmitted = false, isBack = false } = {}) {
    const wanted = address(form);
    if (wanted === shown && !isBack) return;
    asked.abort();
    asked = new AbortController();
    place.classList.add("busy");
    place.setAttribute("aria-busy", "true");
    clearTimeout(slow);
    slow = setTimeout(() => say(place, "The first search makes ready what later ones use; this takes a moment."), LONG_MS);
    try {
      const mark = wanted.includes("?") ? "&" : "?";
      const unfinished = !isSubmitted && !isBack && WORD_AT_END.test(box.value) ? "&typing=true" : "";
      const answer = await fetch(`${wanted}${mark}part=hits${unfinished}`, { signal: asked.signal });
      const words = await answer.text();
      clearTimeout(slow);
      if (!answer.ok && isSubmitted) return location.assign(wanted); // the whole page says what is wrong
      if (!answer.ok) return rest(); // half a date is no mistake yet
      put(place, words);
      if (!isBack) keep(wanted, isSubmitted);
      shown = wanted;
      document.title = box.value.trim() ? `${box.value.trim()} · Pinakes` : "Pinakes";
      tellFigures();
      showRecent();
      clearTimeout(counting);
      counting = setTimeout(count, isSubmitted || isBack ? 0 : COUNT_MS, `${wanted}${mark}part=facets`, asked.signal);
    } catch (trouble) {
      if (trouble.name === "AbortError") return;
      clearTimeout(slow);
      say(place, "The server does not answer. Is pinakes serve still running?");
    }
    rest();
  }

  // Each question gets a place in the history of the browser, and what was typed on the way to it does not.
  function keep(wanted, isSubmitted) {
    history[isSettled ? "pushState" : "replaceState"](null, "", wanted);
    isSettled = false;
    clearTimeout(settling);
    if (isSubmitted) settle();
    else settling = setTimeout(settle, SETTLED_MS);
  }

  function settle() {
    clearTimeout(settling);
    isSettled = true;
    rememberQuestion(box.value);
  }

  function rest() {
    place.classList.remove("busy");
    place.removeAttribute("aria-busy");
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MS);
  }

  // Filters stand elsewhere in the page and belong to the form by their attribute, so events are heard on the document.
  document.addEventListener("input", (event) => {
    if (event.target.form === form) soon();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-results] a")) settle(); // it was worth opening something
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    const first = document.querySelector("[data-hit] a.open");
    if (address(form) === shown && first) {
      settle();
      first.focus();
    } else ask({ isSubmitted: true });
  });
  addEventListener("popstate", () => {
    clearTimeout(timer);
    clearTimeout(settling);
    isSettled = true;
    fill(form, new URLSearchParams(location.search));
    ask({ isBack: true });
  });
}

async function count(wanted, signal) {
  const place = document.querySelector("[data-facets]");
  if (!place) return;
  try {
    const answer = await fetch(wanted, { signal });
    if (answer.ok) put(place, await answer.text());
  } catch {
    // The next question asks again.
  }
}

function address(form) {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value.trim()) fields.set(name, value.trim());
  return fields.size ? `${form.action}?${fields}` : form.action;
}

// Puts what an address says into the fields.
function fill(form, asked) {
  if (asked.has("q") && !asked.has("query")) asked.set("query", asked.get("q"));
  for (const field of form.elements) {
    if (!field.name) continue;
    if (field.type === "checkbox") field.checked = asked.get(field.name) === "true";
    else field.value = asked.get(field.name) ?? "";
  }
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
