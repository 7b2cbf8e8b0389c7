"""The chi law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from kernelspec.distributions.chi import Chi
from kernelspec.distributions.nakagami import Nakagami
from kernelspec.distributions.positive import Positive

from .standard_positive import standard_positive_tests

test_standard = standard_positive_tests(
    [
        (Chi(dof=1.0), scipy.stats.chi(1)),
        (Chi(dof=2.0), scipy.stats.chi(2)),
        (Chi(dof=5.7), scipy.stats.chi(5.7)),
    ]
)

LAGS = np.concatenate([[0.0, 1e-300, 1e-9], np.geomspace(1e-3, 100, 60)])
FREQUENCIES = np.array([0.0, 1e-8, 0.01, 0.7, 3.0, 40.0, 1e6])


def assert_the_same(first: Positive, second: Positive) -> None:
    np.testing.assert_allclose(first.polya_kernel(LAGS), second.polya_kernel(LAGS), rtol=1e-12)
    np.testing.assert_allclose(first.polya_transform(FREQUENCIES), second.polya_transform(FREQUENCIES), rtol=1e-12)
    np.testing.assert_allclose(first.density(LAGS[1:]), second.density(LAGS[1:]), rtol=1e-12)
    assert float(first.mean()) == pytest.approx(float(second.mean()), rel=1e-14)
    assert float(first.inverse_mean()) == pytest.approx(float(second.inverse_mean()), rel=1e-14)


@pytest.mark.parametrize("dof", [0.2, 1.0, 2.0, 4.0, 33.3])
def test_a_nakagami_law(dof: float) -> None:
    assert_the_same(Chi(dof=dof), Nakagami(shape=dof / 2, spread=dof))
