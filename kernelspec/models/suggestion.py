"""A spec for a table and a target: columns by type, shapes compared by leave-one-out error, every choice explained."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.compilation import DeadKernelWarning
from kernelspec.errors import DataError
from kernelspec.language.literals import column_text
from kernelspec.language.printer import format_text
from kernelspec.limits import MAX_NAME
from kernelspec.loading import nearest_column
from kernelspec.models.given import Observations, Table
from kernelspec.models.ridge import RidgePath, dense
from kernelspec.models.saved import rows_at
from kernelspec.models.state import State, Task, numbers_or_indicators, weights_of
from kernelspec.models.tuning import problems_of, with_all_classes
from kernelspec.numerics.threads import single_threaded
from kernelspec.planning.options import MapOptions
from kernelspec.spec import parse
from kernelspec.tables.cells import days_of, is_missing, read_as_text
from kernelspec.tables.column_types import type_of
from kernelspec.tables.table_kinds import as_table, column_names, open_frame, values_of, without_gaps, written_out

__all__ = ["suggest"]

Numbers = NDArray[np.float64]

_COMPARED_ON, _LANDMARKS = 5_000, 512
"""The most rows, and landmarks, for the leave-one-out errors that compare candidates."""

_ROWS_OF_LANDMARK = 4
"""More rows than this for each landmark: leverages are far from 1, and single precision is enough."""

_TUNED_ON, _STEPS = 500, 20
"""Rows on which candidates are tuned, and steps of the search. From medians on 500 rows it ends at smaller errors than
several starts on 250 rows and a second search on 800, which often keeps a poor local optimum, in less time.
"""

_AGAIN_ON, _MOST_AGAIN, _CLOSE, _EQUAL = 15_000, 3, 1.01, 1e-5
"""The most rows on which up to three candidates are compared again, with errors within a hundredth of the least;
errors that differ by less than the last number count as equal.
"""

_TUNED_VARIANTS = 2
"""How many encodings of the numbers are tuned: those of least error at the median scale."""

_NOISES = np.geomspace(1e-6, 1e4, 31)
_MOST_SCALES = 24
"""The most columns with a scale of their own."""

_POWERS = (1, 2, 4, 8)
"""Powers of the share of equal categories: interactions of this many columns."""

_FREE_TEXT = 0.5
"""The share of distinct values from which text counts as an id, or free text."""

_MOST_CATEGORIES = 1_000
_LARGEST = 1e100
"""Cubes of numbers up to this are finite."""

_SKEWED, _SKEWED_BELOW = 1.0, 1.5

_RANKED, _WIDEST = 256, 4_096
"""The most columns of numbers tried as ranks, whose text has up to a kilobyte each, and the most columns in all."""

_CYCLES = (("season", 365.25, 400), ("week", 7, 21), ("hour", 1, 2))
"""Periods of dates, in days, and the span from which they are considered."""


def suggest(data: Any, target: str, *, task: Task = "auto", drop: Sequence[str] = (), seed: int = 0) -> str:
    """The text of a spec for the column `target` of a data frame, with comments that explain it.

    Types determine which columns are numbers, categories and dates; constants, ids, free text and copies of the target
    are left out by name, as are the columns in `drop`. Missing numbers are filled with the median, and marked by a
    category; dates become days, plus the seasons, weeks and hours that they span. Skewed numbers are also tried with
    logarithms, up to 256 numbers as ranks, and more than 24 unscaled, like pixels; numbers with two values share a
    scale then. Shapes (Gaussian at the median scale, Gaussian, exponential and their sum with a scale per column;
    powers of the share of equal categories) are tuned on 500 rows and compared by the leave-one-out error of 512
    landmarks on up to 5,000 rows (up to three of about the same error on 15,000). The text is the model: edit it, then
    `tune` it and fit it.

    `task="classes"` treats numbers as classes. Raises DataError for a table without column names, a target that is
    missing, constant, or has gaps, and a table without usable columns, or with more than 4,096.
    """
    MapOptions(seed=seed)  # raises PlanError for an invalid seed
    data = as_table(data)
    names = column_names(data)
    if names is None or (len(names) > 1 and column_names(data, without=target) is None):
        raise DataError("suggest() needs a table with column names: give a data frame whose names are text")
    columns = _columns(data)
    drop = (drop,) if isinstance(drop, str) else drop
    for name in (target, *drop):
        if not isinstance(name, str):
            raise DataError(f"column names must be text, not {name!r:.60}")
        if name not in columns:
            raise DataError(f"unknown column '{name}'{nearest_column(name, tuple(columns))}")
    y, what = _target(columns[target], task)
    roles = {name: _role(own) for name, own in columns.items() if name != target and name not in drop}
    for name in roles:  # the target has no missing values, and pandas' own cannot be compared
        if not columns[name].n_missing and np.array_equal(columns[name].present, columns[target].present):
            roles[name] = _Role(None, "equal to the target")
        if len(name) > MAX_NAME:
            roles[name] = _Role(None, f"a name of more than {MAX_NAME} characters: rename it")
    inputs = {name: inputs for name, role in roles.items() if (inputs := _inputs(name, columns[name], role))}
    marks = [f"is_missing({_named(name)})" for name in inputs if columns[name].n_missing]
    numbers = list(inputs)
    categories = [*(_named(name) for name, role in roles.items() if role.use == "category"), *marks]
    if not numbers and not categories:
        reasons = "; ".join(f"{name}: {role.reason}" for name, role in roles.items())
        raise DataError(f"no column is left that can predict '{target}' ({reasons or 'the table has no other column'})")
    if len(numbers) + len(categories) > _WIDEST:
        raise DataError(
            f"suggest() names every column in the text, at most {_WIDEST:,}, and {len(numbers) + len(categories):,} "
            f"can predict '{target}': drop some, or write a kernel of all columns, such as gaussian(scale=median)"
        )
    n = len(columns[target].values)
    chosen = with_all_classes(np.random.default_rng(seed).permutation(n), y, _TUNED_ON)
    problem, few = (_Problem.of(data, y, chosen[:most]) for most in (_COMPARED_ON, _TUNED_ON))
    skewed = {name: [log] for name, own in inputs.items() if own[0].is_skewed and (log := own[0].logarithm) is not None}
    variants = {"": _Parts.of(inputs.values(), categories, columns)}
    if skewed:
        variants[", logarithms"] = _Parts.of({**inputs, **skewed}.values(), categories, columns)
    changed = {
        name: [own[0].rank] for name, own in inputs.items() if roles[name].use == "number" and not own[0].is_flag
    }
    if 0 < len(changed) <= _RANKED:
        variants[", ranks"] = _Parts.of({**inputs, **changed}.values(), categories, columns)
    if len(variants[""].numbers) > _MOST_SCALES and len(set(variants[""].spreads)) > 1:
        variants[", unscaled"] = variants[""].in_one_unit
    with warnings.catch_warnings(), single_threaded():
        warnings.simplefilter("ignore", DeadKernelWarning)  # from candidates that lose
        candidates = _compared(variants, problem, few)
        best, again = _chosen(candidates, problem if n == len(problem.y) else _Problem.of(data, y, chosen[:_AGAIN_ON]))
    kept = [f"{name} ({role.reason})" for name, role in roles.items() if role.use == "category"]
    gaps = [f"{name} ({columns[name].missing_share})" for name in inputs if columns[name].n_missing]
    left_out = [f"{name} ({role.reason})" for name, role in roles.items() if role.use is None]
    left_out += [f"{name} (as asked for)" for name in drop]
    notes = {
        "Numbers": [name for name in numbers if roles[name].use != "date"],
        "Categories": kept,
        "Left out": left_out,
        "Dates, as days and cycles": [name for name, role in roles.items() if role.use == "date"],
        "Missing values, filled and marked": gaps,
        "Skewed, tried with logarithms (skewness)": [f"{own} ({inputs[own][0].skewness:.1f})" for own in skewed],
    }
    width = max(len(own.name) for own in candidates)
    lines = [
        *_comment(f"Suggested for {target!r}, {what}, from {n:,} rows."),
        f"# Leave-one-out error on {len(problem.y):,} rows, in standard deviations of the target:",
        *(
            f"#   {own.name:<{width}}  {own.error:.4f}"
            + (f", on {min(n, _AGAIN_ON):,} rows {again[own.name]:.4f}" if own.name in again else "")
            + ("  <- this one" if own is best else "")
            for own in candidates
        ),
        *_comment("The mean of the target predicts as well." * (best.error >= 1)),
        *_comment(f"Ranks were not tried: {len(changed):,} numbers, more than {_RANKED}" * (len(changed) > _RANKED)),
        *(line for label, own in notes.items() if own for line in _comment(f"{label}: {', '.join(own)}")),
    ]
    return format_text("\n".join([*lines, best.text.rstrip(), ""]))


@dataclass(frozen=True, eq=False)
class _Column:
    """A column: the cells present, and the number of missing ones."""

    values: NDArray[Any]
    present: NDArray[Any]
    is_categorical: bool = False
    """Whether the table says so, whatever its values are."""

    @property
    def n_missing(self) -> int:
        return len(self.values) - len(self.present)

    @property
    def missing_share(self) -> str:
        return f"{self.n_missing / len(self.values):.1%} missing"

    @property
    def numbers(self) -> Numbers:
        """As numbers; dates as days since 1970."""
        if self.present.dtype.kind == "M":
            return self.present.astype("datetime64[us]").astype(np.float64) / 86_400e6
        return self.present.astype(np.float64)


@dataclass(frozen=True)
class _Role:
    """How a column is used, if at all, and why."""

    use: Literal["number", "category", "date"] | None
    reason: str


@dataclass(frozen=True, eq=False)
class _Input:
    """A function of a column as written in specs, `width` columns with about the given values."""

    name: str
    text: str
    values: Numbers
    width: int = 1

    @property
    def skewness(self) -> float:
        centred = self.values - self.values.mean()
        spread = float(np.sqrt(np.mean(centred**2)))
        return float(np.mean(centred**3)) / spread**3 if spread else 0.0

    @property
    def is_flag(self) -> bool:
        """Two values, like 0 and 1."""
        return self.width == 1 and bool(np.isin(self.values, (self.values.min(), self.values.max())).all())

    @property
    def is_skewed(self) -> bool:
        """Like incomes and counts, or numbers with outliers on one side."""
        return not self.is_flag and (self.skewness > _SKEWED or self.skewness < -_SKEWED_BELOW)

    @property
    def logarithm(self) -> _Input | None:
        """log(1 + max(x, 0)/c), c the median of the positive values, for a tail on the right; else on both sides of the
        median. New rows may be negative.
        """
        x = self.values
        if x.min() >= 0 and self.skewness > 0:
            unit = _rounded(float(np.median(x[x > 0])))
            return replace(self, text=f"log(1 + max({self.text}, 0)/{unit})", values=np.log1p(x / float(unit)))
        if abs(self.skewness) <= _SKEWED_BELOW:
            return None
        middle = _rounded(float(np.median(x)))
        lag = x - float(middle)
        unit = _rounded(float(np.median(np.abs(lag[lag != 0]))))
        up, down = f"{self.text} - {middle}".replace("- -", "+ "), f"{middle} - {self.text}"
        text = f"log(1 + max({up}, 0)/{unit}) - log(1 + max({down}, 0)/{unit})"
        return replace(self, text=text, values=np.sign(lag) * np.log1p(np.abs(lag) / float(unit)))

    @property
    def rank(self) -> _Input:
        """The share of smaller rows."""
        shares = np.searchsorted(np.sort(self.values), self.values) / len(self.values)
        return replace(self, text=f"rank({self.text})", values=shares)


_MEANT = frozenset(
    {"pi", "d", "scale", "rough_scale", "smooth", "rough", "both"}
    | {"only_numbers", "only_categories", "numbers_alike", "categories_alike"}
)
"""Names with another meaning in the texts below, or in every spec."""


def _named(name: str) -> str:
    """A column as written in specs."""
    return column_text(name, quoted=name in _MEANT)


def _inputs(name: str, column: _Column, role: _Role) -> list[_Input]:
    """The functions of a column for a kernel on numbers; none for categories."""
    if role.use not in ("number", "date"):
        return []
    text = _named(name) if role.use == "number" else f"days({_named(name)})"
    text = f"fill({text})" if column.n_missing else text
    if role.use == "number":
        return [_Input(name, text, column.numbers)]
    days = column.numbers
    span = float(np.ptp(days))
    found = [_Input(name, text, days)]
    for what, period, enough in _CYCLES:
        if span >= enough and (period > 1 or (days % 1).any()):
            angles = 2 * np.pi * days / period
            found.append(_Input(f"{what} of {name}", f"cycle({text}, {period:g})", np.cos(angles), 2))
    return found


def _columns(data: Any) -> dict[str, _Column]:
    frame, names = open_frame(data)
    found = {}
    for name, series in zip(names, frame.iter_columns(), strict=True):
        column = written_out(series)
        values = values_of(column, f"column '{name}'")
        present = values_of(without_gaps(column, f"column '{name}'"), f"column '{name}'")
        if present.dtype.kind == "f":
            present = present[~np.isnan(present)]
        elif present.dtype.kind == "O":
            present = present[[not is_missing(own) for own in present.tolist()]]
            days = days_of(present) if len(present) else None
            present = present if days is None else np.round(days * 86_400e6).astype("datetime64[us]")
        found[name] = _Column(values, present, str(getattr(series, "dtype", "")).startswith(("Categorical", "Enum")))
    return found


def _role(column: _Column) -> _Role:
    """The role of a column by its type, never by how well it predicts."""
    present, kind = column.present, column.present.dtype.kind
    if kind == "M" and len(present) and np.ptp(column.numbers):
        return _Role("date", "a date")
    if kind in "mM":
        return _Role(None, "a duration" if kind == "m" else "one date" if len(present) else "no values")
    own = type_of(present)
    if not len(present) or own in ("unknown", "category"):
        return _Role(None, "no values" if not len(present) else "neither numbers nor text nor dates")
    distinct = np.unique(present if own != "text" else present.astype(str))
    if len(distinct) < 2:  # whether it is there may matter
        return _Role("category", f"1 value, {column.missing_share}") if column.n_missing else _Role(None, "constant")
    if own in ("number", "whole number") and not column.is_categorical:
        is_count = own == "whole number" and len(distinct) == len(present) and _span(distinct) == len(distinct) - 1
        if is_count and not _YEARS[0] <= distinct[0] <= distinct[-1] <= _YEARS[1]:
            return _Role(None, "an id: it counts the rows")
        numbers = column.numbers
        if not np.isfinite(numbers).all():
            return _Role(None, "infinite numbers")
        if np.abs(numbers).max() > _LARGEST or np.ptp(numbers) < 1 / _LARGEST:
            return _Role(None, f"numbers beyond {_LARGEST:g}, or too close to each other: change the unit")
        return _Role("number", own)
    if own == "text" and len(distinct) > max(10, min(_FREE_TEXT * len(present), _MOST_CATEGORIES)):
        hint = read_as_text(str(distinct[0]))
        return _Role(None, f"an id or free text: {len(distinct):,} different values{hint}")
    missing = f", {column.missing_share}" if column.n_missing else ""
    return _Role("category", f"{len(distinct):,} values{missing}")


_YEARS = (1500, 2500)
"""Whole numbers that are years, if they are all between these, and not counts of the rows."""


def _span(values: NDArray[Any]) -> int:
    """The largest less the least whole number, exactly; 0 for infinite ones."""
    least, most = values.min(), values.max()
    return int(most) - int(least) if np.isfinite(float(most)) and np.isfinite(float(least)) else 0


def _target(column: _Column, task: Task) -> tuple[Numbers, str]:
    """The target as numbers or class indicators, (n, T), and its description. Raises DataError."""
    if column.n_missing:
        raise DataError(f"the target is missing in {column.n_missing:,} rows: leave them out")
    if not len(column.present):
        raise DataError("the table has no rows")
    y, is_classes = numbers_or_indicators(column.present, task)
    if is_classes:
        return y, f"{y.shape[1]:,} classes"
    if np.ptp(y) == 0:
        raise DataError(f"the target is constant: it is {y[0, 0]:g} in all rows")
    return y, "numbers"


def _root_mean_square(numbers: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(numbers))))


def _rounded(number: float) -> str:
    """Three digits, without an exponent."""
    return np.format_float_positional(float(f"{number:.3g}"), trim="-")


def _comment(text: str) -> list[str]:
    """Comment lines of at most 118 characters, not broken by line breaks in names."""
    lines, words = [""], " ".join(text.split()).split(" ") if text else []
    for word in words:
        shown = "".join(letter if letter.isprintable() else "?" for letter in word)
        if len(lines[-1]) + len(shown) > 115:
            lines.append("  ")
        lines[-1] += f"{shown} "
    return [f"# {line.rstrip()}" for line in lines if line.strip()]


@dataclass(frozen=True)
class _Parts:
    """Columns as named in specs, with the standard deviation of each, and a name for its scales."""

    numbers: tuple[str, ...]
    spreads: tuple[float, ...]
    names: tuple[str, ...]
    widths: tuple[int, ...]
    categories: tuple[str, ...]

    @classmethod
    def of(cls, inputs: Iterable[Sequence[_Input]], categories: Sequence[str], columns: Collection[str]) -> _Parts:
        """The parts of these inputs, and of categories as written in specs."""
        every = [own for group in inputs for own in group]
        taken: dict[str, None] = {}

        def free(name: str) -> str:
            """A name for a scale that no other scale and no column has."""
            own = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower()[:40] or "column"
            while own in taken or f"scale_{own}" in columns or f"rough_scale_{own}" in columns:
                own += "_"
            taken[own] = None
            return own

        names = tuple(free(own.name) for own in every)
        spreads = tuple(float(np.std(own.values)) or 1.0 for own in every)
        widths = tuple(own.width for own in every)
        parts = cls(tuple(own.text for own in every), spreads, names, widths, tuple(categories))
        flags = [own.is_flag for own in every]
        if len(every) <= _MOST_SCALES or sum(flags) < 2:
            return parts
        return parts.with_one_scale(flags, free("flags"))

    def with_one_scale(self, flags: Sequence[bool], shared: str) -> _Parts:
        """One scale for all flags, which are often indicators of one category: the rare ones would dominate by their
        own standard deviations.
        """
        spread = _root_mean_square([own for own, flag in zip(self.spreads, flags, strict=True) if flag])
        spreads = tuple(spread if flag else own for own, flag in zip(self.spreads, flags, strict=True))
        names = tuple(shared if flag else own for own, flag in zip(self.names, flags, strict=True))
        return replace(self, spreads=spreads, names=names)

    @property
    def in_one_unit(self) -> _Parts:
        """The same columns, not standardized: their units are comparable if they are pixels or channels."""
        return replace(self, spreads=(_root_mean_square(self.spreads),) * len(self.spreads))

    @property
    def width(self) -> float:
        """Approximate median distance of standardized rows."""
        return float(np.sqrt(2 * sum(self.widths)))

    def term(self, shape: str, factor: float, prefix: str = "", *, fixed: bool = False) -> tuple[list[str], str]:
        """Parameter lines and the term of a shape with a scale for each column, `factor` spreads wide at the start."""
        scales = [f"{factor * own:.4g}" for own in self.spreads]
        where = f"[{', '.join(self.numbers)}]"
        if fixed:
            return [], f"stretch({shape}(), [{self._each(scales)}]){where}"
        if len(set(self.names)) > _MOST_SCALES:
            own = self._each([f"{spread:.4g}" for spread in self.spreads])
            return [f"param {prefix}scale = {factor:.4g}"], f"stretch({shape}(scale={prefix}scale), [{own}]){where}"
        names = [f"{prefix}scale_{name}" for name in self.names]
        lines = [f"param {name} = {scale}" for name, scale in dict(zip(names, scales, strict=True)).items()]
        return lines, f"stretch({shape}(), [{self._each(names)}]){where}"

    def _each(self, scales: Sequence[str]) -> str:
        """The scale of every column; columns of one function share it."""
        return ", ".join(scale for scale, width in zip(scales, self.widths, strict=True) for _ in range(width))

    def alike(self, power: int) -> str:
        """The share of equal categories to a power."""
        share = f"mean({', '.join(f'match()[{name}]' for name in self.categories)})"
        return share if power == 1 else f"{share}**{power}"

    def whole(self, lines: Iterable[str], body: str, power: int | None) -> str:
        """The text of a spec with a term on numbers and, given a power, one on categories."""
        if power is None:
            return "\n".join([*lines, body])
        weights = ["param both = 1", "param only_numbers = 0.3", "param only_categories = 0.3"]
        lets = [f"let numbers_alike = {body}", f"let categories_alike = {self.alike(power)}"]
        total = "both*numbers_alike*categories_alike + only_numbers*numbers_alike + only_categories*categories_alike"
        return "\n".join([*lines, *weights, *lets, total])


@dataclass(frozen=True)
class _Candidate:
    name: str
    text: str
    error: float


@dataclass(frozen=True, eq=False)
class _Problem:
    """Rows of a table and their targets (n, T)."""

    data: Any
    y: Numbers

    @classmethod
    def of(cls, data: Any, y: Numbers, some: NDArray[np.intp]) -> _Problem:
        """Some rows, in their order."""
        return cls(rows_at(data, np.sort(some)), y[np.sort(some)])

    def candidate(self, name: str, text: str) -> _Candidate:
        """Scored by the least root mean square leave-one-out error over noises, in standard
        deviations of the target.
        """
        table = Table.of(self.data, None)
        read = table.under(table.fitted(parse(text)))
        own = Observations.of(read.rows, self.y, weights_of(None, len(self.y)))
        feature_map = read.features(own.rows, _LANDMARKS, "nystrom", 0)
        features = np.concatenate([dense(block) for block in feature_map.blocks(own.rows)])
        of_all = features[own.place]
        path = RidgePath.of(State.of_features(feature_map, of_all, own.targets, own.weights))
        is_rough = len(of_all) > _ROWS_OF_LANDMARK * _LANDMARKS
        left_out = path.left_out(of_all, own.targets, own.units, is_rough=is_rough)
        noises = _NOISES * float(np.mean(np.square(features).sum(axis=1)))
        least = float(left_out.errors(noises, np.ones(len(of_all))).min())
        return _Candidate(name, text, math.sqrt(least / path.target_scatter.sum()))


def _chosen(candidates: Sequence[_Candidate], more: _Problem) -> tuple[_Candidate, dict[str, float]]:
    """The best candidate, and the errors on more rows of those that are about equal."""
    ranked = sorted(candidates, key=lambda own: own.error)
    close = [own for own in ranked[:_MOST_AGAIN] if own.error < _CLOSE * ranked[0].error]
    if len(close) == 1 or len(more.y) <= _COMPARED_ON:
        return _first_of_least(candidates, {own.name: own.error for own in candidates}), {}
    again = {own.name: more.candidate(own.name, own.text).error for own in close}
    return _first_of_least([own for own in candidates if own.name in again], again), again


def _first_of_least(candidates: Sequence[_Candidate], errors: Mapping[str, float]) -> _Candidate:
    """The first of those whose error is the least to rounding: simpler ones are tried first."""
    least = min(errors.values())
    return next(own for own in candidates if errors[own.name] <= (1 + _EQUAL) * least)


def _compared(variants: Mapping[str, _Parts], problem: _Problem, few: _Problem) -> list[_Candidate]:
    """The candidates in the order tried; `variants` name encodings of the numbers, and scales are tuned on `few`."""
    parts = variants[""]
    if not parts.numbers:
        return [problem.candidate(f"equal categories, power {p}", parts.alike(p)) for p in _POWERS]
    powers: Sequence[int | None] = _POWERS[: len(parts.categories)] or (None,)
    lines, body = parts.term("gaussian", parts.width, fixed=True)
    found = [problem.candidate(f"gaussian, median scale{_of_power(p)}", parts.whole(lines, body, p)) for p in powers]
    power = powers[int(np.argmin([own.error for own in found]))]

    by: Literal["likelihood", "loo"] = "likelihood" if few.y.shape[1] == 1 else "loo"

    def tuned(name: str, text: str, label: str) -> _Candidate:
        started, (most,) = problems_of(text, few.data, few.y, by, rows=(_TUNED_ON,), has_small_terms=False)
        values = most.search.descended(_STEPS).spec(started).params
        learned = str(parse(text).with_params(values))  # learned functions stay as they are
        return problem.candidate(f"{name}, tuned scales{label}{_of_power(power)}", learned)

    for label, own in list(variants.items())[1:]:
        text = own.whole(*own.term("gaussian", own.width, fixed=True), power)
        found.append(problem.candidate(f"gaussian, median scale{label}{_of_power(power)}", text))
    untuned = [min(own.error for own in found[: len(powers)]), *(own.error for own in found[len(powers) :])]
    likely = [list(variants.items())[i] for i in np.argsort(untuned)[:_TUNED_VARIANTS]]
    gaussians = [tuned("gaussian", own.whole(*own.term("gaussian", own.width), power), label) for label, own in likely]
    gaussian = min(gaussians, key=lambda own: own.error)
    label, best = likely[gaussians.index(gaussian)]
    exponential = tuned("exponential", best.whole(*best.term("exponential", 2 * best.width), power), label)
    smooth, rough = best.term("gaussian", best.width), best.term("exponential", 2 * best.width, "rough_")
    lines = [*smooth[0], *rough[0], "param smooth = 1", "param rough = 1"]
    both = parse(best.whole(lines, f"smooth*{smooth[1]} + rough*{rough[1]}", power))
    apart = {f"rough_{name}": value for name, value in parse(exponential.text).params.items()}
    starts = {name: value for name, value in apart.items() if name in both.params} | parse(gaussian.text).params
    return [*found, *gaussians, exponential, tuned("gaussian + exponential", str(both.with_params(starts)), label)]


def _of_power(power: int | None) -> str:
    return "" if power is None else f"; categories, power {power}"
