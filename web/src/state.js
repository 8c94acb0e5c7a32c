// What the page knows of the workspace: the server's word, and who wants to hear when it changes.
import { get } from "./api.js";

/**
 * @typedef {object} WorkState
 * @property {string} root
 * @property {"code" | "docs"} mode
 * @property {{code: {ready: boolean, reason?: string}, docs: {ready: boolean, building?: boolean, reason?: string}}} modes
 * @property {{label: string, percent: number} | null} progress
 * @property {boolean} keywords_available
 * @property {string} keywords_message
 * @property {string[]} selection
 * @property {number} selection_tokens
 * @property {boolean} overlay
 * @property {string[]} urls addresses whose pages stand in the prompt
 * @property {{id: string, title: string} | null} session
 * @property {{available: boolean, reason: string, provider: string, model: string}} conversation
 * @property {{name: string, text: string}[]} snippets
 * @property {string} snippets_warning why the user's own snippets are not used; empty where they are
 * @property {boolean} can_undo
 * @property {{on: boolean, range: string} | null} review
 * @property {boolean} answering
 * @property {string} version
 */

/** @type {WorkState} */
export const work = {
  root: "",
  mode: "code",
  modes: { code: { ready: false }, docs: { ready: false, building: false } },
  progress: null,
  keywords_available: true,
  keywords_message: "",
  selection: [],
  selection_tokens: 0,
  overlay: false,
  urls: [],
  session: null,
  conversation: { available: false, reason: "", provider: "", model: "" },
  snippets: [],
  snippets_warning: "",
  can_undo: false,
  review: null,
  answering: false,
  version: "",
};

/** @type {Map<string, Set<() => void>>} */
const listeners = new Map();

/** Call when one of these parts of the state changes. @param {string[]} parts @param {() => void} act */
export function watch(parts, act) {
  for (const part of parts) {
    if (!listeners.has(part)) listeners.set(part, new Set());
    listeners.get(part)?.add(act);
  }
}

/** Take over what is known now; those who watch a part that differs are called once. @param {Partial<WorkState>} known */
export function know(known) {
  /** @type {Set<() => void>} */
  const told = new Set();
  for (const [part, value] of Object.entries(known)) {
    if (JSON.stringify(/** @type {any} */ (work)[part]) === JSON.stringify(value)) continue;
    /** @type {any} */ (work)[part] = value;
    for (const act of listeners.get(part) ?? []) told.add(act);
  }
  for (const act of told) act();
}

let milestones = 0;

/** What an event says at the end of something: it is newer than every answer that was asked for before it came. @param {Partial<WorkState>} known */
export function pass(known) {
  milestones += 1;
  know(known);
}

/** Ask the server for the truth; an event that was lost does not matter after this. Events overtake answers: if
 * something came to its end meanwhile, the answer may be from before, and is asked for again. */
export async function refresh() {
  for (;;) {
    const before = milestones;
    const truth = await get("/work/state");
    if (milestones === before) return know(truth);
  }
}

/** Whether people write and decide here, or program. */
export const isDocs = () => work.mode === "docs";
