"""Formulas with the structure of the spec: the same numbers as the kernel and its laws."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.analysis.expression_text import StructuredFormulas
from kernelspec.analysis.variances import sample_variances
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.rules import law_of
from kernelspec.tables.rows import Rows

PENGUINS = (
    "param width = 1\nlet body = stretch(gaussian(scale=width), [5, 2])[bill, mass]\n"
    "0.6*body + 0.3*body*match()[sex] + 0.1*match()[island]"
)


def formulas(text: str, dim: int | None = None) -> StructuredFormulas:
    spec = ks.parse(text)
    return StructuredFormulas(spec, spec.columns(dim))


@pytest.mark.parametrize(
    ("text", "dim", "kernel", "lets"),
    [
        (
            PENGUINS,
            None,
            "0.6*body + 0.3*[x_sex = y_sex]*body + 0.1*[x_island = y_island]",
            ["body = exp(-‖(Δ_bill/5, Δ_mass/2)‖²/2)"],
        ),
        ("let k = laplace(2)\nk[a]*k[b] - 2*gaussian()[b]", None, "k[a]*k[b] - 2*exp(-Δ_b²/2)", ["k = exp(-Abs(Δ)/2)"]),
        ("-gaussian()", None, "-exp(-‖Δ‖²/2)", []),
        ("gaussian(scale=2)", 3, "exp(-‖Δ‖²/8)", []),
        ("linear()", 2, "(x·y)", []),
    ],
)
def test_formulas(text: str, dim: int | None, kernel: str, lets: list[str]) -> None:
    found = formulas(text, dim)
    assert found.kernel() == kernel
    assert found.lets() == lets


def test_variances_in_names_have_the_values_of_the_laws() -> None:
    """The symbols of a formula replaced by their numbers at one pair of rows, against the moments of the law there."""
    found, spec = formulas(PENGUINS), ks.parse(PENGUINS)
    x, y = np.array([[1.0, 2, 3, 4]]), np.array([[4.0, 3, 3, 5]])
    pairs = NumericPairs(Rows(x), Rows(y), grid=False)
    body = float(np.exp(-((3 / 5) ** 2 + (1 / 2) ** 2) / 2))
    numbers = {"body": body, "body(2Δ)": body**4, "[x_sex = y_sex]": 1.0, "[x_island = y_island]": 0.0}
    kernel = spec.kernel(spec.columns())
    for method, expression in sample_variances(found._named, found._pairs).items():
        law = law_of(kernel, None if method in ("paired", "phase", "complex") else method)
        moments = law.moments(pairs)
        second = moments.phase() if method == "phase" else moments.paired()
        value = expression.subs({symbol: numbers[symbol.name] for symbol in expression.free_symbols})
        assert float(value) == pytest.approx(float(np.ravel(second - law.mean(pairs) ** 2)[0]), abs=1e-12)


def test_formulas_on_one_column_are_those_of_the_facts() -> None:
    for text in ("matern(5/2, 3)", "periodic(2)*gaussian(4)", "polya(gamma(2))", "shift_gaussian(2, by=1)"):
        facts = ks.analyze(text, dim=1)
        found = StructuredFormulas(facts.spec, facts.columns)
        x, y, lag = sympy.Symbol("x", real=True), sympy.Symbol("y", real=True), sympy.Symbol("Δ", real=True)
        expression = found._named.value(found._pairs).subs(lag, x - y)
        at = {x: sympy.Rational(7, 5), y: sympy.Rational(1, 3)}
        assert abs(sympy.N((expression - facts.kernel).subs(at), 30)) < 1e-25


@pytest.mark.slow
def test_every_kernel_has_formulas_with_structure() -> None:
    from tests.analysis.test_recursions import TEXTS, widths

    for text in TEXTS:
        for dim in widths(text):
            spec = ks.parse(text)
            found = StructuredFormulas(spec, spec.columns(dim))
            assert found.kernel()
            assert found.variances()
