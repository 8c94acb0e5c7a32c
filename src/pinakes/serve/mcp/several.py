"""One answer from several libraries: hits in one list, everything else one library after another.

Drafts enter by the names of their libraries, one draft leaves. Scores of two libraries share no scale, so their hits
are weighed as those of two corpora are.
"""

from __future__ import annotations

from collections.abc import Mapping

from pinakes.library.everywhere import merge_libraries
from pinakes.records import LibraryHit
from pinakes.render import Json, safe
from pinakes.serve.mcp.answers import Draft, ResultsDraft, ToolAnswer, results_draft
from pinakes.serve.mcp.quoting import NOTICE


def together(drafts: Mapping[str, Draft]) -> Draft:
    """The answers of several libraries as one."""
    hits = {name: draft for name, draft in drafts.items() if isinstance(draft, ResultsDraft)}
    return _in_one_list(hits) if len(hits) == len(drafts) else _one_after_another(drafts)


def _in_one_list(drafts: Mapping[str, ResultsDraft]) -> Draft:
    first = next(iter(drafts.values()))
    merged = merge_libraries({name: draft.found for name, draft in drafts.items()})
    names = [hit.library for hit in merged.hits if isinstance(hit, LibraryHit)]
    return results_draft(merged, explain=first.explain, hidden_keys=first.hidden_keys, libraries=names)


def _one_after_another(drafts: Mapping[str, Draft]) -> Draft:
    def make(parts: int) -> ToolAnswer:
        answers = {name: draft.make(min(parts, draft.parts)) for name, draft in drafts.items()}

        def record() -> dict[str, Json]:
            return {"libraries": {name: answer.data for name, answer in answers.items()}}

        parts_of = [
            "\n".join((f"library {safe(name)}:", answer.text.removeprefix(f"{NOTICE}\n"), *answer.notes))
            for name, answer in answers.items()
        ]
        return ToolAnswer("\n".join((NOTICE, *parts_of)), record)

    return Draft(make, max(draft.parts for draft in drafts.values()))
