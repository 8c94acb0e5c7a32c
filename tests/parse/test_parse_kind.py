"""What a document is for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kits.enrich import parsed
from pinakes.parse.kind import kind_of
from pinakes.records import Kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("README.md", Kind.README),
        ("docs/adr/readme-first.rst", Kind.README),
        ("README.zh-CN.md", Kind.README),
        ("docs/adr/0001-use-sqlite.md", Kind.DECISION),
        ("decisions/queue.md", Kind.DECISION),
        ("docs/decision.md", Kind.DECISION),
        ("specs/context.md", Kind.SPEC),
        ("rfcs/2020-names.md", Kind.SPEC),
        ("rfc/7.md", Kind.SPEC),
        ("Design/store.md", Kind.SPEC),
        ("rfc-12.md", Kind.SPEC),
        ("docs/0007-decision.md", Kind.DECISION),
        ("docs/meeting 2024-05-01.md", Kind.NOTES),
        ("01-guides/deploy.md", Kind.GUIDE),
        ("guides/deploy.md", Kind.GUIDE),
        ("docs/tutorial/first.md", Kind.GUIDE),
        ("howto/rotate.md", Kind.GUIDE),
        ("getting-started.md", Kind.GUIDE),
        ("docs/getting-started/install.md", Kind.GUIDE),
        ("getting_started.md", Kind.GUIDE),
        ("reference/flags.md", Kind.REFERENCE),
        ("web/api/element/index.md", Kind.REFERENCE),
        ("docs/endpoints.md", Kind.REFERENCE),
        ("notes/today.md", Kind.NOTES),
        ("meetings/2024-01-02.md", Kind.NOTES),
        ("minutes/board.md", Kind.NOTES),
        ("journal/monday.md", Kind.NOTES),
        ("docs/api-keys.md", Kind.UNKNOWN),
        ("docs/meeting-room.md", Kind.UNKNOWN),
        ("auth-spec.md", Kind.SPEC),
        ("docs/specification/2025/lifecycle.mdx", Kind.SPEC),
        ("spec-v2.md", Kind.SPEC),
        ("design-docs/queue.md", Kind.SPEC),
        ("design-patterns/queue.md", Kind.UNKNOWN),
        ("proposals/12-names.md", Kind.SPEC),
        ("docs/user-guide/themes.md", Kind.GUIDE),
        ("how-to/rotate.md", Kind.GUIDE),
        ("copilot/how-tos/set-up.md", Kind.GUIDE),
        ("quickstart-for-teams.md", Kind.GUIDE),
        ("getting-started-with-actions.md", Kind.GUIDE),
        ("docs/api-reference/users.md", Kind.REFERENCE),
        ("cli_reference.md", Kind.REFERENCE),
        ("docs/adr-use-sqlite.md", Kind.DECISION),
        ("ADR-0001-use-pg.md", Kind.DECISION),
        ("architecture-decision-records/queue.md", Kind.DECISION),
        ("decision-tree.md", Kind.UNKNOWN),
        ("release-notes.md", Kind.CHANGELOG),
        ("guides/concepts/tiers.md", Kind.UNKNOWN),
        ("guide/why-tiers.md", Kind.UNKNOWN),
        ("2024/01-02.md", Kind.UNKNOWN),
        ("api/guide.md", Kind.GUIDE),
        ("guides/api/users.md", Kind.REFERENCE),
        ("guidelines/style.md", Kind.UNKNOWN),
        ("apiary/bees.md", Kind.UNKNOWN),
        ("inspector.md", Kind.UNKNOWN),
        ("designs.md", Kind.UNKNOWN),
        ("", Kind.UNKNOWN),
        ("/", Kind.UNKNOWN),
    ],
)
def test_names_in_the_path_tell_a_kind(path: str, kind: Kind) -> None:
    assert kind_of(path, ()) is kind


@pytest.mark.parametrize(
    ("headings", "kind"),
    [
        (["Use SQLite", "Status", "Context", "Decision", "Consequences"], Kind.DECISION),
        (["Title", "Status", "Context and problem statement", "Decision outcome"], Kind.DECISION),
        (["Status", "Context"], Kind.UNKNOWN),
        (["Protocol", "1. Scope", "1.1 Terms", "2. Messages", "2.1 Framing"], Kind.UNKNOWN),
        (["Names", "Abstract", "Motivation", "Specification"], Kind.SPEC),
        (["Names", "Specification", "People"], Kind.UNKNOWN),
        (["Synopsis", "Options", "See also"], Kind.REFERENCE),
        (["Options", "Ideas"], Kind.UNKNOWN),
        (["Deploy", "Step 1: build", "Step 2: push", "Clean up"], Kind.GUIDE),
        (
            ["Client", *["open", "Parameters", "Returns", "close", "Parameters", "Returns"], "Parameters"],
            Kind.UNKNOWN,
        ),
        (["Proxy", "Configuring a proxy", "Testing the proxy"], Kind.GUIDE),
        (["Overview", "Ideas", "People"], Kind.UNKNOWN),
        (["2024 in review", "Ideas", "People"], Kind.UNKNOWN),
        ([], Kind.UNKNOWN),
    ],
)
def test_headings_name_a_kind_where_the_path_does_not(headings: list[str], kind: Kind) -> None:
    document = parsed("# Page\n\n" + "".join(f"## {heading}\n\ntext\n\n" for heading in headings))
    assert document.kind is kind


def test_the_path_decides_before_the_headings() -> None:
    document = parsed("## Status\n\n## Context\n\n## Decision\n")
    assert kind_of("guides/page.md", document.sections) is Kind.GUIDE


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Configuring a proxy", Kind.GUIDE),
        ("How to upgrade", Kind.GUIDE),
        ("The plugins guide", Kind.GUIDE),
        ("Testing", Kind.UNKNOWN),
        ("Billing for teams", Kind.UNKNOWN),
        ("Understanding tiers", Kind.UNKNOWN),
    ],
)
def test_a_title_that_tells_how_to_do_something_makes_a_guide(title: str, kind: Kind) -> None:
    assert parsed(f"# {title}\n\ntext\n", "page.md").kind is kind
    assert parsed(f"---\ntitle: {title}\n---\n\ntext\n", "page.md").kind is kind


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("contentType: how-tos", Kind.GUIDE),
        ("type: Reference", Kind.REFERENCE),
        ("page-type: api-reference", Kind.REFERENCE),
        ("category: [networks, tutorial]", Kind.GUIDE),
        ("contentType: concepts\ntype: tutorial", Kind.UNKNOWN),
        ("type: article", Kind.DECISION),
        ("category: Get started with the command line", Kind.DECISION),
        ("type: {name: guide}", Kind.DECISION),
    ],
)
def test_what_the_frontmatter_says_comes_before_the_path(field: str, kind: Kind) -> None:
    assert parsed(f"---\n{field}\n---\n\ntext\n", "adr/page.md").kind is kind


def test_the_room_loads_no_numerics_until_keywords_are_asked_for() -> None:
    program = "import sys, pinakes.enrich; assert 'numpy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


@pytest.mark.parametrize(
    ("path", "titles"),
    [
        ("CHANGELOG.md", ()),
        ("docs/changes.md", ()),
        ("content/platform-release-notes.md", ()),
        ("engine/release-notes/27.md", ()),
        ("HISTORY.md", ("Aider v0.86.0", "Aider v0.85.2", "Aider v0.85.1")),
        ("docs/news.md", ("[Unreleased]", "[1.1.0] - 2026-01-31", "[1.0.0]")),
    ],
)
def test_change_logs_are_told_by_their_names_or_by_the_releases_in_their_headings(
    path: str, titles: tuple[str, ...]
) -> None:
    text = "".join(f"## {title}\n\nx\n\n" for title in titles)
    assert kind_of(path, parsed(text).sections) is Kind.CHANGELOG


@pytest.mark.parametrize(
    ("path", "titles"),
    [
        ("docs/history.md", ("The beginning", "The middle")),
        ("install.txt", ("Python 3.9", "Python 3.10", "Python 3.11")),
        ("docs/requesting-a-change.md", ()),
    ],
)
def test_a_page_about_versions_or_changes_is_no_change_log(path: str, titles: tuple[str, ...]) -> None:
    assert kind_of(path, parsed("".join(f"## {title}\n\nx\n\n" for title in titles)).sections) is not Kind.CHANGELOG
