"""Some rows of a file, drawn at random in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.cli.streaming import numbered_rows
from kernelspec.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.data import Layout
    from kernelspec.files import TableReader

__all__ = ["sample_rows"]


def sample_rows(layout: Layout, reader: TableReader, n_rows: int) -> Rows:
    """`n_rows` different rows of a file (all of them, if there are fewer), every choice equally likely, in file order.

    Every row gets a random number, and the smallest win: the choice depends on neither the size of the blocks nor
    the format, and is the same every time. Raises DataError: as `numbered_rows`.
    """
    generator = np.random.default_rng(0)
    ranks: NDArray[np.float64] = np.empty(0)
    kept: Rows | None = None
    for rows in numbered_rows(layout, reader):
        n_before = len(ranks)
        ranks = np.concatenate([ranks, generator.random(len(rows))])
        winners = np.sort(np.argpartition(ranks, n_rows)[:n_rows]) if len(ranks) > n_rows else np.arange(len(ranks))
        ranks = ranks[winners]
        newer = rows.take(winners[winners >= n_before] - n_before)
        kept = newer if kept is None else _joined(kept.take(winners[winners < n_before]), newer)
    assert kept is not None
    return kept


def _joined(first: Rows, second: Rows) -> Rows:
    numbers: list[Any] = [first.numbers, second.numbers]
    codes = {i: np.concatenate([first.categories[i], second.categories[i]]) for i in first.categories}
    if isinstance(first.numbers, np.ndarray):
        return Rows(np.concatenate(numbers), codes)
    from scipy.sparse import vstack

    return Rows(vstack(numbers, format="csr"), codes)
