"""Gaussians with a wave along one direction of the spectrum: shifted, sinh and cosh Gaussians."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from kernelspec.errors import RangeError
from kernelspec.expressions.arguments import Scalar, length, vector
from kernelspec.expressions.elementary import (
    Height,
    exponential,
    height_off_zero,
    inner_product,
    is_known_equal,
    is_known_zero,
    known_number,
    root,
    vector_sum,
)
from kernelspec.expressions.pairs import NumericPairs, Pairs
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.loading import sympy
from kernelspec.special.closed_forms import Line
from kernelspec.special.elementary import Scaled, floats
from kernelspec.special.wave_integrals import modulus_mass

__all__ = ["CoshGaussian", "GaussianDirection", "ShiftGaussian", "SinhGaussian"]

_LARGEST_EXPONENT = 300.0  # largest logarithm of the gain; its square is still a float


@dataclass(frozen=True, kw_only=True)
class GaussianDirection(Leaf):
    """μ(dω) = N(ω) h(s·ω) dω, N the density of N(0, σ⁻² I), s the `step`, h(−θ) = conj h(θ) a function of one angle.

    h(θ) = g e^{iθ}, or 1 + ig sin θ if `has_constant_real_part`; g is the `gain`. Everything depends on one Gaussian
    direction: with a = ‖s‖/σ, the `frequency`, s·ω = aZ for a standard normal Z. As e^{inθ} N is the measure of the
    Gaussian kernel at Δ + ns, such a kernel is a sum of shifted Gaussians.
    """

    has_constant_real_part: ClassVar[bool] = False
    is_analytic: ClassVar[bool] = True
    is_round_at_zero: ClassVar[bool] = True

    scale: Scalar = length(1)
    by: tuple[Scalar, ...] = vector()

    def __post_init__(self) -> None:
        exponent = known_number(self.gain_exponent)
        if exponent is not None and exponent > _LARGEST_EXPONENT:
            raise RangeError(
                f"{self.name}() with σ²‖by‖²/2 = {exponent:.3g} has a spectral measure of mass e^{exponent:.3g}: it "
                f"must be at most {_LARGEST_EXPONENT:g}; make the scale or 'by' smaller",
                self.span,
            )

    # -- what each kernel states -------------------------------------------------------------------------------------

    @property
    def step(self) -> tuple[Scalar, ...]:
        """s; here −σ²β, β = `by`."""
        return tuple(-(self.scale**2) * entry for entry in self.by)

    @property
    def gain_exponent(self) -> Scalar:
        """ln g; here σ²‖β‖²/2."""
        return self.scale**2 * inner_product(self.by, self.by, self.dim) / 2

    # -- what follows ------------------------------------------------------------------------------------------------

    @property
    def gain(self) -> Scalar:
        """g."""
        return exponential(self.gain_exponent)

    @cached_property
    def frequency(self) -> Scalar:
        """a = ‖s‖/σ."""
        return root(inner_product(self.step, self.step, self.dim)) / self.scale

    def tilts(self) -> tuple[tuple[Any, GaussianDirection], ...]:
        """The kernel as a weighted sum of shifted or tilted Gaussians: pairs of a weight and a Gaussian."""
        return ((1, self),)

    @abstractmethod
    def as_tilt(self, line: Line) -> tuple[Any, tuple[Any, ...]]:
        """(c, β) such that a shifted or tilted Gaussian is c e^{β·Δ} times `gaussian`, in the numbers of `line`."""

    @cached_property
    def gaussian(self) -> Gaussian:
        """The Gaussian kernel whose spectral density is N."""
        return Gaussian(scale=self.scale, dim=self.dim, span=self.span)

    @property
    def is_symmetric(self) -> bool:
        """Whether the direction is zero."""
        return all(entry == 0 for entry in self.by)

    def total_variation(self) -> Scalar:
        """‖μ‖: the gain, or E √(1 + g² sin² aZ), an integral for symbols."""
        if not self.has_constant_real_part:
            return self.gain
        a, g = known_number(self.frequency), known_number(self.gain)
        if a is not None and g is not None:
            return modulus_mass(a, g)
        z = sympy.Symbol("z", real=True)
        modulus = sympy.sqrt(1 + self.gain**2 * sympy.sin(self.frequency * z) ** 2)
        return sympy.Integral(modulus * _normal(z), (z, -sympy.oo, sympy.oo))

    def diagonal(self) -> Scalar:
        if self.has_constant_real_part:
            return 1
        return self.gain * exponential(-self.frequency * self.frequency / 2)

    def magnitude(self) -> Scalar:
        return self.total_variation()

    def transposed(self) -> Kernel:
        return replace(self, by=tuple(-entry for entry in self.by))

    def verdict(self) -> Verdict:
        return self._verdict([is_known_zero(entry) for entry in self.by], str(self))

    def height(self, lag: Sequence[Scalar]) -> Height:
        return height_off_zero(lag) if self.verdict().positive_definite == "proved" else None

    def translated_verdict(self, back: tuple[Scalar, ...], name: str) -> Verdict:
        """The verdict on a multiple of this kernel with `by` − `back` in place of `by`, made by the form `name`."""
        n = max(len(back), len(self.by))
        pairs = zip(*(vector if len(vector) == n else vector * n for vector in (self.by, back)), strict=True)
        return self._verdict([is_known_equal(entry, other) for entry, other in pairs], f"{name} of {self}")

    def _verdict(self, zeros: list[bool | None], what: str) -> Verdict:
        """The verdict, given whether the entries of the direction are zero."""
        if all(zeros):
            return Verdict("proved", (f"{what}: the direction is zero, and this is a Gaussian kernel",))
        reason = f"{what}: k(x, y) ≠ k(y, x), the spectral measure is complex [{self.reference}]"
        if False in zeros:
            return Verdict("disproved", (reason,), symmetric=False)
        return Verdict("unknown", (f"{reason}, unless the direction is zero",), symmetric=None)

    @property
    def is_stationary(self) -> bool:
        return True

    # -- numbers -----------------------------------------------------------------------------------------------------

    def wave(self, angle: np.ndarray) -> np.ndarray:
        """h(θ), complex."""
        if self.has_constant_real_part:
            return np.asarray(1 + 1j * float(self.gain) * np.sin(angle))
        return np.asarray(float(self.gain) * np.exp(1j * angle))

    def wave_expression(self, angle: Any) -> Any:
        """h(θ) in SymPy."""
        if self.has_constant_real_part:
            return 1 + sympy.I * self.gain * sympy.sin(angle)
        return self.gain * sympy.exp(sympy.I * angle)

    def unit(self) -> np.ndarray:
        """The direction of s, (dim,); the first axis where s is zero."""
        step = np.asarray(self.step, dtype=float)
        size = float(np.linalg.norm(step))
        return step / size if size else np.eye(1, len(step)).ravel()


def _normal(z: Any) -> Any:
    return sympy.exp(-(z**2) / 2) / sympy.sqrt(2 * sympy.pi)


@dataclass(frozen=True, kw_only=True)
class ShiftGaussian(GaussianDirection):
    """k(Δ) = exp(−‖Δ + r‖² / 2σ²) on R^d, σ = `scale` > 0, r = `by`; μ = N(ω) e^{ir·ω}, N the N(0, σ⁻² I) density.

    Total variation 1, k(0) = exp(−‖r‖²/2σ²). Symmetric for r = 0 only. Reference: He, He, Liu and Huang 2022.
    """

    name: ClassVar[str] = "shift_gaussian"
    formula: ClassVar[str] = "exp(−‖Δ + r‖² / 2σ²)"
    frequencies: ClassVar[str] = "N(0, σ⁻² I) with the phase r·ω on the left"
    reference: ClassVar[str] = "He, He, Liu and Huang 2022"

    @property
    def step(self) -> tuple[Scalar, ...]:
        return self.by

    @property
    def gain_exponent(self) -> Scalar:
        return 0

    @property
    def gain(self) -> Scalar:
        return 1

    def pieces(self, line: Line) -> Any:
        return line.shifted(line.bell(self.scale), line.number(self.by[0]))

    def as_tilt(self, line: Line) -> tuple[Any, tuple[Any, ...]]:
        """e^{−‖r‖²/2σ²} and −r/σ²."""
        square, by = line.number(self.scale) ** 2, list(map(line.number, self.by))
        return line.exponential(-sum(entry**2 for entry in by) / (2 * square)), tuple(-entry / square for entry in by)

    def moved_verdict(self, by: tuple[Scalar, ...], name: str) -> Verdict | None:
        """k(Δ + r) e^(β·Δ) is a multiple of k(Δ + r − σ²β)."""
        return self.translated_verdict(tuple(self.scale**2 * b for b in by), name) if name == "tilt" else None

    def shifted(self, by: tuple[Scalar, ...]) -> ShiftGaussian:
        """k(Δ + by)."""
        return ShiftGaussian(scale=self.scale, by=vector_sum(self.by, by), dim=self.dim, span=self.span)

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return self.gaussian.exponent(pairs.translated(self.by))

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        return self.gaussian.numbers(pairs.translated(self.by))

    def expression(self, pairs: Pairs) -> Any:
        return self.gaussian.expression(pairs.translated(self.by))


@dataclass(frozen=True, kw_only=True)
class SinhGaussian(GaussianDirection):
    """k(Δ) = exp(−‖Δ‖² / 2σ²)(1 + sinh β·Δ) on R^d, σ = `scale` > 0, β = `by`; μ = N(ω)(1 − ig sin σ²β·ω).

    N is the N(0, σ⁻² I) density and g = e^{σ²‖β‖²/2}. Total variation E √(1 + g² sin² aZ), a = σ‖β‖, Z ~ N(0, 1);
    k(0) = 1. Symmetric for β = 0 only. Reference: He, He, Liu and Huang 2022.
    """

    name: ClassVar[str] = "sinh_gaussian"
    formula: ClassVar[str] = "exp(−‖Δ‖² / 2σ²)(1 + sinh β·Δ)"
    frequencies: ClassVar[str] = "N(0, σ⁻² I) times |1 − ig sin σ²β·ω|, g = e^(σ²‖β‖²/2), with its phase on the left"
    reference: ClassVar[str] = "He, He, Liu and Huang 2022"
    has_constant_real_part: ClassVar[bool] = True

    def pieces(self, line: Line) -> Any:
        return line.total([(line.number(weight), kernel.pieces(line)) for weight, kernel in self.tilts()])

    def as_tilt(self, line: Line) -> NoReturn:
        raise TypeError(f"{self} is a sum of tilted Gaussians: see tilts()")

    def tilts(self) -> tuple[tuple[Any, CoshGaussian], ...]:
        """1 + sinh x = 1 + e^x/2 − e^{−x}/2."""
        half = 0.5 if any(isinstance(entry, float) for entry in self.by) else Fraction(1, 2)
        one = CoshGaussian(scale=self.scale, by=self.by, dim=self.dim, span=self.span)
        return tuple(
            (weight, replace(one, by=tuple(factor * entry for entry in self.by)))
            for weight, factor in ((2 * half, 0), (half, 1), (-half, -1))
        )

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        half, tilt = pairs.squared_norm() / (2 * self.scale**2), pairs.inner(self.by)
        small = np.abs(tilt) < 1
        # near zero the difference of exponentials would cancel, far away sinh would overflow
        near = np.exp(-half) * np.sinh(np.where(small, tilt, 0.0))
        far = (np.exp(tilt - half) - np.exp(-tilt - half)) / 2
        return floats(np.exp(-half) + np.where(small, near, far))

    def scaled_value(self, pairs: NumericPairs) -> Scaled:
        # e^{−h}(1 + sinh t) = e^{|t| − h}(e^{−|t|} + sinh(t) e^{−|t|})
        tilt = pairs.inner(self.by)
        size = np.abs(tilt)
        mantissa = np.exp(-size) - np.sign(tilt) * np.expm1(-2 * size) / 2
        return Scaled(mantissa, size - pairs.squared_norm() / (2 * self.scale**2))

    def expression(self, pairs: Pairs) -> Any:
        gaussian = sympy.exp(-pairs.squared_norm() / (2 * self.scale**2))
        return gaussian * (1 + sympy.sinh(pairs.inner(self.by)))


@dataclass(frozen=True, kw_only=True)
class CoshGaussian(GaussianDirection):
    """k(Δ) = exp(−‖Δ‖² / 2σ²) e^{β·Δ} on R^d, σ = `scale` > 0, β = `by`; μ = g N(ω) e^{−iσ²β·ω}, g = e^{σ²‖β‖²/2}.

    N is the N(0, σ⁻² I) density. Total variation g, k(0) = 1: a Gaussian kernel shifted by −σ²β, times g. Symmetric for
    β = 0 only. Reference: He, He, Liu and Huang 2022.
    """

    name: ClassVar[str] = "cosh_gaussian"
    formula: ClassVar[str] = "exp(−‖Δ‖² / 2σ²) e^(β·Δ)"
    frequencies: ClassVar[str] = "N(0, σ⁻² I) with the phase −σ²β·ω on the left and the weight e^(σ²‖β‖²/2)"
    reference: ClassVar[str] = "He, He, Liu and Huang 2022"

    def pieces(self, line: Line) -> Any:
        return line.tilted(line.bell(self.scale), line.number(self.by[0]))

    def moved_verdict(self, by: tuple[Scalar, ...], name: str) -> Verdict | None:
        """k(Δ + r), k = G(Δ) e^(β·Δ), is a multiple of G(Δ) e^((β − r/σ²)·Δ)."""
        return self.translated_verdict(tuple(r / self.scale**2 for r in by), name) if name == "shift" else None

    def as_tilt(self, line: Line) -> tuple[Any, tuple[Any, ...]]:
        return line.number(1), tuple(map(line.number, self.by))

    def diagonal(self) -> Scalar:
        return 1

    def numbers(self, pairs: NumericPairs) -> np.ndarray:
        # one exponential: factors might overflow where the product does not
        return floats(np.exp(self.exponent(pairs)))

    def exponent(self, pairs: NumericPairs) -> np.ndarray:
        return floats(pairs.inner(self.by) - pairs.squared_norm() / (2 * self.scale**2))

    def expression(self, pairs: Pairs) -> Any:
        return sympy.exp(pairs.inner(self.by) - pairs.squared_norm() / (2 * self.scale**2))
