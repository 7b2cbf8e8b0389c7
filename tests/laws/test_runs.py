"""Products within a batch, against products of the samples one by one."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from kernelspec.laws.product import multiply_runs, ones
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples
from kernelspec.tables.rows import Rows
from tests.laws.texts import law

X = np.random.default_rng(0).standard_normal((5, 3))
X[:, 2] = [0, 1, 0, 2, 1]
ROWS = Rows(X)
OWNER = np.array([0, 0, 0, 2, 3, 3, 5, 5, 5, 5])
N = 7


def values(batches: list[Samples], n: int) -> np.ndarray:
    """p_j(x, y) of every sample, (n, rows, rows)."""
    found = np.zeros((n, len(X), len(X)), dtype=complex)
    for batch in batches:
        product = np.ones((len(batch), len(X), len(X)), dtype=complex) * (batch.weight * batch.sign)[:, None, None]
        if batch.phasors is not None:
            angle = X[:, list(batch.phasors.columns)] @ np.asarray(batch.phasors.frequencies).T
            left, right = (np.exp(1j * (angle + side)).T for side in (batch.phasors.left, batch.phasors.right))
            product *= left[:, :, None] * right.conj()[:, None, :]
        for factor in batch.amplitudes:
            product *= factor.values(ROWS, "left").T[:, :, None] * factor.values(ROWS, "right").conj().T[:, None, :]
        for key in batch.keys:
            left, right = (np.broadcast_to(key.keys(ROWS, side), (len(X), len(batch))).T for side in ("left", "right"))  # type: ignore[arg-type]
            product *= left[:, :, None] == right[:, None, :]
        np.add.at(found, batch.index, product)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()",
        "match()[2]",
        "minmax()",
        "linear()",
        "normalize(linear())",
        "0.5 * gaussian() + 0.25 * match()[2] - 0.7 * linear()[0]",
        "mean(shift(gaussian(), 0.5), tilt(gaussian(), 0.1), circle()[1] * match()[2])",
        "dual(exp(c=2), mean(gaussian(), match()[2]))",
    ],
)
def test_every_sample_is_the_product_of_its_draws(text: str) -> None:
    batches = law(text, 3).draw(Stream(4), len(OWNER), (0, 1, 2))
    each = values(batches, len(OWNER))
    expected = np.stack([reduce(np.multiply, each[j == OWNER], np.ones((5, 5))) for j in range(N)])
    products = multiply_runs(batches, OWNER, N)
    assert sorted(np.concatenate([batch.index for batch in products]).tolist()) == list(range(N))
    np.testing.assert_allclose(values(products, N), expected, atol=1e-10)


def test_what_owns_nothing_is_one() -> None:
    assert np.array_equal(values([ones(np.arange(2))], 2), np.ones((2, 5, 5)))
