"""Translated and tilted lags: phases on the left, real exponentials on each side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import ExponentialOf, Pairs
from kernelspec.kernels.nodes.columns_and_lags import Shift, Tilt
from kernelspec.laws.columns_and_lags import Derived
from kernelspec.laws.law import Moments, indented
from kernelspec.laws.rules import OF_SHARES, closed_to, own_law
from kernelspec.limits import MAX_SIZE
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import ColumnRead, Growth, products
from kernelspec.samples.keys import TranslatedKey
from kernelspec.samples.samples import Phasors, Samples, gather

__all__ = ["TiltLaw", "TranslationLaw", "VectorLaw", "grown", "rates_shown"]


@dataclass(frozen=True)
class VectorLaw(Derived):
    """The samples of `base` transformed by a vector with an entry for each of its columns."""

    by: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if self.dim not in (None, len(self.by)):
            raise ValueError(f"a vector of {len(self.by)} entries is applied to {self.dim} columns")


@dataclass(frozen=True)
class TiltLaw(VectorLaw):
    """p of k(Δ) e^{β·Δ}, β = `by`: the samples of `base` times e^{β·x} and e^{−β·y}. A and B times e^{2β·Δ}.

    Exact for every k. The magnitude is that at x = y; |p| is unbounded far away.
    """

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        growing = [(float(rate), column) for rate, column in zip(self.by, columns, strict=True) if rate != 0]
        rates, read = zip(*growing, strict=True) if growing else ((), ())  # the other columns may be categories
        return gather([grown(batch, rates, read) for batch in self.base.draw(stream, n, columns)])

    def value(self, pairs: Pairs) -> Value:
        return self.base.value(pairs) * pairs.of(ExponentialOf(self.by))

    def mean(self, pairs: Pairs) -> Value:
        return self.base.mean(pairs) * pairs.of(ExponentialOf(self.by))

    def moments(self, pairs: Pairs) -> Moments:
        return self.base.moments(pairs).scaled(pairs.of(ExponentialOf(tuple(2 * entry for entry in self.by))))

    @property
    def has_amplitude(self) -> bool:
        return True

    @property
    def exactness(self) -> str:
        return self.base.exactness

    def compared(self, columns: tuple[int, ...]) -> frozenset[tuple[int, ...]] | None:
        return self.base.compared(columns)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        own = indented(self.base.lines(columns, names))
        return [f"rows scaled by e^(β·x) and e^(−β·y), β = ({rates_shown(self.by)}):", *own]


own_law.register(Tilt, lambda kernel, below: TiltLaw(below(kernel.base), kernel.by))
closed_to.register(Tilt, lambda kernel: OF_SHARES)


def grown(batch: Samples, by: tuple[float, ...], columns: tuple[int, ...]) -> Samples:
    """The samples times e^{β·x} on the left and e^{−β·y} on the right."""
    own = Growth(columns, np.tile(np.asarray(by, dtype=float), (len(batch), 1)))
    return replace(batch, growth=own if batch.growth is None else batch.growth * own)


def rates_shown(by: tuple[Scalar, ...]) -> str:
    """A vector in words."""
    return ", ".join(f"{float(entry):g}" for entry in by)


@dataclass(frozen=True)
class TranslationLaw(VectorLaw):
    """p of k(Δ + r), r = `by`: the samples of `base` at x + r and y."""

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        by = tuple(float(entry) for entry in self.by)
        return gather([_moved(batch, by, columns) for batch in self.base.draw(stream, n, columns)])

    def seen(self, pairs: Pairs) -> Pairs:
        return pairs.translated(self.by)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [f"at x + ({rates_shown(self.by)}) and y:", *indented(self.base.lines(columns, names))]


own_law.register(Shift, lambda kernel, below: TranslationLaw(below(kernel.base), kernel.by))
closed_to.register(Shift, lambda kernel: OF_SHARES)


def _moved(batch: Samples, by: tuple[float, ...], columns: tuple[int, ...]) -> Samples:
    weight = batch.weight if batch.growth is None else batch.weight * _grown(batch.growth, by, columns)
    keys = tuple(TranslatedKey(key, by, columns) for key in batch.keys)
    return replace(batch, phasors=_turned(batch.phasors, by, columns), keys=keys, weight=weight)


def _grown(growth: Growth, by: tuple[float, ...], columns: tuple[int, ...]) -> NDArray[np.float64]:
    """The factor exp(β·r) that the translation adds to the samples. Raises PlanError beyond what can be sampled."""
    with np.errstate(over="ignore"):
        found = growth.at(columns, by)
    if not (found <= MAX_SIZE).all():
        raise PlanError(
            f"samples of this kernel grow like exp(β·Δ), and the translation gives them weights beyond "
            f"{MAX_SIZE:g}, so no features can be drawn"
        )
    return found


def _turned(phasors: Phasors | None, by: tuple[float, ...], columns: tuple[int, ...]) -> Phasors | None:
    if phasors is None:
        return None
    place: dict[ColumnRead, float] = dict(zip(columns, by, strict=True))
    steps = np.array([place.get(column, 0.0) for column in phasors.columns])
    return replace(phasors, left=phasors.left + products(steps[None], phasors.frequencies)[0])
