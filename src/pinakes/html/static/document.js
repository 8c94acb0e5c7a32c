// What documents are made of, for people: tabs, copy buttons, formulas, diagrams. Comfort only: without scripts a document
// shows all of it as text. A plain script, because browsers load no modules from files that were opened from a folder.
"use strict";
(() => {
  const here = document.currentScript.src;
  const beside = (name) => new URL(name, here).href;

  function made(name, words, looks = "") {
    const element = document.createElement(name);
    if (words) element.textContent = words;
    if (looks) element.className = looks;
    return element;
  }

  // Tabs stand one after another in the markup; here they stand side by side, and those of one name are chosen together.
  function startTabs(group, number) {
    const panes = [...group.children].filter((one) => one.matches(".tab"));
    if (panes.length < 2) return;
    const bar = made("div", "", "tab-bar");
    bar.setAttribute("role", "tablist");
    const buttons = panes.map((pane, place) => {
      const button = made("button", pane.querySelector(":scope > .tab-name")?.textContent ?? `${place + 1}`);
      button.type = "button";
      button.id = `tab-${number}-${place}`;
      pane.id = `pane-${number}-${place}`;
      for (const [name, value] of [["role", "tab"], ["aria-controls", pane.id]]) button.setAttribute(name, value);
      for (const [name, value] of [["role", "tabpanel"], ["aria-labelledby", button.id]]) pane.setAttribute(name, value);
      button.addEventListener("click", () => chooseEverywhere(button));
      return button;
    });
    bar.append(...buttons);
    bar.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const place = buttons.indexOf(document.activeElement);
      if (!step || place < 0) return;
      event.preventDefault();
      event.stopPropagation();
      const next = buttons[(place + step + buttons.length) % buttons.length];
      chooseEverywhere(next);
      next.focus();
    });
    group.prepend(bar);
    group.classList.add("live");
    choose(buttons[0]);
  }

  // Some generators write tabs one after another, with nothing around them.
  function gather() {
    for (const pane of document.querySelectorAll(":not(.tabs) > .tab")) {
      if (pane.previousElementSibling?.matches(".tabs[data-gathered]")) pane.previousElementSibling.append(pane);
      else if (pane.nextElementSibling?.matches(".tab")) {
        const group = made("div", "", "tabs");
        group.dataset.gathered = "";
        pane.before(group);
        group.append(pane);
      }
    }
  }

  function choose(button) {
    for (const one of button.parentElement.children) {
      const isChosen = one === button;
      one.setAttribute("aria-selected", String(isChosen));
      one.tabIndex = isChosen ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = !isChosen;
    }
  }

  function chooseEverywhere(button) {
    for (const bar of document.querySelectorAll(".tab-bar")) {
      const same = [...bar.children].find((one) => one.textContent === button.textContent);
      if (same) choose(bar.contains(button) ? button : same);
    }
  }

  // A place inside a tab that is not shown: the address names it, so it is shown.
  function showTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const pane = target?.closest(".tab[hidden]");
    if (!pane) return;
    choose(document.getElementById(pane.getAttribute("aria-labelledby")));
    target.scrollIntoView();
  }

  function startCopying(code) {
    const around = made("div", "", "copied");
    const button = made("button", "Copy");
    button.type = "button";
    button.setAttribute("aria-label", "Copy this code");
    const words = code.textContent; // before anything is drawn into it
    button.addEventListener("click", async () => {
      button.textContent = (await copy(words)) ? "Copied" : "Not copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    code.replaceWith(around);
    around.append(code, button);
  }

  async function copy(words) {
    try {
      await navigator.clipboard.writeText(words);
      return true;
    } catch {
      return copyBySelecting(words); // a page that came without TLS has no clipboard of its own
    }
  }

  function copyBySelecting(words) {
    const place = document.createElement("textarea");
    place.value = words;
    place.className = "unseen";
    document.body.append(place);
    place.select();
    const isCopied = document.execCommand("copy");
    place.remove();
    return isCopied;
  }

  function load(name) {
    const script = document.createElement("script");
    script.src = beside(name);
    document.head.append(script);
  }

  // A diagram is drawn in a frame that has no origin; what its text says reaches nothing.
  function startDiagram(source) {
    const frame = document.createElement("iframe");
    frame.className = "diagram";
    frame.title = `Diagram: ${source.textContent.trim().split("\n", 1)[0].slice(0, 60)}`;
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = beside("diagram.html");
    frame.height = "80";
    const text = source.textContent;
    const ask = () => frame.contentWindow?.postMessage({ text, isDark: isDark(), font: font() }, "*");
    addEventListener("message", (event) => {
      if (event.source !== frame.contentWindow || !event.data?.diagram) return;
      if (event.data.isReady) ask();
      else if (event.data.trouble) fail(event.data.trouble);
      else show(event.data.height);
    });
    const around = made("details", "", "source");
    around.append(made("summary", "Source of the diagram"));
    source.before(frame);
    source.replaceWith(around);
    around.append(source);

    function show(height) {
      frame.height = String(Math.min(Number(height) || 0, 4000));
    }

    function fail(trouble) {
      frame.remove();
      around.open = true;
      around.querySelector("summary").textContent = `This diagram could not be drawn: ${trouble.split("\n", 1)[0]}`;
    }

    new MutationObserver(ask).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ask);
  }

  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  const font = () => getComputedStyle(document.body).fontFamily;

  gather();
  [...document.querySelectorAll(".tabs")].forEach(startTabs);
  document.querySelectorAll(".prose pre:not(.diagram)").forEach(startCopying);
  document.querySelectorAll("pre.diagram").forEach(startDiagram);
  if (document.querySelector("code.formula")) load("formulas.js");
  addEventListener("hashchange", showTarget);
  showTarget();
})();
