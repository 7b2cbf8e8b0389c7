"""Consistent samples from a Poisson process as features."""

import pytest

from kernelspec.samples.keys.gcws import GcwsSampler
from kernelspec.samples.keys.poisson import PoissonSampler
from tests.samples.keys.sampling_of_minmax import standard_minmax_tests

TestLaw = standard_minmax_tests(PoissonSampler)


@pytest.mark.parametrize(
    ("nonzeros", "n", "pays"),
    [(100, 1024, False), (1000, 64, False), (1000, 4096, False), (10_000, 64, False), (10_000, 1024, True)],
)
def test_pays_for_many_nonzeros_and_many_samples_only(nonzeros, n, pays):
    columns = tuple(range(nonzeros))  # measured on dense rows, by benchmarks/minmax.py
    assert (PoissonSampler(columns).work(n, nonzeros) < GcwsSampler(columns).work(n, nonzeros)) == pays
