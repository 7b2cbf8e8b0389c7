"""Tests of `maps/evaluation.py`."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import DataError
from kernelspec.maps import evaluation as bounded_evaluation
from kernelspec.maps.evaluation import check_finite
from kernelspec.numerics import threads
from kernelspec.planning.options import Method
from kernelspec.tables import layout as pieces
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from tests.maps.example_maps import BOTH, DENSE, KEYED, METHODS, SIGNED, X, as_array, compiled
from tests.maps.test_transformed_rows import ROWS, map_of


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "side", "kind"),
    [
        ("rbf_cosine()", None, "f8"),
        ("gaussian()-gaussian(scale=2)", "both", "f8"),
        ("dual(exp(c=1/4), normalize(linear()))", None, "f4"),
        ("gaussian()", None, "i4"),
        ("gaussian()", None, ">f4"),
    ],
)
def test_nothing_of_the_size_of_the_table_is_made(
    monkeypatch: pytest.MonkeyPatch, text: str, side: Any, kind: str
) -> None:
    monkeypatch.setattr(bounded_evaluation, "_BYTES", 2**20)
    monkeypatch.setattr(pieces, "_BYTES", 2**18)
    fmap, rows = map_of(text), (100 * np.tile(ROWS, (100, 1))).astype(kind)
    out = fmap.transform(rows, side=side)
    tracemalloc.start()
    try:
        fmap.transform(rows, side=side, out=out)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * 2**20 < rows.size * 8 / 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", [DENSE, KEYED, BOTH, SIGNED])
@pytest.mark.parametrize("n", [7, 8, 33, 64])
def test_stored_entries_are_within_the_budget(text: str, method: Method, n: int) -> None:
    fmap = compiled(text, n, method=method)
    left = fmap.left(X)
    real = 2 if method == "complex" and text == DENSE else 1
    if isinstance(left, csr_array):
        assert np.diff(left.indptr).max() <= n
    else:
        assert left.shape[1] * real <= n


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_features_have_the_type_of_the_data(kind: type) -> None:
    for text in (DENSE, KEYED):
        assert compiled(text).transform(X.astype(kind)).dtype == kind
    assert compiled(DENSE).transform(np.ones((2, 3), dtype=int)).dtype == np.float64
    assert compiled(DENSE, method="complex").transform(X.astype(np.float32)).dtype == np.complex64
    single = as_array(compiled(DENSE).transform(X.astype(np.float32)))
    assert np.abs(single - as_array(compiled(DENSE).transform(X))).max() <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("text", [DENSE, BOTH])
def test_batches_threads_and_memory_order_do_not_change_a_bit(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fmap, generator = compiled(text, 64), np.random.default_rng(1)
    rows = np.column_stack([generator.standard_normal((600, 2)), generator.integers(0, 3, 600)])
    for data in (rows, rows.astype(np.float32)):
        whole = as_array(fmap.transform(data))
        for size in (7, 255, 256, 257):
            pieces = [as_array(fmap.transform(data[i : i + size])) for i in range(0, 600, size)]
            assert np.array_equal(np.concatenate(pieces), whole)
        assert np.array_equal(as_array(fmap.transform(data[599:])), whole[599:])
        assert np.array_equal(as_array(fmap.transform(np.asfortranarray(data))), whole)
        for processors in (1, 3, 8):
            monkeypatch.setattr(threads, "processors", lambda count=processors: count)
            assert np.array_equal(as_array(fmap.transform(data)), whole)
        assert np.abs(as_array(fmap.transform(csr_array(data))) - whole).max() <= 1e-5


LAYOUT = Layout(3, ("a", "b", "c"), (0, 1), (2,))
LARGE = Rows(np.array([[1.0, 2.0, 3e308], [-1e300, 5.0, 0.0]]))


def test_a_finite_array_passes_even_if_its_sum_does_not() -> None:
    check_finite(np.full((2, 3), 1e308), LARGE, LAYOUT)
    check_finite(csr_array(np.full((2, 3), 1e308)), LARGE, LAYOUT)
    check_finite(np.zeros((2, 0)), LARGE, LAYOUT)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_the_row_and_its_largest_number_are_named(kind, value) -> None:
    features = np.ones((2, 3))
    features[1, 2] = value
    with pytest.raises(DataError, match=r"not finite in row 1, column 'a': a number of size 1e\+300 .* float64"):
        check_finite(kind(features), LARGE, LAYOUT)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("gaussian(scale=0.01)", "paired"),
        ("gaussian(scale=0.01)", "phase"),
        ("gaussian(scale=0.01)", "complex"),
        ("laplace()", "auto"),
        ("match()[0] * gaussian(scale=0.01)[1:3]", "auto"),
        ("gaussian(scale=0.01)[1:3] + match()[0]", "auto"),
        ("dual(relu, gaussian(scale=0.01))", "auto"),
        ("stretch(gaussian(scale=0.01), [1, 2, 3])", "auto"),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_way_out_of_a_map_is_guarded(text: str, method, dtype) -> None:
    table = np.ones((300, 3), dtype=dtype)
    table[277, 1:] = np.finfo(dtype).max, -np.finfo(dtype).max
    fmap = ks.compile(text, dim=3, n_features=64, method=method)
    for evaluate in (fmap.transform, fmap.left, fmap.right, *[fmap.approximate] * (dtype == np.float64)):
        with pytest.raises(DataError, match=r"not finite in row 277, column [12]: a number of size (1\.79|3\.4)"):
            evaluate(table)
    assert np.isfinite(fmap.approximate(table[:277])).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [np.asarray, csr_array])
def test_angles_that_rounding_takes_are_refused(rows, dtype) -> None:
    """From 2⁵² turns on, 2²³ in single precision, every angle is a whole turn, and unequal rows look alike."""
    fmap = ks.compile("gaussian(scale=0.1)", dim=1, n_features=64)
    size = 1e9 if dtype == np.float32 else 1e17
    with pytest.raises(DataError, match=r"row 1, column 0: a number of size 1e\+(09|17) is too large for this kernel"):
        fmap.transform(rows(np.array([[1.0], [size], [2.0]], dtype=dtype)))
    assert np.isfinite(fmap.approximate([[1e12]], [[2e12]])).all()


FAR = {  # kernels on two columns, with how their angles are summed
    "gaussian()": {},
    "laplace()": {},
    "cosine(2)[0]*gaussian()[1]": {"method": "phase"},
    "gaussian()[0]*match()[1]": {"keys": "hashed"},
    "tilt(gaussian(), by=1e-17)": {},
    "mean(circle()[0], gaussian()[1])**2": {},
}


def centred(offset: float, dtype: type, n: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Rows about an offset, and what is left of them without it: the differences are exact."""
    spacing = max(2.0**-10, 2 * float(np.spacing(dtype(offset))))
    near = spacing * np.round(np.random.default_rng(0).uniform(-2, 2, (n, 2)) / spacing)
    far = (near + np.rint(offset)).astype(dtype)
    return far, (far.astype(np.float64) - np.rint(offset)).astype(dtype)


