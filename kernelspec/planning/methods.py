"""The names of the ways to plan features. Light: the command line imports it to say what there is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kernelspec.numerics.phasor import Form

__all__ = ["FORMS", "METHODS", "SCHEMES", "Method"]

Method = Literal[
    "auto",
    "paired",
    "phase",
    "complex",
    "binning",
    "category_phases",
    "exact",
    "gcws",
    "jordan",
    "neurons",
    "poisson",
    "polar",
    "rejection",
    "rows",
    "shifts",
    "varying",
]

FORMS: tuple[Form, ...] = ("paired", "phase", "complex")
"""How a complex amplitude becomes columns."""

SCHEMES: Mapping[str, str] = MappingProxyType(
    {
        "binning": "cells of random grids, for Polya kernels such as polya(), laplace(), triangle() and their products",
        "category_phases": "a random phase for every category, for match() and skeletons over it",
        "exact": "all columns themselves, for linear() and sphere() and sums with them",
        "gcws": "consistent weighted samples, one by one, for minmax()",
        "jordan": "the non-negative parts of a complex measure, for shift_gaussian(), sinh_gaussian(), cosh_gaussian()",
        "neurons": "an activation of random linear forms, for dual(…) of sphere() or normalize(linear())",
        "poisson": "consistent weighted samples from a Poisson process, for minmax()",
        "polar": "the modulus of a complex measure, with its phase on the left, for asymmetric kernels",
        "rejection": "the parts of jordan, by rejection from the Gaussian as published",
        "rows": "rows scaled by real exponentials, for sinh_gaussian() and cosh_gaussian()",
        "shifts": "three shifted Gaussians, for sinh_gaussian()",
        "varying": "samples that are not constant, and the constant in one column, for terms that are a dual(…) "
        "without max_degree or a skeleton",
    }
)
"""Other ways to sample some kernels."""

METHODS: tuple[str, ...] = ("auto", *FORMS, *SCHEMES)
