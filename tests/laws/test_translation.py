"""Tests of `laws/translation.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.laws.translation import TiltLaw, TranslationLaw, rates_shown
from kernelspec.maps.dense import DenseFeatures
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples, Side
from kernelspec.tables.rows import Rows
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


X_OF_TRANSLATION = np.random.default_rng(0).standard_normal((6, 3))


def values(batch: Samples, rows: np.ndarray, side: Side) -> np.ndarray:
    assert batch.phasors is not None
    zeros = np.zeros(len(batch))
    part = DenseFeatures(batch.phasors, batch.weight, batch.sign, zeros, batch.growth)
    out = np.empty((len(rows), len(batch)), dtype=complex)
    part.evaluate(Rows(rows), side, "complex", np.dtype(np.float64), out)
    return out * batch.sign


@pytest.mark.parametrize(
    "text", ["laplace()", "gaussian() - 0.5 * laplace()", "sinh_gaussian(by=0.3)", "tilt(laplace(), 0.2)"]
)
def test_products_are_those_at_moved_rows(text: str) -> None:
    base = law(text, 2)
    by = (0.5, -1.0)
    own = TranslationLaw(base, by)
    moved = X_OF_TRANSLATION + np.array([-1.0, 0, 0.5])
    for got, plain in zip(own.draw(Stream(3), 40, (2, 0)), base.draw(Stream(3), 40, (2, 0)), strict=True):
        found = values(got, X_OF_TRANSLATION, "left")[:, None] * values(got, X_OF_TRANSLATION, "right").conj()
        expected = values(plain, moved, "left")[:, None] * values(plain, X_OF_TRANSLATION, "right").conj()
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert own.has_phasor == base.has_phasor
    assert own.n_terms == base.n_terms
    assert own.lines((2, 0))[0] == "at x + (0.5, -1) and y:"
