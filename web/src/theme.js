// Light or dark: what the reader chose, else what the system says; the same choice as on the other pages.
const root = document.documentElement;
const KEY = "pinakes-theme";

export function startTheme() {
  try {
    const chosen = localStorage.getItem(KEY);
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch {
    // Without storage the system decides.
  }
}

export function switchTheme() {
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem(KEY, root.dataset.theme);
  } catch {
    // Without storage the choice lasts for this view.
  }
}
