"""Samples of the kernel that is one everywhere."""

from __future__ import annotations

import numpy as np

from kernelspec.laws.product import OneLaw
from kernelspec.random.streams import Stream


def test_one() -> None:
    (batch,) = OneLaw().draw(Stream(0), 3, ())
    np.testing.assert_array_equal(batch.index, [0, 1, 2])
    np.testing.assert_array_equal(batch.weight * batch.sign, 1)
    assert not batch.is_complex
    assert not batch.keys
    law = OneLaw()
    assert not any([law.has_phasor, law.has_key, law.has_amplitude])
    assert law.lines(()) == ["a constant, exactly"]
