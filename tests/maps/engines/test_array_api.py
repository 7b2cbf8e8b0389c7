"""Arrays of other libraries: the same draws, the same device, close to NumPy's features within what is stated."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec import loading
from kernelspec.errors import DataError, MissingPackageError, PlanError
from kernelspec.maps.feature_map import FeatureMap

pytest.importorskip("array_api_compat")

ROWS = np.random.default_rng(0).normal(0, 3, (40, 3))


def libraries() -> list[Any]:
    return [
        pytest.param(name, marks=pytest.mark.slow if name == "torch" else ()) for name in ("array_api_strict", "torch")
    ]


def stated(fmap: FeatureMap, rows: np.ndarray) -> np.ndarray:
    """The bound on differences, (n, columns): of both computations, from the exact frequencies."""
    dense, eps = fmap.dense, np.finfo(rows.dtype).eps
    n = dense.n_turning
    own = rows[:, list(dense.phasors.columns)].astype(np.float64)
    size = np.abs(own) @ np.abs(dense.phasors.frequencies[:n]).T
    size += np.abs(dense.offsets + np.abs(dense.phasors.left) + np.abs(dense.phasors.right))[:n]
    scale = np.sqrt(dense.weight[:n]) * (np.sqrt(2) if fmap.plan.form == "phase" else 1)
    bound = scale * ((2 * rows.shape[1] + 6) * eps * size + 8 * eps)
    parts = [bound, bound] if fmap.plan.form == "paired" else [2 * bound]  # of both parts of complex ones
    return np.hstack([*parts, np.full((len(rows), dense.n_real), 8 * eps)])


@pytest.mark.parametrize("library", libraries())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("gaussian(scale=2)", {"method": "paired"}),
        ("laplace()", {"method": "phase"}),
        ("0.5*gaussian()[2, 0] + 0.5*constant()", {"method": "paired"}),
        ("gaussian() - 0.3*laplace()[1]", {"method": "paired"}),
        ("0.5*shift(gaussian(), by=1/2)[2, 0] + 0.5*constant()", {"method": "complex"}),
        ("dual(relu, gaussian())", {}),
    ],
)
def test_close_to_numpys(library: str, dtype: str, text: str, options: dict[str, Any]) -> None:
    xp = pytest.importorskip(library)
    fmap, rows = ks.compile(text, 3, 64, **options), ROWS.astype(dtype)
    X = xp.asarray(rows)
    found = fmap.left(X)
    assert type(found) is type(X)
    assert found.device == X.device
    exact = fmap.left(rows)
    assert (str(np.asarray(found).dtype), found.shape) == (str(exact.dtype), exact.shape)
    assert (np.abs(np.asarray(found) - exact) <= stated(fmap, rows)).all()
    right = np.abs(np.asarray(fmap.right(X)) - fmap.right(rows))
    assert (right <= stated(fmap, rows)).all()


@pytest.mark.parametrize("library", libraries())
@pytest.mark.parametrize("method", ["paired", "complex"])
def test_sides(library: str, method: str) -> None:
    xp = pytest.importorskip(library)
    fmap, X = ks.compile("shift(gaussian(), by=1/2)", 3, 16, method=method), xp.asarray(ROWS)
    for side in ("left", "right", "both"):
        np.testing.assert_allclose(
            np.asarray(fmap.transform(X, side=side)), fmap.transform(ROWS, side=side), rtol=0, atol=1e-13
        )
    with pytest.raises(PlanError, match="asymmetric"):
        fmap.transform(X)


@pytest.mark.slow
def test_torch_differentiates_features() -> None:
    torch = pytest.importorskip("torch")
    fmap = ks.compile("gaussian()", 3, 16, method="paired")
    X = torch.tensor(ROWS[:2], requires_grad=True)
    fmap.transform(X)[0, 3].backward()
    step = 1e-6
    for i in range(3):
        moved = np.tile(ROWS[0], (2, 1))
        moved[:, i] += [-step, step]
        low, high = fmap.transform(moved)[:, 3]
        assert float(X.grad[0, i]) == pytest.approx((high - low) / (2 * step), abs=1e-8)
    assert not X.grad[1].any()


@pytest.mark.slow
def test_tensors_without_numbers_that_can_be_read() -> None:
    torch = pytest.importorskip("torch")
    fmap, X = ks.compile("gaussian()", 3, 16, method="paired"), torch.tensor(ROWS)
    for other in (X.to_sparse(), X.to("meta")):
        with pytest.raises(DataError, match="a dense tensor with data, not one on"):
            fmap.transform(other)
    for other in (X.clone().requires_grad_(), X.bfloat16()):
        with pytest.raises(DataError, match="this Tensor cannot be converted to a NumPy array:"):
            fmap.approximate(other)


def strict(rows: np.ndarray) -> Any:
    return pytest.importorskip("array_api_strict").asarray(rows)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("laplace()", {"method": "binning"}, "keys"),
        ("minmax() + noise()[0]", {"method": "nystrom", "data": ROWS}, "keys"),
        ("dual(erf, normalize(linear()))", {"method": "neurons"}, "neurons erf"),
        ("gaussian()*sphere()", {}, "all rows"),
    ],
)
def test_other_maps_refuse_them(text: str, options: dict[str, Any], said: str) -> None:
    fmap = ks.compile(text, 3, 16, **options)
    with pytest.raises(PlanError, match=said):
        fmap.transform(strict(ROWS))


def test_what_is_wrong_with_the_rows() -> None:
    fmap, bad = ks.compile("gaussian()", 3, 16, method="paired"), ROWS.copy()
    bad[7, 1] = np.nan
    for rows, said in (
        (bad, "row 7, column 1"),
        (ROWS[:, :2], "X has 2 features"),
        (ROWS[0], "not 1 dimensions"),
        (ROWS[:0], "empty"),
        (ROWS.astype(np.int64), "int64"),
        (1e20 * ROWS, "not finite in row 0: a number of size .* is too large"),
    ):
        with pytest.raises(DataError, match=said):
            fmap.transform(strict(rows))
    with pytest.raises(PlanError, match="cannot be written to out"):
        fmap.transform(strict(ROWS), np.empty((40, 16)))


def test_columns_that_the_kernel_does_not_read_are_not_looked_at() -> None:
    fmap, rows = ks.compile("gaussian()[0, 2]", 3, 16, method="paired"), ROWS.copy()
    rows[:, 1] = np.inf
    np.testing.assert_allclose(np.asarray(fmap.transform(strict(rows))), fmap.transform(rows), atol=1e-13)


def test_without_the_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    X = strict(ROWS)
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"package array_api_compat.*kernelspec\[array-api\]"):
        ks.compile("gaussian()", 3, 16).transform(X)


@pytest.mark.slow
def test_no_other_library_is_imported_unless_its_arrays_are_given() -> None:
    script = (
        "import sys, numpy as np, kernelspec as ks;"
        "ks.compile('gaussian()', 2, 8).transform(np.ones((3, 2)));"
        "print(sorted({'array_api_compat', 'torch', 'dask', 'distributed', 'duckdb', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
