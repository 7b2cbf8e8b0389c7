"""The Cauchy law."""

import scipy.stats

from kernelspec.distributions.symmetric import Cauchy
from tests.distributions.standard import standard_distribution_tests

test_standard = standard_distribution_tests(
    [
        (Cauchy(), scipy.stats.cauchy()),
        (Cauchy(scale=0.4), scipy.stats.cauchy(scale=0.4)),
    ]
)
