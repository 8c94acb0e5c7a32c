"""`pinakes check`: links that lead nowhere or to several places, orphans, contradictions, drift; also for CI."""

from __future__ import annotations

from pinakes.check import Severity
from pinakes.check.findings import as_github, as_text
from pinakes.library import Library
from pinakes.serve.cli.build import Output, library_command
from pinakes.serve.requests.questions import CheckRequest


@library_command("check", CheckRequest, arguments={"under": "[PART]"}, syncs=lambda library, request: ())
def command(library: Library, request: CheckRequest) -> Output:
    """Check PART (a folder or document; default: everything) for broken links, orphans, contradictions and drift.

    Exit code 0 when there are no errors, 1 when there are. Orphans, contradictions and drift are warnings, which do
    not count unless --strict.

    \b
    Example:
      pinakes check
      pinakes check docs --format github
      pinakes check --only contradiction
    """
    findings = request.ask(library)
    text = as_github(findings) if request.format == "github" else as_text(findings)
    is_bad = any(request.strict or finding.severity is Severity.ERROR for finding in findings)
    return Output(findings, text.removesuffix("\n"), is_found=not is_bad)
