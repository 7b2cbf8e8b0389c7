"""Disproofs by a negative frequency."""

from __future__ import annotations

import pytest

import kernelspec as ks


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "source"),
    [
        ("max(0, 1 - r)**4*(4*r + 1)", 5, "Wendland 1995: φ_{3,1} up to d = 3"),
        ("exp(-r)*(1 + sin(3*r)/3)", 3, "numbers"),
        ("(1 - r**2)*exp(-r**2/2)", 2, "the density has the factor ω² − (d − 1)"),
    ],
)
def test_disproved(text: str, dim: int, source: str) -> None:
    verdict = ks.analyze(f"radial(r -> {text})", dim=dim).verdict
    assert verdict.positive_definite == "disproved", source


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "dim", "source"),
    [
        ("(1 - r**2)*exp(-r**2/2)", 1, "minus the second derivative of a Gaussian"),
        ("(1 - r**2/3)*exp(-r**2/2)", 3, "the Laplacian of a Gaussian"),
        ("max(0, 1 - r)**4*(4*r + 1)*exp(-r)", 3, "a product of kernels, Wendland's and the exponential"),
    ],
)
def test_never_disproved(text: str, dim: int, source: str) -> None:
    assert ks.analyze(f"radial(r -> {text})", dim=dim).verdict.positive_definite != "disproved", source
