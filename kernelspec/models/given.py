"""What is given to an estimator: a kernel as a text or a Spec, a table, targets and weights, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from kernelspec.catalogue import KERNELS
from kernelspec.compilation import compile_spec
from kernelspec.elaboration.data_columns import kernel_and_layout
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import MEDIAN
from kernelspec.errors import DataError, KernelspecError, ParameterError, PlanError, SpecError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import load_kernel
from kernelspec.kernels.leaves.of_rows import Noise
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.language.nodes import Call, Expression
from kernelspec.language.nodes import Sum as SumOfTerms
from kernelspec.loading import unknown_argument
from kernelspec.planning.options import ALSO_CALLED
from kernelspec.planning.request import SeenData
from kernelspec.spec import Spec, parse
from kernelspec.tables.table_kinds import as_table, column_names, width_of

if TYPE_CHECKING:
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.planning.options import Method
    from kernelspec.tables.column_types import Missing
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = ["GivenKernel", "Observations", "SpecOnTable", "SpecParameters", "Table", "checked_table", "without_noise"]

Sign = Literal["+", "-"]


@dataclass(frozen=True)
class GivenKernel:
    """What was given as `spec` and as `params`, right or wrong: it is looked at when it is asked for."""

    given: str | Spec
    params: Mapping[str, float | Literal["median"]] | None

    def spec(self) -> Spec:
        """The spec without the values given. Raises SpecError, or PlanError for what is no text and no Spec."""
        if isinstance(self.given, Spec):
            return self.given
        if isinstance(self.given, str):
            return parse(self.given)
        raise PlanError(f"spec must be the text of a kernel, or a Spec, not {self.given!r:.60}")

    def bound(self) -> Spec:
        """The spec with the values given, all of them numbers. Raises what `spec` raises, and ParameterError."""
        if self.params is not None and not isinstance(self.params, Mapping):
            raise ParameterError(f"params must be a mapping from names to numbers, not {self.params!r:.60}")
        return self.spec().with_params(self.params or {})

    def on(self, X: Any, names: Sequence[str] | None, text: Sequence[str | int], missing: Missing) -> Spec:
        """The spec with its values, "median" being that of the rows of X, whose columns `names` lists if it is given.

        Raises what `bound` raises, and DataError.
        """
        if not isinstance(self.params, Mapping) or MEDIAN not in self.params.values():
            return self.bound()
        return self.spec().with_params(self.params, data=X, columns=names, text=text, missing=missing)

    def values(self) -> dict[str, Any]:
        """The value of every parameter, None for one that has none; of a wrong spec, those that were given."""
        found: dict[str, Any] = {}
        with suppress(KernelspecError):  # a wrong spec is reported when it is bound, not by looking at it
            found |= self.spec().params
        return found | dict(self.params if isinstance(self.params, Mapping) else {})

    def with_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values given, with others added or replaced. Raises ParameterError for a parameter that is not there."""
        known = self.spec().params
        unknown = next((name for name in values if name not in known), None)
        if unknown is not None:
            raise ParameterError(f"Invalid parameter 'params__{unknown}': the spec has {list(known) or 'none'}")
        return {**(self.params or {}), **values}

    def compares_categories(self) -> bool:
        """Whether a kernel in it compares categories; a wrong spec does not."""
        try:
            program = self.spec().program
        except KernelspecError:
            return False
        called = (part.function for part in program.parts() if isinstance(part, Call) and part.function in KERNELS)
        return any(load_kernel(name).compares_categories for name in called)


