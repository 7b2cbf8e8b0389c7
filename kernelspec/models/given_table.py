"""Tables and targets as they are given to an estimator, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from kernelspec.compilation import compile_spec
from kernelspec.elaboration.data_columns import kernel_and_layout
from kernelspec.errors import DataError, PlanError
from kernelspec.models.given_kernel import without_noise
from kernelspec.planning.request import SeenData
from kernelspec.tables.table_kinds import as_table, column_names, width_of

if TYPE_CHECKING:
    from kernelspec.elaboration.scope import Columns
    from kernelspec.kernels.kernel import Kernel
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.planning.options import Method
    from kernelspec.spec import Spec
    from kernelspec.tables.column_types import Missing
    from kernelspec.tables.layout import Layout
    from kernelspec.tables.rows import Rows

__all__ = ["Observations", "SpecOnTable", "Table", "checked_table"]


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
