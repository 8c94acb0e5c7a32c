"""Blocks are read from an answer however a model dresses them; what could be read in two ways has a fault."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pinakes.edits import EditStream, blocks_of
from pinakes.records.edits import EditBlock

BLOCK = "<<<<<<< FIND\nold\n=======\nnew\n>>>>>>> END\n"
READ = EditBlock("docs/a.md", "old\n", "new\n")


@pytest.mark.parametrize(
    "answer",
    [
        f"docs/a.md\n{BLOCK}",
        f"I change it.\n\ndocs/a.md\n{BLOCK}\nDone.",
        f"docs/a.md\n{BLOCK}".removesuffix("\n"),
        f"docs/a.md\n{BLOCK}".replace("\n", "\r\n"),
        f"docs/a.md\n\n\n{BLOCK}",
        f"./docs/a.md\n{BLOCK}",
        f"`docs/a.md`\n{BLOCK}",
        f"``docs/a.md``\n{BLOCK}",
        f"**docs/a.md**\n{BLOCK}",
        f"**`docs/a.md`**:\n{BLOCK}",
        f"**`./docs/a.md`:**\n{BLOCK}",
        f"### docs/a.md\n{BLOCK}",
        f"- `docs/a.md`\n{BLOCK}",
        f"2. docs/a.md:\n{BLOCK}",
        f"\ufeffdocs/a.md\n{BLOCK}",
        f"   docs/a.md  \n{BLOCK}",
        f"docs/a.md\n```\n{BLOCK}```\n",
        f"```markdown\ndocs/a.md\n{BLOCK}```\n",
        f"docs/a.md\n~~~~ md\n{BLOCK}~~~~\n",
        "docs/a.md\n<<<<<<< FIND  \nold\n=======\t\nnew\n>>>>>>> END \n",
        "docs/a.md\n<<<<<<<<<<< FIND\nold\n===========\nnew\n>>>>>>>>>>> END\n",
    ],
)
def test_a_block_is_read_in_the_dress_that_models_give_it(answer: str) -> None:
    assert blocks_of(answer) == (READ,)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("```python\nprint()\n```\n", 7),
        ("Heading\n========\n", 7),
        ("Heading\n======\n", 7),
        ("Heading\n=======\n", 8),
        ("<<<<<<< HEAD\nours\n>>>>>>> theirs\n", 7),
        ("<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n", 9),
        (f"x.md\n{BLOCK}", 8),
        (f"x.md\n{BLOCK}".replace("<<", "<<<").replace("==", "===").replace(">>", ">>>"), 7),
        ("  <<<<<<< FIND\n  =======\n  >>>>>>> END\n", 7),
        (">>>>>>> ENDING\n>>>>>>>END\n<<<<<<<FIND\n======= x\n", 7),
        ("a\r b\n\n\ntrailing  \n\t\n", 7),
        ("\u2028 \x0b \x85 \x1c\n", 7),
        ("", 7),
        ("\n", 7),
    ],
)
def test_text_that_looks_like_something_else_is_text(text: str, signs: int) -> None:
    marks = ("<" * signs + " FIND\n", "=" * signs + "\n", ">" * signs + " END\n")
    assert blocks_of(f"a.md\n{marks[0]}x\n{marks[1]}{text}{marks[2]}") == (EditBlock("a.md", "x\n", text),)
    assert blocks_of(f"a.md\n{marks[0]}x\n{text}{marks[1]}{marks[2]}") == (EditBlock("a.md", f"x\n{text}", ""),)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (BLOCK, "no path"),
        (f"```\n{BLOCK}", "no path"),
        (f"a.md\n{BLOCK}\n{BLOCK}", "no path"),
        ("a.md\n<<<<<<< FIND\nx\n>>>>>>> END\n", "no line of 7 equal signs"),
        ("a.md\n<<<<<<< FIND\nTitle\n=======\n=======\nNew\n>>>>>>> END\n", "<<<<<<<< FIND, ======== and >>>>>>>> END"),
        ("a.md\n<<<<<<< FIND\nx\n=======\nTitle\n=======\n>>>>>>> END\n", "several lines of 7 equal signs"),
        (f"a.md\n<<<<<<< FIND\nx\n=======\nb.md\n{BLOCK}>>>>>>> END\n", "begins once more"),
        (f"a.md\n<<<<<<< FIND\nx\n=======\nb.md\n{BLOCK}c.md\n{BLOCK}>>>>>>> END\n", "begins once more"),
        (f"a.md\n<<<<<<< FIND\nx\n=======\ny\n\nb.md\n{BLOCK}", "ended before"),
        (f"a.md\n{BLOCK}and so on\n>>>>>>> END\n", "ends twice"),
        (f"b.md\n{BLOCK}a.md\n{BLOCK}\n```\n>>>>>>> END\nMore.", "ends twice"),
        ("a.md\n  <<<<<<< FIND\n  x\n  =======\n  y\n  >>>>>>> END\n", "indented"),
        ("a.md\n<<<<<<< FIND\nx\n=======\ny\n>>>>>>> REPLACE\n", "has no line >>>>>>> END"),
        ("Here is the new file.md:\n<<<<<<< FIND\n=======\ny\n>>>>>>> END\n", "backticks"),
    ],
)
def test_what_could_be_read_in_two_ways_or_in_none_has_a_fault(answer: str, said: str) -> None:
    *sound, last = blocks_of(answer)
    assert said in last.fault
    assert all(not block.fault for block in sound)
    assert len(sound) == (answer.startswith("b.md") or (said == "no path" and answer.startswith("a.md")))


def test_an_end_of_another_length_is_text_behind_a_block() -> None:
    assert blocks_of(f"docs/a.md\n{BLOCK}>>>>>>>> END\n  >>>>>>> END\n") == (READ,)


def test_a_new_file_whose_path_has_spaces_stands_in_backticks() -> None:
    assert blocks_of("`My notes.md`\n<<<<<<< FIND\n=======\ny\n>>>>>>> END") == (EditBlock("My notes.md", "", "y\n"),)
    assert not blocks_of(f"My notes.md\n{BLOCK}")[0].fault


@pytest.mark.parametrize("end", range(1, len(f"a.md\n{BLOCK}") - 1))
def test_a_block_that_is_not_finished_is_not_taken(end: int) -> None:
    found = blocks_of(f"a.md\n{BLOCK}"[:end])
    assert all("ended before" in block.fault for block in found)
    assert bool(found) == ("FIND" in BLOCK[: max(0, end - 5)])


LINES = st.one_of(
    st.sampled_from(["a.md", "`b.md`", "", "```", "```md", "~~~", "=======", "========", "x", "\r", "é🦉", "- c.md:"]),
    st.sampled_from(
        ["<<<<<<< FIND", ">>>>>>> END", "<<<<<<<< FIND", ">>>>>>>> END ", "  <<<<<<< FIND", "<<<<<<< HEAD"]
    ),
    st.text(max_size=8),
)
ANSWERS = st.lists(LINES, max_size=30).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))
)


@given(ANSWERS, st.lists(st.integers(0, 300), max_size=12))
def test_the_blocks_are_the_same_however_the_answer_is_cut(answer: str, cuts: list[int]) -> None:
    stream = EditStream()
    places = [0, *sorted(min(cut, len(answer)) for cut in cuts), len(answer)]
    found = [block for start, end in pairwise(places) for block in stream.feed(answer[start:end])]
    assert (*found, *stream.finish()) == blocks_of(answer)


@given(ANSWERS)
@example("`a.md`\r\n<<<<<<< FIND\r\n=======\r\n\r\r\n>>>>>>> END\r\n")
def test_a_sound_block_written_again_is_the_same_block(answer: str) -> None:
    for block in blocks_of(answer):
        if not block.fault:
            signs = 40
            marks = ("<" * signs + " FIND\n", "=" * signs + "\n", ">" * signs + " END\n")
            again = f"`{block.path}`\n{marks[0]}{block.find}{marks[1]}{block.put}{marks[2]}"
            assert blocks_of(again) == (block,) or "`" in block.path