@pytest.mark.parametrize("text", FAR)
@pytest.mark.parametrize(("dtype", "offset"), [(np.float64, 1e15), (np.float32, 3e6)])
def test_rows_that_lose_digits_are_warned_of(text: str, dtype: type, offset: float) -> None:
    far, near = centred(offset, dtype)
    fmap = ks.compile(text, dim=2, n_features=256, **FAR[text])  # type: ignore[arg-type]
    named = rf"column [01], row \d+: numbers of size .* lose digits in {np.dtype(dtype)}.*up to \S+ % .*ubtract each"
    for rows in (far, csr_array(far)):
        with pytest.warns(ks.RoundingWarning, match=named) as found:
            fmap.left(rows)
        assert len(found) == 1
        assert found[0].filename == __file__
    with pytest.warns(ks.RoundingWarning, match="lose digits"):
        next(iter(fmap.blocks(far, rows=3, side="left")))
    if dtype == np.float64:
        with pytest.warns(ks.RoundingWarning, match="lose digits"):
            fmap.approximate(far)
    fmap.left(near)  # warnings are errors
    fmap.left((near + 1000).astype(dtype))


@pytest.mark.slow
def test_estimators_landmarks_and_structured_frequencies_warn_too() -> None:
    rows = 1e15 + np.rint(np.random.default_rng(0).uniform(-2, 2, (64, 2)))
    wide = 1e15 + np.rint(np.random.default_rng(0).uniform(-2, 2, (64, 100)))
    for fmap, far in (
        (ks.compile("gaussian(scale=2)", data=rows, n_features=64, method="landmarks"), rows),
        (ks.compile("gaussian(scale=2)", dim=100, n_features=256, draws="hadamard"), wide),
    ):
        with pytest.warns(ks.RoundingWarning, match="lose digits in float64"):
            fmap.transform(far)
        fmap.transform(far - 1e15)
    estimator = ks.KernelFeatures("gaussian(scale=2)", n_features=32, random_state=0).fit(rows)
    with pytest.warns(ks.RoundingWarning, match=r"StandardScaler\(with_std=False\)") as found:
        estimator.transform(rows)
    assert found[0].filename == __file__


@pytest.mark.parametrize(("dtype", "largest"), [(np.float64, 2.0**50), (np.float32, 2.0**21)])
@pytest.mark.parametrize("text", ["gaussian()", "laplace()", "gaussian(scale=3)*cosine(1)"])
def test_no_more_is_lost_than_the_warning_says(text: str, dtype: type, largest: float) -> None:
    """The features of rows at an offset against those of the same rows at none, on average over 30,000 frequencies.

    What is lost is measured to about a tenth of a permille: these frequencies are the same in both.
    """
    fmap, lost = ks.compile(text, dim=2, n_features=60_000, method="paired"), []
    assert fmap.dense is not None
    for power in (0, 1, 2, 3, 5, 12):
        far, near = centred(largest / 2**power * 0.99, dtype, n=5)
        bound = float(fmap.dense.losses(fmap.plan.layout.read(far), "left", "paired", np.dtype(dtype)).max())
        dense: list[np.ndarray] = []
        for rows in (far, near):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ks.RoundingWarning)
                dense.append(np.asarray(fmap.transform(rows), dtype=float))
        loss = np.abs(dense[0] @ dense[0].T - dense[1] @ dense[1].T).max()
        assert loss <= (bound or 1e-3) + 3e-4, power
        lost.append(loss)
        assert bool(bound) == (bound > 1e-3)
    assert lost[0] > 4e-3  # what the warning is about; angles that lose all digits are exact again
    assert lost[-1] < 1e-3


SPECS = {
    "gaussian(scale=2)": True,
    "gaussian(scale=2)[0] * laplace()[1:3]": True,
    "gaussian(scale=2)[0]": False,  # two columns are not looked at
    "tilt(gaussian(), by=0.1)": True,
    "dual(relu(), normalize(linear()))": False,
    "laplace()": True,
}


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
