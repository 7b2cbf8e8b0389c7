"""EXPLAIN ANALYZE: the error of every part of a plan, predicted and measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.maps.draw import draw
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.evaluation import approximate, evaluate, inner_products
from kernelspec.maps.landmarks import landmark_columns, landmark_correction
from kernelspec.maps.learned_columns import CategoryBlocks
from kernelspec.maps.predicted_error import ErrorOnRows
from kernelspec.planning.landmarks.landmarks import Residual
from kernelspec.planning.options import ROUNDING, whole_number
from kernelspec.planning.plan import Plan
from kernelspec.planning.strata import Stratum, estimate_variance, exactness_of, kernel_value
from kernelspec.random.streams import mix
from kernelspec.rendering.notebooks import coloured, folded, html_grid, html_rows, latex_rows, preformatted, quoted
from kernelspec.samples.samples import SIDES, Side
from kernelspec.tables.rows import Rows

__all__ = ["Analysis", "AnalyzedNode", "analyze"]

_ROWS = 128
_TIMED_ROWS = 2048
_RUNS = 3
_SALT = 0x414E414C595A45


def analyze(drawn: DrawnPlan, rows: Rows, replicates: int) -> Analysis:
    """The analysis of a map on up to 128 of these rows. Raises the errors of `FeatureMap.analyze`."""
    plan = drawn.plan
    replicates = whole_number("replicates", replicates, 2)
    if plan.zero_bit or plan.estimated is not None:
        raise PlanError("zero_bit and fitted masses are biased: use ks.verify to measure them")
    work = _Work(drawn, rows.some(_ROWS), rows.take(slice(0, _TIMED_ROWS)), replicates)
    nodes = [work.landmarks()] if plan.landmarks is not None else []
    nodes += [work.stratum(number) for number, n in enumerate(plan.chosen.counts) if n]
    return Analysis(plan.text, plan.chosen.describe(), len(work.rows), replicates, tuple(nodes), work.error_of_map())


@dataclass(frozen=True, eq=False)
class _Work:
    """A map, rows for measuring errors, and rows for measuring time."""

    drawn: DrawnPlan
    rows: Rows
    timed: Rows
    replicates: int

    @property
    def plan(self) -> Plan:
        return self.drawn.plan

    @cached_property
    def pairs(self) -> NumericPairs:
        return NumericPairs(self.rows, self.rows)

    @cached_property
    def kernel(self) -> NDArray[np.float64]:
        return kernel_value(self.plan.strata, self.pairs)

    @cached_property
    def residual(self) -> Residual:
        assert self.plan.landmarks is not None
        return Residual.on(self.pairs, self.plan.landmarks, self.plan.strata)

    @cached_property
    def landmark_columns(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Those of the rows, on the left and on the right."""
        assert self.plan.landmarks is not None
        left, right = (landmark_columns(self.plan, self.plan.landmarks, self.rows, side) for side in SIDES)
        return left, right

    @property
    def compares_columns(self) -> bool:
        """Whether the estimate uses the features; otherwise keys themselves are compared."""
        learnt = any(own is not None and not isinstance(own, CategoryBlocks) for own in self.drawn.occupied or ())
        return self.drawn.has_keys and self.plan.collisions is not None and not learnt

    # -- the landmarks -------------------------------------------------------------------------------------------------

    def landmarks(self) -> AnalyzedNode:
        """The landmarks: deterministic, and biased unless samples correct them."""
        landmarks, size = self.plan.landmarks, float(np.square(self.kernel).sum())
        assert landmarks is not None
        predicted = float(np.square(self.plan.bias_on(self.pairs)).sum()) / size if size else 0.0
        measured = 0.0
        if self.plan.chosen.is_biased and size:
            left, right = self.landmark_columns
            measured = float(np.square((left * landmarks.signs) @ right.T - self.kernel).sum()) / size
        seconds = _seconds(lambda: landmark_columns(self.plan, landmarks, self.timed, "left")) / len(self.timed)
        return AnalyzedNode(
            "landmarks",
            (f"{len(landmarks.left)} rows of the data",),
            0,
            landmarks.n_columns,
            _bytes_held(landmarks),
            predicted,
            measured,
            0.0,
            seconds,
        )

    # -- the strata --------------------------------------------------------------------------------------------------

    def stratum(self, number: int) -> AnalyzedNode:
        """One of the strata, by number."""
        (stratum, n), size = self.plan.parts[number], float(np.square(self.kernel).sum())
        own = self._own(number)
        exact = self._exact(stratum)
        squares = [
            float(np.square(self._estimate(self._part(number, self._seed(number, replicate))) - exact).sum())
            for replicate in range(self.replicates)
        ]
        scale = 1 / size if size else 0.0
        return AnalyzedNode(
            f"{stratum.weight:.4g} × stratum {number + 1}" if len(self.plan.parts) > 1 else "samples",
            tuple(stratum.law.lines(stratum.positions, self.plan.layout.mapped.names)),
            n,
            self._columns(own),
            _bytes_held((own.dense, own.keyed, own.correction)),
            self._above_rounding(scale * self._predicted(number), stratum),
            scale * float(np.mean(squares)),
            float(scale * np.std(squares, ddof=1) / np.sqrt(self.replicates)),
            _seconds(lambda: self._features(own, self.timed, "left")) / len(self.timed),
            plan_measured=self.plan.is_measured,
        )

    def _above_rounding(self, predicted: float, stratum: Stratum) -> float:
        """A squared relative error, 0 only for an exact part."""
        exact = self.plan.unbiased and exactness_of([stratum], self.plan.form, hashed=self.compares_columns)
        return predicted if exact else max(predicted, ROUNDING**2)

    def _own(self, number: int) -> DrawnPlan:
        """The part of the map itself, with the columns learned for its keys."""
        own = self._part(number, self.plan.seed)
        if own.has_columns or self.drawn.occupied is None:
            return own
        first = sum(len(draw(self.plan, before)[1]) for before in range(number))
        return replace(own, occupied=self.drawn.occupied[first : first + len(own.keyed)])

    def _part(self, number: int, seed: int) -> DrawnPlan:
        """A map with the samples of one stratum alone."""
        plan = self.plan if seed == self.plan.seed else replace(self.plan, seed=seed)
        dense, keyed, occupied = draw(plan, number)
        correction = None if plan.landmarks is None else landmark_correction(plan, plan.landmarks, dense)
        return DrawnPlan(plan, dense, keyed, occupied, correction)

    def _seed(self, number: int, replicate: int) -> int:
        """New draws, which no map has."""
        state = mix(np.uint64(self.plan.seed & (1 << 64) - 1), np.uint64(number), salt=_SALT)
        return int(mix(state, np.uint64(replicate))) >> 1

    def _exact(self, stratum: Stratum) -> NDArray[np.float64]:
        """What the part estimates: the stratum minus its landmark prediction."""
        if self.plan.landmarks is not None:
            return stratum.weight * self.residual.kernel(stratum)
        return np.asarray(stratum.weight * np.asarray(stratum.mean_value(self.pairs), dtype=float))

    def _estimate(self, part: DrawnPlan) -> NDArray[np.float64]:
        if part.correction is None:
            return (inner_products if self.compares_columns else approximate)(part, self.rows, self.rows)
        left, right = (self._features(part, self.rows, side) for side in SIDES)
        return np.asarray(((left * part.signs[self.plan.chosen.landmarks :]) @ right.conj().T).real)

    def _features(self, part: DrawnPlan, rows: Rows, side: Side) -> Any:
        """The columns of the part; landmark columns are evaluated once for the analysed rows."""
        if part.correction is None:
            if not part.has_columns:
                part = part.with_columns_of([rows])
            return evaluate(part, rows, side)
        assert part.dense is not None
        form, kind = self.plan.form, np.dtype(np.float64)
        out = np.empty((len(rows), part.dense.n_columns(form)))
        part.dense.evaluate(rows, side, form, kind, out)
        if rows is self.rows:
            part.correction.correct(self.landmark_columns[SIDES.index(side)], side, out)
        return out

    def _columns(self, part: DrawnPlan) -> int:
        if not part.has_columns:
            part = part.with_columns_of([self.rows])
        return part.n_columns - self.plan.chosen.landmarks

    def _predicted(self, number: int) -> float:
        """The sum of this part's variance over all pairs."""
        (stratum, n), plan = self.plan.parts[number], self.plan
        if plan.normalized:
            return float(plan.variance(self.pairs).sum())
        if (simulated := self._simulated_parts) is not None:
            return simulated[number]
        collisions = plan.collisions if self.compares_columns else None
        return float(estimate_variance([(stratum, n)], self.pairs, plan.form, collisions).sum())

    @cached_property
    def _simulated_parts(self) -> list[float] | None:
        return ErrorOnRows(self.plan, self.rows, self.rows).simulated_parts()

    # -- the whole ---------------------------------------------------------------------------------------------------

    def error_of_map(self) -> float:
        """‖K̂ − K‖_F / ‖K‖_F of the map as it is; 0 if K is zero."""
        estimate = (inner_products if self.compares_columns else approximate)(self.drawn, self.rows, self.rows)
        size = float(np.linalg.norm(self.kernel))
        return float(np.linalg.norm(estimate - self.kernel)) / size if size else 0.0


