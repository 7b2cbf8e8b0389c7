"""Products: independent samples of the factors, multiplied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import mul
from typing import TYPE_CHECKING

from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.laws.columns_shown import indented
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law
from kernelspec.laws.moments import Moments
from kernelspec.laws.rules import OF_SHARES, Below, closed_to, own_law
from kernelspec.notation.elementary import whole_power
from kernelspec.samples.samples import multiply
from kernelspec.special.counted_work import spend

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kernelspec.laws.cut import Cut
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["ProductLaw"]

_OPERATIONS = 150_000
"""For two batches of samples, most of them small: of a power of a sum with keys there are as many as samples."""

_MOST_COMPARED = 64
"""Sets of columns that the keys of a product compare: a product of sums over many columns has a power of two."""


@dataclass(frozen=True)
class ProductLaw(Law):
    """p = ∏ p_i with independent draws: phasors fuse into one frequency, keys are mixed in order. A = ∏ A_i, B = ∏ B_i.

    A power is the product of that many draws of one law.
    """

    factors: tuple[Law, ...]

    @property
    def dim(self) -> Scalar | None:
        return next((part.dim for part in self.factors if part.dim is not None), None)

    def validate(self) -> None:
        super().validate()
        if not self.factors or any(part.dim not in (None, self.dim) for part in self.factors):
            raise ValueError("the factors of a product are on different columns")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        draws = (factor.draw(stream.child(i), n, columns) for i, factor in enumerate(self.factors))
        return reduce(_multiplied, draws)

    def draw_products(self, stream: Stream, counts: NDArray[np.int64], columns: tuple[int, ...]) -> Samples | None:
        """The products of the factors' draws, where all of them have a law."""
        drawn = [factor.draw_products(stream.child(i), counts, columns) for i, factor in enumerate(self.factors)]
        known = [samples for samples in drawn if samples is not None]
        return reduce(mul, known) if len(known) == len(drawn) else None

    def value(self, pairs: Pairs) -> Value:
        if self._is_power:
            return whole_power(self.factors[0].value(pairs), len(self.factors))
        return reduce(mul, (factor.value(pairs) for factor in self.factors))

    def mean(self, pairs: Pairs) -> Value:
        if self._is_power:
            return whole_power(self.factors[0].mean(pairs), len(self.factors))
        return reduce(mul, (factor.mean(pairs) for factor in self.factors))

    def moments(self, pairs: Pairs) -> Moments:
        if self._is_power:
            return self.factors[0].moments(pairs) ** len(self.factors)
        return reduce(mul, (factor.moments(pairs) for factor in self.factors))

    def magnitude(self) -> Scalar:
        return reduce(mul, (factor.magnitude() for factor in self.factors))

    @property
    def cuts(self) -> tuple[Cut, ...]:
        return tuple(dict.fromkeys(cut for factor in self.factors for cut in factor.cuts))

    @property
    def has_phasor(self) -> bool:
        return any(factor.has_phasor for factor in self.factors)

    @property
    def has_key(self) -> bool:
        return any(factor.has_key for factor in self.factors)

    @property
    def has_amplitude(self) -> bool:
        return any(factor.has_amplitude for factor in self.factors)

    @property
    def exactness(self) -> str:
        """Those of all factors, if all are exact; two phasors would each have a sign of its own."""
        rules = [factor.exactness for factor in self.factors]
        exact = all(rules) and sum(factor.has_phasor for factor in self.factors) < 2
        return "; ".join(dict.fromkeys(rules)) if exact else ""

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        """The unions of a set of every factor: the factors of one sample are drawn independently."""
        found = frozenset[tuple[int, ...]]({()})
        for factor in self.factors:
            own = factor.compared(columns)
            if own is None:
                return None
            found = frozenset(tuple(sorted({*a, *b})) for a in found for b in own)
            if len(found) > _MOST_COMPARED:
                return None
        return found

    @property
    def n_terms(self) -> int:
        return prod(factor.n_terms for factor in self.factors)

    def work(self, n: int, nonzeros: float) -> float:
        return sum(factor.work(n, nonzeros) for factor in self.factors)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        if self._is_power:
            own = indented(self.factors[0].lines(columns, names))
            return [f"product of {len(self.factors)} independent draws of", *own]
        return ["product of", *(line for factor in self.factors for line in indented(factor.lines(columns, names)))]

    @property
    def _is_power(self) -> bool:
        return all(factor is self.factors[0] for factor in self.factors)


def _multiplied(left: list[Samples], right: list[Samples]) -> list[Samples]:
    spend(_OPERATIONS * float(len(left)) * len(right))
    return multiply(left, right)


@own_law.register
def _(kernel: Product, below: Below) -> Law:
    laws = [below(factor) for factor in kernel.factors]
    smooth = [found for law in laws if (found := law.fourier_kernel()) is not None]
    if len(smooth) < 2:
        first = [law for law in laws if law.fourier_kernel() is not None]
    else:  # measures convolve: one frequency for all of these factors
        fused = kernel if len(smooth) == len(laws) else Product(factors=tuple(smooth), dim=kernel.dim, span=kernel.span)
        first = [FourierLaw(fused)]
    factors = (*first, *(law for law in laws if law.fourier_kernel() is None))
    return factors[0] if len(factors) == 1 else ProductLaw(factors)


@own_law.register
def _(kernel: Power, below: Below) -> Law:
    base = below(kernel.base)
    return ProductLaw((base,) * kernel.exponent) if base.fourier_kernel() is None else FourierLaw(kernel)


@closed_to.register
def _(kernel: Product) -> frozenset[str]:
    del kernel
    return OF_SHARES


@closed_to.register
def _(kernel: Power) -> frozenset[str]:
    del kernel
    return OF_SHARES
