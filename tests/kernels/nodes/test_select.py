"""Selections: the kernel sees its columns and no others."""

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.columns_and_lags import Select
from kernelspec.laws.rules import law_of
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows

X = np.array([[1.0, np.nan, 2.0], [0.5, np.nan, 2.0]])


def test_other_columns_are_not_looked_at():
    kernel = Select(base=Gaussian(scale=2.0, dim=1), positions=(0,), dim=3)
    pairs = NumericPairs(Rows(X), Rows(X))
    np.testing.assert_allclose(kernel.value(pairs), np.exp(-np.array([[0, 0.25], [0.25, 0]]) / 8), rtol=1e-14)
    np.testing.assert_allclose(law_of(kernel).moments(pairs).b[0, 1], np.exp(-4 * 0.25 / 8), rtol=1e-14)
    assert (kernel.diagonal(), kernel.magnitude()) == (1, 1)


def test_samples_read_the_columns_of_the_table():
    inner = Select(base=Gaussian(scale=2.0, dim=1), positions=(1,), dim=2)
    outer = Select(base=inner, positions=(2, 0), dim=3)  # its column 1 is column 0 of the table
    (batch,) = law_of(outer).draw(Stream(0), 2, (0, 1, 2))
    assert batch.phasors.columns == (0,)


def test_facts_are_those_of_the_kernel():
    kernel = Select(base=Match(dim=1), positions=(2,), dim=3)
    assert not kernel.is_stationary
    assert kernel.verdict() == Match(dim=1).verdict()
