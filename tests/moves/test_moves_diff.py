"""The diff of a move is one that git understands, whichever lines change and however they end."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="there is no git here")

LINK = "[a](auth.md)"
FAR = "Nothing.\n" * 3000


@pytest.mark.parametrize(
    "text",
    [
        LINK,
        f"{LINK}\n",
        f"{LINK} {LINK}\n{LINK}\n\n{LINK}",
        f"{LINK}\r\nNothing.\r\n{LINK}\r\n",
        f"One.\r{LINK}\rTwo.\n{LINK}\n",
        f"{LINK}\n{FAR}{LINK}\n",
        f"One.\n\n[b]\n\n[b]:\n  <auth.md>\n\n{LINK}\n",
    ],
)
def test_git_applies_the_diff_of_a_move(tmp_path: Path, text: str) -> None:
    files: dict[str, str | bytes] = {"auth.md": "# Authentication\n", "page.md": text.encode()}
    with pinakes.open(write_tree(tmp_path / "vault", files)) as library:
        plan = library.plan_move("auth.md", "manual/login.md")
        shown = library.diff(plan)
        library.apply(plan)
        wanted = (library.root / "page.md").read_bytes()
    other = write_tree(tmp_path / "other", files)
    git = ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "-p1"]
    around = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    subprocess.run(git, input=f"{shown}\n".encode(), cwd=other, check=True, env=around)
    assert (other / "page.md").read_bytes() == wanted != text.encode()
    assert shown.count("\n-") < 10


def test_one_line_has_no_count(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"auth.md": "# Authentication\n", "page.md": f"# Page\n\n{LINK}\n"}
    with pinakes.open(write_tree(tmp_path, files)) as library:
        shown = library.diff(library.plan_move("auth.md", "login.md"))
    assert shown.splitlines()[2:] == [
        "--- a/page.md",
        "+++ b/page.md",
        "@@ -3 +3 @@",
        "-[a](auth.md)",
        "+[a](login.md)",
    ]
