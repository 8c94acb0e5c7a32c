"""Where links lead."""

from __future__ import annotations

import pytest

from kits.linked import link, mention, page, shelf, wiki
from kits.scratch import ScratchStore
from pinakes.graph.resolve import NameTable, resolve
from pinakes.records import DOCS, Link, LinkForm, Outcome, Ref


@pytest.fixture(scope="module")
def store() -> ScratchStore:
    return shelf(
        page("README.md", headings=["Home"]),
        page("guide/README.md", headings=["All guides"]),
        page("guide/index.md", headings=["Index of guides"]),
        page(
            "guide/auth.md",
            headings=["Auth", "Token Lifetime", "Überblick", "Notes", "Notes", "Old {#v1}", "Q & A {#^b7}"],
            title="Authentication",
            aliases=("Sign-in", "Login"),
        ),
        page("guide/deep/start.md"),
        page("api/index.md", headings=["The API"]),
        page("api/Errors.md"),
        page("Errors.md"),
        page("shared.md"),
        page("x/twin.md", title="Twins"),
        page("y/twin.md", title="Twins"),
        page("x/Case.md"),
        page("x/case.md"),
        page("Größe.md"),
        page("Cafe\u0301.md"),
        page("notes/My Note.md"),
        page("site/en/intro.md"),
        page("site/en/setup/linux.md"),
        page("ref.rst", headings=["Ref"]),
        page("flow.svg", headings=["Login"]),
        assets=[
            "src/auth.py",
            "img/flow.png",
            "img/100%.png",
            "empty/deep/data.csv",
            "shared",
            "guide.zip",
            "page.html",
        ],
    )


def found(store: ScratchStore, origin: str, written: Link) -> str:
    """Where a link leads, or what became of it."""
    edge = resolve(Ref(DOCS, origin), written, NameTable.of(store, DOCS))
    assert (edge.origin, edge.link) == (Ref(DOCS, origin), written)
    where = "" if edge.to is None else str(edge.to).removeprefix("docs:")
    return where if edge.outcome is Outcome.FOUND else f"{edge.outcome} {where or ' '.join(edge.candidates)}".strip()


@pytest.mark.parametrize(
    ("target", "where"),
    [
        ("auth.md", "guide/auth.md"),
        ("./auth.md", "guide/auth.md"),
        ("deep/../auth.md", "guide/auth.md"),
        ("auth", "guide/auth.md"),
        ("auth.html", "guide/auth.md"),
        ("auth.md?plain=1", "guide/auth.md"),
        ("../page.html", "page.html"),
        ("../guide/", "guide/README.md"),
        ("../guide", "guide/README.md"),
        (".", "guide/README.md"),
        ("..", "README.md"),
        ("/", "README.md"),
        ("../api", "api/index.md"),
        ("../empty/deep/", "empty/deep"),
        ("../shared", "shared"),
        ("../shared/", "shared.md"),
        ("/shared.md", "shared.md"),
        ("api/Errors.md", "api/Errors.md"),
        ("Errors.md", "Errors.md"),
        ("./Errors.md", "missing"),
        ("AUTH.MD", "guide/auth.md"),
        ("../x/case.md", "x/case.md"),
        ("../x/CASE.md", "ambiguous x/Case.md x/case.md"),
        ("../GR%C3%96SSE.md", "Größe.md"),
        ("../Caf%C3%A9.md", "Cafe\u0301.md"),
        ("../notes/My%20Note.md", "notes/My Note.md"),
        ("../img/100%25.png", "img/100%25.png"),
        ("nope.md", "missing"),
        ("", "missing"),
        ("../../nope.md", "outside"),
        ("/../nope.md", "outside"),
        ("C:\\docs\\a.md", "outside"),
        ("https://example.org", "external"),
        ("mailto:someone@example.org", "external"),
        ("//example.org/x.md", "external"),
        ("data:image/png;base64,AAAA", "external"),
        ("javascript:void(0)", "external"),
        ("{{ site.url }}/auth.md", "external"),
        ("?tab=1", "guide/start.md"),
        ("#", "guide/start.md"),
        ("#top", "guide/start.md"),
    ],
)
def test_a_link_is_looked_up_from_its_file_and_then_from_the_root(store: ScratchStore, target: str, where: str) -> None:
    assert found(store, "guide/start.md", link(target)) == where


def test_a_leading_slash_may_stand_for_the_folder_a_site_is_made_from(store: ScratchStore) -> None:
    assert found(store, "site/en/setup/linux.md", link("/en/intro")) == "site/en/intro.md"
    assert found(store, "site/en/setup/linux.md", link("/intro")) == "site/en/intro.md"
    assert found(store, "site/en/setup/linux.md", link("/api/")) == "api/index.md"
    assert found(store, "guide/auth.md", link("/en/intro")) == "missing"


