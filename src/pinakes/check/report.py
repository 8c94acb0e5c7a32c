"""Findings in the three shapes people and machines ask for: lines of text, GitHub annotations, plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pinakes.check.findings import Finding, Severity

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONE = re.compile("[\ud800-\udfff]")


def as_text(findings: Sequence[Finding]) -> str:
    """A line per finding, such as ``guide.md:3: broken-link “a.md” does not exist (did you mean b.md?)``, and a sum."""
    lines = [f"{finding.ref.path}:{finding.line}: {finding.code} {_sentence(finding)}" for finding in findings]
    return "".join(f"{_printable(line)}\n" for line in [*lines, _sum(findings)])


def as_github(findings: Sequence[Finding]) -> str:
    """A workflow command per finding, which GitHub shows beside the line it is about."""
    return "".join(
        f"::{finding.severity} file={_property(finding.ref.path)},line={finding.line},title={_property(finding.code)}"
        f"::{_data(_sentence(finding))}\n"
        for finding in findings
    )


def as_data(finding: Finding) -> dict[str, str | int]:
    """A finding for JSON; every key is always there."""
    return {
        "code": str(finding.code),
        "severity": str(finding.severity),
        "ref": str(finding.ref),
        "path": _sound(finding.ref.path),
        "line": finding.line,
        "message": _sound(finding.message),
        "suggestion": _sound(finding.suggestion),
    }


def _sentence(finding: Finding) -> str:
    return f"{finding.message} (did you mean {finding.suggestion}?)" if finding.suggestion else finding.message


def _sum(findings: Sequence[Finding]) -> str:
    if not findings:
        return "nothing found"
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    warnings = len(findings) - errors
    return f"{errors} error{'' if errors == 1 else 's'}, {warnings} warning{'' if warnings == 1 else 's'}"


def _printable(text: str) -> str:
    """One line that a terminal shows and does not obey."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", _sound(text))


def _sound(text: str) -> str:
    """Text that can be encoded; names on disk need not be."""
    return _LONE.sub("\ufffd", text)


def _data(text: str) -> str:
    return _sound(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
