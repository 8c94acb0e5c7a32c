// The list of files shows those whose row holds what is written into its field.
export function startFiles() {
  const table = document.querySelector(".view-files .table table");
  if (!table) return;
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, words: row.textContent.toLowerCase() }));
  const said = table.caption;
  const whole = said.textContent;
  const field = document.createElement("input");
  field.type = "text";
  field.placeholder = "File, state or reason";
  field.setAttribute("aria-label", "Show only files whose row holds");
  const bar = document.createElement("p");
  bar.className = "graph-tools";
  bar.append(field);
  table.parentElement.before(bar);
  said.setAttribute("aria-live", "polite");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let count = 0;
    for (const { row, words } of rows) {
      row.hidden = !words.includes(wanted);
      if (!row.hidden) count += 1;
    }
    said.textContent = wanted ? `${count} of ${rows.length} files` : whole;
  });
}
