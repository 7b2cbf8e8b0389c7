"""basis, changepoint, polynomial and hamming: kernels, features and errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import kernelspec as ks
from kernelspec.cli import main
from kernelspec.elaboration.forms.categories import Negative, factored
from kernelspec.maps.feature_map import draw_map
from tests.thoroughness import sweep

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


def _near(*names: str) -> np.ndarray:
    return np.asarray(np.exp(-sum(np.abs(_lags(name)) for name in names)))


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
    "changepoint(changepoint(laplace(), linear(), on=time, at=3, width=1), laplace(), on=time, at=6, width=2)": (
        NUMBERS,
        lambda: _mixed(
            _own("time"),
            6,
            2,
            _mixed(_own("time"), 3, 1, _near("age", "income"), _outer(_own("age")) + _outer(_own("income"))),
            _near("age", "income"),
        ),
    ),
    "let inner = changepoint(laplace(), laplace()[time], on=age, at=1, width=1)\n"
    "changepoint(inner, mean(constant(), laplace()), on=time, at=6, width=2)": (
        NUMBERS,
        lambda: _mixed(
            _own("time"),
            6,
            2,
            _mixed(_own("age"), 1, 1, _near("income"), _near("time")),
            (1 + _near("age", "income")) / 2,
        ),
    ),
    "let k = gaussian()[time]*laplace()\nchangepoint(k, normalize(2*k), on=time, at=6, width=2)": (
        NUMBERS,
        lambda: _mixed(_own("time"), 6, 2, *[_bell("time") * _near("age", "income")] * 2),
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
    "hamming(scale=0.7)[city, plan]": (list(TABLE), lambda: np.exp(-(_unequal("city") + _unequal("plan")) / 2 / 0.7)),
    'levels(["Oslo", "Rome"], [[1, 0.3], [0.3, 2]])[city]': (
        list(TABLE),
        lambda: np.array([[1, 0.3], [0.3, 2]])[np.ix_(*[(_own("city") == "Rome").astype(int)] * 2)],
    ),
    "param r = 1/2\nlevels([1, 2, 3], [[1, r, r**2], [r, 1, r], [r**2, r, 1]])[plan]*gaussian()[age]": (
        list(TABLE),
        lambda: 0.5 ** np.abs(_lags("plan")) * np.exp(-(_lags("age") ** 2) / 2),
    ),
    'levels([3, 1], [[1, 1], [1, 1]], unknown="own")[plan]': (
        list(TABLE),
        lambda: (np.equal.outer(_own("plan") == 2, _own("plan") == 2)).astype(float),
    ),
    "3*each(basis(t -> t**2))[age, log(time)]": (
        NUMBERS,
        lambda: 1.5 * (_outer(_own("age") ** 2) + _outer(np.log(_own("time")) ** 2)),
    ),
    "additive(basis(t -> 1 + t)*laplace(), order=2)[age, income, time]": (
        NUMBERS,
        lambda: _pairs(*(_outer(1 + _own(name)) * np.exp(-np.abs(_lags(name))) for name in NUMBERS)),
    ),
    'each(levels(["Bern", "Oslo", "Rome"], [[1, 0.5, 0], [0.5, 1, 0.2], [0, 0.2, 2]]))[city]': (
        list(TABLE),
        lambda: np.array([[1, 0.2], [0.2, 2]])[np.ix_(*[(_own("city") == "Rome").astype(int)] * 2)],
    ),
    'each(levels([1, 2, 3], [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]], unknown="own"))[plan, city]': (
        list(TABLE),
        lambda: (np.maximum(0, 1 - np.abs(_lags("plan")) / 2) + 1 - _unequal("city")) / 2,
    ),
    "hamming()[plan]*gaussian()[age]": (
        list(TABLE),
        lambda: np.exp(-_unequal("plan")) * np.exp(-(_lags("age") ** 2) / 2),
    ),
}


def _pairs(*kernels: np.ndarray) -> np.ndarray:
    """The average of the products of two."""
    return np.mean([one * other for place, one in enumerate(kernels) for other in kernels[:place]], axis=0)


def _distance(*names: str) -> np.ndarray:
    return np.asarray(np.sqrt(sum(_lags(name) ** 2 for name in names)))


def _varying(x: np.ndarray, length: np.ndarray) -> np.ndarray:
    total = np.add.outer(length**2, length**2)
    return np.asarray(np.sqrt(2 * _outer(length) / total) * np.exp(-(np.subtract.outer(x, x) ** 2) / total))


def _integrated(name: str, order: int) -> np.ndarray:
    """By Gauss–Legendre, exact for polynomials, up to the lesser of the two."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    own = _own(name)
    low = np.minimum.outer(own, own)[..., None]
    u = low * (nodes + 1) / 2
    rise = (own[:, None, None] - u) ** (order - 1) * (own[None, :, None] - u) ** (order - 1)
    return np.asarray((rise * weights * low / 2).sum(axis=-1) / math.factorial(order - 1) ** 2)


