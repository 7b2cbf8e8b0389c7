"""Features of samples whose frequencies are of several kinds, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.phasor import Packed, evaluate_phasors, rows_of_a_block, width, write_phasors
from kernelspec.numerics.projection import Projection
from kernelspec.numerics.threads import run_compiled

__all__ = ["PlacedPhasors", "evaluate_stacked", "losses_of_stacked"]

PlacedPhasors: TypeAlias = tuple[NDArray[np.intp] | Projection | None, Packed]
"""Some of the samples, with the columns of a row x that they act on, or a matrix A of whose Ax; None for all of x."""


def evaluate_stacked(
    n_rows: int, read: Callable[[int, int], Any], parts: Sequence[PlacedPhasors], out: NDArray[Any]
) -> bool:
    """What `evaluate_phasors` writes, for parts of one form: cosines of all of them, then sines."""
    if len(parts) == 1:
        ((places, phasors),) = parts
        return evaluate_phasors(n_rows, lambda start, stop: _on(read(start, stop), places), phasors, out)
    form, n = parts[0][1].form, sum(phasors.n for _, phasors in parts)
    safe: list[bool] = []

    def work(start: int, stop: int) -> None:
        rows, first = read(start, stop), 0
        for places, phasors in parts:
            own, last = phasors.n, first + phasors.n
            values = np.empty((stop - start, width(form, own)), dtype=out.dtype)
            safe.append(write_phasors(_on(rows, places), phasors, values))
            out[start:stop, first:last] = values[:, :own]
            if form == "paired":
                out[start:stop, n + first : n + last] = values[:, own:]
            first = last

    run_compiled(n_rows, rows_of_a_block(sum(phasors.work for _, phasors in parts), n_rows), work)
    return all(safe)


def losses_of_stacked(rows: Any, parts: Sequence[PlacedPhasors]) -> NDArray[np.float64]:
    """The largest share of the products of one part that each of the rows (m, p) loses in rounding: (m,)."""
    return np.asarray(np.max([phasors.losses(_on(rows, places)) for places, phasors in parts], axis=0))


def _on(rows: Any, read: NDArray[np.intp] | Projection | None) -> Any:
    if read is None:
        return rows
    if isinstance(read, Projection):
        return read(rows if isinstance(rows, np.ndarray) else rows.toarray())
    return rows[:, read]
