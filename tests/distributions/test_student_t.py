"""Student's t law."""

import scipy.stats

from kernelspec.distributions.symmetric import StudentT
from tests.distributions.standard import standard_distribution_tests

test_standard = standard_distribution_tests(
    [
        *[(StudentT(dof=dof, scale=1.0), scipy.stats.t(dof)) for dof in (0.4, 1.0, 2.0, 3.0, 90.0)],
        (StudentT(dof=5.5, scale=0.6), scipy.stats.t(5.5, scale=0.6)),
    ]
)