def _oscillation(name: str, omega: float, quality: float) -> np.ndarray:
    """The solution of an oscillator by complex roots, whatever its quality."""
    root = np.sqrt(complex(1 - 4 * quality**2)) * omega / (2 * quality)
    beta, t = omega / (2 * quality), np.abs(_lags(name))
    return np.asarray((np.exp(-beta * t) * (np.cosh(root * t) + beta / root * np.sinh(root * t))).real)


def _compact(distance: np.ndarray, power: int, *coefficients: float) -> np.ndarray:
    return np.maximum(0, 1 - distance) ** power * np.polynomial.polynomial.polyval(distance, coefficients)


def _space_and_time(space: np.ndarray, time: np.ndarray, alpha: float, dim: int, phi: Callable[[Any], Any]) -> Any:
    rise = 1 + np.abs(time) ** (2 * alpha)
    return phi(space / np.sqrt(rise)) / rise ** (dim / 2)


FORMULAS |= {
    "spherical(range=3)[income, age, time]": (
        NUMBERS,
        lambda: 1 - 0.5 * np.minimum(_distance(*NUMBERS) / 3, 1) * (3 - np.minimum(_distance(*NUMBERS) / 3, 1) ** 2),
    ),
    "each(gibbs(t -> 1 + t**2))[age, time]": (
        NUMBERS,
        lambda: (_varying(_own("age"), 1 + _own("age") ** 2) + _varying(_own("time"), 1 + _own("time") ** 2)) / 2,
    ),
    "wendland(scale=4)[age, time]": (NUMBERS, lambda: _compact(_distance("age", "time") / 4, 4, 1, 4)),
    "wendland(order=0, dim=3)[age]": (NUMBERS, lambda: _compact(_distance("age"), 2, 1)),
    "wendland(order=2, dim=3, scale=5)[age]": (NUMBERS, lambda: _compact(_distance("age") / 5, 6, 1, 6, 35 / 3)),
    "sho(frequency=2, quality=3)[time]": (NUMBERS, lambda: _oscillation("time", 2, 3)),
    "sho(frequency=0.7, quality=0.3)[age]": (NUMBERS, lambda: _oscillation("age", 0.7, 0.3)),
    "sho(1/2, 1/2)[time]": (NUMBERS, lambda: (1 + np.abs(_lags("time")) / 2) * np.exp(-np.abs(_lags("time")) / 2)),
    "spectral_mixture([0.3, 2], [[1, 2], 0], [0.5, [1, 2]])[age, time]": (
        NUMBERS,
        lambda: (
            0.3 * np.exp(-(_distance("age", "time") ** 2) / 8) * np.cos(_lags("age") + 2 * _lags("time"))
            + 2 * np.exp(-(_lags("age") ** 2 + 4 * _lags("time") ** 2) / 2)
        ),
    ),
    "brownian(until=12)[time]": (NUMBERS, lambda: np.minimum.outer(_own("time"), _own("time"))),
    "brownian(order=3, until=50)[income]*laplace()[age]": (
        NUMBERS,
        lambda: _integrated("income", 3) * np.exp(-np.abs(_lags("age"))),
    ),
    "gibbs(t -> 0.2 + t/10, typical=0.5)[time]": (NUMBERS, lambda: _varying(_own("time"), 0.2 + _own("time") / 10)),
    "param a = 0.4\n2*gneiting(space=matern(nu=3/2, scale=2)[income, age], time=time, alpha=a, scale=3)": (
        NUMBERS,
        lambda: (
            2
            * _space_and_time(
                np.sqrt(3) * _distance("income", "age") / 2, _lags("time") / 3, 0.4, 2, lambda r: (1 + r) * np.exp(-r)
            )
        ),
    ),
    "gneiting(space=stretch(gaussian(), [2])[age], time=log(time))": (
        NUMBERS,
        lambda: _space_and_time(
            _distance("age") / 2, np.subtract.outer(*[np.log(_own("time"))] * 2), 1, 1, lambda r: np.exp(-(r**2) / 2)
        ),
    ),
}


