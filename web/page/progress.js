// How far a reading has come: asked now and then while there is one, and at once when the server tells of a change.
const OFTEN_MS = 700;
const SELDOM_MS = 5000;
const QUIET_MS = 2000;
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
  let generation = Number(place.dataset.generation ?? -1); // of the index that the page was drawn from
  let timer = 0;
  let heard = 0; // when the server last told of progress by itself

  async function look() {
    clearTimeout(timer);
    if (!place.isConnected) return; // hits took its place
    let wait = SELDOM_MS;
    try {
      const answer = await fetch(place.dataset.progress);
      const told = await answer.json();
      const isNew = generation >= 0 && told.generation !== generation;
      const isBusy = told.progress || Date.now() - heard < QUIET_MS;
      const isThrough = told.is_ready && ("unread" in place.dataset || (place.dataset.busy && !isBusy));
      if ((isThrough || (isNew && !isBusy)) && !isTyping()) return location.reload();
      if (generation < 0 || !isBusy) generation = told.generation;
      if (told.progress || (!isBusy && told.is_ready)) show(place, told.progress);
      showUpgrade(told.upgrade);
      if (isBusy || !told.is_ready) wait = OFTEN_MS;
    } catch {
      // The server may be gone for a moment; look again later.
    }
    timer = setTimeout(look, wait);
  }

  look();
  listen(look, (told) => {
    // Every comparison begins so, those that this page asks for included: that alone is no reading.
    if (told.phase === "scanning" && !("unread" in place.dataset)) return;
    heard = Date.now();
    show(place, told);
  });
}

// A reload would take the words away from somebody who is writing them.
function isTyping() {
  if (document.querySelector('input[type="search"]')?.value || document.querySelector("dialog[open]")) return true;
  const fields = document.querySelectorAll("form[data-write] :is(input, textarea)");
  return [...fields].some((field) => field.value !== field.defaultValue);
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

// The line of a finer model goes on as it does, and away when it is through.
function showUpgrade(upgrade) {
  const place = document.querySelector("[data-upgrade]");
  if (!place) return;
  if (!upgrade) return place.remove();
  const count = new Intl.NumberFormat("en");
  const { model, done, total } = upgrade;
  place.querySelector("p").textContent =
    `${model}: ${count.format(done)} of ${count.format(total)} passages, most linked first`;
  const bar = place.querySelector("progress");
  bar.max = total;
  bar.value = done;
}

// Only a tab that is looked at keeps a stream open: browsers allow six connections to a server in all.
function listen(look, hear) {
  let events = null;

  function open() {
    if (document.hidden || events) return;
    events = new EventSource(`${document.body.dataset.root ?? ""}/events`);
    events.addEventListener("changed", look);
    events.addEventListener("progress", (event) => {
      const told = JSON.parse(event.data);
      // Asking how far it is makes the server look at the folder; that alone is no reason to go on asking.
      if (told.library === document.body.dataset.library && told.phase !== "scanning") hear(told);
    });
  }

  function close() {
    events?.close();
    events = null;
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}
