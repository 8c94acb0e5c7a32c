"""What an agent pays and gets: questions through `pinakes mcp` on stdio, asked by the SDK's own client.

    python -m benchmarks.agents SET [--model static] [--era auto] [--calls 1000] [--kept FOLDER]

A set of graded questions enters (see docs/eval.md). Three tables leave: fifteen questions as an agent puts them, with
the place of the first hit that holds a string chosen beforehand (they are about the four projects of the development
set and left out for any other); the graded questions by several arguments, with tokens, right sections and doubt;
random calls of every tool that reads, and the answers that are longer than their budget. Tokens are those of
`pinakes.tokens`, of everything that is sent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client, types

from benchmarks.asked import has_doubt
from benchmarks.clock import say
from pinakes.evaluation.headings import Headings
from pinakes.evaluation.questions import Question
from pinakes.evaluation.sets import open_set
from pinakes.library import Library, open_library
from pinakes.records import DOCS, Ref, Span
from pinakes.tokens import count_tokens

AS_AGENTS_ASK = (
    ("How do I allow my React frontend to call a FastAPI backend (CORS)?", "CORSMiddleware"),
    ("How do I pin the Python version of a project in uv?", ".python-version"),
    ("Should I use Arc or Rc to share a value between threads?", "Arc<T>"),
    ("Which prefix must environment variables have to reach client code in Vite?", "VITE_"),
    ("How do I give uv the credentials of a private package index?", "UV_INDEX_"),
    ("How can I override a dependency in FastAPI tests?", "dependency_overrides"),
    ("Set the port of Vite's dev server and fail when it is already in use", "strictPort"),
    ("How do I write async tests for a FastAPI app?", "AsyncClient"),
    ("What is the difference between uv lock and uv sync?", "Syncing is the process"),
    ("Why can't I have two mutable references to the same value?", "data race"),
    ("Which Node.js versions does Vite 7 need?", "20.19"),
    ("Deploy a uv project to AWS Lambda", "Mangum"),
    ("Does FastAPI support GraphQL, and with which library?", "Strawberry"),
    ("How do I opt out of telemetry in uv?", ""),
    ("Which section explains deref coercion?", "deref coercion"),
)
"""A question, and what its answer must hold; nothing where the documents have no answer."""
_ABOUT = ("fastapi", "rust-book", "uv", "vite")

VARIANTS: tuple[Mapping[str, object], ...] = (
    {},
    {"limit": 5},
    {"limit": 10, "budget": 2000},
    {"limit": 10, "detail": "section", "budget": 4000},
    {"detail": "ids"},
    {"pack": True, "budget": 1000},
    {"pack": True, "budget": 2000},
)


_HIT = re.compile(
    r'^<document (?P<mark>\w+) address="(?P<address>[^"]*)" lines="(?P<lines>[\d-]+)"(?: \w+="[^"]*")*'
    r"(?:/>|>\n(?P<text>.*?)\n</document (?P=mark)>)$",
    re.DOTALL | re.MULTILINE,
)
"""A hit as a model sees it."""


@dataclass(frozen=True, slots=True)
class AnswerHit:
    """One hit of an answer."""

    ref: Ref
    lines: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from one call."""

    text: str
    data: Mapping[str, Any]
    """The structured copy, where the server sends one."""
    is_error: bool

    @property
    def tokens(self) -> int:
        copy = json.dumps(self.data, ensure_ascii=False, separators=(",", ":")) if self.data else ""
        return count_tokens(self.text) + count_tokens(copy)

    @property
    def hits(self) -> list[AnswerHit]:
        found = _HIT.finditer(self.text)
        return [AnswerHit(Ref.parse(one["address"]), one["lines"], one["text"] or "") for one in found]

    @property
    def has_doubt(self) -> bool:
        """Whether a reader of the text is told that this may be no answer."""
        return has_doubt(self.text)


@dataclass(frozen=True, slots=True)
class Caller:
    """An open session with the server."""

    client: Client

    async def call(self, tool: str, arguments: Mapping[str, object]) -> Answer:
        found = await self.client.call_tool(tool, dict(arguments))
        text = "\n".join(block.text for block in found.content if isinstance(block, types.TextContent))
        return Answer(text, found.structured_content or {}, bool(found.is_error))

    async def usual_budget(self) -> int:
        """What `search` keeps to when nothing is said."""
        tools = {tool.name: tool for tool in (await self.client.list_tools()).tools}
        return int(tools["search"].input_schema["properties"]["budget"]["default"])