def test_an_address_of_a_site_may_have_a_prefix_that_no_folder_has(store: ScratchStore) -> None:
    assert found(store, "guide/auth.md", link("/en-US/docs/setup/linux")) == "site/en/setup/linux.md"
    assert found(store, "guide/auth.md", link("/v2/Setup/Linux/")) == "site/en/setup/linux.md"
    assert found(store, "guide/auth.md", link("/v2/guide/deep/")) == "guide/deep"
    assert found(store, "guide/auth.md", link("/docs/linux")) == "missing"
    assert found(store, "guide/auth.md", link("/a/b/c/setup/linux")) == "missing"
    assert found(store, "guide/auth.md", link("v2/setup/linux")) == "missing"


def test_an_address_of_a_site_that_fits_several_pages_is_missing() -> None:
    twins = shelf(page("a/setup/linux.md"), page("b/setup/linux.md"))
    assert found(twins, "a/start.md", link("/docs/setup/linux")) == "missing"


@pytest.mark.parametrize(
    ("target", "where"),
    [
        ("auth.md#token-lifetime", "guide/auth.md#token-lifetime"),
        ("auth.md#Token-Lifetime", "guide/auth.md#token-lifetime"),
        ("auth.md#Token%20Lifetime", "broken_anchor guide/auth.md"),
        ("auth.md#Token-Lifetime!", "broken_anchor guide/auth.md"),
        ("auth.md#token%2Dlifetime", "guide/auth.md#token-lifetime"),
        ("auth.md#user-content-token-lifetime", "guide/auth.md#token-lifetime"),
        ("auth.md#%C3%BCberblick", "guide/auth.md#überblick"),
        ("auth.md#notes-1", "guide/auth.md#notes-1"),
        ("auth.md#v1", "guide/auth.md#old"),
        ("auth.md#top", "guide/auth.md"),
        ("auth.md#:~:text=lifetime", "guide/auth.md"),
        ("auth.md#nowhere", "broken_anchor guide/auth.md"),
        ("auth.md#!", "broken_anchor guide/auth.md"),
        ("../api/#the-api", "api/index.md#the-api"),
        ("../api/#nowhere", "broken_anchor api/index.md"),
        ("../src/auth.py#L10-L20", "src/auth.py"),
        ("auth.md?plain=1#L10", "guide/auth.md"),
        ("auth.md#L10C2-L20C5", "guide/auth.md"),
        ("auth.md#L10-or-so", "broken_anchor guide/auth.md"),
        ("../img/flow.png#view", "img/flow.png"),
        ("../ref.rst#ref", "ref.rst#ref"),
        ("../ref.rst#_ref", "ref.rst#ref"),
        ("../ref.rst#whatever", "broken_anchor ref.rst"),
        ("../shared.md#whatever", "shared.md"),
        ("../flow.svg#any-shape", "flow.svg"),
        ("../empty/#x", "empty"),
    ],
)
def test_a_fragment_means_a_section(store: ScratchStore, target: str, where: str) -> None:
    assert found(store, "guide/start.md", link(target)) == where


def test_a_bare_fragment_means_a_section_of_its_own_document(store: ScratchStore) -> None:
    assert found(store, "guide/auth.md", link("#token-lifetime")) == "guide/auth.md#token-lifetime"
    assert found(store, "guide/auth.md", wiki("#Token Lifetime")) == "guide/auth.md#token-lifetime"
    assert found(store, "guide/auth.md", link("#Token%20Lifetime")) == "broken_anchor guide/auth.md"
    assert found(store, "guide/auth.md", link("#nowhere")) == "broken_anchor guide/auth.md"
    assert found(store, "shared.md", link("#nowhere")) == "broken_anchor shared.md"


