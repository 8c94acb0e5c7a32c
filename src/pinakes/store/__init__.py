"""Where is it kept? Engines that keep the `Store` promise.

Changes enter, records leave; an engine knows neither files on disk that it did not write nor what text means.
`ScratchStore` is the plain truth in memory.
"""

from pinakes.store.scratch import ScratchStore

__all__ = ["ScratchStore"]
