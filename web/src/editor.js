// CodeMirror as this page uses it: one text, or two side by side of which one can be written.
// Each view lives in a shadow root: its styles are adopted there as sheets, so the page's policy allows no inline style.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { python } from "@codemirror/lang-python";
import { xml } from "@codemirror/lang-xml";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { MergeView, goToNextChunk, unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** @type {Record<string, () => import("@codemirror/state").Extension>} */
const LANGUAGES = {
  md: markdown,
  markdown,
  mdx: markdown,
  py: python,
  pyi: python,
  js: javascript,
  mjs: javascript,
  cjs: javascript,
  jsx: () => javascript({ jsx: true }),
  ts: () => javascript({ typescript: true }),
  tsx: () => javascript({ typescript: true, jsx: true }),
  json,
  html,
  htm: html,
  xml,
  svg: xml,
  css,
  yaml,
  yml: yaml,
};
const NARROW = 560; // pixels; two columns need more
const LONGEST_COLOURED = 2_000_000;

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "600", color: "var(--lapis)" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: "var(--lapis)" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--code-comment)", fontStyle: "italic" },
  {
    tag: [
      tags.definition(tags.variableName),
      tags.function(tags.variableName),
      tags.className,
      tags.typeName,
      tags.tagName,
    ],
    color: "var(--code-name)",
  },
  { tag: [tags.propertyName, tags.attributeName, tags.labelName], color: "var(--code-property)" },
  { tag: [tags.monospace], fontFamily: "var(--mono)" },
]);

const look = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)", height: "100%", fontSize: "0.85rem" },
  "&.cm-focused": { outline: "2px solid var(--lapis)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.6rem 0" },
  ".cm-line": { padding: "0 0.9rem" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--grey)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0.2rem 0 0.8rem" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--wash) 35%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--wash)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--wash)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--v3) 25%, transparent)" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--v3) 40%, transparent)" },
  ".cm-panels": {
    backgroundColor: "var(--leaf)",
    color: "var(--ink)",
    borderColor: "var(--hair)",
    fontFamily: "var(--plain)",
  },
  ".cm-panel input, .cm-panel button": {
    font: "inherit",
    color: "inherit",
    background: "var(--paper)",
    border: "1px solid var(--hair)",
    borderRadius: "3px",
    padding: "0.1rem 0.4rem",
  },
  ".cm-changedLine": { backgroundColor: "color-mix(in srgb, var(--v4) 13%, transparent) !important" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": {
    backgroundColor: "color-mix(in srgb, var(--v5) 12%, transparent) !important",
  },
  ".cm-changedText": { background: "color-mix(in srgb, var(--v4) 19%, transparent) !important" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": {
    background: "color-mix(in srgb, var(--v5) 20%, transparent) !important",
  },
  ".cm-collapsedLines": {
    background: "none",
    color: "var(--grey)",
    padding: "0.1rem 0.9rem",
    fontFamily: "var(--plain)",
    fontSize: "0.8rem",
  },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: "'⋯' !important" },
});
const proseLook = EditorView.theme({
  ".cm-scroller": { fontFamily: "var(--prose)", fontSize: "1.02rem", lineHeight: "1.65" },
  ".cm-content": { maxWidth: "46rem", marginInline: "auto", padding: "1.2rem 0 3rem" },
});

/** @param {string} path @param {string} text */
function language(path, text) {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return text.length < LONGEST_COLOURED && LANGUAGES[ending] ? LANGUAGES[ending]() : [];
}

/** Line ends stay as they are: those of a file that has both kinds are left in its lines. @param {string} text */
function lineEnds(text) {
  if (!text.includes("\r")) return [];
  const isAllPairs = !/\r(?!\n)|(?<!\r)\n/.test(text);
  return EditorState.lineSeparator.of(isAllPairs ? "\r\n" : "\n");
}

/**
 * @typedef {object} EditorGiven
 * @property {string} path
 * @property {boolean} [isWrapped]
 * @property {boolean} [isProse] for those who write: no line numbers, a column of readable width
 * @property {boolean} [isReadOnly]
 * @property {() => void} [onChange]
 * @property {() => void} [onSave]
 */

