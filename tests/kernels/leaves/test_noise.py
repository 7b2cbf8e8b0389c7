"""White noise: equal rows, not equal positions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import WhiteKernel

import kernelspec as ks
from kernelspec.errors import DataError, NotStationaryError, TypeMismatchError
from kernelspec.kernels.leaves.comparisons import Noise
from kernelspec.testing import assert_unbiased

ROWS = np.array([[1.0, 2], [1, 3], [1, 2], [0.5, 0]])
SAME = np.array([[1.0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]])


def test_one_where_all_selected_columns_agree() -> None:
    np.testing.assert_array_equal(ks.parse("noise()").gram(ROWS), SAME)
    np.testing.assert_array_equal(ks.parse("noise()").gram(ROWS, ROWS[:2]), SAME[:, :2])
    np.testing.assert_array_equal(ks.parse("noise()[0]").gram(ROWS)[0], [1, 1, 1, 0])
    np.testing.assert_array_equal(ks.parse("noise()").gram(ROWS), ks.parse("match()").gram(ROWS))
    assert ks.parse("noise()")([0.0], [-0.0]) == 1


def test_how_it_differs_from_white_kernel() -> None:
    white, noise = WhiteKernel(noise_level=1.0), ks.parse("noise()")
    unique = ROWS[[0, 1, 3]]
    np.testing.assert_array_equal(white(unique), noise.gram(unique))  # the same for a table of different rows,
    np.testing.assert_array_equal(white(ROWS), np.eye(4))  # not where rows are equal,
    assert noise.gram(ROWS)[0, 2] == 1
    np.testing.assert_array_equal(white(ROWS, ROWS), np.zeros((4, 4)))  # and not between two tables
    np.testing.assert_array_equal(noise.gram(ROWS, ROWS), SAME)


def test_numbers_only() -> None:
    with pytest.raises(DataError, match="the kernel needs numbers there"):
        ks.parse("noise()").gram([["a", 1.0], ["b", 2.0]])
    with pytest.raises(DataError, match=r"nan|NaN"):
        ks.parse("noise()").gram([[np.nan]])
    for form in ("stretch(noise(), 2)", "shift(noise(), by=1)", "tilt(noise(), by=1)"):
        with pytest.raises(TypeMismatchError, match=r"acts on differences, and noise\(\) compares rows"):
            ks.parse(form)


def test_facts() -> None:
    facts = ks.analyze("gaussian() + 0.1*noise()", dim=2)
    assert facts.verdict.positive_definite == "proved"
    assert facts.verdict.stationary is True  # a function of x − y, though without a measure
    assert not Noise(dim=1).is_stationary
    with pytest.raises(NotStationaryError, match=r"noise\(\) jumps at zero"):
        _ = facts.spectral_measure
    assert facts.k0 == pytest.approx(1.1)
    assert "KroneckerDelta(x_1, y_1)" in str(facts.kernel)


@pytest.mark.parametrize("text", ["0.3*noise()", "gaussian(scale=2) + 0.5*noise()", "laplace()*noise()[0]"])
def test_features(text: str) -> None:
    assert_unbiased(text, ROWS, n_features=32, n_maps=200)
    assert ks.compile("0.3*noise()", data=ROWS).predicted_error(ROWS) == 0


def test_a_saved_map(tmp_path) -> None:
    features = ks.compile("gaussian() + 0.5*noise()", data=ROWS, n_features=64)
    features.save(tmp_path / "map.npz")
    again = ks.load_map(tmp_path / "map.npz")
    np.testing.assert_array_equal(again.transform(ROWS).toarray(), features.transform(ROWS).toarray())
