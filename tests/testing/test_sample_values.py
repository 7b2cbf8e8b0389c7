"""Single samples, by hand."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.numerics.phasor import Form
from kernelspec.random.streams import Stream
from kernelspec.testing.samples import sample_values

X = np.array([[0.3, 1.0], [1.1, 1.0], [-0.4, 2.0]])
PLACES = tuple(np.indices((3, 3)).reshape(2, -1))


def values_of(text: str, form: Form, n: int = 50) -> np.ndarray:
    """Samples of the first term."""
    plan = ks.compile(text, dim=2, n_features=8, method="paired").plan
    rows = plan.layout.read(X)
    return sample_values(plan.strata[0], form, n, Stream(3), rows, rows, PLACES)


def test_cosines_of_frequencies() -> None:
    lag = (X[PLACES[0], 0] - X[PLACES[1], 0])[None]
    found = values_of("gaussian()[0]", "paired")
    omega = np.arccos(found[:, 1])[:, None] / 0.8  # up to its sign, and turns, which are rare here
    small = (np.abs(omega) * 1.5 < np.pi / 2).ravel()
    np.testing.assert_allclose(found[small], np.cos(omega * lag)[small], atol=1e-9)
    np.testing.assert_allclose(found[:, 0], 1)


def test_offsets_add_a_wave() -> None:
    paired, phase = values_of("gaussian()[0]", "paired", 4000), values_of("gaussian()[0]", "phase", 4000)
    difference = phase - paired  # cos(ω·(x + y) + 2b)
    assert np.abs(difference).max() <= 1 + 1e-9
    assert np.abs(difference.mean(axis=0)).max() < 0.06
    assert difference.std() == pytest.approx(np.sqrt(0.5), abs=0.02)


def test_keys_agree_or_not() -> None:
    np.testing.assert_array_equal(values_of("match()[1]", "phase", 3), [[1, 1, 0, 1, 1, 0, 0, 0, 1]] * 3)