def _bell(name: str, scale: float = 1.0) -> np.ndarray:
    return np.asarray(np.exp(-((_lags(name) / scale) ** 2) / 2))


def _waves(name: str, period: float, scale: float) -> np.ndarray:
    return np.asarray(np.exp(-2 * np.sin(np.pi * _lags(name) / period) ** 2 / scale**2))


def _matern(distance: np.ndarray) -> np.ndarray:
    return np.asarray((1 + np.sqrt(3) * distance) * np.exp(-np.sqrt(3) * distance))


def _chord() -> np.ndarray:
    lat, lon = np.radians(10 * _own("age")), np.radians(20 * _own("time"))
    place = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    return np.asarray(np.linalg.norm(place[:, None] - place[None], axis=-1))


def _sphere_of_influence(distance: np.ndarray) -> np.ndarray:
    near = np.minimum(distance, 1)
    return 1 - near * (3 - near**2) / 2


def _cosine_between_rows() -> np.ndarray:
    rows = np.column_stack([_own(name) for name in NUMBERS])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.clip(rows @ rows.T, -1, 1)


FIELD: dict[str, tuple[list[str], Callable[[], np.ndarray]]] = {
    # carbon dioxide, births, variograms, mixed inputs, Gower, OAK, light curves, stations, trends, …
    "4*gaussian(scale=5)[time] + gaussian(scale=9)[time]*periodic(period=1, scale=1.3)[time]"
    " + 0.6*rational_quadratic(alpha=0.8, scale=1.2)[time] + 0.2*gaussian(scale=0.1)[time]": (
        NUMBERS,
        lambda: (
            4 * _bell("time", 5)
            + _bell("time", 9) * _waves("time", 1, 1.3)
            + 0.6 * (1 + _lags("time") ** 2 / (1.6 * 1.2**2)) ** -0.8
            + 0.2 * _bell("time", 0.1)
        ),
    ),
    "gaussian(scale=3)[time]*periodic(period=1)[time] + periodic(period=1/52)[time]*basis(t -> sqrt(t))[time]": (
        NUMBERS,
        lambda: _bell("time", 3) * _waves("time", 1, 1) + _waves("time", 1 / 52, 1) * _outer(np.sqrt(_own("time"))),
    ),
    "0.4*spherical(range=2)[age, income] + stretch(exponential(), [[2, 1], [-1, 3]])[age, income] + 0.1*noise()[age]": (
        NUMBERS,
        lambda: (
            0.4
            * (
                1
                - 0.5
                * np.minimum(_distance("age", "income") / 2, 1)
                * (3 - np.minimum(_distance("age", "income") / 2, 1) ** 2)
            )
            + np.exp(-np.hypot(2 * _lags("age") + _lags("income"), -_lags("age") + 3 * _lags("income")))
            + 0.1 * np.eye(_N)
        ),
    ),
    "matern(nu=3/2)[age, time]*hamming(scale=1/2)[city, plan] + 0.5*(matern(nu=3/2)[age, time] + hamming()[city])": (
        list(TABLE),
        lambda: (
            _matern(_distance("age", "time")) * np.exp(-(_unequal("city") + _unequal("plan")))
            + 0.5 * (_matern(_distance("age", "time")) + np.exp(-_unequal("city")))
        ),
    ),
    "mean(triangle(width=20)[income], triangle(width=9)[time], match()[city], match()[plan])": (
        list(TABLE),
        lambda: (
            (
                np.maximum(0, 1 - np.abs(_lags("income")) / 20)
                + np.maximum(0, 1 - np.abs(_lags("time")) / 9)
                + 2
                - _unequal("city")
                - _unequal("plan")
            )
            / 4
        ),
    ),
    "(constant() + 0.5*gaussian()[age])*(constant() + 0.5*gaussian()[time])*(constant() + 0.5*laplace()[income])": (
        NUMBERS,
        lambda: (1 + _bell("age") / 2) * (1 + _bell("time") / 2) * (1 + np.exp(-np.abs(_lags("income"))) / 2),
    ),
    "0.7*sho(frequency=4, quality=9)[time] + 0.2*sho(frequency=8, quality=5)[time] + gaussian(scale=4)[time]": (
        NUMBERS,
        lambda: 0.7 * _oscillation("time", 4, 9) + 0.2 * _oscillation("time", 8, 5) + _bell("time", 4),
    ),
    "matern(nu=3/2)[unit_vector(10*age, 20*time)]*laplace(scale=3)[log(income)]": (
        NUMBERS,
        lambda: (
            _matern(_chord()) * np.exp(-np.abs(np.subtract.outer(np.log(_own("income")), np.log(_own("income")))) / 3)
        ),
    ),
    "brownian(order=2, until=12)[time]/100 + basis(t -> t)[time] + constant()": (
        NUMBERS,
        lambda: _integrated("time", 2) / 100 + _outer(_own("time")) + 1,
    ),
    # … ozone in space and time, tasks, change points, spectra, panels, drift, tapers, interactions, networks, counts
    "gneiting(space=exponential(scale=2)[age, income], time=time, alpha=1/2, scale=2)"
    " + 0.3*gaussian(scale=3)[age, income]*laplace(scale=4)[time]": (
        NUMBERS,
        lambda: (
            _space_and_time(_distance("age", "income") / 2, _lags("time") / 2, 0.5, 2, lambda r: np.exp(-r))
            + 0.3 * _bell("age", 3) * _bell("income", 3) * np.exp(-np.abs(_lags("time")) / 4)
        ),
    ),
    "levels([1, 2, 3], [[1, 0.6, 0.2], [0.6, 1, 0.5], [0.2, 0.5, 1]])[plan]*matern(nu=3/2)[age, time]"
    ' + levels(["Oslo", "Rome"], [[1, -0.4], [-0.4, 1]])[city]*linear()[age]': (
        list(TABLE),
        lambda: (
            np.array([[1, 0.6, 0.2], [0.6, 1, 0.5], [0.2, 0.5, 1]])[np.ix_(*[_own("plan") - 1] * 2)]
            * _matern(_distance("age", "time"))
            + (1 - 1.4 * _unequal("city")) * _outer(_own("age"))
        ),
    ),
    "changepoint(gaussian(scale=2)[time], 3*laplace()[age]*periodic(period=2)[time], on=time, at=5, width=0.4)": (
        NUMBERS,
        lambda: _mixed(
            _own("time"), 5, 0.4, _bell("time", 2), 3 * np.exp(-np.abs(_lags("age"))) * _waves("time", 2, 1)
        ),
    ),
    "spectral_mixture([0.6, 0.4], [0.8, 2], [0.3, 0.1])[time]*match()[city]": (
        list(TABLE),
        lambda: (
            (
                0.6 * _bell("time", 1 / 0.3) * np.cos(0.8 * _lags("time"))
                + 0.4 * _bell("time", 10) * np.cos(2 * _lags("time"))
            )
            * (1 - _unequal("city"))
        ),
    ),
    "gaussian(scale=3)[time] + match()[plan]*laplace(scale=2)[time] + match()[city]": (
        list(TABLE),
        lambda: _bell("time", 3) + (1 - _unequal("plan")) * np.exp(-np.abs(_lags("time")) / 2) + 1 - _unequal("city"),
    ),
    "10*constant() + linear()[age, income] + 0.5*spherical(range=4)[age, time]": (
        NUMBERS,
        lambda: (
            10 + _outer(_own("age")) + _outer(_own("income")) + 0.5 * _sphere_of_influence(_distance("age", "time") / 4)
        ),
    ),
    "wendland(order=1, dim=2, scale=6)[age, time]*matern(nu=1/2, scale=2)[age, time]": (
        NUMBERS,
        lambda: _compact(_distance("age", "time") / 6, 4, 1, 4) * np.exp(-_distance("age", "time") / 2),
    ),
    "additive(gaussian(), order=2)[age, log(income), time/5]": (
        NUMBERS,
        lambda: _pairs(
            _bell("age"), np.exp(-(np.subtract.outer(*[np.log(_own("income"))] * 2) ** 2) / 2), _bell("time", 5)
        ),
    ),
    "each(laplace())[age, income]*each(match())[city, plan]": (
        list(TABLE),
        lambda: (
            (np.exp(-np.abs(_lags("age"))) + np.exp(-np.abs(_lags("income"))))
            * (2 - _unequal("city") - _unequal("plan"))
            / 4
        ),
    ),
    "gibbs(t -> 1/2 + t/5)[time] + 0.1*laplace()[age]": (
        NUMBERS,
        lambda: _varying(_own("time"), 0.5 + _own("time") / 5) + 0.1 * np.exp(-np.abs(_lags("age"))),
    ),
    "0.5*exponential(scale=3)[time]*cosine(by=2)[time] + exponential()[time]": (
        NUMBERS,
        lambda: 0.5 * np.exp(-np.abs(_lags("time")) / 3) * np.cos(2 * _lags("time")) + np.exp(-np.abs(_lags("time"))),
    ),
    "exponential()[unit_vector(10*age, 20*time)]*periodic(period=4)[time]": (
        NUMBERS,
        lambda: np.exp(-_chord()) * _waves("time", 4, 1),
    ),
    "minmax()[income, time] + 0.2*match()[city]": (
        list(TABLE),
        lambda: (
            sum(np.minimum.outer(_own(name), _own(name)) for name in ("income", "time"))
            / sum(np.maximum.outer(_own(name), _own(name)) for name in ("income", "time"))
            + 0.2 * (1 - _unequal("city"))
        ),
    ),
    "dual(relu, normalize(linear()))[income, age, time] + 0.1*linear()[age]": (
        NUMBERS,
        lambda: (
            (np.sqrt(1 - (c := _cosine_between_rows()) ** 2) + (np.pi - np.arccos(c)) * c) / np.pi
            + 0.1 * _outer(_own("age"))
        ),
    ),
    "polynomial(2, offset=1)[age, time]*match()[city] + 0.3*gaussian(scale=2)[income]": (
        list(TABLE),
        lambda: (
            (_outer(_own("age")) + _outer(_own("time")) + 1) ** 2 * (1 - _unequal("city")) + 0.3 * _bell("income", 2)
        ),
    ),
}
FORMULAS |= FIELD
EXACT = (
    "basis(t -> log(1 + t))[income]",
    "polynomial()",
    "hamming(scale=0.7)[city, plan]",
    'levels(["Oslo", "Rome"], [[1, 0.3], [0.3, 2]])[city]',
    'levels([3, 1], [[1, 1], [1, 1]], unknown="own")[plan]',
)


