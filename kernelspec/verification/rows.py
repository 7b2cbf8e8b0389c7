"""The rows whose pairs are tested."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.analysis.gram import evaluate_blocks
from kernelspec.notation.pairs import NumericPairs
from kernelspec.tables.table_kinds import as_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel
    from kernelspec.planning.plan import Plan
    from kernelspec.spec import Spec
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = ["RowPairs", "chosen_rows", "reference_rows"]

_CATEGORIES = 3
_NEAR = 8


@dataclass(frozen=True)
class RowPairs:
    """Rows with their places in X and Y, and for their pairs (n, m): the exact kernel, the size of what it is added up
    from (for rounding), which pairs are one row twice, and which are tested (one half, if they mirror each other)."""

    x: Rows
    y: Rows
    index_x: NDArray[np.intp]
    index_y: NDArray[np.intp]
    kernel: NDArray[np.float64]
    size: NDArray[np.float64]
    identical: NDArray[np.bool_]
    tested: NDArray[np.bool_]

    @classmethod
    def of(cls, spec: Spec, plan: Plan, X: Any, Y: Any, most: int, seed: int) -> RowPairs:
        """The pairs of at most `most` rows of X, or of X and Y, or of standard normal rows if X is None."""
        layout, generator = plan.layout, np.random.default_rng([seed, 1])
        x = reference_rows(layout, most, generator) if X is None else layout.read(X)
        index_x = chosen_rows(len(x), most if Y is None else _of_two(most), generator)
        x = x.take(index_x)
        y, index_y = x, index_x
        if Y is not None:
            y = layout.read(as_table(Y))
            index_y = chosen_rows(len(y), _of_two(most), generator)
            y = y.take(index_y)
        kernel = spec.kernel(spec.columns(layout.dim, layout.names))
        exact = np.concatenate([block for _, block in evaluate_blocks(kernel, x, y)])
        pairs = NumericPairs(x, y)
        terms = sum(abs(s.weight) * np.abs(np.asarray(s.value(pairs), dtype=float)) for s in plan.strata)
        size = np.maximum(np.sqrt(np.multiply.outer(_diagonal(kernel, x), _diagonal(kernel, y))), terms)
        once = Y is None and kernel.verdict().symmetric is True
        tested = np.triu(np.ones(exact.shape, dtype=bool)) if once else np.ones(exact.shape, dtype=bool)
        return cls(x, y, index_x, index_y, exact, size, _identical(x, y, layout), tested)


def chosen_rows(n: int, most: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """All n rows, or `most` of them at random, in order."""
    if n <= most:
        return np.arange(n)
    return np.sort(generator.choice(n, most, replace=False))


def reference_rows(layout: Layout, n: int, generator: np.random.Generator) -> Rows:
    """n standard normal rows with three equally likely categories.

    The first few share their categories; of those, all but the first two differ from the first one along one
    axis only, or along the diagonal: mistakes that hide on the axes show off them, and the other way round.
    """
    table = generator.standard_normal((n, layout.dim))
    for i in layout.categorical:
        table[:, i] = generator.integers(0, _CATEGORIES, n)
    near = min(_NEAR, n)
    table[1:near, list(layout.categorical)] = table[0, list(layout.categorical)]
    moved = [i for i in layout.numeric if i not in layout.categorical]
    for step, row in enumerate(range(2, near if moved else 0)):
        table[row] = table[0]
        if step % 2:
            table[row, moved] += 0.5 * step / np.sqrt(len(moved))
        else:
            table[row, moved[step % len(moved)]] += 0.5 * (step + 1)
    return replace(layout, by_name=False).read(layout.fitted(table))


def _identical(x: Rows, y: Rows, layout: Layout) -> NDArray[np.bool_]:
    same = np.ones((len(x), len(y)), dtype=bool)
    a, b = x.dense(), y.dense()
    for i in layout.numeric:
        same &= np.equal.outer(a[:, i], b[:, i])
    for i in layout.categorical:
        same &= np.equal.outer(x.codes(i), y.codes(i))
    return same


def _diagonal(kernel: Kernel, rows: Rows) -> NDArray[np.float64]:
    pairs = NumericPairs(rows, rows, grid=False)
    return np.asarray(np.abs(np.broadcast_to(np.asarray(kernel.value(pairs), dtype=float), pairs.shape)))


def _of_two(most: int) -> int:
    return max(1, most * 2 // 3)
