"""EXPLAIN ANALYZE: what every part of a plan adds to the error, predicted and measured on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.maps.analysis import Analysis, AnalyzedNode
from kernelspec.maps.anchored import anchor_columns, anchored_features
from kernelspec.maps.columns.category_blocks import CategoryBlocks
from kernelspec.maps.draw import draw
from kernelspec.maps.evaluation import evaluate
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.maps.predictions import ErrorOnRows
from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.anchors.residual import Residual
from kernelspec.planning.pair_sums import ROUNDING
from kernelspec.planning.strata import Stratum, exactness_of, kernel_value
from kernelspec.planning.variance import estimate_variance
from kernelspec.planning.whole_number import whole_number
from kernelspec.random.hashing import mix

if TYPE_CHECKING:
    from kernelspec.planning.plan import Plan
    from kernelspec.samples.samples import Side
    from kernelspec.tables.rows import Rows

__all__ = ["analyze"]

_ROWS = 128
_TIMED_ROWS = 2048
_RUNS = 3
_SALT = 0x414E414C595A45
_SIDES: tuple[Side, Side] = ("left", "right")


def analyze(fmap: FeatureMap, rows: Rows, replicates: int) -> Analysis:
    """The analysis of a map on up to 128 of these rows. Raises what `FeatureMap.analyze` raises."""
    plan = fmap.plan
    replicates = whole_number("replicates", replicates, 2)
    if plan.zero_bit or plan.estimated is not None:
        raise PlanError("zero_bit and fitted masses have another mean than the kernel: ks.verify measures them")
    work = _Work(fmap, rows.some(_ROWS), rows.take(slice(0, _TIMED_ROWS)), replicates)
    nodes = [work.anchors()] if plan.anchors is not None else []
    nodes += [work.stratum(number) for number, n in enumerate(plan.chosen.counts) if n]
    return Analysis(plan.text, plan.chosen.describe(), len(work.rows), replicates, tuple(nodes), work.error_of_map())


@dataclass(frozen=True, eq=False)
class _Work:
    """A map, rows on which errors are measured, and rows on which time is."""

    fmap: FeatureMap
    rows: Rows
    timed: Rows
    replicates: int

    @property
    def plan(self) -> Plan:
        return self.fmap.plan

    @cached_property
    def pairs(self) -> NumericPairs:
        return NumericPairs(self.rows, self.rows)

    @cached_property
    def kernel(self) -> NDArray[np.float64]:
        return kernel_value(self.plan.strata, self.pairs)

    @cached_property
    def residual(self) -> Residual:
        assert self.plan.anchors is not None
        return Residual.on(self.pairs, self.plan.anchors, self.plan.strata)

    @cached_property
    def anchor_columns(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Those of the rows, on the left and on the right."""
        assert self.plan.anchors is not None
        left, right = (anchor_columns(self.plan, self.plan.anchors, self.rows, side) for side in _SIDES)
        return left, right

    @property
    def compares_columns(self) -> bool:
        """Whether the estimate is that of the features; else keys themselves are compared."""
        learnt = any(own is not None and not isinstance(own, CategoryBlocks) for own in self.fmap.occupied or ())
        return self.fmap.has_keys and self.plan.collisions is not None and not learnt

    # -- the anchors -------------------------------------------------------------------------------------------------

    def anchors(self) -> AnalyzedNode:
        """The anchors: certain, and biased where no samples correct them."""
        anchors, size = self.plan.anchors, float(np.square(self.kernel).sum())
        assert anchors is not None
        predicted = float(np.square(self.plan.bias_on(self.pairs)).sum()) / size if size else 0.0
        measured = 0.0
        if self.plan.chosen.is_biased and size:
            left, right = self.anchor_columns
            measured = float(np.square((left * anchors.signs) @ right.T - self.kernel).sum()) / size
        seconds = _seconds(lambda: anchor_columns(self.plan, anchors, self.timed, "left")) / len(self.timed)
        return AnalyzedNode(
            "anchors",
            (f"{len(anchors.left)} rows of the data",),
            0,
            anchors.n_columns,
            _bytes_held(anchors),
            predicted,
            measured,
            0.0,
            seconds,
        )

    # -- the strata --------------------------------------------------------------------------------------------------

    def stratum(self, number: int) -> AnalyzedNode:
        """One of the strata, by its number."""
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
            tuple(stratum.law.lines(stratum.positions, self.plan.layout.names)),
            n,
            self._columns(own),
            _bytes_held((own.dense, own.keyed, own.anchored)),
            self._above_rounding(scale * self._predicted(number), stratum),
            scale * float(np.mean(squares)),
            float(scale * np.std(squares, ddof=1) / np.sqrt(self.replicates)),
            _seconds(lambda: self._features(own, self.timed, "left")) / len(self.timed),
            plan_measured=self.plan.is_measured,
        )

    def _above_rounding(self, predicted: float, stratum: Stratum) -> float:
        """A squared relative error, 0 only for a part that is exact."""
        hashed = self.compares_columns and self.plan.collisions is not None
        exact = self.plan.unbiased and exactness_of([stratum], self.plan.form, hashed=hashed)
        return predicted if exact else max(predicted, ROUNDING**2)

    def _own(self, number: int) -> FeatureMap:
        """The part of the map itself, with the columns that were learnt for its keys."""
        own = self._part(number, self.plan.seed)
        if own.has_columns or self.fmap.occupied is None:
            return own
        first = sum(len(draw(self.plan, before)[1]) for before in range(number))
        return replace(own, occupied=self.fmap.occupied[first : first + len(own.keyed)])

    def _part(self, number: int, seed: int) -> FeatureMap:
        """A map with the samples of one stratum alone."""
        plan = self.plan if seed == self.plan.seed else replace(self.plan, seed=seed)
        dense, keyed, occupied = draw(plan, number)
        anchored = None if plan.anchors is None else anchored_features(plan, plan.anchors, dense)
        return FeatureMap(plan, dense, keyed, occupied, anchored)

    def _seed(self, number: int, replicate: int) -> int:
        """Of draws that no map has."""
        state = mix(np.uint64(self.plan.seed & (1 << 64) - 1), np.uint64(number), salt=_SALT)
        return int(mix(state, np.uint64(replicate))) >> 1

    def _exact(self, stratum: Stratum) -> NDArray[np.float64]:
        """What the part estimates: the stratum, less what anchors say of it."""
        if self.plan.anchors is not None:
            return stratum.weight * self.residual.kernel(stratum)
        return np.asarray(stratum.weight * np.asarray(stratum.mean_value(self.pairs), dtype=float))

    def _estimate(self, part: FeatureMap) -> NDArray[np.float64]:
        if part.anchored is None and not self.compares_columns:
            return part.approximate(self.rows)
        left, right = (self._features(part, self.rows, side) for side in _SIDES)
        signs = part.signs[self.plan.chosen.anchors :]
        if isinstance(left, np.ndarray):
            return np.asarray(((left * signs) @ right.conj().T).real)
        return np.asarray((left.multiply(signs[None, :]).tocsr() @ right.conj().T).toarray().real)

    def _features(self, part: FeatureMap, rows: Rows, side: Side) -> Any:
        """The columns of the part; with anchors, these are evaluated once for the rows that are analysed."""
        if part.anchored is None:
            if not part.has_columns:
                part = part.with_columns_of([rows])
            return evaluate(part, rows, side)
        assert part.dense is not None
        form, kind = self.plan.form, np.dtype(np.float64)
        out = np.empty((len(rows), part.dense.n_columns(form)))
        part.dense.evaluate(rows, side, form, kind, out)
        if rows is self.rows:
            part.anchored.correct(self.anchor_columns[_SIDES.index(side)], side, out)
        return out

    def _columns(self, part: FeatureMap) -> int:
        if not part.has_columns:
            part = part.with_columns_of([self.rows])
        return part.n_columns - self.plan.chosen.anchors

    def _predicted(self, number: int) -> float:
        """Σ of the variance of this part over all pairs."""
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
        """‖K̂ − K‖_F / ‖K‖_F of the map as it is; 0 where K is zero."""
        if self.compares_columns:
            left, right = (evaluate(self.fmap, self.rows, side) for side in _SIDES)
            signed = left * self.fmap.signs if isinstance(left, np.ndarray) else left.multiply(self.fmap.signs[None, :])
            estimate = signed @ right.conj().T
            estimate = np.asarray(estimate if isinstance(estimate, np.ndarray) else estimate.toarray()).real
        else:
            estimate = self.fmap.approximate(self.rows)
        size = float(np.linalg.norm(self.kernel))
        return float(np.linalg.norm(estimate - self.kernel)) / size if size else 0.0


def _seconds(work: Callable[[], Any]) -> float:
    """The least of three runs, after one that compiles and allocates."""
    work()
    return min(_timed(work) for _ in range(_RUNS))


def _timed(work: Callable[[], Any]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


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
