"""Whether a kernel distinguishes the rows of the data, or is degenerate: nearly the identity or nearly constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.parts import Measured, measured
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.planning.strata import Term, terms_of
from kernelspec.tables.rows import Rows

__all__ = ["dead_kernel"]

_ROWS, _LEAST_ROWS = 200, 20
"""Most and fewest rows to inspect."""

_SPREAD, _NEARER, _NEIGHBOURS = 0.01, 0.1, 5
"""See `dead_kernel`."""

_NEAR = 3.0
"""A length within this factor of the median distance is not reported as wrong."""

_FEW_COLUMNS = 64
"""Up to this many columns, pairs of rows are evaluated one by one."""


@dataclass(frozen=True)
class DeadTerm:
    """A degenerate term: k(x, y) / √(k(x, x) k(y, y)) is nearly constant between the rows of the data.

    `quantiles` are the 5 %, 50 % and 95 % quantiles over the pairs; `measured` is the leaf whose length differs most
    from the distances it sees, if one is far off.
    """

    term: Kernel
    quantiles: tuple[float, float, float]
    measured: Measured | None

    def lines(self) -> str:
        """`k between rows: 5 % 0.00, median 0.00, 95 % 0.00: all pairs are nearly uncorrelated; …`."""
        low, middle, high = (f"{value:.2f}" for value in self.quantiles)
        what = "are nearly uncorrelated" if self.quantiles[2] < _SPREAD else "look the same"
        if self.quantiles[0] > 1 - 2 * _SPREAD:
            what = "are nearly identical"
        said = f"k between rows: 5 % {low}, median {middle}, 95 % {high}: all pairs {what}"
        if self.measured is None:
            return said
        name = self.measured.leaf.length_name or "length of the formula"
        return f"{said}; the median distance is {self.measured.distance:.3g} and the {name} {self.measured.length:.3g}"


@dataclass(frozen=True)
class DeadKernel:
    """A kernel whose numeric `terms` are all degenerate on the data, with the total number of its terms."""

    terms: tuple[DeadTerm, ...]
    n_terms: int

    def text(self) -> str:
        """A line for every degenerate term."""
        if self.n_terms == 1:
            return self.terms[0].lines()
        return "\n".join(f"{dead.term}: {dead.lines()}" for dead in self.terms)


def dead_kernel(kernel: Kernel, rows: Rows) -> DeadKernel | None:
    """The degenerate terms of a kernel on these rows; None if some term is not degenerate, or none can be judged.

    Inspects the pairs of up to 200 distinct rows (fewer for very many columns), always the same ones; needs at least
    20. A term is degenerate if c = k(x, y) / k(x, x) is within 0.01 for 90 % of all pairs, and a row has fewer than 5
    neighbours, rows whose c exceeds the median by 0.1: small clusters of many rows are fine.

    Terms that only compare categories, noise() and constant() are not judged, and neither are kernels that are not
    functions of the lag beside categories; in products all categories count as equal.
    """
    judged = [term for term in terms_of(kernel) if _is_judged(term.kernel)]
    if not judged:
        return None
    some = _different(rows, tuple({position for term in judged for position in term.positions}))
    if len(some) < _LEAST_ROWS:
        return None
    pairs = _of_different_rows(some)
    dead: list[DeadTerm] = []
    for term in judged:
        dead_term = _dead(term, pairs.select(term.positions), len(rows))
        if dead_term is None:
            return None
        dead.append(dead_term)
    return DeadKernel(tuple(dead), len(terms_of(kernel)))


def _is_judged(kernel: Kernel) -> bool:
    if not kernel.has_constant_diagonal or not float(kernel.diagonal()) > 0:
        return False
    # some leaf depends on numbers, and is not meant to be constant or the identity
    return any(isinstance(part, Leaf) and part.is_stationary and part.reads_numbers for part in kernel.parts())


def _dead(term: Term, pairs: NumericPairs, n_rows: int) -> DeadTerm | None:
    values = pairs.of_different_rows(term.kernel.value(pairs)) / float(term.kernel.diagonal())
    low, half, high = (float(q) for q in np.quantile(values, [0.05, 0.5, 0.95]))
    neighbours = n_rows * float(np.mean(values > half + _NEARER))
    if not (high - low < _SPREAD and neighbours < _NEIGHBOURS):
        return None
    return DeadTerm(term.kernel, (low, half, high), _worst(term.kernel, pairs))


def _of_different_rows(rows: Rows) -> NumericPairs:
    """Every two rows: one by one if short, because all-pairs distances import SciPy, which takes 0.2 s."""
    if rows.n_columns > _FEW_COLUMNS:
        return NumericPairs(rows, rows)
    first, second = np.triu_indices(len(rows), 1)
    return NumericPairs(rows.take(first), rows.take(second), grid=False)


def _worst(kernel: Kernel, pairs: NumericPairs) -> Measured | None:
    far = [one for one in measured(kernel, pairs) if one is not None and one.distance > 0]
    far = [one for one in far if not 1 / _NEAR < one.ratio < _NEAR]
    return max(far, key=lambda one: abs(np.log(one.ratio)), default=None)


def _different(rows: Rows, positions: tuple[int, ...]) -> Rows:
    """Up to 200 rows that differ in the numbers of these columns; categories count as equal."""
    some = rows.some(min(_ROWS, MAX_BLOCK_BYTES // (8 * rows.n_columns)))
    kept = some.take(some.select(positions).distinct())
    return Rows(kept.numbers, dict.fromkeys(range(rows.n_columns), np.zeros(len(kept), dtype=np.uint64)))
