"""NaN and infinity are refused by row and column, whether or not the array was looked through before."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DataError
from kernelspec.tables.layout import Layout

SPECS = {
    "gaussian(scale=2)": True,
    "gaussian(scale=2)[0] * laplace()[1:3]": True,
    "gaussian(scale=2)[0]": False,  # two columns are not looked at
    "tilt(gaussian(), by=0.1)": True,
    "dual(relu(), normalize(linear()))": False,
    "laplace()": True,
}
METHODS = {"paired": ["gaussian(scale=2)", "gaussian(scale=2)[0] * laplace()[1:3]"], "complex": ["laplace()"]}


def drawn(spec: str, method: str | None = None) -> ks.FeatureMap:
    return ks.compile(spec, 3, 70) if method is None else ks.compile(spec, 3, 70, method=method)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("spec", SPECS)
def test_the_first_of_them_is_named(spec: str, kind: type, bad: float) -> None:
    fmap, X = drawn(spec), np.random.default_rng(0).random((700, 3)).astype(kind)
    assert fmap.shows_all_numbers == SPECS[spec]
    fmap.left(X)
    for row, column in ((699, 0), (300, 0)):
        X[row, column] = bad
        with pytest.raises(DataError, match=rf"(NaN|infinity) in row {row}, column {column}: features need finite"):
            fmap.left(X)
        with pytest.raises(DataError, match=rf"(NaN|infinity) in row 0, column {column}"):
            fmap.right(X[row : row + 1])


@pytest.mark.parametrize("method", METHODS)
def test_an_array_of_good_numbers_is_not_looked_through(monkeypatch, method: str) -> None:
    def refuse(self, numbers):
        raise AssertionError("looked through")

    X = np.random.default_rng(0).random((50, 3))
    maps = [drawn(spec, method) for spec in METHODS[method]]
    monkeypatch.setattr(Layout, "_check_finite", refuse)
    for fmap in maps:
        assert np.isfinite(fmap.transform(X)).all()
        assert np.isfinite(fmap.right(np.asfortranarray(X.astype(np.float32)))).all()
    with pytest.raises(AssertionError, match="looked through"):
        drawn("gaussian()[0]").transform(X)
