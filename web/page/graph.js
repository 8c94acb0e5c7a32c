// The link graph can be looked at closely: zoom, move, names that give way to each other, neighbours of what is pointed
// at, and a filter. Without scripts it is a picture with links in it.
const LETTER = 6.6; // the width of a letter of a name, in pixels of the screen
const LINE = 14;
const MOST_NAMES = 80;
const CLOSEST = 40; // times
const SVG = "http://www.w3.org/2000/svg";

export function startGraph() {
  const figure = document.querySelector("figure.graph");
  const svg = figure?.querySelector("svg");
  if (!svg) return;
  const whole = svg.viewBox.baseVal;
  const size = { width: whole.width, height: whole.height };
  const view = { x: 0, y: 0, ...size };
  const dots = [...svg.querySelectorAll(".dots a")].map(dotOf);
  const byPlace = new Map(dots.map((dot) => [`${dot.x},${dot.y}`, dot]));
  const arcs = [...svg.querySelectorAll(".arc")].map((line) => {
    const ends = [1, 2].map((end) => byPlace.get(`${line.getAttribute(`x${end}`)},${line.getAttribute(`y${end}`)}`));
    ends[0]?.near.add(ends[1]);
    ends[1]?.near.add(ends[0]);
    return { line, ends };
  });
  const names = svg.querySelector(".labels");
  let pointed = null;
  let wanted = "";
  let isWaiting = false;
  figure.classList.add("live");
  svg.removeAttribute("height");
  svg.removeAttribute("width");
  const { filter, said } = toolbar(figure, { closer: () => zoom(0.7), farther: () => zoom(1 / 0.7), all: fit });

  function draw() {
    isWaiting = false;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    const unit = scale();
    svg.style.setProperty("--unit", String(unit));
    for (const dot of dots) dot.circle.setAttribute("r", String(Math.max(dot.r, 3.5 * unit)));
    const near = pointed ? new Set([pointed, ...pointed.near]) : null;
    for (const dot of dots) dot.link.classList.toggle("dim", isDim(dot, near));
    for (const { line, ends } of arcs) {
      line.classList.toggle("lit", Boolean(pointed) && ends.includes(pointed));
      line.classList.toggle("dim", pointed ? !ends.includes(pointed) : Boolean(wanted) && !ends.some(matches));
    }
    names.replaceChildren(...placed(unit, near));
  }

  // How much of the drawing one pixel of the screen is.
  function scale() {
    return Math.max(view.width / (svg.clientWidth || size.width), view.height / (svg.clientHeight || size.height));
  }

  function soon() {
    if (!isWaiting) requestAnimationFrame(draw);
    isWaiting = true;
  }

  const matches = (dot) => Boolean(dot) && dot.words.includes(wanted);
  const isDim = (dot, near) => (near ? !near.has(dot) : Boolean(wanted) && !matches(dot));

  // Names of what is pointed at and found come first, then of what is cited most; one that would cover another is left out.
  function* placed(unit, near) {
    const rank = (dot) => (dot === pointed ? 0 : near?.has(dot) ? 1 : wanted && matches(dot) ? 2 : 3);
    const order = dots.filter((dot) => inSight(dot) && !isDim(dot, near)).sort((one, other) => rank(one) - rank(other));
    const taken = [];
    for (const dot of order) {
      if (taken.length >= MOST_NAMES) return;
      const half = (dot.short.length * LETTER * unit) / 2;
      const y = dot.y - Math.max(dot.r, 3.5 * unit) - 4 * unit;
      const isFree = taken.every((one) => Math.abs(one.y - y) > LINE * unit || Math.abs(one.x - dot.x) > half + one.half);
      if (!isFree) continue;
      taken.push({ x: dot.x, y, half });
      const name = document.createElementNS(SVG, "text");
      name.setAttribute("class", "label");
      name.setAttribute("x", dot.x);
      name.setAttribute("y", y);
      name.textContent = dot.short;
      yield name;
    }
  }

  function inSight(dot) {
    return dot.x >= view.x && dot.x <= view.x + view.width && dot.y >= view.y && dot.y <= view.y + view.height;
  }

  function zoom(factor, at = { x: view.x + view.width / 2, y: view.y + view.height / 2 }) {
    const width = Math.min(Math.max(view.width * factor, size.width / CLOSEST), size.width);
    const by = width / view.width;
    Object.assign(view, { x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by, width, height: view.height * by });
    keepInside();
  }

  function move(x, y) {
    view.x += x;
    view.y += y;
    keepInside();
  }

  function keepInside() {
    view.x = Math.min(Math.max(view.x, 0), size.width - view.width);
    view.y = Math.min(Math.max(view.y, 0), size.height - view.height);
    soon();
  }

  function fit() {
    Object.assign(view, { x: 0, y: 0, ...size });
    soon();
  }

  function at(event) {
    const box = svg.getBoundingClientRect();
    return {
      x: view.x + view.width / 2 + (event.clientX - box.left - box.width / 2) * scale(),
      y: view.y + view.height / 2 + (event.clientY - box.top - box.height / 2) * scale(),
    };
  }

  function point(dot) {
    if (pointed === dot) return;
    pointed = dot;
    soon();
  }

  filter.addEventListener("input", () => {
    wanted = filter.value.trim().toLowerCase();
    const count = dots.filter(matches).length;
    said.textContent = wanted ? `${count} of ${dots.length} documents` : "";
    soon();
  });
  filter.addEventListener("keydown", (event) => {
    const first = dots.find(matches);
    if (event.key === "Enter" && wanted && first) location.assign(first.link.getAttribute("href"));
  });
  // The page scrolls over the drawing as anywhere, until somebody takes hold of it.
  figure.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && document.activeElement !== figure) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, at(event));
    },
    { passive: false },
  );
  figure.addEventListener("keydown", (event) => {
    if (event.target !== figure) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (steps) move((steps[0] * view.width) / 8, (steps[1] * view.height) / 8);
    else if (event.key === "+") zoom(0.7);
    else if (event.key === "-") zoom(1 / 0.7);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  startDragging(svg, figure, scale, move);
  for (const dot of dots) {
    dot.link.tabIndex = -1; // the list below has them in words; a thousand stops are none
    dot.link.addEventListener("pointerenter", () => point(dot));
    dot.link.addEventListener("pointerleave", () => point(null));
  }
  const named = decodeURIComponent(location.hash.slice(1));
  const start = named && dots.find((dot) => dot.path === named);
  if (start) {
    pointed = start;
    zoom(0.35, start);
  }
  addEventListener("resize", soon);
  draw();
}

function dotOf(link) {
  const circle = link.querySelector("circle");
  const told = circle.querySelector("title").textContent;
  const [title] = told.split("\n");
  const [x, y, r] = ["cx", "cy", "r"].map((name) => Number(circle.getAttribute(name)));
  const path = decodeURIComponent(link.getAttribute("href").replace(/^.*?\/read\//, ""));
  const short = title.length > 34 ? `${title.slice(0, 33).trimEnd()}…` : title;
  return { link, circle, x, y, r, path, short, words: told.toLowerCase(), near: new Set() };
}

function toolbar(figure, does) {
  const bar = document.createElement("p");
  bar.className = "graph-tools";
  const filter = document.createElement("input");
  filter.type = "text";
  filter.placeholder = "Title or path";
  filter.setAttribute("aria-label", "Show only documents whose title or path holds");
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  const words = { closer: ["+", "Closer"], farther: ["−", "Farther"], all: ["All", "All of it"] };
  const buttons = Object.entries(words).map(([name, [sign, label]]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", does[name]);
    return button;
  });
  bar.append(filter, ...buttons, said);
  figure.before(bar);
  return { filter, said };
}

function startDragging(svg, figure, scale, move) {
  let last = null;
  let isMoved = false;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    last = event;
    isMoved = false;
    figure.focus({ preventScroll: true });
  });
  svg.addEventListener("pointermove", (event) => {
    if (!last || !event.buttons) return;
    const [x, y] = [event.clientX - last.clientX, event.clientY - last.clientY];
    if (!isMoved && Math.hypot(x, y) < 4) return;
    isMoved = true;
    svg.setPointerCapture(event.pointerId);
    move(-x * scale(), -y * scale());
    last = event;
  });
  for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => (last = null));
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("click", (event) => {
    if (isMoved) event.preventDefault(); // it was moved, not clicked
  }, true);
}
