"""Tests of `maps/fmap.py`."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.errors import DataError, FileError, PlanError
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law
from kernelspec.maps import predicted_error as predictions
from kernelspec.maps.analyze import Analysis, AnalyzedNode
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.options import Method
from kernelspec.tables import categories
from kernelspec.testing.laboratory import assert_mean
from tests.maps.example_maps import BOTH, DENSE, KEYED, METHODS, SIGNED, ZERO, X, as_array, compiled
from tests.thoroughness import sweep


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", [DENSE, KEYED, BOTH, SIGNED, ZERO])
def test_contract(text: str, method: Method) -> None:
    fmap = compiled(text, method=method)
    left, right = fmap.left(X), fmap.right(X)
    assert fmap.method == method
    assert left.shape == right.shape == (30, fmap.n_columns)
    assert fmap.signs.shape == (fmap.n_columns,)
    assert len(set(fmap.names())) == fmap.n_columns
    assert fmap.is_sparse == isinstance(left, csr_array) == ("match" in text)
    assert left.dtype == (np.complex128 if method == "complex" else np.float64)
    assert fmap.unbiased
    assert fmap.approximate(X, X[:4]).shape == (30, 4)
    if not fmap.is_sparse:
        products = ((as_array(left) * fmap.signs) @ as_array(right).conj().T).real
        assert np.abs(products - fmap.approximate(X)).max() <= 1e-13


@pytest.mark.parametrize("method", METHODS)
def test_zero_kernel_is_one_zero_column(method: Method) -> None:
    fmap = compiled(ZERO, method=method)
    assert fmap.n_columns == 1
    assert fmap.names() == ["zero"]
    assert not as_array(fmap.transform(X)).any()
    assert not fmap.approximate(X).any()
    assert fmap.predicted_error(X) == 0
    assert "zero kernel" in fmap.explain()


def test_one_sided_features_of_an_indefinite_kernel_are_refused_with_the_way_out() -> None:
    fmap = compiled(SIGNED)
    with pytest.raises(PlanError, match=r"left\(X\), right\(Y\) and signs"):
        fmap.transform(X)
    assert set(fmap.signs) == {-1.0, 1.0}
    estimate = (fmap.left(X).multiply(fmap.signs).tocsr() @ fmap.right(X).T).toarray()  # type: ignore[union-attr]
    assert np.abs(estimate - ks.parse(SIGNED).gram(X)).max() < 2


def test_pickle() -> None:
    for text in (DENSE, BOTH, SIGNED, ZERO):
        fmap = compiled(text)
        again = pickle.loads(pickle.dumps(fmap))
        assert again.plan == fmap.plan
        assert np.array_equal(as_array(again.left(X)), as_array(fmap.left(X)))
        assert np.array_equal(again.approximate(X), fmap.approximate(X))


def test_what_names_no_file_is_refused() -> None:
    fmap = ks.compile("gaussian()", dim=1, n_features=2)
    for path in (io.BytesIO(), None, b"map.npz"):
        for call in (fmap.save, ks.load_map, ks.load_model, ks.load_state):
            with pytest.raises(FileError, match=r"a file is named by a string or a pathlib\.Path, not "):
                call(path)  # type: ignore[arg-type]


def test_data_frames_are_read_by_name() -> None:
    import pandas as pd

    table = pd.DataFrame({"age": X[:, 0], "country": ["a", "b", "c"] * 10, "extra": "x", "income": X[:, 1]})
    fmap = ks.compile("gaussian()[age, income] * match()[country]", n_features=32)
    assert fmap.plan.layout.names == ("age", "income", "country")
    shuffled = table[["income", "country", "age"]]
    again = shuffled[["age", "country", "income"]]
    assert np.array_equal(as_array(fmap.transform(shuffled)), as_array(fmap.transform(again)))
    with pytest.raises(DataError, match="no column 'country'"):
        fmap.transform(table[["age", "income", "extra"]])


def test_wrong_data_is_refused() -> None:
    fmap = compiled(DENSE)
    spoiled = X.copy()
    spoiled[3, 1] = np.nan
    for bad, message in (
        (X[:, :2], "has 2 features"),
        (X[0], "Expected 2D array"),
        (spoiled, "NaN in row 3, column 1"),
        (X[:0], "0 sample"),
    ):
        for ask in (fmap.transform, fmap.left, fmap.approximate, fmap.predicted_error):
            with pytest.raises(DataError, match=message):
                ask(bad)


@pytest.mark.slow
def test_drawing_transforming_and_loading_import_no_heavy_package() -> None:
    script = f"""
