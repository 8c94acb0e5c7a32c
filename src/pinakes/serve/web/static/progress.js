// How far a reading has come: asked now and then while there is one, and at once when the server tells of a change.
const OFTEN_MS = 700;
const SELDOM_MS = 5000;
const DOING = {
  scanning: "Looking at the folder",
  reading: "Reading documents",
  linking: "Following links",
  embedding: "Learning what passages mean",
  keywords: "Finding keywords",
  finishing: "Finishing",
};

export function startProgress() {
  const place = document.querySelector("[data-progress]");
  if (!place) return;
  let generation = -1;
  let timer = 0;

  async function look() {
    clearTimeout(timer);
    let wait = SELDOM_MS;
    try {
      const answer = await fetch(place.dataset.progress);
      const told = await answer.json();
      if (generation >= 0 && told.generation !== generation && !told.progress) return location.reload();
      if (place.dataset.busy && !told.progress && told.generation > 0) return location.reload();
      if (generation < 0 || told.progress === null) generation = told.generation;
      if (told.progress || told.generation > 0) show(place, told.progress);
      if (told.progress || told.generation === 0) wait = OFTEN_MS;
    } catch {
      // The server may be gone for a moment; look again later.
    }
    timer = setTimeout(look, wait);
  }

  look();
  listen(place, look);
}

function show(place, progress) {
  const words = place.querySelector("p");
  if (!progress) {
    words.textContent = "Nothing is being read at the moment.";
    place.querySelector("progress")?.remove();
    delete place.dataset.busy;
    return;
  }
  place.dataset.busy = "yes";
  const doing = DOING[progress.phase] ?? progress.phase;
  const count = new Intl.NumberFormat("en");
  words.textContent = progress.total
    ? `${doing}: ${count.format(progress.done)} of ${count.format(progress.total)}`
    : `${doing} …`;
  const bar = place.querySelector("progress") ?? place.appendChild(document.createElement("progress"));
  if (progress.total) {
    bar.max = progress.total;
    bar.value = progress.done;
  } else bar.removeAttribute("value");
}

function listen(place, look) {
  const events = new EventSource("/events");
  events.onmessage = look;
  events.addEventListener("changed", look);
  events.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data);
    if (told.library === document.body.dataset.library) show(place, told);
  });
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) events.close(); // asking now and then is enough
  };
}
