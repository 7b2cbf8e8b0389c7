"""The chi law."""

from __future__ import annotations

import pytest
import scipy.stats

from kernelspec.distributions.gamma_family import Chi, Nakagami
from tests.distributions.comparisons import assert_same_law
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Chi(dof=1.0), scipy.stats.chi(1)),
        (Chi(dof=2.0), scipy.stats.chi(2)),
        (Chi(dof=5.7), scipy.stats.chi(5.7)),
    ]
)


@pytest.mark.parametrize("dof", [0.2, 1.0, 2.0, 4.0, 33.3])
def test_a_nakagami_law(dof: float) -> None:
    assert_same_law(Chi(dof=dof), Nakagami(shape=dof / 2, spread=dof))
