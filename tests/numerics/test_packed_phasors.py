"""Phases and amplitudes beside packed frequencies; and how large rows may be."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.numerics.distances import pack_weights
from kernelspec.numerics.packed import pack_phasors


def test_phases_are_in_turns_and_amplitudes_have_the_root_of_two() -> None:
    packed = pack_phasors(pack_weights(np.ones((3, 2)), np.dtype(float)), np.full(3, np.pi), np.full(3, 2.0), "phase")
    assert np.array_equal(packed.offsets[0, :4], [0.5, 0.5, 0.5, 0])
    np.testing.assert_allclose(packed.sizes[0, :4], [2 * np.sqrt(2)] * 3 + [0])
    assert pack_phasors(packed.weights, np.zeros(3), np.ones(3), "paired").sizes[0, 0] == 1


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_of_a_safe_size_do_not_overflow(kind: type) -> None:
    weights = np.random.default_rng(0).standard_normal((9, 6)) * 1e20
    packed = pack_phasors(pack_weights(weights, np.dtype(kind)), np.zeros(9), np.ones(9), "paired")
    assert 0 < packed.largest_safe < np.inf
    row = np.full(6, packed.largest_safe)
    assert (np.abs(weights).astype(np.longdouble) @ row < np.finfo(kind).max).all()
    for one in (weights * 1e30, weights):
        sizes = np.full(9, 1e40 if one is weights else 1.0)  # more than single precision holds
        other = pack_phasors(pack_weights(one, np.dtype(np.float32)), np.zeros(9), sizes, "paired")
        assert other.largest_safe == 0
