// The switches of the page: light or dark, and figures for experts. The choice is kept in the browser.
const root = document.documentElement;

function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Without storage the choice lasts for this view.
  }
}

export function switchTheme() {
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  keep("pinakes-theme", root.dataset.theme);
}

export function switchFigures() {
  const isShown = root.classList.toggle("with-figures");
  keep("pinakes-figures", isShown ? "yes" : "no");
  tellFigures();
}

// Hits come anew while somebody types, and the switch with them.
export function tellFigures() {
  const isShown = root.classList.contains("with-figures");
  for (const button of document.querySelectorAll("[data-figures]")) button.setAttribute("aria-pressed", String(isShown));
}

export function startSwitches() {
  document.querySelector("[data-theme-switch]")?.addEventListener("click", switchTheme);
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-figures]")) switchFigures();
  });
  tellFigures();
}
