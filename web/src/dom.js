// Elements from words: text goes in as text, never as markup, so nothing that a model or a file says can act.

/**
 * @typedef {Node | string | number | null | undefined | false | any[]} Child
 */

/**
 * An element with attributes, properties and listeners. `class` and `aria-…` are attributes; `on…` are listeners;
 * `data` fills the dataset; true makes an empty attribute and false none.
 * @param {string} name
 * @param {Record<string, any>} [given]
 * @param {...Child} children
 * @returns {any}
 */
export function h(name, given = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key in PROPERTIES) /** @type {any} */ (element)[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...nodes(children));
  return element;
}

const PROPERTIES = { value: 1, checked: 1, disabled: 1, hidden: 1, indeterminate: 1, tabIndex: 1 };

/** @param {Child[]} children @returns {(Node | string)[]} */
export function nodes(children) {
  return children
    .flat(5)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/** Put these where others were. @param {Element} place @param {...Child} children */
export function fill(place, ...children) {
  place.replaceChildren(...nodes(children));
}

/** @param {string} words @param {(event: Event) => any} act @param {Record<string, any>} [given] */
export function button(words, act, given = {}) {
  return h("button", { type: "button", onclick: act, ...given }, words);
}

const COUNT = new Intl.NumberFormat("en");

/** @param {number} number */
export const count = (number) => COUNT.format(number ?? 0);

/** “1 file”, “3 files”. @param {number} number @param {string} noun */
export const some = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** @param {number} part @param {number} whole */
export const percent = (part, whole) => `${whole ? Math.round((100 * part) / whole) : 0} %`;

/** The last part of a path. @param {string} path */
export const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);

/** Whether keys belong to something that takes text. @param {EventTarget | null} target */
export function isTyping(target) {
  return target instanceof Element && Boolean(target.closest("input, textarea, select, .editor"));
}

/** Call once things have been quiet for a moment. @param {number} wait @param {(...given: any[]) => any} act */
export function quietly(wait, act) {
  let timer = 0;
  return (/** @type {any[]} */ ...given) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => act(...given), wait);
  };
}
