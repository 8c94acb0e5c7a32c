"""Are words found that stand in few places, words with a slip, and words that are not typed to their end?

    python -m benchmarks.rare_words [FOLDER…] [--set SET] [--words 300] [--typed 200] [--kept FOLDER]

Folders of documents enter. For random words that stand in at most ten sections, asked alone and beside two frequent
words, the share leaves whose sections are all among the hits of the default search, and of words alone. A set of
graded questions enters: the NDCG that one slip of the pen in each question costs. For random words of titles and of
texts, typed letter by letter: from which letter on a page that holds the word is shown.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks.asked import opened
from pinakes.evaluation.questions import Question
from pinakes.evaluation.sets import open_set
from pinakes.library import Library
from pinakes.prose import visible
from pinakes.records import Query, Ref
from pinakes.words.tokenize import Terms, english

RARE = 10
"""Sections that a word may stand in: as many as an answer has hits."""
SLIPS_FROM = 5
"""Letters a word must have to be misspelt."""
TYPED_FROM = 6
_WORD = re.compile(r"(?<![\w.:/@#$-])[A-Za-z]{4,20}(?![\w:/@#$-])")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_EXAMPLES = 8

Places = Mapping[str, frozenset[Ref]]
"""A word, and the sections whose own text holds it in any form."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a corpus."""

    places: Places
    titles: tuple[str, ...]
    """Words of documents' titles."""

    def standing_in(self, least: int, most: int) -> list[str]:
        return [word for word, places in self.places.items() if least <= len(places) <= most]


def vocabulary(library: Library) -> Vocabulary:
    """Every word of prose, in the spelling that is met first, with the sections that hold its stem."""
    terms = Terms(english())
    held: dict[str, set[Ref]] = defaultdict(set)
    spelled: dict[str, str] = {}
    titles: dict[str, None] = {}
    reader = library.corpus().store
    for outline in library.outlines():
        document = reader.document(outline.ref)
        assert document is not None
        chunks = reader.places([document.section_ref(at) for at in range(len(document.sections))])
        home = document.section_ref(0)
        for position in range(len(document.sections)):
            # A quoted heading has no chunk: search shows it with the section that quotes it.
            home = ref if (ref := document.section_ref(position)) in chunks else home
            text = visible(document, document.own(position))
            line, besides = terms.of(text)
            for term in {*line.split(), *besides.split()}:
                held[term].add(home)
            for word in _WORD.findall(text):
                spelled.setdefault(terms.of(word)[0], word.lower())
        titles.update(dict.fromkeys(word.lower() for word in _WORD.findall(document.title)))
    places = {word: frozenset(held[term]) for term, word in spelled.items() if held[term]}
    return Vocabulary(places, tuple(word for word in titles if word in places))


def found_by(library: Library, text: str, profile: str) -> set[Ref]:
    """The sections that an answer shows, those that it names as duplicates included."""
    answer = library.search(replace(library.config.search.query(text), limit=RARE, profile=profile))
    return {ref for hit in answer.hits for ref in (hit.ref, *hit.also_in)}


def rare_rows(library: Library, known: Vocabulary, words: int) -> Iterator[str]:
    """A row for each way to ask for rare words, then examples of lost ones."""
    chance = random.Random(9)
    frequent = sorted(known.standing_in(RARE + 1, 200)) or [""]
    lost: list[str] = []
    for least, most in ((1, 1), (2, RARE)):
        rare = sorted(known.standing_in(least, most))
        sample = chance.sample(rare, min(words, len(rare)))
        for name, beside in (("alone", 0), ("beside two frequent words", 2)):
            asked = {word: " ".join([*chance.choices(frequent, k=beside), word]) for word in sample}
            cells = [f"in {least if least == most else f'{least} to {most}'}, {name}", str(len(asked))]
            for profile in ("balanced", "fast"):
                seen = {word: found_by(library, text, profile) for word, text in asked.items()}
                whole = [word for word in asked if known.places[word] <= seen[word]]
                some = [word for word in asked if _pages(known.places[word]) & _pages(seen[word])]
                cells += [_share(len(whole), len(asked)), _share(len(some), len(asked))]
                if profile == "balanced":
                    missed = [word for word in asked if word not in whole]
                    lost += [f"“{asked[one]}”: {_shown(known.places[one] - seen[one])}" for one in missed[:_EXAMPLES]]
            yield f"| {' | '.join(cells)} |"
    yield ""
    yield from (f"- lost: {one}" for one in lost)