class Judge:
    """Knows which sections of the documents a question's judges and an answer's hits mean."""

    def __init__(self, library: Library) -> None:
        @cache
        def headings(path: str) -> Headings | None:
            document = library.corpus().store.document(Ref(DOCS, path))
            return None if document is None else Headings(document)

        self._headings = headings

    def is_right(self, question: Question, answer: Answer, grade: int = 1) -> bool:
        """Whether a section of at least this grade is among the hits: 2 answers, 1 helps."""
        judged = [one for one in question.relevant if one.grade >= grade]
        wanted = {(one.path, self._judged(one.path, one.heading)) for one in judged}
        return any(self._shown(hit) in wanted for hit in answer.hits)

    def is_right_page(self, question: Question, answer: Answer) -> bool:
        pages = {one.path for one in question.relevant}
        return any(hit.ref.path in pages for hit in answer.hits)

    def _judged(self, path: str, heading: str) -> int | None:
        headings = self._headings(path)
        return headings.find(heading) if headings else None

    def _shown(self, hit: AnswerHit) -> tuple[str, int | None]:
        headings = self._headings(hit.ref.path)
        if headings is None:
            return hit.ref.path, None
        first, _, last = hit.lines.partition("-")
        lines = headings.document.source.splitlines(keepends=True)
        span = Span(sum(map(len, lines[: int(first) - 1])), sum(map(len, lines[: int(last or first)])))
        return hit.ref.path, headings.shown(hit.ref.anchor, span)


async def ask_as_agents(caller: Caller) -> list[str]:
    """The fifteen questions by default arguments, a row for each."""
    rows = ["| question | tokens | first hit with the answer | doubt |", "|---|---:|---:|---|"]
    answers = [await caller.call("search", {"query": question}) for question, _ in AS_AGENTS_ASK]
    found = []
    for (question, sought), answer in zip(AS_AGENTS_ASK, answers, strict=True):
        places = [place for place, hit in enumerate(answer.hits, 1) if sought in hit.text]
        found.append(places[0] if sought and places else 0)
        shown = str(found[-1] or "–") if sought else "(has none)"
        rows.append(f"| {question} | {answer.tokens:,} | {shown} | {'yes' if answer.has_doubt else ''} |")
    have = sum(bool(sought) for _, sought in AS_AGENTS_ASK)
    first = f"{sum(map(bool, found))} of {have}, {found.count(1)} first"
    rows.append(f"| all | {sum(one.tokens for one in answers):,} | {first} | |")
    return rows


