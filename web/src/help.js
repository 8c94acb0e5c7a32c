// The keys, in a dialog that is asked for.
import { button, h } from "./dom.js";

const KEYS = [
  ["Alt+1 … 4", "chat, editor, context, review"],
  ["/", "find files"],
  ["↓ ↑ ← →", "move through files; fold and unfold"],
  ["Space", "choose a file: it goes along in full"],
  ["Enter", "open a file; send the question"],
  ["c", "to the question"],
  ["Esc", "stop the answer; leave a box"],
  ["Ctrl+S", "save the file in the editor"],
  ["Esc, then Tab", "leave the editor"],
  ["m", "code or document mode"],
  ["b", "fold the panel"],
  ["t", "light or dark"],
  ["?", "this help"],
];

export function helpDialog() {
  const rows = KEYS.flatMap(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)]);
  const close = button("Close", () => dialog.close(), { autofocus: true });
  const dialog = h("dialog", { class: "help", "aria-label": "Keys" }, h("h2", {}, "Keys"), h("dl", {}, ...rows), close);
  return dialog;
}
