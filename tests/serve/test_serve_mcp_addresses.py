"""What one tool prints as an address, every tool takes; what goes wrong is told in the words of tools."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kits.mcp import answer, talking
from kits.trees import write_tree
from pinakes.errors import NotFound, PinakesError
from pinakes.library import Library, open_library
from pinakes.serve.mcp.steps import for_model
from pinakes.serve.mcp.tools import PRESETS
from pinakes.tokens import count_tokens

FOLDER = "projects/documentation/reference/configuration"
HIDDEN = "odd\u200bname\u202e.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    pages = {
        f"{FOLDER}/option-{number}.md": f"# Option {number}\n\nHow option {number} works.\n" for number in range(12)
    }
    listed = "".join(f"- [{number}]({FOLDER}/option-{number}.md)\n" for number in range(11))
    others = {"README.md": f"# Start\n\nSee options.\n\n{listed}", f"notes/{HIDDEN}": "# Odd\n\nAn odd page.\n"}
    return write_tree(tmp_path / "docs", {**pages, **others})


@pytest.fixture
def library(root: Path) -> Library:
    library = open_library(root)
    library.sync()
    return library


def test_the_short_name_of_a_folder_in_a_map_is_taken_by_every_tool(library: Library) -> None:
    drawn = answer("map", library, {}).text
    (page,) = re.findall(r"^ *→ (@\S+/option-3\.md)", drawn, re.MULTILINE)
    folder = page.removesuffix("option-3.md")
    assert f'address="{FOLDER}/option-3.md"' in answer("read", library, {"address": page}).text
    assert "# Option 3" in answer("read", library, {"address": f"{page}#option-3"}).text
    assert "How option 3" in answer("read", library, {"address": f"{page}:3-3"}).text
    assert f"docs:{FOLDER}/option-3.md" in answer("links", library, {"address": page}).text
    assert "Option 11" in answer("map", library, {"under": folder}).text
    assert "Option 3" in answer("map", library, {"under": page, "focus": page}).text
    assert "option-3.md" in answer("search", library, {"query": "option 3", "path": [folder]}).text
    assert "option-3.md" in answer("search", library, {"query": "option 3", "path": [f"{folder}**"]}).text
    assert "Nothing" in answer("search", library, {"query": "odd page", "path": [folder]}).text
    assert answer("check", library, {"under": folder}).data["findings"]
    library.close()


def test_a_slash_before_a_file_of_the_root_and_letters_that_are_spelled_out_are_taken(library: Library) -> None:
    assert "# Start" in answer("read", library, {"address": "/README.md"}).text
    found = answer("search", library, {"query": "odd page"}).text
    (printed,) = re.findall(r'address="(notes/[^"#]*)', found)
    assert printed == "notes/odd\\u200bname\\u202e.md"
    assert "An odd page" in answer("read", library, {"address": printed}).text
    assert "Odd" in answer("map", library, {"under": printed}).text
    assert "An odd page" in answer("search", library, {"query": "odd page", "path": [printed]}).text
    library.close()


def test_a_short_name_that_means_several_folders_is_refused_with_them(tmp_path: Path) -> None:
    pages = {f"{top}/guide/page-{number}.md": "# Page\n" for top in ("one", "two") for number in range(4)}
    with open_library(write_tree(tmp_path, pages)) as library:
        library.sync()
        with pytest.raises(NotFound, match="short name of several folders"):
            library.read("@guide/page-1.md")
        assert library.read("@one.guide/page-1.md").ref.path == "one/guide/page-1.md"


def test_a_folder_that_is_really_called_so_is_itself(tmp_path: Path) -> None:
    with open_library(write_tree(tmp_path, {"@types/node.md": "# Node\n", "x/types/a.md": "# A\n"})) as library:
        library.sync()
        assert library.read("@types/node.md").title == "Node"
        assert library.read("/@types/node.md").title == "Node"


def test_the_uri_of_a_resource_is_an_address(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        uri = f"pinakes://docs/{FOLDER}/option-3.md"
        for tool, given in (
            ("read", {"address": f"{uri}#option-3"}),
            ("map", {"under": uri}),
            ("links", {"address": uri}),
        ):
            result = talk.call(tool, **given)["result"]
            assert not result["isError"], result
            assert "option-3" in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("README.md#nothing", "README.md has no section “nothing”. `map` with under README.md lists its sections."),
        ("zzzz.md", "There is no document “zzzz.md”. `map` shows what there is."),
        ("memories:zzzz", "There is no document “zzzz”. `map` shows what there is."),
    ],
)
def test_an_error_names_tools_and_no_commands(library: Library, address: str, said: str) -> None:
    library.memories.remember("A note.", "Note")
    with pytest.raises(NotFound) as refused:
        answer("read", library, {"address": address})
    assert for_model(refused.value, PRESETS["few"]) == said
    library.close()


@pytest.mark.parametrize(
    ("tool", "asked", "step"),
    [
        ("history", {"query": "why"}, "`search` finds what the documents say."),
        ("context", {"mode": "code"}, "Set code.enabled = true in pinakes.toml, or ask `context` with mode docs."),
        ("remember", {"text": " ", "title": "T"}, "Give it to `remember` as text."),
    ],
)
def test_an_error_names_no_options_of_a_command(
    library: Library, tool: str, asked: dict[str, object], step: str
) -> None:
    with pytest.raises(PinakesError) as refused:
        answer(tool, library, asked)
    assert for_model(refused.value, PRESETS["few"] + PRESETS["full"]).endswith(f". {step}")
    library.close()


def test_what_no_tool_does_is_for_the_person_with_the_terminal() -> None:
    error = NotFound("It is broken.", "pinakes doctor --repair makes it again.")
    assert for_model(error, PRESETS["full"]) == "It is broken. In a terminal: pinakes doctor --repair makes it again."
    option = NotFound("It cannot be read.", "Make it writable, or choose another place with --store.")
    assert for_model(option, PRESETS["full"]) == "It cannot be read. Make it writable, or choose another place."
    twice = NotFound("Not here.", "In a terminal, pinakes add PATH adds any file.")
    assert for_model(twice, PRESETS["full"]).count("terminal") == 1
    missing = NotFound("There is no added document “x”.", "pinakes list shows all added documents.")
    assert "`list` shows" in for_model(missing, PRESETS["full"])
    assert "In a terminal" in for_model(missing, PRESETS["few"])


def test_a_prompt_attaches_no_more_than_read_would_show(tmp_path: Path) -> None:
    long = "".join(f"Line {number} of a long page.\n" for number in range(4000))
    with talking(write_tree(tmp_path / "docs", {"long.md": f"# Long\n\n{long}"})) as talk:
        talk.greet()
        made = talk.ask("prompts/get", {"name": "summarise", "arguments": {"address": "long.md"}})["result"]
        text = made["messages"][1]["content"]["resource"]["text"]
        assert count_tokens(text) < 8100
        assert re.search(r"Cut at the budget\. Read long\.md:\d+-4002 to go on\.$", text)