import sys
import numpy as np
import kernelspec as ks
X = np.arange(12.0).reshape(4, 3)
fmap = ks.compile({BOTH!r}, dim=3, n_features=32)
fmap.transform(X), fmap.approximate(X), fmap.predicted_error(X), fmap.explain()
fmap.save(sys.argv[1])
ks.load_map(sys.argv[1]).transform(X)
heavy = {{"sympy", "sklearn", "scipy.stats", "mpmath", "pandas", "pyarrow", "click", "rich", "matplotlib"}}
print(sorted(heavy & set(sys.modules)))
"""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", script, str(Path(folder) / "map.npz")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("method", sweep(METHODS, every=3))
@pytest.mark.parametrize("hashed", [False, True])
def test_predicted_error_is_the_root_mean_square_over_maps(method: Method, hashed: bool, thorough: bool) -> None:
    # budget 1e-6 for each combination: the mean of ‖K̂ − K‖²_F over many maps against its prediction
    exact = ks.parse(BOTH).gram(X[:6])
    errors, plan = [], compiled(BOTH, 24, method=method).plan
    for seed in range(4000 if thorough else 200):
        fmap = draw_map(replace(plan, seed=seed))
        estimate = fmap.approximate(X[:6])
        if hashed:
            features = fmap.transform(X[:6])
            estimate = (features @ features.conj().T).toarray().real  # type: ignore[union-attr]
        errors.append(np.square(estimate - exact).sum())
    predicted = (fmap.predicted_error(X[:6], hashed=hashed) * np.linalg.norm(exact)) ** 2
    assert_mean(np.array(errors), [predicted])


def test_predicted_error_follows_from_the_predicted_variance() -> None:
    fmap = compiled(BOTH)
    exact = ks.parse(BOTH).gram(X, X[:9])
    variance = fmap.predicted_variance(X, X[:9])
    assert variance.shape == (30, 9)
    expected = np.sqrt(variance.sum()) / np.linalg.norm(exact)
    assert fmap.predicted_error(X, X[:9]) == pytest.approx(expected, rel=1e-12)
    assert (variance >= fmap.predicted_variance(X, X[:9], hashed=False)).all()


def test_predictions_go_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    fmap = compiled(BOTH)
    variance, error = fmap.predicted_variance(X), fmap.predicted_error(X)
    monkeypatch.setattr(predictions, "_SIDE_BY_SIDE", 7)
    assert np.allclose(fmap.predicted_variance(X), variance, rtol=1e-14)
    assert fmap.predicted_error(X) == pytest.approx(error, rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    sweep(
        [
            "dual(step, gaussian()[0], max_degree=3)",
            "2*laplace()[0]*dual(relu, dual(exp(c=1), match()[1], max_degree=1))",
        ],
        every=2,
    ),
)
def test_predicted_error_counts_what_is_cut(text: str) -> None:
    """Budget 1e-6: the bias is most of the error of the first, and a part of that of the second."""
    rows = np.column_stack([X[:6, 0], np.arange(6) % 3])
    exact = ks.parse(text).gram(rows)
    first = ks.compile(text, n_features=100, data=rows)
    maps = [first, *(draw_map(replace(first.plan, seed=seed)) for seed in range(1, 400))]
    errors = [np.square(one.approximate(rows) - exact).sum() for one in maps]
    predicted = maps[0].predicted_error(rows, hashed=False)
    assert_mean(np.array(errors), [(predicted * np.linalg.norm(exact)) ** 2])
    assert maps[0].plan.chosen.error == pytest.approx(maps[0].predicted_error(rows, hashed=True), rel=1e-9)
    assert predicted**2 > 1.2 * maps[0].predicted_variance(rows, hashed=False).sum() / np.square(exact).sum()


NODE = AnalyzedNode("0.7 × stratum 1", ("frequencies of gaussian()",), 95, 190, 6840, 0.0100, 0.0104, 0.0004, 4.8e-7)
OTHER = replace(NODE, name="0.3 × stratum 2", predicted=0.04, measured=0.03, standard_error=0.001)
ANALYSIS = Analysis("gaussian()", "paired, stratified", 128, 64, (NODE, OTHER), 0.19)


def test_text_html_and_json() -> None:
    text = str(ANALYSIS)
    line = next(line for line in text.splitlines() if "stratum 2" in line)
    assert line.endswith("← most of the error ≠ not as predicted")
    assert "  0.2  " in line
    assert "0.173 ± 0.003" in line
    assert "74%" in line
    assert "      frequencies of gaussian()" in text.splitlines()
    assert "in all: predicted 0.224, measured 0.201 ± 0.003; this map 0.19" in text
    report = json.loads(json.dumps(ANALYSIS.to_dict()))
    assert report["worst"] == 1
    assert [node["agrees"] for node in report["nodes"]] == [True, False]
    assert "<table>" in ANALYSIS._repr_html_()
    assert "stratum 2" in ANALYSIS._repr_html_()
    assert repr(ANALYSIS) == 'Analysis("gaussian()", 2 nodes, predicted 0.224, measured 0.201)'


RNG = np.random.default_rng(7)
MIXED = np.c_[RNG.standard_normal((300, 3)), RNG.integers(0, 4, 300)]

SPEC = "0.6*gaussian(2)[0:2] + 0.4*laplace(3)[2]*match()[3]"
INDEPENDENT = {"draws": "independent", "landmarks": "never"}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (SPEC, INDEPENDENT),
        (SPEC, {**INDEPENDENT, "keys": "hashed", "buckets": 8}),
        (SPEC, {**INDEPENDENT, "method": "phase", "storage": "dense"}),
        pytest.param("0.5*minmax()[0:3] + match()[3]", {"keys": "exact"}, marks=pytest.mark.slow),
        pytest.param("minmax()[0:3]", {"keys": "bits", "bits": 3}, marks=pytest.mark.slow),
        pytest.param("shift_gaussian(2, by=1)[0:2] - 0.5*laplace(2)[2]", INDEPENDENT, marks=pytest.mark.slow),
        pytest.param("gaussian(2)[0:3] + laplace(9)[2]", {"method": "landmarks"}, marks=pytest.mark.slow),
    ],
)
def test_what_is_measured_is_what_was_predicted(text: str, options: dict[str, object]) -> None:
    """|z| of every part below 5 from 64 draws, or 1,000 beside landmarks, where few draws carry most of the error.

    The variances are those of `predicted_error` on the same rows.
    """
    fmap = ks.compile(text, data=MIXED, n_features=64, **options)  # type: ignore[arg-type]
    rows = fmap.plan.layout.read(MIXED).some(128)
    found = fmap.analyze(MIXED, replicates=64 if fmap.plan.landmarks is None else 1_000)
    hashed = fmap.plan.collisions is not None and fmap.has_keys and options.get("keys") != "exact"
    assert found.predicted == pytest.approx(fmap.predicted_error(rows, hashed=hashed) ** 2, rel=1e-6)
    for node in found.nodes:
        slack = 0.25 * node.predicted if node.plan_measured else 1e-12
        assert abs(node.measured - node.predicted) <= 5 * node.standard_error + slack, node
    assert sum(node.columns for node in found.nodes) == fmap.n_columns
    assert [node.samples for node in found.nodes if node.name != "landmarks"] == list(fmap.plan.chosen.counts)
    assert all(node.bytes_held > 0 and node.seconds_a_row > 0 for node in found.nodes)
    assert 0 < found.this_map < 5 * found.predicted**0.5


def test_landmarks_alone_have_their_bias() -> None:
    fmap = ks.compile("gaussian(1)[0:3]", data=MIXED, n_features=32, method="nystrom")
    rows = fmap.plan.layout.read(MIXED).some(128)
    exact = ks.parse("gaussian(1)[0:3]").gram(rows.dense())
    (node,) = fmap.analyze(MIXED).nodes
    error = np.linalg.norm(fmap.approximate(rows) - exact) / np.linalg.norm(exact)
    assert (node.measured, node.standard_error) == (pytest.approx(error**2), 0)
    assert node.predicted == pytest.approx(error**2)


def test_a_wrong_prediction_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a law whose variance is stated half as large as it is."""
    fmap = ks.compile("gaussian(2)[0:2]", data=MIXED, n_features=64, method="paired", **INDEPENDENT)  # type: ignore[arg-type]
    assert fmap.analyze(MIXED).nodes[0].agrees
    monkeypatch.setattr(FourierLaw, "variance", lambda *given: Law.variance(*given) / 2, raising=False)
    assert not fmap.analyze(MIXED).nodes[0].agrees


