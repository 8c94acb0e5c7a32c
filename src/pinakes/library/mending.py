"""Examine an index and its parts thoroughly, and make what is damaged again."""

from __future__ import annotations

from pinakes.doctor import damaged_parts, is_made_at_once
from pinakes.errors import PinakesError, StoreDamaged
from pinakes.index import ignore_progress
from pinakes.index.place import FolderPlace
from pinakes.library.corpus import Corpus
from pinakes.ports import Progress
from pinakes.records import Diagnosis


def mend(one: Corpus, progress: Progress = ignore_progress) -> list[str]:
    """Set the index aside if it is damaged and build it anew; throw damaged parts away and make them again. Every byte
    is read, and what is sound is left alone. Returns what was done, a sentence each."""
    done: list[str] = []
    if not one.is_indexed:
        return done
    what = one.place.damage()
    if what:
        one.damage.note(what)
        if not one.damage.set_aside(what):
            raise StoreDamaged(what, one.cannot)
        one.sync(progress=progress)
        done.append(one.damage.news() or what)
    broken = damaged_parts(one.own) if isinstance(one.place, FolderPlace) else {}
    for part, why in broken.items():
        *folders, name = part.split("/")
        one.own.folder(*folders).remove_tree(name)
        done.append(f"{one.folder / part} was made again: {why}")
    if broken:
        one.toolbox.tools(one.config.search.profile, one.store)
    if not all(map(is_made_at_once, broken)):
        one.embed(progress)
        one.upgrade(progress=progress)
    return done


def diagnosis(one: Corpus) -> Diagnosis:
    """Whether an index in a database is sound, after reading all of it."""
    try:
        if not one.is_indexed:
            nothing = "There is no index yet."
            return Diagnosis("index", is_sound=True, finding=nothing, next_step="pinakes sync makes one.")
        trouble, step = one.place.damage(), "pinakes sync --rebuild makes it again."
    except PinakesError as error:
        trouble, step = error.problem, error.next_step
    finding = trouble or f"The index of {one.name} in {one.place.shown} is sound."
    return Diagnosis("index", is_sound=not trouble, finding=finding, next_step=step if trouble else "")
