"""The normal law."""

import scipy.stats

from kernelspec.distributions.symmetric import Gaussian
from tests.distributions.standard import standard_distribution_tests

test_standard = standard_distribution_tests(
    [
        (Gaussian(), scipy.stats.norm()),
        (Gaussian(scale=1.7), scipy.stats.norm(scale=1.7)),
    ]
)
