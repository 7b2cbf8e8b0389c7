"""Parts of a plan whose samples are biased."""

from __future__ import annotations

import math

import pytest

import kernelspec as ks
from kernelspec.laws.law import Cut, cut_lines
from tests.laws.texts import law


def test_found_anywhere_in_the_tree_once() -> None:
    text = (
        "2 * dual(relu, dual(step, gaussian(), max_degree=5)) * laplace() + dual(step, gaussian(), max_degree=5)[0, 1]"
    )
    # ½ + (ρ + ρ³/6 + 3ρ⁵/40)/π
    omitted = 0.5 - (1 + 1 / 6 + 3 / 40) / math.pi
    (found,) = law(text, 2).cuts
    assert found == Cut("dual(step, …) is cut at degree 5", pytest.approx(omitted, rel=1e-12))
    assert cut_lines([found]) == [
        f"  biased: dual(step, …) is cut at degree 5, so that its features have a mean within {omitted:.3g} of it"
    ]


def test_found_in_the_base_of_an_image() -> None:
    text = "full(relu, input=image(1, 2, 1, base=dual(step, gaussian(), max_degree=5)))"
    (found,) = law(text, 2).cuts
    assert found.what == "dual(step, …) is cut at degree 5"
    assert not ks.compile(text, dim=2).unbiased


SIGN = "activation(x -> x/abs(x))"
LOST = "leaves out 0.79 % of E σ², in its exact values too"  # (2/π)^{3/2}/√4096 of the mass of sign


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"dual({SIGN}, gaussian())", f"dual({SIGN}, …) {LOST}"),
        (f"2 * layer({SIGN}, gaussian(), laplace()) + laplace()", f"dual({SIGN}, …) {LOST}"),
        (f"dual({SIGN}, gaussian(), max_degree=7)", f"dual({SIGN}, …) is cut at degree 7 and {LOST}"),
        (f"full({SIGN}, input=image(1, 2, 1))", f"full({SIGN}) {LOST}"),
    ],
)
def test_formulas_with_jumps(text: str, what: str) -> None:
    (found,) = law(text, 2).cuts
    assert found.what == what
    share = (2 / math.pi) ** 1.5 / 64
    kept = 2 / math.pi * (1 + 1 / 6 + 3 / 40 + 5 / 112) / (1 - share)  # at ρ = 1, up to degree 7
    assert found.omitted == pytest.approx(2 * share + (1 - kept if "max_degree" in text else 0), rel=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        "dual(relu, gaussian())",
        "dual(hermite(2), gaussian(), max_degree=2)",
        "gaussian()",
        "dual(activation(x -> 1/(1 + exp(-x))), gaussian())",
        "full(relu, input=image(1, 2, 1))",
    ],
)
def test_nothing_is_left_out(text: str) -> None:
    assert law(text, 2).cuts == ()


def test_neurons_have_no_degrees() -> None:
    text = f"dual({SIGN}, sphere(), max_degree=3)"
    assert law(text, 2, "neurons").cuts == ()
    assert len(law(text, 2).cuts) == 1
