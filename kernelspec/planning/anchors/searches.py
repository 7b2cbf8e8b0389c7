"""One search for anchors for all numbers of them up to the next power of two."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernelspec.planning.anchors.search import AnchorSearch

if TYPE_CHECKING:
    from kernelspec.planning.strata import Stratum
    from kernelspec.tables.rows import Rows

__all__ = ["MOST_ANCHORS", "AnchorSearches"]

MOST_ANCHORS = 2_048
"""Of a plan."""


@dataclass(frozen=True, eq=False)
class AnchorSearches:
    """Searches among rows `others`, judged on a `sample` and more of them; a plan depends on its own budget alone."""

    others: Rows
    sample: Rows
    positions: tuple[int, ...]
    seed: int
    _met: dict[tuple[int, ...], AnchorSearch] = field(default_factory=dict)

    def of(self, strata: tuple[Stratum, ...], most: int) -> AnchorSearch:
        """The search for the kernel of some strata, with at most this many anchors, rounded up to a power of two."""
        most = min(1 << max(0, most - 1).bit_length(), MOST_ANCHORS)
        key = (most, *(id(stratum.law) for stratum in strata))
        if key not in self._met:
            self._met[key] = AnchorSearch.among(strata, self.others, self.sample, self.positions, most, self.seed)
        return self._met[key]
