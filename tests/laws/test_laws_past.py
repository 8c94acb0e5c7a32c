"""A library at a revision equals a checkout of that revision, indexed afresh, whatever the history."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import pinakes
from kits.git import Repo, needs_git
from kits.store import migrated_database
from kits.trees import write_tree
from pinakes.errors import NotFound
from pinakes.library import Library
from pinakes.records import Query
from pinakes.render import dumps, wire

HISTORIES = 5
COMMITS = 3
_SETTINGS = {"keywords.enabled": False, "code.enabled": True}
_PATHS = (
    "a.md",
    "guide/b.md",
    "guide/deep/c.md",
    "README.md",
    ".hidden/d.md",
    "venv/e.md",
    "app.py",
    "api/x.py",
    "p.png",
    "pinakes.1",
)
_MARKERS = {
    ".gitignore": ("a.md\n", "guide/deep/\n", ""),
    "guide/.gitignore": ("*.md\n!b.md\n", "/deep\n"),
    ".pinakesignore": ("api/\n", ""),
    ".gitattributes": ("app.py linguist-generated\n", ""),
    "venv/pyvenv.cfg": ("home = /usr\n",),
    "mkdocs.yml": ("docs_dir: guide\n", "docs_dir: .\n"),
}
_LINKS = {
    "link.md": ("a.md", "guide/b.md", "../out.md", ".hidden/d.md", "link2.md"),
    "link2.md": ("link.md", "README.md"),
}


def _text(chance: random.Random, path: str) -> str:
    if path.endswith(".py"):
        return f"def {chance.choice(('load', 'save', 'open_it'))}(path):\n    '''Reads {chance.randrange(9)}.'''\n"
    if path.endswith(".1"):
        return chance.choice((".TH PINAKES 1\n.SH NAME\npinakes reads files\n", "no page of a manual\n"))
    target = chance.choice((*_PATHS, "gone.md", "guide/"))
    words = chance.choice(("tokens expire", "files are ignored", "the index is built", "`load` reads"))
    return f"# {chance.choice(('One', 'Two'))}\n\n{words} [see](/{target}#one) `save`\n\n## Part\n\n{words} again\n"


def _change(chance: random.Random, root: Path) -> None:
    for _ in range(chance.randrange(1, 5)):
        deed = chance.random()
        if deed < 0.55:
            path = chance.choice(_PATHS)
            write_tree(root, {path: _text(chance, path)})
        elif deed < 0.75:
            path = chance.choice(list(_MARKERS))
            write_tree(root, {path: chance.choice(_MARKERS[path])})
        elif deed < 0.9:
            name = chance.choice(list(_LINKS))
            (root / name).unlink(missing_ok=True)
            (root / name).symlink_to(chance.choice(_LINKS[name]))
        elif files := sorted(one for one in root.rglob("*.md") if one.name != "always.md"):
            chance.choice(files).unlink()


def _answers(library: Library) -> list[str]:
    try:
        paths = [outline.ref for outline in library.outlines()]
    except NotFound:
        return ["nothing"]
    found = [library.map_text().text, dumps(wire(library.check()))]
    for query in ("how do tokens expire?", "what reads files"):
        # Which, and not by how much: the statistics of words count what was deleted since until segments are merged.
        asked = Query(query, limit=100, min_share=0.0, abstain=False, duplicates=True)
        found.append(" ".join(sorted(hit.ref.label for hit in library.search(asked).hits)))
    for ref in paths:
        found += [dumps(wire(library.read(ref.path))), dumps(wire(library.links(ref.path)))]
    states = [
        (name, library.corpus(name).index.files(name).keys()) for name in library.corpora if name in ("docs", "code")
    ]
    return [*found, *(f"{name} {sorted(files)}" for name, files in states)]


@needs_git
@pytest.mark.parametrize("engine", ["a folder", "a database"])
def test_a_revision_equals_its_checkout_over_random_histories(engine: str, tmp_path: Path) -> None:
    kept = {"store": migrated_database().url} if engine == "a database" else {}
    for number in range(HISTORIES):
        chance, root = random.Random(number), tmp_path / f"h{number}"
        inside = "sub" if number % 3 == 2 else ""
        repo = Repo(root)
        commits = []
        for step in range(COMMITS):
            write_tree(root / inside, {"always.md": f"# Always\n\nhere {step}\n"})
            _change(chance, root / inside)
            if inside and chance.random() < 0.5:
                write_tree(root, {".gitignore": chance.choice(("*.txt\n", "b.md\n"))})
            repo.git("add", "-A", "-f")
            commits.append(repo.commit(f"step {step}"))
        with pinakes.open(root / inside, {**_SETTINGS, **kept}) as library:
            if number % 2:
                library.sync()
            for commit in chance.sample(commits, len(commits)):
                copy = tmp_path / f"c{number}"
                shutil.rmtree(copy, ignore_errors=True)
                repo.git("worktree", "prune")
                repo.git("clone", "-q", "--no-hardlinks", ".", str(copy))
                repo.git("-C", str(copy), "checkout", "-q", commit)
                with pinakes.open(copy / inside, _SETTINGS) as fresh, library.at(commit[:12]) as past:
                    fresh.refresh()
                    fresh.refresh(corpora=("code",))
                    assert _answers(past) == _answers(fresh), (number, commit)
