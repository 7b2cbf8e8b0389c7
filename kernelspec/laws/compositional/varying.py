"""Compositional kernels without the samples that are constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.one import One
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.verdict import Verdict
from kernelspec.laws.moments import Moments
from kernelspec.laws.rewriting import OF_SHARES
from kernelspec.notation.arguments import Scalar, Value

if TYPE_CHECKING:
    from kernelspec.kernels.nodes.dual import Dual
    from kernelspec.kernels.nodes.skeleton import Skeleton
    from kernelspec.laws.sampler import Sampler
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.pairs import Pairs

__all__ = ["Varying", "constant_apart"]

_MOST_CONSTANT = 0.999
"""Samples that vary are found by drawing until there is one: a thousand times for each at most."""


@dataclass(frozen=True, kw_only=True)
class Varying(Kernel):
    """(k − q S)/(1 − q): samples p of k = `base`, given that they are not the constant S = `magnitude` of k.

    They are it with probability q = `share`. So k = q S + (1 − q)·this, and E p² here is (E p² − q S²)/(1 − q).
    """

    excluded: ClassVar[frozenset[str]] = OF_SHARES

    base: Dual | Skeleton
    share: float

    def validate(self) -> None:
        super().validate()
        if not 0 < self.share <= _MOST_CONSTANT:
            raise ValueError(f"the share of constants is {self.share}")

    def _rest(self, whole: Value, constant: Scalar) -> Value:
        return (whole - self.share * constant) / (1 - self.share)

    def value(self, pairs: Pairs) -> Value:
        return self._rest(self.base.value(pairs), self.magnitude())

    def diagonal(self) -> Scalar:
        return self._rest(self.base.diagonal(), self.magnitude())

    def magnitude(self) -> Scalar:
        return self.base.magnitude()

    def moments(self, pairs: Pairs) -> Moments:
        whole, square = self.base.moments(pairs), self.magnitude() ** 2
        return Moments(*(self._rest(part, square) for part in (whole.a, whole.b, whole.real)))

    def verdict(self) -> Verdict:
        part = self.base.verdict()
        rule = "without the constant term of its power series"
        return Verdict(part.positive_definite, (*part.reasons, rule), part.symmetric, part.stationary)

    @property
    def is_stationary(self) -> bool:
        return self.base.is_stationary

    @property
    def is_fourier(self) -> bool:
        return False

    def measure(self) -> Measure:
        return self.base.measure()

    def sampler(self, positions: tuple[int, ...]) -> Sampler:
        return self.base.varying_sampler(positions)

    def __str__(self) -> str:
        return str(self.base)


def constant_apart(base: Dual | Skeleton, share: float) -> dict[str, Kernel]:
    """`base`, a share of whose samples is constant, as the sum of that constant and of what varies.

    Of a sum each term has its own samples, and the constant needs one without variance: at equal cost the variance is
    never more than that of samples of `base` itself.
    """
    if not 0 < share <= _MOST_CONSTANT:
        return {}
    rest = Varying(base=base, share=share, dim=base.dim, span=base.span)
    one = One(dim=base.dim, span=base.span)
    weights = (share * float(base.magnitude()), 1 - share)
    return {"varying": Sum(terms=(one, rest), weights=weights, dim=base.dim, span=base.span)}
