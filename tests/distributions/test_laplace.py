"""The Laplace law."""

import scipy.stats

from kernelspec.distributions.symmetric import Laplace
from tests.distributions.standard import standard_distribution_tests

test_standard = standard_distribution_tests(
    [
        (Laplace(), scipy.stats.laplace()),
        (Laplace(scale=1.7), scipy.stats.laplace(scale=1.7)),
    ]
)
