"""Tests of `analysis/expression_text.py`."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from sympy.core import evalf

import kernelspec as ks
from kernelspec.analysis import expression_text as module
from kernelspec.analysis.expression_text import StructuredFormulas, latex_of, shown
from kernelspec.analysis.variances import sample_variances
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.structured_pairs import StructuredPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.columns_and_lags import Named
from kernelspec.laws.rules import law_of
from kernelspec.tables.rows import Rows
from tests.analysis.test_spectral_facts import X, Y, evaluate
from tests.elaboration.specs import ALL, COSTLY
from tests.thoroughness import sweep


class Slow(sympy.Symbol):
    """A symbol whose printing never ends."""

    def _sympystr(self, _printer: object) -> str:
        while True:
            sympy.Symbol("x").sort_key()

    _latex = _sympystr


@pytest.mark.long
def test_long_expressions_are_stated() -> None:
    words = ks.analyze("gaussian()*laplace()*cauchy()*triangle()", dim=16).report()
    assert max(map(len, words.splitlines())) < module._LONGEST + 200
    assert " characters)" in words


@pytest.mark.slow
def test_whole_or_not_at_all() -> None:
    long = sympy.Add(*sympy.symbols("a0:600"))
    assert shown(long) == f"(an expression of {len(str(long)):,} characters)"
    just = sympy.Symbol("a" * module._LONGEST)
    assert shown(just) == str(just)
    assert shown(sympy.Symbol("a") + 1) == "a + 1"


@pytest.mark.slow
def test_what_is_not_printed_in_time() -> None:
    text, latex = shown(Slow("x")), latex_of(Slow("x"))  # pytest prints what stands in an assert
    assert text == "(too long to be printed in time)"
    assert latex == r"\text{(too long to be printed in time)}"


def test_terms_with_integrals_of_numbers_are_not_put_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """SymPy would find a number for each, which takes a second."""
    x, t = sympy.symbols("x t")
    integral = sympy.Integral(sympy.exp(-(t**2)), (t, 0, 1))
    monkeypatch.setitem(evalf.evalf_table, sympy.Integral, lambda *_: pytest.fail("evaluated"))
    assert shown(1 + x**2 * integral) in (f"x**2*{integral} + 1", f"1 + x**2*{integral}")
    assert shown(1 + x**2) == "x**2 + 1"


@pytest.mark.parametrize("text", sweep(ALL, costly=COSTLY))
def test_the_expression_is_the_kernel(text: str) -> None:
    expected = np.diag(ks.parse(text).gram(X, Y))
    np.testing.assert_allclose(evaluate(ks.analyze(text, dim=2).kernel), expected, rtol=1e-8, atol=1e-12)


def test_the_diagonal_of_a_kernel_that_grows() -> None:
    """Of 2·x·y + 3 exp(−‖x − y‖²/2): an expression in x alone, not a number."""
    spec = ks.parse("2*linear() + 3*gaussian()")
    found = ks.analyze(spec, dim=2).k0
    assert {symbol.name for symbol in found.free_symbols} == {"x_1", "x_2"}
    np.testing.assert_allclose(evaluate(found), np.diag(spec.gram(X)), rtol=1e-12)
    assert ks.analyze("3*gaussian()", dim=2).k0 == sympy.Integer(3)


@pytest.mark.slow
@pytest.mark.parametrize("dim", [1, 2, 3, 20])
def test_a_sum_over_a_symbolic_number_of_columns(dim: int) -> None:
    d = sympy.Symbol("d", integer=True, positive=True)
    x = sympy.IndexedBase("x", real=True)
    y = sympy.IndexedBase("y", real=True)
    value = ks.analyze("laplace()").kernel.subs(d, dim).doit()
    at = {x[i]: sympy.Rational(i, 7) for i in range(1, dim + 1)} | {y[i]: 0 for i in range(1, dim + 1)}
    assert float(value.subs(at)) == pytest.approx(np.exp(-dim * (dim + 1) / 14))


PAIRS = StructuredPairs.between(1, ["age"])


def named(text: str) -> Kernel:
    spec = ks.parse(text)
    return Named(base=spec.symbolic_kernel(spec.columns(1)), name="near", dim=1)


@pytest.mark.parametrize(
    ("text", "a", "b"),
    [("gaussian(2)", "1", "near(2Δ)"), ("match()", "[x_age = y_age]", "[x_age = y_age]"), ("linear()", None, None)],
)
def test_moments(text: str, a: str | None, b: str | None) -> None:
    law = law_of(named(text))
    found = law.moments(PAIRS)
    assert str(law.mean(PAIRS)) == "near"
    if a is None:  # of signs: x²y², which is no value of the kernel
        assert "near" not in str(found.a) + str(found.b)
    else:
        assert (str(found.a), str(found.b)) == (a, b)


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


@pytest.mark.long
def test_every_kernel_has_formulas_with_structure() -> None:
    from tests.analysis.test_gram import TEXTS, widths

    for text in TEXTS:
        for dim in widths(text):
            spec = ks.parse(text)
            found = StructuredFormulas(spec, spec.columns(dim))
            assert found.kernel()
            assert found.variances()


def test_functions_of_columns_are_one_symbol() -> None:
    """x_a - 1 - y_a - 1 would be another formula than that of a - 1."""
    facts = ks.analyze("gaussian()[a - 1]", columns=["a", "b"])
    assert str(facts.kernel) == "exp(-(x_[a - 1] - y_[a - 1])**2/2)"
    assert latex_of(facts.kernel).count("[") == 0