def test_what_is_refused() -> None:
    fmap = ks.compile("gaussian()", dim=2, n_features=16)
    with pytest.raises(PlanError, match="replicates must be at least 2"):
        fmap.analyze(MIXED[:, :2], replicates=1)
    zero = ks.compile("minmax()", dim=2, n_features=16, published=ks.Published(zero_bit=True))
    with pytest.raises(PlanError, match="are biased: use"):
        zero.analyze(abs(MIXED[:, :2]))


TRAVELS = pd.DataFrame(
    {
        "age": [31.0, 45.0, 27.0, 31.0, 60.0],
        "city": ["Oslo", "Bergen", 'a,"b"', "Oslo", ""],
        "trips": [1, 2, 2, 3, 1],
        "seat": [1, "1", None, True, 2.5],
        "unused": list("abcde"),
    }
)
SPEC = "gaussian(scale=9)[age]*match()[city] + match()[trips] + match()[city, trips] + match()[seat]"


def test_columns_of_categories_have_their_names() -> None:
    fmap = ks.compile(SPEC, data=TRAVELS, n_features=64, missing="category")
    names = fmap.names()
    assert len(set(names)) == fmap.n_columns
    assert {"trips=1", "trips=2", "trips=3", "trips=<other0>"} <= set(names)
    assert {"city=Oslo,trips=1", 'city="a,\\"b\\"",trips=2', 'city="",trips=1'} <= set(names)
    assert {"seat=1", 'seat="1"', "seat=missing", "seat=2.5"} <= set(names)
    assert {"city=Oslo:cos0", "city=Bergen:sin0", "city=<other0>:cos0"} <= set(names)
    features = as_array(fmap.left(TRAVELS))
    for trips in (1, 2, 3):
        own = features[:, names.index(f"trips={trips}")]
        assert ((own != 0) == (TRAVELS["trips"] == trips)).all()


