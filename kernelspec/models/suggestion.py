"""A spec for a table and a target: columns by type, shapes compared by leave-one-out error, every choice explained."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.compilation import DeadKernelWarning
from kernelspec.errors import DataError, PlanError
from kernelspec.language.literals import column_text
from kernelspec.language.printer import format_text
from kernelspec.loading import suggest as nearest
from kernelspec.models.given import Observations, Table
from kernelspec.models.saved import rows_at
from kernelspec.models.state import RidgePath, State, classes_of, dense, targets_of, weights_of
from kernelspec.models.tuning import tune
from kernelspec.numerics.threads import single_threaded
from kernelspec.spec import parse
from kernelspec.tables.cells import is_missing
from kernelspec.tables.column_types import type_of
from kernelspec.tables.table_kinds import as_table, column_names, open_frame, values_of, without_gaps, written_out

__all__ = ["Task", "suggest"]

Numbers = NDArray[np.float64]
Task = Literal["auto", "regression", "classes"]

_COMPARED_ON, _LANDMARKS = 5_000, 512
"""Rows, at most, and landmarks for the leave-one-out errors that candidates are compared by."""

_TUNED_ON = 400
"""Rows on which a candidate is tuned before it is compared."""

_NOISES = np.geomspace(1e-6, 10, 22)
_MOST_SCALES = 24
"""Columns, at most, that have a scale of their own."""

_POWERS = (1, 2, 4, 8)
"""Powers of the share of equal categories: interactions of so many columns."""

_FREE_TEXT = 0.5
"""The share of distinct values from which text is an id, or free text."""

_MOST_CATEGORIES = 1_000
_SKEWED = 1.0


def suggest(data: Any, target: str, *, task: Task = "auto", drop: Sequence[str] = (), seed: int = 0) -> str:
    """The text of a spec for the column `target` of a data frame, with comments that explain it.

    Types decide which columns are numbers and which are categories; constants, ids, free text, dates and numbers with
    gaps are left out by name, as are the columns in `drop`. Skewed numbers are tried with logarithms. Shapes (Gaussian
    at the median scale, Gaussian, exponential and their sum with a scale for each column; powers of the share of equal
    categories) are tuned on 400 rows and compared by the leave-one-out error of 512 landmarks on up to 5,000 rows. The
    text is the model: edit it, then `tune` it and fit it.

    `task="classes"` makes classes of numbers. Raises DataError for a table without column names, a target that is
    missing, constant, or has gaps, and a table of which no column is left.
    """
    if task not in ("auto", "regression", "classes"):
        raise PlanError(f"task must be 'auto', 'regression' or 'classes', not {task!r}")
    data = as_table(data)
    if column_names(data) is None:
        raise DataError("suggest() needs a table with column names: give a data frame")
    columns = _columns(data)
    for name in (target, *drop):
        if name not in columns:
            raise DataError(f"there is no column '{name}'{nearest(name, columns)}")
    y, what = _target(columns[target], task)
    roles = {name: _role(own) for name, own in columns.items() if name != target and name not in drop}
    numbers = [name for name, role in roles.items() if role.use == "number"]
    categories = [name for name, role in roles.items() if role.use == "category"]
    if not numbers and not categories:
        reasons = "; ".join(f"{name}: {role.reason}" for name, role in roles.items())
        raise DataError(f"no column is left that can predict '{target}' ({reasons or 'there is no other column'})")
    n = len(columns[target].values)
    chosen = np.random.default_rng(seed).permutation(n)
    problem = _Problem(rows_at(data, np.sort(chosen[:_COMPARED_ON])), y[np.sort(chosen[:_COMPARED_ON])])
    few = rows_at(data, np.sort(chosen[:_TUNED_ON])), y[np.sort(chosen[:_TUNED_ON])]
    logarithms = {name for name in numbers if _needs_logarithm(columns[name].numbers)}
    variants = {"": _Parts.of(numbers, categories, columns, set())}
    if logarithms:
        variants[", logarithms"] = _Parts.of(numbers, categories, columns, logarithms)
    with warnings.catch_warnings(), single_threaded():
        warnings.simplefilter("ignore", DeadKernelWarning)  # of candidates that lose
        candidates = _compared(variants, problem, few)
    best = min(candidates, key=lambda own: own.error)
    kept = [f"{name} ({role.reason})" for name, role in roles.items() if role.use == "category"]
    skewed = [f"{name} ({_skewness(columns[name].numbers):.1f})" for name in numbers if name in logarithms]
    left_out = [f"{name} ({role.reason})" for name, role in roles.items() if role.use is None]
    left_out += [f"{name} (as asked for)" for name in drop]
    width = max(len(own.name) for own in candidates)
    lines = [
        *_comment(f"Suggested for {target!r}, {what}, from {n:,} rows."),
        f"# Leave-one-out error on {len(problem.y):,} rows, in standard deviations of the target:",
        *(f"#   {own.name:<{width}}  {own.error:.4f}{'  <- this one' if own is best else ''}" for own in candidates),
        *_comment("Numbers: " + ", ".join(numbers) if numbers else ""),
        *_comment("Categories: " + ", ".join(kept) if kept else ""),
        *_comment("Left out: " + ", ".join(left_out) if left_out else ""),
        *_comment("Skewed, tried with logarithms too (skewness): " + ", ".join(skewed) if skewed else ""),
    ]
    return format_text("\n".join([*lines, best.text.rstrip(), ""]))


@dataclass(frozen=True, eq=False)
class _Column:
    """A column: the cells that are there, and how many are missing."""

    values: NDArray[Any]
    present: NDArray[Any]

    @property
    def n_missing(self) -> int:
        return len(self.values) - len(self.present)

    @property
    def numbers(self) -> Numbers:
        return self.present.astype(np.float64)


@dataclass(frozen=True)
class _Role:
    """What a column is used as, if it is used, and why."""

    use: Literal["number", "category"] | None
    reason: str


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
        found[name] = _Column(values, present)
    return found


def _role(column: _Column) -> _Role:
    """What a column is by its type, and never by how well it predicts."""
    present, kind = column.present, column.present.dtype.kind
    if kind in "mM":
        return _Role(None, "a date")
    own = type_of(present)
    if not len(present) or own in ("unknown", "category"):
        return _Role(None, "no values" if not len(present) else "cells of several types")
    distinct = np.unique(present if own != "text" else present.astype(str))
    if len(distinct) < 2:
        return _Role(None, "constant")
    if own in ("number", "whole number"):
        numbers = column.numbers
        if column.n_missing:
            return _Role(None, f"{column.n_missing / len(column.values):.1%} of its numbers are missing")
        if not np.isfinite(numbers).all():
            return _Role(None, "infinite numbers")
        if own == "whole number" and len(distinct) == len(numbers) and np.ptp(numbers) == len(numbers) - 1:
            return _Role(None, "an id: it counts the rows")
        return _Role("number", own)
    if own == "text" and len(distinct) > max(10, min(_FREE_TEXT * len(present), _MOST_CATEGORIES)):
        return _Role(None, f"an id or free text: {len(distinct):,} different values")
    missing = (
        f", {column.n_missing / len(column.values):.1%} missing: use missing='category'" if column.n_missing else ""
    )
    return _Role("category", f"{len(distinct):,} values{missing}")


def _target(column: _Column, task: Task) -> tuple[Numbers, str]:
    """The target as numbers or indicators of classes, (n, T), and what it is, in words. Raises DataError."""
    if column.n_missing:
        raise DataError(f"the target is missing in {column.n_missing:,} rows: leave them out")
    is_number = column.present.dtype.kind in "fiu" or type_of(column.present) in ("number", "whole number")
    if task == "classes" or (task == "auto" and not is_number):
        classes, codes = classes_of(column.present)
        return np.eye(len(classes))[codes], f"{len(classes):,} classes"
    y = targets_of(column.present)
    if np.ptp(y) == 0:
        raise DataError(f"the target is constant: it is {y[0]:g} in all rows")
    return y[:, None], "numbers"


def _skewness(numbers: Numbers) -> float:
    centred = numbers - numbers.mean()
    spread = float(np.sqrt(np.mean(centred**2)))
    return float(np.mean(centred**3)) / spread**3 if spread else 0.0


def _needs_logarithm(numbers: Numbers) -> bool:
    """Whether numbers are at least 0 and skewed, as incomes and counts are."""
    return bool(numbers.min() >= 0 and _skewness(numbers) > _SKEWED)


def _rounded(number: float) -> str:
    """Three digits, without an exponent."""
    return np.format_float_positional(float(f"{number:.3g}"), trim="-")


def _comment(text: str) -> list[str]:
    """Comment lines of at most 118 characters; no line break in a name ends one."""
    lines, words = [""], " ".join(text.split()).split(" ") if text else []
    for word in words:
        shown = "".join(letter if letter.isprintable() else "?" for letter in word)
        if len(lines[-1]) + len(shown) > 115:
            lines.append("  ")
        lines[-1] += f"{shown} "
    return [f"# {line.rstrip()}" for line in lines if line.strip()]


@dataclass(frozen=True)
class _Parts:
    """Columns as specs name them, with the standard deviation of each, and a name for its scales."""

    numbers: tuple[str, ...]
    spreads: tuple[float, ...]
    names: tuple[str, ...]
    categories: tuple[str, ...]

    @classmethod
    def of(
        cls,
        numbers: Sequence[str],
        categories: Sequence[str],
        columns: Mapping[str, _Column],
        logarithms: Collection[str],
    ) -> _Parts:
        """With log(1 + x/c), c the median of what is above 0, for some columns."""
        taken: dict[str, None] = {}
        texts, spreads = [], []
        for name in numbers:
            own = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower()[:40] or "column"
            while own in taken or f"scale_{own}" in columns or f"rough_scale_{own}" in columns:
                own += "_"
            taken[own] = None
            values, text = columns[name].numbers, column_text(name)
            if name in logarithms:
                unit = _rounded(float(np.median(values[values > 0])))
                values, text = np.log1p(values / float(unit)), f"log(1 + {text}/{unit})"
            texts.append(text)
            spreads.append(float(np.std(values)) or 1.0)
        return cls(tuple(texts), tuple(spreads), tuple(taken), tuple(map(column_text, categories)))

    @property
    def width(self) -> float:
        """About the median distance of standardised rows."""
        return float(np.sqrt(2 * len(self.numbers)))

    def term(self, shape: str, factor: float, prefix: str = "", *, fixed: bool = False) -> tuple[list[str], str]:
        """Parameter lines and the term of a shape with a scale for each column, `factor` spreads wide at the start."""
        scales = [f"{factor * own:.4g}" for own in self.spreads]
        where = f"[{', '.join(self.numbers)}]"
        if fixed:
            return [], f"stretch({shape}(), [{', '.join(scales)}]){where}"
        if len(self.numbers) > _MOST_SCALES:
            own = ", ".join(f"{spread:.4g}" for spread in self.spreads)
            return [f"param {prefix}scale = {factor:.4g}"], f"stretch({shape}(scale={prefix}scale), [{own}]){where}"
        names = [f"{prefix}scale_{name}" for name in self.names]
        lines = [f"param {name} = {scale}" for name, scale in zip(names, scales, strict=True)]
        return lines, f"stretch({shape}(), [{', '.join(names)}]){where}"

    def alike(self, power: int) -> str:
        """The share of equal categories to a power."""
        share = f"mean({', '.join(f'match()[{name}]' for name in self.categories)})"
        return share if power == 1 else f"{share}**{power}"

    def whole(self, lines: Iterable[str], body: str, power: int | None) -> str:
        """The text of a spec of a term on numbers, and, with a power, of categories."""
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

    def candidate(self, name: str, text: str) -> _Candidate:
        """With the least root mean square leave-one-out error over noises, in standard deviations of the target."""
        read = Table.of(self.data, None).under(parse(text), None, (), "category")
        own = Observations.of(read.rows, self.y, weights_of(None, len(self.y)))
        feature_map = read.features(own.rows, _LANDMARKS, "nystrom", 0)
        features = np.concatenate([dense(block) for block in feature_map.blocks(own.rows)])
        of_all = features[own.place]
        path = RidgePath.of(State.of_features(feature_map, of_all, own.targets, own.weights))
        predicted = path.left_out(of_all, own.targets)
        noises = _NOISES * float(np.mean(np.square(features).sum(axis=1)))
        errors = [float(np.square(own.targets - predicted(noise)).sum()) for noise in noises]
        return _Candidate(name, text, float(np.sqrt(min(errors) / path.target_scatter.sum())))


def _compared(variants: Mapping[str, _Parts], problem: _Problem, few: tuple[Any, Numbers]) -> list[_Candidate]:
    """The candidates in the order in which they are tried; `variants` name ways to take the numbers."""
    parts = variants[""]
    if not parts.numbers:
        return [problem.candidate(f"equal categories, power {p}", parts.alike(p)) for p in _POWERS]
    powers: Sequence[int | None] = _POWERS if parts.categories else (None,)
    lines, body = parts.term("gaussian", parts.width, fixed=True)
    found = [problem.candidate(f"gaussian, median scale{_of_power(p)}", parts.whole(lines, body, p)) for p in powers]
    power = powers[int(np.argmin([own.error for own in found]))]

    def tuned(name: str, own: _Parts, lines: Sequence[str], term: str, label: str) -> _Candidate:
        by: Literal["likelihood", "loo"] = "likelihood" if few[1].shape[1] == 1 else "loo"
        spec = tune(own.whole(lines, term, power), few[0], few[1], by=by, missing="category").spec
        return problem.candidate(f"{name}, tuned scales{label}{_of_power(power)}", str(spec))

    gaussians = [tuned("gaussian", own, *own.term("gaussian", own.width), label) for label, own in variants.items()]
    label, best = list(variants.items())[int(np.argmin([own.error for own in gaussians]))]
    smooth, rough = best.term("gaussian", best.width), best.term("exponential", 2 * best.width, "rough_")
    both = [*smooth[0], *rough[0], "param smooth = 1", "param rough = 1"]
    return [
        *found,
        *gaussians,
        tuned("exponential", best, *best.term("exponential", 2 * best.width), label),
        tuned("gaussian + exponential", best, both, f"smooth*{smooth[1]} + rough*{rough[1]}", label),
    ]


def _of_power(power: int | None) -> str:
    return "" if power is None else f"; categories, power {power}"
