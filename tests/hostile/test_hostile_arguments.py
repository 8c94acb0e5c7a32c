"""Whatever is typed, the answer is one line that names it, says what to do, and an exit code that means something."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kits.hostile import SECRET, Wish, one_line, pinakes, pinakes_here
from kits.trees import write_tree
from pinakes.errors import NotFound, PinakesError
from pinakes.library import open_library

LONG = "x" * 5000
NOTHING, TROUBLE = 1, 2


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a neighbour that is none of its business."""
    folder = tmp_path_factory.mktemp("arguments")
    write_tree(folder, {"outside/secret.md": f"# {SECRET}\n", "x": SECRET, "x.json": SECRET})
    root = write_tree(folder / "root", {"a.md": "# A\n\n[b](sub/b.md)\n\n## Two\n", "sub/b.md": "# B\n", "c.png": ""})
    (root / "loop").symlink_to("loop")
    assert pinakes(root, "sync").code == 0
    return root


REFUSED = [
    (NOTHING, ["read", "../outside/secret.md"], "../outside/secret.md"),
    (NOTHING, ["read", "/etc/passwd"], "/etc/passwd"),
    (NOTHING, ["read", "%2e%2e/outside/secret.md"], "../outside/secret.md"),
    (NOTHING, ["read", "c.png"], "c.png"),
    (NOTHING, ["read", "a.md:99"], "It has lines 1 to 5."),
    (NOTHING, ["read", "a.md:3-1"], "a.md"),
    (NOTHING, ["read", "a.md#nope"], "pinakes map a.md"),
    (NOTHING, ["read", f"{LONG}#x"], LONG),
    (NOTHING, ["read", f"a.md#{LONG}"], LONG),
    (NOTHING, ["read", "other:a.md"], "other:a.md"),
    (NOTHING, ["read", "a.md\n\x1b[31m"], "a.md\\x0a\\x1b[31m"),
    (NOTHING, ["read", "--", "--help"], "--help"),
    (NOTHING, ["links", LONG], LONG),
    (NOTHING, ["map", ".."], "To open that folder, name it with --root."),
    (NOTHING, ["map", "../outside"], "../outside"),
    (NOTHING, ["map", "nope"], "nope"),
    (NOTHING, ["map", LONG], LONG),
    (NOTHING, ["map", "loop"], "loop"),
    (NOTHING, ["map", "--format", "svg", "nope"], "nope"),
    (NOTHING, ["map", "--since", "../../x"], "../../x"),
    (NOTHING, ["map", "--since", LONG], LONG),
    (NOTHING, ["check", "nope"], "nope"),
    (NOTHING, ["check", ".."], ".."),
    (TROUBLE, ["sync", "nope"], "nope is not a folder"),
    (TROUBLE, ["sync", "/etc/passwd"], "/etc/passwd"),
    (TROUBLE, ["sync", "loop"], "loop"),
    (TROUBLE, ["sync", LONG], LONG),
    (TROUBLE, ["doctor", "--root", LONG], LONG),
    (TROUBLE, ["read", "docs:"], "“docs:” names no document"),
    (TROUBLE, ["read", "#a"], "#a"),
    (TROUBLE, ["links", ""], "path#anchor"),
    (TROUBLE, ["map", "--budget", "-1"], "pinakes map --help"),
    (TROUBLE, ["map", "--budget", "many"], "many"),
    (TROUBLE, ["map", "--store", "."], "which holds the documents"),
    (TROUBLE, ["map", "--store", LONG], LONG),
    (TROUBLE, ["map", "--store", "/proc/x"], "/proc/x"),
    (TROUBLE, ["map", "--store", "a.md"], "a.md"),
    (TROUBLE, ["map", "a", "\x1b[31m"], "\\x1b[31m"),
    (TROUBLE, ["nonsense"], "nonsense"),
    (TROUBLE, ["--nonsense"], "pinakes --help"),
    (TROUBLE, ["init", "nope"], "nope"),
]


@pytest.mark.parametrize(
    ("code", "arguments", "named"), REFUSED, ids=[" ".join(ascii(word)[1:30] for word in row[1]) for row in REFUSED]
)
def test_nonsense_is_answered_in_one_line(root: Path, code: int, arguments: list[str], named: str) -> None:
    ran = pinakes_here(root, *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert named in one_line(ran)
    assert SECRET not in ran.both
    assert not (root.parent / ".pinakes").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["read", "a.md#"],
        ["read", "./a"],
        ["map", "--budget", "1"],
        ["map", "--budget", "9" * 30],
        ["map", "--focus", LONG],
        ["map", "--focus", "../../etc/passwd"],
        ["map", "--focus", "#"],
        ["status", "/etc/passwd", LONG, "", "nope\x1b[31m", "loop"],
    ],
    ids=lambda arguments: " ".join(ascii(word)[1:20] for word in arguments),
)
def test_odd_but_meaningful_arguments_are_answered(root: Path, arguments: list[str]) -> None:
    assert pinakes_here(root, *arguments).code == 0


def test_the_program_itself_answers_so_too(root: Path) -> None:
    for code, arguments, named in REFUSED[:: len(REFUSED) // 3]:
        ran = pinakes(root, *arguments, wish=Wish(cpu_s=5))
        assert ran.code == code
        assert named in one_line(ran)


@pytest.mark.parametrize("word", ["read", "links", "map", "check", "focus", "since"])
def test_no_text_at_all_makes_the_library_fail_in_another_way(root: Path, word: str) -> None:
    texts = (
        "\0",
        "a.md\0",
        "\udcff",
        "../" * 2000,
        "a" * 100_000,
        "#" * 5000,
        ":" * 5000,
        "a.md:" + "9" * 5000,
        "%" * 99,
    )
    with open_library(root) as library:
        words: dict[str, Callable[[str], object]] = {
            "read": library.read,
            "links": library.links,
            "map": library.map,
            "check": library.check,
            "focus": lambda text: library.map(focus=text),
            "since": lambda text: library.map(since=text),
        }
        for text in texts:
            try:
                words[word](text)
            except PinakesError as error:
                assert isinstance(error, NotFound) or error.next_step