def _seconds(work: Callable[[], Any]) -> float:
    """The fastest of three runs, after one that compiles and allocates."""
    taken = []
    for _ in range(1 + _RUNS):
        began = perf_counter()
        work()
        taken.append(perf_counter() - began)
    return min(taken[1:])


def _bytes_held(held: Any) -> int:
    """The size of all arrays in a tree of dataclasses and tuples, each counted once."""
    return sum({id(array): array.nbytes for array in _arrays(held)}.values())


def _arrays(held: Any) -> Iterator[NDArray[Any]]:
    if isinstance(held, np.ndarray):
        yield held
    elif isinstance(held, tuple):
        for item in held:
            yield from _arrays(item)
    elif is_dataclass(held) and not isinstance(held, type):
        for part in fields(held):
            yield from _arrays(getattr(held, part.name))


_HEAD = ("node", "samples", "columns", "bytes", "predicted", "measured", "of all", "ns/row")
_FAR = 4.0
_OF_32_DRAWS = 0.25


@dataclass(frozen=True)
class AnalyzedNode:
    """A part of a plan, the landmarks or a stratum, whose estimate is added to the others.

    `predicted` and `measured` are E‖K̂_i − K_i‖²_F / ‖K‖²_F, K_i being what this part estimates; for landmarks alone
    the square of their bias, else theirs is 0. `standard_error` is that of `measured`. `bytes_held` is the size of its
    arrays, `seconds_a_row` the time for the features of a row.
    """

    name: str
    words: tuple[str, ...]
    samples: int
    columns: int
    bytes_held: int
    predicted: float
    measured: float
    standard_error: float
    seconds_a_row: float
    plan_measured: bool = False

    @property
    def agrees(self) -> bool:
        """Whether prediction and measurement differ by at most four standard errors, or both are rounding.

        If the prediction was measured too (`plan_measured`: coupled samples, landmarks), it may be off by another
        quarter, the standard error of a variance from 32 draws.
        """
        if not math.isfinite(self.predicted):
            return False
        own = _OF_32_DRAWS * self.predicted if self.plan_measured else 0.0
        slack = _FAR * self.standard_error + own + 1e-9 * self.measured
        measured, predicted = (max(square, ROUNDING**2) for square in (self.measured, self.predicted))
        return bool(abs(measured - predicted) <= slack)

    def cells(self, total: float) -> tuple[str, ...]:
        """A row of the table; `total` is the measured error of all nodes."""
        return (
            self.name,
            f"{self.samples:,}",
            f"{self.columns:,}",
            f"{self.bytes_held:,}",
            _root(self.predicted),
            f"{_root(self.measured)} ± {_root_error(self.measured, self.standard_error)}",
            f"{self.measured / total:.0%}" if total else "",
            f"{1e9 * self.seconds_a_row:,.0f}",
        )

    def to_dict(self) -> dict[str, Any]:
        """The node as JSON data."""
        return {**asdict(self), "words": list(self.words), "agrees": self.agrees}


