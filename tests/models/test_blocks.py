"""Models of parts of a table: merged, fitted where Dask has the parts, and continued from a checkpoint."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec.models import blocks as module

N = 600
SPEC = "gaussian()[standardize(a), b] + 0.5*match()[c]"
REGRESSION = {"solver": "features", "n_features": 40, "random_state": 0}
CLASSES = {"kind": "least_squares", "n_features": 40, "random_state": 0}

pytestmark = pytest.mark.filterwarnings("ignore::kernelspec.KeptRowsWarning")


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, pd.Series]:
    """Rows of which the last 50 alone have the category 'late'."""
    generator = np.random.default_rng(2)
    c = [*generator.choice(["x", "y"], N - 50), *["late"] * 50]
    X = pd.DataFrame({"a": generator.standard_normal(N), "b": generator.standard_normal(N), "c": c})
    y = 100 + np.sin(2 * X.a) + X.b + (X.c == "x") + 0.2 * generator.standard_normal(N)
    return X, pd.Series(y, name="y")


def distance(one: Any, other: Any, X: pd.DataFrame) -> float:
    """The largest difference of two models, relative to the spread of their predictions."""
    found, expected = (getattr(own, "predict_proba", own.predict)(X) for own in (one, other))
    return float(np.abs(found - expected).max() / np.ptp(expected))


def models(y: pd.Series) -> list[tuple[Any, pd.Series]]:
    regressors = [ks.KernelRegressor(SPEC, method=own, **REGRESSION) for own in ("nystrom", "paired")]
    return [*((own, y) for own in regressors), (ks.KernelClassifier(SPEC, **CLASSES), y > y.median())]


@pytest.mark.slow
@pytest.mark.parametrize("which", range(3))
def test_models_of_parts_are_merged_to_that_of_one_pass(table: tuple[pd.DataFrame, pd.Series], which: int) -> None:
    """Whatever the parts, in processes of their own (so through pickle); a part without rows changes nothing."""
    X, y = table
    model, target = models(y)[which]
    whole = model.fit_blocks([(X, target)])
    for parts in (2, 5):
        made = [pickle.loads(pickle.dumps(whole.without_rows())) for _ in range(parts)]
        for i, own in enumerate(made):
            own.partial_fit(X[i::parts], target[i::parts])
        merged = made[0]
        for own in [*made[1:], whole.without_rows()]:
            assert merged.merge(own) is merged
        assert distance(merged, whole, X) < 1e-9
        described, expected = merged.describe().to_dict(), whole.describe().to_dict()
        assert described["n_rows"] == N
        assert described["categories"] == expected["categories"]
    if which < 2:
        low, high = merged.predict_interval(X)
        assert 0.93 < np.mean((low <= y) & (y <= high)) < 0.97  # 600 rows: two standard deviations
    assert distance(merged.partial_fit(X[:50], target[:50]), whole.partial_fit(X[:50], target[:50]), X) < 1e-9


def test_readers_of_record_batches_are_tables(table: tuple[pd.DataFrame, pd.Series]) -> None:
    """In maps, models, states and matrices, to their end."""
    pa = pytest.importorskip("pyarrow")
    X, y = pa.Table.from_pandas(table[0]), table[1].to_numpy()

    def reader() -> Any:
        return pa.RecordBatchReader.from_batches(X.schema, X.to_batches(max_chunksize=70))

    spec = "gaussian()[a] + match()[c]"
    model = ks.KernelRegressor(spec, **REGRESSION).fit(reader(), y)
    np.testing.assert_array_equal(model.predict(reader()), model.predict(X))
    fmap = ks.compile(spec, data=reader(), n_features=16)
    assert (fmap.transform(reader()) != fmap.transform(X)).nnz == 0
    assert ks.State.of(fmap, reader(), y).n_rows == N
    np.testing.assert_array_equal(ks.parse(spec).gram(reader()), ks.parse(spec).gram(X))


@pytest.mark.slow
def test_what_cannot_be_merged(table: tuple[pd.DataFrame, pd.Series], tmp_path: Path) -> None:
    X, y = table
    model = ks.KernelRegressor(SPEC, **REGRESSION).fit_blocks([(X, y)])
    before = model.predict(X)
    others = [
        (ks.KernelRegressor(SPEC, **{**REGRESSION, "random_state": 1}).fit_blocks([(X, y)]), "different feature maps"),
        (ks.KernelRegressor(SPEC, **REGRESSION).fit_blocks([(X.assign(d=1)[["d", *X]], y)]), "other columns"),
        (ks.KernelRegressor(SPEC, **REGRESSION).fit_blocks([(X, np.column_stack([y, y]))]), "targets do not add up"),
        (ks.KernelRegressor(SPEC, **REGRESSION), "a fitted KernelRegressor"),
        (ks.State.of(model.fmap_, X, y), "a fitted KernelRegressor"),
    ]
    for other, said in others:
        with pytest.raises(ks.KernelspecError, match=said):
            model.merge(other)
    model.save(tmp_path / "m.npz")
    for loaded in (ks.load_model(tmp_path / "m.npz"), ks.KernelRegressor(SPEC, solver="exact").fit(X, y)):
        with pytest.raises(ks.PlanError, match="loaded, or solved exactly"):
            loaded.without_rows()
        with pytest.raises(ks.PlanError, match="loaded, or solved exactly"):
            model.merge(loaded)
    np.testing.assert_array_equal(model.predict(X), before)
    one, two = (
        ks.KernelClassifier("gaussian()[a]", **CLASSES).fit_blocks([(X, np.where(y > 100, "up", own))])
        for own in ("down", "low")
    )
    with pytest.raises(ks.DataError, match="models of other classes"):
        one.merge(two)


@pytest.mark.slow
@pytest.mark.parametrize("which", range(3))
def test_a_dask_collection_is_fitted_where_its_parts_are(table: tuple[pd.DataFrame, pd.Series], which: int) -> None:
    """As in one pass, whatever the partitions, of which some have no rows."""
    dd = pytest.importorskip("dask.dataframe")
    X, y = table
    model, target = models(y)[which]
    auto = model.__class__(SPEC, n_features=40, random_state=0, method=model.method)
    whole = model.fit_blocks([(X, target)])
    for cuts in ([0, 0, 7, 300, 300, N], list(range(0, N + 1, 40)), [0, N]):
        parts = [dd.from_map(own.__getitem__, [slice(*two) for two in pairwise(cuts)]) for own in (X, target)]
        found = auto.fit(*parts)
        assert distance(found, whole, X) < 1e-9
        assert found.describe().to_dict()["categories"] == whole.describe().to_dict()["categories"]


@pytest.mark.slow
def test_a_dask_array_has_weights_and_chunks_of_columns(table: tuple[pd.DataFrame, pd.Series]) -> None:
    da = pytest.importorskip("dask.array")
    X, y = table[0][["a", "b"]].to_numpy(), table[1].to_numpy()
    weights = np.random.default_rng(0).integers(0, 3, N).astype(float)
    whole = ks.KernelRegressor("gaussian()", **REGRESSION).fit_blocks([(X, y, weights)])
    lazy = [da.from_array(own, chunks=(130, 1)[: own.ndim]) for own in (X, y, weights)]
    assert distance(ks.KernelRegressor("gaussian()", **REGRESSION).fit(*lazy), whole, X) < 1e-9


@pytest.mark.parametrize("package", ["pandas", "pyarrow", "polars"])
def test_blocks_may_have_their_columns_in_another_order(table: tuple[pd.DataFrame, pd.Series], package: str) -> None:
    pytest.importorskip(package)
    X, y = table
    convert = {
        "pandas": lambda own: own,
        "pyarrow": importlib.import_module("pyarrow").Table.from_pandas,
        "polars": lambda own: importlib.import_module("polars").from_pandas(own),
    }[package]
    whole, turned = (ks.KernelRegressor(SPEC, **REGRESSION) for _ in range(2))
    whole.fit_blocks([(X, y)])
    turned.fit_blocks([(convert(X[:300]), y[:300]), (convert(X[300:][["c", "b", "a"]]), y[300:])])
    assert distance(turned, whole, X) < 1e-9
    for frame in (X[["a", "b"]], X.assign(d=1.0), X.rename(columns={"c": "d"})):
        with pytest.raises(ks.DataError, match="block"):
            turned.fit_blocks([(convert(X), y), (convert(frame), y)])


def test_models_without_rows_predict_with_intervals_also_from_files(
    table: tuple[pd.DataFrame, pd.Series], tmp_path: Path
) -> None:
    X, y = table
    model = ks.KernelRegressor(SPEC, **REGRESSION).fit_blocks([(X, y)])
    empty = model.without_rows()
    empty.save(tmp_path / "empty.npz")
    for own in (empty, ks.load_model(tmp_path / "empty.npz")):
        np.testing.assert_allclose(own.predict_interval(X), model.predict_interval(X), rtol=1e-2)


def test_a_checkpoint_that_cannot_be_written_is_refused_at_once(
    table: tuple[pd.DataFrame, pd.Series], tmp_path: Path
) -> None:
    model = ks.KernelRegressor(SPEC, **REGRESSION)
    for path, said in ((tmp_path / "no" / "x.npz", "does not exist"), (tmp_path, "is a folder"), ("\0", "not a valid")):
        with pytest.raises(ks.FileError, match=said):
            model.fit_blocks([table], checkpoint=path)


def test_collections_that_are_refused(table: tuple[pd.DataFrame, pd.Series]) -> None:
    dd = pytest.importorskip("dask.dataframe")
    X, y = table
    lazy, target = (dd.from_pandas(own, npartitions=3) for own in table)

    def other(part: pd.DataFrame) -> pd.DataFrame:
        return part.rename(columns={"b": "beta"}) if part.index[0] else part

    model = ks.KernelRegressor(SPEC, n_features=40)
    for given, said in (
        ((lazy, y), "X is a Dask collection, so y must be one, too, not Series"),
        ((pytest.importorskip("dask").delayed(X), target), "so X must be a dask.dataframe or dask.array, not Delayed"),
        ((pytest.importorskip("dask.bag").from_sequence([1]), target), "or dask.array, not Bag"),
        ((lazy, target.repartition(npartitions=2)), "have 3 and 2 partitions"),
        ((lazy.map_partitions(other, meta=X, enforce_metadata=False), target), "names must be the same"),
        ((lazy[lazy.a > 9], target[lazy.a > 9]), "no rows"),
    ):
        with pytest.raises(ks.DataError, match=said):
            model.fit(*given)
    for wrong in (ks.KernelRegressor(SPEC, solver="exact"), ks.KernelClassifier(SPEC, kind="logistic")):
        with pytest.raises(ks.PlanError, match="a Dask collection needs"):
            wrong.fit(lazy, target)


class Interrupted(list):  # type: ignore[type-arg]
    """Blocks that are interrupted before one of the second pass."""

    def __init__(self, blocks: list[Any], before: int) -> None:
        super().__init__(blocks)
        self.before, self.passes = before, 0

    def __iter__(self) -> Iterator[Any]:
        self.passes += 1
        for i, block in enumerate(super().__iter__()):
            if self.passes == 2 and i == self.before:
                raise KeyboardInterrupt
            yield block


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every block."""
    monkeypatch.setattr(module, "_SECONDS", 0.0)
    monkeypatch.setattr(module, "_SHARE", np.inf)


