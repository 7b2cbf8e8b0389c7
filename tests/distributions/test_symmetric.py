"""Tests of `distributions/symmetric.py`."""

from __future__ import annotations

import scipy.stats

from kernelspec.distributions.symmetric import Cauchy, Gaussian, Laplace, StudentT
from tests.distributions.standard import standard_distribution_tests

test_standard = standard_distribution_tests(
    [
        (Cauchy(), scipy.stats.cauchy()),
        (Cauchy(scale=0.4), scipy.stats.cauchy(scale=0.4)),
    ]
)


test_standard_gaussian = standard_distribution_tests(
    [
        (Gaussian(), scipy.stats.norm()),
        (Gaussian(scale=1.7), scipy.stats.norm(scale=1.7)),
    ]
)


test_standard_laplace = standard_distribution_tests(
    [
        (Laplace(), scipy.stats.laplace()),
        (Laplace(scale=1.7), scipy.stats.laplace(scale=1.7)),
    ]
)


test_standard_student_t = standard_distribution_tests(
    [
        *[(StudentT(dof=dof, scale=1.0), scipy.stats.t(dof)) for dof in (0.4, 1.0, 2.0, 3.0, 90.0)],
        (StudentT(dof=5.5, scale=0.6), scipy.stats.t(5.5, scale=0.6)),
    ]
)
