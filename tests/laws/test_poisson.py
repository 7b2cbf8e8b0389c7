"""Consistent samples from a Poisson process as features."""

import pytest

from kernelspec.kernels.leaves.comparisons import MinMax
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.keys import GcwsLaw, PoissonLaw, poisson
from tests.samples.keys.sampling_of_minmax import standard_minmax_tests

TestLaw = standard_minmax_tests(PoissonLaw)


@pytest.mark.parametrize(
    ("nonzeros", "n", "pays"),
    [(100, 1024, False), (1000, 64, False), (1000, 4096, False), (10_000, 64, False), (10_000, 1024, True)],
)
def test_pays_for_many_nonzeros_and_many_samples_only(nonzeros, n, pays):
    kernel = MinMax(dim=nonzeros)  # measured on dense rows, by benchmarks/minmax.py
    assert (PoissonLaw(kernel).work(n, nonzeros) < GcwsLaw(kernel).work(n, nonzeros)) == pays


def test_which_kernels_have_it():
    assert poisson(MinMax(dim=3)) == PoissonLaw(MinMax(dim=3))
    assert poisson(Gaussian(dim=3)) is None