async def ask_graded(caller: Caller, questions: Sequence[Question], judge: Judge, usual: int) -> list[str]:
    """The graded questions, a row for each way to ask."""
    rows = [
        "| arguments | tokens, mean | longest | over budget | right section | of grade 2 | right page |"
        " doubt, no answer | doubt, answer |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    have = [question for question in questions if question.relevant]
    have_not = [question for question in questions if not question.relevant]
    for arguments in VARIANTS:
        say(f"search {json.dumps(arguments)}")
        yes = [await caller.call("search", {"query": question.text, **arguments}) for question in have]
        no = [await caller.call("search", {"query": question.text, **arguments}) for question in have_not]
        pairs = list(zip(have, yes, strict=True))
        both, most = yes + no, int(str(arguments.get("budget", usual)))
        cells = (
            ", ".join(name if value is True else f"{name} {value}" for name, value in arguments.items()) or "default",
            f"{mean(one.tokens for one in both):,.0f}",
            f"{max(one.tokens for one in both):,}",
            f"{sum(one.tokens > most for one in both)} of {len(both)} ({most:,})",
            f"{sum(judge.is_right(*pair) for pair in pairs)} of {len(have)}",
            f"{sum(judge.is_right(*pair, grade=2) for pair in pairs)}",
            f"{sum(judge.is_right_page(*pair) for pair in pairs)}",
            f"{sum(one.has_doubt for one in no)} of {len(no)}",
            f"{sum(one.has_doubt for one in yes)} of {len(yes)}",
        )
        rows.append(f"| {' | '.join(cells)} |")
    return rows


async def ask_at_random(caller: Caller, words: Sequence[str], paths: Sequence[str], calls: int) -> list[str]:
    """Random calls with random budgets, a row for each tool."""
    chance = random.Random(15)
    asked: dict[str, list[tuple[Mapping[str, object], Answer]]] = {}
    for number in range(calls):
        if number % 100 == 0:
            say(f"random call {number:,} of {calls:,}")
        tool, arguments = random_call(chance, words, paths)
        asked.setdefault(tool, []).append((arguments, await caller.call(tool, arguments)))
    rows = ["| tool | calls | refused | over budget | worst |", "|---|---:|---:|---:|---|"]
    for tool, answers in sorted(asked.items()):
        over = [(one.tokens / int(str(given["budget"])), given, one) for given, one in answers]
        over = sorted((one for one in over if one[0] > 1), key=lambda one: -one[0])
        worst = f"{over[0][2].tokens:,} tokens for {json.dumps(over[0][1], ensure_ascii=False)[:160]}" if over else ""
        refused = sum(one.is_error for _, one in answers)
        rows.append(f"| {tool} | {len(answers):,} | {refused:,} | {len(over):,} | {worst.replace('|', ' ')} |")
    return rows


def random_call(chance: random.Random, words: Sequence[str], paths: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """A tool that reads, and arguments for it, with a budget of 100 to 10,000 tokens."""
    budget = int(10 ** chance.uniform(2, 4))
    path = chance.choice(paths)
    question = " ".join(chance.choices(words, k=chance.randint(1, 8)))
    tool = chance.choices(
        ("search", "read", "map", "links", "status", "check", "recall", "list"), weights=(12, 4, 3, 3, 1, 1, 1, 1)
    )[0]
    arguments: dict[str, Any] = {"budget": budget}
    if tool == "search":
        arguments["query"] = question
        options: dict[str, object] = {
            "limit": chance.randint(1, 100),
            "detail": chance.choice(("ids", "snippet", "section")),
            "profile": chance.choice(("fast", "balanced", "thorough")),
            "pack": chance.random() < 0.5,
            "diverse": chance.random() < 0.5,
            "explain": chance.random() < 0.5,
            "anyway": chance.random() < 0.5,
            "path": [path.partition("/")[0]],
        }
        arguments |= {name: options[name] for name in chance.sample(sorted(options), chance.randint(0, 4))}
    elif tool in ("read", "links"):
        lines = f":{chance.randint(1, 40)}-{chance.randint(41, 400)}"
        arguments["address"] = path if tool == "links" or chance.random() < 0.7 else path + lines
    elif tool == "map":
        arguments |= chance.choice(({}, {"under": path}, {"under": path.partition("/")[0]}, {"focus": question}))
        arguments |= chance.choice(({}, {"summary": True}, {"tokens": True}))
    elif tool == "recall":
        arguments["query"] = question
    return tool, arguments


async def measure(place: Path, given: argparse.Namespace, store: Path) -> None:
    held = open_set(place)
    if held.root is None:
        sys.exit(f"{place} has no corpus of its own; name a folder with corpus/ and queries.jsonl.")
    settings = {"neural.model": given.model, "keywords.enabled": False}
    with open_library(held.root, {"store": store, **settings}) as library:
        say("index")
        library.sync()
        paths = [outline.ref.path for outline in library.outlines()]
        words = sorted({word for question in held.questions for word in question.text.split()})
        environment = {**os.environ, "PINAKES_NEURAL_MODEL": given.model, "PINAKES_KEYWORDS_ENABLED": "false"}
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "pinakes", "mcp", str(held.root), "--store", str(store), "--preset", "full"],
            env=environment,
        )
        with open(os.devnull, "w") as nowhere:
            async with Client(stdio_client(server, errlog=nowhere), mode=given.era) as client:
                caller = Caller(client)
                if all((held.root / name).is_dir() for name in _ABOUT):
                    say("questions as agents ask them")
                    print("\n".join(await ask_as_agents(caller)), end="\n\n")
                usual = await caller.usual_budget()
                print("\n".join(await ask_graded(caller, held.questions, Judge(library), usual)), end="\n\n")
                print("\n".join(await ask_at_random(caller, words, paths, given.calls)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("--model", default="static", help="the embedder: static or minilm")
    parser.add_argument("--era", default="auto", help="the protocol's era: auto or legacy")
    parser.add_argument("--calls", type=int, default=1000, help="random calls")
    parser.add_argument("--kept", type=Path, help="where the index is kept for the next run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-agents-") as folder:
        asyncio.run(measure(given.set, given, given.kept or Path(folder)))


if __name__ == "__main__":
    main()
