"""Consistent weighted samples as features."""

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.comparisons import MinMax
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.keys import GcwsLaw, gcws
from kernelspec.laws.rules import law_of
from kernelspec.tables.rows import Rows
from tests.samples.keys.sampling_of_minmax import minmax, standard_minmax_tests

TestLaw = standard_minmax_tests(GcwsLaw)


def test_work_grows_with_every_nonzero_and_sample_and_where_tables_are_not_kept():
    narrow, wide = GcwsLaw(MinMax(dim=100)), GcwsLaw(MinMax(dim=10**6))
    assert narrow.work(512, 100) == 2 * narrow.work(512, 50)
    assert narrow.work(512, 100) - narrow.work(256, 100) == narrow.work(256, 100) - narrow.work(0, 100)
    assert wide.work(512, 100) > 10 * narrow.work(512, 100)


def test_it_is_what_minmax_has_by_itself():
    assert law_of(MinMax(dim=3)) == gcws(MinMax(dim=3)) == GcwsLaw(MinMax(dim=3))
    assert gcws(Gaussian(dim=3)) is None


def test_moments_are_the_chance_that_keys_agree():
    x = np.random.default_rng(0).standard_normal((4, 3))
    pairs = NumericPairs(Rows(x), Rows(x))
    moments = GcwsLaw(MinMax(dim=3)).moments(pairs)
    expected = [[minmax(u, v) for v in x] for u in x]
    for moment in (moments.a, moments.b, moments.real):
        np.testing.assert_allclose(moment, expected, rtol=1e-13)
    assert (np.asarray(GcwsLaw(MinMax(dim=3)).moments(pairs.with_keys_agreeing()).a) == 1).all()
