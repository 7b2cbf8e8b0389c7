"""Some rows of a file, drawn at random in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.cli.streaming import checked_blocks
from kernelspec.cli.tables import check_width
from kernelspec.files import open_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.files import Block
    from kernelspec.tables.layout import Layout

__all__ = ["sample_rows"]


def sample_rows(path: str, layout: Layout, n_rows: int) -> Block:
    """`n_rows` different rows of a file (all of them, if there are fewer), every choice equally likely, in file order.

    Every row gets a random number, and the smallest win: the choice depends on neither the size of the blocks nor
    the format, and is the same every time. Only columns that the kernel looks at are fetched, and all their rows are
    checked. Raises FileError, DataError.
    """
    generator = np.random.default_rng(0)
    ranks: NDArray[np.float64] = np.empty(0)
    kept: Any = None
    with open_table(path, columns=layout.dim) as reader:
        check_width(layout, reader)
        for block, rows in checked_blocks(layout, reader):
            n_before = len(ranks)
            ranks = np.concatenate([ranks, generator.random(len(rows))])
            winners = np.arange(len(ranks))
            if len(ranks) > n_rows:
                winners = np.sort(np.argpartition(ranks, n_rows)[:n_rows])
            ranks = ranks[winners]
            newer = _rows(block, winners[winners >= n_before] - n_before)
            kept = newer if kept is None else _joined(_rows(kept, winners[winners < n_before]), newer)
    found: Block = kept
    return found


def _rows(block: Any, index: NDArray[Any]) -> Any:
    return block.take(index) if hasattr(block, "column_names") else block[index]


def _joined(first: Any, second: Any) -> Any:
    if isinstance(first, np.ndarray):
        return np.concatenate([first, second])
    if hasattr(first, "column_names"):
        import pyarrow as pa  # type: ignore[import-untyped,unused-ignore]

        return pa.concat_tables([first, second])
    from scipy.sparse import vstack

    return vstack([first, second], format="csr")
