"""A move is carried out as a whole or not at all, whatever interrupts it: an error or a kill at any step."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STEPS = """
import os, sys
from pathlib import Path
import pinakes
from kits.trees import write_tree
from kits.vaults import everything
from pinakes.errors import PinakesError

root, deed, way = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
write_tree(root, {
    "a.md": "[g](guide/auth.md) [[auth]]\\n", "b.md": "[g](guide/auth.md#tokens)\\n",
    "guide/auth.md": "# Auth\\n\\n[a](../a.md)\\n\\n## Tokens\\n", "guide/page.md": "[s](auth.md)\\n",
    ".memories/plan.md": "---\\ntitle: Plan\\nrelated: [guide/auth.md]\\n---\\n\\nSee [[guide/auth.md]].\\n",
})
library = pinakes.open(root)
library.refresh()
before = everything(root)
plan = library.plan_move("guide/auth.md", "x/y/login.md")
library.apply(plan)
after = everything(root)
library.undo_move()
assert everything(root) == before
first, last = (before, after) if deed == "apply" else (after, before)

WRITES = ("os.rename", "os.link", "os.remove", "os.mkdir")  # an empty folder that cannot be removed is no error
def interrupted(number):
    # Let the chosen step, counted from 0, be the last of this process, or let it fail.
    seen = [0]
    def hook(event, args):
        if event in WRITES or (event == "open" and args[2] & os.O_CREAT):
            seen[0] += 1
            if seen[0] == number + 1:
                if way == "kill":
                    os._exit(9)
                raise OSError(28, "No space left on device")
    sys.addaudithook(hook)
    try:
        library.apply(plan) if deed == "apply" else library.undo_move()
    except (OSError, PinakesError) as error:
        os._exit(7)
    os._exit(0)

number, states = 0, set()
while True:
    if deed == "undo" and everything(root) == before:
        library.apply(plan)
    assert everything(root) == first
    pid = os.fork()
    if not pid:
        interrupted(number)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    now = everything(root)
    if code == 7:
        assert now == first, (number, sorted(set(now) ^ set(first)))
    library.refresh()
    now = everything(root)
    assert now in (first, last), (number, code, sorted(set(now) ^ set(first)))
    states.add(now == last)
    if code == 0:
        assert now == last
        break
    if now == last and deed == "apply":
        library.undo_move()
    number += 1
print(number, sorted(states))
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("way", ["kill", "fail"])
@pytest.mark.parametrize("deed", ["apply", "undo"])
def test_every_step_may_be_the_last(tmp_path: Path, deed: str, way: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STEPS, str(tmp_path / "root"), deed, way],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0, done.stderr
    steps, states = done.stdout.split(" ", 1)
    assert int(steps) > 15
    assert states == "[False, True]\n"
