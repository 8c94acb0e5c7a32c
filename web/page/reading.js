// Beside a document: the outline follows what is read, and lines that were asked for are brought into sight.
export function startReading() {
  const asked = document.querySelector(".reader .asked");
  if (asked && !location.hash) asked.scrollIntoView({ block: "center" });
  const outline = document.querySelector(".right .outline");
  const links = [...(outline?.querySelectorAll('a[href^="#"]') ?? [])];
  if (!links.length) return;
  const places = links
    .map((link) => ({ link, heading: document.getElementById(decodeURIComponent(link.hash.slice(1))) }))
    .filter((one) => one.heading);
  let isWaiting = false;
  let here = null;

  function follow() {
    isWaiting = false;
    const line = document.querySelector(".top").getBoundingClientRect().bottom + 40;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const passed = places.filter((one) => one.heading.getBoundingClientRect().top <= line);
    const next = atEnd ? places.at(-1) : (passed.at(-1) ?? places[0]);
    if (next === here) return;
    here?.link.removeAttribute("aria-current");
    here?.link.closest("li").classList.remove("here");
    here = next;
    here.link.setAttribute("aria-current", "location");
    here.link.closest("li").classList.add("here");
    bringIntoSight(here.link);
  }

  document.addEventListener("scroll", () => {
    if (!isWaiting) requestAnimationFrame(follow);
    isWaiting = true;
  }, { passive: true });
  follow();
}

// Only the margin is scrolled: the text stays where it is.
function bringIntoSight(link) {
  const margin = link.closest(".right");
  const inside = margin.getBoundingClientRect();
  const row = link.getBoundingClientRect();
  if (row.top < inside.top || row.bottom > inside.bottom) margin.scrollTop += row.top - inside.top - inside.height / 3;
}
