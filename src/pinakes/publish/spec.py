"""A topic's `topic-spec.md`: what was computed, for people.

A topic and its chunks enter, Markdown leaves. Everything in it stands in the topic's files as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.publish.material import Material
from pinakes.publish.names import markdown_text
from pinakes.publish.stripes import stripe_factor
from pinakes.publish.topics import Topic
from pinakes.records.publish import DocumentIndex, Item
from pinakes.render import one_line

_LONGEST = 100


Words = Mapping[str, Sequence[Sequence[str]]]
"""By document, the keywords of each chunk."""


def topic_spec(topic: Topic, chunks: Mapping[str, DocumentIndex], words: Words, material: Material) -> str:
    """The page."""
    options = material.options
    count = sum(len(one.items) for one in chunks.values())
    lines = [
        f"# {_cell(topic.title)}",
        "",
        f"- folder: {_cell(topic.path) or 'the root'}",
        f"- documents: {len(topic.members)}, chunked by {topic.chunked_by}",
        f"- chunks: {count} of {options.min_tokens} to {options.max_tokens} tokens",
        f"- similarity: {material.comparing.name}",
    ]
    for name, held in sorted(chunks.items()):
        lines += ["", f"## {_cell(name)}", "", *_document(held, words[name])]
    return "\n".join(lines) + "\n"


def _document(held: DocumentIndex, words: Sequence[Sequence[str]]) -> list[str]:
    lines = [
        f"- title: {_cell(held.title)}",
        f"- conceptual baseline: {held.baseline_conceptual}, stripes: {stripe_factor(len(held.items) - 1)}",
        f"- order: {_numbers(held.order)}",
    ]
    if held.baseline_technical is not None and held.stripe_order_technical is not None:
        lines.append(f"- technical baseline: {held.baseline_technical}")
        lines.append(f"- technical order: {_numbers(held.stripe_order_technical)}")
    lines += ["", "| chunk | title | lines | tokens | code | conceptual | technical | keywords |"]
    lines.append("|---:|---|---|---:|---:|---:|---:|---|")
    return lines + [_row(item, own) for item, own in zip(held.items, words, strict=True)]


def _row(item: Item, own: Sequence[str]) -> str:
    technical = "" if item.similarity_technical is None else f"{item.similarity_technical:.4f}"
    words = ", ".join(map(_cell, own[:5]))
    return (
        f"| {item.index} | {_cell(item.title)} | {item.lines} | {item.tokens} | {item.code_ratio:.4f}"
        f" | {item.similarity_conceptual:.4f} | {technical} | {words} |"
    )


def _numbers(order: Sequence[int]) -> str:
    return ", ".join(map(str, order))


def _cell(text: str) -> str:
    return markdown_text(one_line(text, _LONGEST))
