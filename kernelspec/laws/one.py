"""Samples of the kernel that is one everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kernelspec.kernels.leaves.constant import Constant
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments
from kernelspec.laws.rules import Below, own_law
from kernelspec.laws.runs import ones
from kernelspec.notation.pairs import NumericPairs

if TYPE_CHECKING:
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["OneLaw"]


@dataclass(frozen=True)
class OneLaw(Law):
    """p = 1 for all rows: one constant column, without variance."""

    has_phasor: ClassVar[bool] = False
    has_key: ClassVar[bool] = False

    @property
    def dim(self) -> None:
        return None

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        del stream, columns
        return [ones(np.arange(n))]

    def value(self, pairs: Pairs) -> Value:
        return np.ones(pairs.shape) if isinstance(pairs, NumericPairs) else 1

    def moments(self, pairs: Pairs) -> Moments:
        del pairs
        return Moments(1, 1, 1)

    def magnitude(self) -> Scalar:
        return 1

    @property
    def exactness(self) -> str:
        return "a constant has one column"

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        del columns, names
        return ["a constant, exactly"]


@own_law.register
def _(kernel: Constant, below: Below) -> OneLaw:
    del kernel, below
    return OneLaw()
