"""What should stand in a prompt, and where, so that a provider's cache keeps paying?

Blocks of a request enter (outlines, selected files, what was said); a layout in tiers leaves, a prompt made of it, and
what a recorded session would have cost. Where blocks come from is the library's business.
"""

from pinakes.context.first import first_places
from pinakes.context.prompt import assemble, for_anthropic, for_openai
from pinakes.context.replay import ReplayCost, SessionRequest, read_session, replay
from pinakes.context.tracker import CACHE_TARGET, TierTracker

__all__ = [
    "CACHE_TARGET",
    "ReplayCost",
    "SessionRequest",
    "TierTracker",
    "assemble",
    "first_places",
    "for_anthropic",
    "for_openai",
    "read_session",
    "replay",
]
