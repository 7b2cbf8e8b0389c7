"""Tests of `elaboration/call_arguments.py`."""

from __future__ import annotations

import re
from dataclasses import MISSING

import pytest

import kernelspec as ks
from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.call_arguments import NAMES_ELSEWHERE, written_here
from kernelspec.elaboration.forms.form import FORMS
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ArgumentError, SpecError, UnknownNameError
from kernelspec.expressions.arguments import declared
from kernelspec.kernels.leaf import load_kernel


def leaf(text: str) -> object:
    return ks.parse(text).kernel(Columns(2))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("matern(3/2, 2)", "matern(nu=3/2, scale=2)"),
        ("matern(scale=2, nu=3/2)", "matern(3/2, 2)"),
        ("matern(1.5)", "matern(nu=1.5, scale=1)"),
        ("periodic(2)", "periodic(period=2, scale=1)"),
        ("bochner(student_t(3))", "bochner(distribution=student_t(dof=3), isotropic=false)"),
        ("cosine(2)", "cosine(by=[2, 2])"),
    ],
)
def test_positions_names_defaults(text: str, same: str) -> None:
    assert leaf(text) == leaf(same)


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_every_kernel_says_which_argument_is_missing(name: str) -> None:
    missing = [argument for argument, (_, default) in declared(load_kernel(name)).items() if default is MISSING]
    if missing:
        with pytest.raises(ks.KernelspecError, match=rf"{name}\(\) needs the argument '{missing[0]}'"):
            ks.parse(f"{name}()")
    else:
        columns = 1 if name in ("binary", "circle") else 2
        assert ks.parse(f"{name}()").kernel(Columns(columns)).dim == columns


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_every_range_is_checked_at_its_ends(name: str) -> None:
    arguments = declared(load_kernel(name))
    others = {a: "student_t(3)" if argument.kind == "distribution" else "1" for a, (argument, default)
              in arguments.items() if default is MISSING}  # fmt: skip
    for argument, (kind, _) in arguments.items():
        if kind.kind not in ("number", "integer"):
            continue
        for end, is_open in ((kind.low, kind.low_open), (kind.high, kind.high_open)):
            if abs(end) == float("inf"):
                continue
            given = ", ".join(f"{a}={v}" for a, v in {**others, argument: repr(end)}.items())
            if is_open:
                with pytest.raises(ks.KernelspecError, match=rf"'{argument}' of {name}\(\) must be a"):
                    ks.parse(f"{name}({given})")
            else:
                assert ks.parse(f"{name}({given})").kernel(Columns(1)).dim == 1


@pytest.mark.parametrize("name", sorted(NAMES_ELSEWHERE))
def test_every_name_has_a_way_out_that_exists(name: str) -> None:
    called = set(re.findall(r"(\w+)\(", NAMES_ELSEWHERE[name])) - {"exp", "min"}
    assert called
    assert called <= {*KERNELS, *FORMS}
    assert name not in {*KERNELS, *FORMS}
    with pytest.raises(UnknownNameError) as caught:
        ks.parse(f"2*{name}()")
    assert caught.value.message == f"there is no kernel '{name}'; {NAMES_ELSEWHERE[name]}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RBF(1)", "there is no kernel 'RBF'; the Gaussian kernel is gaussian(scale=…)"),
        ("rbf(gamma=2)", "there is no kernel 'rbf'; the Gaussian kernel is gaussian(scale=…)"),
        (
            "gaussian() + white",
            "unknown name 'white'; white noise, a nugget, is noise(), with a weight as in 0.1*noise()",
        ),
        ("gausian()", "there is no kernel 'gausian'; did you mean 'gaussian'?"),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ks.parse(text)
    assert caught.value.message == message


def test_other_names() -> None:
    assert written_here("quux") == ""


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
