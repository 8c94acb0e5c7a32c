"""Which passages answer? The order of work stands in `search`; every stage is a plain function.

A query and tools to read with enter, results with their account leave. Nothing here writes.
"""

from __future__ import annotations

from msgspec.structs import replace

from pinakes.cancelling import checked
from pinakes.records import Evidence, Query, Ranking, Results
from pinakes.search.evidence import doubt, is_believed, rarities, weigh
from pinakes.search.expansion import Synonyms, load_synonyms
from pinakes.search.foreign import foreign_text
from pinakes.search.fuse import behind, fuse
from pinakes.search.headings import with_text_below
from pinakes.search.judges import with_judges
from pinakes.search.pack import pack
from pinakes.search.plan import Account, SearchOptions, SearchPlan, Tools, Weighing
from pinakes.search.present import UNKNOWN, known_elsewhere, merge_results, partial_results, present, weighed_scores
from pinakes.search.profiles import PROFILES, RECENCY, parts, profile
from pinakes.search.promise import promises
from pinakes.search.rare import shortened, with_headings_named, with_rare
from pinakes.search.recall import recall
from pinakes.search.select import Selection, diversified, near_best, select
from pinakes.search.spelling import completions
from pinakes.search.translations import without_translations
from pinakes.search.understand import check_dates, understand
from pinakes.words import unknown_words

__all__ = [
    "PROFILES",
    "SearchOptions",
    "SearchPlan",
    "Synonyms",
    "Tools",
    "Weighing",
    "check_dates",
    "completions",
    "known_elsewhere",
    "load_synonyms",
    "merge_results",
    "partial_results",
    "parts",
    "profile",
    "promises",
    "search",
    "weighed_scores",
]

NEAREST = 3
"""Sections named when nothing answers."""
_RARE = 10
"""Sections with a rare word that are reason enough to answer."""
PACKED = 20
"""Hits among which `pack` looks for passages."""

USUAL = Weighing()


def search(query: Query, tools: Tools, options: SearchOptions, weighing: Weighing = USUAL) -> Results:
    """Answer a question: understand, recall, fuse, the profile's stages, select, present."""
    account = Account()
    chosen_profile = profile(query.profile)
    with account.stage("understand"):
        plan = understand(query, tools, options, weighing)
    lists, clarity, further = recall(plan, tools, chosen_profile, account)
    with account.stage("fuse", sum(map(len, lists.values()))) as step:
        shares = {"words": plan.weights.words, "meaning": plan.weights.meaning}
        weights = {name: shares[name] * clarity[name] for name in lists}
        ranking = fuse(lists, weights, options.fusion)
        step.went_out = len(ranking)
        step.note = ", ".join(f"{name} × {share:.2f}" for name, share in shares.items() if name in lists)
    for stage in checked((*chosen_profile.stages, RECENCY) if query.recent else chosen_profile.stages):
        if stage.__name__ not in options.leave_out:
            with account.stage(stage.__name__, len(ranking)) as step:
                ranking = stage(ranking, plan, tools)
                step.went_out = len(ranking)
    ranking = behind(ranking, lists, further, weights, options.fusion)
    evidence = None
    if "evidence" not in options.leave_out:
        with account.stage("evidence"):
            evidence = weigh(plan, tools, lists, ranking)
    # A guess of the answer is evidence of its own: what it finds need not hold the question's words.
    # So are a few sections that hold a rare word, whatever else was asked with it and however many hits are wanted.
    # Nor is half a word, that may become one, evidence against anything; nor words of another language.
    is_shared = bool(plan.question.foreign and evidence and evidence.coverage)
    is_rare = 0 < len(plan.rare) <= _RARE
    is_open = bool(query.hypothesis or plan.question.unfinished or is_rare or is_shared)
    if query.abstain and not is_open and not is_believed(evidence):
        return _nothing(plan, tools, account, evidence, ranking)
    with account.stage("select", len(ranking)) as step:
        near = near_best(ranking, plan, tools)
        selection = _selection(near, plan, tools)
        chosen, step.left_out = with_judges(selection.chosen, tools), selection.left_out
        if len(near) < len(ranking):
            step.left_out = {"far_below": len(ranking) - len(near), **step.left_out}
        step.went_out = len(chosen)
    with account.stage("present", len(chosen)) as step:
        hits = present(chosen, plan, tools.reader)
        step.went_out = len(hits)
    stages, missing = tuple(account.stages), tuple(plan.missing)
    doubted = (
        doubt(evidence, [one.slice for one in chosen], plan, tools)
        if hits and not query.hypothesis and not query.typing
        else ""
    )
    return Results(
        query,
        plan.kind,
        hits,
        stages,
        missing,
        _unknown(plan, tools),
        plan.question.corrections,
        evidence,
        doubt=doubted,
    )


def _selection(ranking: Ranking, plan: SearchPlan, tools: Tools) -> Selection:
    query = plan.query
    wanted = PACKED if query.pack else 3 * query.limit if query.diverse else query.limit
    found = _with_text(ranking, plan, tools, wanted)
    if query.pack:
        return replace(found, chosen=pack(found.chosen, plan, rarities(plan, tools)))
    if query.diverse:
        return replace(found, chosen=diversified(found.chosen, plan, tools)[: query.limit])
    if plan.rare:
        found = with_rare(found, ranking, plan, tools)
        shown = with_text_below(found.chosen, plan, tools.reader)
        return replace(found, chosen=with_headings_named(shortened(shown, query.limit), plan))
    return found


def _with_text(ranking: Ranking, plan: SearchPlan, tools: Tools, limit: int) -> Selection:
    """The first `limit`, each with something to read; as many more as are folded into others."""
    wanted = limit
    while True:
        found = select(ranking, plan, tools, wanted)
        shown = with_text_below(without_translations(found.chosen, plan), plan, tools.reader)
        if len(shown) >= limit or len(found.chosen) < wanted:
            return replace(found, chosen=shown[:limit])
        wanted += limit - len(shown)


def _nothing(plan: SearchPlan, tools: Tools, account: Account, evidence: Evidence | None, ranking: Ranking) -> Results:
    """No hits, and why: which words are unknown, and what came nearest."""
    unknown = _unknown(plan, tools)
    nearest = tuple(dict.fromkeys(one.slice.ref for one in select(ranking, plan, tools, NEAREST).chosen))
    share = f"{evidence.coverage:.0%}" if evidence else "little"
    reason = f"The best sections contain {share} of the question."
    if plan.question.foreign:
        reason = f"{foreign_text(plan.question)}; only a multilingual model could compare what they mean. {reason}"
    if unknown:
        reason += f"{UNKNOWN}: {', '.join(unknown)}."
    stages, missing = tuple(account.stages), tuple(plan.missing)
    return Results(
        plan.query, plan.kind, (), stages, missing, unknown, plan.question.corrections, evidence, reason, nearest
    )


def _unknown(plan: SearchPlan, tools: Tools) -> tuple[str, ...]:
    """Words of the question that no chunk holds; none while chunks are still to come."""
    return () if tools.is_partial else unknown_words(plan.question.text, plan.counts)
