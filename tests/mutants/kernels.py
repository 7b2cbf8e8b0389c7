"""Tests of `mutants/kernels.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from kernelspec.distributions.distribution import load_distribution
from kernelspec.kernels.leaves import coordinatewise as triangle
from kernelspec.kernels.leaves.coordinatewise import Cauchy, Laplace, Sinc
from kernelspec.kernels.leaves.discrete import Circle, Cosine, Periodic
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.of_distributions import Bochner, Polya
from kernelspec.kernels.leaves.radial import Exponential, Matern, PoweredExponential, RationalQuadratic
from kernelspec.special.exact_draws import draw_fejer
from tests.mutants.mutant import Mutant, Patch, given_another, result_changed

__all__ = ["IN_DISTRIBUTIONS", "IN_KERNELS"]


def independent_coordinates_of_a_matern(patch: pytest.MonkeyPatch) -> None:
    def draw(self: Any, stream: Any, n: int) -> Any:
        nu, shape = float(self.nu), (n, self.dim)
        normal = stream.generator("normal").standard_normal(shape)
        return normal * np.sqrt(2 * nu / stream.generator("chi").chisquare(2 * nu, shape)) / float(self.scale)

    patch.setattr(Matern, "draw", draw)


def normal_for_laplace_frequencies(patch: pytest.MonkeyPatch) -> None:
    def draw(self: Any, stream: Any, shape: tuple[int, int]) -> Any:
        return stream.generator("laplace").standard_normal(shape) * np.sqrt(2) / float(self.scale)

    patch.setattr(Cauchy, "draw_coordinates", draw)


def one_poisson_number_for_a_difference(patch: pytest.MonkeyPatch) -> None:
    def draw(self: Any, stream: Any, shape: tuple[int, int]) -> Any:
        orders = stream.generator("up").poisson(0.5 / float(self.scale) ** 2, shape)
        return orders * (2 * np.pi / float(self.period))

    patch.setattr(Periodic, "draw_coordinates", draw)


def uniform_for_fejer_frequencies(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(triangle, "draw_fejer", lambda stream, shape: 2 * np.pi * (stream.uniform("fejer", shape) - 0.5))


def pitch_inverted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        Polya, "draw_coordinates", lambda self, stream, shape: draw_fejer(stream, shape) * self.law.draw(stream, shape)
    )


IN_KERNELS: Mapping[str, Mutant] = MappingProxyType(
    {
        "frequencies without √2": Mutant(
            "kernel gaussian", result_changed(Gaussian, "draw", lambda self, drawn: drawn / np.sqrt(2))
        ),
        "scale for rate": Mutant(
            "kernel laplace",
            result_changed(Laplace, "draw_coordinates", lambda self, drawn: drawn * float(self.scale) ** 2),
        ),
        "a heavy tail cut off": Mutant(
            "kernel laplace",
            result_changed(
                Laplace, "draw_coordinates", lambda self, drawn: np.clip(drawn, -3 / self.scale, 3 / self.scale)
            ),
        ),
        "independent coordinates of a Matérn": Mutant("kernel matern", independent_coordinates_of_a_matern),
        "one degree of freedom too many": Mutant(
            "kernel matern", given_another(Matern, "draw", lambda self: replace(self, nu=float(self.nu) + 0.5))
        ),
        "a scale that is not squared": Mutant(
            "kernel exponential",
            result_changed(Exponential, "draw_variance", lambda self, drawn: drawn * float(self.scale)),
        ),
        "an order inverted": Mutant(
            "kernel rational_quadratic",
            given_another(RationalQuadratic, "draw_variance", lambda self: replace(self, alpha=1 / float(self.alpha))),
        ),
        "the exponent of a norm for that of its square": Mutant(
            "kernel powered_exponential",
            given_another(
                PoweredExponential, "draw_variance", lambda self: replace(self, alpha=min(2.0, 2 * float(self.alpha)))
            ),
        ),
        "normal for Laplace frequencies, of the same variance": Mutant("kernel cauchy", normal_for_laplace_frequencies),
        "half of a band": Mutant(
            "kernel sinc", result_changed(Sinc, "draw_coordinates", lambda self, drawn: drawn / 2)
        ),
        "uniform for Fejér frequencies": Mutant("kernel triangle", uniform_for_fejer_frequencies),
        "one Poisson number for a difference of two": Mutant("kernel periodic", one_poisson_number_for_a_difference),
        "turns for radians": Mutant(
            "kernel cosine", result_changed(Cosine, "draw", lambda self, drawn: drawn * 2 * np.pi)
        ),
        "every other harmonic": Mutant("kernel circle", result_changed(Circle, "draw", lambda self, drawn: 2 * drawn)),
        "a pitch inverted": Mutant("kernel polya", pitch_inverted),
        "one frequency for all coordinates": Mutant(
            "kernel bochner",
            result_changed(Bochner, "draw", lambda self, drawn: np.repeat(drawn[:, :1], drawn.shape[1], axis=1)),
        ),
    }
)
"""What must die."""


def _drawn(name: str, change: Callable[[Any, Any], Any]) -> Mutant:
    return Mutant(f"distribution {name}", result_changed(load_distribution(name), "draw", change))


def _of(name: str, **numbers: Callable[[Any], Any]) -> Mutant:
    """The draws of the same distribution with other numbers."""

    def another(law: Any) -> Any:
        return replace(law, **{key: change(law) for key, change in numbers.items()})

    patch: Patch = given_another(load_distribution(name), "draw", another)
    return Mutant(f"distribution {name}", patch)


IN_DISTRIBUTIONS: Mapping[str, Mutant] = MappingProxyType(
    {
        "a shape off by one": _of("gamma", shape=lambda law: law.shape + 1),
        "a stage too many": _of("erlang", shape=lambda law: law.shape + 1),
        "a shape inverted": _of("weibull", shape=lambda law: 1 / law.shape),
        "a spread for its root": _drawn("nakagami", lambda law, drawn: drawn**2),
        "√2 missing in a Rayleigh law": _drawn("rayleigh", lambda law, drawn: drawn / np.sqrt(2)),
        "χ² for χ": _drawn("chi", lambda law, drawn: drawn**2),
        "χ for χ²": _drawn("chi_square", lambda law, drawn: np.sqrt(drawn)),
        "a mean for a scale": _drawn("half_normal", lambda law, drawn: drawn * np.sqrt(2 / np.pi)),
        "a rate for a scale": _drawn("exponential", lambda law, drawn: drawn / float(law.scale) ** 2),
        "a variance for a deviation, of logarithms": _of("lognormal", sigma=lambda law: law.sigma**2),
        "the exponent of the density for that of the tail": _of("pareto", shape=lambda law: law.shape + 1),
        "a centre forgotten": _of("rice", nu=lambda law: 0 * law.nu),
        "gamma for its inverse": _drawn("inverse_gamma", lambda law, drawn: 1 / drawn),
        "weights ignored": _of("discrete", weights=lambda law: (1.0,) * len(law.weights)),
        "shifted twice": _drawn("shifted_poisson", lambda law, drawn: drawn + 1),
        "a lower end forgotten": _of("uniform", low=lambda law: 0 * law.low),
        "too light a tail": _of("student_t", dof=lambda law: law.dof + 1),
        "√2 too much": _drawn("laplace", lambda law, drawn: drawn * np.sqrt(2)),
        "the whole width for half of it": _drawn("cauchy", lambda law, drawn: drawn * 2),
        "a variance for a deviation": _of("gaussian", scale=lambda law: law.scale**2),
    }
)
"""What must die."""
