"""Compositional kernels without the samples that are constant."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.compositional.dual import DualLaw
from kernelspec.laws.compositional.skeleton import SkeletonLaw
from kernelspec.laws.derived import Derived
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.moments import Moments, size_on
from kernelspec.laws.one import OneLaw
from kernelspec.laws.rules import law_of

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["VaryingLaw", "varying"]

_MOST_CONSTANT = 0.999
"""Samples that vary are found by drawing until there is one: a thousand times for each at most."""


@dataclass(frozen=True)
class VaryingLaw(Derived):
    """Samples p of k, those of `base`, given that they are not constant: of (k − q S)/(1 − q).

    A sample is the constant S, the magnitude of k, with probability q = `share`. So k = q S + (1 − q) · this, and E p²
    here is (E p² − q S²)/(1 − q).
    """

    share: float

    def validate(self) -> None:
        super().validate()
        if not 0 < self.share <= _MOST_CONSTANT or not isinstance(self.base, DualLaw | SkeletonLaw):
            raise ValueError(f"the share of constants is {self.share}, of a {type(self.base).__name__}")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        return self._given_a_factor().draw(stream, n, columns)

    def value(self, pairs: Pairs) -> Value:
        return self._rest(self.base.value(pairs), size_on(pairs, self.magnitude()))

    def mean(self, pairs: Pairs) -> Value:
        return self._rest(self.base.mean(pairs), size_on(pairs, self.magnitude()))

    def moments(self, pairs: Pairs) -> Moments:
        whole, size = self.base.moments(pairs), self.magnitude()
        square = size_on(pairs, size * size)
        return Moments(*(self._rest(part, square) for part in (whole.a, whole.b, whole.real)))

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return self._given_a_factor().lines(columns, names)

    def _rest(self, whole: Value, constant: Scalar) -> Value:
        return (whole - self.share * constant) / (1 - self.share)

    def _given_a_factor(self) -> DualLaw | SkeletonLaw:
        """The law of samples with at least one factor."""
        match self.base:
            case DualLaw():
                return replace(self.base, least_degree=1)
            case SkeletonLaw():
                return replace(self.base, varying=True)
        raise TypeError(f"{type(self.base).__name__} has no constant samples")


def varying(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "varying": the constant, exactly, and what varies.

    Of a sum each term has its own samples, and the constant needs one without variance: at equal cost the variance is
    never more than that of samples of the kernel itself.
    """
    share = None
    with suppress(TypeError, ZeroDivisionError):  # a parameter may be a symbol; σ̂(m) too small for a float
        share = _constant_share(kernel)
    if share is None or not 0 < share <= _MOST_CONSTANT:
        return None
    weights = (share * (kernel.size if isinstance(kernel, Dual) else 1.0), 1 - share)
    return MixtureLaw((OneLaw(), VaryingLaw(law_of(kernel), share)), weights)


def _constant_share(kernel: Kernel) -> float | None:
    """The probability that a sample is constant; None for kernels that have no such samples apart."""
    if isinstance(kernel, Dual) and kernel.max_degree is None:
        return float(kernel.activation.coefficient(np.zeros(1))[0]) / kernel.size
    return kernel.sparsity if isinstance(kernel, Skeleton) else None
