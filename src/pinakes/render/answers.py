"""The library's answers as text for a terminal. Everything that comes from a document or a file name is made safe."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pinakes.records import (
    DOCS,
    HISTORY,
    Connections,
    Diagnosis,
    Edge,
    Failure,
    FileStatus,
    Hit,
    LibraryHit,
    Outcome,
    Passage,
    Ref,
    Report,
    Results,
    Status,
    Upgrade,
    Vote,
)
from pinakes.records.folder_notes import FolderNote, note_above
from pinakes.render.excerpt import excerpt
from pinakes.render.queue import queue_text
from pinakes.render.text import duration, safe

FACES = _BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_FACES = re.compile(r"(\x1b\[[01]m)")
_RULE = re.compile(r"\s*(?:\|?[-: |]*-[-: |]*|(?:`{3,}|~{3,})[\w+#.-]*)\s*\Z")
LINE = 160
"""Letters of a line of a hit."""
EXCERPT = 4
"""Lines of a hit that are shown; `read` and `--json` have it whole."""

SHOWN = 20
"""Entries of a list in a summary; the rest is counted. `--json` has them all."""


def report_text(report: Report) -> str:
    """What a sync did, with everything that failed."""
    commits = [ref for ref in report.put if ref.corpus == HISTORY]
    gone = [ref for ref in report.dropped if ref.corpus == HISTORY]
    done = [
        _many(len(report.put) - len(commits), "document", "read"),
        _many(len(report.moved), "document", "moved"),
        _many(len(report.dropped) - len(gone), "document", "gone"),
        _many(len(commits), "commit", "read"),
        _many(len(gone), "commit", "gone"),
        f"{report.unchanged:,} unchanged",
    ]
    lines = [f"{', '.join(part for part in done if part)}; {report.seconds:.2f} s."]
    lines += _warnings(report.warnings)
    lines += _failures(report.failed)
    return "\n".join(lines)


def passage_text(passage: Passage) -> str:
    """Where a passage is from, then the passage."""
    head = f"{safe(str(passage.ref))} lines {passage.lines.outside()} ({_headings(passage)})"
    text = safe(passage.text, keep="\n\t").rstrip()
    return f"{head}\n\n{text}"


def _headings(passage: Passage) -> str:
    return safe(" › ".join(passage.headings))


def connections_text(connections: Connections) -> str:
    """Outgoing and incoming links, each with the words around it on a line below."""
    lines = [f"{safe(str(connections.ref))}"]
    outgoing, incoming = connections.with_context()
    for edge, around in outgoing:
        lines += [f"  → {_target(edge)}{_line(edge)}", *_around(around)]
    for edge, around in incoming:
        lines += [f"  ← {safe(str(edge.origin))}{_line(edge)}", *_around(around)]
    return "\n".join(lines if len(lines) > 1 else [*lines, "  nothing links here, and it links nowhere"])


def results_text(results: Results, *, explain: bool, marked: bool = False) -> str:
    """Hits as ``path:lines`` with their headings, the first lines of the passage, and what is missing.

    What matched is in bold type where `marked`, for terminals.
    """
    lines = []
    for place, page in enumerate(results.pages(), 1):
        for hit in page:
            # Further hits of a page stand below the first, without its path.
            head = f"{place}. {_from(hit)}{_place(hit.ref)}" if hit is page[0] else "   "
            lines.append(f"{head}:{hit.lines.outside()}  {_headings(hit)}")
            lines += _hit_lines(hit, explain=explain, marked=marked)
            if hit.ref.corpus == DOCS and (note := note_above(hit.ref.path, results.folders)):
                lines.append(f"     {folder_note_text(note)}")
    if results.abstained:
        lines.append(f"Nothing answers this. {safe(results.abstained)}")
        lines += [f"  nearest: {safe(str(ref))}" for ref in results.nearest]
    elif not results.hits:
        lines.append("Nothing found.")
    if results.doubt:
        lines.append(safe(results.doubt))
    if results.corrections:
        lines.append(safe(corrections_text(results)))
    if results.unknown and not results.abstained:
        lines.append(f"Words that occur nowhere: {', '.join(safe(word) for word in results.unknown)}.")
    lines += [f"Without {safe(part)}" for part in results.missing]
    return "\n".join([*lines, *(account_text(results) if explain else ())])


def folder_note_text(note: FolderNote) -> str:
    """What is noted of a folder, for a person."""
    return safe(f"[{note.folder or '.'}/] {note.note}")


def corrections_text(results: Results) -> str:
    """What was searched for in place of words that occur nowhere."""
    pairs = [f"“{meant}” instead of “{asked}”" for asked, meant in results.corrections.items()]
    return f"Searched for {' and '.join(pairs)}, which {'occurs' if len(pairs) == 1 else 'occur'} nowhere."


def _hit_lines(hit: Hit, *, explain: bool, marked: bool) -> Iterator[str]:
    """What stands below the address of a hit."""
    yield from (f"     {line}" for line in _excerpt(hit, marked=marked))
    if hit.origin:
        yield f"     from {safe(hit.origin)}"
    if hit.memories:
        yield f"     {_many(hit.memories, 'note', 'about it')}: pinakes recall --linked-to {_place(hit.ref)}"
    if hit.also_in:
        yield f"     also in {', '.join(safe(str(ref)) for ref in hit.also_in)}"
    if explain:
        yield f"     {reasons_text(hit)}"


def reasons_text(hit: Hit) -> str:
    """The score of a hit and the votes that made it."""
    return f"{hit.score:.3f} = {', '.join(_vote(vote) for vote in hit.votes)}"


def account_text(results: Results) -> Iterator[str]:
    """What was believed of a question and what each stage did, a line each."""
    yield f"question: {results.kind.value}{_evidence(results)}"
    for stage in results.stages:
        counts = f"{stage.came_in:>5} → {stage.went_out:<5}"
        left_out = ", ".join(f"{reason} {count}" for reason, count in stage.left_out.items())
        note = stage.note or (f"left out: {left_out}" if left_out else "")
        yield f"{stage.name:<14}{counts}{1000 * stage.seconds:8.2f} ms  {note}".rstrip()


def _place(ref: Ref) -> str:
    """The path of a document of the root; whatever is of another corpus says so in front."""
    return safe(ref.path if ref.corpus == DOCS else str(ref.document))


def _from(hit: Hit) -> str:
    """The library of a hit, where several were asked."""
    return f"{safe(hit.library)}:" if isinstance(hit, LibraryHit) else ""


def status_text(status: Status) -> str:
    """What the index holds, then what is wrong with it."""
    counts = status.counts
    rows = [
        ("root", safe(status.root)),
        ("index", safe(status.store) + (f" ({about})" if (about := _about_index(status)) else "")),
        ("documents", f"{counts.documents:,} ({_size(counts.source_bytes)}), {counts.sections:,} sections"),
        ("links", f"{counts.links:,}" + (f", {counts.pending_links:,} waiting" if counts.pending_links else "")),
        ("other files", f"{counts.assets:,}"),
        *([("anchors", safe(status.anchors))] if status.anchors != "github" else ()),
        ("keywords", status.keywords),
        ("embedder", status.embedder),
        *([("upgrade", upgrade_text(status.upgrade))] if status.upgrade and not status.upgrade.is_whole else ()),
        ("generation", str(status.generation)),
    ]
    rows += [
        (safe(one.corpus), _many(one.documents, "commit" if one.corpus == HISTORY else "document", "indexed") or "none")
        for one in status.others
    ]
    rows += [("HEALED", safe(note)) for note in status.healed]
    lines = [f"{name:<12}{value}" for name, value in rows]
    if status.jobs is not None:
        whole, *aside = queue_text(status.jobs).split("\n")
        lines += [f"{'jobs':<12}{whole}", *aside]
    return "\n".join([*lines, *_warnings(status.warnings), *_failures(status.all_failures)])


def _about_index(status: Status) -> str:
    """Its size, where it takes room on this machine, and whether it is only read."""
    size = [_size(status.store_bytes)] if status.store_bytes else []
    return ", ".join([*size, *(["read-only"] if status.is_read_only else [])])


def upgrade_text(upgrade: Upgrade) -> str:
    """How far the finer embedder is, in one line."""
    count = f"{upgrade.done:,} of {upgrade.total:,} passages" if upgrade.total else "no passages yet"
    if upgrade.problem:
        return safe(f"{upgrade.model}: {f'{count}; ' if upgrade.total else ''}{upgrade.problem}")
    order = ", most linked first" if upgrade.done < upgrade.total else ""
    left = f", about {duration(upgrade.seconds_left)} left" if upgrade.seconds_left else ""
    return f"{safe(upgrade.model)}: {count}{order}{left}"


def files_text(files: Sequence[FileStatus]) -> str:
    """A line per file: state, path, reason."""
    return "\n".join(f"{file.state.value:<9}{safe(file.path)}: {safe(file.reason)}" for file in files)


def diagnoses_text(diagnoses: Iterable[Diagnosis]) -> str:
    """A line per thing looked at."""
    return "\n".join(
        f"{'ok ' if found.is_sound else 'BAD'} {found.topic}: {safe(f'{found.finding} {found.next_step}'.strip())}"
        for found in diagnoses
    )


def _evidence(results: Results) -> str:
    found = results.evidence
    if found is None:
        return ""
    return (
        f"; belief {found.belief:.2f} (covers {found.coverage:.2f}, strength {found.strength:.1f},"
        f" unseen {found.unseen:.2f}, closeness {found.closeness:.2f})"
    )


def _excerpt(hit: Hit, *, marked: bool) -> list[str]:
    """The first lines of what a hit shows, four at most; none that only draw a table or begin code."""
    rows = [""]
    for text, is_match in excerpt(hit).pieces():
        before, *behind = text.split("\n")
        before = safe(before.expandtabs(4))
        rows[-1] += f"{_BOLD}{before}{_PLAIN}" if is_match and marked else before
        rows += [safe(row.expandtabs(4)) for row in behind]
    return [_cut(row.rstrip()) for row in rows if row.strip() and not _RULE.match(row)][:EXCERPT]


def _cut(line: str) -> str:
    """As much of a line as fits, type faces not counted and closed."""
    shown, width = [], 0
    for part in _FACES.split(line):
        if part in (_BOLD, _PLAIN):
            shown.append(part)
        elif width <= LINE:
            shown.append(part if width + len(part) <= LINE else f"{part[: LINE - width - 1]}…")
            width += len(part)
    return "".join(shown)


def _vote(vote: Vote) -> str:
    said = f"#{vote.rank} {vote.score:.3f}" if vote.rank else f"{vote.score:+.3f}"
    return f"{vote.retriever} {said}{f' by {safe(vote.by)}' if vote.by else ''}"


def _many(count: int, noun: str, verb: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'} {verb}" if count else ""


def _warnings(warnings: Sequence[tuple[Ref, str]]) -> Iterator[str]:
    for ref, warning in warnings[:SHOWN]:
        yield f"warning: {safe(ref.path or ref.corpus)}: {safe(warning)}"
    if len(warnings) > SHOWN:
        yield f"… {len(warnings) - SHOWN:,} more warnings"


def _failures(failures: Sequence[Failure]) -> Iterator[str]:
    for failure in failures[:SHOWN]:
        yield f"failed: {_place(failure.ref)}: {safe(f'{failure.reason_alone} {failure.next_step}'.strip())}"
    if len(failures) > SHOWN:
        yield f"… {len(failures) - SHOWN:,} more failures"


def _target(edge: Edge) -> str:
    if edge.to is not None and edge.outcome is not Outcome.BROKEN_ANCHOR:
        return safe(str(edge.to))
    return f"{safe(edge.link.target)} ({edge.outcome.value.replace('_', ' ')})"


def _line(edge: Edge) -> str:
    relation = "" if edge.link.relation == "links_to" else f", {edge.link.relation.value}"
    return f"  (line {edge.link.line + 1}, {edge.link.form.value}{relation})"


def _around(words: str) -> list[str]:
    return [f"      {safe(words)}"] if words else []


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
