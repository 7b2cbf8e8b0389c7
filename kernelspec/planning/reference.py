"""The rows on which candidate plans are compared."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.notation.pairs import NumericPairs
from kernelspec.random.hashing import hash_numbers
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

__all__ = ["FEWEST_ROWS", "Reference", "reference_pairs"]

_PAIRS, _FEWEST_PAIRS = 256, 64
_ROW_BYTES = MAX_BLOCK_BYTES // 4
"""Of standard normal rows, at most, on either side of the pairs; beyond a quarter of it pairs are fewer, down to 64."""

_CATEGORIES = 4
_ROWS = 200

FEWEST_ROWS = 32
"""Of data: from fewer anchors cannot be chosen and judged."""


@dataclass(frozen=True)
class Reference:
    """Pairs of rows to compare plans on, what they are in words, and some rows of the data if there are any."""

    pairs: NumericPairs
    words: str
    sample: Rows | None = None
    n_rows: int = 0
    places: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    """Where the sample stands in the data."""

    @classmethod
    def of(cls, layout: Layout, data: Rows | None) -> Reference:
        """The reference for these data, or for standard normal rows."""
        pairs, words = reference_pairs(layout, data)
        if data is None or len(data) < 2:
            return cls(pairs, words)
        # the other rows may be chosen from, where there are enough of them
        some = min(_ROWS, len(data) if len(data) < FEWEST_ROWS else len(data) // 2)
        chosen = np.sort(np.random.default_rng(1).permutation(len(data))[:some])
        return cls(pairs, words, data.take(chosen), len(data), chosen)

    def nonzeros(self, positions: tuple[int, ...]) -> float:
        """Mean number of nonzeros a row has in these columns."""
        numbers = self.pairs.x.select(positions).numbers
        count = np.count_nonzero(numbers) if isinstance(numbers, np.ndarray) else numbers.nnz
        return float(count) / max(1, len(self.pairs.x))

    def pool(self, data: Rows) -> Rows:
        """The rows of the data that are not in the sample."""
        others = np.ones(len(data), dtype=bool)
        others[self.places] = False
        return data.take(np.flatnonzero(others))


def reference_pairs(layout: Layout, data: Rows | None) -> tuple[NumericPairs, str]:
    """256 pairs to compare plans on, and what they are in words; 64 at least where dense rows are long.

    Random pairs of different rows of the data; without data, pairs of independent standard normal rows, which is
    what two rows of standardised columns look like, with four equally likely categories. These hardly differ from each
    other where there are so many columns that memory reaches for fewer pairs. Raises PlanError where it reaches for
    less than 64 of them.
    """
    reached = min(_PAIRS, _ROW_BYTES // (8 * max(1, layout.dim)))
    if reached >= _FEWEST_PAIRS:
        reached = max(_FEWEST_PAIRS, min(reached, _ROW_BYTES // 4 // (8 * max(1, layout.dim))))
    generator = np.random.default_rng(0)
    if data is not None and len(data) > 1:
        count = max(_FEWEST_PAIRS, reached) if isinstance(data.numbers, np.ndarray) else _PAIRS
        first = generator.integers(0, len(data), count)
        second = (first + generator.integers(1, len(data), count)) % len(data)
        return NumericPairs(data.take(first), data.take(second), grid=False), f"{count} random pairs of rows"
    if reached < _FEWEST_PAIRS:
        raise PlanError(
            f"without data a plan is chosen on {_FEWEST_PAIRS} standard normal rows at least, and those of "
            f"{layout.dim:,} columns take more than {_ROW_BYTES >> 20} MiB: give data= (a sparse matrix will do), or "
            "--plan-on FILE"
        )
    sides = []
    for _ in range(2):
        numbers = layout.fitted(generator.standard_normal((reached, layout.dim)))
        codes = {i: hash_numbers(generator.integers(0, _CATEGORIES, reached)) for i in layout.categorical}
        sides.append(Rows(numbers, codes))
    return NumericPairs(sides[0], sides[1], grid=False), f"{reached} pairs of standard normal rows (no data given)"
