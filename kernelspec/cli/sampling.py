"""Some rows of a file, drawn at random in one pass."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.cli.column_types import recorded_from
from kernelspec.cli.progress import progress
from kernelspec.cli.streaming import checked_blocks
from kernelspec.cli.tables import opened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = ["sample_rows"]


def sample_rows(
    path: str, layout: Layout, n_rows: int, header: bool | None = None, *, quiet: bool = False
) -> tuple[Rows, Layout]:
    """`n_rows` different rows of a file (all of them, if there are fewer), every choice equally likely, in file order.

    With them the layout in which the types of the file's columns are recorded, where they were not before. Every row
    gets a random number, and the smallest win: the choice depends on neither the size of the blocks nor the format, and
    is the same every time. Only columns that the kernel looks at are fetched, and all their rows are checked. Unless
    `quiet`, a bar shows how far the pass has come. Raises FileError, DataError.
    """
    generator = np.random.default_rng(0)
    ranks: NDArray[np.float64] = np.empty(0)
    kept: Rows | None = None
    with ExitStack() as stack:
        reader = stack.enter_context(opened(path, layout, header))
        layout = recorded_from(layout, reader)
        advance = stack.enter_context(progress(reader, quiet=quiet))
        for _, rows in checked_blocks(layout, reader):
            n_before = len(ranks)
            ranks = np.concatenate([ranks, generator.random(len(rows))])
            winners = np.arange(len(ranks))
            if len(ranks) > n_rows:
                winners = np.sort(np.argpartition(ranks, n_rows)[:n_rows])
            ranks = ranks[winners]
            newer = rows.take(winners[winners >= n_before] - n_before)
            kept = newer if kept is None else kept.take(winners[winners < n_before]).followed_by(newer)
            advance(len(rows))
    assert kept is not None
    return kept, layout
