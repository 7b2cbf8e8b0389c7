"""The arguments of an estimator, checked: a kernel as text or a Spec, a table, targets and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from kernelspec.catalogue import KERNELS
from kernelspec.compilation import compile_spec
from kernelspec.elaboration.data_columns import fitted_to_table, on_table, with_medians_of_table
from kernelspec.elaboration.medians import Weigh
from kernelspec.elaboration.scope import MEDIAN, Columns
from kernelspec.elaboration.valued_program import mentioned
from kernelspec.errors import CellTypeError, DataError, KernelspecError, ParameterError, PlanError, SpecError
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.kernels.leaf import Leaf, load_kernel
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.language.nodes import Call, Node
from kernelspec.loading import unknown_argument
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.models.exact import warn_of_lost_terms
from kernelspec.models.ridge import RidgePath, landmarks_pay
from kernelspec.models.state import State, check_real
from kernelspec.planning.options import ALSO_CALLED, Budget, Method
from kernelspec.planning.request import SeenData
from kernelspec.spec import Spec, parse
from kernelspec.tables.column_types import Missing
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows
from kernelspec.tables.schema import text_columns
from kernelspec.tables.table_kinds import as_table, column_names, open_frame, values_of, width_of

__all__ = [
    "Observations",
    "SpecOnTable",
    "SpecParameters",
    "Table",
    "check_counts",
    "check_definite",
    "checked_features",
    "checked_table",
    "drawn_seed",
]

_LANDMARKS, _MORE_LANDMARKS = 1024, 1536
"""n_features="auto" of a model, and where more pay."""

_MOST_FOR_MORE = 1 << 26
"""Features of all rows, beyond which more of them take too long to be a default."""

_NO_CHANCE = 20
"""Rows in which a column of two values does not equal a target by chance."""

_FEW = 32
"""Observations that are few, and the most that these weigh: noise and amplitude are learned again without each."""


class SpecParameters(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """An estimator with a spec, whose parameters are hyperparameters as `params__name`.

    `spec` and `params`, valid or not, are checked on use.
    """

    spec: str | Spec
    params: Mapping[str, float | Literal["median"]] | None
    feature_names: Sequence[str] | None
    text: Sequence[str | int] | None
    missing: Missing
    random_state: int | np.random.RandomState | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments, and if `deep` every parameter of the spec as `params__name`."""
        found: dict[str, Any] = super().get_params(deep=deep)
        if deep:
            values: dict[str, Any] = {}
            with suppress(KernelspecError):  # an invalid spec is reported when it is fitted
                values |= self._given_spec().params
            values |= self.params if isinstance(self.params, Mapping) else {}
            found.update({f"params__{name}": value for name, value in values.items()})
        return found

    def set_params(self, **params: Any) -> Self:
        """Set arguments, and parameters of the spec as `params__name`. Raises ValueError for an unknown one."""
        own = {name: value for name, value in params.items() if not name.startswith("params__")}
        nested = {name.removeprefix("params__"): value for name, value in params.items() if name not in own}
        names = self._get_param_names()
        for name in own:
            if name.partition("__")[0] not in names:
                raise unknown_argument(type(self).__name__, name, names, ALSO_CALLED)
        super().set_params(**own)
        if nested:
            known = self._given_spec().params
            for name in nested:
                if name not in known:
                    raise ParameterError(f"Invalid parameter 'params__{name}': the spec has {list(known) or 'none'}")
            self.params = {**(self.params or {}), **nested}
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.categorical = self._compares_categories()
        tags.input_tags.allow_nan = self.missing == "category" and tags.input_tags.categorical
        return tags

    def _compares_categories(self) -> bool:
        """Whether a kernel in the spec compares categories; false for an invalid spec."""
        try:
            program = self._given_spec().program
        except KernelspecError:
            return False
        called = (part.function for part in program.parts() if isinstance(part, Call) and part.function in KERNELS)
        return any(load_kernel(name).compares_categories for name in called)

    def _given_spec(self) -> Spec:
        """The spec without the given values. Raises SpecError, or PlanError for anything but text and a Spec."""
        if isinstance(self.spec, Spec):
            return self.spec
        if isinstance(self.spec, str):
            return parse(self.spec)
        raise PlanError(f"spec must be the text of a kernel, or a Spec, not {self.spec!r:.60}")

    def _spec_on(self, table: Table) -> Spec:
        """The spec with its values, where "median" refers to the table. Raises SpecError, ParameterError, DataError."""
        if self.params is not None and not isinstance(self.params, Mapping):
            raise ParameterError(f"params must be a mapping from names to numbers, not {self.params!r:.60}")
        given = self.params or {}
        medians = [name for name, value in given.items() if isinstance(value, str) and value == MEDIAN]
        spec = self._given_spec().with_params({name: own for name, own in given.items() if name not in medians})
        return table.with_medians(spec, medians) if medians else table.fitted(spec)

    def _table(self, X: Any, weigh: Weigh | None = None) -> Table:
        """A table for fit. Raises DataError."""
        return Table.of(X, self.feature_names, text_columns(self.text), self.missing, weigh)

    def _seed(self) -> int:
        """The seed of `ks.compile`: `random_state`, or one drawn from it."""
        given = self.random_state
        return int(given) if isinstance(given, Integral) else drawn_seed(given)


