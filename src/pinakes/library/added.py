"""`library.added`: documents from elsewhere, kept by project.

A path, a URL or text enters; it is kept as a file of its own and searched with everything else from the next question
on. A document keeps its id when it is added again, and nothing is touched when nothing changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pinakes.added import AddedOptions
from pinakes.added.added_files import AddedFiles
from pinakes.added.identity import DEFAULT, SourceName, by_host, project_name
from pinakes.cancelling import CallerGone, checked
from pinakes.errors import ExtraMissing, NotFound, Refused, Unfit, Unreadable
from pinakes.own_folder import OwnFolder
from pinakes.records import ADDED, Hit
from pinakes.records.added import (
    AddedDocument,
    AddedText,
    Addition,
    Became,
    Origin,
    SiteReport,
    SourceState,
    TextType,
    Update,
)
from pinakes.write_log import logged

if TYPE_CHECKING:
    from pinakes.added.fetch import FetchedDocument, FetchLimits, Resolver
    from pinakes.added.text import Original
    from pinakes.library.following import FollowLimits
    from pinakes.records.sync import Event

ReadFile = Callable[[str, str], bytes]
"""Takes the whole path of a file and its name for sentences, and gives its bytes; raises `PinakesError`."""
_FEWEST_LETTERS = 4
"""Of an id that is not written out."""
_NOT_OURS = "You did not add it yourself, so its source is not looked at. pinakes add takes it in again."
_WITHHELD = "source not shown: you did not add it yourself"
_WORKERS = 8
"""Hosts that are asked at the same time; each gets one question after the other."""


class Added:
    """The added documents of a library."""

    def __init__(
        self,
        folder: OwnFolder,
        options: AddedOptions,
        on_change: Callable[[], None] = lambda: None,
        *,
        root: Path | None = None,
        limits: FetchLimits | None = None,
        resolve: Resolver | None = None,
    ) -> None:
        self.root = root
        """The folder of the library that they belong to, for the log."""
        self._files = AddedFiles(folder)
        self._options = options
        self._on_change = on_change
        self._limits = limits
        self._resolve = resolve

    @logged("add")
    def add(
        self,
        source: str,
        *,
        project: str = DEFAULT,
        title: str = "",
        type_name: str = "",
        read: ReadFile | None = None,
    ) -> Addition:
        """Take in a file or a web page; the same one in the same project is replaced where it changed.

        `read` decides which files may be read; without it, all that this user can read.
        Raises `Unfit` for what is no text, `Refused` and `Unreachable` for addresses, `NotFound` for what is not there;
        then nothing is stored.
        """
        from pinakes.added.urls import looks_like_url

        project_name(project)
        if not source.strip():
            raise Unfit("Nothing was given.", "Give a path, a URL, or - for standard input.")
        if looks_like_url(source):
            return self._add_url(source, project, title, _type(type_name))
        named = SourceName(project, Origin.FILE, os.path.abspath(source))
        return self._keep(_from_file(named.source, source, _type(type_name), read), named, title)

    @logged("add")
    def add_text(self, data: bytes, *, project: str = DEFAULT, title: str = "", type_name: str = "") -> Addition:
        """Take in raw text. With a title it replaces what had that title; without one every text is its own."""
        from pinakes.added.text import Original

        project_name(project)
        original = Original("The text", data, _type(type_name) or TextType.MARKDOWN)
        title = " ".join(title.split())
        key = f"title:{title}" if title else f"text:{sha256(data).hexdigest()}"
        return self._keep(original, SourceName(project, Origin.TEXT, "", key), title)

    def get(self, wanted: str) -> AddedText:
        """One document by its id, the beginning of it, or its source; raises `NotFound`."""
        found = self._find(wanted)
        try:
            text = self._files.text(found).decode("utf-8", "replace")
        except OSError as error:
            raise Unreadable(f"The text of {found.id} cannot be read: {error.strerror}.", "Add it again.") from error
        return AddedText(found.ref, found, text)

    def list(self, project: str = "") -> tuple[AddedDocument, ...]:
        """Every document, or those of a project; raises `NotFound` for a project that has none."""
        found = tuple(map(self._shown, self._files.documents(project_name(project) if project else "")))
        if project and not found:
            known = ", ".join(dict.fromkeys(one.project for one in self._files.documents()))
            step = f"There are {known}." if known else "pinakes add puts a document into a project."
            raise NotFound(f"There is no project “{project}”.", step)
        return found

    def require(self, project: str) -> None:
        """Raise `NotFound`, with the projects there are, unless there is a document in this one."""
        if not self._files.has(project_name(project)):
            self.list(project)

    @logged("drop")
    def drop(self, wanted: Iterable[str]) -> tuple[AddedDocument, ...]:
        """Remove documents; raises `NotFound`, and removes none, when one of them is not there."""
        found = tuple(dict.fromkeys(self._find(one) for one in wanted))
        with self._files.writing() as writer:
            for document in found:
                writer.drop(document)
        self._on_change()
        return found

    @logged("updates")
    def updates(self, project: str = "", *, apply: bool = False, read: ReadFile | None = None) -> tuple[Update, ...]:
        """Look at every source again; with `apply`, take in what changed. Raw text has no source and is left out."""
        self.list(project)
        asked = [one for one in self._files.documents(project) if one.origin is not Origin.TEXT]
        groups = by_host(asked)

        def looked_at(group: Sequence[AddedDocument]) -> list[Update]:
            return [self._update(one, read, apply=apply) for one in checked(group)]

        with ThreadPoolExecutor(_WORKERS) as pool:  # most of the time is waiting for servers
            try:
                found = {one.id + one.project: one for some in checked(pool.map(looked_at, groups)) for one in some}
            except CallerGone:
                pool.shutdown(cancel_futures=True)  # those that have begun end by their own limits
                raise
        return tuple(found[one.id + one.project] for one in asked)

    def named(self, hit: Hit) -> Hit:
        """A hit of this corpus with the title and source that are known here: its file is named by an id."""
        project, _, name = hit.ref.path.partition("/")
        known = self._files.known(project, os.path.splitext(name)[0])
        return replace(hit, title=known.title, origin=self._shown(known).source) if known else hit

    def _shown(self, document: AddedDocument) -> AddedDocument:
        """A record for others: without its voucher, and without a source that nobody vouches for."""
        source = document.source if not document.source or self._files.is_ours(document) else _WITHHELD
        return replace(document, source=source, voucher="")

    def follow(
        self,
        start: str,
        *,
        project: str = DEFAULT,
        limits: FollowLimits | None = None,
        tell: Callable[[Event], None] = lambda _: None,
        pause: Callable[[float], object] = time.sleep,
    ) -> SiteReport:
        """Take in a documentation site: the pages on its host and below its folder, one at a time. The same call goes
        on where the last one stopped. Raises like `add` when nothing can be taken in."""
        from pinakes.library.following import FollowLimits, SiteFollower

        follower = SiteFollower(self, self._files.folder, limits or FollowLimits(), pause)
        return follower.follow(start, project_name(project), tell)

    @logged("add")
    def take_page(self, url: str, project: str, *, see: Callable[[Original], None], is_whole: bool) -> Addition:
        """Take in one page. `see` gets what was sent, and may raise. Of an unchanged page nothing is sent, unless it is
        wanted `is_whole`."""
        return self._add_url(url, project, see=see, is_whole=is_whole)

    def fetched(self, url: str) -> FetchedDocument | None:
        """What is at an address, by the rules for all of them; nothing is kept."""
        from pinakes.added.fetch import FetchLimits

        limits = self._limits or FetchLimits()
        return self._asked(url, None, replace(limits, media=("",)))

    def _add_url(
        self,
        url: str,
        project: str,
        title: str = "",
        asked: TextType | None = None,
        *,
        see: Callable[[Original], None] = lambda _: None,
        is_whole: bool = False,
    ) -> Addition:
        from pinakes.added.urls import read_url

        named = SourceName(project, Origin.URL, str(read_url(url)))
        known = self._files.known(project, named.id)
        is_ours = known is not None and self._files.is_ours(known)
        is_asked = known is not None and is_ours and title in ("", known.title) and asked in (None, known.type)
        fetched = self._fetch(named.source, known if is_asked and not is_whole else None, asked)
        if fetched is None:
            assert known is not None  # nobody said what to compare with
            return Addition(known.ref, self._shown(known), Became.UNCHANGED)
        original, etag, last_modified = fetched
        see(original)
        return self._keep(original, replace(named, etag=etag, last_modified=last_modified), title)

    def _fetch(self, url: str, known: AddedDocument | None, asked: TextType | None) -> tuple[Original, str, str] | None:
        from pinakes.added.text import Original, type_of

        found = self._asked(url, known, self._limits)
        if found is None:
            return None
        if asked:
            chosen = asked
        elif found.media in ("text/html", "application/xhtml+xml"):
            chosen = TextType.HTML
        else:
            is_markdown = found.media in ("text/markdown", "text/x-markdown")
            ending = type_of(found.url.partition("?")[0], found.data)
            chosen = TextType.MARKDOWN if is_markdown or ending is TextType.MARKDOWN else TextType.TEXT
        return Original(url, found.data, chosen, found.charset, found.url), found.etag, found.last_modified

    def _asked(self, url: str, known: AddedDocument | None, limits: FetchLimits | None) -> FetchedDocument | None:
        """What a server answers; None when it says that nothing changed."""
        from pinakes.added.addresses import AllowedHosts
        from pinakes.added.fetch import CacheValidators, fetch, look_up

        if not self._options.fetch:
            raise Refused(
                f"{url} is not fetched: fetching is switched off.", "fetch = true under [added] switches it on."
            )
        before = CacheValidators(known.etag, known.last_modified) if known else None
        allowed = AllowedHosts.of(self._options.allow)
        return fetch(url, allowed, before, limits=limits, resolve=self._resolve or look_up)

    def _keep(self, original: Original, named: SourceName, title: str) -> Addition:
        """Make text of what was found and keep it, unless it is kept already."""
        from pinakes.added.text import readable, shortened

        title, checksum = shortened(title), sha256(original.data).hexdigest()

        def is_kept(known: AddedDocument) -> bool:
            is_same = (known.checksum, known.type) == (checksum, original.type) and title in ("", known.title)
            return is_same and self._files.is_ours(known)

        before = self._files.known(named.project, named.id)
        if before and is_kept(before):
            return Addition(before.ref, self._shown(before), Became.UNCHANGED)
        made = readable(original)
        with self._files.writing() as writer:
            before = writer.known(named.project, named.id)
            if before and is_kept(before):  # by somebody else, in the meantime
                return Addition(before.ref, self._shown(before), Became.UNCHANGED)
            is_titled = bool(title) or (before is not None and before.is_titled)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            document = AddedDocument(
                id=named.id,
                project=named.project,
                origin=named.origin,
                source=named.source,
                type=original.type,
                title=title or (before.title if before and is_titled else made.title),
                is_titled=is_titled,
                checksum=checksum,
                size=len(original.data),
                created=before.created if before else now,
                updated=now,
                etag=named.etag,
                last_modified=named.last_modified,
            )
            writer.put(document, made.text)
        self._on_change()
        return Addition(document.ref, document, Became.UPDATED if before else Became.ADDED)

    def _update(self, document: AddedDocument, read: ReadFile | None, *, apply: bool) -> Update:
        told = Update(document.id, document.project, self._shown(document).source, SourceState.UNCHANGED)
        if not self._files.is_ours(document):
            return replace(told, state=SourceState.UNREACHABLE, reason=_NOT_OURS)
        try:
            found = self._again(document, read)
            if found is None or sha256(found[0].data).hexdigest() == document.checksum:
                return told
            if apply:
                named = SourceName(document.project, document.origin, document.source, "", found[1], found[2])
                self._keep(found[0], named, "")
        except NotFound as gone:
            return replace(told, state=SourceState.MISSING, reason=gone.problem)
        except (Unreadable, ExtraMissing) as trouble:
            return replace(told, state=SourceState.UNREACHABLE, reason=str(trouble))
        return replace(told, state=SourceState.CHANGED, is_applied=apply)

    def _again(self, document: AddedDocument, read: ReadFile | None) -> tuple[Original, str, str] | None:
        """A document's source as it is now, or None when its server says that nothing changed."""
        if document.origin is Origin.URL:
            return self._fetch(document.source, document, document.type)
        return _from_file(document.source, document.source, document.type, read), "", ""

    def _find(self, wanted: str) -> AddedDocument:
        known = tuple(map(self._shown, self._files.documents()))
        wanted = wanted.strip().removeprefix(f"{ADDED}:")
        exact = [one for one in known if wanted in (one.id, one.source, one.path)]
        if not exact and os.path.lexists(wanted):
            exact = [one for one in known if one.source == os.path.abspath(wanted)]
        begun = [one for one in known if len(wanted) >= _FEWEST_LETTERS and one.id.startswith(wanted)]
        found = exact or begun
        if len(found) == 1:
            return found[0]
        if found:
            choices = ", ".join(f"{one.id} (in {one.project})" for one in found[:5])
            raise NotFound(f"“{wanted}” matches several documents.", f"Write one of these out: {choices}.")
        raise NotFound(f"There is no added document “{wanted[:200]}”.", "pinakes list shows all added documents.")


def _type(name: str) -> TextType | None:
    """The type that was asked for, if one was; raises `Unfit` for one that does not exist."""
    try:
        return TextType(name) if name else None
    except ValueError:
        raise Unfit(f"There is no type “{name[:40]}”.", f"Choose one of {', '.join(TextType)}.") from None


def _from_file(path: str, name: str, asked: TextType | None, read: ReadFile | None) -> Original:
    from pinakes.added.text import Original, read_local_file, type_of

    data = (read or read_local_file)(path, name)
    return Original(name, data, asked or type_of(os.path.basename(path), data))
