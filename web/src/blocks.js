// The changes in an answer, read as the server reads them (edits/stream.py): what a card shows is what would be written.

const OPENING = /^(<{7,}) FIND[ \t]*$/;
const CLOSING = /^(>{7,}) END[ \t]*$/;
const BETWEEN = /^(={7,})[ \t]*$/;
const FENCE = /^[ \t]*(`{3,}|~{3,})[^`]*$/;
const LEADING = /^(#{1,6}|[-*+]|\d{1,3}[.)])[ \t]+/;
const QUOTED = /^(?:(`+)([^`]+)\1|\*\*(.+)\*\*)$/;
const LONGEST_PATH = 4000;

/**
 * An answer as text and changes, also while it is still being written.
 * @param {string} text
 * @returns {({text: string} | {path: string, find: string, put: string, isWhole: boolean})[]}
 */
export function parts(text) {
  /** @type {any[]} */
  const out = [];
  /** @type {string[]} */
  let prose = [];
  const lines = text.split("\n").map(withoutReturns);
  let at = 0;
  while (at < lines.length) {
    const opening = OPENING.exec(lines[at].replace(/^[ \t]+/, ""));
    if (!opening) {
      prose.push(lines[at]);
      at += 1;
      continue;
    }
    const path = takePath(prose);
    if (prose.some((line) => line.trim())) out.push({ text: prose.join("\n") });
    prose = [];
    const block = read(lines, at + 1, opening[1].length, !lines[at].startsWith("<"));
    out.push({ path, find: block.find.join("\n"), put: block.put.join("\n"), isWhole: block.isWhole });
    at = block.end;
    if (/^[`~]{3,}\s*$/.test(lines[at] ?? "")) at += 1;
  }
  if (prose.some((line) => line.trim())) out.push({ text: prose.join("\n") });
  return out;
}

/**
 * A block from behind its first mark on. Marks of another length are text; one that begins once more ends as often.
 * @param {string[]} lines @param {number} from @param {number} length @param {boolean} isIndented
 */
function read(lines, from, length, isIndented) {
  /** @type {string[]} */
  const find = [];
  /** @type {string[]} */
  const put = [];
  let [isPut, depth] = [false, 1];
  for (let at = from; at < lines.length; at += 1) {
    const mark = isIndented ? lines[at].replace(/^[ \t]+/, "") : lines[at];
    const is = (/** @type {RegExp} */ kind) => kind.exec(mark)?.[1].length === length;
    if (is(CLOSING)) depth -= 1;
    else if (is(OPENING)) depth += 1;
    if (!depth) return { find, put, isWhole: true, end: at + 1 };
    if (depth === 1 && !isPut && is(BETWEEN)) isPut = true;
    else (isPut ? put : find).push(lines[at]);
  }
  return { find, put, isWhole: false, end: lines.length };
}

/** The path in the last line that may hold one, which is taken away with what follows it. @param {string[]} prose */
function takePath(prose) {
  let at = prose.length - 1;
  while (at >= 0 && (!prose[at].trim() || FENCE.test(prose[at]))) at -= 1;
  if (at < 0) return "";
  const line = prose[at];
  prose.length = /^[`~]{3,}\w*\s*$/.test(prose[at - 1] ?? "") ? at - 1 : at;
  return line.length <= LONGEST_PATH ? pathIn(line) : "";
}

/** What a line names, without what stands around it out of habit. @param {string} line */
function pathIn(line) {
  let path = line.trim().replace(LEADING, "");
  for (;;) {
    let inner = path.replace(/:$/, "").trim();
    const quoted = QUOTED.exec(inner);
    if (quoted) inner = (quoted[2] ?? quoted[3]).trim();
    if (inner === path) return path.replace(/^\.\//, "");
    path = inner;
  }
}

/**
 * A line without the carriage returns at its end. Not by a regular expression, which would look at many of them in the
 * middle of a line again and again.
 * @param {string} line
 */
function withoutReturns(line) {
  let end = line.length;
  while (end && line[end - 1] === "\r") end -= 1;
  return line.slice(0, end);
}