@pytest.mark.slow
@pytest.mark.parametrize("text", FORMULAS)
def test_the_kernel_matrix_is_that_of_the_formula(text: str) -> None:
    columns, formula = FORMULAS[text]
    np.testing.assert_allclose(ks.parse(text).gram(TABLE[columns]), formula(), rtol=1e-12, atol=1e-12)
    assert ks.analyze(text, columns=columns).verdict.positive_definite == "proved"


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(FORMULAS, every=3))
def test_features_have_the_formula_as_their_mean(text: str) -> None:
    """The mean of all inner products over independent maps, in standard errors: P(|t| > 6) < 2e-6 with 29 degrees."""
    columns, formula = FORMULAS[text]
    exact, means = formula(), []
    plan = ks.compile(text, data=TABLE[columns], n_features=64, landmarks="never").plan
    for seed in range(1 if text in EXACT else _MAPS):
        features = draw_map(replace(plan, seed=seed)).transform(TABLE[columns])
        features = features if isinstance(features, np.ndarray) else features.toarray()
        means.append((features @ features.T - exact)[np.triu_indices(_N)].mean())
    allowed = 0 if text in EXACT else 6 * np.std(means, ddof=1) / np.sqrt(_MAPS)
    assert abs(np.mean(means)) <= allowed + 1e-9 * np.abs(exact).max()


