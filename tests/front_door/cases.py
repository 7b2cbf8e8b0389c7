"""Random specs on random tables, in every form in which a table can be given to the estimator or the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
from hypothesis import HealthCheck, Phase, given, seed, settings
from scipy.sparse import csr_array

from tests.strategies.cases import cases, everything
from tests.strategies.specs import kernels

__all__ = ["FILES", "LEAVES", "Case", "case_of"]

Columns: TypeAlias = Mapping[str, np.ndarray]

NUMBERS, DIRECTIONS, CATEGORIES, SIZES = ("x", "y", "z"), ("u", "v", "w"), ("c", "d", "e"), ("p", "q")
_REPEATED, _UNSEEN = 16, 6
_LEVELS: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "c": ("Oslo", "Rome", "Lima", "Bern", "Kyiv", "Male"),
        "d": (1, 2, 3, 4, 5, 6, 7),
        "k": (0.0, 1.0, 2.0, 3.0, 4.0, 5.0),
        "e": ("1", "yes", "no", "maybe", "é"),
    }
)
"""Values of the categories; the last two of each are only in rows that fit has not seen."""

_UNSEEN_LEVELS = 2
_ARGUMENTS: Mapping[str, str] = MappingProxyType(
    {
        "gaussian": "scale={}",
        "laplace": "scale={}",
        "matern": "nu=3/2, scale={}",
        "rational_quadratic": "alpha={}, scale=2",
        "exponential": "scale={}",
        "polya": "gamma(shape={})",
    }
)
EQUAL = ("d", "z")
_PLACES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    dict.fromkeys(("linear", *_ARGUMENTS), NUMBERS)
    | {"match": CATEGORIES, "noise": EQUAL, "minmax": SIZES, "constant": ()}
)
LEAVES = tuple(_PLACES)
"""The kernels of small specs, and the columns that they select some of."""

_CHECKS = list(HealthCheck)
_T = TypeVar("_T")


def _array(columns: Columns) -> np.ndarray:
    return np.column_stack([column.astype(float) for column in columns.values()])


def _objects(columns: Columns) -> np.ndarray:
    return np.array([list(row) for row in zip(*(own.tolist() for own in columns.values()), strict=True)], dtype=object)


def _pandas(columns: Columns) -> pd.DataFrame:
    return pd.DataFrame(dict(columns))


ARRAYS: Mapping[str, Callable[[Columns], Any]] = MappingProxyType(
    {
        "array": _array,
        "float32 array": lambda own: _array(own).astype(np.float32),
        "sparse": lambda own: csr_array(_array(own)),
    }
)
"""Forms of tables of numbers without names."""

_FRAMES: Mapping[str, Callable[[Columns], Any]] = MappingProxyType(
    {
        "pandas": _pandas,
        "pandas, categorical": lambda own: _pandas(own).astype(
            {name: "category" for name in own if name in CATEGORIES}
        ),
        "polars": lambda own: pl.DataFrame(dict(own)),
        "arrow": lambda own: pl.DataFrame(dict(own)).to_arrow(),
        "pandas, other order": lambda own: _pandas(own)[list(own)[::-1]],
        "named array": _objects,
        "unnamed array": _objects,
    }
)
"""Forms of tables with names: `other order` is that of the columns asked for, against that of fit.

