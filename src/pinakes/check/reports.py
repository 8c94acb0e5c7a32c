"""Findings for programs that show them beside the code: SARIF for code scanning, and GitLab's code quality.

Findings enter, JSON leaves. Each finding has a fingerprint of what it says and where, but not of its line, so that it
counts as the same one when text above it grows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from urllib.parse import quote

from pinakes.check.findings import Code, Finding, Severity
from pinakes.render import Json, dumps, safe

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}
_GITLAB = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTICE: "info"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(findings: Sequence[Finding]) -> str:
    """SARIF 2.1.0, as GitHub's code scanning and editors read it. Paths are relative to the root."""
    rules: list[Json] = [{"id": code, "name": code} for code in Code]
    results: list[Json] = []
    for finding, fingerprint in _with_fingerprints(findings):
        result: dict[str, Json] = {
            "ruleId": finding.code,
            "level": _LEVELS[finding.severity],
            "message": {"text": _said(finding)},
            "locations": [_location(finding.ref.path, finding.line)],
            "partialFingerprints": {"pinakes/v1": fingerprint},
        }
        if finding.other is not None:
            result["relatedLocations"] = [_location(finding.other.ref.path, finding.other.line)]
        results.append(result)
    tool: Json = {"driver": {"name": "Pinakes", "rules": rules}}
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": tool, "results": results}]}) + "\n"


def as_gitlab(findings: Sequence[Finding]) -> str:
    """The report that GitLab calls code quality."""
    found: list[Json] = [
        {
            "check_name": finding.code,
            "description": _said(finding),
            "fingerprint": fingerprint,
            "severity": _GITLAB[finding.severity],
            "location": {"path": safe(finding.ref.path), "lines": {"begin": finding.line}},
        }
        for finding, fingerprint in _with_fingerprints(findings)
    ]
    return dumps(found) + "\n"


def _location(path: str, line: int) -> Json:
    address = quote(path.encode("utf-8", "surrogateescape"))
    artifact: Json = {"uri": address, "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": line}}}


def _said(finding: Finding) -> str:
    return safe(f"{finding.message} (did you mean {finding.suggestion}?)" if finding.suggestion else finding.message)


def _with_fingerprints(findings: Sequence[Finding]) -> Iterator[tuple[Finding, str]]:
    """What is found twice in one place counts as two."""
    seen: Counter[str] = Counter()
    for finding in findings:
        text = "\0".join((finding.code, finding.ref.path, finding.message))
        seen[text] += 1
        data = f"{text}\0{seen[text]}".encode("utf-8", "surrogatepass")
        yield finding, blake2b(data, digest_size=16).hexdigest()
