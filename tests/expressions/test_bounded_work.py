"""Tests of the bound on the work of SymPy and mpmath in `expressions/symbolic.py` and `expressions/evaluation.py`."""

from __future__ import annotations

import sys

import mpmath
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import SpecError
from kernelspec.expressions import symbolic as module
from kernelspec.expressions.evaluation import _decaying_bessel
from kernelspec.expressions.symbolic import WorkExceeded, bounded, derive, patience, within
from kernelspec.kernels.leaves.gaussian import Gaussian
from tests.thoroughness import sweep


def endless(*_: object) -> str:
    number = sympy.Integer(0)
    while True:
        number += 1


def test_a_step_within_its_bound_gives_its_result() -> None:
    assert derive(lambda: sympy.Integer(2) + 3, lambda late: late) == 5
    assert within(100, lambda: None, lambda: "late") is None


def test_a_step_that_is_too_long_is_made_of_one_symbol(monkeypatch: pytest.MonkeyPatch) -> None:
    late = sympy.Symbol("not_derived_in_time")
    found = derive(endless, lambda symbol: {"first": symbol, "second": symbol}, calls=1000)
    assert found == {"first": late, "second": late}


def test_each_step_that_is_too_long_halves_the_bound_of_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[int] = []
    monkeypatch.setattr(module, "_counted", lambda calls, step, late: (limits.append(calls) or step(late), 0))
    with patience(0.5):
        bounded(lambda late=None: "done", lambda: "late", 1000)
        for _ in range(2):
            bounded(lambda late: late(), lambda: "late", 1000)  # type: ignore[call-arg, arg-type, misc]
        derive(lambda late=None: "done", lambda _: "late", 3000)
    assert limits == [500, 500, 250, 375]


def test_so_do_all_calls_after_the_first_two_million(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[int] = []
    monkeypatch.setattr(module, "_counted", lambda calls, step, _: (limits.append(calls) or step(), module.MOST_CALLS))
    with patience():
        for _ in range(3):
            bounded(lambda: "done", lambda: "late", 1000)
    assert limits == [1000, 1000, 500]


@pytest.mark.slow
def test_what_is_too_long_is_stated_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gaussian, "expression", endless)
    facts = ks.analyze("gaussian()", dim=1)
    assert facts.to_dict()["variance"] == dict.fromkeys(("paired", "phase", "complex"), "not_derived_in_time")
    assert facts.to_dict()["kernel"] == "not_derived_in_time"
    assert "k(x, y) = not_derived_in_time" in facts.report()
    assert "not" in facts.latex()


def test_the_work_is_counted_and_not_the_time() -> None:
    """The same step needs the same number of calls, and what was left for it decides."""
    expand = lambda: sympy.Poly((sympy.Symbol("x") + 1) ** 30).all_coeffs()  # noqa: E731
    expand()  # with SymPy's cache filled
    needed = {module._counted(10**6, expand, list)[1] for _ in range(3)}
    assert len(needed) == 1
    assert within(max(needed), expand, lambda: None)
    assert within(max(needed) - 5, expand, lambda: None) is None


def test_an_endless_step_is_cut_off_also_inside_others() -> None:
    assert [within(200, endless, lambda: str(i)) for i in range(20)] == list(map(str, range(20)))  # noqa: B023
    assert within(2000, lambda: within(10**9, endless, lambda: "inner") + str(endless()), lambda: "outer") == "outer"
    assert sys.getprofile() is None


def test_an_error_of_the_step_is_the_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        within(1000, lambda: 1 / 0, lambda: 0)
    assert sys.getprofile() is None


def test_no_ordinary_handler_swallows_the_interruption() -> None:
    assert not issubclass(WorkExceeded, Exception)


def test_nothing_is_counted_while_someone_else_profiles() -> None:
    seen: list[str] = []

    def profiler(_frame: object, event: str, _argument: object) -> None:
        seen.append(event)

    sys.setprofile(profiler)
    try:
        assert within(0, lambda: str(sympy.Integer(2) + 3), lambda: "late") == "5"
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert seen


