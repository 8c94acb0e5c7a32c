// Forms that write: sent as JSON with the token, which is asked for once and kept by this tab alone. Where something goes,
// its reader is asked first.
const TOKEN = "pinakes-token";
let token = kept();

export function startWriting() {
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-write]");
    if (!form) return;
    event.preventDefault();
    send(form);
  });
}

async function send(form) {
  const said = form.querySelector("[role=status]");
  const { write, library, confirm } = form.dataset;
  if (confirm && !(await agreed(confirm, form.querySelector("button").textContent.replace(/\s*…$/, "")))) return;
  form.setAttribute("aria-busy", "true");
  said.textContent = "…";
  try {
    const answer = await ask(write, { ...written(form), library });
    if (!answer) said.textContent = "Nothing was written: the token is missing.";
    else if (answer.ok) done(write, await answer.json(), said);
    else said.textContent = words(await answer.json().catch(() => ({})), answer.status);
  } catch {
    said.textContent = "The server does not answer. Is pinakes serve still running?";
  }
  form.removeAttribute("aria-busy");
}

// What the fields say, by the types that the server takes. A form that shows what there is sends also what was emptied.
function written(form) {
  const body = {};
  const isWhole = "whole" in form.dataset;
  for (const field of form.elements) {
    if (!field.name) continue;
    const text = field.value.trim();
    if (field.name.endsWith("[]")) body[field.name.slice(0, -2)] = [text];
    else if (field.dataset.kind === "flag") {
      if (field.checked) body[field.name] = true;
    } else if (field.dataset.kind === "list") {
      const entries = text.split(",").map((one) => one.trim()).filter(Boolean);
      if (entries.length || isWhole) body[field.name] = entries;
    } else if (field.type === "hidden" && text === "true") body[field.name] = true;
    else if (field.name === "text" && text) body.text = field.value;
    else if (text || (isWhole && !field.matches("select"))) body[field.name] = text;
  }
  return body;
}

async function ask(path, body) {
  for (let tries = 0; tries < 4; tries += 1) {
    const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.status !== 401) return answer;
    const given = await askForToken(Boolean(token));
    if (!given) return null;
    keep(given);
  }
  return null;
}

function done(path, answer, said) {
  if (path.endsWith("/remember")) return location.assign(`${document.body.dataset.base}/read/memories:${encodeURIComponent(answer.id)}.md`);
  if (path.endsWith("/forget")) return location.assign(`${document.body.dataset.base}/memories`);
  if (path.endsWith("/sync")) return (said.textContent = "It has begun.");
  location.reload();
}

function words(problem, status) {
  const wrong = (problem.errors ?? []).map((one) => one.detail ?? "").filter(Boolean);
  const told = [problem.detail, ...wrong, problem.next_step].filter(Boolean);
  return [...new Set(told)].join(" ") || `The server refused it (${status}).`;
}

function agreed(question, button) {
  return asking(question, [["yes", button], ["no", "Keep it as it is"]]).then((answer) => answer === "yes");
}

async function askForToken(isWrong) {
  const field = document.createElement("input");
  field.type = "password";
  field.autocomplete = "off";
  field.setAttribute("aria-label", "Token");
  const before = isWrong ? "This is not the token of this server." : "Writing needs the token of this server.";
  const answer = await asking(`${before} “pinakes token” prints it; this tab keeps it until it is closed.`, [["yes", "Go on"], ["no", "Leave it"]], field);
  return answer === "yes" ? field.value.trim() : "";
}

// A question with its answers as buttons; Escape is the last of them.
function asking(question, answers, field = null) {
  const dialog = document.createElement("dialog");
  dialog.className = "help question";
  dialog.setAttribute("aria-label", question);
  const form = document.createElement("form");
  form.method = "dialog";
  const told = document.createElement("p");
  told.textContent = question;
  const row = document.createElement("p");
  for (const [value, label] of answers) {
    const button = document.createElement("button");
    button.value = value;
    button.textContent = label;
    row.append(button, " ");
  }
  form.append(told, ...(field ? [field] : []), row);
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || "no");
    });
  });
}

function kept() {
  try {
    return sessionStorage.getItem(TOKEN) ?? "";
  } catch {
    return "";
  }
}

function keep(given) {
  token = given;
  try {
    sessionStorage.setItem(TOKEN, given);
  } catch {
    // Without storage the token lasts until the page is loaded again.
  }
}
