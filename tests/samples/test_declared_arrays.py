"""Tests of `samples/declared_arrays.py`."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.samples.declared_arrays import (
    LARGEST,
    array,
    array_schema,
    check_arrays,
    check_signs,
    check_starts,
    places,
    places_schema,
)


@dataclass(frozen=True)
class Part:
    columns: tuple[int, ...] = places("columns")
    values: np.ndarray = array("float64", "samples", "columns", above=0, at_most=7)
    starts: np.ndarray = array("int64", "samples + 1", at_least=0)
    which: np.ndarray = array("int64", "more", at_least=-1, below="columns")


GOOD: dict[str, Any] = {
    "columns": (4, 2),
    "values": np.array([[1.0, 7.0], [2.0, 3.0], [0.1, 0.2]]),
    "starts": np.array([0, 1, 5, 9]),
    "which": np.array([-1, 1, 0, 0, 1]),
}


def test_what_is_as_declared() -> None:
    check_arrays(Part, GOOD)
    check_arrays(Part, GOOD | {"which": np.zeros(0, dtype=np.int64)})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("columns", (4, -2)),
        ("columns", (4, 2, 1)),
        ("values", [[1.0, 2.0]]),
        ("values", np.ones((3, 2), dtype=np.float32)),
        ("values", np.ones(3)),
        ("values", np.ones((2, 2))),
        ("values", np.zeros((3, 2))),
        ("values", np.full((3, 2), 7.1)),
        ("values", np.full((3, 2), np.nan)),
        ("values", np.full((3, 2), np.inf)),
        ("starts", np.arange(3)),
        ("starts", np.arange(4.0)),
        ("starts", np.array([0, 1, 2, -1])),
        ("which", np.array([2])),
        ("which", np.array([-2])),
    ],
)
def test_what_is_not(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=r"column|values|starts|which"):
        check_arrays(Part, GOOD | {name: value})


def test_numbers_without_ends_are_finite() -> None:
    @dataclass(frozen=True)
    class Numbers:
        numbers: np.ndarray = array("float64", "n")

    check_arrays(Numbers, {"numbers": np.array([-LARGEST, LARGEST])})
    for bad in (np.nan, np.inf, 2 * LARGEST, -2 * LARGEST):
        with pytest.raises(ValueError, match="numbers has entries"):
            check_arrays(Numbers, {"numbers": np.array([0.0, bad])})


def test_as_it_is_said() -> None:
    schemas = {own.name: str(array_schema(own)) for own in fields(Part) if array_schema(own)}
    assert schemas == {
        "values": "float64 (samples, columns), above 0, at most 7",
        "starts": "int64 (samples + 1,), at least 0",
        "which": "int64 (more,), at least -1, below columns",
    }
    assert [own.name for own in fields(Part) if places_schema(own)] == ["columns"]


def test_runs_and_signs() -> None:
    check_starts(np.array([0, 2, 2, 3]), 3, empty_runs=True)
    for starts in ([0, 2, 2, 3], [0, 3, 2, 3], [1, 3], [0, 2], []):
        with pytest.raises(ValueError, match="one after the other"):
            check_starts(np.array(starts, dtype=np.int64), 3, empty_runs=False)
    check_signs(np.array([1.0, -1.0]))
    for sign in (0.0, 0.5, np.nan):
        with pytest.raises(ValueError, match="sign"):
            check_signs(np.array([1.0, sign]))


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()",
        "tilt(laplace(), by=1/100)",
        "dual(relu, normalize(linear()))",
        "match()[0] * gaussian()[1:40] * minmax()[40]",
    ],
)
def test_pickles_hold_fields_alone(text: str) -> None:
    fmap = ks.compile(text, dim=41, n_features=2048, method="auto" if "dual" not in text else "neurons")
    rows = np.random.default_rng(0).standard_normal((5, 41))
    before = len(pickle.dumps(fmap))
    features = fmap.left(rows)
    assert len(pickle.dumps(fmap)) < before + 1000  # the frequencies alone have more than 300,000 bytes
    again = pickle.loads(pickle.dumps(fmap)).left(rows)
    assert np.array_equal(*(one if isinstance(one, np.ndarray) else one.toarray() for one in (features, again)))


def test_what_is_kept_is_made_once() -> None:
    fmap = ks.compile("dual(relu, normalize(linear()))", dim=20, n_features=512, method="neurons")
    rows = np.random.default_rng(0).standard_normal((50, 20))
    assert fmap.dense is not None
    (factor,) = (placed.factor for placed in fmap.dense.amplitudes)
    fmap.transform(rows)
    kept = {name: own for name, own in vars(factor).items() if name not in {field.name for field in fields(factor)}}
    assert kept
    fmap.transform(rows[:3])
    assert all(vars(factor)[name] is own for name, own in kept.items())
