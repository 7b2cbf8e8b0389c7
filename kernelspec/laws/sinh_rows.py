"""A Gaussian kernel times one plus a hyperbolic sine, with the hyperbolic factor on the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.kernels.leaves.cosh_gaussian import CoshGaussian
from kernelspec.kernels.leaves.sinh_gaussian import SinhGaussian
from kernelspec.laws.columns_shown import indented
from kernelspec.laws.derived import Derived
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.tilt import TiltLaw, grown, rates_shown
from kernelspec.notation.pair_function import ExponentialOf
from kernelspec.samples.samples import gather

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.laws.law import Law
    from kernelspec.laws.moments import Moments
    from kernelspec.notation.arguments import Scalar, Value
    from kernelspec.notation.pairs import Pairs
    from kernelspec.random.streams import Stream
    from kernelspec.samples.samples import Samples

__all__ = ["SinhRowsLaw", "rows"]


@dataclass(frozen=True)
class SinhRowsLaw(Derived):
    """p of k(Δ)(1 + sinh β·Δ): each sample of k, `base`, times 1 + ½e^{β·x}e^{−β·y} − ½e^{−β·x}e^{β·y}.

    The three terms share the frequency: a sample is three column groups, with signs (+, +, −). A and B are those of k
    times (1 + sinh β·Δ)². Its magnitude is the size at x = y: far away |p| has no bound.
    """

    by: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if self.dim not in (None, len(self.by)):
            raise ValueError(f"a vector of {len(self.by)} entries stands on {self.dim} columns")

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        rise = tuple(float(entry) for entry in self.by)
        still, fall = tuple(0.0 for _ in rise), tuple(-entry for entry in rise)
        terms = []
        for batch in self.base.draw(stream, n, columns):
            terms += [
                grown(batch, still, columns),
                grown(batch.relabelled(batch.index, 0.5), rise, columns),
                grown(batch.relabelled(batch.index, 0.5, -1.0), fall, columns),
            ]
        return gather(terms)

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs) * self._factor(pairs)

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs).scaled(self._factor(pairs) ** 2)

    def _factor(self, pairs: Pairs) -> Value:
        rise = pairs.of(ExponentialOf(self.by))
        fall = pairs.of(ExponentialOf(tuple(-entry for entry in self.by)))
        return 1 + (rise - fall) / 2

    @property
    def has_amplitude(self) -> bool:
        return True

    @property
    def n_terms(self) -> int:
        return 3 * self.base.n_terms

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        what = f"as they are, and as ±½ of rows scaled by e^(±β·x) and e^(∓β·y), β = ({rates_shown(self.by)}):"
        return [f"three times, {what}", *indented(self.base.lines(columns, names))]


def rows(kernel: Kernel) -> Law | None:
    """The scheme "rows": the hyperbolic factor of sinh_gaussian(), the exponential one of cosh_gaussian(), on rows."""
    if not isinstance(kernel, SinhGaussian | CoshGaussian) or kernel.is_symmetric:
        return None
    base = FourierLaw(kernel.gaussian)
    return SinhRowsLaw(base, kernel.by) if isinstance(kernel, SinhGaussian) else TiltLaw(base, kernel.by)
