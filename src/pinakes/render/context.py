"""A context as people read it: each block with its tier, its number and its tokens."""

from __future__ import annotations

from pinakes.records.context import ContextLayout
from pinakes.render.text import safe


def layout_text(layout: ContextLayout, tokens: int, cached_tokens: int) -> str:
    """A line for each block, and one for all of them; `tokens` are those of the whole prompt."""
    lines = [f"{'tier':8}{'number':>7}{'tokens':>8}  block"]
    for one in layout.blocks:
        rides = f" (rides in {one.stands_in.label})" if one.stands_in is not one.tier else ""
        lines.append(f"{one.tier.label:8}{one.number:>7}{one.block.tokens:>8}  {safe(one.block.key)}{rides}")
    return "\n".join([*lines, f"{tokens:,} tokens, {cached_tokens:,} of them in tiers that are cached"])
