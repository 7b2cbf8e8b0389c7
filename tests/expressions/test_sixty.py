"""Sixty formulas: what they are decided to be, and the mean of their samples against NumPy's value of the same text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.laws.rules import law_of
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.compositional.test_base_products import values

NAMES = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "erf": special.erf, "acos": np.arccos, "besselj": special.jv, "besselk": special.kv,
    "min": np.minimum, "max": np.maximum, "pi": math.pi,
}  # fmt: skip

RADIAL = {
    "exp(-r**2)": (3, "proved"),
    "exp(-r)": (2, "proved"),
    "exp(-r**1.5)": (2, "proved"),
    "1/(1 + r**2)": (3, "proved"),
    "(1 + r**2)**-0.7": (2, "proved"),
    "(1 + r)*exp(-r)": (3, "proved"),
    "(1 + r + r**2/3)*exp(-r)": (2, "proved"),
    "r*besselk(1, r)": (2, "proved"),
    "exp(-r)*cos(r)": (2, "proved"),
    "exp(-2*r)*cos(r)": (3, "proved"),
    "exp(-r**2)*cos(r)": (1, "proved"),
    "cos(r)": (1, "proved"),
    "sin(r)/r": (3, "proved"),
    "besselj(0, 2*r)": (2, "proved"),
    "2*besselj(1, r)/r": (3, "proved"),
    "0.3*exp(-r) + 0.7*exp(-r**2)": (2, "proved"),
    "exp(-r)*exp(-r**2)": (2, "proved"),
    "1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3": (3, "proved"),
    "1 - 15/8*min(r,1) + 5/4*min(r,1)**3 - 3/8*min(r,1)**5": (3, "proved"),
    "2/pi*(acos(min(r, 1)) - min(r, 1)*sqrt(1 - min(r, 1)**2))": (2, "proved"),
    "max(0, 1 - r)": (1, "proved"),
    "max(0, 1 - r/2)**2": (3, "proved"),
    "max(0, 1 - r)**3": (4, "proved"),
    "max(0, 1 - r)**4*(4*r + 1)": (3, "proved"),
    "max(0, 1 - r/2)**6*(35*(r/2)**2 + 18*r/2 + 3)/3": (3, "proved"),
    "1/(1 + log(1 + r))": (2, "proved"),
    "log(1 + r)/r": (2, "proved"),
    "r/sinh(r)": (3, "proved"),
    "1/cosh(r)": (2, "proved"),
    "tanh(r)/r": (2, "proved"),
    "sqrt(pi)/2*erf(r)/r": (2, "proved"),
    "exp(1 - sqrt(1 + r**2))": (2, "proved"),
    "exp(exp(-r**2) - 1)": (2, "proved"),
    "1/(1 + r + r**2)": (2, "proved"),
    "1/(2 - exp(-r))": (1, "proved"),
    "exp(-r**2/2)*(1 - r**2)": (2, "disproved"),
    "exp(-r**3)": (2, "disproved"),
    "exp(-r**4)": (1, "disproved"),
    "1/(1 + r**3)": (2, "disproved"),
    "1/(1 + r**4)": (2, "disproved"),
    "exp(-r)*(1 + sin(3*r)/3)": (1, "disproved"),
}
"""Formula → (columns, positive definite there)."""

PRODUCT = {
    "exp(-t**2/2)": (2, "proved"),
    "exp(-t/2)": (2, "proved"),
    "exp(-t)*(1 + t)": (2, "proved"),
    "1/(1 + t**2)": (2, "proved"),
    "cos(t)": (2, "proved"),
    "sin(2*t)/(2*t)": (2, "proved"),
    "exp(-t**2)*cos(t)": (2, "proved"),
    "max(0, 1 - t)": (2, "proved"),
    "exp(-sqrt(t))": (1, "proved"),
    "1/(1 + 2*t)": (2, "proved"),
    "1/(1 + t)**2": (2, "proved"),
    "exp(-t)/(1 + t)": (2, "proved"),
    "max(0, 1 - t)/2 + exp(-t)/2": (2, "proved"),
    "log(1 + t)/t": (1, "proved"),
    "exp(1 - sqrt(1 + t**2))": (2, "proved"),
    "1/cosh(t)": (2, "proved"),
    "1 - 1.5*min(t, 1) + 0.5*min(t, 1)**3": (2, "proved"),
    "exp(-t)*(1 + t/2)": (2, "proved"),
    "exp(-t**3)": (2, "disproved"),
    "exp(-t**2)*(1 - 3*t**2)": (1, "disproved"),
}

CASES = [
    *((f"radial(r -> {text})", text, *known) for text, known in RADIAL.items()),
    *((f"product(t -> {text})", text, *known) for text, known in PRODUCT.items()),
]
DRAWS, BUDGET = 4_000, 1e-8 / 60


def test_there_are_sixty() -> None:
    assert len({text for text, *_ in CASES}) >= 60


@pytest.mark.long
@pytest.mark.parametrize(("spec", "text", "dim", "answer"), CASES, ids=[text for text, *_ in CASES])
def test_is_decided_and_sampled(spec: str, text: str, dim: int, answer: str) -> None:
    """Four pairs of rows, 4,000 samples; 1e-8 for all formulas together."""
    assert ks.analyze(spec, dim=dim).verdict.positive_definite == answer
    kernel = ks.parse(spec).numeric_kernel(Columns(dim))
    x = np.array([[0.2] * dim, [0.7] + [0.1] * (dim - 1), [1.3] * dim, [2.4] + [0.3] * (dim - 1)])
    drawn = np.zeros((DRAWS, 4), dtype=complex)
    for batch in law_of(kernel).draw(Stream(20_261_122, (dim,)), DRAWS, tuple(range(dim))):
        np.add.at(drawn, batch.index, values(batch, Rows(x), Rows(np.zeros((1, dim))))[:, :, 0])
    lags = np.sqrt(np.square(x).sum(axis=1)) if spec.startswith("radial") else x
    exact = eval(text, {"__builtins__": {}}, NAMES | dict.fromkeys("rt", lags))  # the text of this file
    exact = exact if spec.startswith("radial") else exact.prod(axis=1)
    assert_mean(drawn.real, exact, budget=BUDGET, what=spec)