@pytest.mark.parametrize(
    ("target", "where"),
    [
        ("guide/auth", "guide/auth.md"),
        ("guide/auth.md", "guide/auth.md"),
        ("auth", "guide/auth.md"),
        ("Auth", "guide/auth.md"),
        ("deep/start", "guide/deep/start.md"),
        ("My Note", "notes/My Note.md"),
        ("my note", "notes/My Note.md"),
        ("Errors", "Errors.md"),
        ("errors", "Errors.md"),
        ("/api/Errors", "api/Errors.md"),
        ("./twin", "x/twin.md"),
        ("../y/twin", "y/twin.md"),
        ("Authentication", "guide/auth.md"),
        ("sign-in", "guide/auth.md"),
        ("Login#Token Lifetime", "guide/auth.md#token-lifetime"),
        ("auth#Auth#Notes", "guide/auth.md#notes"),
        ("auth#^b7", "guide/auth.md#q--a"),
        ("auth^b7", "guide/auth.md#q--a"),
        ("auth#Q & A", "guide/auth.md#q--a"),
        ("auth#Nowhere", "broken_anchor guide/auth.md"),
        ("flow.png", "img/flow.png"),
        ("shared", "shared"),
        ("api", "api/index.md"),
        ("Twins", "ambiguous x/twin.md y/twin.md"),
        ("https://example.org", "external"),
        ("Note: a title", "missing"),
        ("nobody", "missing"),
        ("../../up", "outside"),
        ("", "missing"),
    ],
)
def test_a_wikilink_is_a_path_a_name_an_alias_or_a_title(store: ScratchStore, target: str, where: str) -> None:
    assert found(store, "x/twin.md", wiki(target)) == where


def test_a_file_beside_the_wikilink_is_meant_before_namesakes_elsewhere(store: ScratchStore) -> None:
    assert found(store, "y/other.md", wiki("twin")) == "y/twin.md"
    assert found(store, "guide/auth.md", wiki("twin")) == "ambiguous x/twin.md y/twin.md"


def test_a_hidden_file_makes_no_name_ambiguous_but_can_be_named_by_its_path() -> None:
    notes = shelf(page("guide/plan.md"), assets=[".memories/plan.md", ".memories/.trash/idea.md"])
    assert found(notes, "start.md", wiki("plan")) == "guide/plan.md"
    assert found(notes, "start.md", wiki("PLAN")) == "guide/plan.md"
    assert found(notes, "start.md", wiki("idea")) == "missing"
    assert found(notes, "start.md", wiki(".memories/plan")) == ".memories/plan.md"


def test_a_frontmatter_value_is_a_path_or_a_name(store: ScratchStore) -> None:
    def field(target: str) -> Link:
        return link(target, LinkForm.FRONTMATTER)

    assert found(store, "guide/deep/start.md", field("../auth.md")) == "guide/auth.md"
    assert found(store, "x/case.md", field("auth")) == "guide/auth.md"
    assert found(store, "x/case.md", field("Authentication")) == "guide/auth.md"
    assert found(store, "x/case.md", field("https://example.org")) == "external"


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("auth.md", "guide/auth.md"),
        ("src/auth.py", "src/auth.py"),
        ("/src/auth.py", "src/auth.py"),
        ("img/100%.png", "img/100%25.png"),
        ("Src/auth.py", "no_file"),
        ("auth.py", "no_file"),
        ("empty/deep/", "no_file"),
        ("auth", "no_file"),
        ("../../x.py", "no_file"),
    ],
)
def test_a_mentioned_path_counts_only_when_exactly_that_file_exists(store: ScratchStore, path: str, where: str) -> None:
    assert found(store, "guide/start.md", mention(path)) == where


def test_candidates_stay_few_when_a_name_is_everywhere() -> None:
    crowded = shelf(*(page(f"{number:03}/index.md") for number in range(100)))
    edge = resolve(Ref(DOCS, "start.md"), wiki("index"), NameTable.of(crowded, DOCS))
    assert (edge.outcome, len(edge.candidates), edge.candidates[0]) == (Outcome.AMBIGUOUS, 20, "000/index.md")


@pytest.mark.parametrize(
    ("target", "as_address", "as_name"),
    [
        ("%", "missing", "missing"),
        ("%00", "missing", "missing"),
        ("%FF%FE", "missing", "missing"),
        ("\ud800", "missing", "missing"),
        ("a" * 100_000, "missing", "missing"),
        ("[", "missing", "missing"),
        ("../" * 50_000, "outside", "outside"),
        ("/" * 1000, "external", "external"),
        ("#" * 1000, "broken_anchor guide/auth.md", "guide/auth.md"),
        ("?#?", "broken_anchor guide/auth.md", "missing"),
    ],
    ids=lambda text: ascii(text[:6]),
)
def test_targets_no_one_meant_lead_to_no_other_document(
    store: ScratchStore, target: str, as_address: str, as_name: str
) -> None:
    names = (LinkForm.WIKILINK, LinkForm.EMBED, LinkForm.FRONTMATTER)
    expected = {form: as_name if form in names else as_address for form in LinkForm}
    expected |= {LinkForm.PATH: "no_file", LinkForm.SYMBOL: "no_file"}
    assert {form: found(store, "guide/auth.md", link(target, form)) for form in LinkForm} == expected
