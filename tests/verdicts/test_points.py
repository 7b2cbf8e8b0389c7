"""Points that disprove a kernel are checked again by the words that describe them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.witness import points_against


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