@pytest.mark.slow
@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("which", range(3))
def test_a_fit_goes_on_from_its_checkpoint(
    table: tuple[pd.DataFrame, pd.Series], which: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = table
    model, target = models(y)[which]
    cut = [(X[i : i + 100], target[i : i + 100]) for i in range(0, N, 100)]
    whole, file = type(model)(**model.get_params(deep=False)).fit_blocks(cut, n_held_out=60), tmp_path / "sums.npz"
    with pytest.raises(KeyboardInterrupt):
        model.fit_blocks(Interrupted(cut, 4), n_held_out=60, checkpoint=file)
    assert [own.name for own in tmp_path.iterdir()] == ["sums.npz"]
    added: list[int] = []
    add = type(model)._add
    monkeypatch.setattr(type(model), "_add", lambda self, X, y, w: (added.append(len(y)), add(self, X, y, w))[1])
    model.fit_blocks(cut, n_held_out=60, checkpoint=file)
    assert sum(added[:-1]) < 200, "400 rows were in the file"
    assert distance(model, whole, X) < 1e-9
    found, expected = model.describe().to_dict(), whole.describe().to_dict()
    assert {key: found[key] for key in ("n_rows", "categories")} == {
        key: expected[key] for key in ("n_rows", "categories")
    }
    assert model.held_out_.value == pytest.approx(whole.held_out_.value, abs=1e-9)


def test_numbers_beyond_those_of_the_random_rows_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of brownian() comes from random rows, too: the error says what to do about a later, larger number."""
    monkeypatch.setattr(module, "_SAMPLED", 50)
    times = np.arange(1.0, N + 1)[:, None]
    blocks = [(times[i : i + 100], np.sqrt(times[i : i + 100, 0])) for i in range(0, N, 100)]
    with pytest.raises(ks.DataError, match=r"its 'until'; write an end that no row exceeds, as in brownian\(until="):
        ks.KernelRegressor("brownian()", **REGRESSION).fit_blocks(blocks)
    model = ks.KernelRegressor("brownian(until=600)", **REGRESSION).fit_blocks(blocks)
    assert np.abs(model.predict(times) - np.sqrt(times[:, 0])).max() < 1


@pytest.mark.slow
@pytest.mark.usefixtures("always")
def test_a_checkpoint_does_not_depend_on_the_cut(table: tuple[pd.DataFrame, pd.Series], tmp_path: Path) -> None:
    """Nor on how wide the texts of a block are, nor on weights between the targets."""
    X, _ = table
    for target in (X.c.astype(object), X.c.to_numpy().astype(str)):
        cuts = [
            [(X[i : i + n], np.asarray(list(target[i : i + n])), np.ones(len(X[i : i + n]))) for i in range(0, N, n)]
            for n in (100, 70)
        ]
        file = tmp_path / f"{target.dtype}.npz"
        first, second = (ks.KernelClassifier("gaussian()[a, b]", **CLASSES) for _ in range(2))
        first.fit_blocks(cuts[0], checkpoint=file)
        assert distance(second.fit_blocks(cuts[1], checkpoint=file), first, X) < 1e-9


@pytest.mark.slow
@pytest.mark.usefixtures("always")
def test_another_checkpoint_is_refused(
    table: tuple[pd.DataFrame, pd.Series], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = table
    file, options = tmp_path / "sums.npz", {**REGRESSION, "method": "paired"}
    ks.KernelRegressor("gaussian()[a]", **options).fit_blocks([(X, y)], checkpoint=file)
    kept = file.read_bytes()
    for model, rows, said in (
        (ks.KernelRegressor("gaussian()[b]", **options), (X, y), r"another spec, 'gaussian\(\)\[a\]'"),
        (ks.KernelRegressor("gaussian()[a]", **options), (X, y + 1), "other rows, targets or weights"),
        (ks.KernelRegressor("gaussian()[a]", **options), (X.assign(a=-X.a), y), "other rows, targets or weights"),
        (ks.KernelRegressor("gaussian()[a]", **{**options, "random_state": 1}), (X, y), "other options"),
        (ks.KernelRegressor("gaussian()[a]", **REGRESSION), (X, y), "other options"),
    ):
        with pytest.raises(ks.FileError, match=f"{said}.*Delete it to start again"):
            model.fit_blocks([rows], checkpoint=file)
    swapped = X.assign(c=X.c.map({"x": "y", "y": "x", "late": "late"}))
    weighted = {**CLASSES, "class_weight": {True: 9.0, False: 1.0}}
    for number, (plain, model, rows) in enumerate(
        (
            (ks.KernelRegressor("match()[c]", **options),) * 2 + ((swapped, y),),
            (*(ks.KernelClassifier("gaussian()[a]", **own) for own in (CLASSES, weighted)), (X, y > 100)),
        )
    ):
        other = tmp_path / f"{number}.npz"
        plain.fit_blocks([(X, rows[1])], checkpoint=other)
        with pytest.raises(ks.FileError, match="other rows, targets or weights"):
            model.fit_blocks([rows], checkpoint=other)
    model = ks.KernelRegressor("gaussian()[a]", **options)
    with monkeypatch.context() as later:
        later.setattr(module, "__version__", "9.0")
        with pytest.raises(ks.FileError, match="of kernelspec, and this is 9"):
            model.fit_blocks([(X, y)], checkpoint=file)
    assert file.read_bytes() == kept
    file.write_bytes(kept[:1000])
    with pytest.raises(ks.FileError, match="damaged"):
        model.fit_blocks([(X, y)], checkpoint=file)
    with pytest.raises(ks.FileError, match="does not exist"):
        model.fit_blocks([(X, y)], checkpoint=tmp_path / "none" / "sums.npz")
    assert not hasattr(model, "_fitted")
    model.fit_blocks([(X, y)]).save(file)
    with pytest.raises(ks.FileError, match="contains a FittedRegressor"):
        model.fit_blocks([(X, y)], checkpoint=file)


def test_rows_are_chosen_at_random_whatever_generator_made_the_table() -> None:
    """x is the first column drawn by the most common seed; one of least x would be a corner of the table."""
    generator = np.random.default_rng(0)
    x = generator.uniform(size=(10_000, 1))
    y = np.sin(5 * x[:, 0]) + 0.1 * generator.standard_normal(10_000)
    model = ks.KernelRegressor("gaussian(scale=0.3)", solver="features", n_features=50, random_state=7)
    model.fit_blocks([(x, y)], n_held_out=1_000)
    held = model.held_out_
    assert held is not None
    assert held.value > 0.9  # 1 − 0.01/Var y = .98
    assert 0.095 < model.noise_**0.5 < 0.105