@dataclass(frozen=True, repr=False)
class Analysis:
    """The execution of a plan on some rows: `nodes`, and totals.

    `predicted` is the square of `FeatureMap.predicted_error` on these rows, `this_map` is ‖K̂ − K‖_F / ‖K‖_F of the map
    itself, one draw; `replicates` new draws of every node were measured.
    """

    spec: str
    plan: str
    rows: int
    replicates: int
    nodes: tuple[AnalyzedNode, ...]
    this_map: float

    @property
    def predicted(self) -> float:
        """The prediction for the whole map; the parts are independent."""
        return sum(node.predicted for node in self.nodes)

    @property
    def measured(self) -> float:
        """The measurement for the whole map."""
        return sum(node.measured for node in self.nodes)

    @property
    def standard_error(self) -> float:
        """The standard error of `measured`."""
        return math.sqrt(sum(node.standard_error**2 for node in self.nodes))

    @property
    def worst(self) -> AnalyzedNode | None:
        """The node with the largest error; None if the map is exact."""
        return max(self.nodes, key=lambda node: node.measured) if self.measured > 0 else None

    def __str__(self) -> str:
        """The tree of the plan, a line per node, with its contents below."""
        rows = [_HEAD, *(node.cells(self.measured) for node in self.nodes)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
        said = [f"analysis: {self.plan}", "  relative error (Frobenius) of the kernel matrix, part by part:"]
        said.append("  " + _aligned(_HEAD, widths))
        for row, node in zip(rows[1:], self.nodes, strict=True):
            marks = " ← most of the error" * (node is self.worst and len(self.nodes) > 1)
            marks += "" if node.agrees else " ≠ not as predicted"
            said.append("  " + _aligned(row, widths) + marks)
            said += [f"      {line}" for line in node.words]
        return "\n".join(said + [f"  {label}: {text}" for label, text in self._rows()])

    def _rows(self) -> list[tuple[str, str]]:
        error = f"{_root(self.measured)} ± {_root_error(self.measured, self.standard_error)}"
        return [
            ("in all", f"predicted {_root(self.predicted)}, measured {error}; this map {self.this_map:.3g}"),
            ("measured on", f"{self.rows} rows, with {self.replicates} new draws of every node"),
        ]

    def __repr__(self) -> str:
        nodes = f"{len(self.nodes)} node{'s' if len(self.nodes) != 1 else ''}"
        error = f"predicted {_root(self.predicted)}, measured {_root(self.measured)}"
        return f"Analysis({quoted(self.spec)}, {nodes}, {error})"

    def _repr_html_(self) -> str:
        """A line per node, with an expandable full analysis."""
        table = html_grid(_HEAD, [node.cells(self.measured) for node in self.nodes])
        text = folded("the whole analysis", preformatted(str(self)))
        return coloured(self.spec) + html_rows(f"Analysis: {self.plan}", self._rows()) + table + text

    def _repr_latex_(self) -> str:
        return latex_rows([("analysis", self.plan), *self._rows()])

    def to_dict(self) -> dict[str, Any]:
        """The analysis as JSON data."""
        return {
            "spec": self.spec,
            "plan": self.plan,
            "rows": self.rows,
            "replicates": self.replicates,
            "predicted": self.predicted,
            "measured": self.measured,
            "standard_error": self.standard_error,
            "this_map": self.this_map,
            "worst": None if self.worst is None else self.nodes.index(self.worst),
            "nodes": [node.to_dict() for node in self.nodes],
        }


def _root(square: float) -> str:
    """A relative error, from its square."""
    return f"{math.sqrt(square):.3g}"


def _root_error(square: float, error: float) -> str:
    """The standard error of a root: that of the square over twice the root."""
    return f"{error / (2 * math.sqrt(square)):.1g}" if square > 0 else "0"


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)])