@pytest.mark.slow
@pytest.mark.parametrize("text", sweep(FIELD, every=4))
def test_features_with_every_default_have_the_mean_and_the_error_predicted(text: str) -> None:
    """The sum, the trace and the component along K of the errors of 16 maps: P(|t| > 8) < 1e-6 with 15 degrees."""
    columns, formula = FIELD[text]
    table, exact, errors, intervals = TABLE[columns], formula(), [], []
    for seed in range(16):
        model = ks.KernelFeatures(text, n_features=64, random_state=seed).fit(table)
        features = model.transform(table)
        features = features if isinstance(features, np.ndarray) else features.toarray()
        errors.append((features @ features.T - exact) / np.linalg.norm(exact))
        if seed < 2:
            intervals.append(model.feature_map_.predicted_error_interval(table, coverage=0.9999, maps=16))
    for weight in (np.ones_like(exact), np.eye(_N), exact):
        own = np.array([np.sum(error * weight) for error in errors]) / np.linalg.norm(weight)
        assert abs(own.mean()) <= 8 * own.std(ddof=1) / 4 + 1e-9
    low, high = np.mean(intervals, axis=0)
    # the ratio of coupled samples to independent ones is measured on 32 draws, always the same ones
    assert low / 1.5 - 4e-8 <= np.sqrt(np.mean(np.square(errors).sum(axis=(1, 2)))) <= 1.5 * high + 4e-8


