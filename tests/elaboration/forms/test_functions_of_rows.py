"""basis, changepoint, polynomial and hamming: kernels, features and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kernelspec as ks

_N, _MAPS = 24, 30


def _table() -> pd.DataFrame:
    generator = np.random.default_rng(11)
    return pd.DataFrame(
        {
            "income": generator.lognormal(size=_N),
            "age": generator.normal(size=_N),
            "time": generator.uniform(1, 10, _N),
            "city": generator.choice(["Oslo", "Rome"], _N),
            "plan": generator.choice([1, 2, 3], _N),
        }
    )


TABLE = _table()
NUMBERS = ["income", "age", "time"]


def _own(name: str) -> np.ndarray:
    return TABLE[name].to_numpy()


def _lags(name: str) -> np.ndarray:
    return np.subtract.outer(_own(name), _own(name))


def _outer(values: np.ndarray) -> np.ndarray:
    return np.outer(values, values)


def _mixed(place: np.ndarray, at: float, width: float, before: Any, after: Any) -> np.ndarray:
    late = 1 / (1 + np.exp(-(place - at) / width))
    return np.asarray(_outer(1 - late) * before + _outer(late) * after)


def _unequal(name: str) -> np.ndarray:
    return np.not_equal.outer(_own(name), _own(name)).astype(float)


FORMULAS: dict[str, tuple[list[str], Callable[[], np.ndarray]]] = {
    "basis(t -> log(1 + t))[income]": (NUMBERS, lambda: _outer(np.log(1 + _own("income")))),
    "param s = 2\nlet f = t -> s*t**2\nbasis(f)[age]*laplace()[income]": (
        NUMBERS,
        lambda: _outer(2 * _own("age") ** 2) * np.exp(-np.abs(_lags("income"))),
    ),
    "changepoint(gaussian()[age], 0.5*laplace()[time], on=time, at=5, width=1/2)": (
        NUMBERS,
        lambda: _mixed(_own("time"), 5, 0.5, np.exp(-(_lags("age") ** 2) / 2), np.exp(-np.abs(_lags("time"))) / 2),
    ),
    "changepoint(gaussian() + linear()[age], 2*laplace(), on=2, at=5, width=3)": (
        NUMBERS,
        lambda: _mixed(
            _own("time"),
            5,
            3,
            np.exp(-(_lags("age") ** 2 + _lags("income") ** 2) / 2) + _outer(_own("age")),
            2 * np.exp(-np.abs(_lags("age")) - np.abs(_lags("income"))),
        ),
    ),
    'changepoint(constant(), match()[city], on=log("time"), at=1, width=0.1)': (
        list(TABLE),
        lambda: _mixed(np.log(_own("time")), 1, 0.1, 1.0, 1 - _unequal("city")),
    ),
    "polynomial(3, offset=1/2)[age, time]": (
        NUMBERS,
        lambda: (_outer(_own("age")) + _outer(_own("time")) + 0.5) ** 3 * 1.0,
    ),
    "polynomial()": (["age", "time"], lambda: (_outer(_own("age")) + _outer(_own("time")) + 1) ** 2),
    "hamming(scale=0.7)[city, plan]": (
        list(TABLE),
        lambda: np.exp(-(_unequal("city") + _unequal("plan")) / 2 / 0.7),
    ),
    "hamming()[plan]*gaussian()[age]": (
        list(TABLE),
        lambda: np.exp(-_unequal("plan")) * np.exp(-(_lags("age") ** 2) / 2),
    ),
}
EXACT = ("basis(t -> log(1 + t))[income]", "polynomial()", "hamming(scale=0.7)[city, plan]")


@pytest.mark.parametrize("text", FORMULAS)
def test_the_kernel_matrix_is_that_of_the_formula(text: str) -> None:
    columns, formula = FORMULAS[text]
    np.testing.assert_allclose(ks.parse(text).gram(TABLE[columns]), formula(), rtol=1e-12, atol=1e-12)
    assert ks.analyze(text, columns=columns).verdict.positive_definite == "proved"


@pytest.mark.parametrize("text", FORMULAS)
def test_features_have_the_formula_as_their_mean(text: str) -> None:
    """The mean of all inner products over independent maps, in standard errors: P(|t| > 6) < 2e-6 with 29 degrees."""
    columns, formula = FORMULAS[text]
    exact, means = formula(), []
    for seed in range(1 if text in EXACT else _MAPS):
        model = ks.KernelFeatures(text, n_features=64, landmarks="never", random_state=seed)
        features = model.fit(TABLE[columns]).transform(TABLE[columns])
        features = features if isinstance(features, np.ndarray) else features.toarray()
        means.append((features @ features.T - exact)[np.triu_indices(_N)].mean())
    allowed = 0 if text in EXACT else 6 * np.std(means, ddof=1) / np.sqrt(_MAPS)
    assert abs(np.mean(means)) <= allowed + 1e-9 * np.abs(exact).max()


@pytest.mark.parametrize(("text", "size"), list(zip(EXACT, (1, 6, 24), strict=True)))
def test_exact_features_and_how_many(text: str, size: int) -> None:
    columns, formula = FORMULAS[text]
    features = ks.KernelFeatures(text).fit(TABLE[columns]).transform(TABLE[columns])
    features = features if isinstance(features, np.ndarray) else features.toarray()
    assert features.shape[1] <= size
    np.testing.assert_allclose(features @ features.T, formula(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "marked", "words"),
    [
        ("basis(t -> log(1 + t))", "basis(t -> log(1 + t))", "is a function of one column, and here are 5"),
        ("basis(t -> 2)[age]", "basis(t -> 2)", "this function is a number"),
        ("basis(gaussian())[age]", "gaussian()", "takes a formula, basis(t -> f(t))"),
        ("polynomial(1.5)[age]", "1.5", "a whole number from 1 to 100, not 1.5"),
        ("polynomial(2, -1)[age]", "-1", "'offset' of polynomial() must be at least 0, not -1"),
        ("hamming(0)[city]", "0", "'scale' of hamming() must be greater than 0, not 0"),
        ("changepoint(gaussian(), laplace(), on=time, at=5, width=0)", "0", "'width' of changepoint() must be"),
        ("changepoint(gaussian(), laplace(), on=tim, at=5, width=1)", "tim", "no column 'tim'; did you mean 'time'?"),
        ("changepoint(gaussian(), laplace(), on=2*3, at=5, width=1)", "2*3", "'on' of changepoint() reads no column"),
        ("changepoint(gaussian(), laplace(), on=0.5, at=5, width=1)", "0.5", "a column's position is a whole number"),
        ("changepoint(gaussian(), laplace(), on=time, at=age, width=1)", "age", "unknown name 'age'"),
        ("changepoint(gaussian(), laplace(), time, 5, 1)", "time", "are given by name: on=time"),
        (
            "changepoint(gaussian(), laplace(), on=time, at=5)",
            "changepoint(gaussian(), laplace(), on=time, at=5)",
            "needs the argument 'width'",
        ),
    ],
)
def test_what_is_wrong_is_shown_at_its_place(text: str, marked: str, words: str) -> None:
    with pytest.raises(ks.SpecError) as caught:
        ks.parse(text).gram(TABLE)
    assert words in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.text == marked


def test_no_column_is_left_beside_on() -> None:
    with pytest.raises(ks.ColumnError, match=r"no column is left for this kernel beside 'on'"):
        ks.parse("changepoint(gaussian(), laplace(), on=time, at=5, width=1)").gram(TABLE[["time"]])


def test_a_row_outside_of_the_domain_of_a_basis_function_is_named() -> None:
    with pytest.raises(ks.DataError, match=r"log\(age\) is not a real number in row \d+, column 'age'"):
        ks.parse("basis(t -> log(t))[age]").gram(TABLE)


def test_far_from_the_change_one_kernel_is_left() -> None:
    far = pd.DataFrame({"x": [0.0, 1.0], "time": [1e6, 2e6]})
    found = ks.parse("changepoint(gaussian(), laplace(), on=time, at=0, width=1e-3)").gram(far)
    np.testing.assert_array_equal(found, [[1, np.exp(-1)], [np.exp(-1), 1]])


def test_columns_are_inferred_from_on_and_lets_of_its_name_are_another_thing() -> None:
    text = "changepoint(gaussian()[x], laplace()[x], on=time, at=5, width=1)"
    assert ks.parse(text).columns().names == ("x", "time")
    total = ks.parse("let time = 2\ngaussian(scale=time)") + ks.parse(f"let time = 3\ntime*({text})")
    assert "on=time" in str(total)


def test_the_report_names_the_functions_and_free_parameters() -> None:
    facts = ks.analyze("param w > 0\nchangepoint(gaussian()[x], laplace()[x], on=t, at=5, width=w)")
    assert facts.mapped.names == ("changepoint(t, 5, w)[0]", "x", "changepoint(t, 5, w)[1]")
    assert str(ks.analyze("polynomial(2)", dim=1).kernel) == "(x*y + 1)**2"
