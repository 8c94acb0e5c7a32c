"""`pinakes check`: links that lead nowhere or to several places, orphans, contradictions, drift; also for CI."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.check import Code, Severity
from pinakes.check.report import as_data, as_github, as_text
from pinakes.render import dumps
from pinakes.serve.cli import frame


@click.command("check")
@click.argument("part", required=False, default="")
@frame.root_option
@frame.store_option
@click.option("--format", "form", type=click.Choice(["text", "json", "github"]), default="text", help="Default: text.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--only",
    "codes",
    type=click.Choice([code.value for code in Code]),
    multiple=True,
    help="Findings of this code; can be given again.",
)
@click.option("--strict", is_flag=True, help="Let warnings such as orphans fail the check too.")
@frame.sync_option
@frame.guarded
def command(
    part: str,
    root: Path | None,
    store: Path | None,
    form: str,
    as_json: bool,
    codes: tuple[str, ...],
    strict: bool,
    do_sync: bool,
) -> None:
    """Check PART (a folder or document; default: everything) for broken links, orphans, contradictions and drift.

    Exit code 0 when there are no errors, 1 when there are. Orphans, contradictions and drift are warnings and do not
    count unless --strict.

    \b
    Example:
      pinakes check
      pinakes check docs --format github
      pinakes check --only contradiction
    """
    opened, under = frame.library(root, store, part)
    with opened as library:
        frame.fresh(library, do_sync=do_sync)
        findings = [found for found in library.check(under) if not codes or found.code in codes]
    if as_json or form == "json":
        frame.echo(dumps([as_data(finding) for finding in findings]))
    else:
        click.echo(as_github(findings) if form == "github" else as_text(findings), nl=False)
    if any(strict or finding.severity is Severity.ERROR for finding in findings):
        raise SystemExit(frame.NOTHING)
