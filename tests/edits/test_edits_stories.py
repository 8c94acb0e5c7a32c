"""Five hundred made-up answers: every block is carried out or refused with the reason, and never half."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from kits.answers import Story, story
from kits.trees import write_tree
from kits.vaults import everything
from pinakes.edits import EditJournal, EditStream, apply_edits, blocks_of, plan_edits, undo_edits
from pinakes.own_folder import OwnFolder
from pinakes.records.edits import EditBlock

STORIES, SHARDS = 500, 5


def byte_by_byte(answer: str) -> tuple[EditBlock, ...]:
    stream, decoder = EditStream(), codecs.getincrementaldecoder("utf-8")()
    data = answer.encode()
    found = [block for at in range(len(data)) for block in stream.feed(decoder.decode(data[at : at + 1]))]
    return (*found, *stream.finish())


def cut_in_two(answer: str, at: int) -> tuple[EditBlock, ...]:
    stream = EditStream()
    return (*stream.feed(answer[:at]), *stream.feed(answer[at:]), *stream.finish())


def files_below(root: Path) -> dict[str, bytes]:
    return {path: data for path, data in everything(root).items() if data is not None}


def tell(told: Story, folder: Path) -> None:
    root = write_tree(folder, told.before)
    blocks = blocks_of(told.answer)
    assert byte_by_byte(told.answer) == blocks
    assert len(blocks) == told.sound + len(told.refused)
    plan = plan_edits(root, blocks, lambda path: "")
    assert len(plan.refused) == len(told.refused), [one.reason for one in plan.refused]
    for one, words in zip(plan.refused, told.refused, strict=True):
        assert words in one.reason
    assert files_below(root) == told.before
    journal = EditJournal(OwnFolder.below(root, root / ".pinakes" / "edits"))
    apply_edits(root, plan, journal)
    assert files_below(root) == told.after
    if plan.changes:
        undo_edits(root, journal)
        assert not [path for path in everything(root) if path.startswith("made")]
    assert files_below(root) == told.before


@pytest.mark.timeout(300)
@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_block_is_carried_out_or_refused_and_never_half(shard: int, tmp_path: Path) -> None:
    for seed in range(shard, STORIES, SHARDS):
        tell(story(seed), tmp_path / str(seed))


@pytest.mark.timeout(300)
def test_an_answer_cut_in_two_anywhere_has_the_same_blocks() -> None:
    for seed in range(40):
        answer = story(seed).answer
        blocks = blocks_of(answer)
        assert all(cut_in_two(answer, at) == blocks for at in range(len(answer) + 1))


def test_an_answer_that_breaks_off_anywhere_gives_no_block_that_was_not_finished() -> None:
    for seed in range(40):
        answer = story(seed).answer
        whole = [block for block in blocks_of(answer) if not block.fault]
        for at in range(0, len(answer), 7):
            found = [block for block in blocks_of(answer[:at]) if not block.fault]
            assert found == whole[: len(found)]
