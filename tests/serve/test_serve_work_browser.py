"""The page of a workspace in a real Chromium: what a person does in it, from the choice of files to the commit."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("openai", reason="the client packages are not installed: pip install 'pinakes[work]'")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")

from playwright.sync_api import Browser, Locator, Page, Route, expect

from kits.git import Repo, needs_git
from kits.page import CHROMIUM, Served
from kits.providers import ProviderServer, ScriptedAnswer, providing
from kits.trees import write_tree
from kits.work_page import EDIT, WORKPLACE, work_page, working

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")
FOUR, THREE = "every four hours", "every three hours"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "lighthouse", WORKPLACE)


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with providing([EDIT]) as provider:
        yield provider


@pytest.fixture
def site(root: Path, provider: ProviderServer) -> Iterator[Served]:
    with working(root, provider) as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Served) -> Iterator[Page]:
    with work_page(browser, site) as page:
        yield page


def question(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Question")


def ask(page: Page, words: str) -> None:
    question(page).fill(words)
    page.get_by_role("button", name="Ask", exact=True).click()


def file(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=name, exact=True)


def choose(page: Page, name: str) -> None:
    file(page, name).locator(".check").click()


def switch(page: Page, words: str) -> None:
    page.locator(".modes label", has_text=words).click()


def tab(page: Page, name: str) -> None:
    page.locator(".tab-bar").get_by_role("tab", name=name, exact=True).click()


def editor(page: Page) -> Locator:
    return page.locator(".editor .cm-content").last


def test_a_switch_clears_the_selection_keeps_the_history_and_brings_its_own_words(page: Page) -> None:
    expect(page.locator(".tab-bar").get_by_role("radio", name="Code")).to_be_checked()
    choose(page, "lamp.py")
    expect(page.locator(".chosen")).to_contain_text("1 file")
    ask(page, "How often is the wick trimmed?")
    expect(page.get_by_role("button", name="Apply")).to_be_visible()
    tab(page, "Context")
    expect(page.locator(".context-shown")).to_contain_text("file:src/lamp.py")
    switch(page, "Documents")
    expect(page.get_by_role("radio", name="Documents")).to_be_checked()
    expect(page.locator(".context-shown .facts")).to_contain_text("documents")
    expect(page.locator(".context-shown")).not_to_contain_text("file:src/lamp.py")
    tab(page, "Chat")
    expect(page.locator(".chosen")).not_to_contain_text("file")
    expect(file(page, "lamp.py")).to_have_attribute("aria-checked", "false")
    expect(page.locator(".note-line")).to_have_text("Switched to document mode")
    expect(page.locator(".said.user")).to_contain_text("How often is the wick trimmed?")
    page.get_by_role("button", name="Executive summary").click()
    expect(question(page)).to_have_value("Write an executive summary of this document")


def post(site: Served, path: str, body: object) -> None:
    request = urllib.request.Request(
        site.address + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request) as answer:
        answer.read()


def test_the_page_remembers_the_mode_of_a_repository_and_tells_a_server_that_does_not(page: Page, site: Served) -> None:
    switch(page, "Documents")
    expect(page.get_by_role("radio", name="Documents")).to_be_checked()
    page.goto("about:blank")
    post(site, "/work/mode", {"mode": "code"})
    page.goto("/work")
    expect(page.get_by_role("radio", name="Documents")).to_be_checked()
    expect(page.get_by_role("button", name="Executive summary")).to_be_visible()
    assert json.loads(site.get("/work/state").body)["mode"] == "docs"


def test_what_is_chosen_goes_along_and_what_is_answered_is_applied_and_taken_back(
    page: Page, root: Path, provider: ProviderServer
) -> None:
    choose(page, "lamp.md")
    expect(file(page, "guide")).to_have_attribute("aria-checked", "mixed")
    ask(page, "Trim the wick more often.")
    expect(page.locator(".card")).to_contain_text("guide/lamp.md")
    expect(page.locator(".card .added")).to_contain_text(THREE)
    expect(page.locator(".card .gone")).to_contain_text(FOUR)
    expect(page.locator(".usage")).to_contain_text("from the cache")
    assert "The lamp burns whale oil all night." in json.dumps(provider.asked[-1].body)
    assert FOUR in (root / "guide/lamp.md").read_text(), "nothing is written before the click"
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".edits-head")).to_have_text("Changed: guide/lamp.md")
    assert THREE in (root / "guide/lamp.md").read_text()
    page.locator(".edits").get_by_role("button", name="Undo").click()
    expect(page.locator(".edits-head")).to_have_text("Taken back: guide/lamp.md")
    assert FOUR in (root / "guide/lamp.md").read_text()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".edits-head")).to_have_text("Changed: guide/lamp.md")
    page.locator("header").get_by_role("button", name="Undo").click()
    expect(page.locator(".edits-head")).to_have_text("Taken back: guide/lamp.md")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".edits").get_by_role("button", name="Undo")).to_be_visible()
    file(page, "lamp.md").click()
    editor(page).click()
    page.keyboard.type("Mine. ")
    page.keyboard.press("Control+s")
    expect(page.locator(".toast", has_text="Saved guide/lamp.md")).to_be_visible()
    tab(page, "Chat")  # what a click there would take back now is the save
    expect(page.locator(".edits").get_by_role("button", name="Undo")).to_be_hidden()


def test_a_dry_run_shows_the_diff_and_why_a_change_is_refused_and_writes_nothing(
    page: Page, root: Path, provider: ProviderServer
) -> None:
    wrong = "\nREADME.md\n<<<<<<< FIND\nHow it is ran.\n=======\nHow it runs.\n>>>>>>> END\n"
    provider.answers[:] = [ScriptedAnswer(EDIT + wrong)]
    ask(page, "Change both.")
    page.get_by_role("button", name="Dry run").click()
    expect(page.locator(".edits-shown .diff .added")).to_contain_text(THREE)
    expect(page.locator(".edits-shown .refused")).to_contain_text("README.md")
    assert FOUR in (root / "guide/lamp.md").read_text()
    page.get_by_role("button", name="Compare and edit guide/lamp.md").click()
    editor(page).locator(".cm-line", has_text=THREE).click()
    page.keyboard.press("End")
    page.keyboard.type(" Every night.")
    page.keyboard.press("Control+s")
    expect(page.locator(".toast", has_text="Saved guide/lamp.md")).to_be_visible()
    assert "Every night." in (root / "guide/lamp.md").read_text()


def test_an_answer_that_is_laborious_to_draw_holds_nobody_up(page: Page, provider: ProviderServer) -> None:
    lines = [f"# {'#' * 100_000}a", f"a | b\n{' ' * 100_000}a", "```\n```\n" * 8_000, "- a\n\n" * 8_000, "That is all."]
    provider.answers[:] = [ScriptedAnswer("\n\n".join(lines), piece=50_000)]
    ask(page, "Answer at length.")
    expect(page.locator(".said.assistant")).to_contain_text("That is all.")
    expect(page.locator(".usage")).to_be_visible()


def test_an_answer_can_be_stopped_and_what_came_of_it_stays(page: Page, provider: ProviderServer) -> None:
    provider.answers[:] = [ScriptedAnswer("The lamp burns whale oil. " * 20, hold_after=8)]
    ask(page, "Tell me everything.")
    expect(page.locator(".answer")).to_contain_text("The lamp burns")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".said.assistant")).to_contain_text("Stopped.")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    assert provider.left.wait(10)
    page.reload()
    expect(page.locator(".said.assistant")).to_contain_text("The answer is not whole")
    expect(page.locator(".note-line").last).to_have_text("The answer above was stopped.")


def test_a_failure_of_the_provider_is_told_in_words(page: Page, provider: ProviderServer) -> None:
    provider.answers[:] = [ScriptedAnswer(status=400, message="that was too long")]
    ask(page, "Anything?")
    expect(page.locator(".said .trouble")).to_be_visible()
    expect(question(page)).to_be_enabled()


def test_an_answer_is_text_whatever_stands_in_it(page: Page, provider: ProviderServer) -> None:
    act = "document.documentElement.dataset.owned='yes'"
    provider.answers[:] = [
        ScriptedAnswer(
            f"# Poison <script>{act}</script>\n\n<img src=x onerror={act}> [link](javascript:{act})\n\n"
            "![x](http://evil.invalid/i.png)\n\n"
            f"| a | <b onclick={act}> |\n|---|---|\n| 1 | `<script>{act}</script>` |\n\n"
            "- **bold** and [file](guide/lamp.md)\n"
        )
    ]
    ask(page, "Be evil.")
    expect(page.locator(".answer strong")).to_have_text("bold")
    assert page.locator(".answer :is(script, img, iframe, [onclick], [onerror], a[href^=javascript])").count() == 0
    assert page.evaluate("document.documentElement.dataset.owned") is None
    page.locator(".answer").get_by_role("button", name="file").click()
    expect(editor(page)).to_contain_text("Trimming the wick")


def test_conversations_are_begun_searched_and_taken_up_again(page: Page) -> None:
    ask(page, "Why does the flame smoke?")
    expect(page.get_by_role("button", name="Apply")).to_be_visible()
    page.get_by_role("tab", name="Conversations").click()
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".welcome")).to_be_visible()
    page.get_by_role("searchbox", name="Search conversations").fill("flame")
    page.get_by_role("button", name=re.compile("Why does the flame smoke")).click()
    expect(page.locator(".said.user")).to_contain_text("Why does the flame smoke?")
    expect(page.get_by_role("button", name="Apply")).to_be_visible()


def test_an_address_in_a_question_is_fetched_by_a_click_and_by_the_rules_of_add(browser: Browser, site: Served) -> None:
    with work_page(browser, site, allowed=["403", "502"]) as page:
        question(page).fill("See http://127.0.0.1:9/page.")
        page.get_by_role("button", name="Fetch http://127.0.0.1:9/page").click()
        expect(page.locator(".toast.error")).to_be_visible()
        expect(page.get_by_role("button", name=re.compile("^Fetch"))).to_be_visible()


@needs_git
def test_changes_are_reviewed_side_by_side_put_into_the_conversation_and_committed_by_a_click(
    browser: Browser, root: Path, provider: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(root)
    write_tree(root, {".gitignore": ".pinakes\n"})
    repo.commit("All of it")
    for part, value in {"NAME": "Ada", "EMAIL": "ada@example.org"}.items():
        monkeypatch.setenv(f"GIT_AUTHOR_{part}", value)
    write_tree(root, {"guide/fog.md": "# Fog\n\nIn fog the bell rings twice a minute.\n", "bell.bin": b"\0\1"})
    provider.answers[:] = [ScriptedAnswer("guide: the bell rings twice")]
    with working(root, provider) as site, work_page(browser, site) as page:
        tab(page, "Review")
        expect(page.locator(".merge .cm-content")).to_have_count(2)
        expect(page.locator(".merge .cm-content").last).to_contain_text("twice a minute")
        expect(page.locator(".change-row").last).to_contain_text("bell.bin is no text")
        page.get_by_label("Put these changes into the conversation").check()
        tab(page, "Context")
        expect(page.locator(".context-shown")).to_contain_text("review:")
        tab(page, "Review")
        page.get_by_role("button", name="Propose a message").click()
        expect(page.get_by_role("textbox", name="Message of the commit")).to_have_value("guide: the bell rings twice")
        assert repo.git("log", "--format=%s") == "All of it"
        page.get_by_role("button", name="Commit", exact=True).click()
        expect(page.locator(".change-row")).to_have_count(1)
        assert repo.git("log", "-1", "--format=%s") == "guide: the bell rings twice"
        page.get_by_label("Commit bell.bin").check()
        page.get_by_role("textbox", name="Message of the commit").fill("The bell")
        page.get_by_role("button", name="Commit", exact=True).click()
        expect(page.locator(".review")).to_contain_text("Nothing has changed since the last commit.")
        assert repo.git("show", "--format=%s", "--name-only") == "The bell\n\nbell.bin"
        held: list[Route] = []
        page.route(re.compile(r"/work/review$"), lambda route: held.append(route))
        with page.expect_request(re.compile(r"/work/review$")):
            page.get_by_role("button", name="Show").click()
        page.get_by_role("textbox", name="Range of commits").fill("HEAD~1..HEAD")
        page.get_by_role("button", name="Show").click()
        expect(page.locator(".change-row")).to_contain_text("bell.bin")
        with page.expect_response(re.compile(r"/work/review$")):
            held[0].continue_()  # the earlier question is answered last
        expect(page.locator(".change-row")).to_contain_text("bell.bin")
