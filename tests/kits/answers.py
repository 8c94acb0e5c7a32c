"""Answers of a model, made up together with what must become of them.

A story is a folder of files and an answer over it. It knows what each block must come to, because it carried the sound
ones out itself, on lists of lines: our own parser and matcher have no part in it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

WORDS = (
    "tokens",
    "Grüße",
    "naïve",
    "日本語",
    "🦉",
    "عربى",
    "x\u0301",
    "a\tb",
    "`code`",
    "<b>",
    "",
    "   ",
    "====",
    ">>>>",
)
FENCES = (("", ""), ("", ""), ("```", "```"), ("```markdown", "```"), ("~~~", "~~~"), ("````python", "````"))
PROSE = ("I change this.", "", "## What I did", "- one\n- two", "```\nprint('<<<<<<< FIND')\n```", "=======", "> said")
DRESSES = ("{}", "{}", "`{}`", "**{}**", "./{}", "### `{}`", "**`{}`**:", "{}:", "  {}  ", "1. {}")
OUTSIDE = ("../x.md", "/etc/x", ".git/config", "a/../../x.md", ".pinakes/x", "C:\\x", "x\u202ey.md", "con.md", "a//b")
TWICE = "the same text"


@dataclass
class StoryFile:
    """A file as lines, with what stands between and around them."""

    lines: list[str]
    end: str = "\n"
    mark: str = ""
    is_closed: bool = True

    def data(self) -> bytes:
        closing = self.end if self.is_closed and self.lines else ""
        return (self.mark + self.end.join(self.lines) + closing).encode()


@dataclass
class Story:
    """What there is, what is said, and what there must be."""

    before: dict[str, bytes]
    answer: str = ""
    after: dict[str, bytes] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    """Words of the reason for each block that must be refused, in order."""
    sound: int = 0


def story(seed: int) -> Story:
    """The same story for the same seed."""
    return _Teller(seed).tell()


class _Teller:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.count = 0
        self.files = {f"folder{number}/page {number}.md": self.file() for number in range(2)}
        self.files |= {f"page{number}.txt": self.file() for number in range(3)}
        self.told = Story({path: file.data() for path, file in self.files.items()})
        self.parts: list[str] = []

    def tell(self) -> Story:
        good = (self.replaced, self.replaced, self.replaced, self.new, self.shown)
        bad = (self.twice, self.missing, self.there, self.lost, self.outside)
        unclear = (self.divided, self.nested, self.undivided, self.pathless, self.indented)
        kinds: Sequence[Callable[[], None]] = (*good, *good, *bad, *unclear)
        for _ in range(self.chance.randrange(1, 8)):
            self.parts.append(self.chance.choice(PROSE))
            self.chance.choice(kinds)()
        if self.chance.random() < 0.25:
            self.unfinished()
        end = self.chance.choice(("\n", "\n", "\r\n"))
        self.told.answer = "\n".join(self.parts).replace("\n", end) + self.chance.choice(("", end))
        self.told.after = {path: file.data() for path, file in self.files.items()}
        return self.told

    def line(self) -> str:
        """A line that stands nowhere else."""
        self.count += 1
        return f"{self.chance.choice(WORDS)} no. {self.count}! {self.chance.choice(WORDS)}"

    def new_lines(self, least: int = 0) -> list[str]:
        lines = [self.line() for _ in range(self.chance.randrange(least, 4))]
        return lines if not lines or self.chance.random() < 0.8 else [*lines, "", TWICE]

    def file(self) -> StoryFile:
        lines = [self.line() for _ in range(self.chance.randrange(4, 12))]
        for _ in range(2):
            lines.insert(self.chance.randrange(len(lines)), TWICE)
        end, mark = self.chance.choice(("\n", "\n", "\r\n")), self.chance.choice(("", "", "\ufeff"))
        return StoryFile(lines, end, mark, self.chance.random() < 0.7)

    def some(self) -> tuple[str, StoryFile, slice]:
        """Lines of a file that stand there once."""
        path = self.chance.choice([path for path, one in self.files.items() if any("! " in line for line in one.lines)])
        file = self.files[path]
        first = self.chance.choice([at for at, line in enumerate(file.lines) if "! " in line])
        return path, file, slice(first, self.chance.randrange(first + 1, min(first + 4, len(file.lines)) + 1))

    def block(self, path: str, find: Sequence[str], put: Sequence[str], *, dress: str = "", signs: int = 7) -> str:
        if signs == 7 and any(line[:7] in _LIKE_MARKS for line in find):
            signs = 20  # what an earlier block put there
        above, below = self.chance.choice(FENCES)
        named = [(dress or self.chance.choice(DRESSES)).format(path), *([""] if self.chance.random() < 0.2 else [])]
        head = [above, *named] if self.chance.random() < 0.3 else [*named, above]
        tail = self.chance.choice(("", "", " ", "\t "))
        marks = ("<" * signs + " FIND" + tail, "=" * signs + tail, ">" * signs + " END" + tail)
        return "\n".join([*(line for line in head if line), marks[0], *find, marks[1], *put, marks[2], below])

    def say(self, part: str, refused: str = "") -> None:
        self.parts.append(part)
        if refused:
            self.told.refused.append(refused)
        else:
            self.told.sound += 1

    # Sound blocks.

    def replaced(self) -> None:
        path, file, there = self.some()
        put = self.new_lines()
        self.say(self.block(path, file.lines[there], put))
        file.lines[there] = put

    def shown(self) -> None:
        """Text that looks like marks, in longer marks."""
        path, file, there = self.some()
        put = [self.line(), "=======", "<<<<<<< FIND", "shown", "=======", ">>>>>>> END", "<<<<<<< HEAD", self.line()]
        self.say(self.block(path, file.lines[there], put, signs=self.chance.choice((8, 12))))
        file.lines[there] = put

    def new(self) -> None:
        put = self.new_lines(1)
        path = f"made{self.count}/new{self.count}.md"
        self.say(self.block(path, [""] if self.chance.random() < 0.2 else [], put))
        self.files[path] = StoryFile(put)

    # Blocks that do not fit.

    def twice(self) -> None:
        path = self.chance.choice([path for path, one in self.files.items() if one.lines.count(TWICE) > 1] or [""])
        self.say(self.block(path or "x.md", [TWICE], [self.line()]), "times in" if path else "no file")

    def missing(self) -> None:
        path, file, there = self.some()
        self.say(self.block(path, [*file.lines[there], "no such line"], [self.line()]), "does not stand in")

    def there(self) -> None:
        self.say(self.block(next(iter(self.told.before)), [], [self.line()], dress="`{}`"), "exists already")

    def lost(self) -> None:
        self.say(self.block("nowhere.md", ["text"], [self.line()]), "no file")

    def outside(self) -> None:
        self.say(self.block(self.chance.choice(OUTSIDE), [], [self.line()]), "The path")

    # Blocks that could be read in more than one way, or in none.

    def divided(self) -> None:
        self.say(self.block("page0.txt", [self.line()], ["Heading", "=======", ""]), "longer marks")

    def nested(self) -> None:
        inner = self.block("page1.txt", [self.line()], [self.line()])
        self.say(self.block("page0.txt", [self.line()], inner.split("\n")), "longer marks")

    def undivided(self) -> None:
        self.say(f"page1.txt\n<<<<<<< FIND\n{TWICE}\n>>>>>>> END", "no line of 7 equal signs")

    def pathless(self) -> None:
        self.replaced()
        self.say("<<<<<<< FIND\nx\n=======\ny\n>>>>>>> END", "no path")

    def indented(self) -> None:
        self.say("- page1.txt\n  <<<<<<< FIND\n  x\n  =======\n  y\n  >>>>>>> END", "indented")

    def unfinished(self) -> None:
        path, file, there = self.some()
        whole = self.block(path, file.lines[there], [self.line()])
        start, end = whole.index(" FIND") + 5, whole.rindex(" END") + 3
        self.say(whole[: self.chance.randrange(start, end)], "ended before")


_LIKE_MARKS = ("<" * 7, "=" * 7, ">" * 7)
