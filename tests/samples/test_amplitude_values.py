"""The amplitudes of samples, one side at a time, against the products of samples and against features."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.random.streams import Stream
from kernelspec.samples.factor import amplitude_values, factor_values, has_sides
from kernelspec.samples.inner_products import mean_products
from kernelspec.tables.rows import Rows
from tests.laws.texts import law

X = np.random.default_rng(0).standard_normal((6, 3))
ROWS = Rows(X)
TEXTS = ["gaussian()", "tilt(gaussian(), by=0.3)", "linear()", "gaussian()*linear()", "shift_gaussian(by=0.4)"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_sample_is_the_product_of_its_sides(text: str) -> None:
    scheme = "polar" if "shift" in text else None
    drawn = law(text, 3, scheme).draw(Stream(0), 5, (0, 1, 2))
    total = np.zeros(6)
    for batch in drawn:
        left, right = amplitude_values(batch, ROWS, "left"), amplitude_values(batch, ROWS, "right")
        total += (batch.sign * left * np.conj(right[::-1])).real.sum(axis=1) / 5
    np.testing.assert_allclose(total, mean_products(drawn, ROWS, Rows(X[::-1]), 5), atol=1e-12)


def test_they_are_the_features_of_a_map() -> None:
    fmap = ks.compile("gaussian(scale=2)", dim=3, n_features=16, method="complex")
    (batch,) = law("gaussian(scale=2)", 3).draw(Stream(0).child(0), 8, (0, 1, 2))
    np.testing.assert_allclose(amplitude_values(batch, ROWS, "left") / np.sqrt(8), fmap.transform(X), atol=1e-12)


def test_sides() -> None:
    def sided(text: str, scheme: str | None = None) -> bool:
        return any(has_sides(batch) for batch in law(text, 3, scheme).draw(Stream(1), 32, (0, 1, 2)))

    assert [sided(text) for text in ("gaussian()", "linear()", "match()")] == [False] * 3
    assert sided("tilt(gaussian(), by=0.3)")
    assert sided("shift_gaussian(by=0.4)", "polar")


def test_keys_are_no_products() -> None:
    (batch,) = law("match()*gaussian()", 3).draw(Stream(0), 2, (0, 1, 2))
    with pytest.raises(ValueError, match="samples with keys"):
        amplitude_values(batch, ROWS, "left")
    assert factor_values(batch, ROWS, "left").shape == (6, 2)
