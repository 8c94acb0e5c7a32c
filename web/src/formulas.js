// Draws formulas as MathML, which browsers show by themselves; loaded only where a document has one.
import temml from "temml";

const LONGEST = 10_000;

/** @param {Element} place what holds a formula as it is written */
function draw(place) {
  const written = place.textContent ?? "";
  if (written.length > LONGEST) return;
  const drawn = document.createElement("span");
  drawn.className = place.className;
  try {
    temml.render(written, drawn, {
      displayMode: place.classList.contains("block"),
      throwOnError: true,
      trust: false,
      maxExpand: 500,
      annotate: true,
    });
  } catch (trouble) {
    place.setAttribute("title", String(trouble instanceof Error ? trouble.message : trouble).slice(0, 300));
    return;
  }
  place.replaceWith(drawn);
}

for (const place of document.querySelectorAll("code.formula")) draw(place);
