"""Files that documents show or link to, copied beside them.

The facts of pages enter, parts leave: one for each file, and a list of all of them, with those that were left out and
why. Only files that a document links to are copied, not those that it mentions; nothing hidden, nothing that leads out
of the library, nothing larger than the limit, and nothing that a browser would run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from pinakes.publish.drawing import inert
from pinakes.publish.material import Material
from pinakes.publish.names import acts, ending, href, shown
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of, held_texts
from pinakes.publish.shape import as_json, plain
from pinakes.records.publish import CopiedFile, FileIndex, OmittedFile
from pinakes.render import Json

FILES = "files.json"
_GONE = "It is gone, or a link leads out of the library."


class FileRules:
    """Tells which files may be copied; it can be sent to another process."""

    def __init__(
        self, files: Mapping[str, str], largest: int, look_at: Callable[[str], tuple[int, int] | None]
    ) -> None:
        self._files = files
        self._largest = largest
        self._look_at = look_at
        self._known: dict[str, str] = {}

    @classmethod
    def of(cls, material: Material) -> FileRules:
        return cls(material.site.files, material.options.largest_file, material.look_at)

    def refusal(self, path: str) -> str:
        """Why a file is not copied; empty when it is."""
        if path not in self._known:
            self._known[path] = self._refusal(path)
        return self._known[path]

    def _refusal(self, path: str) -> str:
        if path not in self._files:
            return "Its name is hidden, or too long."
        if acts(path):
            return "A browser or a server would run it."
        seen = self._look_at(path)
        if seen is None:
            return _GONE
        size = seen[0]
        return f"It has {size:,} bytes; {self._largest:,} are the most." if size > self._largest else ""


def file_parts(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """Every file that a page shows, those that the owner wrote for a site, and the list."""
    if not material.site.pages:
        return
    wanted, refused = set[str](), set[str]()
    for name, held in known.items():
        if name.startswith("page "):
            wanted.update(held_texts(held, "files"))
            refused.update(held_texts(held, "left_out"))
    paths = {place: path for path, place in material.site.files.items()}
    wanted.update(material.site.files[path] for path in material.own_files)
    for place in sorted(wanted):
        inputs = digest_of(material.look_at(paths[place]), place, material.options.largest_file)
        yield FolderPart(f"file {place}", inputs, partial(_copy, paths[place], place, material))
    copied = [(place, known[f"file {place}"].get("bytes")) for place in sorted(wanted)]
    linked = FileRules.of(material)
    omitted = [OmittedFile(shown(paths[place]), linked.refusal(paths[place])) for place in sorted(refused)]
    omitted += [OmittedFile(shown(paths[place]), _GONE) for place, size in copied if size is None]
    index = FileIndex(
        tuple(
            CopiedFile(href(place, "", material.options.base_url), shown(paths[place]), size)
            for place, size in copied
            if isinstance(size, int)
        ),
        tuple(omitted),
    )
    made = as_json(plain(index))
    facts: dict[str, Json] = {
        "links": {"files": FILES},
        "files": len(index.files),
        "left_out": [[one.name, one.reason] for one in omitted],
    }
    yield FolderPart(FILES, digest_of(made), lambda: PartFiles(((FILES, made),), facts))


def _copy(path: str, place: str, material: Material) -> PartFiles:
    data = material.read_file(path, material.options.largest_file)
    if data is None:
        return PartFiles((), {})
    made = inert(data) if ending(path) == "svg" else data
    return PartFiles(((place, made),), {"bytes": len(made)})
