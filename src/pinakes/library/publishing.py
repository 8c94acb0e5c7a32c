"""A library on its way out: what `publish` is handed, and a question asked of what was published."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pinakes.chunk.options import fingerprint
from pinakes.errors import ConfigError, NotFound, PinakesError, PublishError
from pinakes.evaluation.questions import load_questions
from pinakes.folder_lock import exclusive_lock
from pinakes.html.targets import PICTURES
from pinakes.index.place import IndexPlace
from pinakes.index.workers import work_in_parallel
from pinakes.library.corpus import Corpus
from pinakes.outline import MapRequest, draw_map
from pinakes.own_folder import OwnFolder
from pinakes.ports import Progress, Reader
from pinakes.processors import processors
from pinakes.publish import PublishOptions, publish
from pinakes.publish.part import PartFiles, PartsJob
from pinakes.records import Outline, Ref
from pinakes.records.publish import Asked, PromptIndex, Published, Target, Tried
from pinakes.sources.inside import open_inside, read_at_most

if TYPE_CHECKING:
    from pinakes.publish.alike import Comparing

PAIRS = "qa-pairs.md"
"""A document of questions and answers; its headings and lines that ask something are the questions."""
_ASKS = re.compile(
    r"(?m)^(?:#{1,6}[ \t]+|[-*+][ \t]+|\*\*)?(?:\*\*)?(?:Q(?:uestion)?(?:[ \t]*\d+)?[.:)][ \t]*)?(.{3,300}\?)"
)
_LARGEST_LOGO = 200_000
"""Bytes: every page loads it."""
_RECIPE = 6
"""Grows with every change to what is made of a document, so that it is made again."""


def publish_library(
    docs: Corpus, title: str, out: Path, options: PublishOptions, prompts: Path | None, progress: Progress
) -> Published:
    """Publish a corpus into `out`; `prompts` is a set of questions, or the empty path for those in the documents."""
    from pinakes.publish.material import Material
    from pinakes.publish.topics import find_topics

    store = docs.index
    place = Path(os.path.realpath(out))
    _refuse(place, out, docs)
    outlines = _chosen(tuple(store.outlines(docs.name)), options.topics)
    questions = None if prompts is None else _questions(docs, outlines, prompts)
    waiting = docs.keyword_state()
    missing = [f"Keywords: {waiting}."] if waiting else []
    kept = None
    if not store.is_read_only:
        kept = docs.own.folder("published", sha256(os.fsencode(place)).hexdigest()[:16])
    material = Material(
        reader=store,
        topics=find_topics(outlines, title),
        title=title,
        options=options,
        comparing=_comparing(docs, questions or (), missing),
        questions=questions,
        draw_map=_drawing(),
        read_file=partial(_read_file, os.path.realpath(docs.config.root)),
        look_at=partial(_look_at, os.path.realpath(docs.config.root)),
        stored=store.files(docs.name),
        logo=_logo(options.logo),
        version=f"{version('pinakes')} {_RECIPE} {fingerprint(docs.config.chunks)}",
        workers=_StoreWorkers(docs.place) if processors() > 1 else None,
        memory=kept,
    )
    with ExitStack() as stack:
        if kept is not None:
            stack.enter_context(exclusive_lock(kept, "published files"))
        done = publish(material, replace(OwnFolder.below(docs.config.root, place), is_shared=True), progress, kept)
    return replace(done, notes=tuple(missing))


class _StoreWorkers(Struct, frozen=True):
    """Processes that each open the index of a corpus for themselves."""

    place: IndexPlace

    @property
    def open_reader(self) -> Callable[[], Reader]:
        return partial(self.place.open, read_only=True)

    def work(self, job: PartsJob, names: Sequence[str]) -> Iterator[PartFiles]:
        return work_in_parallel(job, names)


def ask_published(out: Path, question: str) -> Tried:
    """What the hashes of a published folder answer; raises `NotFound` when it has none."""
    from pinakes.publish.prompts import ask

    try:
        held = json.loads((out / "prompts.json").read_bytes())
        prompts = tuple(Asked(one["digest"], one["simhash"], _targets(one["chunks"])) for one in held["prompts"])
        index = PromptIndex(prompts, int(held["radius"]))
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise NotFound(f"{out} holds no questions.", "Publish it with --prompts first.") from error
    return ask(index, question)


def _targets(rows: Sequence[dict[str, str]]) -> tuple[Target, ...]:
    return tuple(Target(row["href"], title=row.get("title", "")) for row in rows)


def _chosen(outlines: tuple[Outline, ...], topics: Sequence[str]) -> tuple[Outline, ...]:
    if not outlines:
        # Or a slip of the pen would empty a folder that was published before.
        raise NotFound("There are no documents to publish.", "pinakes status --files lists all files.")
    folders = [topic.strip("/") for topic in topics]
    for folder in folders:
        if not any(_is_below(outline, folder) for outline in outlines):
            raise NotFound(f"There are no documents under “{folder}”.", "pinakes status --files lists all files.")
    if not folders:
        return outlines
    return tuple(outline for outline in outlines if any(_is_below(outline, folder) for folder in folders))


def _is_below(outline: Outline, folder: str) -> bool:
    return folder in ("", ".") or outline.ref.path.startswith(f"{folder}/")


def _refuse(place: Path, out: Path, docs: Corpus) -> None:
    root = docs.config.root
    if not place.is_relative_to(root) and Path(os.path.abspath(out)).is_relative_to(root):
        raise PublishError(f"{out} is a link that leaves the project.", "Remove it, or name the folder itself.")
    store = Path(os.path.realpath(docs.folder))
    if place == store or store in place.parents:
        raise PublishError(f"{place} is where the index is kept.", "Name another folder.")


def _comparing(docs: Corpus, questions: Sequence[str], missing: list[str]) -> Comparing:
    from pinakes.publish.alike import ByTerms, ByVectors

    store = docs.store
    try:
        docs.toolbox.prepare(store, with_vectors=True)
        meaning = docs.toolbox.meanings.ready(store, missing, may_write=not store.is_read_only)
    except PinakesError as error:
        missing.append(str(error))
        meaning = None
    if meaning is None or not meaning.vectors.embedder:
        missing.append("There is no embedder: similarities are TF-IDF cosines.")
        return ByTerms(questions)
    return ByVectors(meaning.vectors, meaning.embedder, questions)


def _read_file(root: str, path: str, largest: int) -> bytes | None:
    """A file below the root, unless a link leads out of it, or it is too large."""
    try:
        descriptor = open_inside(root, path)
    except (OSError, ValueError):
        return None
    try:
        return read_at_most(descriptor, largest)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _look_at(root: str, path: str) -> tuple[int, int] | None:
    """Size and time of a plain file below the root, unless a link leads out of it."""
    try:
        descriptor = open_inside(root, path)
    except (OSError, ValueError):
        return None
    try:
        facts = os.fstat(descriptor)
        return (facts.st_size, facts.st_mtime_ns) if stat.S_ISREG(facts.st_mode) else None
    finally:
        os.close(descriptor)


def _logo(named: str) -> tuple[str, bytes] | None:
    """The picture that a user named, with the name it is published under."""
    if not named:
        return None
    from pinakes.publish.drawing import inert

    kind = named.rpartition(".")[2].lower()
    if kind not in PICTURES:
        raise ConfigError(f"“{named}” is no picture.", f"A logo is one of: {', '.join(sorted(PICTURES))}.")
    try:
        data = Path(named).read_bytes()
    except OSError as error:
        raise ConfigError(f"{named} cannot be read: {error.strerror}.", "Name the file of a picture.") from error
    if len(data) > _LARGEST_LOGO:
        raise ConfigError(
            f"{named} has {len(data):,} bytes.", f"A logo has at most {_LARGEST_LOGO:,}: make it smaller."
        )
    return f"logo.{kind}", inert(data) if kind == "svg" else data


def _drawing() -> Callable[[Sequence[Outline]], str]:
    return lambda outlines: draw_map(outlines, {}, MapRequest()).text() if outlines else ""


def _questions(docs: Corpus, outlines: Sequence[Outline], prompts: Path) -> tuple[str, ...]:
    if prompts != Path():
        return tuple(dict.fromkeys(" ".join(one.text.split()) for one in load_questions(prompts)))
    found: dict[str, None] = {}
    for outline in outlines:
        if outline.ref.path.rpartition("/")[2] == PAIRS:
            found.update(dict.fromkeys(_questions_in(docs, outline.ref)))
    if not found:
        raise NotFound(f"There is no {PAIRS} among the documents.", "Write one, or name a set: --prompts FILE.")
    return tuple(found)


def _questions_in(docs: Corpus, ref: Ref) -> list[str]:
    document = docs.store.document(ref)
    text = document.source.decode("utf-8", "replace") if document else ""
    return [" ".join(found[1].split()) for found in _ASKS.finditer(text)]
