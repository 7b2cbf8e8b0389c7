"""Scaled rows, and sums of terms that share a frequency."""

from __future__ import annotations

import numpy as np

import kernelspec as ks
from kernelspec.laws.product import ProductSampler
from kernelspec.laws.tilt import SinhSampler, TiltSampler
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from tests.laws.test_translation import values

X = np.random.default_rng(0).standard_normal((5, 3))
BETA = (0.5, -0.25)
RISE = np.exp(X[:, [2, 0]] @ BETA)


def test_tilted_samples() -> None:
    spec = ks.parse("gaussian() - 0.5 * laplace()")
    base = spec.kernel(spec.columns(2)).sampler((2, 0))
    sampler = TiltSampler(base, BETA, (2, 0))
    for got, plain in zip(sampler.draw(Stream(3), 40), base.draw(Stream(3), 40), strict=True):
        np.testing.assert_allclose(values(got, X, "left"), values(plain, X, "left") * RISE[:, None], rtol=1e-12)
        np.testing.assert_allclose(values(got, X, "right"), values(plain, X, "right") / RISE[:, None], rtol=1e-12)
    twice = TiltSampler(sampler, BETA, (2, 0)).draw(Stream(3), 4)[0]
    assert twice.growth is not None
    assert twice.growth.columns == (0, 2)
    np.testing.assert_allclose(twice.growth.rates, np.tile(np.multiply(2, BETA)[::-1], (4, 1)))


def total(batches: list, n: int) -> np.ndarray:  # type: ignore[type-arg]
    p = np.zeros((n, len(X), len(X)), dtype=complex)
    for batch in batches:
        zeros = values(batch, X, "left")[:, None] * (values(batch, X, "right") * batch.sign).conj()
        np.add.at(p, batch.index, np.moveaxis(zeros, 2, 0))
    return p


def test_three_terms_make_one_sample() -> None:
    spec = ks.parse("gaussian()")
    base = spec.kernel(spec.columns(2)).sampler((2, 0))
    sampler = SinhSampler(base, BETA, (2, 0))
    assert sampler.n_terms == 3
    factor = 1 + np.sinh((X[:, None] - X[None])[..., [2, 0]] @ BETA)
    plain = total(base.draw(Stream(3), 30), 30)
    np.testing.assert_allclose(total(sampler.draw(Stream(3), 30), 30), plain * factor, rtol=1e-10, atol=1e-12)


def test_products_of_sums_are_taken_term_by_term() -> None:
    spec = ks.parse("gaussian()")
    base = spec.kernel(spec.columns(2)).sampler((2, 0))
    sinh = SinhSampler(base, BETA, (2, 0))
    product = ProductSampler((sinh, base, sinh))
    assert product.n_terms == 9
    stream = Stream(4)
    factors = [total(part.draw(stream.child(i), 20), 20) for i, part in enumerate(product.factors)]
    batches = product.draw(stream, 20)
    assert sum(len(batch) for batch in batches) == 180
    np.testing.assert_allclose(total(batches, 20), factors[0] * factors[1] * factors[2], rtol=1e-9, atol=1e-12)


def test_keys_with_a_real_amplitude_cost_one_entry() -> None:
    feature_map = ks.compile("tilt(laplace(), by=[0.2, 0, 0.1])", dim=3, n_features=40, method="binning", buckets=8)
    (part,) = feature_map.keyed
    assert part.phasors is None
    assert len(part) == 40
    assert part.entries("paired") == 1
    rows = Rows(X)
    left = np.asarray(part.amplitudes(rows, "left", "paired", np.dtype(float)))[0]
    np.testing.assert_allclose(left, np.sqrt(part.weight) * np.exp(X @ [0.2, 0, 0.1])[:, None], rtol=1e-12)
