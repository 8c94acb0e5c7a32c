"""A conversation over HTTP with a real provider: streams, edits, stops, failures, sessions, summaries."""

from __future__ import annotations

import json
from pathlib import Path

from kits.providers import ScriptedAnswer
from kits.trees import write_tree
from kits.waiting import HANG_S, until
from kits.work import EDIT, FILES, Working, listening, working

TIDES = "docs/tides.md"


def said(work: Working) -> list[tuple[str, str]]:
    return [(one["role"], one["text"]) for one in work.get("messages")]


def test_an_answer_streams_with_its_usage_and_is_kept(work: Working) -> None:
    told = work.ask("How is it?")
    assert told[0][0] == "begin" and told[0][1]["context_tokens"] > 0
    assert "".join(data["text"] for name, data in told if name == "text") == "All is well."
    assert [name for name, _ in told][-2:] == ["usage", "done"]
    usage, done = told[-2][1], told[-1][1]
    assert usage["sent"] > 0 and usage["answered"] > 0
    assert done == {"exchange": told[0][1]["exchange"], "edits": 0, "is_whole": True}
    question, answer = work.get("messages")
    assert (question["role"], question["text"], question["mode"]) == ("user", "How is it?", "code")
    assert (answer["id"], answer["text"], answer["usage"]["sent"]) == (done["exchange"], "All is well.", usage["sent"])
    assert work.get("state")["session"]["title"] == "How is it?"


def test_selected_files_stand_in_the_question_and_in_the_session(work: Working) -> None:
    work.post("selection", paths=["src/crane.py"])
    work.ask("Is this right?")
    assert "return tonnes" in str(work.provider.asked[-1].body)
    assert work.get("messages")[0]["files"] == ["src/crane.py"]


def test_edits_are_told_tried_applied_and_taken_back(repository: Path) -> None:
    with working(repository, [EDIT]) as work, listening(work.server) as news:
        told = work.ask("Say more about the tides.")
        (edit,) = (data for name, data in told if name == "edit")
        assert (edit["number"], edit["path"], edit["fault"]) == (1, TIDES, "")
        assert told[-1][1]["edits"] == 1
        exchange = told[-1][1]["exchange"]
        assert work.get("messages")[-1]["edits"] == [TIDES]

        before = (repository / TIDES).read_bytes()
        plan = work.post("edits/preview", exchange=exchange)
        assert plan["refused"] == [] and plan["diff"].startswith(f"--- a/{TIDES}")
        assert plan["changes"][0]["before"] == before.decode()
        assert (repository / TIDES).read_bytes() == before

        assert work.post("edits/apply", exchange=exchange) == {"changed": [TIDES], "refused": []}
        assert b"so does low water" in (repository / TIDES).read_bytes()
        assert news.until("changed")[1]["paths"] == [TIDES]
        assert work.get("state")["can_undo"]
        (refused,) = work.post("edits/apply", exchange=exchange)["refused"]
        assert refused["path"] == TIDES and "so does low water" in refused["nearest"]

        assert work.post("edits/undo") == {"changed": [TIDES]}
        assert (repository / TIDES).read_bytes() == before
        assert not work.get("state")["can_undo"]
        assert said(work)[-2:] == [
            ("system", f"Changed as asked for: {TIDES}"),
            ("system", f"Changes taken back: {TIDES}"),
        ]


def test_a_file_that_an_edit_touched_is_read_again_whatever_its_size_and_time_say(repository: Path) -> None:
    answer = f"{TIDES}\n<<<<<<< FIND\n# Tides\n=======\n# Waves\n>>>>>>> END\n"
    with working(repository, [answer, "Well."]) as work:
        work.post("mode", mode="docs")
        exchange = work.ask("Rename it.")[-1][1]["exchange"]
        assert work.post("edits/apply", exchange=exchange)["changed"] == [TIDES]
        work.ask("And now?")
        assert "# Waves" in str(work.provider.asked[-1].body)
        work.post("edits/undo")


def test_a_stop_ends_the_request_and_keeps_what_came(repository: Path) -> None:
    with working(repository, [ScriptedAnswer("One two three four five.", hold_after=3)]) as work:
        with listening(work.server, "/work/ask", b'{"question": "Count."}') as answer:
            answer.until("text")
            assert work.provider.held.wait(HANG_S)
            assert work.get("state")["answering"]
            refused = work.server.post("/work/ask", {"question": "And?"})
            assert (refused.status, refused.json["detail"]) == (409, "A question is being answered.")
            refused = work.server.post("/work/sessions", {})
            assert (refused.status, refused.json["detail"]) == (409, "A question is being answered.")
            assert work.post("stop") == {"stopped": True}
            assert answer.until("done")[1]["is_whole"] is False
        assert work.provider.left.wait(HANG_S)
        until(lambda: not work.get("state")["answering"], "the answer has ended")
        question, partial, note = work.get("messages")
        assert "One two three four five.".startswith(partial["text"]) and partial["text"]
        assert not partial["is_whole"] and question["text"] == "Count."
        assert note["text"] == "The answer above was stopped."
        assert work.post("stop") == {"stopped": False}