/** @param {EditorGiven} given @param {string} text @param {string} label */
function extensions(given, text, label) {
  const save = given.onSave;
  const saving = save ? [{ key: "Mod-s", run: () => (save(), true), preventDefault: true }] : [];
  return [
    given.isProse
      ? []
      : [lineNumbers(), given.isReadOnly ? [] : highlightActiveLineGutter(), bracketMatching(), indentOnInput()],
    history(),
    drawSelection(),
    given.isReadOnly ? [] : highlightActiveLine(),
    highlightSelectionMatches(),
    lineEnds(text),
    language(given.path, text),
    syntaxHighlighting(colours),
    given.isWrapped ? EditorView.lineWrapping : [],
    given.isReadOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: String(Boolean(given.isProse)), tabindex: "0" }),
    EditorView.updateListener.of((update) => update.docChanged && given.onChange?.()),
    keymap.of([
      ...saving,
      ...defaultKeymap,
      ...historyKeymap,
      ...searchKeymap,
      ...(given.isProse ? [] : [indentWithTab]),
    ]),
    given.isProse ? proseLook : [],
    look,
  ];
}

/** A shadow root with the sheet that its host needs. @param {HTMLElement} place @param {string} rules */
function rootIn(place, rules) {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  root.replaceChildren();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets.filter((one) => !OURS.has(one)), sheet];
  OURS.add(sheet);
  return root;
}

/** @type {WeakSet<CSSStyleSheet>} */
const OURS = new WeakSet();

/**
 * One text that can be written.
 * @param {HTMLElement} place
 * @param {EditorGiven & {text: string}} given
 */
export function single(place, given) {
  const root = rootIn(place, ":host { display: block; min-height: 0; }");
  const wrapping = new Compartment();
  const state = EditorState.create({
    doc: given.text,
    extensions: [
      extensions({ ...given, isWrapped: false }, given.text, given.path),
      wrapping.of(given.isWrapped ? EditorView.lineWrapping : []),
    ],
  });
  const view = new EditorView({ state, parent: root, root });
  return {
    text: () => view.state.sliceDoc(),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
    /** @param {boolean} is */
    wrap: (is) => view.dispatch({ effects: wrapping.reconfigure(is ? EditorView.lineWrapping : []) }),
    /** @param {string} text */
    set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: view.state.toText(text) } }),
    /** @param {number} number */
    line: (number) => {
      const line = view.state.doc.line(Math.min(Math.max(1, number), view.state.doc.lines));
      view.dispatch({
        selection: { anchor: line.from },
        effects: EditorView.scrollIntoView(line.from, { y: "center" }),
      });
      view.focus();
    },
  };
}

/**
 * Two texts side by side, what differs marked; the right one can be written unless it is read only.
 * @param {HTMLElement} place
 * @param {EditorGiven & {before: string, after: string}} given
 */
export function merge(place, given) {
  const root = rootIn(
    place,
    ":host { display: block; min-height: 0; overflow: auto; } .cm-mergeView { height: auto; min-height: 100%; }",
  );
  if (place.clientWidth < NARROW) return oneColumn(root, given);
  const view = new MergeView({
    a: {
      doc: given.before,
      extensions: extensions(
        { ...given, isProse: false, isWrapped: true, isReadOnly: true, onSave: undefined, onChange: undefined },
        given.before,
        `${given.path}, before`,
      ),
    },
    b: {
      doc: given.after,
      extensions: extensions({ ...given, isProse: false, isWrapped: true }, given.after, `${given.path}, after`),
    },
    parent: root,
    root,
    gutter: true,
    highlightChanges: true,
    revertControls: given.isReadOnly ? undefined : "a-to-b",
    renderRevertControl: () => {
      const back = document.createElement("button");
      back.type = "button";
      back.textContent = "→";
      back.setAttribute("aria-label", "Put the old text here");
      return back;
    },
    // What is written may be anywhere; what is only looked at is looked at for its changes.
    collapseUnchanged: given.isReadOnly ? { margin: 3, minSize: 6 } : undefined,
  });
  if (!given.isReadOnly) goToNextChunk(view.b);
  return {
    text: () => view.b.state.sliceDoc(),
    focus: () => view.b.focus(),
    destroy: () => view.destroy(),
  };
}

/**
 * The changes in one column, what was there above what is there.
 * @param {ShadowRoot} root
 * @param {EditorGiven & {before: string, after: string}} given
 */
function oneColumn(root, given) {
  const unified = unifiedMergeView({
    original: given.before,
    mergeControls: false,
    collapseUnchanged: given.isReadOnly ? { margin: 2, minSize: 5 } : undefined,
  });
  const extended = [
    unified,
    extensions({ ...given, isProse: false, isWrapped: true }, given.after, `${given.path}, after`),
  ];
  const view = new EditorView({ doc: given.after, extensions: extended, parent: root, root });
  return {
    text: () => view.state.sliceDoc(),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
