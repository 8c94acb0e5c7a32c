// The switch between light and dark; the choice is kept in the browser.
const root = document.documentElement;

export function switchTheme() {
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("pinakes-theme", root.dataset.theme);
  } catch {
    // Without storage the choice lasts for this view.
  }
}

export function startTheme() {
  document.querySelector("[data-theme-switch]")?.addEventListener("click", switchTheme);
}
