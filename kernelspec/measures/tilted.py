"""The analytic continuation of a spectral measure: the spectral side of an exponential of the lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.families.coordinatewise import Coordinatewise
from kernelspec.kernels.leaves.exponential import Exponential
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.leaves.matern import Matern
from kernelspec.kernels.nodes.tilt import Tilt
from kernelspec.measures.complex_frequency import ComplexFrequency
from kernelspec.measures.continued import Continued
from kernelspec.measures.convolution import Convolution, convolve
from kernelspec.measures.measure import Measure
from kernelspec.measures.measure_of import measure_of, measure_rule
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.spectral import Spectral
from kernelspec.notation.arguments import Scalar
from kernelspec.notation.elementary import holds, inner_product, known_number, root
from kernelspec.notation.pairs import NumericPairs

if TYPE_CHECKING:
    from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["Tilted", "tilted"]


def tilted(measure: Measure, by: tuple[Scalar, ...]) -> Measure:
    """The measure of k(Δ) e^{β·Δ}, β = `by`, which is that of k at ω + iβ.

    It is finite for a Gaussian, for laplace(scale=σ) with ‖β‖_∞ < 1/σ, for matern(ν, ℓ) with ‖β‖ < √(2ν)/ℓ
    (exponential(ℓ): ν = ½), and for a product over columns with ‖β‖_∞ below the rate at which its factor falls; sums
    follow term by term, and of a product the first factor for which it is finite takes the exponential. Raises
    NotStationaryError for all others, and beyond the limits.
    """
    if isinstance(measure, Convolution):
        return _of_one_factor(measure, by)
    if isinstance(measure, Mixture):
        return Mixture(tuple(tilted(part, by) for part in measure.parts), measure.weights, measure.space)
    kernel = measure.kernel if isinstance(measure, Spectral) else None
    if isinstance(kernel, Gaussian):
        return measure_of(kernel.tilted(by))
    if isinstance(kernel, Coordinatewise) and not isinstance(kernel, Laplace) and kernel.decay_rate() != 0:
        limit, size, words = kernel.decay_rate(), _largest(by), "‖β‖_∞ below the rate at which it falls"
    elif not isinstance(kernel, Laplace | Matern | Exponential):
        raise NotStationaryError(
            "tilt() of this kernel has no spectral measure that is known: k(Δ) e^(β·Δ) is bounded for gaussian(), and "
            "within limits for laplace(), matern(), exponential(), triangle() and polya() of a light tail; features "
            "exist, with scaled rows"
        )
    elif isinstance(kernel, Laplace):
        limit, size, words = 1 / kernel.scale, _largest(by), "‖β‖_∞ < 1/σ"
    else:
        limit, size = _rate(kernel), root(inner_product(by, by, kernel.dim))
        words = "‖β‖ < √(2ν)/ℓ" if isinstance(kernel, Matern) else "‖β‖ < 1/ℓ"
    if holds(size >= limit):
        raise NotStationaryError(
            f"tilt() of {kernel} has no spectral measure: k(Δ) e^(β·Δ) is integrable for {words} = {float(limit):.6g} "
            f"only, and it is {float(size):.6g} here; features exist, with scaled rows"
        )
    return Tilted(kernel, by) if isinstance(kernel, Laplace | Matern | Exponential) else Continued(kernel, by)


def _of_one_factor(measure: Convolution, by: tuple[Scalar, ...]) -> Measure:
    failures = []
    for i, part in enumerate(measure.parts):
        try:
            moved = tilted(part, by)
        except NotStationaryError as error:
            failures.append(error)
            continue
        return convolve((*measure.parts[:i], moved, *measure.parts[i + 1 :]))
    raise failures[0]


@dataclass(frozen=True)
class Tilted(ComplexFrequency):
    """p(ω + iβ) dω, p the density of a Laplace or Matérn kernel: complex."""

    kernel: Laplace | Matern | Exponential

    def density(self, frequencies: np.ndarray) -> np.ndarray:
        beta = np.asarray(self.by, dtype=float)
        moved = frequencies + 1j * beta
        if isinstance(self.kernel, Laplace):
            sigma = self.kernel.scale
            return np.asarray(np.prod(sigma / np.pi / (1 + (sigma * moved) ** 2), axis=1))
        square = (moved**2).sum(axis=1)
        rate = float(_rate(self.kernel)) ** 2
        power = (2 * _smoothness(self.kernel) + self.dim) / 2
        origin = self.kernel.density(NumericPairs.of_vectors(np.zeros((1, int(self.dim)))))
        return np.asarray(origin * (1 + square / rate) ** -power)

    def expression(self, frequency: SymbolicPairs) -> Any:
        import sympy

        moved = frequency.shift(tuple(-sympy.I * entry for entry in self.by))
        return self.kernel.density_expression(moved)


def _largest(by: tuple[Scalar, ...]) -> Scalar:
    numbers = [known_number(entry) for entry in by]
    known = [abs(number) for number in numbers if number is not None]
    return max(known) if len(known) == len(by) else abs(by[0])


def _rate(kernel: Matern | Exponential) -> Scalar:
    """√(2ν)/ℓ."""
    return root(2 * kernel.nu) / kernel.scale if isinstance(kernel, Matern) else 1 / kernel.scale


def _smoothness(kernel: Matern | Exponential) -> float:
    return float(kernel.nu) if isinstance(kernel, Matern) else 0.5


@measure_rule.register
def _(kernel: Tilt) -> Measure:
    return tilted(measure_of(kernel.base), kernel.by)
