"""Tests of `verdicts/inner_products.py`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.special import eval_gegenbauer

import kernelspec as ks

PROFILES: dict[str, Callable[[float], float]] = {
    "dual(relu, sphere())": lambda x: (np.sqrt(1 - x * x) + x * (np.pi - np.arccos(x))) / np.pi,
    "dual(step, sphere())": lambda x: 1 / 2 + np.arcsin(x) / np.pi,
    "dual(erf(scale=1), sphere())": lambda x: np.arcsin(2 * x / 3) / np.arcsin(2 / 3),
    "dual(gaussian(a=1), sphere())": lambda x: np.sqrt(5 / (9 - 4 * x * x)),
    "dual(cos(a=1), sphere())": lambda x: np.cosh(x) / np.cosh(1),
    "dual(hermite(n=3), sphere())": lambda x: x**3,
    "rbf_cosine(gamma=1)": lambda x: np.exp(x - 1),
}


def coefficient(profile: Callable[[float], float], degree: int, dim: int) -> float:
    """The coefficient of P_n, P_n(1) = 1, by quadrature with SciPy's Gegenbauer polynomials [Schoenberg 1942]."""
    order = (dim - 2) / 2 or 1e-9  # d = 2 as a limit

    def shape(x: float) -> float:
        return float(eval_gegenbauer(degree, order, x) / eval_gegenbauer(degree, order, 1))

    def mean(values: Callable[[float], float]) -> float:
        return float(quad(lambda a: values(np.sin(a)) * np.cos(a) ** (dim - 2), -np.pi / 2, np.pi / 2)[0])

    return mean(lambda x: profile(x) * shape(x)) / mean(lambda x: shape(x) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("text", PROFILES)
@pytest.mark.parametrize("dim", [2, 3, 4, 7])
@pytest.mark.parametrize(("degree", "other"), [(0, "constant()"), (1, "sphere()")])
def test_the_border_is_the_coefficient(text: str, dim: int, degree: int, other: str) -> None:
    border = coefficient(PROFILES[text], degree, dim)
    below, above = ("0", "1e-7") if abs(border) < 1e-12 else (f"{border * (1 - 1e-7)!r}", f"{border * (1 + 1e-7)!r}")
    if below != "0":
        assert ks.analyze(f"{text} - {below}*{other}", dim=dim).verdict.positive_definite == "proved"
    assert ks.analyze(f"{text} - {above}*{other}", dim=dim).verdict.positive_definite == "disproved"


def test_ties_are_exact() -> None:
    verdict = ks.analyze("dual(relu, sphere()) - 4/pi**2*constant()", dim=2).verdict
    assert verdict.positive_definite == "proved"
    assert verdict.steps == ("coefficient of degree 0: 0",)
    verdict = ks.analyze("dual(relu, sphere()) - (4/pi**2 + 1e-30)*constant()", dim=2).verdict
    assert verdict.positive_definite == "disproved"
    assert sympy.sympify(verdict.steps[0].split(": ")[1]) == -sympy.Rational(1, 10**30)


def test_for_every_number_of_columns() -> None:
    """relu: 1/π + ρ/2 + …"""
    assert ks.analyze("dual(relu, sphere()) - 1/pi*constant()").verdict.positive_definite == "proved"
    assert ks.analyze("dual(relu, sphere()) - 0.32*constant()").verdict.positive_definite == "disproved"
    assert ks.analyze("2*dual(relu, gaussian()) - gaussian()").verdict.positive_definite == "proved"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("linear() - linear()[0]", "proved"),  # x₂y₂
        ("linear()[0] + linear()[1] - linear()", "proved"),  # 0
        ("linear()**2 - 2*linear()[0]*linear()[1]", "proved"),  # x₁²y₁² + x₂²y₂²
        ("polynomial(2, 1) - polynomial(2, 1)[0]", "proved"),
        ("linear()**2 - 2.1*linear()[0]*linear()[1]", "disproved"),
        ("linear()**3 - linear()[0]**2", "disproved"),
    ],
)
def test_polynomials_in_columns_are_decided_by_their_monomials(text: str, expected: str) -> None:
    assert ks.analyze(text, dim=2).verdict.positive_definite == expected


def test_a_difference_that_is_zero_on_one_column_only_is_no_error() -> None:
    assert ks.analyze("linear() - linear()[0]").verdict.positive_definite == "unknown"


@pytest.mark.parametrize(
    "text",
    [
        "radial(t -> exp(exp(-t) - 1)) - 0.3*constant()",
        "product(t -> exp(exp(-t) - 1)) - 0.3*constant()",
        "radial(t -> 1/(1 + t/(1 + t))) - 0.4*constant()",
        "radial(t -> exp(-t/(1 + t))) - exp(-1)*constant()",
        "radial(t -> exp(-tanh(t))) - 0.3*constant()",
        "radial(t -> log(3 + exp(-t))/log(4)) - 0.7*constant()",
        "dual(relu, radial(t -> 1/(1 + t/(1 + t)))) - 0.4*constant()",
    ],
)
def test_a_constant_below_the_limit_may_be_subtracted(text: str) -> None:
    # f(∞) exceeds it, and f − f(∞) is completely monotone
    facts = ks.analyze(text, dim=1)
    assert facts.verdict.positive_definite != "disproved"
    with pytest.raises(ks.KernelspecError, match="atom at ω = 0"):
        _ = facts.masses


@pytest.mark.parametrize("f", ["exp(-t)", "(1 + t)*exp(-t)", "1/(1 + t)", "cos(t)*exp(-t)"])
def test_a_constant_below_what_tends_to_zero_is_an_atom(f: str) -> None:
    facts = ks.analyze(f"radial(t -> {f}) - 0.1*constant()", dim=1)
    assert facts.verdict.positive_definite == "disproved"
