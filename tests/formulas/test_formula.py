"""The tree of a formula."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

from kernelspec.expressions.formula import ARITIES, Constant, Operation, Pi, Variable, depends_on_variable, operation
from tests.formulas.written import written


def test_numbers_stay_exact_and_are_combined() -> None:
    assert written("t -> 1/3 + 2/3*3**-2 - 0.1").body == Constant(Fraction(1, 3) + Fraction(2, 27) - Fraction(1, 10))
    assert written("t -> max(2, min(5, abs(-3)))").body == Constant(Fraction(3))
    assert written("t -> sqrt(2)").body == Operation("sqrt", (Constant(Fraction(2)),))


def test_sums_and_products_do_not_begin_with_their_own_kind() -> None:
    t = Variable()
    assert written("t -> (t + 1) + t") == written("t -> t + 1 + t")
    assert written("t -> t + (1 + t)") != written("t -> t + 1 + t")
    assert written("t -> (t*t)*t").body == Operation("product", (t, t, t))


def test_the_name_of_the_variable_does_not_count() -> None:
    assert written("t -> exp(-t)") == written("r -> exp(-r)")
    assert hash(written("t -> exp(-t)")) == hash(written("r -> exp(-r)"))


def test_formulas_pickle_and_hash() -> None:
    formula = written("t -> exp(-t/3)*max(0, 1 - t*pi)")
    assert pickle.loads(pickle.dumps(formula)) == formula
    assert len({formula, written("t -> exp(-t/3)*max(0, 1 - t*pi)")}) == 1


def test_unknowns_are_the_constants_that_are_no_numbers() -> None:
    assert written("t -> 2*t + pi").unknowns() == ()
    body = operation("sum", (Constant("s"), Constant(Fraction(1)), Pi(), Constant("s")))
    assert type(written("t -> t"))(body).unknowns() == ("s",)


@pytest.mark.parametrize(
    ("text", "zeros"),
    [
        ("t -> max(0, 1 - t)", ["t -> 0 - (1 - t)"]),
        ("t -> abs(t - 2) + min(t, 3) + max(1, 2)", ["t -> t - 2", "t -> t - 3"]),
        ("t -> exp(t)", []),
    ],
)
def test_choices_are_where_branches_meet(text: str, zeros: list[str]) -> None:
    assert set(written(text).choices()) == {written(zero) for zero in zeros}


def test_size_counts_terms() -> None:
    assert written("t -> exp(-t) + 1").size() == 5


def test_depends_on_variable() -> None:
    assert depends_on_variable(written("t -> 1 + exp(t)").body)
    assert not depends_on_variable(written("t -> 1 + exp(pi)").body)


def test_functions_have_one_or_two_arguments() -> None:
    assert set(ARITIES.values()) == {1, 2}
