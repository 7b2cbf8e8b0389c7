"""Products of columns and neurons in other libraries: NumPy's features within the rounding that is stated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernelspec.errors import DataError, PlanError
from kernelspec.maps.array_features import array_amplitude, array_amplitudes
from kernelspec.maps.arrays import ArrayValues
from kernelspec.maps.dense import Placed
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.samples.amplitudes import CategoryPhases, LinearForms, Neurons
from kernelspec.samples.factor import AmplitudeRuns
from kernelspec.samples.frequencies import numbers_on
from kernelspec.tables.rows import Rows
from tests.maps.engines.test_array_api import libraries
from tests.maps.engines.test_array_phasors import ROWS, compiled, stated

pytest.importorskip("array_api_compat")


def sizes(fmap: FeatureMap, rows: np.ndarray) -> np.ndarray:
    """|A| for every sample; of neurons with what cancels in them."""
    found = np.ones((len(rows), len(fmap.dense.weight)))
    for placed in fmap.dense.amplitudes:
        own, factor = np.abs(placed.factor.values(Rows(rows), "left")), placed.factor
        if isinstance(factor, Neurons):
            own += 1 + np.abs(numbers_on(Rows(rows), factor.reads)) @ np.abs(factor.weights.T)
        found[:, placed.start : placed.stop] *= own
    return found


@pytest.mark.parametrize("library", libraries())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("linear()", {"method": "exact"}),
        ("dual(exp(c=1), normalize(linear()))*gaussian() + linear()[0]**2", {}),
        ("normalize(linear())*tilt(laplace(), by=0.1)", {"method": "phase"}),
        ("normalize(linear())*gaussian()", {"method": "complex"}),
        ("dual(relu, normalize(linear()))", {"method": "curved_neurons"}),
        ("dual(hermite(2), normalize(linear()))", {"method": "neurons"}),
        ("dual(polynomial([1, 2, 3]), normalize(linear()))", {"method": "neurons"}),
    ],
)
def test_close_to_numpys(library: str, dtype: str, text: str, options: dict[str, Any]) -> None:
    xp = pytest.importorskip(library)
    fmap, rows = compiled(text, 4, **options), ROWS[:, :4].astype(dtype)
    size = sizes(fmap, rows)[:, fmap.dense.owners(fmap.plan.form)]
    for side in ("left", "right"):
        X, exact = xp.asarray(rows), fmap.transform(rows, side=side)
        found = np.asarray(fmap.transform(X, side=side))
        assert (found.dtype, found.shape) == (exact.dtype, exact.shape)
        bound = 2 * size * (stated(fmap, rows, 0 * exact, side) + 64 * 2.0**-52)  # both parts of a complex factor
        assert (np.abs(found - exact) <= bound + 64 * np.finfo(dtype).eps * np.abs(exact)).all()


def read_of(numbers: np.ndarray) -> Any:
    xp = pytest.importorskip("array_api_strict")
    return lambda columns: ArrayValues(xp.asarray(numbers[:, list(columns)]), xp, None)


def test_products_of_any_number_of_terms() -> None:
    """Some of none, in no order, and products of products."""
    starts, first = np.array([0, 2, 2, 7, 8, 8]), np.array([0, 1, 2, 2, 1, 0, 1, 2])
    second = np.array([-1, 2, -1, 0, 1, 2, -1, 0])
    turn, scale = np.array([1.0, -1, 1, 1, -1, 1, 1, 1]), np.linspace(0.5, 2, 8)
    factor = LinearForms((0, 1, 2), starts, first, second, turn, scale)
    for own in (factor, AmplitudeRuns(factor, np.array([0, 1, 4, 5])), factor.take(np.array([1, 4]))):
        found = np.asarray(array_amplitude(own, read_of(ROWS)).values)
        np.testing.assert_allclose(found, own.values(Rows(ROWS[:, :3]), "left"), rtol=1e-14)
    total = array_amplitudes([Placed(1, 6, factor), Placed(1, 6, factor)], 0, 8, read_of(ROWS), len(ROWS))
    exact = np.ones((len(ROWS), 8), dtype=complex)
    exact[:, 1:6] = factor.values(Rows(ROWS[:, :3]), "left") ** 2
    np.testing.assert_allclose(np.asarray(total), exact, rtol=1e-13)
    assert array_amplitudes([Placed(1, 6, factor)], 6, 8, read_of(ROWS), len(ROWS)) is None


def test_a_kind_without_a_rule_is_named() -> None:
    factor = object.__new__(CategoryPhases)
    with pytest.raises(PlanError, match="CategoryPhases"):
        array_amplitude(factor, read_of(ROWS))


def test_amplitudes_that_overflow_are_refused() -> None:
    xp = pytest.importorskip("array_api_strict")
    fmap = compiled("linear()[0]**2", 4)
    for X in (1e200 * ROWS[:, :4], xp.asarray(1e200 * ROWS[:, :4])):
        with pytest.raises(DataError, match="too large"):
            fmap.transform(X)
