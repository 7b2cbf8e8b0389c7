"""One piece with known coefficients: its transform and its integral by quadrature."""

from __future__ import annotations

import mpmath as mp
import numpy as np

from kernelspec.special.legendre import LegendrePieces


def test_one_piece() -> None:
    coefficients = np.zeros((1, 24))
    coefficients[0, :3] = 1, 0.5, 0.25
    pieces = LegendrePieces(np.array([2.0]), np.array([0.5]), coefficients, np.zeros(1), np.zeros(1, dtype=bool), 0.0)
    omega = np.array([0.0, 3.0, -40.0])

    def f(t: mp.mpf) -> mp.mpf:
        x = 2 * (t - 2)
        return 1 + x / 2 + (3 * x * x - 1) / 8

    expected = [complex(mp.quad(lambda t, w=w: f(t) * mp.expj(-w * t), np.linspace(1.5, 2.5, 9))) for w in omega]
    values, errors = pieces.transform(omega)
    np.testing.assert_allclose(values, expected, atol=1e-14)
    assert (errors < 1e-12).all()
    assert abs(pieces.absolute_integral() - float(mp.quad(f, [1.5, 2.5]))) < 1e-14
