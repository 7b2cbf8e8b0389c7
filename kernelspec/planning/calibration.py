"""How long a row takes on this machine, from times that were measured on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from kernelspec.planning.strata import Stratum

__all__ = ["OBJECTIVES", "Calibration", "Objective", "PerColumn"]

Objective: TypeAlias = Literal["error", "time"]
"""The least error for the budget; or the least time for an error, which the machine decides."""

OBJECTIVES: tuple[Objective, ...] = ("error", "time")


@dataclass(frozen=True)
class PerColumn:
    """Seconds that one sample (or anchor) takes for a row, of which the kernel reads p columns: slope · p + once."""

    slope: float
    once: float

    def seconds(self, columns: float) -> float:
        """For a row with so many nonzeros."""
        return self.slope * columns + self.once


@dataclass(frozen=True)
class Calibration:
    """Seconds a row: of frequencies and other dense samples, of keys, of anchors' kernel values.

    `passes` are seconds for each predicted unit of `Law.work` (min-max keys), `product` seconds for a product of the
    matrices that anchors bring: m anchors and n columns of samples take m (m + n).
    """

    samples: PerColumn
    keys: PerColumn
    values: PerColumn
    passes: float
    product: float

    def seconds(
        self, parts: Iterable[tuple[Stratum, int]], nonzeros: Callable[[tuple[int, ...]], float], anchors: int = 0
    ) -> float:
        """What a row takes with so many samples of each stratum, and anchors."""
        total, columns = 0.0, 0
        for stratum, n in parts:
            law, read = stratum.law, nonzeros(stratum.positions)
            work = law.work(n, read) if law.has_key and n else 0.0
            kind = self.keys if law.has_key else self.samples
            total += self.passes * work if work else n * law.n_terms * kind.seconds(read)
            total += anchors * self.values.seconds(read)
            columns += 2 * n * law.n_terms
        return total + self.product * anchors * (anchors + columns)
