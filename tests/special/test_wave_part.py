"""Parts of waves: their signs, symmetries and sums."""

from __future__ import annotations

import numpy as np

from kernelspec.special.wave_parts import WavePart

ANGLES = np.concatenate([np.linspace(-10, 10, 2001), [0.0]])


def test_parts_make_up_the_wave() -> None:
    for wave, positive, negative, absolute in (
        (np.cos, WavePart.POSITIVE_COSINE, WavePart.NEGATIVE_COSINE, WavePart.ABSOLUTE_COSINE),
        (np.sin, WavePart.POSITIVE_SINE, WavePart.NEGATIVE_SINE, WavePart.ABSOLUTE_SINE),
    ):
        plus, minus = positive.values(ANGLES), negative.values(ANGLES)
        assert min(plus.min(), minus.min()) == 0
        np.testing.assert_array_equal(plus - minus, wave(ANGLES))
        np.testing.assert_array_equal(plus + minus, absolute.values(ANGLES))


def test_symmetric_and_vanishing_parts() -> None:
    for part in WavePart:
        assert part.symmetric == np.allclose(part.values(-ANGLES), part.values(ANGLES), atol=1e-15)
        assert part.vanishes == (part.values(np.zeros(1))[0] == 0)
