// Draws one Mermaid diagram inside a frame that has no origin, no network and nothing to lose: the page that shows a
// document sends the text, and hears how large the drawing became, or that there is none.
import mermaid from "mermaid";

const LONGEST = 50_000;

/** @type {number} */
let drawn = 0;

addEventListener("message", async (/** @type {MessageEvent} */ event) => {
  if (event.source !== parent) return;
  const { text, isDark, font } = event.data;
  const tell = (/** @type {object} */ words) => parent.postMessage({ diagram: true, ...words }, "*");
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      suppressErrorRendering: true,
      theme: isDark ? "dark" : "neutral",
      fontFamily: font,
      maxTextSize: LONGEST,
      maxEdges: 1000,
      layout: "dagre", // the other one weighs as much as everything else
      secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering", "layout"],
    });
    const { svg } = await mermaid.render(`diagram-${(drawn += 1)}`, text);
    const parsed = new DOMParser().parseFromString(svg, "text/html");
    document.body.replaceChildren(...parsed.body.childNodes);
    document.documentElement.style.colorScheme = isDark ? "dark" : "light";
    tell({ height: Math.ceil(document.body.scrollHeight) });
  } catch (trouble) {
    tell({ trouble: String(trouble instanceof Error ? trouble.message : trouble).slice(0, 400) });
  }
});
parent.postMessage({ diagram: true, isReady: true }, "*");