def _pages(refs: set[Ref] | frozenset[Ref]) -> set[str]:
    return {ref.path for ref in refs}


def _shown(refs: frozenset[Ref]) -> str:
    return ", ".join(sorted(str(ref) for ref in refs)[:2])


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def with_slip(text: str, chance: random.Random) -> str:
    """A question with one letter of one word left out, doubled, exchanged or replaced."""
    words = [found.span() for found in re.finditer(rf"\b[a-zA-Z]{{{SLIPS_FROM},}}\b", text)]
    if not words:
        return text
    start, end = chance.choice(words)
    at = chance.randrange(start + 1, end - 1)
    letter = chance.choice(_LETTERS.replace(text[at].lower(), ""))
    kind = chance.choice(("left out", "inserted", "replaced", "exchanged"))
    if kind == "exchanged" and text[at] != text[at + 1]:
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    middle = {"left out": "", "inserted": letter + text[at]}.get(kind, letter)
    return text[:at] + middle + text[at + 1 :]


def slip_rows(library: Library, questions: Sequence[Question]) -> Iterator[str]:
    """A row for the questions as they are, and for three drafts with slips."""
    for draft in range(4):
        chance = random.Random(draft)
        asked = [replace(one, text=with_slip(one.text, chance)) if draft else one for one in questions]
        found = library.eval(asked)
        if not draft:
            plain = found.row().ndcg
        styles = {row.style: row.ndcg for row in found.rows()}
        cells = [f"{value:.3f}" for value in styles.values()]
        if not draft:
            yield f"| | {' | '.join(styles)} | lost |"
            yield "|---" * (len(styles) + 2) + "|"
        name = f"one slip each, draft {draft}" if draft else "as written"
        empty = found.silence().wrongly_empty
        yield f"| {name} | {' | '.join(cells)} | {plain - found.row().ndcg:.3f}, {empty} left empty |"


def typing_rows(library: Library, known: Vocabulary, typed: int) -> Iterator[str]:
    """A row for words of titles and one for words of texts: at each length, how many show a page that holds them."""
    chance = random.Random(4)
    lengths = range(1, 9)
    # The beginning of a word is asked for as one where search knows of unfinished questions.
    unfinished: dict[str, Any] = {"typing": True} if "typing" in Query.__struct_fields__ else {}
    for name, words in (("of titles", known.titles), ("of texts", sorted(known.places))):
        long = [word for word in words if len(word) >= TYPED_FROM]
        sample = chance.sample(long, min(typed, len(long)))
        shown: dict[int, int] = dict.fromkeys(lengths, 0)
        always = 0
        for word in sample:
            pages = _pages(known.places[word])
            seen = [
                bool(pages & {hit.ref.path for hit in library.search(Query(word[:end], **unfinished)).hits})
                for end in range(1, len(word) + 1)
            ]
            always += all(seen[3:])
            for end in lengths:
                shown[end] += seen[min(end, len(word)) - 1]
        cells = [_share(shown[end], len(sample)) for end in lengths]
        yield f"| {len(sample)} words {name} | {' | '.join(cells)} | {_share(always, len(sample))} |"


def measure(given: argparse.Namespace, kept: Path) -> None:
    for folder in given.folders:
        with opened(folder, kept) as library:
            known = vocabulary(library)
            print(f"{folder.name}: words that stand in at most {RARE} sections\n")
            print("| sections | words | all sections found | a page found | by words alone: all | a page |")
            print("|---|---:|---:|---:|---:|---:|")
            print("\n".join(rare_rows(library, known, given.words)), end="\n\n")
            print(f"{folder.name}: a page that holds the word is among the hits after so many letters\n")
            print(f"| words | {' | '.join(map(str, range(1, 9)))} | from the fourth on |")
            print("|---" + "|---:" * 9 + "|")
            print("\n".join(typing_rows(library, known, given.typed)), end="\n\n")
    if given.set:
        held = open_set(given.set)
        assert held.root is not None, "the set needs a corpus of its own"
        with opened(held.root, kept) as library:
            print(f"{given.set.name}: NDCG@10 with a slip in each question\n")
            print("\n".join(slip_rows(library, held.questions)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--set", type=Path, help="graded questions to misspell")
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--typed", type=int, default=200)
    parser.add_argument("--kept", type=Path, help="where indexes are kept for the next run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-rare-words-") as folder:
        measure(given, given.kept or Path(folder))


if __name__ == "__main__":
    main()
