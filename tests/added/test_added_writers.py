"""Many writers, and writers that are killed: nothing acknowledged is lost, and no document is half of two."""

from __future__ import annotations

import hashlib
import json
import random
import signal
import subprocess
import sys
from pathlib import Path

from pinakes.added import AddedOptions
from pinakes.added.added_files import AddedSource
from pinakes.library.added import Added
from pinakes.own_folder import OwnFolder

_ADD_FOR_EVER = """
import itertools, sys
from pathlib import Path
from pinakes.added import AddedOptions
from pinakes.library.added import Added
from pinakes.own_folder import OwnFolder
added = Added(OwnFolder(Path(sys.argv[1]), 2), AddedOptions())
for turn in itertools.count(int(sys.argv[2])):
    text = f"# Turn {turn}\\n\\n" + f"words of turn {turn}\\n" * 2000
    type_name = ("md", "txt")[turn % 2]
    made = added.add_text(text.encode(), title="Always the same", type_name=type_name)
    other = added.add_text(text.encode())
    print(turn, made.document.checksum, other.document.id, flush=True)
    if turn % 5 == 4:
        added.drop([other.document.id])
        print(turn, "dropped", other.document.id, flush=True)
"""

_ADD_SOME = """
import sys
from pathlib import Path
from pinakes.added import AddedOptions
from pinakes.library.added import Added
from pinakes.own_folder import OwnFolder
folder, own, files = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
added = Added(OwnFolder(folder, 2), AddedOptions())
for turn in range(8):
    added.add_text(f"Turn {turn} of {own}".encode(), project=f"p{turn % 3}")
    for file in files:
        added.add(file)
    added.list()
added.drop([added.add_text(f"Dropped by {own}".encode()).document.id])
"""


def whole(added: Added) -> dict[str, str]:
    """Every document's title and turn, each checked to be one document and not half of two."""
    found = {}
    for document in added.list():
        text = added.get(document.id).text
        assert hashlib.sha256(text.encode()).hexdigest() == document.checksum
        assert len(text.encode()) == document.size
        found[document.id] = document.checksum
    return found


def test_a_killed_writer_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    folder = tmp_path / "store" / "added"
    added = Added(OwnFolder(folder, 2), AddedOptions())
    moments = random.Random(5)
    turn = 0
    for _ in range(15):
        writer = subprocess.Popen(
            [sys.executable, "-c", _ADD_FOR_EVER, str(folder), str(turn)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(moments.randrange(1, 8))]
        # Some more or less work, so that every run ends at another step of a write.
        hashlib.pbkdf2_hmac("sha256", b"", b"", moments.randrange(1, 60_000))
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.readlines()
        writer.stdout.close()
        writer.wait()
        lines = [line.split() for line in said if line.endswith("\n")]
        acknowledged = [line for line in lines if line[1] != "dropped"]
        dropped = {line[2] for line in lines if line[1] == "dropped"}
        found = whole(added)
        assert {line[2] for line in acknowledged} - dropped - found.keys() <= {acknowledged[-1][2]}
        assert not dropped & found.keys()
        # The one that is always replaced is as last acknowledged, or the next.
        following = int(acknowledged[-1][0]) + 1
        text = f"# Turn {following}\n\n" + f"words of turn {following}\n" * 2000
        same = [one for one in added.list() if one.title == "Always the same"]
        assert next(one.checksum for one in same) in {acknowledged[-1][1], hashlib.sha256(text.encode()).hexdigest()}
        assert len(same) == 1
        assert [stamp.ref.path for stamp in AddedSource(OwnFolder(folder, 2)).scan().stamps] == sorted(
            one.path for one in added.list()
        )
        turn = following + 1


def test_six_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "store" / "added"
    files = [tmp_path / f"{name}.md" for name in "ab"]
    for file in files:
        file.write_text(f"# {file.stem}\n")
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _ADD_SOME, str(folder), str(own), *map(str, files)], stderr=subprocess.PIPE
        )
        for own in range(6)
    ]
    errors = [one.communicate()[1] for one in running]
    assert errors == [b""] * 6
    added = Added(OwnFolder(folder, 2), AddedOptions())
    titles = sorted(one.title for one in added.list())
    assert titles == sorted(["a", "b", *(f"Turn {turn} of {own}" for turn in range(8) for own in range(6))])
    assert len(whole(added)) == 50
    records = [json.loads(file.read_text()) for file in folder.glob("*/*.json")]
    assert len(records) == 50
