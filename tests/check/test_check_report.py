"""Findings as text, as GitHub annotations and as data."""

from __future__ import annotations

import json

from msgspec.structs import replace

from pinakes.check import Code, Finding, Location
from pinakes.check.findings import as_github, as_text
from pinakes.check.reports import as_gitlab, as_sarif
from pinakes.records import DOCS, Ref
from pinakes.render import dumps, wire

BROKEN = Finding(Code.BROKEN_LINK, Ref(DOCS, "a/b.md", "intro"), 3, "“c.md” does not exist", "../c.md")
ORPHAN = Finding(Code.ORPHAN, Ref(DOCS, "lost.md"), 1, "no other document links here")
ODD = Finding(Code.BROKEN_LINK, Ref(DOCS, "100%,a:b\n.md"), 2, "“x\ny%\x1b[31m” does not exist")


def test_text_is_a_line_per_finding_and_a_sum() -> None:
    assert as_text([BROKEN, ORPHAN]) == (
        "a/b.md:3: broken-link “c.md” does not exist (did you mean ../c.md?)\n"
        "lost.md:1: orphan no other document links here\n"
        "1 error, 1 warning\n"
    )
    assert as_text([]) == "nothing found\n"


def test_text_never_holds_what_a_terminal_would_obey() -> None:
    assert as_text([ODD]).splitlines()[0] == "100%,a:b\\x0a.md:2: broken-link “x\\x0ay%\\x1b[31m” does not exist"


def test_github_annotations_are_escaped_as_github_reads_them() -> None:
    assert as_github([BROKEN, ORPHAN]).splitlines() == [
        "::error file=a/b.md,line=3,title=broken-link::“c.md” does not exist (did you mean ../c.md?)",
        "::warning file=lost.md,line=1,title=orphan::no other document links here",
    ]
    (line,) = as_github([ODD]).splitlines()
    assert line.startswith("::error file=100%25%2Ca%3Ab%0A.md,line=2,title=broken-link::“x%0Ay%25")


def test_code_scanning_gets_each_finding_with_its_place() -> None:
    run = json.loads(as_sarif([BROKEN, ORPHAN, ODD]))["runs"][0]
    assert {one["id"] for one in run["tool"]["driver"]["rules"]} == set(Code)
    first, second, odd = run["results"]
    place = first["locations"][0]["physicalLocation"]
    assert (first["ruleId"], first["level"], second["level"]) == ("broken-link", "error", "warning")
    assert first["message"]["text"] == "“c.md” does not exist (did you mean ../c.md?)"
    assert (place["artifactLocation"]["uri"], place["region"]) == ("a/b.md", {"startLine": 3})
    assert odd["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "100%25%2Ca%3Ab%0A.md"


def test_a_finding_stays_the_same_for_gitlab_when_its_line_changes() -> None:
    before = json.loads(as_gitlab([BROKEN, ORPHAN, ORPHAN]))
    after = json.loads(as_gitlab([replace(BROKEN, line=9), ORPHAN]))
    assert before[0]["location"] == {"path": "a/b.md", "lines": {"begin": 3}}
    assert [one["severity"] for one in before] == ["major", "minor", "minor"]
    assert [one["fingerprint"] for one in before[:2]] == [one["fingerprint"] for one in after]
    assert len({one["fingerprint"] for one in before}) == 3


def test_data_names_every_part() -> None:
    assert wire(BROKEN) == {
        "code": "broken-link",
        "severity": "error",
        "ref": "docs:a/b.md#intro",
        "path": "a/b.md",
        "line": 3,
        "message": "“c.md” does not exist",
        "suggestion": "../c.md",
        "other": None,
    }
    second = Location(Ref(DOCS, "c.md", "ports"), 7)
    told = wire(Finding(Code.CONTRADICTION, Ref(DOCS, "a.md"), 2, "80 here, but 81 in c.md:7", other=second))
    assert isinstance(told, dict)
    assert told["severity"] == "warning"
    assert told["other"] == {"ref": "docs:c.md#ports", "path": "c.md", "line": 7}
    dumps(wire(Finding(Code.ORPHAN, Ref(DOCS, "\udcff.md"), 1, ""))).encode()
