"""All samples of a map that have no key: one frequency matrix, dense columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.columns_read import numbers_on, positions_read
from kernelspec.features.growth import Growth
from kernelspec.features.phasor import Form, evaluate_phasors, width
from kernelspec.features.samples import Phasors, Side
from kernelspec.features.threads import run_blocks
from kernelspec.rows import Rows

__all__ = ["DenseFeatures"]

_GROWN_ROWS = 272
"""Rows of a block whose features are multiplied by the factors of their growth."""


@dataclass(frozen=True)
class DenseFeatures:
    """N samples with amplitudes √weight and signs; `offsets` are the b of the phase form (else zero).

    With `growth` the amplitudes are multiplied by real exponentials of the rows.
    """

    phasors: Phasors
    weight: NDArray[np.float64]
    sign: NDArray[np.float64]
    offsets: NDArray[np.float64]
    growth: Growth | None = None

    @property
    def columns(self) -> tuple[int, ...]:
        """The data columns that are read."""
        return positions_read((*self.phasors.columns, *(self.growth.columns if self.growth is not None else ())))

    def n_columns(self, form: Form) -> int:
        """Feature columns written."""
        return width(form, len(self.weight))

    def signs(self, form: Form) -> NDArray[np.float64]:
        """The sign of each feature column."""
        return np.concatenate([self.sign, self.sign]) if form == "paired" else self.sign

    def sided(self, form: Form) -> NDArray[np.bool_]:
        """For every feature column whether left and right differ in it."""
        own = self.phasors.left != self.phasors.right
        if self.growth is not None:
            own = own | (self.growth.rates != 0).any(axis=1)
        return np.concatenate([own, own]) if form == "paired" else own

    def names(self, form: Form) -> list[str]:
        """Names of the feature columns."""
        n = len(self.weight)
        if form == "paired":
            return [f"cos{j}" for j in range(n)] + [f"sin{j}" for j in range(n)]
        return [f"{'cos' if form == 'phase' else 'exp'}{j}" for j in range(n)]

    def evaluate(self, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any], out: NDArray[Any]) -> None:
        """Write the features of one side into `out` (n, n_columns)."""
        data = numbers_on(rows, self.phasors.columns)
        phases = self.offsets + (self.phasors.left if side == "left" else self.phasors.right)
        evaluate_phasors(
            data.astype(dtype, copy=False),
            np.ascontiguousarray(self.phasors.frequencies.T, dtype=dtype),
            phases.astype(dtype),
            np.sqrt(self.weight).astype(dtype),
            form,
            out,
        )
        if self.growth is not None:
            self._grow(self.growth, rows, side, form, dtype, out)

    def _grow(
        self, growth: Growth, rows: Rows, side: Side, form: Form, dtype: np.dtype[Any], out: NDArray[Any]
    ) -> None:
        n = len(self.weight)

        def work(first: int, last: int) -> None:
            factors, which = growth.factors(rows.take(slice(first, last)), side, dtype)
            values = factors[:, which]
            out[first:last, :n] *= values
            if form == "paired":
                out[first:last, n:] *= values

        run_blocks(len(rows), _GROWN_ROWS, work)
