"""Samples that turn and grow in other libraries: NumPy's features within the rounding that is stated."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import DataError
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.samples.frequencies import numbers_on
from kernelspec.tables.rows import Rows
from tests.maps.engines.test_array_api import libraries
from tests.thoroughness import sweep

pytest.importorskip("array_api_compat")

ROWS = np.random.default_rng(0).normal(0, 2, (40, 64))


@cache
def compiled(text: str, dim: int, **options: Any) -> FeatureMap:
    return ks.compile(text, dim, 64, **options)


def stated(fmap: FeatureMap, rows: np.ndarray, exact: np.ndarray, side: str) -> np.ndarray:
    """The bound on differences, (n, columns), with what grows (1 % for products of errors) and rows of norm 1."""
    dense, form, eps, d = fmap.dense, fmap.plan.form, np.finfo(rows.dtype).eps, rows.shape[1]
    n, frequencies = dense.n_turning, dense.phasors.frequencies[: dense.n_turning]
    read = np.abs(numbers_on(Rows(rows.astype(np.float64)), dense.phasors.columns))
    phases = np.abs(dense.offsets) + np.abs(dense.phasors.left if side == "left" else dense.phasors.right)
    turns = read @ np.abs(frequencies if isinstance(frequencies, np.ndarray) else frequencies.toarray()).T + phases[:n]
    size = np.zeros((len(rows), len(dense.weight)))
    size[:, :n] = (2 * d + 8) * eps * turns
    own = dense.owners(form)
    bound = np.sqrt((1 + (form == "phase")) * dense.weight) * (size + 8 * eps)
    if form == "complex":
        bound = 2 * bound
    if dense.growth is None:
        return bound[:, own]
    exponents = rows[:, list(dense.growth.columns)].astype(np.float64)[:, None, :] * dense.growth.rates[own]
    growth = np.exp(exponents.sum(axis=2) * (1 if side == "left" else -1))
    more = (2 * d + 6) * eps * np.abs(exponents).sum(axis=2) + 8 * eps
    return 1.01 * (growth * bound[:, own] + np.abs(exact) * more)


@pytest.mark.parametrize("library", libraries())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("text", "dim", "options"),
    sweep(
        [
            ("tilt(laplace(), by=0.1)[2, 0] + gaussian()", 3, {}),
            ("tilt(gaussian(), by=0.2)", 3, {"method": "complex"}),
            ("rbf_cosine()[3, 1, 2] * gaussian()[2]", 4, {"method": "phase"}),
            ("full(relu, input=image(2, 2, 1, base=gaussian()))", 4, {}),
            ("gaussian(scale=9)", 64, {"draws": "hadamard"}),
            ("constant() + 0*gaussian()", 3, {}),
        ],
        costly=["gaussian(scale=9)"],
    ),
)
def test_close_to_numpys(library: str, dtype: str, text: str, dim: int, options: dict[str, Any]) -> None:
    xp = pytest.importorskip(library)
    fmap, rows = compiled(text, dim, **options), ROWS[:, :dim].astype(dtype)
    X = xp.asarray(rows)
    for side in ("left", "right"):
        found, exact = np.asarray(fmap.transform(X, side=side)), fmap.transform(rows, side=side)
        assert (found.dtype, found.shape) == (exact.dtype, exact.shape)
        assert (np.abs(found - exact) <= stated(fmap, rows, exact, side)).all()


def test_rows_that_numpys_refuses_too() -> None:
    xp = pytest.importorskip("array_api_strict")
    for text, rows, said in (
        ("tilt(laplace(scale=0.1), by=1)", np.full((2, 3), 300.0), r"scaled by e\^900, which is not finite: rescale"),
        ("rbf_cosine()", np.array([[1.0, 2, 3], [0, 0, 0]]), "row 1 is all zeros, so it has"),
        ("laplace()", np.full((2, 3), 1e20), "not finite in row 0.* too large"),
    ):
        fmap = compiled(text, 3)
        for X in (rows, xp.asarray(rows)):
            with pytest.raises(DataError, match=said):
                fmap.transform(X, side="left")


def test_rows_that_lose_digits_are_warned_of_as_in_numpy() -> None:
    """At 1e15 the loss is 1 % or so; at 1e12 there is none. Sums of another library are rounded once more."""
    xp = pytest.importorskip("array_api_strict")
    rows, fmap = 1e15 + np.arange(6.0).reshape(2, 3), compiled("gaussian()", 3)
    for X in (rows, xp.asarray(rows)):
        with pytest.warns(ks.RoundingWarning, match=r"row \d: numbers of size 1e\+15 lose digits in float64"):
            fmap.transform(X)
    fmap.transform(xp.asarray(rows - 1e15 + 1e12))  # warnings are errors
