"""Keys of products of several draws of one kind: the keys of the draws, mixed in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.samples.factor_runs import FactorRuns
from kernelspec.samples.samples import KeyFactor, Side

if TYPE_CHECKING:
    from kernelspec.random.hashing import Hashes
    from kernelspec.tables.rows import Rows

__all__ = ["RunKey"]


@dataclass(frozen=True)
class RunKey(FactorRuns[KeyFactor], KeyFactor):
    """The keys of `factor` from starts_j up to starts_{j+1}, mixed in order: they differ where one of these does."""

    def validate(self) -> None:
        super().validate()
        if not isinstance(self.factor, KeyFactor):
            raise ValueError("the factor of runs of keys must be one of keys")

    @property
    def has_sides(self) -> bool:
        return self.factor.has_sides

    def keys(self, rows: Rows, side: Side) -> Hashes:
        from kernelspec.numerics.run_key_kernels import mix_runs

        return np.asarray(mix_runs(self.factor.keys(rows, side), self.starts))
