"""Compositional kernels with their low degrees exact, or without their constant samples."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import Pairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.of_rows import InnerProduct
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.laws.columns_and_lags import Derived
from kernelspec.laws.compositional.dual import DualLaw
from kernelspec.laws.compositional.neurons import neurons
from kernelspec.laws.compositional.skeleton import SkeletonLaw
from kernelspec.laws.law import Law, Moments, size_on
from kernelspec.laws.rules import law_of
from kernelspec.laws.sums_and_products import MixtureLaw, OneLaw
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples

__all__ = ["HigherDegreesLaw", "VaryingLaw", "curved_neurons", "low_degrees", "varying"]

_MOST_EXACT = 0.999  # products of two factors or more are found by rejection, with at most a thousand draws each


@dataclass(frozen=True)
class ConditionalLaw(Derived):
    """The samples of `base`, a dual or a skeleton, that have some factors."""

    @property
    @abstractmethod
    def conditional(self) -> DualLaw | SkeletonLaw:
        """The law of the samples that have them."""

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        return self.conditional.draw(stream, n, columns)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return self.conditional.lines(columns, names)


@dataclass(frozen=True)
class HigherDegreesLaw(ConditionalLaw):
    """Samples p of σ̂(k) = Σ a_l k^l, those of `base`, conditional on l ≥ 2: samples of (σ̂(k) − a_0 − a_1 k)/q.

    q = 1 − (a_0 + a_1 m)/S is the probability of l ≥ 2, S = σ̂(m) and m the magnitudes of both kernels, and E p² here
    is S (Σ a_l (A/m)^l − a_0 − a_1 A/m)/q.
    """

    def validate(self) -> None:
        super().validate()
        if not isinstance(self.base, DualLaw) or not 1 - _MOST_EXACT <= self.probability <= 1:
            raise ValueError(f"a {type(self.base).__name__} has no higher degrees")

    @property
    def probability(self) -> float:
        """q, the probability of two factors or more."""
        return 1.0 - float(self._products.kernel.activation.law(np.arange(2.0), self._products.mass).sum())

    def value(self, pairs: Pairs) -> Value:
        return self._rest(self.base.value(pairs), self._products.base.value(pairs))

    def mean(self, pairs: Pairs) -> Value:
        return self._rest(self.base.mean(pairs), self._products.base.mean(pairs))

    def moments(self, pairs: Pairs) -> Moments:
        size, mass = size_on(pairs, self.magnitude()), self._products.mass
        whole, factor = self.base.moments(pairs), self._products.base.moments(pairs)
        parts = zip((whole.a, whole.b, whole.real), (factor.a, factor.b, factor.real), strict=True)
        return Moments(*(size * self._rest(square / size, below / mass) for square, below in parts))

    def _rest(self, whole: Value, below: Value) -> Value:
        constant, slope = self._products.kernel.activation.coefficient(np.arange(2.0)).tolist()
        return (whole - constant - slope * below) / self.probability

    @property
    def conditional(self) -> DualLaw:
        return replace(self._products, least_degree=2)

    @property
    def _products(self) -> DualLaw:
        assert isinstance(self.base, DualLaw)
        return self.base


def low_degrees(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "low_degrees": a_0 in one column, a_1 k in those of k, exactly, and products of two samples or more.

    For duals over kernels with exact dense features: linear(), sphere(), normalize(linear()).
    """
    return _divided(kernel, lambda: HigherDegreesLaw(law_of(kernel)))


def curved_neurons(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "curved_neurons": the same for rows of norm 1, with neurons minus their constant and linear parts.

    Their variance is finite where that of products may be unbounded.
    """
    own = neurons(kernel)
    return None if own is None else _divided(kernel, lambda: replace(own, is_curved=True))


def _divided(kernel: Kernel, rest: Callable[[], Law]) -> MixtureLaw | None:
    """The constant and the linear part exactly, and the rest by samples of its own; None without such parts."""
    with suppress(TypeError, ZeroDivisionError, OverflowError):  # symbolic parameters, masses beyond floats
        if not isinstance(kernel, Dual) or kernel.max_degree is not None:
            return None
        below = kernel.base.base if isinstance(kernel.base, Select) else kernel.base
        if not isinstance(below, InnerProduct):  # checked first, since the laws of deep nets are long
            return None
        exact = law_of(kernel.base, "exact")
        constant, slope = kernel.activation.coefficient(np.arange(2.0)).tolist()
        higher = 1 - (constant + slope * kernel.mass) / kernel.size
        if exact.is_exact and slope > 0 and 1 - _MOST_EXACT <= higher < 1:
            if constant == 0:
                return MixtureLaw((exact, rest()), (slope, higher))
            return MixtureLaw((OneLaw(), exact, rest()), (constant, slope, higher))
    return None


_MOST_CONSTANT = 0.999  # varying samples are found by rejection, with at most a thousand draws each


@dataclass(frozen=True)
class VaryingLaw(ConditionalLaw):
    """Samples p of k, those of `base`, conditional on not being constant: samples of (k − q S)/(1 − q).

    A sample is the constant S, the magnitude of k, with probability q = `share`. So k = q S + (1 − q) · this, and E p²
    here is (E p² − q S²)/(1 − q).
    """

    share: float

    def validate(self) -> None:
        super().validate()
        if not 0 < self.share <= _MOST_CONSTANT or not isinstance(self.base, DualLaw | SkeletonLaw):
            raise ValueError(f"the share of constants is {self.share}, of a {type(self.base).__name__}")

    def value(self, pairs: Pairs) -> Value:
        return self._rest(self.base.value(pairs), size_on(pairs, self.magnitude()))

    def mean(self, pairs: Pairs) -> Value:
        return self._rest(self.base.mean(pairs), size_on(pairs, self.magnitude()))

    def moments(self, pairs: Pairs) -> Moments:
        whole, size = self.base.moments(pairs), self.magnitude()
        square = size_on(pairs, size * size)
        return Moments(*(self._rest(part, square) for part in (whole.a, whole.b, whole.real)))

    def _rest(self, whole: Value, constant: Scalar) -> Value:
        return (whole - self.share * constant) / (1 - self.share)

    @property
    def conditional(self) -> DualLaw | SkeletonLaw:
        match self.base:
            case DualLaw():
                return replace(self.base, least_degree=1)
            case SkeletonLaw():
                return replace(self.base, varying=True)
        raise TypeError(f"{type(self.base).__name__} has no constant samples")


def varying(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "varying": the constant, exactly, and the varying part.

    Each term of a sum has its own samples, and the constant needs one without variance: at equal cost, the variance is
    never larger than that of samples of the kernel itself.
    """
    share = None  # the probability that a sample is constant
    with suppress(TypeError, ZeroDivisionError):  # symbolic parameters; σ̂(m) too small for a float
        if isinstance(kernel, Dual) and kernel.max_degree is None:
            share = float(kernel.activation.coefficient(np.zeros(1))[0]) / kernel.size
        elif isinstance(kernel, Skeleton):
            share = kernel.sparsity
    if share is None or not 0 < share <= _MOST_CONSTANT:
        return None
    weights = (share * (kernel.size if isinstance(kernel, Dual) else 1.0), 1 - share)
    return MixtureLaw((OneLaw(), VaryingLaw(law_of(kernel), share)), weights)
