"""Work in a thread: asked for again, reminded of, stopped."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from pinakes.index.background import Background, Cancelled, QuestionThrottle, ThrottledEmbedder
from pinakes.neural import load_embedder


def test_who_asks_while_it_works_has_it_done_once_more() -> None:
    began, may_end = Event(), Event()
    done: list[int] = []

    def work() -> None:
        done.append(1)
        began.set()
        may_end.wait(10)

    background = Background(work)
    background.start()
    assert began.wait(10)
    background.start()
    background.start()
    may_end.set()
    background.wait()
    assert len(done) == 2
    assert not background.is_running


def test_many_who_ask_at_the_end_never_ask_in_vain() -> None:
    asked = 0
    seen: list[int] = []
    background = Background(lambda: seen.append(asked))
    for _ in range(300):
        asked += 1
        background.start()
    background.wait()
    assert seen[-1] == asked


def test_it_is_reminded_only_where_it_was_started() -> None:
    done: list[int] = []
    background = Background(lambda: done.append(1), restart_s=0.0)
    background.restart()
    background.wait()
    assert done == []
    background.start()
    background.wait()
    background.restart()
    background.wait()
    assert len(done) == 2
    background.stop()
    background.restart()
    background.wait()
    assert len(done) == 2


def test_it_is_not_reminded_of_what_was_just_tried() -> None:
    done: list[int] = []
    background = Background(lambda: done.append(1), restart_s=3600.0)
    background.start()
    background.wait()
    background.restart()
    background.wait()
    assert len(done) == 1


@pytest.mark.parametrize("way", ["raise_if_cancelled", "pause"])
def test_work_that_heeds_ends_when_it_is_stopped_and_can_be_started_again(way: str) -> None:
    began = Event()
    ended: list[str] = []

    def work() -> None:
        began.set()
        try:
            while True:
                background.raise_if_cancelled() if way == "raise_if_cancelled" else background.pause(0.001)
        except Cancelled:
            ended.append(way)
            raise

    background = Background(work)
    for times in (1, 2):
        began.clear()
        background.start()
        assert began.wait(10)
        background.stop()
        assert not background.is_running
        assert len(ended) == times


def test_it_may_be_stopped_and_waited_for_while_another_thread_starts_it() -> None:
    ended = Event()
    background = Background(lambda: None)

    def start_again_and_again() -> None:
        while not ended.is_set():
            background.start()

    starting = Thread(target=start_again_and_again)
    starting.start()
    try:
        for _ in range(300):
            background.stop()
            background.wait()
    finally:
        ended.set()
        starting.join()
    background.stop()
    assert not background.is_running


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_work_that_breaks_does_not_keep_the_next_from_starting() -> None:
    done: list[int] = []

    def work() -> None:
        done.append(1)
        if len(done) == 1:
            raise ValueError

    background = Background(work)
    background.start()
    background.wait()
    background.start()
    background.wait()
    assert len(done) == 2


def test_texts_keep_apart_while_questions_come() -> None:
    pauses: list[float] = []
    now = 0.0
    throttle = QuestionThrottle(lambda: now)
    quick = load_embedder()
    slow = ThrottledEmbedder(quick, pauses.append, throttle)
    texts = ["high water", "low water"]

    assert (slow.encode(texts) == quick.encode(texts)).all()
    assert pauses == [0.0, 0.0]
    throttle.note_question()
    slow.encode(texts[:1])
    assert pauses.pop() > 0.0
    now += 60.0
    slow.encode(texts[:1])
    assert pauses.pop() == 0.0


def test_a_text_that_is_told_to_stop_is_not_embedded() -> None:
    def stop(seconds: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        ThrottledEmbedder(load_embedder(), stop).encode(["high water"])
