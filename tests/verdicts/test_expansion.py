"""Sums of products multiplied out: the same numbers, in fewer terms."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.tables.rows import Rows
from kernelspec.verdicts.expansion import expanded

TEXTS = {
    "(gaussian() + laplace())**3": 4,
    "(gaussian() - laplace())*(gaussian() + laplace())": 2,
    "((gaussian() + cauchy())[0] - laplace()[0])*match()[1]": 3,
    "stretch(gaussian() + laplace(), 2)*(gaussian() - 1/2*laplace())": 4,
    "matern(nu=1/2) - powered_exponential(alpha=1)": 0,
    "powered_exponential(alpha=2) - gaussian(scale=sqrt(1/2))": 0,
    "(gaussian() + match())**2 - match()": 2,
    "dual(relu, gaussian()/2 - laplace()/2)*gaussian()": 1,
}


@pytest.mark.parametrize("text", TEXTS)
def test_values_are_the_same(text: str) -> None:
    rows = Rows(np.random.default_rng(0).standard_normal((6, 2)))
    kernel = ks.parse(text).numeric_kernel(Columns(2))
    pairs = NumericPairs(rows, rows)
    gap = np.asarray(expanded(kernel).value(pairs) - kernel.value(pairs))
    assert np.abs(gap).max() < 1e-14


@pytest.mark.parametrize(("text", "count"), TEXTS.items())
def test_equal_terms_are_merged(text: str, count: int) -> None:
    found = expanded(ks.parse(text).symbolic_kernel(Columns(2)))
    assert (len(found.terms) if isinstance(found, Sum) else 1) == count


def test_too_many_terms_are_left_alone() -> None:
    kernel = ks.parse("(gaussian() + laplace() + cauchy())**100").numeric_kernel(Columns(1))
    assert expanded(kernel) is kernel
