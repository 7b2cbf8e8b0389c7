"""Models of tables larger than memory: two passes over blocks of rows, where the second only adds up sums.

Blocks come from one process, whose sums a checkpoint keeps, or from the workers of Dask.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate
from numbers import Integral
from pathlib import Path
from time import monotonic
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from kernelspec import __version__
from kernelspec.errors import DataError, FileError, PlanError
from kernelspec.maps.map_file import read_model, save_model
from kernelspec.models.saved import FittedEstimator, HeldOut, Training, compared, rows_at, training_of
from kernelspec.models.state import SavedState, State, weights_of
from kernelspec.numerics.threads import in_this_thread
from kernelspec.tables.atomic import check_name, check_target
from kernelspec.tables.files import joined
from kernelspec.tables.rows import Rows, row_lottery
from kernelspec.tables.table_kinds import as_table, column_names, in_memory, is_arrow_table, is_lazy, width_of

__all__ = ["BlockwiseEstimator", "DaskPartitions", "SavedProgress"]

_Found = TypeVar("_Found")
_Model = TypeVar("_Model", bound="BlockwiseEstimator")

_SAMPLED = 8_000
"""Random rows used to choose landmarks, samples and scales."""

_SECONDS, _SHARE = 60.0, 0.05
"""Seconds between two checkpoints, or more if writing one takes more than this share of the time."""


@dataclass(frozen=True, eq=False)
class _Sample:
    """Random rows of blocks in table order, with the ranks by which they were drawn: the lowest of all."""

    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64]
    ranks: NDArray[np.float64]

    def split(self, n: int) -> tuple[_Sample, _Sample]:
        """The n rows of lowest rank, and the others."""
        low = np.zeros(len(self.ranks), dtype=bool)
        low[np.argsort(self.ranks)[:n]] = True
        return self.at(np.flatnonzero(low)), self.at(np.flatnonzero(~low))

    def at(self, index: NDArray[np.intp]) -> _Sample:
        return _Sample(rows_at(self.X, index), self.y[index], self.weights[index], self.ranks[index])


@dataclass(frozen=True, eq=False)
class DaskPartitions:
    """Parts that Dask makes, each a delayed iterable of blocks; results are joined in pairs, as a tree.

    `compute` returns the value of a delayed object: that of `client.compute(…).result()`, or Dask's own.
    """

    parts: Sequence[Any]
    compute: Callable[[Any], Any]

    @classmethod
    def of_collections(cls, X: Any, y: Any, sample_weight: Any) -> DaskPartitions:
        """The parts of a dask.dataframe or dask.array with targets and weights. Raises DataError if they do not fit."""
        from dask import compute, delayed

        given = [X, y] if sample_weight is None else [X, y, sample_weight]
        parts = []
        for name, own in zip(("X", "y", "sample_weight"), given, strict=False):
            n_axes = getattr(own, "ndim", None)  # of a delayed object, everything is delayed
            if not (is_lazy(own) and hasattr(own, "to_delayed") and isinstance(n_axes, int) and n_axes in (1, 2)):
                what = "a dask.dataframe or dask.array" if own is X else "one, too"
                raise DataError(f"X is a Dask collection, so {name} must be {what}, not {type(own).__name__}")
            if hasattr(own, "rechunk"):
                own = own.rechunk({1: -1}) if own.ndim == 2 else own  # noqa: PLW2901
            parts.append(np.ravel(own.to_delayed()).tolist())
        if len({len(own) for own in parts}) > 1:
            counts = " and ".join(str(len(own)) for own in parts)
            raise DataError(f"the Dask collections have {counts} partitions: give X and y the same ones")
        return cls([delayed(_one_block)(*own) for own in zip(*parts, strict=True)], lambda own: compute(own)[0])

    @cached_property
    def offsets(self) -> list[int]:
        """The number of rows before each part."""
        from dask import delayed

        counts = self.compute(delayed(list)([delayed(_count)(part) for part in self.parts]))
        return [0, *accumulate(counts)][:-1]

    def reduced(
        self, of: Callable[..., _Found], join: Callable[[_Found, _Found], _Found], given: Sequence[Any]
    ) -> _Found:
        """Join `of(part, first, *given)` of all parts, where `first` is the number of rows in the parts before."""
        from dask import delayed

        held = [delayed(own, traverse=False) for own in given]  # sent once
        found = [delayed(_alone)(of, *own, *held) for own in zip(self.parts, self.offsets, strict=True)]
        while len(found) > 1:
            found = [
                delayed(join)(*own) if len(own) == 2 else own[0]
                for own in (found[i : i + 2] for i in range(0, len(found), 2))
            ]
        result: _Found = self.compute(found[0])
        return result


def _reduced(
    blocks: Iterable[Sequence[Any]] | DaskPartitions,
    of: Callable[..., _Found],
    join: Callable[[_Found, _Found], _Found],
    given: Sequence[Any],
) -> _Found:
    """`of(blocks, 0, *given)`, or the same of all partitions, joined."""
    return blocks.reduced(of, join, given) if isinstance(blocks, DaskPartitions) else of(blocks, 0, *given)


def _one_block(*block: Any) -> list[tuple[Any, ...]]:
    return [block]


def _alone(of: Callable[..., _Found], *given: Any) -> _Found:
    with in_this_thread():  # Dask has other parts for the other CPUs
        return of(*given)


def _count(blocks: Iterable[Sequence[Any]]) -> int:
    return sum(len(np.asarray(block[1])) for block in blocks)


class BlockwiseEstimator(FittedEstimator):
    """An estimator fitted by sums over rows, so that blocks can be added one by one, and models merged."""

    held_out_: HeldOut | None

    @abstractmethod
    def _classes_with(self, known: NDArray[Any] | None, y: Any) -> NDArray[Any] | None:
        """The known classes and those of these targets; None for regression. Raises DataError."""

    @abstractmethod
    def _begin(self, X: Any, y: Any, weights: NDArray[np.float64], classes: Any) -> None:
        """Choose features for these rows and fit the model to them."""

    @abstractmethod
    def _states(self) -> tuple[State, ...]:
        """The sums over all rows so far. Raises PlanError if there are none."""

    @abstractmethod
    def _become(self, states: Sequence[State], left: float, training: Training) -> None:
        """Replace the sums over all rows; `left` is their remainder of k(x, x), if the model needs it."""

    @abstractmethod
    def _add(self, X: Any, y: Any, weights: NDArray[np.float64]) -> None:
        """Add rows to the sums. Raises DataError."""

    @abstractmethod
    def _solve(self, X: Any, y: Any, weights: NDArray[np.float64]) -> None:
        """Solve for the coefficients; errors of these rows, which have all been added, scale the intervals."""

    @abstractmethod
    def _solve_merged(self, other: Self) -> None:
        """Solve for the coefficients after the sums of another model have been added."""

    def _left(self) -> float:
        """The remainder of k(x, x) over all rows. A method: `dir` and the display in notebooks read every property."""
        return 0.0

    def without_rows(self) -> Self:
        """A copy that has the features of this model, but has seen no rows: a start for `partial_fit` elsewhere.

        What other processes learn from it is added up by `merge`. Until then it predicts as this model does. Raises
        NotFittedError; PlanError for a model without sums: a loaded one, or one solved exactly.
        """
        check_is_fitted(self, "_fitted")
        made, training = copy(self), training_of(self)
        empty = [State.empty(own.feature_map, len(own.target_mean)) for own in self._states()]
        made._become(empty, 0.0, replace(training, n_rows=0, n_distinct=0))
        return made

    def merge(self, other: Self) -> Self:
        """Add the rows of a model with the same features to this one, and solve again.

        Coefficients, and the noise and amplitude of a regressor, are those of one model of all rows, to rounding; the
        noise of a classifier is that of its first rows. Quantiles for intervals are averaged by the numbers of rows.
        Both models come from one: see `without_rows`. Raises PlanError for another kind of model, other features, or
        models without sums; DataError for other targets.
        """
        if type(other) is not type(self) or not hasattr(other, "_fitted"):
            raise PlanError(f"a fitted {type(self).__name__} is merged with another one, not with {other!r:.60}")
        if training_of(other).n_rows:
            merged = self._joined(other)
            merged._solve_merged(other)
            self.__dict__.update(merged.__dict__)
        return self

    def _joined(self, other: Self) -> Self:
        """A copy with the sums of both; not yet solved."""
        mine, theirs = training_of(self), training_of(other)
        if mine.layout != theirs.layout:
            raise PlanError("models that read other columns, or columns of other types, cannot be merged")
        if not np.array_equal(getattr(self, "classes_", ()), getattr(other, "classes_", ())):
            raise DataError("models of other classes cannot be merged: list the same classes= in both")
        if len(self._states()) != len(other._states()):
            raise PlanError("models with other features cannot be merged: start both from one model's without_rows()")
        states = [one + own for one, own in zip(self._states(), other._states(), strict=True)]
        made = copy(self)
        made._become(states, self._left() + other._left(), mine.joined(theirs))
        return made

    def _fit_blocks(
        self, blocks: Iterable[Sequence[Any]] | DaskPartitions, n_held_out: int, checkpoint: str | Path | None = None
    ) -> Self:
        """Fit to all blocks; what interrupts the fit leaves the estimator as it was."""
        if not isinstance(n_held_out, Integral) or n_held_out < 0:
            raise PlanError(f"n_held_out must be a whole number, 0 or more, not {n_held_out!r:.60}")
        if not isinstance(blocks, Iterable | DaskPartitions) or isinstance(blocks, Iterator):
            raise PlanError(
                "blocks are read twice, and an iterator is used up by the first pass: give a list of pairs (X, y), or "
                "an object whose __iter__ starts again"
            )
        progress = None
        if checkpoint is not None and not isinstance(blocks, DaskPartitions):
            check_name(checkpoint)
            check_target(Path(checkpoint))
            blocks = progress = Progress(blocks, Path(checkpoint))
        before = dict(self.__dict__)
        try:
            seen = _reduced(blocks, _sampled, _Seen.joined, [_SAMPLED + int(n_held_out), clone(self)])
            if seen.sample is None:
                raise DataError("the blocks have no rows to fit a model to")
            held, others = seen.sample.split(min(int(n_held_out), len(seen.sample.y) // 5))
            self._begin(others.X, others.y, others.weights, seen.classes)
            empty = self.without_rows()
            if progress is not None:
                progress.resume(empty, len(held.y), self._rows(others.X))
            highest = float(held.ranks.max()) if len(held.ranks) else -1.0
            total = _reduced(blocks, _added, type(self)._joined, [empty, highest, progress])
            self.__dict__.update(total.__dict__)
            self._solve(others.X, others.y, others.weights)
            self.held_out_ = None
            if len(held.y):
                self.held_out_ = compared(self, held.X, held.y, others.X, others.y)
                self._add(held.X, held.y, held.weights)
                self._solve(others.X, others.y, others.weights)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self


@dataclass(frozen=True, eq=False)
class _Seen:
    """The sampled rows of a part, up to `n_rows` of lowest rank, and the classes of all its rows."""

    n_rows: int
    sample: _Sample | None
    classes: NDArray[Any] | None

    def joined(self, other: _Seen) -> _Seen:
        """Of both parts."""
        if self.sample is None or other.sample is None:
            return other if self.sample is None else self
        classes = None
        if self.classes is not None and other.classes is not None:
            classes = np.unique(np.concatenate([self.classes, other.classes]))
        return _Seen(self.n_rows, _joined([self.sample, other.sample]).split(self.n_rows)[0], classes)


def _sampled(blocks: Iterable[Sequence[Any]], first: int, n_rows: int, model: BlockwiseEstimator) -> _Seen:
    """`n_rows` random rows of blocks, or all if there are fewer; and the classes of all rows."""
    parts: list[_Sample] = []
    highest, classes = 1.0, None
    for own in _ranked(blocks, first):
        classes = model._classes_with(classes, own.y)
        parts.append(own.at(np.flatnonzero(own.ranks <= highest)))
        if sum(len(part.y) for part in parts) > 2 * n_rows:
            parts = [_joined(parts).split(n_rows)[0]]
            highest = float(parts[0].ranks.max())
    return _Seen(n_rows, _joined(parts).split(n_rows)[0] if parts else None, classes)


def _added(
    blocks: Iterable[Sequence[Any]], first: int, model: _Model, highest: float, progress: Progress | None
) -> _Model:
    """A copy of a model with the rows of blocks above a rank added."""
    found = copy(model)
    for own in _ranked(blocks, first):
        kept = own if progress is None else progress.unread(own)
        kept = kept.at(np.flatnonzero(kept.ranks > highest)) if (kept.ranks <= highest).any() else kept
        if len(kept.y):
            found._add(kept.X, kept.y, kept.weights)
        if progress is not None:
            progress.reached(found)
    return found


@dataclass(frozen=True, eq=False)
class SavedProgress:
    """A checkpoint: the sums over the first `n_read` rows that count, of a table that a digest describes."""

    software: str
    table: str
    n_read: int
    training: Training
    left: float
    states: tuple[SavedState, ...]

    def validate(self) -> None:
        """Raise ValueError for negative numbers; a file may hold anything."""
        if self.n_read < 0 or not self.left >= 0 or not self.states:
            raise ValueError("a checkpoint of no rows")


@dataclass(eq=False)
class Progress:
    """Blocks of rows, and the file that keeps the sums over them while they are added.

    The table is recognized by its targets, weights and sampled rows.
    """

    blocks: Iterable[Sequence[Any]]
    path: Path
    _columns: tuple[Any, Any] = field(default_factory=lambda: (blake2b(), blake2b()))
    _table: str | None = None
    _n_saved: int = 0
    _n_read: int = 0
    _due: float = 0.0

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for block in self.blocks:
            if self._table is None and isinstance(block, tuple | list):
                for column, digest in zip(map(np.asarray, block[1:]), self._columns, strict=False):
                    digest.update(  # the same for all cuts
                        column.tobytes() if column.dtype.kind in "biuf" else "".join(f"{v}\0" for v in column).encode()
                    )
            yield block

    def resume(self, model: BlockwiseEstimator, n_held_out: int, rows: Rows) -> None:
        """Give a model without rows the sums in the file, if there is one.

        Raises FileError for a file of another version, spec, table, or map.
        """
        digest = blake2b(f"{n_held_out} {getattr(model, 'class_weight', None)}".encode(), digest_size=16)
        parts = [own.digest() for own in self._columns]
        for part in (*parts, rows.dense().tobytes(), *(rows.categories[i].tobytes() for i in sorted(rows.categories))):
            digest.update(part)
        self._table, self._due = digest.hexdigest(), monotonic() + _SECONDS
        if not self.path.exists():
            return
        saved, own = read_model(self.path, SavedProgress)[1], training_of(model)
        states = model._states()
        for differs, what in (
            (saved.software != __version__, f"by version {saved.software} of kernelspec, and this is {__version__}"),
            (saved.training.spec != own.spec, f"for another spec, {saved.training.spec.rstrip()!r:.200}"),
            (saved.table != self._table, "for other rows, targets or weights"),
            (saved.training.layout != own.layout or len(saved.states) != len(states), "with other options"),
        ):
            if differs:
                raise FileError(f"{self.path}: this checkpoint was written {what}. Delete it to start again")
        try:
            found = [one + other.state() for one, other in zip(states, saved.states, strict=True)]
        except (PlanError, DataError):
            raise FileError(
                f"{self.path}: this checkpoint was written with other options, such as n_features, method or seed. "
                "Delete it to start again"
            ) from None
        model._become(found, saved.left, saved.training)
        self._n_saved = saved.n_read

    def unread(self, own: _Sample) -> _Sample:
        """The rows of a block that the file does not have."""
        first, self._n_read = self._n_read, self._n_read + len(own.y)
        return own if first >= self._n_saved else own.at(np.arange(len(own.y))[self._n_saved - first :])

    def reached(self, model: BlockwiseEstimator) -> None:
        """Write the file if it is due. Raises FileError."""
        began = monotonic()
        if began < self._due or self._n_read <= self._n_saved:
            return
        states = tuple(map(SavedState.of, model._states()))
        saved = SavedProgress(__version__, str(self._table), self._n_read, training_of(model), model._left(), states)
        save_model(saved, self.path)
        self._due = monotonic() + max(_SECONDS, (monotonic() - began) / _SHARE)


def _ranked(blocks: Iterable[Sequence[Any]], first: int) -> Iterator[_Sample]:
    """The rows of blocks that count, with a random number that depends on the place of the row in the whole table."""
    generator = row_lottery(first)
    for block in blocks:
        if not isinstance(block, tuple | list) or len(block) not in (2, 3):
            raise DataError("a block must be a pair (X, y), or (X, y, sample_weight)")
        X, y, *weights = block
        if hasattr(X, "read_all"):
            raise DataError("blocks are read twice, and a reader of record batches once: give its table, read_all()")
        table, targets = in_memory(as_table(X)), np.asarray(y)
        n_rows, n_targets = table.shape[0], len(targets) if targets.ndim else 0
        if n_rows != n_targets:
            raise DataError(f"a block has {n_rows} rows and {n_targets} targets")
        own = np.ones(n_rows) if not weights else _numbers(weights[0])
        if n_rows and own.any():
            own = weights_of(own, n_rows)
        counted, ranks = np.flatnonzero(own), generator.random(n_rows)
        if len(counted):
            found = _Sample(table, targets, own, ranks)
            yield found if len(counted) == n_rows else found.at(counted)


def _alike(tables: list[Any]) -> list[Any]:
    """Tables of one kind, with the columns in the order of the first. Raises DataError for others."""
    (package, name), width, names = _kind(tables[0]), width_of(tables[0]), column_names(tables[0])
    for own in tables[1:]:
        if _kind(own)[0] != package:
            one, another = f"{package}.{name}", ".".join(_kind(own))
            raise DataError(f"the first block is a {one}, and another a {another}: make all of one kind")
        if width_of(own) != width:
            raise DataError(f"the first block has {width} columns, and another has {width_of(own)}")
        other = set(names or ()) ^ set(column_names(own) or ())
        if other:
            raise DataError(f"column names must be the same in all blocks; {min(other)!r} is not")
    if names is None:
        return tables
    import narwhals as nw

    return [own if column_names(own) == names else nw.from_native(own).select(*names).to_native() for own in tables]


def _kind(table: Any) -> tuple[str, str]:
    """The package and name of its type."""
    return type(table).__module__.partition(".")[0], type(table).__name__


def _numbers(weights: Any) -> NDArray[np.float64]:
    try:
        return np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"sample_weight must be numbers, not {np.asarray(weights).dtype}") from None


def _joined(parts: Sequence[_Sample]) -> _Sample:
    shapes = {own.y.shape[1:] for own in parts}
    if len(shapes) > 1:
        raise DataError("y has another number of targets in some blocks than in others")
    y, weights, ranks = (np.concatenate([getattr(own, name) for own in parts]) for name in ("y", "weights", "ranks"))
    tables = _alike([own.X for own in parts])
    if isinstance(tables[0], np.ndarray):
        return _Sample(np.concatenate(tables), y, weights, ranks)
    if hasattr(tables[0], "indptr"):
        from scipy import sparse

        return _Sample(sparse.vstack(tables, format="csr"), y, weights, ranks)
    if all(map(is_arrow_table, tables)):
        return _Sample(joined(tables), y, weights, ranks)
    import narwhals as nw

    try:
        whole = nw.concat([nw.from_native(own, eager_only=True) for own in tables], how="vertical").to_native()
    except (ValueError, TypeError, nw.exceptions.NarwhalsError) as error:
        raise DataError(f"blocks have other columns, or columns of other types, than those before: {error}") from None
    return _Sample(whole, y, weights, ranks)