A named array gets its names from `feature_names`; an unnamed one has none, though the spec may use names.
"""

FILES: Mapping[str, Callable[[Columns, str], Any]] = MappingProxyType(
    {
        "csv": lambda own, path: _pandas(own).to_csv(path, index=False),
        "parquet": lambda own, path: _pandas(own).to_parquet(path, index=False),
    }
)
"""Forms of tables for the command line, and how to write them."""

_FORMS: Mapping[str, Callable[[Columns], Any]] = MappingProxyType({**ARRAYS, **_FRAMES})


@dataclass(frozen=True)
class Case:
    """A spec, a table to fit on and one to transform: sixteen rows of the first, and six others.

    `family` says which generator wrote the spec, `form` how the tables are given. The tables follow from the names of
    their columns, the number of rows that fit sees, whether numbers have `heavy` tails, and a seed: `Case(...)`, as it
    is printed, is the whole case.
    """

    family: str
    form: str
    text: str
    names: tuple[str, ...]
    n_seen: int
    heavy: bool
    rows_seed: int

    @property
    def seen(self) -> Columns:
        return {name: own[: self.n_seen] for name, own in self._columns.items()}

    @property
    def asked(self) -> Columns:
        old = np.random.default_rng(self.rows_seed).permutation(self.n_seen)[:_REPEATED]
        asked = np.concatenate([old, np.arange(self.n_seen, self.n_seen + _UNSEEN)])
        return {name: own[asked] for name, own in self._columns.items()}

    @cached_property
    def _columns(self) -> Columns:
        return {name: self._column(name) for name in self.names}

    def _column(self, name: str) -> np.ndarray:
        n = self.n_seen + _UNSEEN
        generator = np.random.default_rng([self.rows_seed, *name.encode()])
        if name in DIRECTIONS:
            directions = np.random.default_rng(self.rows_seed + 1).standard_normal((n, len(DIRECTIONS)))
            return (directions / np.linalg.norm(directions, axis=1, keepdims=True))[:, DIRECTIONS.index(name)]
        if name in _LEVELS:
            values = _LEVELS[name]
            old = generator.integers(0, len(values) - _UNSEEN_LEVELS, self.n_seen)
            places = [*old, *generator.integers(0, len(values), _UNSEEN)]
            return np.array([values[place] for place in places], dtype=object if isinstance(values[0], str) else None)
        numbers = generator.standard_t(2, n) if self.heavy else generator.standard_normal(n)
        return np.sign(numbers) if name == "s" else np.abs(1 + numbers) if name in SIZES else numbers

    @property
    def mixed(self) -> list[str]:
        """Columns of text, read by match(), some of which looks like numbers: a CSV file does not say what it is."""
        return ["e"] if any("e" in own for own in _selections(self.text.replace("noise", ""))) else []

    def table(self, *, asked: bool) -> Any:
        """The table to fit on, or to transform, in the form of the case; a frame for the command line."""
        if self.form in FILES or (self.form == "pandas, other order" and not asked):
            return _pandas(self.asked if asked else self.seen)
        return _FORMS[self.form](self.asked if asked else self.seen)


def case_of(number: int, leaves: Sequence[str] = LEAVES) -> Case:
    """The case of a number: families take turns. With some `leaves` only it is a small spec made of these."""
    random = Random(number)
    # small specs on mixed tables are what users write most
    if number % 2 == 0 or tuple(leaves) != LEAVES:
        return _small(random, leaves, ("both", "categories", "both", "numbers")[number // 2 % 4])
    return _of_numbers(random) if number % 4 == 3 else _whole_language(random)


def _small(random: Random, leaves: Sequence[str], holds: str) -> Case:
    """Sums, means, products, powers and differences of kernels that each select a few columns, by name."""
    possible = {
        "numbers": [name for name in leaves if _PLACES[name] in (NUMBERS, ())],
        "categories": [name for name in leaves if _PLACES[name] in (CATEGORIES, EQUAL, ())],
        "both": list(leaves),
    }
    if not any(_PLACES[name] for name in possible[holds]):
        holds = "both"
    form = random.choice([*_FRAMES, *FILES] if holds != "numbers" else [*ARRAYS, *_FRAMES, *FILES])
    signed = form not in FILES and random.random() < 1 / 4
    text = _composed(random, possible[holds], random.choice([0, 1, 2, 2]), signed=signed)
    names = [*{"numbers": NUMBERS, "categories": (*CATEGORIES, "z"), "both": (*NUMBERS, *CATEGORIES, *SIZES)}[holds]]
    random.shuffle(names)
    used = [name for name in names if any(name in part for part in _selections(text))]
    if used and random.random() < 1 / 2:
        names = used
    if form in ARRAYS:
        for place, name in enumerate(names):
            text = _renamed(text, name, str(place))
    return Case(f"small {holds}", form, text, tuple(names), *_rows(random))


def _of_numbers(random: Random) -> Case:
    """Specs on one to four columns of numbers, selected by name and by position."""
    names = ("x", "age", "two words", "y")[: random.randint(1, 4)]
    form = random.choice([*ARRAYS, *_FRAMES, *FILES])
    # one side alone is refused for signed kernels, and a file has one
    signed = form not in FILES and random.random() < 1 / 2
    written = kernels(len(names), names=None if form in ARRAYS else names, max_leaves=3, match=False, signed=signed)
    return Case("numbers", form, _drawn(random, written), names, *_rows(random))


def _whole_language(random: Random) -> Case:
    """Specs of the whole language, on ten columns selected by position."""
    text = _drawn(random, cases(random.choice(everything()))).text
    form = random.choice([*ARRAYS, "pandas", "polars", "csv", "parquet"])
    return Case("language", form, text, (*NUMBERS, *DIRECTIONS, "s", "k", *SIZES), *_rows(random))


def _rows(random: Random) -> tuple[int, bool, int]:
    """Rows that fit sees (landmarks need 32), whether numbers have heavy tails, and the seed."""
    return random.choice([24, 24, 30, 40]), random.random() < 1 / 5, random.randrange(2**32)


def _drawn(random: Random, strategy: st.SearchStrategy[_T]) -> _T:
    """An example: the same for the same version of Hypothesis and of the modules imported, whose constants it draws."""
    found: list[_T] = []

    # the first example is always the simplest one
    @seed(random.randrange(2**32))
    @settings(max_examples=2, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=_CHECKS)
    @given(strategy)
    def keep(example: _T) -> None:
        found.append(example)

    keep()
    return found[-1]


def _composed(random: Random, leaves: Sequence[str], depth: int, *, signed: bool) -> str:
    if depth == 0:
        return _leaf(random, random.choice(leaves))
    one = _composed(random, leaves, depth - 1, signed=signed)
    other = _composed(random, leaves, random.randrange(depth), signed=signed)
    weight, power = f"{random.uniform(0.25, 2):.2f}", random.randint(2, 4)
    forms = [f"{one} * {other}", f"mean({one}, {other})", f"({weight} * {one} + {other})", f"({one})**{power}"]
    return random.choice([*forms, f"({one} - {weight} * {other})"] if signed else forms)


def _leaf(random: Random, name: str) -> str:
    call = f"{name}({_ARGUMENTS.get(name, '').format(round(random.uniform(0.5, 4), 2))})"
    places = _PLACES[name]
    return f"{call}[{', '.join(random.sample(places, random.randint(1, len(places))))}]" if places else call


def _selections(text: str) -> list[list[str]]:
    return [part.partition("]")[0].split(", ") for part in text.split("[")[1:]]


def _renamed(text: str, name: str, other: str) -> str:
    """The text with another name for a column, in selections alone."""
    head, *rest = text.split("[")
    parts = []
    for part in rest:
        selected, _, after = part.partition("]")
        parts.append("[" + ", ".join(other if own == name else own for own in selected.split(", ")) + "]" + after)
    return head + "".join(parts)
