// The part with the editor in it is large and is fetched when it is first needed.

/** @returns {Promise<typeof import("./editor.js")>} */
export function editor() {
  return import(new URL("editor.js", import.meta.url).href);
}