def drawn_seed(random_state: Any) -> int:
    """A seed drawn from what scikit-learn accepts as a `random_state`. Raises PlanError for anything else."""
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        raise PlanError(
            "random_state must be None, a seed from 0 to 2**32 - 1, or a numpy.random.RandomState, not "
            f"{random_state!r:.60}"
        ) from None


def _has_noise_of_zero(spec: Spec, kernel: Kernel) -> bool:
    """Whether the spec has a term 0*noise(), which is not in its kernel."""
    lines = {line.name: line for line in spec.program.statements}
    used: list[Node] = [spec.program.body]
    for node in used:  # grows
        used += [line for name in mentioned(node) if (line := lines.pop(name, None)) is not None]
    is_written = any(isinstance(part, Call) and part.function == "noise" for node in used for part in node.parts())
    return is_written and not any(isinstance(part, Leaf) and part.is_noise for part in kernel.parts())


def check_definite(spec: Spec, kernel: Kernel, columns: Columns) -> Verdict:
    """The verdict on the kernel of the spec on these columns, by all rules if its nodes do not decide.

    Raises PlanError for an asymmetric or indefinite kernel.
    """
    verdict = kernel.verdict()
    if verdict.positive_definite == "unknown" and verdict.symmetric is not False:
        from kernelspec.analysis.facts import Facts

        verdict = Facts(spec, columns).verdict
    if verdict.symmetric is False or verdict.positive_definite == "disproved":
        what = "asymmetric" if verdict.symmetric is False else "indefinite"
        raise PlanError(
            f"the kernel is {what}, and this model needs a positive definite one: use "
            "KernelFeatures(spec, side='both') and a linear model"
        )
    return verdict


