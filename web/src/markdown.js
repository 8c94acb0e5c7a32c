// Markdown as elements, for answers that are still being written: small, forgiving, and without a way to act.
// Only text, a few elements and links to http addresses come out; a picture is shown as its words.
import { h } from "./dom.js";

/**
 * @param {string} text
 * @param {(path: string) => void} [openPath] called for `[words](path/in/the/repository)`
 * @returns {Node[]}
 */
export function markdown(text, openPath) {
  return blocks(text.replace(/\r\n?/g, "\n").split("\n"), openPath);
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^\s{0,3}>\s?/;
const RULE = /^\s{0,3}([-*_])(\s*\1){2,}\s*$/;
const TABLE_LINE = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?$/; // of a line without spaces around it
const DEEPEST = 8;
const LONGEST = 20_000; // of a paragraph; what is longer is no prose

/** @param {string[]} lines @param {((path: string) => void) | undefined} openPath @param {number} [depth] @returns {Node[]} */
function blocks(lines, openPath, depth = 0) {
  /** @type {Node[]} */
  const out = [];
  let at = 0;
  const inner = (/** @type {string[]} */ some) =>
    depth < DEEPEST ? blocks(some, openPath, depth + 1) : [document.createTextNode(some.join("\n"))];
  while (at < lines.length) {
    const line = lines[at];
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (!line.trim()) at += 1;
    else if (fence) {
      const end = closing(lines, at + 1, fence[2]);
      out.push(code(lines.slice(at + 1, end), fence[3]));
      at = end + 1;
    } else if (heading) {
      // An answer stands inside the page: its first heading is below the page's own.
      out.push(h(`h${Math.min(6, heading[1].length + 2)}`, {}, ...inline(withoutMarks(heading[2]), openPath)));
      at += 1;
    } else if (RULE.test(line)) {
      out.push(h("hr"));
      at += 1;
    } else if (QUOTE.test(line)) {
      const end = endOf(lines, at, (one) => QUOTE.test(one));
      out.push(h("blockquote", {}, ...inner(lines.slice(at, end).map((one) => one.replace(QUOTE, "")))));
      at = end;
    } else if (ITEM.test(line)) {
      const end = endOfList(lines, at);
      out.push(list(lines.slice(at, end), openPath, inner));
      at = end;
    } else if (line.includes("|") && TABLE_LINE.test((lines[at + 1] ?? "").trim())) {
      const end = endOf(lines, at, (one) => one.includes("|"));
      out.push(table(lines.slice(at, end), openPath));
      at = end;
    } else {
      const end = endOf(
        lines,
        at + 1,
        (one) => Boolean(one.trim()) && !FENCE.test(one) && !HEADING.test(one) && !ITEM.test(one) && !QUOTE.test(one),
      );
      out.push(h("p", {}, ...inline(lines.slice(at, end).join("\n"), openPath)));
      at = end;
    }
  }
  return out;
}

/** A heading without the marks that may close it; an expression would take the square of its length. @param {string} words */
function withoutMarks(words) {
  let end = words.trimEnd().length;
  while (words[end - 1] === "#") end -= 1;
  return words.slice(0, end).trimEnd();
}

/** @param {string[]} lines @param {number} from @param {string} mark */
function closing(lines, from, mark) {
  return endOf(
    lines,
    from,
    (line) => !line.trim().startsWith(mark) || Boolean(line.trim().slice(mark.length).replaceAll(mark[0], "").trim()),
  );
}

/** @param {string[]} lines @param {number} from @param {(line: string) => boolean} belongs */
function endOf(lines, from, belongs) {
  let at = from;
  while (at < lines.length && belongs(lines[at])) at += 1;
  return at;
}

/** A list goes on over blank lines as long as items or indented lines follow. @param {string[]} lines @param {number} from */
function endOfList(lines, from) {
  let at = from;
  while (at < lines.length) {
    const next = endOf(lines, at, (one) => !one.trim());
    if (next > at) {
      if (!/^\s+|^([-*+]|\d{1,9}[.)])\s/.test(lines[next] ?? "")) return at;
      at = next;
    } else {
      if (!ITEM.test(lines[at]) && !/^\s+/.test(lines[at]) && !lines[at - 1]?.trim()) return at;
      if (HEADING.test(lines[at]) || (FENCE.test(lines[at]) && !/^\s/.test(lines[at]))) return at;
      at += 1;
    }
  }
  return at;
}

/**
 * @param {string[]} lines
 * @param {((path: string) => void) | undefined} openPath
 * @param {(lines: string[]) => Node[]} inner
 */
