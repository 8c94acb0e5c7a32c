// The page: what is typed becomes a list. Everything that comes from documents is put in as text and never as markup.
"use strict";

(() => {
  const SHOWN = 20;
  const FEW = 8; // Shards that are loaded before anybody typed; with more of them only those that a question needs.
  const field = document.getElementById("q");
  const list = document.getElementById("hits");
  const said = document.getElementById("said");
  const loading = new Map();
  const PAUSE_MS = 300;
  let turn = 0;

  // Load a file of data once; resolves when it has told the searching part what it holds.
  function load(name) {
    if (!loading.has(name)) {
      loading.set(name, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        Pinakes.arrival(name, resolve);
        script.src = `${name}.js`;
        script.onerror = () => { loading.delete(name); script.remove(); reject(new Error(name)); };
        document.head.append(script);
      }));
    }
    return loading.get(name);
  }

  function made(kind, className, text) {
    const element = document.createElement(kind);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function entry(hit) {
    const item = made("li", "hit");
    const link = made("a", "title", hit.heading);
    link.href = `../${hit.href}`;
    const folders = hit.name.split("/").slice(0, -1);
    const crumbs = made("p", "crumbs", [...folders, hit.title].join(" › "));
    const source = made("a", "source", hit.name);
    source.href = `../${hit.source}`;
    source.setAttribute("aria-label", `Source: ${hit.name}`);
    const heading = made("h2");
    heading.append(link);
    item.append(heading, crumbs, made("p", "snippet"), source);
    return item;
  }

  function fill(item, hit, asked) {
    const found = Pinakes.passage(hit);
    if (!found) return;
    const folders = hit.name.split("/").slice(0, -1);
    item.querySelector(".crumbs").textContent = [...folders, hit.title, ...found.trail].join(" › ");
    const pieces = Pinakes.snippet(found.text, asked).map(([text, isMarked]) => made(isMarked ? "mark" : "span", "", text));
    item.querySelector(".snippet").replaceChildren(...pieces);
  }

  async function search() {
    const mine = ++turn;
    const question = field.value;
    try {
      await load("index");
      const asked = Pinakes.parse(question);
      await Promise.all(Pinakes.needed(asked).map(load));
      if (mine !== turn) return;
      show(question, asked, mine);
    } catch (error) {
      if (mine === turn) said.textContent = `${error.message}.js cannot be loaded; publish again, or look whether it is there.`;
    }
  }

  function show(question, asked, mine) {
    document.title = question.trim() ? `${question.trim()} · ${Pinakes.root.title}` : Pinakes.root.title;
    document.getElementById("name").textContent = Pinakes.root.title;
    if (!asked.terms.length) {
      list.replaceChildren();
      said.textContent = `${Pinakes.root.documents.length} documents`;
      return;
    }
    const {count, hits, meant} = Pinakes.rank(asked, SHOWN);
    asked.meant = meant;
    const items = hits.map(entry);
    list.replaceChildren(...items);
    said.textContent = count === 0 ? "Nothing holds these words." : `${count} ${count === 1 ? "passage" : "passages"}`;
    // Terms are stems: what stands in the documents begins like them.
    for (const [term, known] of meant) said.textContent += ` · searched for ${known}… instead of ${term}…`;
    hits.forEach(async (hit, at) => {
      if (!Pinakes.passage(hit)) await load(`text/${hit.bucket}`).catch(() => null);
      if (mine === turn) fill(items[at], hit, asked);
    });
  }

  // Keys: / goes to the field, arrows go through the list, Escape empties the field.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const links = [...list.querySelectorAll(".title")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "/" && document.activeElement !== field) field.select(), field.focus();
    else if (event.key === "Escape") { field.value = ""; field.focus(); typed(); }
    else if (event.key === "ArrowDown" && at + 1 < links.length) links[at + 1].focus();
    else if (event.key === "ArrowUp" && at > 0) links[at - 1].focus();
    else if (event.key === "ArrowUp" && at === 0) field.focus();
    else if (event.key === "Enter" && document.activeElement === field && links.length) links[0].click();
    else return;
    event.preventDefault();
  });

  // The question stands behind the #, so that it can be linked to and is there again after going back. It is put there
  // when the typing pauses: browsers allow it only so often.
  let pause = 0;

  function remember() {
    try {
      history.replaceState(null, "", field.value ? `#q=${encodeURIComponent(field.value)}` : "#");
    } catch {
      // Half of a sign, or once too often: the next pause will do.
    }
  }

  function typed() {
    clearTimeout(pause);
    pause = setTimeout(remember, PAUSE_MS);
    search();
  }

  function asked() {
    const found = /^#q=(.*)$/.exec(location.hash);
    try {
      field.value = found ? decodeURIComponent(found[1]) : field.value;
    } catch {
      field.value = "";
    }
    search();
  }

  document.getElementById("form").addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", typed);
  window.addEventListener("hashchange", asked);
  list.addEventListener("click", remember); // before the link is followed
  asked();
  field.focus();
  load("index").then(() => {
    const shards = Pinakes.root.shards.map((_, number) => `words-${number}`);
    if (shards.length <= FEW) for (const name of shards) load(name).catch(() => null);
  }, () => null);
})();