@dataclass(frozen=True, eq=False)
class Table:
    """A table for fit: its width, the names of its columns, how to read it, and what a spec learns from it.

    `columns` are the names that the caller gives; a row with a weight by `weigh` counts that many times.
    """

    data: Any
    width: int
    names: tuple[str, ...] | None
    columns: Sequence[str] | None = None
    text: Sequence[str | int] = ()
    missing: Missing = "category"
    weigh: Weigh | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        columns: Sequence[str] | None,
        text: Sequence[str | int] = (),
        missing: Missing = "category",
        weigh: Weigh | None = None,
    ) -> Table:
        """A table of any kind. Raises DataError if it has no columns, or `columns` has another length."""
        data = as_table(X)
        width, names = width_of(data), column_names(data)
        if columns is not None:
            if isinstance(columns, str) or not hasattr(columns, "__len__"):
                raise DataError(f"column names must be a list of strings, such as ['x', 'y'], not {columns!r:.60}")
            if names is None and width != len(columns):
                raise DataError(f"X has {width} columns, but feature_names has {len(columns)} names")
            width, names = len(columns), None if names is None else tuple(columns)
        return cls(data, width, names, columns, text, missing, weigh)

    def fitted(self, spec: Spec) -> Spec:
        """The spec with numbers for learned functions."""
        return fitted_to_table(spec, self.data, self.columns, self.weigh)

    def with_medians(self, spec: Spec, names: Sequence[str]) -> Spec:
        """The spec with numbers for learned functions and these lengths. Raises ParameterError."""
        return with_medians_of_table(spec, names, self.data, self.columns, self.text, self.missing, self.weigh)

    def columns_of(self, spec: Spec) -> Columns:
        """The columns of the table for the spec. Raises SpecError."""
        is_named = self.columns is not None or self.names is not None
        return spec.columns(None if is_named else self.width, self.columns, self.names)

    def under(self, spec: Spec) -> SpecOnTable:
        """The table as read for a spec, with recorded column types.

        Raises SpecError, DataError; PlanError for an asymmetric or indefinite kernel.
        """
        columns = self.columns_of(spec)
        found, layout = on_table(spec, columns)
        kernel = found.kernel
        terms = kernel.terms if isinstance(kernel, Sum) else (kernel,)
        if any(isinstance(term, Leaf) and term.is_noise for term in terms):
            raise SpecError(
                "noise() alone, or subtracted, is not a model: the variance of the observation noise must be at least "
                "0, added to the kernel of the signal, as in gaussian() + 0.1*noise()"
            )
        verdict = check_definite(spec, kernel, columns)
        layout = layout.pinned(self.text, self.missing).recorded(self.data)
        noise = float(found.noise) if found.noise or _has_noise_of_zero(spec, kernel) else None
        rows = layout.read(self.data)
        warn_of_lost_terms(kernel, layout, rows)
        return SpecOnTable(spec, noise, kernel, verdict, columns, layout, rows)

    def refuse_target(self, layout: Layout, y: Any) -> None:
        """Raise DataError for a column of a data frame that the spec reads and that equals y, (n,) or (n, T), which
        varies; two values in a few rows may agree by chance.
        """
        given = np.asarray(y)
        targets = [own for own in given.reshape(len(given), -1).T if (own != own[:1]).any()] if len(given) else []
        if len(given) < _NO_CHANCE:
            targets = [own for own in targets if len(set(own.tolist())) > 2]
        if self.names is None or not targets:
            return
        used = set(layout.names_of(layout.used))
        frame, names = open_frame(self.data)
        for name, series in zip(names, frame.iter_columns(), strict=True):
            is_seen = name in used and not series.null_count()  # the target has no missing value
            values = values_of(series, f"column '{name}'") if is_seen else None
            if values is not None and any(np.array_equal(values, own) for own in targets):
                raise DataError(f"column '{name}' equals the target in all rows: drop it, for new rows do not have it")

    def remember(self, estimator: Any) -> None:
        """Set `n_features_in_` and, for a table with names, `feature_names_in_`, as scikit-learn requires."""
        estimator.n_features_in_ = self.width
        if self.names is not None:
            estimator.feature_names_in_ = np.array(self.names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_


@dataclass(frozen=True, eq=False)
class SpecOnTable:
    """A spec with its kernel, the variance of the observation noise if it has any, and the rows that it reads."""

    spec: Spec
    noise: float | None
    kernel: Kernel
    verdict: Verdict
    columns: Columns
    layout: Layout
    rows: Rows

    def features(self, rows: Rows, n_features: Budget, method: Method, seed: int) -> FeatureMap:
        """The feature map of the kernel, planned for these rows. Raises PlanError."""
        n_features = checked_features(n_features)
        if len(rows) < 2:
            raise DataError("all rows are equal in the columns that the spec reads: features cannot tell them apart")
        found = compile_spec(
            self.spec,
            columns=self.columns,
            data=SeenData(rows, (rows,)),
            types=self.layout.types,
            n_features=n_features,
            method=method,
            seed=seed,
        )
        check_real(found)
        return found

    def more_features(self, rows: Rows, state: State, path: RidgePath, seed: int) -> FeatureMap | None:
        """The map of more landmarks than those of a state, if these are `_LANDMARKS` and more of them pay."""
        fmap = state.feature_map
        if fmap.plan.landmarks is None or not fmap.plan.chosen.is_biased or fmap.n_columns < _LANDMARKS:
            return None
        if not _MORE_LANDMARKS < len(rows) <= _MOST_FOR_MORE // _MORE_LANDMARKS or not landmarks_pay(state, path):
            return None
        return self.features(rows, _MORE_LANDMARKS, "nystrom", seed)


def check_counts(weights: NDArray[np.float64]) -> None:
    """Raise DataError for weights of fewer than two rows in all, such as shares."""
    if weights.sum() < 2:
        raise DataError(
            f"sample_weight counts how often rows occur, and adds up to {weights.sum():.3g}: a model needs two rows at "
            "least. Multiply the weights, so that their mean is 1"
        )


def checked_features(n_features: Budget) -> int:
    """The number of features that is asked for; that of "auto" before a fit knows better. Raises PlanError."""
    if isinstance(n_features, str) and n_features == "auto":
        return _LANDMARKS
    if not isinstance(n_features, Integral):
        raise PlanError(f"n_features must be 'auto' or a whole number for a model, not {n_features!r:.60}")
    return int(n_features)


def checked_table(estimator: Any, layout: Layout, X: Any) -> Any:
    """A table for transform or predict. Raises DataError if its columns differ from those seen in fit."""
    X = as_table(X)
    if column_names(X) is None or layout.names is None:
        width = width_of(X)
        if layout.by_name:
            raise DataError(layout.names_needed())
        if width != estimator.n_features_in_:
            expected = f"{type(estimator).__name__} is expecting {estimator.n_features_in_} features as input"
            raise DataError(f"X has {width} features, but {expected}")
        if estimator.feature_names is None:
            validate_data(estimator, X, reset=False, skip_check_array=True)  # warns if names come or go
    else:
        _refuse_dates(layout, X)
    return X


def _refuse_dates(layout: Layout, X: Any) -> None:
    """Raise CellTypeError for a column of dates in a data frame where fit saw numbers."""
    places = dict(zip(layout.names_of(layout.numeric), layout.numeric, strict=True))
    kinds: Mapping[str, Any] = getattr(open_frame(X)[0], "schema", {})  # Arrow tables of numbers alone have none
    for name, kind in kinds.items():
        if str(name) in places and kind.is_temporal() and layout.type_at(places[str(name)]) != "date":
            raise CellTypeError(f"column '{name}' holds dates, but the model was fitted to numbers there")


@dataclass(frozen=True, eq=False)
class Observations:
    """Rows with targets and weights: `rows` are the u distinct ones, row i of n is `rows[place[i]]`.

    `weights` (n,) count how often each observation occurs, times the `factors` (n,) of their classes, if given; those
    of weight 0 are dropped. The order of the distinct rows does not depend on the order of the observations.
    """

    rows: Rows
    place: NDArray[np.intp]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]
    factors: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        rows: Rows,
        targets: NDArray[np.float64],
        weights: NDArray[np.float64],
        factors: NDArray[np.float64] | None = None,
    ) -> Observations:
        """The observations (n,) with targets (n, T). Raises DataError for another number of rows."""
        if len(rows) != len(targets):
            raise DataError(f"X has {len(rows)} rows and y has {len(targets)}: inconsistent numbers of samples")
        kept = np.flatnonzero(weights > 0)
        some = rows if len(kept) == len(rows) else rows.take(kept)
        first, place = some.groups()
        return cls(some.take(first), place, targets[kept], weights[kept], None if factors is None else factors[kept])

    def some(self, kept: NDArray[np.bool_]) -> Observations:
        """Some of the observations, (n,), on the same rows."""
        factors = None if self.factors is None else self.factors[kept]
        return Observations(self.rows, self.place[kept], self.targets[kept], self.weights[kept], factors)

    @cached_property
    def units(self) -> NDArray[np.float64]:
        """The weight that is left out with each observation, (n,).

        That of all copies, equal in row and target; but that of one occurrence where these coincide by chance, because
        targets have few values, or rows several targets. They do not where numbers tell many rows apart, and hardly any
        row has two targets.
        """
        factors = np.ones_like(self.weights) if self.factors is None else self.factors
        if not len(self.targets):
            return factors
        place, n_values = self._copies
        counts = np.divide(self.weights, factors)
        copies = np.asarray(np.bincount(place, counts), dtype=np.float64)
        whole, n_rows = copies[place], len(np.unique(self.place))
        by_chance = 2 * n_values < len(copies) or 2 * len(copies) > 3 * n_rows
        if by_chance and 20 * (len(copies) - n_rows) < n_rows:
            is_weighed = bool((copies % 1 != 0).any())
            by_chance = not is_weighed and len(self.rows.distinct()) <= _FEW
        return factors * (np.minimum(counts, 1.0) if by_chance else whole)

    @cached_property
    def _copies(self) -> tuple[NDArray[np.intp], int]:
        """The number of the distinct pair of row and target of each observation, (n,), and how many targets differ."""
        values, codes = np.unique(self.targets, axis=0, return_inverse=True)
        _, place = np.unique(self.place * len(values) + codes.ravel(), return_inverse=True)
        return place, len(values)

    @property
    def weights_of_copies(self) -> NDArray[np.float64]:
        """Σ w of each distinct pair of row and target: copies have no noise of their own."""
        return np.asarray(np.bincount(self._copies[0], self.weights), dtype=np.float64)

    @property
    def n_targets_of_rows(self) -> NDArray[np.intp]:
        """How many different targets each distinct row has, (u,)."""
        first = np.unique(self._copies[0], return_index=True)[1]
        return np.bincount(self.place[first], minlength=len(self.rows))

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Σ w v of values (n, T) over the observations of each distinct row, (u, T)."""
        return np.stack([np.bincount(self.place, self.weights * own, minlength=len(self.rows)) for own in values.T], 1)

    def check_two(self) -> None:
        """Raise DataError for fewer than two observations, from which no variance can be estimated."""
        if len(self.targets) < 2:
            raise DataError(f"a model needs two rows at least: n_samples={len(self.targets)}")
        check_counts(self.weights)

    @property
    def are_few(self) -> bool:
        """Whether noise and amplitude fit each so well that its error says little about new ones."""
        return len(self.targets) <= _FEW and 3 <= float(self.weights.sum()) <= _FEW

    def without(self, observation: int) -> Observations:
        """All others, without the unit of this one, be it part of its weight or that of several copies."""
        weights, unit = self.weights.copy(), self.units[observation]
        if unit <= weights[observation]:
            weights[observation] -= unit
        else:
            same_row = self.place == self.place[observation]
            weights[same_row & (self.targets == self.targets[observation]).all(axis=1)] = 0
        return Observations.of(self.rows.take(self.place), self.targets, weights)

    @property
    def totals(self) -> NDArray[np.float64]:
        """Σ w of each distinct row, (u,)."""
        return np.asarray(np.bincount(self.place, self.weights, minlength=len(self.rows)), dtype=np.float64)

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean target of each distinct row, (u, T)."""
        return np.asarray(self.sums(self.targets) / self.totals[:, None])

    @property
    def center(self) -> NDArray[np.float64]:
        """The mean target, (T,), subtracted before squaring, so that targets may lie far from 0."""
        return np.asarray(self.totals @ self.means / self.totals.sum())

    @property
    def within(self) -> NDArray[np.float64]:
        """Σ w (y − ȳ)² about the means of equal rows, (T,)."""
        return np.asarray(self.weights @ np.square(self.targets - self.means[self.place]))
