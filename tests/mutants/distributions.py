"""Mistakes in the laws of distributions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from kernelspec.distributions.distribution import load_distribution
from tests.mutants.mutant import Mutant, Patch, given_another, result_changed

__all__ = ["IN_DISTRIBUTIONS"]


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