@pytest.mark.parametrize(("text", "size"), list(zip(EXACT, (1, 6, 24, 2, 8), strict=True)))
def test_exact_features_and_how_many(text: str, size: int) -> None:
    columns, formula = FORMULAS[text]
    features = ks.KernelFeatures(text).fit(TABLE[columns]).transform(TABLE[columns])
    features = features if isinstance(features, np.ndarray) else features.toarray()
    assert features.shape[1] <= size
    np.testing.assert_allclose(features @ features.T, formula(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "marked", "words"),
    [
        ("basis(t -> log(1 + t))", "basis(t -> log(1 + t))", "is a function of one column, not 5"),
        ("basis(t -> 2)[age]", "basis(t -> 2)", "this function is a number"),
        ("basis(gaussian())[age]", "gaussian()", "needs a formula, basis(t -> f(t))"),
        ("polynomial(1.5)[age]", "1.5", "a whole number from 1 to 100, not 1.5"),
        ("polynomial(2, -1)[age]", "-1", "'offset' of polynomial() must be at least 0, not -1"),
        ("hamming(0)[city]", "0", "'scale' of hamming() must be greater than 0, not 0"),
        ("levels([1, 2], [[1, 0.5], [0.5, 1]])", "levels([1, 2], [[1, 0.5], [0.5, 1]])", "not 5: select it"),
        ("levels(city, [[1]])[city]", "city", "the levels must be a list of categories"),
        ("levels([1, city], [[1, 0], [0, 1]])[city]", "city", "a level must be a quoted string or a number"),
        ("levels([1, 1.0], [[1, 0], [0, 1]])[city]", "1.0", "the level 1.0 appears twice"),
        ("levels([1], [1])[city]", "[1]", "the similarities must be a matrix"),
        ("levels([1, 2], [[1, 2]])[city]", "[[1, 2]]", "2 levels need a matrix of 2 rows and 2 columns"),
        ("levels([1, 2], [[1, 2], [3, 1]])[city]", "[[1, 2], [3, 1]]", "3 in row 2, column 1, and 2 in row 1"),
        ("levels([1, 2], [[1, 2], [2, 1]])[city]", "[[1, 2], [2, 1]]", "for v = (-2 for 1, 1 for 2), v'Bv = -3"),
        ("levels([1, 2], [[0, 2], [2, 0]])[city]", "[[0, 2], [2, 0]]", "for v = (1 for 1, -1 for 2), v'Bv = -4"),
        ("levels([1], [[-1/3]])[city]", "[[-1/3]]", "for v = (1 for 1), v'Bv = -1/3"),
        ('levels([1], [[1]], unknown="all")[city]', '"all"', "'unknown' of levels() must be"),
        ("levels([1], [[1]])[log(age)]", "levels([1], [[1]])", "compares categories, but"),
        ("spherical()", "spherical()", "positive definite on at most 3 columns, not 5"),
        ("spherical(0)[age]", "0", "'range' of spherical() must be greater than 0, not 0"),
        ("wendland(dim=1)[age, time]", "wendland(dim=1)", "on at most 1 columns, not 2: write dim=2"),
        ("wendland(order=4)[age]", "4", "'order' of wendland() must be a whole number from 0 to 2"),
        ("wendland(1, 1, -2)[age]", "-2", "'scale' of wendland() must be greater than 0"),
        ("sho(1, 0)[age]", "0", "'quality' of sho() must be a number greater than 0"),
        ("brownian(until=9)", "brownian(until=9)", "a kernel on one column, not on 5"),
        ("brownian()[age]", "brownian()", "'until' of brownian() is learned from data: use spec.fitted(X)"),
        ("gibbs(t -> t)", "gibbs(t -> t)", "is a function of one column, not 5"),
        ("gibbs(t -> pi)[age]", "gibbs(t -> pi)", "this length scale is a number: write gaussian(scale=…)"),
        ("each(levels([1], [[1]]))[age + 1, time]", "levels([1], [[1]])", "levels() compares categories"),
        (
            "stretch(gibbs(t -> 1 + t**2), 2)[age]",
            "stretch(gibbs(t -> 1 + t**2), 2)",
            "stretch() acts on differences of columns, but gibbs(t -> 1 + t**2) uses functions of them",
        ),
        ("gibbs(2)[age]", "2", "needs a formula, gibbs(t -> f(t))"),
        ("gibbs(t -> 1 + t**2, typical=0)[age]", "0", "'typical' of gibbs() must be greater than 0"),
        ("spectral_mixture(2, 1, 1)[age]", "2", "'weights' of spectral_mixture() must be a list of numbers"),
        ("spectral_mixture([1], [1, 2], [1])[age]", "[1, 2]", "needs an entry for each of the 1 weights"),
        ("spectral_mixture([1], [[1, 2]], [1])[age]", "[[1, 2]]", "has 2 numbers for 1 column"),
        ("gneiting(space=gaussian(), time=age)", "gaussian()", "must be a kernel on some columns"),
        ("gneiting(space=laplace()[age], time=time)", "laplace()[age]", "must be a mixture of Gaussians of the norm"),
        ("gneiting(space=gaussian()[age], time=age)", "age", "must not be a column of 'space'"),
        ("gneiting(space=gaussian()[age], time=time, alpha=2)", "2", "greater than 0 and at most 1, not 2"),
        ("changepoint(gaussian(), laplace(), on=time, at=5, width=0)", "0", "'width' of changepoint() must be"),
        ("changepoint(gaussian(), laplace(), on=tim, at=5, width=1)", "tim", "unknown column 'tim'; did you mean"),
        ("changepoint(gaussian(), laplace(), on=2*3, at=5, width=1)", "2*3", "'on' of changepoint() reads no column"),
        ("changepoint(gaussian(), laplace(), on=0.5, at=5, width=1)", "0.5", "a column's position is a whole number"),
        ("changepoint(gaussian(), laplace(), on=time, at=age, width=1)", "age", "unknown name 'age'"),
        ("changepoint(gaussian(), laplace(), time, 5, 1)", "time", "as keywords: on=time"),
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
    with pytest.raises(ks.ColumnError, match=r"no column besides 'on' is left for this kernel:"):
        ks.parse("changepoint(gaussian(), laplace(), on=time, at=5, width=1)").gram(TABLE[["time"]])


def test_a_row_outside_of_the_domain_of_a_basis_function_is_named() -> None:
    with pytest.raises(ks.DataError, match=r"log\(age\) is not a real number in row \d+, column 'age'"):
        ks.parse("basis(t -> log(t))[age]").gram(TABLE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("brownian(until=5)[time]", r"row \d+, column 'time' is .*: brownian\(\) needs numbers from 0 to 5"),
        ("gibbs(t -> t)[age]", r"the length scale of gibbs\(\) is -.* in row \d+, column 'age'"),
    ],
)
def test_rows_on_which_a_kernel_is_not_defined_are_named(text: str, words: str) -> None:
    with pytest.raises(ks.DataError, match=words):
        ks.parse(text).gram(TABLE)


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


def test_an_unknown_level_is_named_with_its_row_and_one_of_its_own_is_like_no_other() -> None:
    with pytest.raises(ks.DataError, match=r"'city' is Rome in row \d+, which is not among the levels Oslo, Bonn"):
        ks.KernelFeatures('levels(["Oslo", "Bonn"], [[1, 0.5], [0.5, 1]])[city]').fit(TABLE)
    with pytest.raises(ks.DataError, match=r"column 'plan' is \d in row 0, which is not among the levels 7"):
        ks.parse("levels([7], [[1]])[plan]").gram(TABLE)
    spec = ks.parse('levels(["Oslo"], [[2]], unknown="own")[city]')
    new = pd.DataFrame(np.array([["Oslo"], ["Bonn"], ["Rome"], ["Bonn"]], dtype=object), columns=["city"])
    new = pd.concat([new, pd.DataFrame(0, index=new.index, columns=["income", "age", "time", "plan"])], axis=1)
    exact = [[2, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1]]
    np.testing.assert_allclose(spec.gram(new), exact, atol=1e-15)
    with pytest.warns(UserWarning, match="of the keys of these rows were not seen in fit"):
        assert ks.KernelFeatures(spec, n_features=16).fit(TABLE).transform(new).shape[0] == 4


def test_tuning_names_the_parameter_of_levels_to_fix() -> None:
    text = 'levels(["Oslo", "Rome"], [[1, r], [r, 1]], unknown="own")[city]*gaussian(scale=s)[age]'
    with pytest.raises(ks.ParameterError, match=r"tune\(\) cannot change it, so fix it with fixed=\['r'\]"):
        ks.tune(f"param r = 0.5\nparam s = 2\n{text}", TABLE, TABLE["time"])
    tuned = ks.tune(f"param r = 0.5\nparam s = 2\n{text}", TABLE, TABLE["time"], fixed=["r"])
    assert tuned.spec.params["r"] == 0.5
    assert tuned.spec.params["s"] != 2


def test_levels_are_compared_by_value_like_categories() -> None:
    cells = [Decimal("0.1"), Decimal(2), Decimal("0.3")]
    spec = ks.parse('levels([0.1, 2], [[1, 1/2], [1/2, 1]], unknown="own")[grade]')
    expected = [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]
    for grades in (cells, [0.1, 2, 0.3]):
        np.testing.assert_allclose(spec.gram(pd.DataFrame({"grade": grades})), expected, atol=1e-15)
    with pytest.raises(ks.DataError, match='is "1" in row 0, which is not among the levels 1, 2'):
        ks.parse("levels([1, 2], [[1, 1/2], [1/2, 1]])[grade]").gram(pd.DataFrame({"grade": ["1"]}))


def test_levels_are_saved_and_read_by_the_command_line(tmp_path: Path) -> None:
    text = 'levels(["Oslo", "Rome"], [[1, 1/4], [1/4, 1]])[city]*gaussian(scale=2)[age]'
    features = ks.compile(text, data=TABLE, n_features=64)
    features.save(tmp_path / "map.npz")
    again = ks.load_map(tmp_path / "map.npz", redraw=True)
    np.testing.assert_array_equal(again.transform(TABLE), features.transform(TABLE))
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    arguments = [
        "features",
        "-e",
        text,
        str(tmp_path / "table.csv"),
        "-o",
        str(tmp_path / "z.npy"),
        "--n-features",
        "64",
    ]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert np.load(tmp_path / "z.npy").shape == (_N, 64)


def test_a_random_matrix_is_factored_or_refused_with_a_vector_that_proves_it() -> None:
    generator = np.random.default_rng(3)
    refused = 0
    for case in range(60):
        size, rank = generator.integers(1, 7, size=2)
        whole = generator.integers(-3, 4, size=(size, rank))
        square = whole @ whole.T - (case % 2) * np.diag(generator.integers(0, 2, size))
        found = factored(tuple(tuple(map(Fraction, map(int, row))) for row in square), Fraction(0))
        if isinstance(found, Negative):
            vector = np.array(found.vector)
            assert vector @ square.astype(object) @ vector == found.value < 0  # exactly
            refused += 1
        else:
            assert len(found) == np.linalg.matrix_rank(square)
            np.testing.assert_allclose(
                np.array(found).reshape(-1, size).T @ np.array(found).reshape(-1, size), square, atol=1e-12
            )
        assert isinstance(found, Negative) == (np.linalg.eigvalsh(square)[0] < -1e-9)
    assert 10 < refused < 50
