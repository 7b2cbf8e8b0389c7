"""Moments beyond the second in all reports: of closed products, lattices, with symbols; left out where unknown."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.analysis.spectral_statements import moments


def test_text_latex_and_data() -> None:
    found = moments(ks.analyze("param s > 0\ngaussian(s)", dim=1))
    assert found.value == {"4": "3/s**4", "6": "15/s**6"}
    assert found.lines == ("E ω⁴ = 3/s**4", "E ω⁶ = 15/s**6")
    assert found.latex[0] == (r"\mathbb{E}\,\omega^4", r"\frac{3}{s^{4}}")


def test_up_to_the_first_that_is_infinite() -> None:
    assert moments(ks.analyze("laplace()*gaussian()", dim=1)).value == {"4": "infinite"}
    assert moments(ks.analyze("matern(nu=5/2)", dim=1)).lines == ("E ω⁴ = 25", "E ω⁶ = infinite")


def test_left_out() -> None:
    for text, dim in (("gaussian()", 2), ("matern(nu=2)", 1), ("match()", 1), ("shift(laplace(), by=1)", 1)):
        found = moments(ks.analyze(text, dim=dim))
        assert (found.value, found.lines, found.latex) == (None, (), ())
