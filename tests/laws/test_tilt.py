"""Scaled rows."""

from __future__ import annotations

import numpy as np

import kernelspec as ks
from kernelspec.laws.translation import TiltLaw, rates_shown
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from tests.laws.test_translation import values
from tests.laws.texts import law

X = np.random.default_rng(0).standard_normal((5, 3))
BETA = (0.5, -0.25)
RISE = np.exp(X[:, [2, 0]] @ BETA)


def test_tilted_samples() -> None:
    base, columns = law("gaussian() - 0.5 * laplace()", 2), (2, 0)
    tilted = TiltLaw(base, BETA)
    for got, plain in zip(tilted.draw(Stream(3), 40, columns), base.draw(Stream(3), 40, columns), strict=True):
        np.testing.assert_allclose(values(got, X, "left"), values(plain, X, "left") * RISE[:, None], rtol=1e-12)
        np.testing.assert_allclose(values(got, X, "right"), values(plain, X, "right") / RISE[:, None], rtol=1e-12)
    twice = TiltLaw(tilted, BETA).draw(Stream(3), 4, columns)[0]
    assert twice.growth is not None
    assert twice.growth.columns == (0, 2)
    np.testing.assert_allclose(twice.growth.rates, np.tile(np.multiply(2, BETA)[::-1], (4, 1)))


def test_what_it_is() -> None:
    tilted = TiltLaw(law("laplace()", 2, "binning"), BETA)
    assert (tilted.has_phasor, tilted.has_key, tilted.has_amplitude) == (False, True, True)
    assert tilted.lines((2, 0))[0] == "rows scaled by e^(β·x) and e^(−β·y), β = (0.5, -0.25):"
    assert rates_shown((1, 0.25)) == "1, 0.25"


def test_keys_with_a_real_amplitude_cost_one_entry() -> None:
    feature_map = ks.compile("tilt(laplace(), by=[0.2, 0, 0.1])", dim=3, n_features=40, method="binning", buckets=8)
    (part,) = feature_map.keyed
    assert part.phasors is None
    assert len(part) == 40
    assert part.entries("paired") == 1
    rows = Rows(X)
    left = np.asarray(part.amplitudes(rows, "left", "paired", np.dtype(float)))[0]
    np.testing.assert_allclose(left, np.sqrt(part.weight) * np.exp(X @ [0.2, 0, 0.1])[:, None], rtol=1e-12)