class SpecParameters(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """An estimator with a spec, whose parameters are hyperparameters as `params__name`."""

    spec: str | Spec
    params: Mapping[str, float | Literal["median"]] | None
    missing: Missing
    random_state: int | np.random.RandomState | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments, and if `deep` every parameter of the spec as `params__name`."""
        found: dict[str, Any] = super().get_params(deep=deep)
        if deep:
            found.update({f"params__{name}": value for name, value in self._kernel().values().items()})
        return found

    def set_params(self, **params: Any) -> Self:
        """Set arguments, and parameters of the spec as `params__name`. Raises ValueError for one that is unknown."""
        own = {name: value for name, value in params.items() if not name.startswith("params__")}
        nested = {name.removeprefix("params__"): value for name, value in params.items() if name not in own}
        names = self._get_param_names()
        for name in own:
            if name.partition("__")[0] not in names:
                raise unknown_argument(type(self).__name__, name, names, ALSO_CALLED)
        super().set_params(**own)
        if nested:
            self.params = self._kernel().with_values(nested)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "category"
        tags.input_tags.categorical = self._compares_categories()
        return tags

    def _compares_categories(self) -> bool:
        return self._kernel().compares_categories()

    def _kernel(self) -> GivenKernel:
        return GivenKernel(self.spec, self.params)

    def _seed(self) -> int:
        """The seed of `ks.compile`: `random_state`, or one drawn from it."""
        given = self.random_state
        return int(given) if isinstance(given, Integral) else int(check_random_state(given).randint(2**31 - 1))


def without_noise(spec: Spec, columns: Columns) -> tuple[Spec, float | None]:
    """The spec less its terms v*noise() without a selection, and the variance v; None if there is no such term.

    Raises SpecError if nothing else is left, or v is negative.
    """
    body = spec.program.body
    terms = body.terms if isinstance(body, SumOfTerms) else (body,)
    signs: tuple[Sign, ...] = ("+", *body.operators) if isinstance(body, SumOfTerms) else ("+",)
    kept: list[tuple[Sign, Expression]] = []
    variance: float | None = None
    for sign, term in zip(signs, terms, strict=True):
        own = _noise_of(replace(spec, program=replace(spec.program, body=term)).kernel(columns))
        if own is None:
            kept.append((sign, term))
        else:
            variance = (variance or 0.0) + (own if sign == "+" else -own)
    if variance is None:
        return spec, None
    if variance < 0:
        raise SpecError(f"the variance of the observation noise is {variance:g}: it must be at least 0")
    if not kept:
        raise SpecError("the spec is noise() alone: add the kernel of what is to be predicted")
    if kept[0][0] == "-":
        raise SpecError("put a term with a positive weight first, then the terms that are subtracted")
    first = kept[0][1]
    rest = kept[1:]
    if not rest:
        return replace(spec, program=replace(spec.program, body=first)), variance
    left = SumOfTerms((first, *(term for _, term in rest)), tuple(sign for sign, _ in rest), span=body.span)
    return replace(spec, program=replace(spec.program, body=left)), variance


def _noise_of(kernel: Kernel) -> float | None:
    """v of v*noise(), else None."""
    if isinstance(kernel, Noise):
        return 1.0
    if isinstance(kernel, Sum) and len(kernel.terms) == 1:
        own = _noise_of(kernel.terms[0])
        return None if own is None else own * float(kernel.weights[0])
    return None


@dataclass(frozen=True, eq=False)
class Table:
    """A table for fit: its width, the names of its columns, and which of them a spec reads."""

    data: Any
    width: int
    names: tuple[str, ...] | None

    @classmethod
    def of(cls, X: Any, feature_names: Sequence[str] | None) -> Table:
        """A table of any kind. Raises DataError for one without columns, and for another number of names."""
        data = as_table(X)
        width, names = width_of(data), column_names(data)
        if feature_names is not None:
            if names is None and width != len(feature_names):
                raise DataError(f"X has {width} columns, but feature_names has {len(feature_names)} names")
            width, names = len(feature_names), None if names is None else tuple(feature_names)
        if width == 0:
            shape = getattr(data, "shape", (0, 0))
            raise DataError(f"the table has 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
        return cls(data, width, names)

    def under(
        self, spec: Spec, feature_names: Sequence[str] | None, text: Sequence[str | int], missing: Missing
    ) -> SpecOnTable:
        """The table as a spec reads it, the types of its columns recorded.

        Raises SpecError, DataError; PlanError for an asymmetric or indefinite kernel.
        """
        named = feature_names is not None or self.names is not None
        columns = spec.columns(None if named else self.width, feature_names, self.names)
        smooth, noise = without_noise(spec, columns)
        kernel, layout = kernel_and_layout(smooth, columns)
        verdict = kernel.verdict()
        if verdict.symmetric is False or verdict.positive_definite == "disproved":
            what = "asymmetric" if verdict.symmetric is False else "indefinite"
            raise PlanError(
                f"the kernel is {what}, and this model needs a positive definite one: use "
                "KernelFeatures(spec, side='both') and a linear model"
            )
        layout = layout.pinned(text, missing).recorded(self.data)
        return SpecOnTable(smooth, noise, kernel, columns, layout, layout.read(self.data))

    def remember(self, estimator: Any) -> None:
        """Set `n_features_in_` and, for a table with names, `feature_names_in_`, as scikit-learn wants them."""
        estimator.n_features_in_ = self.width
        if self.names is not None:
            estimator.feature_names_in_ = np.array(self.names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_


@dataclass(frozen=True, eq=False)
class SpecOnTable:
    """A spec without its observation noise, the variance of that noise if it has one, and the rows that it reads."""

    smooth: Spec
    noise: float | None
    kernel: Kernel
    columns: Columns
    layout: Layout
    rows: Rows

    def features(self, rows: Rows, n_features: int, method: Method, seed: int) -> FeatureMap:
        """The feature map of the kernel, planned for these rows. Raises PlanError."""
        return compile_spec(
            self.smooth,
            columns=self.columns,
            data=SeenData(rows, (rows,)),
            types=self.layout.types,
            n_features=n_features,
            method=method,
            seed=seed,
        )


def checked_table(estimator: Any, layout: Layout, X: Any) -> Any:
    """A table for transform or predict. Raises DataError for one with other columns than fit saw."""
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
    return X


@dataclass(frozen=True, eq=False)
class Observations:
    """Rows with targets and weights: `rows` are the u distinct ones, row i of n is `rows[place[i]]`.

    `weights` (n,) count how often each observation occurs; those of weight 0 are left out. The distinct rows are in an
    order that does not depend on the order of the observations.
    """

    rows: Rows
    place: NDArray[np.intp]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Rows, targets: NDArray[np.float64], weights: NDArray[np.float64]) -> Observations:
        """The observations (n,) with targets (n, T). Raises DataError for another number of rows."""
        if len(rows) != len(targets):
            raise DataError(f"X has {len(rows)} rows and y has {len(targets)}: inconsistent numbers of samples")
        kept = np.flatnonzero(weights > 0)
        some = rows if len(kept) == len(rows) else rows.take(kept)
        first, place = some.groups()
        return cls(some.take(first), place, targets[kept], weights[kept])

    @property
    def totals(self) -> NDArray[np.float64]:
        """Σ w of each distinct row, (u,)."""
        return np.asarray(np.bincount(self.place, self.weights, minlength=len(self.rows)), dtype=np.float64)

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean target of each distinct row, (u, T)."""
        sums = [np.bincount(self.place, self.weights * y, minlength=len(self.rows)) for y in self.targets.T]
        return np.asarray(np.stack(sums, axis=1) / self.totals[:, None])

    @property
    def within(self) -> NDArray[np.float64]:
        """Σ w (y − ȳ)² about the means of equal rows, (T,)."""
        return np.asarray(self.weights @ np.square(self.targets - self.means[self.place]))
