"""Masses of a positive measure, and the refusal of others."""

from __future__ import annotations

import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import NotAvailableYet, NotStationaryError


@pytest.mark.parametrize(
    ("text", "mass"),
    [("gaussian()", 1), ("0.25*gaussian() + 2*cosine(1)", sympy.Rational(9, 4)), ("(3*laplace())**2 * cauchy()", 9),
     ("gaussian() - gaussian()", 0), ("normalize(7*gaussian() + laplace())", 1), ("mean(gaussian(), laplace())", 1)],
)  # fmt: skip
def test_a_positive_kernel_has_all_its_mass_in_one_part(text: str, mass: object) -> None:
    masses = ks.analyze(text, dim=2).masses
    assert masses.real_positive == masses.total_variation == mass == ks.analyze(text, dim=2).k0
    assert (masses.real_negative, masses.imaginary_positive, masses.imaginary_negative) == (0, 0, 0)


def test_symbolic_mass() -> None:
    w = sympy.Symbol("w", positive=True)
    assert ks.analyze("param w > 0\nw*gaussian() + laplace()").masses.total_variation == w + 1


def test_refusals() -> None:
    with pytest.raises(NotAvailableYet, match="signed spectral measure"):
        _ = ks.analyze("2*gaussian() - laplace()", dim=1).masses
    with pytest.raises(NotStationaryError, match="no spectral measure"):
        _ = ks.analyze("gaussian() * match()", dim=1).masses
