"""Fitted models on disk: the same bits, nothing parsed, and nothing believed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import kernelspec as ks
from tests.fuzzing.crafted_maps import model_outcome

pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.filterwarnings("ignore::kernelspec.KeptRowsWarning")

N = 60
NUMBERS = np.random.default_rng(0).uniform(-2, 2, (N, 2))
WAVE = 5 + np.sin(2 * NUMBERS[:, 0])
MESSY = pd.DataFrame({"city": ["Oslo", "Bergen", None] * 20, "age": NUMBERS[:, 0], "floor": [1, 2] * 30})
SPEC = "param s = 0.7\ngaussian(scale=s)[age] * match()[city] + 0.3*match()[floor] + 0.01*noise()"

CASES: dict[str, tuple[Any, Any, Any]] = {
    "exact": (ks.KernelRegressor("gaussian()"), NUMBERS, WAVE),
    "several targets": (ks.KernelRegressor("gaussian()"), NUMBERS, np.column_stack([WAVE, -WAVE])),
    "landmarks": (ks.KernelRegressor("gaussian()", solver="features", n_features=20), NUMBERS, WAVE),
    "samples": (ks.KernelRegressor("gaussian()", solver="features", method="paired", n_features=20), NUMBERS, WAVE),
    "a frame": (ks.KernelRegressor(SPEC, missing="category"), MESSY, WAVE),
    "a frame on features": (ks.KernelRegressor(SPEC, solver="features", missing="category"), MESSY, WAVE),
    "names given": (ks.KernelRegressor("gaussian()[b]", feature_names=["a", "b"]), NUMBERS, WAVE),
    "single precision": (ks.KernelRegressor("gaussian()"), NUMBERS.astype(np.float32), WAVE),
    "least squares": (ks.KernelClassifier("gaussian()", kind="least_squares"), NUMBERS, WAVE > 5),
    "logistic": (ks.KernelClassifier("gaussian()", kind="logistic"), NUMBERS, np.where(WAVE > 5, "up", "down")),
    "whole classes": (ks.KernelClassifier(SPEC, missing="category"), MESSY, np.round(WAVE).astype(int) * 10),
    "classes of a frame": (ks.KernelClassifier("gaussian()"), NUMBERS, pd.Series(np.where(WAVE > 5, "up", "down"))),
}


def said(model: Any, X: Any) -> list[NDArray[Any]]:
    if hasattr(model, "classes_"):
        return [model.predict_proba(X), model.predict(X), model.classes_]
    found = [*model.predict(X, return_std=True), *model.predict_interval(X), model.sample_y(X, 2)]
    return [*found, model.predict(X, return_cov=True)[1], model.noise_, model.log_marginal_likelihood_value_]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_loaded_model_says_the_same(name: str, tmp_path: Path) -> None:
    estimator, X, y = CASES[name]
    model = clone(estimator).set_params(random_state=0).fit(X, y)
    model.save(tmp_path / "m.npz")
    loaded = ks.load_model(tmp_path / "m.npz")
    for before, after in zip(said(model, X), said(loaded, X), strict=True):
        np.testing.assert_array_equal(after, before)
        assert np.asarray(after).dtype == np.asarray(before).dtype
    assert (str(loaded.spec_), loaded.n_features_in_) == (str(model.spec_), model.n_features_in_)
    assert (
        getattr(loaded, "feature_names_in_", np.empty(0)).tolist()
        == getattr(model, "feature_names_in_", np.empty(0)).tolist()
    )
    loaded.save(tmp_path / "again.npz")
    assert all(map(np.array_equal, said(ks.load_model(tmp_path / "again.npz"), X), said(model, X)))
    again = clone(loaded).set_params(random_state=0).fit(X, y)  # the arguments are there, to fit other rows
    np.testing.assert_array_equal(said(again, X)[0], said(model, X)[0])


def test_what_a_model_says_of_itself(tmp_path: Path) -> None:
    model = ks.KernelRegressor(SPEC, missing="category").fit(MESSY, WAVE)
    assert model.describe().origin is None
    model.save(tmp_path / "m.npz")
    found = ks.load_model(tmp_path / "m.npz").describe()
    told = found.to_dict()
    assert ks.parse(told["spec"]) == ks.parse(SPEC)
    assert (told["n_rows"], told["n_distinct_rows"]) == (60, 60)
    assert [own["name"] for own in told["columns"]] == ["city", "age", "floor"]
    assert {tuple(own) for own in told["categories"][0]["values"]} == {("Bergen",), ("Oslo",), (None,)}
    assert told["digest"] in str(found)
    assert "0.01*noise()" in str(found)
    assert "floor: whole number" in str(found)


def test_maps_and_models_are_told_apart(tmp_path: Path) -> None:
    ks.compile("gaussian()", dim=2, n_features=8).save(tmp_path / "map.npz")
    ks.KernelRegressor("gaussian()").fit(NUMBERS, WAVE).save(tmp_path / "model.npz")
    with pytest.raises(ks.FileError, match=r"it contains a map \(use ks\.load_map\), not a model"):
        ks.load_model(tmp_path / "map.npz")
    with pytest.raises(ks.FileError, match=r"it contains a model \(use ks\.load_model\), not a feature map"):
        ks.load_map(tmp_path / "model.npz")
    with pytest.raises(ks.FileError, match="no such file"):
        ks.load_model(tmp_path / "other.npz")
    with pytest.raises(NotFittedError):
        ks.KernelRegressor("gaussian()").save(tmp_path / "m.npz")
    with pytest.raises(ks.FileError, match="does not exist"):
        ks.KernelRegressor("gaussian()").fit(NUMBERS, WAVE).save(tmp_path / "no" / "m.npz")


def test_predictions_that_overflow_are_refused() -> None:
    model = ks.KernelRegressor("linear()").fit(NUMBERS, WAVE)
    with pytest.raises(ks.DataError, match="overflows"):
        model.predict(np.array([[1.0, 1.0], [1e300, 1e300]]), return_std=True)


_SCRIPT = """
import sys
import numpy as np

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "sympy":
            raise ImportError(f"{name} is imported")

