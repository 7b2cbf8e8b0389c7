"""Variances of the estimators of rbf_cosine() in SymPy, against their numerical twins."""

from __future__ import annotations

import pytest
import sympy

import kernelspec as ks
from kernelspec.laws.fourier import minmax_variance, normalized_variance, paired_variance, phase_variance


@pytest.mark.parametrize("text", ["rbf_cosine(gamma=1.5)", "rbf_cosine(gamma=1.5)[0, 1]"])
@pytest.mark.parametrize("value", [-0.7, 0.0, 0.4, 0.95])
def test_values(text: str, value: float) -> None:
    found = ks.analyze(text, dim=3).cosine_estimators
    rho = sympy.Symbol("rho", real=True)
    numbers = [float(variance.subs(rho, value)) for variance in found.values()]
    twins = (paired_variance, phase_variance, normalized_variance, minmax_variance)
    assert numbers == pytest.approx([float(f(value, 1.5)) for f in twins], rel=1e-12)


def test_report_and_other_kernels() -> None:
    report = ks.analyze("param g > 0\nrbf_cosine(gamma=g)").report()
    assert "\n  random offsets, theorem 2.1: (1 - exp(-2*g*(1 - rho)))**2/2 + 1/2\n" in report
    assert ks.analyze("gaussian() * rbf_cosine()").cosine_estimators == {}
