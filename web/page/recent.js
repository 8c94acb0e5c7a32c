// The questions that were asked lately in this browser; they never leave it.
const PLACE = "pinakes-recent";
const MOST = 12;

export function recentQuestions() {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function rememberQuestion(question) {
  const asked = question.trim();
  if (asked.length < 2) return;
  // What was typed on the way to this question is no question of its own.
  const others = recentQuestions().filter((one) => one !== asked && !asked.startsWith(one));
  keep([asked, ...others].slice(0, MOST));
}

export function forgetQuestions() {
  keep([]);
}

function keep(questions) {
  try {
    localStorage.setItem(PLACE, JSON.stringify(questions));
  } catch {
    // Without storage nothing is remembered.
  }
}

// The start page lists them, each a way to its answer.
export function showRecent() {
  const place = document.querySelector("[data-recent]");
  const questions = recentQuestions();
  if (!place || !questions.length) return;
  const heading = document.createElement("h2");
  heading.textContent = "Asked before";
  const list = document.createElement("ul");
  list.className = "asked-before";
  list.append(
    ...questions.map((question) => {
      const link = document.createElement("a");
      link.href = `${document.body.dataset.base}/search?${new URLSearchParams({ query: question })}`;
      link.textContent = question;
      const row = document.createElement("li");
      row.append(link);
      return row;
    }),
  );
  const forget = document.createElement("button");
  forget.type = "button";
  forget.textContent = "Forget them";
  forget.addEventListener("click", () => {
    forgetQuestions();
    place.replaceChildren();
  });
  place.replaceChildren(heading, list, forget);
}