@pytest.mark.parametrize("of", [pd.DataFrame, lambda d: d.to_numpy(), lambda d: pa.Table.from_pandas(pd.DataFrame(d))])
def test_names_of_categories_from_any_table(of: Callable[[pd.DataFrame], Any]) -> None:
    table = of(pd.DataFrame({"a": [2, 1, 2, 2**53 + 1], "b": [0.5, 1.0, -1.0, 0.5]}))
    plain = isinstance(table, np.ndarray)
    names = ks.compile("match()[0] + match()[1]", data=table, n_features=8).names()
    a, b = ("x0", "x1") if plain else ("a", "b")
    large = 2**53 if plain else 2**53 + 1  # one array of floats has no other number of this size
    assert {f"{a}=1", f"{a}=2", f"{a}={large}"} == {name for name in names if name.startswith(a) and "<" not in name}
    assert {f"{b}=0.5", f"{b}=1", f"{b}=-1"} == {name for name in names if name.startswith(b) and "<" not in name}


def test_the_same_categories_twice_are_told_apart() -> None:
    fmap = ks.compile("match()[0] + (match()[0])**2 * gaussian()[1]", data=X[:, [2, 0]], n_features=16)
    assert len(set(fmap.names())) == fmap.n_columns
    again = ks.compile("match()[0] + match()[0]*binary()[1]", data=np.sign(X[:, [2, 0]]), n_features=16)
    assert len(set(again.names())) == again.n_columns


