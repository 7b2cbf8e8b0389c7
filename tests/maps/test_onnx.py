"""Maps and models as ONNX graphs, run by onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks
from kernelspec import loading

TABLE = pd.DataFrame(
    {
        "a": np.random.default_rng(0).standard_normal(150),
        "b": np.random.default_rng(1).uniform(1, 2, 150),
        "city": np.random.default_rng(2).choice(["Oslo", "Bergen", "Å"], 150),
        "k": np.random.default_rng(3).integers(0, 4, 150),
        "m": np.where(np.arange(150) % 5, np.random.default_rng(4).integers(0, 3, 150), np.nan),
        "g": np.random.default_rng(5).choice(["low", "mid", "high"], 150),
    }
)

GRADES = '["low", "mid", "high"], [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]'

pytestmark = pytest.mark.filterwarnings("ignore::kernelspec.DeadKernelWarning")


def outputs(model: Any, table: pd.DataFrame) -> list[np.ndarray]:
    """What onnxruntime computes from the named columns of a table."""
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(model.SerializeToString())
    kinds = {own.name: object if "string" in own.type else np.float64 for own in session.get_inputs()}
    return session.run(None, {name: table[[name]].to_numpy().astype(kind) for name, kind in kinds.items()})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "method", "tolerance"),
    [
        ("gaussian()[a, b]", "paired", 1e-14),
        ("gaussian()[a]", "phase", 1e-14),
        ("gaussian()[b, a]", "nystrom", 1e-10),  # kernel values times a matrix with entries up to 1e5
        ("matern(nu=3/2)[a, b]", "landmarks", 1e-10),
        ("matern(nu=5/2)[a]*match()[city] + 2*gaussian()[log(b)]", "nystrom", 1e-10),
        ("gaussian(scale=3)[a/b, -exp(a)]", "paired", 1e-14),
        ("gaussian()[sin(a), cos(3*a), tanh(a), sqrt(b), min(a, b), abs(a)**1.5]", "paired", 1e-14),
        ("linear()[a, b]", "auto", 1e-14),
        ("polynomial(2)[a, b]", "auto", 1e-14),
        ("match()[city] + match()[k]", "auto", 0),
        ("gaussian()[a]*match()[city]", "auto", 1e-14),
        ("gaussian()[a, is_missing(m), fill(m, 0)]", "paired", 1e-14),
        ("match()[fill(m)] + match()[is_missing(m)]", "auto", 0),
        ("mean(match()[city], match()[k])**2", "nystrom", 1e-10),
        ("match()[city]*match()[k]*gaussian()[a]", "auto", 1e-14),
        (f"levels({GRADES})[g]*gaussian()[a]", "paired", 1e-14),
        (f"levels({GRADES})[g]*gaussian()[a]", "nystrom", 1e-10),
        ('levels(["low", "mid"], [[1, 0.5], [0.5, 1]], unknown="own")[g]', "auto", 1e-14),
    ],
)
def test_features_are_those_of_transform(text: str, method: Any, tolerance: float) -> None:
    """For one row, too; both sides compute in double precision."""
    pytest.importorskip("onnx")
    fmap = ks.compile(text, data=TABLE, n_features=24, method=method)
    model = fmap.to_onnx()
    for rows in (TABLE, TABLE[:1]):
        expected = fmap.transform(rows)
        expected = expected if isinstance(expected, np.ndarray) else expected.toarray()
        (found,) = outputs(model, rows)
        assert found.shape == expected.shape
        assert np.abs(found - expected).max() <= tolerance


@pytest.mark.slow
def test_predictions_are_those_of_the_model() -> None:
    """Also for a city that was not seen, which differs from all others."""
    pytest.importorskip("onnx")
    y = np.sin(TABLE.a) + (TABLE.city == "Oslo")
    new = TABLE.assign(city=["Rome", *TABLE.city[1:]])
    spec = "gaussian()[a] + match()[city]"
    for target in (y, np.column_stack([y, TABLE.b])):
        model = ks.KernelRegressor(spec, solver="features", n_features=24, random_state=0).fit(TABLE, target)
        (found,) = outputs(model.to_onnx(), new)
        assert found.shape == target.shape
        assert np.abs(found - model.predict(new)).max() < 1e-9
    for kind in ("least_squares", "logistic"):
        for classes in (np.where(y > 0.5, "high", "low"), TABLE.k):
            model = ks.KernelClassifier(spec, kind=kind, n_features=24, random_state=0).fit(TABLE, classes)
            probabilities, found = outputs(model.to_onnx(), new)
            assert np.abs(probabilities - model.predict_proba(new)).max() < 1e-7
            assert found.tolist() == model.predict(new).tolist()


@pytest.mark.parametrize("method", ["paired", "nystrom"])
def test_columns_may_have_any_name_but_those_of_outputs(method: Any) -> None:
    pytest.importorskip("onnx")
    for one, other in (("v0", "c0"), ("_v0", "_c1"), ("prediction", "__c1")):
        rows = TABLE.rename(columns={"a": one, "b": other})
        fmap = ks.compile(f"gaussian()[{one}, {other}]", data=rows, n_features=16, method=method)
        (found,) = outputs(fmap.to_onnx(), rows)
        assert np.abs(found - fmap.transform(rows)).max() < 1e-10
    fmap = ks.compile("gaussian()[features]", data=TABLE.rename(columns={"a": "features"}), n_features=16)
    with pytest.raises(ks.PlanError, match="an output 'features', and the table a column of that name"):
        fmap.to_onnx()


def test_categories_in_hashed_columns_of_a_model_are_refused() -> None:
    """A graph cannot hash; it differed by 0.6 before for categories of a later batch."""
    pytest.importorskip("onnx")
    first, later = TABLE[TABLE.city != "Oslo"], TABLE[TABLE.city == "Oslo"]
    options = {"method": "paired", "n_features": 16, "random_state": 0}
    for made, target, more in (
        (ks.KernelRegressor("match()[city]*gaussian()[a]", solver="features", **options), TABLE.b, {}),
        (ks.KernelClassifier("match()[city]", kind="least_squares", **options), TABLE.k, {"classes": range(4)}),
    ):
        made.partial_fit(first, target[first.index], **more)
        found = outputs(made.to_onnx(), first)[0]
        expected = getattr(made, "predict_proba", made.predict)(first)
        assert np.abs(found - expected).max() < 1e-9
        made.partial_fit(later, target[later.index])
        with pytest.raises(ks.PlanError, match=r"share hashed columns\. Use method='nystrom'"):
            made.to_onnx()


def test_whole_numbers_that_float64_rounds_are_refused() -> None:
    pytest.importorskip("onnx")
    for big in (2**53 + TABLE.k, -(2**53) - TABLE.k):
        fmap = ks.compile("match()[k]", data=TABLE.assign(k=big))
        with pytest.raises(ks.PlanError, match="column 'k' has whole numbers that float64 rounds"):
            fmap.to_onnx()


def test_what_onnx_cannot_compute_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx")
    for text, options, said in (
        ("matern(nu=1.3)[a]", {"method": "nystrom"}, r"ONNX: only NumPy and SciPy can compute .*matern\(nu=1.3"),
        ("match()[city]", {"keys": "hashed"}, "ONNX: the map compares keys"),
        ("minmax()[b]", {}, "ONNX: the map compares keys"),
        ("shift(gaussian()[a], by=1)", {}, "two sides"),
        ("gaussian()[tan(a)]", {"method": "paired"}, r"ONNX: tan\(a\) has no operator.*float64"),
        ("gaussian()[month(a)]", {"method": "paired"}, r"ONNX: month\(a\) has no operator"),
        ("gaussian()[b + 2*erf(a)]", {"method": "paired"}, r"^ONNX: erf\(a\) has no operator in ONNX for float64$"),
        ("match()[weekday(a)]", {}, r"^ONNX: weekday\(a\) has no operator in ONNX for float64$"),
        ("hamming()[city, k]*gaussian()[a]", {"method": "nystrom"}, r"^ONNX: the map knows .* 'city' only as hashes"),
        ("match()[log(b)]", {}, r"ONNX: match\(\) compares values of log\(\)"),
        ('levels([1, "mid"], [[1, 0], [0, 1]], unknown="own")[g]', {}, r"'g' in levels\(\) are both text and numbers"),
        ('match()[k] + levels(["1"], [[1]], unknown="own")[k]', {}, "'k' is read both as text and as numbers"),
    ):
        fmap = ks.compile(text, data=TABLE, n_features=16, **options)
        with pytest.raises(ks.PlanError, match=said):
            fmap.to_onnx()
    exact = ks.KernelRegressor("gaussian()[a]", solver="exact").fit(TABLE, TABLE.b)
    with pytest.raises(ks.PlanError, match="not solver='exact': use solver='features'"):
        exact.to_onnx()
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    with pytest.raises(ks.MissingPackageError, match=r"pip install 'kernelspec\[onnx\]'"):
        ks.compile("gaussian()", dim=1).to_onnx()


def test_a_learned_rank_is_named_without_its_numbers() -> None:
    fmap = ks.compile("gaussian()[rank(a)]", data=TABLE, n_features=8)
    with pytest.raises(ks.PlanError, match=r"^ONNX: rank\(a\) has no operator in ONNX"):
        fmap.to_onnx()


def test_a_level_that_transform_rejects_has_no_features() -> None:
    """NaN, and not those of another level."""
    pytest.importorskip("onnx")
    fmap = ks.compile(f"gaussian()[a] + levels({GRADES})[g]", data=TABLE, n_features=16)
    (found,) = outputs(fmap.to_onnx(), TABLE.assign(g=["none", *TABLE.g[1:]]))
    assert np.isnan(found[0]).any()
    assert not np.isnan(found[1:]).any()


def test_a_map_that_does_not_know_its_categories_is_refused_by_their_column() -> None:
    pytest.importorskip("onnx")
    gaps = TABLE.assign(
        city=TABLE.city.where(TABLE.city != "Å", None), k=TABLE.k.astype(object).where(TABLE.k > 0, "0")
    )
    for options, said in (
        ({"missing": "category"}, "^ONNX: missing is a category of column 'city'$"),
        ({}, "^ONNX: the categories of column 'k' are both text and numbers$"),
    ):
        text = "match()[city]" if options else "match()[k]"
        with pytest.raises(ks.PlanError, match=said):
            ks.compile(text, data=gaps, **options).to_onnx()


def test_predictions_from_products_of_categories_are_those_of_the_model() -> None:
    """Also for a combination that was not seen."""
    pytest.importorskip("onnx")
    rows = TABLE[(TABLE.city != "Oslo") | (TABLE.k != 3)]
    for spec, method in (
        ("match()[city]*match()[k]*gaussian()[a] + match()[is_missing(m)]", "nystrom"),
        (f"levels({GRADES})[g]*match()[k]", "paired"),
    ):
        model = ks.KernelRegressor(spec, solver="features", method=method, n_features=48, random_state=0)
        model.fit(rows, np.sin(rows.a) + rows.k)
        (found,) = outputs(model.to_onnx(), TABLE)
        assert np.abs(found - model.predict(TABLE)).max() < 1e-8
