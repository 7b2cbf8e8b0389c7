"""The half-normal law."""

from __future__ import annotations

import pytest
import scipy.stats

from kernelspec.distributions.gamma_family import HalfNormal, Nakagami
from tests.distributions.comparisons import assert_same_law
from tests.distributions.standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (HalfNormal(), scipy.stats.halfnorm()),
        (HalfNormal(scale=2.5), scipy.stats.halfnorm(scale=2.5)),
    ]
)


@pytest.mark.parametrize("scale", [1.0, 0.3, 7.0])
def test_a_nakagami_law(scale: float) -> None:
    assert_same_law(HalfNormal(scale=scale), Nakagami(shape=0.5, spread=scale**2))
