"""Kernel values and amplitudes of the same rows, computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.samples.amplitude_values import amplitude_values

if TYPE_CHECKING:
    from kernelspec.notation.pairs import NumericPairs
    from kernelspec.planning.strata import Stratum
    from kernelspec.samples.samples import Samples, Side
    from kernelspec.tables.rows import Rows

__all__ = ["Seen"]


@dataclass(frozen=True, eq=False)
class Seen:
    """What was computed for these very objects; it holds them, so that each stays itself."""

    _met: dict[Hashable, tuple[tuple[Any, ...], NDArray[Any]]] = field(default_factory=dict)

    def values(self, stratum: Stratum, pairs: NumericPairs) -> NDArray[np.float64]:
        """k(x, y) of a stratum, without its weight, of the shape of the pairs."""

        def compute() -> NDArray[np.float64]:
            return np.asarray(np.broadcast_to(np.asarray(stratum.value(pairs), dtype=float), pairs.shape))

        law = stratum.independent.law
        return self._once((law, pairs.x, pairs.y), (stratum.positions, pairs.grid), compute)

    def amplitudes(self, batch: Samples, rows: Rows, side: Side) -> NDArray[Any]:
        """√weight times z_L or z_R, (rows, samples)."""
        return self._once((batch, rows), (side,), lambda: amplitude_values(batch, rows, side))

    def _once(
        self, objects: tuple[Any, ...], others: tuple[Hashable, ...], compute: Callable[[], NDArray[Any]]
    ) -> NDArray[Any]:
        key = (*map(id, objects), *others)
        if key not in self._met:
            self._met[key] = (objects, compute())
        return self._met[key][1]
