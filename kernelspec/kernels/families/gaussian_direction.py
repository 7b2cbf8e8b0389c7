"""Asymmetric kernels whose spectral measure is a Gaussian density times a wave along one direction."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelspec.errors import RangeError
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.verdict import Verdict
from kernelspec.notation.arguments import Scalar, length, vector
from kernelspec.notation.elementary import exponential, inner_product, is_known_equal, is_known_zero, known_number, root
from kernelspec.special.floats import floats

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.notation.pairs import NumericPairs

__all__ = ["GaussianDirection"]

_LARGEST_EXPONENT = 300.0
"""Of the gain: its square is still a float."""


@dataclass(frozen=True, kw_only=True)
class GaussianDirection(Leaf):
    """μ(dω) = N(ω) h(s·ω) dω, N the density of N(0, σ⁻² I), s the `step`, h(−θ) = conj h(θ) a function of one angle.

    h(θ) = g e^{iθ}, or 1 + ig sin θ where `has_constant_real_part`; g is the `gain`. Everything depends on one Gaussian
    direction: with a = ‖s‖/σ, the `frequency`, s·ω = aZ for a standard normal Z. As e^{inθ} N is the measure of the
    Gaussian kernel at Δ + ns, such a kernel is a sum of shifted Gaussians.
    """

    has_constant_real_part: ClassVar[bool] = False

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

    def distance(self, pairs: NumericPairs) -> np.ndarray:
        """‖Δ‖₂."""
        return floats(np.sqrt(pairs.squared_norm()))

    @property
    @abstractmethod
    def step(self) -> tuple[Scalar, ...]:
        """s."""

    @property
    @abstractmethod
    def gain_exponent(self) -> Scalar:
        """ln g."""

    # -- what follows ------------------------------------------------------------------------------------------------

    @property
    def gain(self) -> Scalar:
        """g."""
        return exponential(self.gain_exponent)

    @cached_property
    def frequency(self) -> Scalar:
        """a = ‖s‖/σ."""
        return root(inner_product(self.step, self.step, self.dim)) / self.scale

    @cached_property
    def gaussian(self) -> Gaussian:
        """The Gaussian kernel whose spectral density is N."""
        return Gaussian(scale=self.scale, dim=self.dim, span=self.span)

    @property
    def is_symmetric(self) -> bool:
        """Whether the direction is zero."""
        return all(entry == 0 for entry in self.by)

    def total_variation(self) -> Scalar:
        """‖μ‖: the gain, or E √(1 + g² sin² aZ), an integral where there are symbols."""
        if not self.has_constant_real_part:
            return self.gain
        a, g = known_number(self.frequency), known_number(self.gain)
        if a is not None and g is not None:
            from kernelspec.special.wave_modulus import modulus_mass

            return modulus_mass(a, g)
        import sympy

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

    def translated_verdict(self, back: tuple[Scalar, ...], name: str) -> Verdict:
        """The verdict on a multiple of this kernel with `by` − `back` in the place of `by`, made by the form `name`."""
        n = max(len(back), len(self.by))
        pairs = zip(*(vector if len(vector) == n else vector * n for vector in (self.by, back)), strict=True)
        return self._verdict([is_known_equal(entry, other) for entry, other in pairs], f"{name} of {self}")

    def _verdict(self, zeros: list[bool | None], what: str) -> Verdict:
        """By whether the entries of the direction are zero."""
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
        import sympy

        if self.has_constant_real_part:
            return 1 + sympy.I * self.gain * sympy.sin(angle)
        return self.gain * sympy.exp(sympy.I * angle)

    def unit(self) -> np.ndarray:
        """The direction of s, (dim,); the first axis where s is zero."""
        step = np.asarray(self.step, dtype=float)
        size = float(np.linalg.norm(step))
        return step / size if size else np.eye(1, len(step)).ravel()


def _normal(z: Any) -> Any:
    import sympy

    return sympy.exp(-(z**2) / 2) / sympy.sqrt(2 * sympy.pi)
