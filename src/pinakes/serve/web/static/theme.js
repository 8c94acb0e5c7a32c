// Light or dark: what the reader chose, else what the system says. Runs before anything is drawn, so nothing flashes.
"use strict";
document.documentElement.classList.add("js");
try {
  const chosen = localStorage.getItem("pinakes-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage the system decides.
}
