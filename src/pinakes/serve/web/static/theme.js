// Light or dark and whether figures are shown: what the reader chose, else what the system says. Runs before anything is
// drawn, so nothing flashes.
"use strict";
document.documentElement.classList.add("js");
try {
  const chosen = localStorage.getItem("pinakes-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  if (localStorage.getItem("pinakes-figures") === "yes") document.documentElement.classList.add("with-figures");
  const width = Number(localStorage.getItem("pinakes-left"));
  if (width >= 160 && width <= 720) document.documentElement.style.setProperty("--left", `${width}px`);
} catch {
  // Without storage the system decides.
}
