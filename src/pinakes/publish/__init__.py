"""The library as static files: chunks, an index of each topic, an order to read them in, and what models like to read.

What the library hands over enters, a folder of files leaves that any web server can hand out. The same library makes
the same bytes; what did not change is not made again. How documents are found, indexed or searched is not known here.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from pinakes.cancelling import checked
from pinakes.errors import PublishError, StoreStrange
from pinakes.publish.material import PublishOptions
from pinakes.publish.stripes import stripe_factor, stripe_order
from pinakes.records import Event, Phase

if TYPE_CHECKING:
    from pinakes.own_folder import OwnFolder
    from pinakes.ports import Progress
    from pinakes.publish.folder import PublishedFolder
    from pinakes.publish.material import Material
    from pinakes.publish.part import Facts, FolderPart, PartFiles
    from pinakes.records.publish import Published

_Held = TypeVar("_Held")

__all__ = ["PublishOptions", "publish", "stripe_factor", "stripe_order"]


def publish(
    material: Material, folder: OwnFolder, progress: Progress, remembered: OwnFolder | None = None
) -> Published:
    """Make the folder hold what is published of the library, and nothing of an earlier run besides.

    Raises `PublishError` when the folder is somebody else's or cannot be written; then every link in it still leads
    somewhere, and the next run goes on. `remembered` is a folder outside of it that spares reading what was written
    before.
    """
    from pinakes.own_folder.held import keeping_open
    from pinakes.publish.folder import PublishedFolder, cannot_write
    from pinakes.publish.linked_files import file_parts
    from pinakes.publish.llms import model_parts
    from pinakes.publish.pages import page_parts
    from pinakes.publish.related import related_part
    from pinakes.publish.relations import relation_parts
    from pinakes.publish.searching import search_parts
    from pinakes.publish.site_extras import extra_parts
    from pinakes.publish.topic import topic_parts
    from pinakes.publish.twins import with_twins
    from pinakes.publish.whole import map_part, prompt_part, root_part

    # Whoever writes something else gets a place in this list. Indexes come after the files that they name, the root's
    # last of all.
    site = (related_part, relation_parts, page_parts, file_parts, extra_parts)
    writers = (*site, topic_parts, model_parts, map_part, prompt_part, search_parts, root_part)
    is_compressed = material.options.is_compressed
    marked, finish = (_compressed, with_twins) if is_compressed else (_as_it_is, _as_it_is)
    started = time.perf_counter()
    out = PublishedFolder(folder, remembered)
    known: dict[str, Facts] = {}
    done, total = 0, 3 * len(material.outlines)
    try:
        with keeping_open():
            for writer in writers:
                for part, facts, made in _outcomes(map(marked, checked(writer(material, known))), out, known):
                    if made is not None:
                        out.write(part, finish(made))
                    known[part.name] = facts
                    done += part.size
                    progress(Event(Phase.PUBLISHING, min(done, total), total, part.name))
        out.finish()
    except StoreStrange as error:
        raise PublishError(error.problem, "Remove it and publish again.") from error
    except OSError as error:
        raise cannot_write(folder.path, error) from error
    finally:
        out.give_up()
    return _report(material, known, out, time.perf_counter() - started)


def _outcomes(
    parts: Iterable[FolderPart], out: PublishedFolder, known: dict[str, Facts]
) -> Iterator[tuple[FolderPart, Facts, PartFiles | None]]:
    """Each part with its facts, and with its files where it had to be made: one after the other, or all that have to be
    made together."""
    for together, some in groupby(parts, attrgetter("together")):
        waiting: list[FolderPart] = []
        for part in some:
            facts = out.up_to_date(part)
            if facts is not None:
                yield part, facts, None
            elif together is None:
                made = part.make()
                yield part, made.facts, made
            else:
                known[part.name] = {}  # so that facts stand in the order of their parts, whichever had to be made
                waiting.append(part)
        if together is not None and waiting:
            for part, made in zip(waiting, together([one.name for one in waiting]), strict=True):
                yield part, made.facts, made


def _as_it_is(held: _Held) -> _Held:
    return held


def _compressed(part: FolderPart) -> FolderPart:
    return replace(part, inputs=f"{part.inputs} compressed")


def _report(material: Material, known: dict[str, Facts], out: PublishedFolder, seconds: float) -> Published:
    from pinakes.publish.linked_files import FILES
    from pinakes.records.publish import OmittedFile, Published

    tally = out.tally
    files = known.get(FILES, {})
    left_out = files.get("left_out")
    counts = [known[f"topic {topic.place}"] for topic in material.topics]
    return Published(
        folder=str(out.root),
        topics=sum(1 for topic in material.topics if topic.members),
        documents=len(material.outlines),
        chunks=sum(int(str(one["chunks"])) for one in counts),
        pages=sum(1 for name in known if name.startswith("page ")),
        files=int(str(files.get("files", 0))),
        left_out=tuple(OmittedFile(str(one[0]), str(one[1])) for one in left_out if isinstance(one, list))
        if isinstance(left_out, list)
        else (),
        written=tuple(tally.written),
        removed=tuple(tally.removed),
        unchanged=tally.unchanged,
        kept=tuple(tally.kept),
        similarity=material.comparing.name,
        notes=(),
        seconds=seconds,
    )
