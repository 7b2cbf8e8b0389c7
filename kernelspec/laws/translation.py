"""Translated and tilted lags, hyperbolic sines of the rows, and frequencies drawn from the modulus of a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.arguments import Scalar, Value
from kernelspec.expressions.pairs import ExponentialOf, NumericPairs, Pairs
from kernelspec.kernels.leaves.gaussian_directions import CoshGaussian, GaussianDirection, SinhGaussian
from kernelspec.kernels.nodes.columns_and_lags import Shift, Tilt
from kernelspec.laws.columns_and_lags import Derived
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law, Moments, PhasorLaw, columns_shown, indented
from kernelspec.laws.rules import OF_SHARES, closed_to, law_of, own_law
from kernelspec.limits import MAX_SIZE
from kernelspec.loading import sympy
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import ColumnRead, Growth, products
from kernelspec.samples.keys import TranslatedKey
from kernelspec.samples.samples import Phasors, Samples, gather
from kernelspec.special.wave_integrals import doubled_phase, draw_modulus

__all__ = [
    "DoubledPhase",
    "PolarLaw",
    "SinhRowsLaw",
    "TiltLaw",
    "TranslationLaw",
    "along_and_across",
    "moved_along",
    "rows",
]


@dataclass(frozen=True)
class VectorLaw(Derived):
    """The samples of `base` transformed by a vector with an entry for each of its columns."""

    by: tuple[Scalar, ...]

    def validate(self) -> None:
        super().validate()
        if self.dim not in (None, len(self.by)):
            raise ValueError(f"a vector of {len(self.by)} entries is applied to {self.dim} columns")

    @property
    def is_one_sided(self) -> bool:
        return super().is_one_sided and not any(map(float, self.by))


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

    @property
    def is_one_sided(self) -> bool:
        is_moved = self.base.has_amplitude or self.base.has_key
        return super().is_one_sided or (self.base.is_one_sided and not is_moved)

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


def along_and_across(kernel: GaussianDirection, pairs: Pairs) -> tuple[Any, Any]:
    """The lag along the direction, and its squared length in the orthogonal complement, in units of σ."""
    if isinstance(pairs, NumericPairs):
        sigma = float(kernel.scale)
        along = pairs.inner(kernel.unit().tolist()) / sigma
        return along, np.maximum(pairs.squared_norm() / sigma**2 - along**2, 0.0)
    along = pairs.inner(kernel.step) / (kernel.scale**2 * kernel.frequency)
    return along, pairs.squared_norm() / kernel.scale**2 - along**2


def moved_along(kernel: GaussianDirection, normal: NDArray[np.float64], along: Any) -> NDArray[np.float64]:
    """Normal vectors over σ, with the given coordinates along the direction."""
    unit = kernel.unit()
    return np.asarray((normal + np.multiply.outer(along - normal @ unit, unit)) / float(kernel.scale))


@dataclass(frozen=True)
class DoubledPhase:
    """∫ cos 2(ω·Δ + arg h) |μ|(dω), μ = N h the measure of `kernel`, h = 1 + ig sin θ."""

    kernel: GaussianDirection

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        along, across = along_and_across(self.kernel, pairs)
        wave = doubled_phase(float(self.kernel.frequency), float(self.kernel.gain), 2 * along)
        return np.asarray(np.exp(-2 * across) * wave)

    def expression(self, pairs: Pairs) -> Any:
        kernel, z = self.kernel, sympy.Symbol("z", real=True)
        along, across = along_and_across(kernel, pairs)
        h = kernel.gain * sympy.sin(kernel.frequency * z)
        turned = (1 - h**2) * sympy.cos(2 * along * z) - 2 * h * sympy.sin(2 * along * z)
        normal = sympy.exp(-(z**2) / 2) / sympy.sqrt(2 * sympy.pi)
        integral = sympy.Integral(turned / sympy.sqrt(1 + h**2) * normal, (z, -sympy.oo, sympy.oo))
        return sympy.exp(-2 * across) * integral


@dataclass(frozen=True)
class PolarLaw(PhasorLaw):
    """p = ‖μ‖ exp(i(ω·(x − y) + arg μ(ω))), ω ~ |μ|/‖μ‖, of total variation ‖μ‖.

    The modulus of h = g e^{iθ} is constant, so ω is Gaussian; that of 1 + ig sin θ is drawn along the direction, with a
    Gaussian in the orthogonal complement. A = ‖μ‖², B = ‖μ‖ ∫ cos 2(ω·Δ + arg h) |μ|(dω).
    """

    is_one_sided: ClassVar[bool] = False

    kernel: GaussianDirection

    def draw(self, stream: Stream, n: int, columns: tuple[int, ...]) -> list[Samples]:
        kernel, normal = self.kernel, stream.normal("normal", (n, len(columns)))
        if kernel.has_constant_real_part:
            along = draw_modulus(stream, float(kernel.frequency), float(kernel.gain), n)
            frequencies = moved_along(kernel, normal, along)
        else:
            frequencies = normal / float(kernel.scale)
        angle = frequencies @ np.asarray(kernel.step, dtype=float)
        phases = np.angle(kernel.wave(angle)) if kernel.has_constant_real_part else angle
        phasors = Phasors(columns, frequencies, phases, np.zeros(n)).merged()
        return [Samples(np.arange(n), np.full(n, float(kernel.total_variation())), np.ones(n), phasors)]

    def moments(self, pairs: Pairs) -> Moments:
        kernel, size = self.kernel, self.kernel.total_variation()
        if kernel.has_constant_real_part:
            doubled = pairs.of(DoubledPhase(kernel))
        else:
            doubled = size * pairs.translated(kernel.step).map(2).of(kernel.gaussian)
        return Moments(size * size, size * doubled, 0)

    def lines(self, columns: tuple[int, ...], names: Sequence[str] | None = None) -> list[str]:
        return [
            f"frequencies of {self.kernel}: {self.kernel.frequencies}, total variation "
            f"{float(self.kernel.total_variation()):.6g}, on columns {columns_shown(columns, names)}"
        ]


own_law.register(GaussianDirection, lambda kernel, below: PolarLaw(kernel))


def polar(kernel: GaussianDirection | Shift) -> Law | None:
    """The scheme "polar", the default of asymmetric kernels: those of a Gaussian direction, and shifts."""
    if isinstance(kernel, Shift):
        return law_of(kernel) if law_of(kernel.base).fourier_kernel() is not None else None
    return None if kernel.is_symmetric else PolarLaw(kernel)


@dataclass(frozen=True)
class SinhRowsLaw(VectorLaw):
    """p of k(Δ)(1 + sinh β·Δ): each sample of k, `base`, times 1 + ½e^{β·x}e^{−β·y} − ½e^{−β·x}e^{β·y}.

    The three terms share the frequency: a sample is three column groups, with signs (+, +, −). A and B are those of k
    times (1 + sinh β·Δ)². The magnitude is that at x = y; |p| is unbounded far away.
    """

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

    def mean(self, pairs: Pairs) -> Value:
        return self.base.mean(pairs) * self._factor(pairs)

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


def rows(kernel: SinhGaussian | CoshGaussian) -> Law | None:
    """The scheme "rows": the hyperbolic factor of sinh_gaussian(), the exponential one of cosh_gaussian(), on rows."""
    if kernel.is_symmetric:
        return None
    base = FourierLaw(kernel.gaussian)
    return SinhRowsLaw(base, kernel.by) if isinstance(kernel, SinhGaussian) else TiltLaw(base, kernel.by)
