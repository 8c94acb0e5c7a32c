"""What a tool answers, and how it is cut to the tokens that were asked for.

A tool makes a `Draft`: an answer that can be made with fewer parts. `fit` makes it as long as the budget allows. The
budget counts everything that is sent: the notice, the marks, the notes, and the structured copy where there is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from pinakes.records import Hit, Passage, Results, Span
from pinakes.render import Json, account_text, corrections_text, folder_note_text, object_of, reasons_text, safe
from pinakes.serve.mcp.quoting import NOTICE, address_for_model, key_word, marked, quoted, visible
from pinakes.serve.requests.parameters import BadParameter
from pinakes.tokens import count_tokens

Quoted = TypeVar("Quoted", Hit, Passage)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


class ToolAnswer(Struct, frozen=True, dict=True):
    """A tool's answer: text for a model, and the record as data for a client that wants it."""

    text: str
    record: Callable[[], dict[str, Json]]
    """Makes the data; called only when somebody wants it."""
    notes: tuple[str, ...] = ()
    """Sentences about the answer itself."""

    @cached_property
    def data(self) -> dict[str, Json]:
        return {**self.record(), "notes": [*self.notes]} if self.notes else self.record()

    @cached_property
    def sent_text(self) -> str:
        """What a model reads."""
        return safe("\n".join(filter(None, (self.text, *self.notes))), keep="\n\t")

    @cached_property
    def sent_data(self) -> dict[str, Json]:
        """The structured copy: it says by itself that what it quotes is data, and hides nothing."""
        data = visible({"notice": NOTICE, **self.data})
        assert isinstance(data, dict)
        return data

    def cost(self, *, is_structured: bool) -> int:
        """Tokens of all that is sent."""
        copy = json.dumps(self.sent_data, ensure_ascii=False, separators=(",", ":")) if is_structured else ""
        return count_tokens(self.sent_text) + count_tokens(copy)


class Draft(Struct, frozen=True):
    """An answer before it is cut."""

    make: Callable[[int], ToolAnswer]
    """The answer with so many parts: hits, links, findings, or tokens of a text. With fewer it is not longer."""
    parts: int
    """How many there are, or more."""


class ResultsDraft(Draft, frozen=True):
    """Hits before they are cut, or put beside those of another library."""

    found: Results
    explain: bool
    hidden_keys: Sequence[str]
    """What the data of a hit is without."""


def whole(answer: ToolAnswer) -> Draft:
    """An answer that is never cut."""
    return Draft(lambda _: answer, 0)


