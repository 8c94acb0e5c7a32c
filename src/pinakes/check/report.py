"""Findings in the three shapes people and machines ask for: lines of text, GitHub annotations, plain data."""

from __future__ import annotations

from collections.abc import Sequence

from pinakes.check.findings import Finding, Severity
from pinakes.render import Json, safe, wire


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


def as_data(finding: Finding) -> Json:
    """A finding for JSON; every key is always there."""
    return wire(finding)


def _sentence(finding: Finding) -> str:
    return f"{finding.message} (did you mean {finding.suggestion}?)" if finding.suggestion else finding.message


def _sum(findings: Sequence[Finding]) -> str:
    if not findings:
        return "nothing found"
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    warnings = len(findings) - errors
    return f"{errors} error{'' if errors == 1 else 's'}, {warnings} warning{'' if warnings == 1 else 's'}"


def _data(text: str) -> str:
    return safe(text, keep="\n").replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