def test_too_many_categories_have_numbers_for_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(categories, "_MOST_NAMED", 2)
    fmap = ks.compile("match()[trips]", data=TRAVELS, n_features=8)
    assert fmap.names()[:3] == ["trips=<0>", "trips=<1>", "trips=<2>"]
    assert fmap.describe().categories[0].values is None


def test_what_a_map_says_of_itself(tmp_path: Path) -> None:
    made = ks.compile(
        ks.parse(f"param s > 0\n{SPEC.replace('9', 's')}", {"s": 9}), data=TRAVELS, n_features=64, missing="category"
    )
    assert made.describe().origin is None
    made.save(tmp_path / "map.npz")
    description = ks.load_map(tmp_path / "map.npz").describe()
    data = json.loads(json.dumps(description.to_dict()))
    assert data["spec"] == made.plan.text
    assert data["values"] == {"s": "9"}
    assert data["columns"] == [
        {"name": "age", "position": 0, "type": "number", "use": "number"},
        {"name": "city", "position": 1, "type": "text", "use": "category"},
        {"name": "trips", "position": 2, "type": "whole number", "use": "category"},
        {"name": "seat", "position": 3, "type": "category", "use": "category"},
    ]
    assert (data["n_columns"], data["missing"], data["rows_planned_on"]) == (5, "category", 5)
    known = {tuple(own["columns"]): {tuple(row) for row in own["values"]} for own in data["categories"]}
    assert known["city",] == {("Oslo",), ("Bergen",), ('a,"b"',), ("",)}
    assert known["trips",] == {(1,), (2,), (3,)}
    assert known["seat",] == {(1,), ("1",), (None,), (2.5,)}
    assert known["city", "trips"] == {("Oslo", 1), ("Bergen", 2), ('a,"b"', 2), ("Oslo", 3), ("", 1)}
    assert data["software"] == f"kernelspec {ks.__version__}"
    assert len(data["digest"]) == 32
    assert data["plan"]["strata"] == json.loads(json.dumps(made.plan.to_dict()["strata"]))
    shown = str(description)
    assert "Bergen" in shown
    assert "planned on" in shown
    assert data["digest"] in shown
    assert shown.endswith(made.explain())
    assert "Bergen" in description._repr_html_()


def test_maps_planned_without_data_say_so() -> None:
    description = ks.compile("gaussian()", dim=30, n_features=8).describe()
    assert (description.planned_rows, description.categories) == (0, ())
    assert "no data" in str(description)
    assert "x19: number\n" in str(description)
    assert "and 10 more" in str(description)


def test_no_control_codes_of_a_file_reach_a_terminal() -> None:
    table = pd.DataFrame({"a\x1b[2J": ["\x1b]0;x\x07", "b"]})
    shown = str(ks.compile("match()[0]", data=table, n_features=4).describe())
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\\u001b]0;x\\u0007" in shown


def test_the_picture_of_errors_predicts_what_it_knows() -> None:
    """Samples drawn together beside keys: how much they gain is known for the whole plan, not for parts of it."""
    generator = np.random.default_rng(0)
    table = {"a": generator.standard_normal(60), "b": generator.standard_normal(60), "c": generator.integers(0, 2, 60)}
    fmap = ks.compile("gaussian()[a, b]*match()[c]", data=table, n_features=64, landmarks="never")
    assert fmap.plan.chosen.draws != ("independent",)
    predicted = np.asarray(fmap.plot(table, "error").axes[0].lines[0].get_ydata(), dtype=float)
    assert np.isnan(predicted[:-1]).all()
    assert predicted[-1] == pytest.approx(fmap.predicted_error(table, hashed=False), rel=1e-6)
