"""`ks.suggest`: columns by their types, reasons beside every choice, and a spec that can be tuned and fitted."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import kernelspec as ks

pd = pytest.importorskip("pandas")

N = 120


def messy(seed: int = 0) -> Any:
    generator = np.random.default_rng(seed)
    age, income = generator.normal(40, 10, N), generator.lognormal(10, 1.5, N)
    city = generator.choice(["Oslo", "Bergen", "Tromsø"], N)
    frame = pd.DataFrame(
        {
            "row": np.arange(N) + 7,
            "code": [f"c-{i:04d}" for i in generator.permutation(N)],
            "remark": [f"seen on day {i} by the clerk, who wrote {i * i}" for i in range(N)],
            "age (years)": age,
            "income": income,
            "city": city,
            "member": generator.random(N) < 0.5,
            "unit": "cm",
            "height": np.where(generator.random(N) < 0.1, np.nan, generator.normal(170, 9, N)),
            "since": pd.to_datetime("2024-01-01") + pd.to_timedelta(generator.integers(0, 900, N), "D"),
            "shoe": np.where(generator.random(N) < 0.05, None, generator.choice(["flat", "high"], N)),
        }
    )
    frame["y"] = np.sin(age / 6) + (city == "Oslo") + 0.1 * generator.standard_normal(N)
    return frame


@pytest.fixture(scope="module")
def suggested() -> str:
    return ks.suggest(messy(), "y")


def test_columns_by_their_types(suggested: str) -> None:
    spec = ks.parse(suggested)
    assert set(spec.columns().names or ()) == {"age (years)", "income", "city", "member", "shoe"}
    said = " ".join(suggested.replace("#", " ").split())
    for reason in (
        "row (an id: it counts the rows)",
        "code (an id or free text: 120 different values)",
        "remark (an id or free text: 120 different values)",
        "unit (constant)",
        "since (a date)",
        "Numbers: age (years), income Categories: city (3 values), member (2 values), shoe (2 values,",
        "Skewed, tried with logarithms too (skewness): income (8.6)",
    ):
        assert reason in said, said
    assert re.search(r"height \(\d+\.\d% of its numbers are missing\)", said)
    assert re.search(r"shoe \(2 values, \d\.\d% missing: use missing='category'\)", said)


def test_candidates_have_scores_and_the_best_is_taken(suggested: str) -> None:
    scores = re.findall(r"^#   (.*?)  +(0\.\d{4})(  <- this one)?$", suggested, re.MULTILINE)
    assert len(scores) == 8
    (chosen,) = (float(score) for _, score, mark in scores if mark)
    assert chosen == min(float(score) for _, score, _ in scores)
    assert ks.format_text(suggested) == suggested


def test_the_text_is_the_model(suggested: str) -> None:
    """It can be tuned and fitted, and predicts new rows far better than a linear model of the same columns."""
    train, test = messy(), messy(1)
    tuned = ks.tune(suggested, train, train.y, missing="category")
    model = ks.KernelRegressor(tuned.spec, missing="category").fit(train.drop(columns="y"), train.y)
    assert model.score(test, test.y) > 0.8


def test_logarithms_of_skewed_numbers() -> None:
    generator = np.random.default_rng(5)
    frame = pd.DataFrame({"in come": generator.lognormal(0, 2, 150), "row": np.arange(150)})
    frame["y"] = np.sin(2 * np.log(frame["in come"])) + 0.05 * generator.standard_normal(150)
    text = ks.suggest(frame, "y", drop=["row"])
    assert re.search(r'log\(1 \+ "in come"/[\d.]+\)', text), text
    scores = dict(re.findall(r"^#   (.*?)  +(0\.\d{4})", text, re.MULTILINE))
    assert float(scores["gaussian, tuned scales, logarithms"]) < 0.7 * float(scores["gaussian, tuned scales"])


def test_classes_and_what_is_dropped() -> None:
    frame = messy().assign(good=lambda own: np.where(own.y > 0.5, "yes", "no"))
    text = ks.suggest(frame[["age (years)", "income", "y", "good"]], "good", drop=["y"])
    assert text.startswith("# Suggested for 'good', 2 classes, from 120 rows.")
    assert set(ks.parse(text).columns().names or ()) == {"age (years)", "income"}
    assert "y (as asked for)" in text


def test_numbers_as_classes_of_any_frame() -> None:
    polars = pytest.importorskip("polars")
    frame = messy().assign(grade=lambda own: (own.y > 0.5).astype(int))[["member", "grade"]]
    found = ks.suggest(frame, "grade", task="classes")
    assert "2 classes" in found
    assert ks.suggest(polars.from_pandas(frame), "grade", task="classes") == found


def test_categories_alone() -> None:
    """The parity of two columns needs the square of the share of equal categories."""
    generator = np.random.default_rng(2)
    frame = pd.DataFrame(generator.integers(0, 2, (200, 3)).astype(str), columns=["a", "b", "c"])
    frame["y"] = (frame.a == frame.b) + 0.01 * generator.standard_normal(200)
    text = ks.suggest(frame, "y")
    assert "**" in text.splitlines()[-1]
    assert ks.KernelRegressor(text).fit(frame.drop(columns="y"), frame.y).score(frame, frame.y) > 0.99


@pytest.mark.parametrize(
    ("change", "target", "message"),
    [
        (lambda own: own, "z", "there is no column 'z'"),
        (lambda own: own.to_numpy(), "y", "column names"),
        (lambda own: own.assign(y=1.0), "y", "the target is constant"),
        (lambda own: own.assign(y="a"), "y", "one class only"),
        (lambda own: own.assign(y=[None, *own.y[1:]]), "y", "the target is missing in 1 rows"),
        (lambda own: own[["unit", "code", "y"]], "y", "no column is left that can predict 'y'"),
        (lambda own: own[["y"]], "y", "there is no other column"),
    ],
)
def test_what_is_refused(change: Any, target: str, message: str) -> None:
    with pytest.raises(ks.DataError, match=re.escape(message)):
        ks.suggest(change(messy()), target)
