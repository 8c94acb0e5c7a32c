"""The script of published folders run by node, where there is one: its answers to questions, and its inner parts."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

NODE = shutil.which("node") or ""

# Answers each question as the page would: loads the files that it needs, then ranks.
_ASK = """
const fs = require("fs"), vm = require("vm");
const [home, given] = process.argv.slice(1);
const context = vm.createContext({atob, TextEncoder});
const run = (name) => vm.runInContext(fs.readFileSync(`${home}/${name}.js`, "utf8"), context);
run("search");
vm.runInContext("this.Pinakes = Pinakes", context);
const P = context.Pinakes, asked = JSON.parse(fs.readFileSync(given, "utf8"));
run("index");
const answers = asked.questions.map((question) => {
  const parsed = P.parse(question);
  for (const name of P.needed(parsed)) run(name);
  if (P.unknown(parsed).length) run("spelling"), P.respell(parsed);
  for (const name of P.needed(parsed)) run(name);
  const {count, meant, hits} = P.rank(parsed, asked.limit);
  return {count, meant, hits: hits.map((hit) => {
    if (asked.snippets && !P.isHere(hit)) run(`text/${hit.file}`);
    const found = P.passage(hit, parsed);
    return {...hit, section: found && found.section, anchor: found && found.anchor, snippet: found && found.pieces};
  })};
});
const terms = asked.texts.map((text) => P.terms(text));
process.stdout.write(JSON.stringify({answers, terms}));
"""


def run_script(
    home: Path,
    scratch: Path,
    questions: list[str] | None = None,
    texts: list[str] | None = None,
    *,
    limit: int = 10,
    snippets: bool = False,
) -> Any:
    """What the script in `home` (the folder `search` of a published one) answers, and the terms it finds in texts."""
    given = scratch / "asked.json"
    asked = {"questions": questions or [], "texts": texts or [], "limit": limit, "snippets": snippets}
    given.write_text(json.dumps(asked), encoding="utf-8")
    done = subprocess.run([NODE, "-e", _ASK, str(home), str(given)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