@pytest.mark.parametrize("order", [21, 100, 1000])
@pytest.mark.parametrize("x", ["1e-12", "1", "77", "9000"])
def test_decaying_bessel_functions_of_large_orders(order: int, x: str) -> None:
    """Of half-integer orders they are elementary [DLMF 10.49.12]; K_ν grows with ν, and log K_ν is convex in ν."""
    at = mpmath.mpf(x)
    with mpmath.workdps(40):
        n = order
        terms = (mpmath.ff(n + k, 2 * k) / mpmath.factorial(k) / (2 * at) ** k for k in range(n + 1))
        exact = mpmath.sqrt(mpmath.pi / (2 * at)) * mpmath.exp(-at) * mpmath.fsum(terms)
        below, half, here = (_decaying_bessel(mpmath.mpf(n) + step / mpmath.mpf(2), at) for step in (-1, 1, 0))
        assert mpmath.almosteq(half, exact, rel_eps=mpmath.mpf(10) ** -38)
        assert below < here < half
        assert here**2 < below * half
    if n == 21:
        with mpmath.workdps(20):
            assert mpmath.almosteq(here, mpmath.besselk(n, at), rel_eps=mpmath.mpf(10) ** -18)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("product(t -> besselj(1/2, 1 + t)*acos(t**1e9))", r"degree 1e\+09 in 't', more than 1000"),
        ("product(t -> besselj(1, 1 + t)*(1 - t**1e6)**2)", r"degree 2e\+06 in 't'"),
        ("radial(r -> exp(-((r**100)**2)**20))", "degree 4000 in 'r'"),
        ("radial(r -> exp(-r**(400*pi)))", "degree 1256.64 in 'r'"),
        ("radial(r -> sin(gamma(r))/r)", r"sin\(\) only works for numbers up to e\^1,000"),
        ("radial(r -> gamma(gamma(r+1)))", "is not a real number at r = "),
        ("product(t -> besselj(0, sinh(t)))", r"besselj\(\) only works for numbers up to e\^1,000"),
        ("radial(r -> besselk(1e15, 1 + r))", r"the order of besselk\(\) must be between -1000 and 1000"),
        ("radial(r -> exp(-besselk(1e100, 1+r)))", r"the order of besselk\(\)"),
        ("product(t -> min(besselj(1e5, 1 + t), 1))", r"the order of besselj\(\)"),
        ("param nu = 1e5\nproduct(t -> max(besselj(nu, 1 + t), 1))", r"the order of besselj\(\)"),
    ],
)
def test_numbers_in_formulas_are_bounded(text: str, message: str) -> None:
    with pytest.raises(ks.KernelspecError, match=message):
        ks.parse(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    sweep(
        [
            "product(t -> exp(-(1.5**1e-5 + t)) + exp(-tan(2)))",
            "radial(r -> besselj(2.5, 1/(1 + sin(1/(1 + r) + besselj(1.5, r)))))",
            "product(t -> sinh(exp(-1) + exp(-exp(-2)) + besselj(1-1, cosh(t))))",
            "radial(r -> besselk(1000, 1 + r))",
            "product(t -> besselj(1/2, 1 + t)*acos(t**900))",
            "product(t -> max(besselj(500, t), besselj(400, t+1)) + 1)",
        ],
        costly=[
            "product(t -> sinh(exp(-1) + exp(-exp(-2)) + besselj(1-1, cosh(t))))",
            "radial(r -> besselj(2.5, 1/(1 + sin(1/(1 + r) + besselj(1.5, r)))))",
            "radial(r -> besselk(1000, 1 + r))",
        ],
    ),
)
def test_a_text_that_is_too_much_work_is_refused_or_answered(text: str) -> None:
    from tests.fuzzing.campaign import refused_or_right

    with refused_or_right():
        ks.compile(text, dim=1, n_features=8)


@pytest.mark.parametrize("kernel", ["gaussian()", "laplace()", "shift_gaussian(by=[1, 2])"])
def test_vectors_of_different_lengths_are_refused_with_their_place(kernel: str) -> None:
    with pytest.raises(SpecError, match="vectors of 2 and 3 entries") as refused:
        ks.analyze(f"shift(shift({kernel}, [1, 2]), [1, 2, 3])").report()
    assert refused.value.span is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "param a\na*constant()",
        "param a > 0\na*constant() - 0.5*gaussian()",
        "param a\ngaussian() - a*cosine(2)",
        "product(t -> exp(-exp(-t)))*triangle()",
        "product(t -> exp(-exp(-t))) - 0.2*triangle()",
    ],
)
def test_facts_of_kernels_with_open_numbers_or_columns(text: str) -> None:
    facts = ks.analyze(text)
    assert facts.to_dict()["spec"]
    assert facts.report()


def test_a_density_that_is_negative_at_frequency_zero_alone_disproves() -> None:
    """∫₀^∞ (1 − 1.001t²)/(1 + t²)² dt = (1 − 1.001)π/4 < 0."""
    verdict = ks.analyze("product(t -> (1-1.001*t**2)/(1+t**2)**2)", dim=1).verdict
    assert verdict.positive_definite == "disproved"
    assert any("at ‖ω‖ = 0 " in reason for reason in verdict.reasons)
