"""Consistent samples from a Poisson process as features."""

from kernelspec.features.gcws import GcwsSampler
from kernelspec.features.poisson import PoissonSampler

from .sampling_of_minmax import standard_minmax_tests

TestLaw = standard_minmax_tests(PoissonSampler)


def test_pays_for_many_nonzeros_and_many_samples_only():
    columns = tuple(range(20_000))
    poisson, gcws = PoissonSampler(columns), GcwsSampler(columns)
    assert poisson.work(1024, 10_000) < gcws.work(1024, 10_000) / 3
    assert poisson.work(1024, 50) > gcws.work(1024, 50)
    assert poisson.work(64, 1000) > gcws.work(64, 1000)
