"""A disproof is a matrix with a negative eigenvalue; none is found for kernels that are positive definite."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.analysis.scope import Columns
from kernelspec.analysis.witness import find_witness


@pytest.mark.parametrize("size", ["1", "1e-30", "1e30"])
@pytest.mark.parametrize("text", ["(gaussian() - laplace())", "(2*gaussian() - 1.5*gaussian(scale=0.5))"])
def test_a_disproof_holds_at_any_size(text: str, size: str) -> None:
    kernel = ks.parse(f"{size}*{text}").kernel(Columns(2))
    witness = find_witness(kernel)
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
