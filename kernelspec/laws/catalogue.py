"""The laws by where they live: those that kernels have by themselves, and other ways to sample some of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["DRAWS", "OWN_LAWS", "SCHEMES", "Scheme"]


@dataclass(frozen=True)
class Scheme:
    """Another way to sample some kernels: its rule as "module:function", kernel → law or None, and what it is."""

    home: str
    words: str


OWN_LAWS: tuple[str, ...] = (
    "kernelspec.laws.compositional.dual",
    "kernelspec.laws.compositional.skeleton",
    "kernelspec.laws.coordinate",
    "kernelspec.laws.fourier",
    "kernelspec.laws.gcws",
    "kernelspec.laws.match",
    "kernelspec.laws.mixture",
    "kernelspec.laws.one",
    "kernelspec.laws.polar",
    "kernelspec.laws.product",
    "kernelspec.laws.selection",
    "kernelspec.laws.stretch",
    "kernelspec.laws.tilt",
    "kernelspec.laws.translation",
    "kernelspec.laws.unit_rows",
)
"""The modules whose rules say how kernels are sampled by themselves."""

SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "binning": Scheme(
            "kernelspec.laws.binning:binning",
            "cells of random grids, for Polya kernels such as polya(), laplace(), triangle() and their products",
        ),
        "category_phases": Scheme(
            "kernelspec.laws.category_phases:category_phases",
            "a random phase for every category, for match() and skeletons over it",
        ),
        "exact": Scheme(
            "kernelspec.laws.exact_coordinates:exact",
            "all columns themselves, for linear() and sphere() and sums with them",
        ),
        "gcws": Scheme("kernelspec.laws.gcws:gcws", "consistent weighted samples, one by one, for minmax()"),
        "poisson": Scheme(
            "kernelspec.laws.poisson:poisson", "consistent weighted samples from a Poisson process, for minmax()"
        ),
        "polar": Scheme(
            "kernelspec.laws.polar:polar",
            "the modulus of a complex measure, with its phase on the left, for asymmetric kernels",
        ),
        "jordan": Scheme(
            "kernelspec.laws.jordan:jordan",
            "the non-negative parts of a complex measure, for shift_gaussian(), sinh_gaussian(), cosh_gaussian()",
        ),
        "rejection": Scheme(
            "kernelspec.laws.jordan:rejection", "the parts of jordan, by rejection from the Gaussian as published"
        ),
        "rows": Scheme(
            "kernelspec.laws.sinh_rows:rows",
            "rows scaled by real exponentials, for sinh_gaussian() and cosh_gaussian()",
        ),
        "shifts": Scheme("kernelspec.laws.shifts:shifts", "three shifted Gaussians, for sinh_gaussian()"),
        "neurons": Scheme(
            "kernelspec.laws.compositional.neurons:neurons",
            "an activation of random linear forms, for dual(…) of sphere() or normalize(linear())",
        ),
        "varying": Scheme(
            "kernelspec.laws.compositional.varying:varying",
            "samples that are not constant, and the constant in one column, for terms that are a dual(…) without "
            "max_degree or a skeleton",
        ),
    }
)
"""Other ways to sample some kernels, by the name of the method; of equal ones the first is taken."""

DRAWS: Mapping[str, Scheme] = MappingProxyType(
    {
        "orthogonal": Scheme("kernelspec.laws.orthogonal:orthogonal", "frequencies in orthogonal blocks"),
        "sobol": Scheme("kernelspec.laws.sobol:sobol", "frequencies from scrambled Sobol' points"),
    }
)
"""Ways to draw samples together, by name: law and stream → the stream that the law draws from."""
