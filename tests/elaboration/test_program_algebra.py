"""The text of sums, products and powers of programs: as it would be written, and flat."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kernelspec.elaboration.programs import added, multiplied, negated, raised, weighed
from kernelspec.elaboration.valued_program import ValuedProgram, as_program
from kernelspec.errors import RangeError, SpecError


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda a, b: added(a, b, "+"), "2*gaussian() - laplace() + cauchy()/3 + match()"),
        (lambda a, b: added(a, b, "-"), "2*gaussian() - laplace() - (cauchy()/3 + match())"),
        (multiplied, "(2*gaussian() - laplace())*(cauchy()/3 + match())"),
        (lambda a, b: weighed(a, Fraction(-1, 3), "*"), "-1/3*(2*gaussian() - laplace())"),
        (lambda a, b: weighed(b, Fraction(5, 2), "/"), "(cauchy()/3 + match())/2.5"),
        (lambda a, b: negated(a), "-(2*gaussian() - laplace())"),
        (lambda a, b: raised(b, Fraction(3)), "(cauchy()/3 + match())**3"),
    ],
)
def test_texts(made: object, text: str) -> None:
    found = made(as_program("2*gaussian() - laplace()"), as_program("cauchy()/3 + match()"))
    assert str(found) == text
    assert as_program(text) == found  # the tree that a parser makes of it, spans and all


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("gaussian()/2", "cauchy()/3*laplace()", "gaussian()/2*cauchy()/3*laplace()"),
        ("gaussian()**2", "-laplace()", "gaussian()**2*-laplace()"),
        ("-laplace()", "gaussian()", "-laplace()*gaussian()"),
    ],
)
def test_products_are_flat(left: str, right: str, text: str) -> None:
    found = multiplied(as_program(left), as_program(right))
    assert str(found) == text
    assert as_program(text) == found


def test_minus_a_product_is_no_bracket() -> None:
    assert str(negated(as_program("gaussian()*laplace()"))) == "-gaussian()*laplace()"
    assert str(weighed(as_program("gaussian()*laplace()"), Fraction(2), "/")) == "gaussian()*laplace()/2"


def test_errors_show_the_text_that_was_made() -> None:
    with pytest.raises(RangeError) as caught:
        raised(as_program("gaussian() + laplace()"), Fraction(1, 2))
    assert str(caught.value).splitlines()[1] == "  (gaussian() + laplace())**0.5"
    with pytest.raises(RangeError, match="division by zero"):
        weighed(as_program("gaussian()"), Fraction(0), "/")
    with pytest.raises(SpecError, match="has 102 digits"):
        weighed(as_program("gaussian()"), Fraction(10**101 + 1), "*")


def test_the_kind_of_program_is_kept() -> None:
    class Own(ValuedProgram):
        pass

    assert type(negated(Own.parsed("gaussian()"))) is Own
