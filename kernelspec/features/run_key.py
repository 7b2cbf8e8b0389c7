"""Keys of products of several draws of one kind: the keys of the draws, mixed in order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.run_starts import joined_starts, taken_runs
from kernelspec.features.samples import KeyFactor, Side

if TYPE_CHECKING:
    from kernelspec.hashing import Hashes
    from kernelspec.rows import Rows

__all__ = ["RunKey"]


@dataclass(frozen=True)
class RunKey(KeyFactor):
    """The keys of `factor` from starts_j up to starts_{j+1}, mixed in order: they differ where one of these does.

    `starts` (n + 1,) ends with the number of samples of the factor.
    """

    factor: KeyFactor
    starts: NDArray[np.intp]

    @property
    def structure(self) -> Hashable:
        return ("runs", self.factor.structure)

    @property
    def columns(self) -> tuple[int, ...]:
        return self.factor.columns

    @property
    def has_sides(self) -> bool:
        return self.factor.has_sides

    def keys(self, rows: Rows, side: Side) -> Hashes:
        from kernelspec.features.run_key_kernels import mix_runs

        return np.asarray(mix_runs(self.factor.keys(rows, side), self.starts))

    def take(self, index: NDArray[np.intp]) -> RunKey:
        flat, starts = taken_runs(self.starts, index)
        return RunKey(self.factor.take(flat), starts)

    def join(self, others: Sequence[KeyFactor]) -> RunKey:
        parts = [self, *(other for other in others if isinstance(other, RunKey))]
        starts = joined_starts([part.starts for part in parts])
        return RunKey(self.factor.join([part.factor for part in parts[1:]]), starts)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        header, arrays = self.factor.to_arrays()
        own = {"kind": "runs", "factor": header}
        return own, {"starts": self.starts} | {f"factor_{name}": array for name, array in arrays.items()}
