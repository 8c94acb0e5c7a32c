"""`pinakes check`: broken links and anchors, ambiguous and loose wikilinks, orphans; for people and for CI."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.check import Severity
from pinakes.check.report import as_data, as_github, as_text
from pinakes.render import dumps
from pinakes.serve.cli import frame


@click.command("check")
@click.argument("part", required=False, default="")
@frame.root_option
@frame.store_option
@click.option("--format", "form", type=click.Choice(["text", "json", "github"]), default="text", help="Default: text.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--strict", is_flag=True, help="Let warnings such as orphans fail the check too.")
@frame.sync_option
@frame.guarded
def command(
    part: str,
    root: Path | None,
    store: Path | None,
    form: str,
    as_json: bool,
    strict: bool,
    do_sync: bool,
) -> None:
    """Check PART (a folder or document; default: everything) for broken links and lost documents.

    Exit code 0 when there are no errors, 1 when there are. Orphans are warnings and do not count unless --strict.

    \b
    Example:
      pinakes check
      pinakes check docs --format github
    """
    opened, under = frame.library(root, store, part)
    with opened as library:
        frame.fresh(library, do_sync=do_sync)
        findings = library.check(under)
    if as_json or form == "json":
        frame.echo(dumps([as_data(finding) for finding in findings]))
    else:
        click.echo(as_github(findings) if form == "github" else as_text(findings), nl=False)
    if any(strict or finding.severity is Severity.ERROR for finding in findings):
        raise SystemExit(frame.NOTHING)
