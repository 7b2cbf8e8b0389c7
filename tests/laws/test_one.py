"""Samples of the kernel that is one everywhere."""

from __future__ import annotations

import numpy as np

from kernelspec.laws.one import OneSampler
from kernelspec.random.streams import Stream


def test_one() -> None:
    (batch,) = OneSampler().draw(Stream(0), 3)
    np.testing.assert_array_equal(batch.index, [0, 1, 2])
    np.testing.assert_array_equal(batch.weight * batch.sign, 1)
    assert not batch.is_complex
    assert not batch.keys
    sampler = OneSampler()
    assert not any([sampler.has_phasor, sampler.has_key, sampler.has_amplitude])
    assert sampler.lines() == ["a constant, exactly"]
