// A drawing as a picture that can be moved and enlarged. It is shown as an image: whatever stands in it cannot run or load.
import { button, h } from "./dom.js";

const LEAST = 0.1;
const MOST = 20;
const STEP = 1.25;

/** @param {string} path */
export function drawingView(path) {
  const image = h("img", { alt: `Drawing ${path}`, draggable: "false" });
  const told = h(
    "p",
    { class: "trouble", hidden: true, role: "status" },
    "This text is no drawing yet; the last good picture is shown.",
  );
  const size = h("output", { class: "quiet" });
  const sight = h(
    "div",
    {
      class: "sight",
      tabindex: "0",
      role: "group",
      "aria-label": "Picture: drag or arrows move, + and − zoom, 0 fits",
    },
    image,
  );
  const element = h(
    "div",
    { class: "drawing" },
    h(
      "div",
      { class: "row" },
      button("−", () => zoom(1 / STEP), { "aria-label": "Smaller" }),
      button("+", () => zoom(STEP), { "aria-label": "Larger" }),
      button("Fit", fit),
      size,
      told,
    ),
    sight,
  );
  let scale = 1;
  let left = 0;
  let top = 0;
  let address = "";

  function place() {
    image.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
    size.textContent = `${Math.round(scale * 100)} %`;
  }

  /** @param {number} by @param {number} [x] @param {number} [y] */
  function zoom(by, x = sight.clientWidth / 2, y = sight.clientHeight / 2) {
    const next = Math.min(MOST, Math.max(LEAST, scale * by));
    left = x - ((x - left) * next) / scale;
    top = y - ((y - top) * next) / scale;
    scale = next;
    place();
  }

  function fit() {
    scale = 1;
    left = 0;
    top = 0;
    place();
  }

  sight.addEventListener(
    "wheel",
    (/** @type {WheelEvent} */ event) => {
      event.preventDefault();
      const box = sight.getBoundingClientRect();
      zoom(event.deltaY < 0 ? STEP : 1 / STEP, event.clientX - box.left, event.clientY - box.top);
    },
    { passive: false },
  );
  sight.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    sight.setPointerCapture(event.pointerId);
    const from = { x: event.clientX - left, y: event.clientY - top };
    const move = (/** @type {PointerEvent} */ moved) => {
      left = moved.clientX - from.x;
      top = moved.clientY - from.y;
      place();
    };
    sight.addEventListener("pointermove", move);
    const end = () => sight.removeEventListener("pointermove", move);
    sight.addEventListener("pointerup", end, { once: true });
    sight.addEventListener("pointercancel", end, { once: true });
  });
  sight.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    /** @type {Record<string, () => void>} */
    const does = {
      "+": () => zoom(STEP),
      "=": () => zoom(STEP),
      "-": () => zoom(1 / STEP),
      0: fit,
      ArrowLeft: () => ((left += 40), place()),
      ArrowRight: () => ((left -= 40), place()),
      ArrowUp: () => ((top += 40), place()),
      ArrowDown: () => ((top -= 40), place()),
    };
    if (!does[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    does[event.key]();
  });

  /** @param {string} text */
  async function draw(text) {
    const next = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    const tried = new Image();
    tried.src = next;
    try {
      await tried.decode();
      if (address) URL.revokeObjectURL(address);
      address = next;
      image.src = next;
      told.hidden = true;
    } catch {
      URL.revokeObjectURL(next);
      told.hidden = false;
    }
  }

  place();
  return { element, draw };
}
