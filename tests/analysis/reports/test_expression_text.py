"""Expressions as text: cut where they are long, given up where they take long."""

from __future__ import annotations

import time

import pytest
import sympy
from sympy.core import evalf

import kernelspec as ks
from kernelspec.analysis import expression_text as module
from kernelspec.analysis import time_limit as symbolic_steps
from kernelspec.analysis.expression_text import latex_of, shown, shown_size


class Slow(sympy.Symbol):
    """A symbol that is never printed in time."""

    def _sympystr(self, printer: object) -> str:
        while True:
            time.sleep(0.001)

    _latex = _sympystr


@pytest.mark.slow
def test_long_expressions_are_stated() -> None:
    words = ks.analyze("gaussian()*laplace()*cauchy()*triangle()", dim=16).report()
    assert max(map(len, words.splitlines())) < module._LONGEST + 200
    assert " characters)" in words


@pytest.mark.slow
def test_whole_or_not_at_all() -> None:
    long = sum(sympy.symbols("a0:600"))
    assert shown(long) == f"(an expression of {len(str(long)):,} characters)"
    just = sympy.Symbol("a" * module._LONGEST)
    assert shown(just) == str(just)
    assert shown(sympy.Symbol("a") + 1) == "a + 1"


def test_what_is_not_printed_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbolic_steps, "_SECONDS", 0.05)
    text, latex = shown(Slow("x")), latex_of(Slow("x"))  # pytest prints what stands in an assert
    assert text == "(too long to be printed in time)"
    assert latex == r"\text{(too long to be printed in time)}"


@pytest.mark.parametrize(("size", "text"), [(sympy.oo, "infinite"), (float("inf"), "infinite"), (sympy.pi / 2, "pi/2")])
def test_sizes(size: object, text: str) -> None:
    assert shown_size(size) == text


def test_terms_with_integrals_of_numbers_are_not_put_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """SymPy would find a number for each, which takes a second."""
    x, t = sympy.symbols("x t")
    integral = sympy.Integral(sympy.exp(-(t**2)), (t, 0, 1))
    monkeypatch.setitem(evalf.evalf_table, sympy.Integral, lambda *_: pytest.fail("evaluated"))
    assert shown(1 + x**2 * integral) in (f"x**2*{integral} + 1", f"1 + x**2*{integral}")
    assert shown(1 + x**2) == "x**2 + 1"
