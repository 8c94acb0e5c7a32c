// The page: what is typed becomes a list. Everything that comes from documents is put in as text and never as markup.
"use strict";

(() => {
  if (typeof document === "undefined") return;
  const SHOWN = 20;
  const PAGES = 10;
  const A_PAGE = 3; // Sections of one page that are listed.
  const FILES = 3; // Files of texts that are loaded for a list; more when somebody looks further down.
  const PAUSE_MS = 350;
  const field = document.getElementById("q");
  const list = document.getElementById("hits");
  const said = document.getElementById("said");
  const loading = new Map();
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

  const address = (hit, anchor = "") => `../${hit.page || hit.href}${hit.page && anchor ? `#${encodeURIComponent(anchor)}` : ""}`;

  // Hits of one page stand together, where the best of them is.
  function pagesOf(hits) {
    const found = new Map();
    for (const hit of hits) {
      if (!found.has(hit.document)) found.set(hit.document, []);
      if (found.get(hit.document).length < A_PAGE) found.get(hit.document).push(hit);
    }
    return [...found.values()].slice(0, PAGES);
  }

  // The title of the page is there at once; its sections and their words come with the texts.
  function entry(hits) {
    const [best] = hits;
    const item = made("li", "hit");
    const heading = made("h2"), link = made("a", "title", best.title || best.name);
    link.href = address(best);
    heading.append(link);
    item.append(heading);
    const crumbs = made("p", "crumbs");
    const source = made("a", "source", best.name);
    source.href = `../${best.source}`;
    source.setAttribute("aria-label", `Source: ${best.name}`);
    crumbs.append(source);
    item.append(crumbs);
    for (const hit of hits) {
      const part = made("p", "part");
      part.append(made("span", "snippet"));
      item.append(part);
    }
    return item;
  }

  function fill(item, hits, asked) {
    hits.forEach((hit, at) => {
      const found = Pinakes.passage(hit, asked);
      if (!found) return;
      const part = item.querySelectorAll(".part")[at];
      const section = found.section === hit.title ? "" : found.section;
      const pieces = found.pieces.map(([text, isMarked]) => made(isMarked ? "mark" : "span", "", text));
      part.querySelector(".snippet").replaceChildren(...pieces);
      if (at === 0) item.querySelector(".title").href = address(hit, found.anchor);
      if (section && !part.querySelector(".section")) {
        const link = made("a", "section", section);
        link.href = address(hit, found.anchor);
        part.prepend(link, " ");
      }
    });
  }

  async function search(isTyped) {
    const mine = ++turn;
    const question = field.value;
    try {
      await load("index");
      const asked = Pinakes.parse(question);
      await Promise.all(Pinakes.needed(asked, isTyped).map(load));
      if (mine !== turn) return;
      if (!isTyped && Pinakes.unknown(asked).length) {
        await load("spelling");
        Pinakes.respell(asked);
        await Promise.all(Pinakes.needed(asked).map(load));
        if (mine !== turn) return;
      }
      if (!isTyped && Pinakes.root.prompts) await load("prompts");
      if (mine !== turn) return;
      show(question, asked, isTyped);
    } catch (error) {
      if (mine === turn) said.textContent = `${error.message}.js cannot be loaded; publish again, or look whether it is there.`;
    }
  }

  let watching = null, coming = []; // The texts that were asked for last.

  function show(question, asked, isTyped) {
    document.title = question.trim() ? `${question.trim()} · ${Pinakes.root.title}` : Pinakes.root.title;
    const name = document.getElementById("name");
    name.textContent = Pinakes.root.title;
    if (Pinakes.root.pages) name.href = "../index.html";
    if (watching) watching.disconnect();
    if (!asked.terms.length) {
      list.replaceChildren();
      said.textContent = `${Pinakes.root.documents.length} documents`;
      return;
    }
    const {count, hits: ranked, meant} = Pinakes.rank(asked, SHOWN);
    const known = isTyped ? [] : Pinakes.foreseen(question);
    const isNew = (hit) => known.every(({document, index}) => document !== hit.document || index !== hit.index);
    const hits = [...known, ...ranked.filter(isNew)];
    if (isTyped && !count) return; // Words that are not whole may stand in files that are not here.
    const pages = pagesOf(hits), items = pages.map(entry);
    list.replaceChildren(...items);
    said.textContent = count === 0 ? "Nothing holds these words." : `${count} ${count === 1 ? "passage" : "passages"}`;
    // Terms are stems: what stands in the documents begins like them.
    for (const [term, known] of meant) said.textContent += ` · searched for ${known}… instead of ${term}…`;
    if (known.length) said.textContent += " · this question was foreseen";
    pages.forEach((one, at) => fill(items[at], one, asked));
    if (!isTyped) texts(pages, items, asked);
  }

  // The texts of the first pages at once, those of others when they are looked at.
  function texts(pages, items, asked) {
    const wanted = new Set();
    coming = [];
    const bring = (at) => {
      for (const hit of pages[at]) {
        if (!Pinakes.isHere(hit)) {
          coming.push(load(`text/${hit.file}`).then(() => fill(items[at], pages[at], asked), () => null));
        }
      }
    };
    const later = [];
    pages.forEach((hits, at) => {
      for (const hit of hits) if (!Pinakes.isHere(hit)) wanted.add(hit.file);
      if (wanted.size <= FILES) bring(at);
      else later.push(at);
    });
    watching = new IntersectionObserver((seen) => {
      for (const {isIntersecting, target} of seen) {
        if (isIntersecting) { watching.unobserve(target); bring(items.indexOf(target)); }
      }
    });
    const look = () => { for (const at of later) watching.observe(items[at]); };
    window.addEventListener("scroll", look, {once: true, passive: true});
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
    else if (event.key === "Enter" && document.activeElement === field) open();
    else return;
    event.preventDefault();
  });

  // What was typed is looked for to its end first, so that the page opens at the section.
  async function open() {
    clearTimeout(pause);
    await search(false);
    await Promise.all(coming);
    remember();
    list.querySelector(".title")?.click();
  }

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
    pause = setTimeout(() => { remember(); search(false); }, PAUSE_MS);
    search(true);
  }

  // Behind the # it was typed here; behind the ? it comes from the box of another page.
  function asked() {
    const found = /^#q=(.*)$/.exec(location.hash);
    const sent = new URLSearchParams(location.search).get("q");
    try {
      field.value = found ? decodeURIComponent(found[1]) : field.value || sent || "";
    } catch {
      field.value = "";
    }
    search(false);
  }

  document.getElementById("form").addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", typed);
  window.addEventListener("hashchange", asked);
  list.addEventListener("click", remember); // before the link is followed
  asked();
  field.focus();
})();