def fit(draft: Draft, budget: int, notes: Sequence[str] = (), *, is_structured: bool = False) -> ToolAnswer:
    """The answer with as many parts as `budget` tokens hold, `notes` included; all of it for a budget of 0. Raises
    `BadParameter` where not even an answer without parts fits."""
    parts = min(draft.parts, budget) if budget else draft.parts  # no part is shorter than a token
    while True:
        made = draft.make(parts)
        answer = replace(made, notes=(*made.notes, *notes))
        cost = answer.cost(is_structured=is_structured) if budget else 0
        if cost <= budget:
            return answer
        if not parts:
            raise BadParameter(f"No answer fits into a budget of {budget:,}.", f"Give {cost:,} or more.")
        parts = min(parts - 1, parts * budget // cost)


def told(record: Callable[[], dict[str, Json]], text: str, notes: tuple[str, ...] = ()) -> ToolAnswer:
    """An answer that names documents, or quotes them here and there."""
    return ToolAnswer(f"{NOTICE}\n{marked(text)}", record, notes)


def hidden_note(hidden: int, what: str, step: str = "ask with a larger budget") -> tuple[str, ...]:
    """What to say of parts that did not fit."""
    return (f"{hidden:,} more {what} are not shown; {step}.",) if hidden else ()


def without(data: Json, keys: Sequence[str]) -> dict[str, Json]:
    """An object less some of its keys."""
    assert isinstance(data, dict)
    return {key: value for key, value in data.items() if key not in keys}


def cut(passage: Quoted, most: int) -> tuple[Quoted, tuple[str, ...]]:
    """As many whole lines as fit, and how to go on; of a line that is too long itself, its beginning."""
    lines = _LINE.findall(passage.text)
    count, left = 0, most
    while count < len(lines) and (left := left - count_tokens(lines[count])) >= 0:
        count += 1
    if count == len(lines):
        return passage, ()
    text = "".join(lines[:count]) if count else beginning(lines[0], most)
    end = passage.lines.start + max(count, 1)
    start = passage.span.start
    span = Span(start, start + len(text.encode("utf-8", "surrogateescape")))
    shown = replace(passage, text=text, lines=Span(passage.lines.start, end), span=span)
    rest = f"{address_for_model(passage.ref.document)}:{end + 1}-{passage.lines.end}"
    what = "" if count else f" Line {end} is longer than that."
    return shown, (f"Cut at the budget.{what}" + (f" Read {rest} to go on." if end < passage.lines.end else ""),)


def beginning(text: str, most: int) -> str:
    """As much of a text as so many tokens hold."""
    text = text[: 8 * most]  # no piece is longer than that on average, so there is little left to try
    while text and count_tokens(text) > most:
        text = text[: len(text) * 3 // 4]
    return text


_REASONS = ("query", "kind", "stages", "evidence")
_HIT_REASONS = ("votes", "matches", "span")
"""Parts of the wire shape that tell why; a model pays for them without use, so they come when asked for."""


def results_draft(
    found: Results, *, explain: bool = False, hidden_keys: Sequence[str] = (), libraries: Sequence[str] = ()
) -> ResultsDraft:
    """Hits as an answer, which is cut by leaving out the reasons first, then the last hits. `libraries` are the names
    of the hits' libraries where there are several."""

    def record(shown: Results, reasons: Sequence[str], hit_reasons: Sequence[str]) -> dict[str, Json]:
        data = without(object_of(shown), reasons)
        hits = data["hits"]
        assert isinstance(hits, list)
        plain = [without(hit, ("excerpt", *hit_reasons, *hidden_keys)) for hit in hits]
        return data | {
            "hits": [hit | {"library": name} for hit, name in zip(plain, libraries, strict=False)] or [*plain]
        }

    def make(parts: int) -> ToolAnswer:
        shown, has_reasons = replace(found, hits=found.hits[:parts]), explain and parts > len(found.hits)
        left_out = ((), ()) if has_reasons else (_REASONS, _HIT_REASONS)
        text = results_for_model(shown, explain=has_reasons, libraries=libraries)
        if not found.hits and not found.abstained:
            text = f"{text}\nNothing found. Try other words, fewer filters, or `map` to see what there is.".strip()
        return ToolAnswer(
            text, lambda: record(shown, *left_out), hidden_note(len(found.hits) - len(shown.hits), "hits")
        )

    return ResultsDraft(make, len(found.hits) + explain, found, explain, hidden_keys)


def results_for_model(results: Results, *, explain: bool = False, libraries: Sequence[str] = ()) -> str:
    """Hits in order, each quoted, then what is missing or unknown."""
    lines = [NOTICE] if results.hits or results.nearest else []
    if results.doubt:
        lines.append(safe(results.doubt))
    word = key_word(*(hit.text for hit in results.hits))
    for hit, library in zip_longest(results.hits, libraries[: len(results.hits)], fillvalue=""):
        assert isinstance(hit, Hit)
        lines.append(quoted(hit, word, library))
        if hit.also_in:
            lines.append(f"also in {', '.join(map(address_for_model, hit.also_in))}")
        if explain:
            lines.append(reasons_text(hit))
    if results.folders:
        lines.append(marked("\n".join(map(folder_note_text, results.folders))))
    if results.abstained:
        lines.append(f"Nothing answers this. {safe(results.abstained)}")
        lines += [f"nearest: {address_for_model(ref)}" for ref in results.nearest]
    if results.corrections:
        lines.append(safe(corrections_text(results)))
    if results.unknown and not results.abstained:
        lines.append(f"Words that occur nowhere: {', '.join(safe(word) for word in results.unknown)}.")
    lines += [f"Without {safe(part)}" for part in results.missing]
    return "\n".join([*lines, *(account_text(results) if explain else ())])


def passage_for_model(passage: Passage) -> str:
    return f"{NOTICE}\n{quoted(passage, key_word(passage.text))}"
