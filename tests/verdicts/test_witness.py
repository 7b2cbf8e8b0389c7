"""A disproof is a matrix with a negative eigenvalue; none is found for kernels that are positive definite."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.witness import asymmetry, find_witness, negative_density, negative_eigenvalue


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
    assert find_witness(ks.parse(text).kernel(Columns(2))) is None


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_a_negative_density_is_a_disproof_that_rows_may_miss(dim: int) -> None:
    # at ω = 0 the density is (2·2^d − 3^d)/(2π)^{d/2}: negative from two dimensions on
    kernel = ks.parse("2*gaussian(scale=2) - gaussian(scale=3)").kernel(Columns(dim))
    witness = negative_density(kernel)
    assert (witness is None) == (dim == 1)
    if dim > 1:
        expected = (2 * 2**dim - 3**dim) / (2 * np.pi) ** (dim / 2)
        assert witness == f"the spectral density is {expected:.3g} < 0 at ω = ({', '.join('0' * dim)})"


def test_a_density_is_not_looked_for_where_there_is_none() -> None:
    assert negative_density(ks.parse("gaussian() - match()").kernel(Columns(2))) is None
    assert negative_density(ks.parse("cosine(1) - 2*cosine(2)").kernel(Columns(2))) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("shift_gaussian(by=0.5)", True),
        ("shift_gaussian(by=1e-6) ** 2", True),
        ("tilt(cauchy(), 0.1) + gaussian()", True),
        ("shift_gaussian(by=1) + shift_gaussian(by=-1)", False),
        ("shift(cosine(1), by=3.141592653589793)", False),
        ("gaussian() - 2 * laplace()", False),
    ],
)
def test_asymmetry_is_found_where_there_is_any(text: str, found: bool) -> None:
    spec = ks.parse(text)
    words = asymmetry(spec.kernel(spec.columns(1)))
    assert (words is not None) == found
    if words is not None:
        assert "k(y, x) =" in words


def test_an_unbounded_kernel_has_no_density_to_look_at() -> None:
    verdict = ks.analyze("tilt(cauchy(), 1) + tilt(cauchy(), -1)", dim=1).verdict
    assert verdict.symmetric
    assert verdict.positive_definite == "disproved"  # k(x, y) > k(x, x) far away
