"""Tests of `laws/product.py`."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.columns_and_lags import SelectedLaw
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.keys import MatchLaw
from kernelspec.laws.law import Law
from kernelspec.laws.product import OneLaw, ProductLaw, multiply_runs, ones
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import Samples
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import law


def test_one() -> None:
    (batch,) = OneLaw().draw(Stream(0), 3, ())
    np.testing.assert_array_equal(batch.index, [0, 1, 2])
    np.testing.assert_array_equal(batch.weight * batch.sign, 1)
    assert not batch.is_complex
    assert not batch.keys
    law = OneLaw()
    assert not any([law.has_phasor, law.has_key, law.has_amplitude])
    assert law.lines(()) == ["a constant, exactly"]


COLUMNS = (0, 1, 2)


def gaussian(*positions: int) -> Law:
    return SelectedLaw(FourierLaw(Gaussian(dim=len(positions))), positions, 3)


def match(position: int) -> Law:
    return SelectedLaw(MatchLaw(Match(dim=1)), (position,), 3)


def test_frequencies_add() -> None:
    product = ProductLaw((gaussian(0, 1), gaussian(1, 2)))
    (batch,) = product.draw(Stream(2), 5, COLUMNS)
    (first,), (second,) = (
        gaussian(0, 1).draw(Stream(2).child(0), 5, COLUMNS),
        gaussian(1, 2).draw(Stream(2).child(1), 5, COLUMNS),
    )
    assert batch.phasors is not None
    assert first.phasors is not None
    assert second.phasors is not None
    assert batch.phasors.columns == (0, 1, 2)
    assert np.array_equal(batch.phasors.frequencies[:, 0], first.phasors.frequencies[:, 0])
    assert np.array_equal(
        batch.phasors.frequencies[:, 1], first.phasors.frequencies[:, 1] + second.phasors.frequencies[:, 0]
    )


def test_a_power_draws_every_factor_anew() -> None:
    one = gaussian(0)
    (batch,) = ProductLaw((one,) * 3).draw(Stream(2), 20_000, COLUMNS)
    assert batch.phasors is not None
    assert_mean(np.square(batch.phasors.frequencies), [3.0])  # of one draw, tripled, it would be 9


def test_keys_stand_side_by_side() -> None:
    (batch,) = ProductLaw((match(0), gaussian(1), match(2))).draw(Stream(0), 4, COLUMNS)
    assert [key.columns for key in batch.keys] == [(0,), (2,)]
    assert batch.phasors is not None


def test_lines() -> None:
    one = gaussian(0)
    assert ProductLaw((one, one)).lines(COLUMNS)[0] == "product of 2 independent draws of"
    lines = ProductLaw((one, match(0))).lines(COLUMNS)
    assert lines[0] == "product of"
    assert len(lines) == 3


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
