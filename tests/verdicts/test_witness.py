"""Tests of `verdicts/witness.py`."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import RangeError, SpecError
from kernelspec.verdicts.decision import RULES, decide, rules
from kernelspec.verdicts.rules import Question
from kernelspec.verdicts.witness import asymmetry, negative_density, negative_eigenvalue, points_against


@pytest.mark.parametrize("dim", [1, None])
@pytest.mark.parametrize(
    "text", ["param w\ngaussian() - w*laplace()", "shift(gaussian(), by=1)", "linear() - 0.1*rbf_cosine()"]
)
def test_no_rule_decides_what_it_does_not_know(text: str, dim: int | None) -> None:
    kernel = ks.parse(text).symbolic_kernel(Columns(dim))
    assert [rule(Question(kernel)) for rule in rules()] == [None] * len(RULES)


@pytest.mark.parametrize("dim", [None, 1, 2])
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("gaussian(scale=d)*laplace()", "proved"),
        ("gaussian() - laplace()", "disproved"),
        ("gaussian() - 2*laplace(d)", "disproved"),
        ("2*polya(uniform(0, 1)) - 0.001*gaussian()", "unknown"),
        ("param w\nw*gaussian() + laplace()", "unknown"),
        ("(brownian(until=5) - brownian(until=5)**2)[0]", "disproved"),  # k(5, 5) = −20
    ],
)
def test_with_and_without_columns(text: str, verdict: str, dim: int | None) -> None:
    assert decide(ks.parse(text), Columns(dim)).positive_definite == verdict


def test_a_witness_says_on_how_many_columns() -> None:
    assert "with 1 column: " in decide(ks.parse("gaussian() - laplace()"), Columns(None)).reasons[-1]
    assert "with 3 columns: " in decide(ks.parse("(gaussian() - laplace())[2]"), Columns(None)).reasons[-1]
    assert "with " not in decide(ks.parse("gaussian() - laplace()"), Columns(2)).reasons[-1]


def test_no_reason_is_given_twice() -> None:
    reasons = decide(ks.parse("laplace()**2 + laplace()*cauchy()"), Columns(2)).reasons
    assert len(set(reasons)) == len(reasons)


def test_what_does_not_fit_the_columns_is_an_error() -> None:
    with pytest.raises(RangeError, match="division by zero"):
        decide(ks.parse("gaussian(1/(d - 2))"), Columns(2))
    with pytest.raises(SpecError, match="column 2 is out of range"):
        decide(ks.parse("gaussian()[2] - laplace()[2]"), Columns(2))


@pytest.mark.slow
def test_numbers_need_no_symbols() -> None:
    code = (
        "import sys, kernelspec as ks; from kernelspec.verdicts.decision import decide; "
        "from kernelspec.elaboration.scope import Columns; decide(ks.parse('gaussian()*laplace()'), Columns(None)); "
        "sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=120).returncode == 0


@pytest.mark.parametrize(
    ("text", "dim"),
    [("gaussian() - laplace()", 1), ("gaussian(scale=2) - 0.1*gaussian()", 2), ("gaussian() - laplace()", 3),
     ("gaussian() - laplace()", 5), ("gaussian(scale=1e9) - laplace(scale=1e9)", 1)],
)  # fmt: skip
def test_the_eigenvalue_is_negative_again(text: str, dim: int) -> None:
    verdict = ks.analyze(text, dim=dim).verdict
    assert verdict.witness is not None
    assert verdict.witness.points is not None
    words = verdict.reasons[-1].removeprefix("the kernel matrix of the rows ").split(" has the eigenvalue ")
    rows = eval(words[0], {"np": np, "itertools": itertools})
    np.testing.assert_allclose(rows, np.array(verdict.witness.points), rtol=1e-12)
    least = np.linalg.eigvalsh(ks.parse(text).gram(rows))[0]
    assert least == pytest.approx(verdict.witness.eigenvalue, rel=1e-6)
    assert least < 0
    assert words[1] == f"{least:.3g} < 0"


def test_positive_definite_kernels_have_none() -> None:
    for dim in (1, 2, 3, 5):
        kernel = ks.parse("laplace() - 0.1*gaussian()").kernel(Columns(dim))
        assert points_against(kernel, (1.0,) * dim) is None
        assert points_against(kernel, (0.0,) * dim) is None


def test_where_the_negative_part_is_too_small_it_is_said() -> None:
    verdict = ks.analyze("triangle() - 0.001*gaussian()", dim=1).verdict
    assert verdict.positive_definite == "disproved"
    assert verdict.witness is not None
    assert verdict.witness.points is None
    assert verdict.witness.frequency == pytest.approx((2 * np.pi,), rel=1e-12)
    assert verdict.reasons[-1].endswith("the proof is that of the spectral measure")


@pytest.mark.parametrize("size", ["1", "1e-30", "1e30"])
@pytest.mark.parametrize("text", ["(gaussian() - laplace())", "(2*gaussian() - 1.5*gaussian(scale=0.5))"])
def test_a_disproof_holds_at_any_size(text: str, size: str) -> None:
    kernel = ks.parse(f"{size}*{text}").kernel(Columns(2))
    witness = negative_eigenvalue(kernel)
    assert witness is not None
    scale, least = map(float, re.findall(r"scale (\S+) has the eigenvalue (\S+) <", witness)[0])
    rows = np.random.default_rng(0).standard_normal((40, 2)) * scale
    eigenvalue = np.linalg.eigvalsh(ks.parse(f"{size}*{text}").gram(rows))[0]
    assert eigenvalue == pytest.approx(least, rel=0.01)
    assert eigenvalue < 0


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()",
        "2*gaussian() - gaussian()[0]*gaussian()[1]",  # one gaussian, written differently
        "1e8*laplace() - 1e8*laplace()[0]*laplace()[1]",  # zero, up to the rounding of 1e8
        "laplace() - 0.1*gaussian()",  # the density stays positive
        "match() + periodic(2)",
    ],
)
def test_nothing_is_found_where_there_is_nothing(text: str) -> None:
    assert negative_eigenvalue(ks.parse(text).kernel(Columns(2))) is None


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_a_negative_density_is_a_disproof_that_rows_may_miss(dim: int) -> None:
    # at ω = 0 the density is (2·2^d − 3^d)/(2π)^{d/2}: negative from two dimensions on
    verdict = ks.analyze("2*gaussian(scale=2) - gaussian(scale=3)", dim=dim).verdict
    assert verdict.positive_definite == ("proved" if dim == 1 else "disproved")
    if dim > 1:
        assert verdict.witness is not None
        square = np.square(verdict.witness.frequency).sum()
        assert 2 * 2**dim * np.exp(-2 * square) < 3**dim * np.exp(-4.5 * square)


def test_a_density_that_is_slightly_negative_is_found() -> None:
    """Densities of Student's t with 3 and 5 degrees of freedom and of a normal law; the least is −1.1e-4."""
    text = "0.82*matern(nu=3/2, scale=2.3) + 0.43*gaussian(scale=2)*cosine(2) - 0.15*matern(nu=5/2, scale=0.9)"
    found = negative_density(ks.parse(text).kernel(Columns(1)))
    assert found is not None
    at = float(found.split("(")[1].split(")")[0])
    normal = stats.norm.pdf([at - 2, at + 2], scale=1 / 2).sum() / 2
    rough, smooth = (stats.t.pdf(at, 2 * nu, scale=1 / scale) for nu, scale in ((1.5, 2.3), (2.5, 0.9)))
    assert 0.82 * rough + 0.43 * normal - 0.15 * smooth < -1e-4


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("shift_gaussian(by=0.5)", True),
        ("shift_gaussian(by=1e-6) ** 2", True),
        ("tilt(cauchy(), 0.1) + gaussian()", True),
        ("shift_gaussian(by=1) + shift_gaussian(by=-1)", False),
        ("shift(cosine(1), by=3.141592653589793)", False),
        ("gaussian() - 2 * laplace()", False),
        ("tilt(gaussian(), by=1)[0]*match()[1]", True),  # categories that rows share
    ],
)
def test_asymmetry_is_found_where_there_is_any(text: str, found: bool) -> None:
    spec = ks.parse(text)
    words = asymmetry(spec.kernel(spec.columns(2 if "[1]" in text else 1)))
    assert (words is not None) == found
    if words is not None:
        assert "k(y, x) =" in words


def test_an_unbounded_kernel_has_no_density_to_look_at() -> None:
    verdict = ks.analyze("tilt(cauchy(), 1) + tilt(cauchy(), -1)", dim=1).verdict
    assert verdict.symmetric
    assert verdict.positive_definite == "disproved"  # k(x, y) > k(x, x) far away
