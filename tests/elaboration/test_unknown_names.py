"""Names that nothing defines: what is said shows text that works."""

from __future__ import annotations

import re

import pytest

import kernelspec as ks
from kernelspec.errors import ArgumentError, SpecError, UnknownNameError


def message(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        ks.parse(text)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("gaussian(scale=width)", "param width > 0", None),
        ("gaussian(width)", "param width > 0", "gaussian()[width]"),
        ("matern(3/2, age)", "param age > 0", "matern(…)[age]"),
        ("cosine(by=w)", "param w = 1", None),
        ("polya(gamma(shape=k))", "param k > 0", None),
        ("periodic(1, scale=p)", "param p >= 0.0001", None),
    ],
)
def test_an_unknown_argument_is_a_parameter_or_a_column(text: str, line: str, column: str | None) -> None:
    found = message(text)
    assert f"add the line '{line}' above" in found
    assert ("for a column write" in found) == (column is not None)
    assert column is None or found.endswith(f"; for a column write {column}")
    ks.parse(f"{line}\n{text}")  # what is advised is accepted


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("match(city)", "match()[city]"),
        ("minmax(a, b)", "minmax()[a, b]"),
        ("gaussian(age, income)", "gaussian()[age, income]"),
        ("gaussian(2, age)", "gaussian(…)[age]"),
    ],
)
def test_columns_among_the_arguments(text: str, instead: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        ks.parse(text)
    assert caught.value.message.endswith(f"; columns stand behind the kernel, as in {instead}")
    ks.parse(instead.replace("…", "2"))


def test_no_columns_are_seen_where_there_are_none() -> None:
    assert message("match(1)") == "match() takes no arguments: match()"
    assert message("param s = 1\nmatch(s)") == "match() takes no arguments: match()"
    assert "columns" not in message("polya(exponential(1, k))")


@pytest.mark.parametrize("text", ["exp(-(x-y)**2)", "exp(-r**2)", "sqrt(1 + t)*gaussian()"])
def test_a_formula_of_points_is_told_which_kernel_it_is(text: str) -> None:
    found = message(text)
    assert "a spec names kernels and not their points" in found
    assert re.search(r"exp\(-\(x - y\)\*\*2\) is gaussian\(scale=sqrt\(1/2\)\)", found)
    gram = ks.parse("gaussian(scale=sqrt(1/2))").gram([[0.0], [1.5]])
    assert gram[0, 1] == pytest.approx(0.10539922456186433)  # exp(−1.5²)


def test_other_names_say_both() -> None:
    assert message("gaussian(2*width)").endswith(
        "; a column is selected as in k[width], and a number to be given later has a line of its own, 'param width > 0'"
    )


def test_the_nearest_name_comes_first() -> None:
    assert message("param width = 1\ngaussian(widht)") == "unknown name 'widht'; did you mean 'width'?"
    with pytest.raises(UnknownNameError, match="did you mean 'ones'"):
        ks.parse("cosine(by=one)")
    assert "did you mean" not in message("cosine(p)")  # not 'pi'
    assert message("let a = gaussian(b)\nparam b = 2\na").startswith("unknown name 'b': it is defined below")
