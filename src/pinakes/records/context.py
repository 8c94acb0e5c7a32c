"""What stands in a prompt: blocks, and the tiers in which a provider's cache keeps them."""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct


class Tier(IntEnum):
    """How settled a block is. A prompt begins with `L0`, the most settled one, and ends with what is active."""

    ACTIVE = 0
    """Sent anew with every request."""
    L3 = 1
    L2 = 2
    L1 = 3
    L0 = 4

    @property
    def enters_with(self) -> int:
        """The number a block has when it enters: in how many requests in a row it did not change."""
        return 3 * self

    @property
    def label(self) -> str:
        """As people read it: ``L0``, ``active``."""
        return self.name if self is not Tier.ACTIVE else "active"


class ContextBlock(Struct, frozen=True):
    """One thing that can stand in a prompt."""

    key: str
    """What it is: ``map:docs/a.md``, ``file:src/x.py``, ``files:src``, ``history:4``."""
    digest: str
    """Equal digests mean that nothing has to move, although the text may differ in what does not matter."""
    text: str
    tokens: int
    is_recent: bool = False
    """Whether it stays active: one of the last exchanges of a conversation."""


class PlacedBlock(Struct, frozen=True):
    """A block and where it stands."""

    block: ContextBlock
    tier: Tier
    """Where it belongs."""
    stands_in: Tier
    """Where it is printed: lower than `tier` while that is too small to be cached."""
    number: int
    """In how many requests in a row it did not change, counted from its tier's own number."""


class ContextLayout(Struct, frozen=True):
    """Where every block of a request stands."""

    blocks: tuple[PlacedBlock, ...]
    """In the order of the prompt: by tier, the most settled first, and by key; of what is active, web pages first."""

    def standing_in(self, tier: Tier) -> tuple[PlacedBlock, ...]:
        return tuple(one for one in self.blocks if one.stands_in is tier)

    def text(self, tier: Tier) -> str:
        """What a tier holds, as it is printed. Recent exchanges are not among it: they are sent as messages."""
        return "\n\n".join(one.block.text for one in self.standing_in(tier) if not one.block.is_recent)

    def tokens(self, tier: Tier) -> int:
        return sum(one.block.tokens for one in self.standing_in(tier))
