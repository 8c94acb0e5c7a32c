"""What search has to know about an embedder besides its vectors."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import astuple


class Abstention(Struct, frozen=True):
    """What each part of the evidence is worth when deciding whether there is an answer at all (see `Evidence`): a
    logistic, its constants on the scale of that embedder's cosines.

    The defaults were fitted with two embedders at once, on collections of many kinds, and serve those that nobody has
    calibrated.
    """

    bias: float = -4.93
    coverage: float = 2.26
    strength: float = 0.69
    unseen: float = -0.46
    closeness: float = 6.25


class Traits(Struct, frozen=True):
    """What belongs to an embedder and is fitted for it (`python -m training calibrate`)."""

    dense_weight: float = 0.55
    """Its share, from 0 to 1, when its cosines are fused with the scores of words: the better the model, the larger."""
    noise: float = 0.35
    """The cosine that the nearest passage of a large corpus reaches for a question about something else altogether."""
    abstention: Abstention = Abstention()

    def toward(self, other: Traits, share: float) -> Traits:
        """Between these and the `other`'s, which begin to count as their embedder's vectors take over."""
        rest = 1.0 - share
        own, theirs = astuple(self.abstention), astuple(other.abstention)
        return Traits(
            rest * self.dense_weight + share * other.dense_weight,
            rest * self.noise + share * other.noise,
            Abstention(*(rest * one + share * another for one, another in zip(own, theirs, strict=True))),
        )