def test_a_page_that_goes_stops_the_answer_and_the_next_question_is_taken(repository: Path) -> None:
    with working(repository, [ScriptedAnswer("One two three.", hold_after=3), "Well."]) as work:
        with listening(work.server, "/work/ask", b'{"question": "Count."}') as answer:
            answer.until("text")
            assert work.provider.held.wait(HANG_S)
        assert work.provider.left.wait(HANG_S)
        until(lambda: not work.get("state")["answering"], "the answer has ended")
        assert work.ask("Again?")[-1][0] == "done"
        assert [role for role, _ in said(work)] == ["user", "assistant", "system", "user", "assistant"]


def test_an_answer_that_breaks_off_is_a_problem_and_what_came_is_kept(repository: Path) -> None:
    with working(repository, [ScriptedAnswer("One two three.", cut_after=4)]) as work:
        told = work.ask("Count.")
        assert told[-1][0] == "problem" and told[-1][1]["detail"]
        roles = [role for role, _ in said(work)]
        assert roles == ["user", "assistant", "system"]
        assert said(work)[-1][1].startswith("The answer above broke off.")
        assert not work.get("messages")[1]["is_whole"]


def test_a_question_that_is_refused_is_kept_with_the_reason(repository: Path) -> None:
    with working(repository, [ScriptedAnswer(status=401, message="bad key"), "Well."]) as work:
        told = work.ask("Are you there?")
        assert told[-1][0] == "problem" and told[-1][1]["next_step"]
        assert [role for role, _ in said(work)] == ["user", "system"]
        assert work.ask("And now?")[-1][0] == "done"


def test_an_answer_at_its_limit_of_tokens_is_marked(repository: Path) -> None:
    with working(repository, [ScriptedAnswer("One two", stop="length")]) as work:
        assert work.ask("Count.")[-1][1]["is_whole"] is False
        assert said(work)[-1] == ("system", "The answer above reached its limit of tokens.")


def test_sessions_are_listed_searched_resumed_and_outlive_the_server(tmp_path: Path, repository: Path) -> None:
    write_tree(tmp_path, dict(FILES))
    with working(tmp_path) as work:
        work.ask("Where are the cranes?")
        first = work.get("state")["session"]["id"]
        assert work.post("sessions")["id"] != first
        work.ask("Where are the buoys?")
    with working(tmp_path) as work:
        assert work.get("messages") == []
        assert [one["title"] for one in work.get("sessions")] == ["Where are the buoys?", "Where are the cranes?"]
        (found,) = work.get("sessions", q="CRANES")
        assert (found["id"], found["messages"]) == (first, 2)
        assert work.post("sessions/resume", id=first) == {"id": first, "title": "Where are the cranes?"}
        assert said(work) == [("user", "Where are the cranes?"), ("assistant", "All is well.")]
        work.ask("And now?")
        assert "Where are the cranes?" in str(work.provider.asked[-1].body)
        assert work.server.post("/work/sessions/resume", {"id": "20260101-000000-abcdef"}).status == 404
        assert work.server.post("/work/sessions/resume", {"id": "../x"}).status == 404


def test_looking_around_leaves_no_session_behind(work: Working, repository: Path) -> None:
    before = {path.name for path in (repository / ".pinakes/sessions").glob("*")}
    work.post("mode", mode="docs")
    work.post("mode", mode="code")
    work.post("sessions")
    assert {path.name for path in (repository / ".pinakes/sessions").glob("*")} == before


def test_what_was_said_is_summarised_with_the_prompt_of_the_present_mode(repository: Path) -> None:
    with working(repository, [ScriptedAnswer("Notes on cranes.", when="Summarise the conversation"), "Well."]) as work:
        assert work.post("compact")["is_compacted"] is False
        for question in ("One crane?", "Two cranes?", "Three cranes?"):
            work.ask(question)
        work.post("mode", mode="docs")
        assert work.post("compact") == {"is_compacted": True, "message": "What was said before is summarised."}
        asked = json.dumps(work.provider.asked[-1].body)
        assert "you work on the documents of this repository" in asked and "One crane?" in asked
        assert said(work)[-1] == ("summary", "Notes on cranes.")
        assert said(work)[0] == ("user", "One crane?")
        work.ask("And now?")
        sent = str(work.provider.asked[-1].body)
        assert "Notes on cranes." in sent and "One crane?" not in sent and "Three cranes?" in sent


def test_a_long_conversation_is_summarised_before_the_next_question(repository: Path) -> None:
    long = "crane " * 900
    answers = [ScriptedAnswer("Notes.", when="Summarise the conversation"), ScriptedAnswer(long)]
    with working(repository, answers, environment={"PINAKES_WORK_COMPACT_AT_TOKENS": "1000"}) as work:
        for number in range(4):
            assert work.ask(f"Question {number}?")[-1][0] == "done"
        assert ("summary", "Notes.") in said(work)
        assert "Question 0?" not in str(work.provider.asked[-1].body)
