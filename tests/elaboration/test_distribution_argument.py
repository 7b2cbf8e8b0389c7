"""Distributions as arguments: names, calls and lets."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.errors import RangeError, SpecError, TypeMismatchError, UnknownNameError


def test_the_name_gaussian_is_a_distribution_inside_bochner() -> None:
    assert ks.parse("bochner(gaussian(2))").gram([[0.0], [1.0]])[0, 1] == pytest.approx(
        ks.parse("gaussian(1/2)").gram([[0.0], [1.0]])[0, 1]
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("let q = student_t(3)\nbochner(q)", "bochner(student_t(3))"),
        ("let dof = 3\nlet q = student_t(dof)\nlet r = q\nbochner(r)", "bochner(student_t(3))"),
        ("let q = cauchy\nbochner(q)", "bochner(cauchy())"),
        ("let cauchy = student_t(3)\nbochner(cauchy)", "bochner(student_t(3))"),
        ("polya(uniform(0, 2))", "polya(uniform(low=0, high=2))"),
    ],
)
def test_names_calls_and_lets(text: str, same: str) -> None:
    assert ks.parse(text).kernel(ks.parse(text).columns(2)) == ks.parse(same).kernel(ks.parse(same).columns(2))


@pytest.mark.parametrize(
    ("text", "error", "message", "underlined"),
    [
        ("bochner(zzz)", UnknownNameError, "there is no distribution 'zzz'; there are ", "zzz"),
        ("let q = 2\nbochner(q)", TypeMismatchError, "a distribution is needed here, such as student_t(dof=3)", "2"),
        ("polya(uniform(2, 1))", RangeError, "uniform() needs low < high, not low=2", "uniform(2, 1)"),
    ],
)
def test_messages(text: str, error: type[SpecError], message: str, underlined: str) -> None:
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message
    assert caught.value.span.text == underlined
