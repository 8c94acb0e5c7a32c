"""The law of two trackers, over random work on a real library: a switch there and back restores the prompt."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kits.providers import providing
from kits.trees import write_tree
from pinakes.context.modes import ContextMode
from pinakes.library import Library, open_library
from pinakes.library.workspace import Workspace, model_of

pytest.importorskip("tree_sitter_python", reason="needs the extra code")
pytest.importorskip("openai", reason="needs the extra work")

WORDS = "High water comes twice a day, and so does low water. "
FILES: dict[str, str | bytes] = {
    "docs/a.md": f"# Alpha\n\nSee [beta](b.md).\n\n{WORDS * 40}\n",
    "docs/b.md": f"# Beta\n\nThe code is [here](../src/load.py).\n\n{WORDS * 60}\n",
    "docs/plan.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text>Crane</text></svg>',
    "src/load.py": "def load(path):\n    return path\n",
    "src/save.py": "from load import load\n\n\ndef save(path):\n    return load(path)\n",
    "notes.txt": "Tide.\n",
    "pinakes.toml": "[code]\nenabled = true\n",
}
PATHS = ("docs/a.md", "docs/b.md", "src/load.py", "src/save.py", "notes.txt")
MORE = {".md": "\n## Tides {}\n", ".py": "\n\ndef tide_{}():\n    return 1\n", ".txt": "Ebb {}.\n"}

STEPS = st.tuples(
    st.sampled_from(("select", "edit", "ask", "overlay", "switch")),
    st.lists(st.sampled_from(PATHS), unique=True, max_size=3),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root = write_tree(tmp_path_factory.mktemp("library"), FILES)
    with providing(["All is well."]) as provider:
        talk = {"provider": "openai", "model": "qwen3", "endpoint": provider.openai, "cache_target_tokens": 40}
        with open_library(root, {f"work.{name}": value for name, value in talk.items()}) as opened:
            opened.sync()
            yield opened


def other(mode: ContextMode) -> ContextMode:
    return ContextMode.DOCS if mode is ContextMode.CODE else ContextMode.CODE


def work(workspace: Workspace, steps: list[tuple[str, list[str]]]) -> None:
    """Do what somebody does in a workspace."""
    for number, (step, paths) in enumerate(steps):
        if step == "select":
            workspace.select(paths)
        elif step == "edit":
            for path in paths:
                file = workspace.library.root / path
                file.write_text(file.read_text() + MORE[file.suffix].format(number))
            workspace.read_again(paths)
        elif step == "ask":
            list(workspace.ask("What is missing here?"))
        elif step == "overlay":
            workspace.set_overlay(on=not workspace.has_overlay)
        else:
            workspace.switch(other(workspace.mode))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, max_size=8))
def test_a_switch_there_and_back_restores_the_prompt_byte_for_byte(
    library: Library, steps: list[tuple[str, list[str]]]
) -> None:
    write_tree(library.root, FILES)
    library.sync()
    workspace = Workspace(library, model=lambda one: model_of(one, {}))
    work(workspace, steps)
    mode = workspace.mode
    workspace.select([])
    workspace.set_overlay(on=False)
    before = workspace.context().prompt
    for _ in range(2):
        workspace.switch(other(mode))
        workspace.switch(mode)
        assert workspace.context().prompt.text().encode() == before.text().encode()
        assert workspace.context().prompt == before
