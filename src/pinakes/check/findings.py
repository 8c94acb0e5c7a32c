"""Findings: what is wrong, where, and what was probably meant; as lines of text, GitHub annotations or plain data."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from pinakes.records import Ref
from pinakes.render import safe


class Severity(StrEnum):
    """How bad it is."""

    ERROR = "error"
    """Something a reader will run into."""
    WARNING = "warning"
    """Something an author should look at."""
    NOTICE = "notice"
    """Something that was asked for, and that fails no check."""


class Code(StrEnum):
    """What is wrong; stable, for filters and for CI."""

    BROKEN_LINK = "broken-link"
    BROKEN_ANCHOR = "broken-anchor"
    LOOSE_WIKILINK = "loose-wikilink"
    AMBIGUOUS_LINK = "ambiguous-link"
    OUTSIDE_LINK = "outside-link"
    ORPHAN = "orphan"
    CONTRADICTION = "contradiction"
    DRIFT = "drift"
    UNDOCUMENTED = "undocumented"
    PLUGIN = "plugin"
    BROKEN_WEB_LINK = "broken-web-link"
    UNANSWERED_WEB_LINK = "unanswered-web-link"
    MOVED_WEB_LINK = "moved-web-link"
    UNASKED_WEB_LINK = "unasked-web-link"


WARNINGS = frozenset(
    (Code.ORPHAN, Code.OUTSIDE_LINK, Code.CONTRADICTION, Code.DRIFT, Code.PLUGIN, Code.UNANSWERED_WEB_LINK)
)
"""An orphan may be reached by other ways, what is outside the root may well exist, two values may both be right, what
a section says may hold although the thing has changed, and a server may answer tomorrow."""
NOTICES = frozenset((Code.UNDOCUMENTED, Code.MOVED_WEB_LINK, Code.UNASKED_WEB_LINK))
WEB_CODES = (Code.BROKEN_WEB_LINK, Code.UNANSWERED_WEB_LINK, Code.MOVED_WEB_LINK, Code.UNASKED_WEB_LINK)
"""Of links to the web, which only the command line and Python have asked."""


class Location(Struct, frozen=True):
    """A line of a document."""

    ref: Ref
    """The document or section it stands in."""
    line: int
    """From 1."""

    def plain(self) -> dict[str, object]:
        """Its shape on a wire."""
        return {"ref": self.ref, "path": self.ref.path, "line": self.line}


class Finding(Struct, frozen=True):
    """One thing that is wrong."""

    code: Code
    ref: Ref
    """The document or section it stands in."""
    line: int
    """From 1."""
    message: str
    """What is wrong, as a sentence without its full stop."""
    suggestion: str = ""
    """What could stand there instead, ready to be pasted; empty when nothing comes close."""
    other: Location | None = None
    """The second place, for what takes two: a contradiction."""

    @property
    def severity(self) -> Severity:
        if self.code in NOTICES:
            return Severity.NOTICE
        return Severity.WARNING if self.code in WARNINGS else Severity.ERROR

    def plain(self) -> dict[str, object]:
        """Its shape on a wire."""
        return {
            "code": self.code,
            "severity": self.severity,
            "ref": self.ref,
            "path": self.ref.path,
            "line": self.line,
            "message": self.message,
            "suggestion": self.suggestion,
            "other": self.other and self.other.plain(),
        }

    def order(self) -> tuple[str, int, str, str, str]:
        """Sorts findings by where they are, then by what they say."""
        return self.ref.path, self.line, self.code, self.message, self.ref.anchor


def as_text(findings: Sequence[Finding]) -> str:
    """A line per finding, such as ``guide.md:3: broken-link “a.md” does not exist (did you mean b.md?)``, and a sum."""
    lines = [f"{finding.ref.path}:{finding.line}: {finding.code} {_sentence(finding)}" for finding in findings]
    return "".join(f"{safe(line)}\n" for line in [*lines, _sum(findings)])


def as_github(findings: Sequence[Finding]) -> str:
    """A workflow command per finding, which GitHub shows beside the line it is about."""
    return "".join(
        f"::{finding.severity} file={_property(finding.ref.path)},line={finding.line},title={_property(finding.code)}"
        f"::{_data(_sentence(finding))}\n"
        for finding in findings
    )


def _sentence(finding: Finding) -> str:
    return f"{finding.message} (did you mean {finding.suggestion}?)" if finding.suggestion else finding.message


def _sum(findings: Sequence[Finding]) -> str:
    if not findings:
        return "nothing found"
    counts = {severity: sum(one.severity is severity for one in findings) for severity in Severity}
    shown = [severity for severity in Severity if counts[severity] or severity is not Severity.NOTICE]
    return ", ".join(f"{counts[severity]} {severity}{'' if counts[severity] == 1 else 's'}" for severity in shown)


def _data(text: str) -> str:
    return safe(text, keep="\n").replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