sys.meta_path.insert(0, Blocked())
import kernelspec.language.grammar as grammar, lark

def parse(*arguments, **keywords):
    raise AssertionError("text is parsed")

lark.Lark.parse = parse
import kernelspec as ks
for path in sys.argv[1:]:
    model = ks.load_model(path)
    X = np.ones((3, 2))
    if hasattr(model, "classes_"):
        model.predict(X)
    else:
        model.predict(X, return_std=True), model.predict_interval(X), model.sample_y(X)
    str(model.describe()), model.describe().to_dict()
try:
    ks.parse("gaussian()")
except AssertionError:
    print("text would be seen")
"""


@pytest.mark.slow
def test_nothing_is_parsed_and_sympy_stays_away(tmp_path: Path) -> None:
    names = ("exact", "landmarks", "samples", "least squares", "logistic")
    for name in names:
        estimator, X, y = CASES[name]
        clone(estimator).fit(X, y).save(tmp_path / f"{name}.npz")
    paths = [str(tmp_path / f"{name}.npz") for name in names]
    run = subprocess.run([sys.executable, "-c", _SCRIPT, *paths], capture_output=True, text=True, check=False)
    assert run.stderr.replace("kernelspec: compiling for this machine, once: about 5 s", "").strip() == ""
    assert (run.stdout, run.returncode) == ("text would be seen\n", 0)


@pytest.mark.parametrize("number", range(60))
def test_a_crafted_file_is_refused_or_harmless(number: int, tmp_path: Path) -> None:
    assert not model_outcome(number, tmp_path).startswith("bad: ")


@pytest.mark.parametrize("options", [{}, {"solver": "features", "n_features": 64}], ids=["exact", "features"])
def test_a_model_of_functions_of_columns(tmp_path: Path, options: dict[str, Any]) -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"income": np.exp(generator.normal(size=200)), "age": 1.0, "city": ["a", "b"] * 100})
    y = np.log(table["income"]) + (table["city"] == "a")
    model = ks.KernelRegressor("gaussian()[log(income)] + match()[city]", random_state=0, **options).fit(table, y)
    model.save(tmp_path / "m.npz")
    loaded = ks.load_model(tmp_path / "m.npz")
    assert (loaded.predict(table) == model.predict(table)).all()
    assert model.score(table, y) > 0.99
    assert [own["columns"] for own in loaded.describe().to_dict()["categories"]] == [["city"]]


def test_saving_a_model_warns_at_the_line_that_saves(tmp_path: Path) -> None:
    model = ks.KernelRegressor("gaussian()").fit(np.arange(20.0)[:, None], np.sin(np.arange(20.0)))
    with pytest.warns(ks.KeptRowsWarning, match="the saved model holds 20 rows of the data") as found:
        model.save(tmp_path / "model.npz")
    assert [own.filename for own in found] == [__file__]