function list(lines, openPath, inner) {
  const first = /** @type {RegExpExecArray} */ (ITEM.exec(lines[0]));
  const isOrdered = /\d/.test(first[2]);
  const margin = first[1].length;
  /** @type {string[][]} */
  const items = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item && item[1].length <= margin + 1) items.push([item[3]]);
    else items.at(-1)?.push(line.slice(Math.min(line.search(/\S|$/), margin + first[2].length + 1)));
  }
  const made = items.map((item) => {
    const isShort = item.every((line, at) => !at || (line.trim() && !ITEM.test(line) && !FENCE.test(line)));
    return h("li", {}, ...(isShort ? inline(item.join("\n"), openPath) : inner(item)));
  });
  const start = isOrdered ? Number.parseInt(first[2], 10) : undefined;
  return h(isOrdered ? "ol" : "ul", start === 1 ? {} : { start }, ...made);
}

/** @param {string[]} lines @param {((path: string) => void) | undefined} openPath */
function table(lines, openPath) {
  const cells = (/** @type {string} */ line) =>
    line
      .trim()
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
  const row = (/** @type {string} */ line, /** @type {string} */ name) =>
    h(
      "tr",
      {},
      ...cells(line).map((cell) => h(name, name === "th" ? { scope: "col" } : {}, ...inline(cell, openPath))),
    );
  const body = lines.slice(2).map((line) => row(line, "td"));
  return h(
    "div",
    { class: "table", tabindex: "0", role: "group", "aria-label": "Table" },
    h("table", {}, h("thead", {}, row(lines[0], "th")), h("tbody", {}, ...body)),
  );
}

/** @param {string[]} lines @param {string} language */
function code(lines, language) {
  const words = lines.join("\n");
  const copy = h(
    "button",
    { type: "button", class: "plain copy", onclick: () => navigator.clipboard?.writeText(words) },
    "Copy",
  );
  return h(
    "div",
    { class: "code" },
    h("div", { class: "code-top" }, h("span", {}, language || "text"), copy),
    h("pre", { tabindex: "0" }, h("code", {}, words)),
  );
}

const INLINE = new RegExp(
  [
    /(`+)(?<code>[^`](?:.|\n)*?)\1(?!`)/,
    /!?\[(?<words>(?:[^[\]]|\[[^\]]*\])*)\]\((?<target>[^\s()]+(?:\([^\s()]*\))?)(?:\s+"[^"]*")?\)/,
    /(?<![\w*])\*\*(?<strong>(?=\S)(?:.|\n)+?(?<=\S))\*\*(?!\*)/,
    /(?<![\w*])\*(?<em>(?=[^\s*])(?:.|\n)*?[^\s*])\*(?!\w)/,
    /(?<![\w_])_(?<under>(?=[^\s_])(?:.|\n)*?[^\s_])_(?!\w)/,
    /~~(?<gone>(?:.|\n)+?)~~/,
    /(?<url>https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?])/,
  ]
    .map((one) => one.source)
    .join("|"),
);

/** @param {string} text @param {((path: string) => void) | undefined} openPath @param {number} [depth] @returns {Node[]} */
function inline(text, openPath, depth = 0) {
  /** @type {Node[]} */
  const out = [];
  let rest = text;
  while (rest) {
    const found = depth < DEEPEST && text.length < LONGEST ? INLINE.exec(rest) : null;
    if (!found?.groups) break;
    if (found.index) out.push(document.createTextNode(rest.slice(0, found.index)));
    out.push(inlineOf(found.groups, openPath, depth + 1));
    rest = rest.slice(found.index + found[0].length);
  }
  if (rest) out.push(document.createTextNode(rest));
  return out;
}

/** @param {Record<string, string>} groups @param {((path: string) => void) | undefined} openPath @param {number} depth @returns {Node} */
function inlineOf(groups, openPath, depth) {
  if (groups.code !== undefined) return h("code", {}, groups.code.trim() || groups.code);
  if (groups.strong) return h("strong", {}, ...inline(groups.strong, openPath, depth));
  if (groups.em || groups.under) return h("em", {}, ...inline(groups.em || groups.under, openPath, depth));
  if (groups.gone) return h("s", {}, ...inline(groups.gone, openPath, depth));
  if (groups.url) return outside(groups.url, [document.createTextNode(groups.url)]);
  const words = inline(groups.words, openPath, depth);
  if (/^https?:\/\//i.test(groups.target)) return outside(groups.target, words);
  if (!openPath || /^[a-z][\w+.-]*:|^\/\/|^#/i.test(groups.target)) return h("span", {}, ...words);
  const path = groups.target.replace(/[#?].*$/, "");
  return h("button", { type: "button", class: "link", onclick: () => openPath(path) }, ...words);
}

/** @param {string} url @param {Node[]} words */
function outside(url, words) {
  return h("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, ...words);
}
