"""Finds what is wrong with the documents.

A reader enters, findings leave: what is wrong, where, and what was probably meant. Each file holds one finder; a finder
only reads. `pinakes.check.report` prints findings for a terminal or for GitHub.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinakes.check.options import CheckOptions, WebCheck
from pinakes.deferred import deferred

if TYPE_CHECKING:
    from pinakes.check.across import broken_across
    from pinakes.check.contradictions import Claims
    from pinakes.check.findings import WEB_CODES, Code, Finding, Location, Severity
    from pinakes.check.plugged import plugged_findings
    from pinakes.check.symbol_drift import CodeSide
    from pinakes.check.whole import check

__all__ = [
    "WEB_CODES",
    "CheckOptions",
    "Claims",
    "Code",
    "CodeSide",
    "Finding",
    "Location",
    "Severity",
    "WebCheck",
    "broken_across",
    "check",
    "plugged_findings",
]

__getattr__ = deferred(
    __name__,
    {
        **dict.fromkeys(("WEB_CODES", "Code", "Finding", "Location", "Severity"), "pinakes.check.findings"),
        "Claims": "pinakes.check.contradictions",
        "CodeSide": "pinakes.check.symbol_drift",
        "broken_across": "pinakes.check.across",
        "check": "pinakes.check.whole",
        "plugged_findings": "pinakes.check.plugged",
    },
)
