"""A scikit-learn transformer: features of a kernel written as text."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from kernelspec.catalogue import names_faults
from kernelspec.compilation import map_with
from kernelspec.errors import DataError, PlanError
from kernelspec.loading import suggests_arguments
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.models.given import SpecParameters, checked_table
from kernelspec.planning.options import ALSO_CALLED, Budget, Draws, Keys, Landmarks, MapOptions, Method, Storage
from kernelspec.spec import Spec
from kernelspec.tables.column_types import Missing
from kernelspec.tables.table_kinds import as_table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["KernelFeatures", "UnmetKeysWarning"]


class UnmetKeysWarning(UserWarning):
    """Rows have keys (categories, bins) not seen in fit, which share columns with all other unseen keys."""


def warn_of_unmet_keys(feature_map: FeatureMap, features: Any) -> None:
    """Warn of the entries of features (n, columns), dense or CSR, in columns for keys not seen in fit.

    The warning points to the line that called the caller of this function.
    """
    unmet = feature_map.count_shared(features)
    if unmet:
        form = feature_map.plan.form
        due = features.shape[0] * sum(encoding.entries(part, form) for part, encoding in feature_map.encoded)
        warnings.warn(
            f"{unmet / due:.2%} of the keys of these rows were not seen in fit: they share a few columns, without "
            "bias, whose weights a linear model did not learn. count_unmet(X) counts them; keys='hashed' treats all "
            "keys alike",
            UnmetKeysWarning,
            stacklevel=3,
        )


@names_faults
class KernelFeatures(TransformerMixin, SpecParameters):  # type: ignore[misc, unused-ignore]
    """Features whose inner products estimate a kernel without bias: (n, d) → (n, columns), of X's floating type.

    `spec` is the kernel, text or a Spec; `params` gives values to its parameters, each of which is a hyperparameter:
    `set_params(params__scale=2)`. The value "median", for a parameter used only as a scale or a width, is the median
    distance between rows in fit (`Spec.with_params`). `n_features` bounds the nonzeros per row. fit chooses the plan of
    least expected error for the rows it sees; `method` and `draws` restrict it. `n_features="auto"` uses the fewest
    whose plan is expected to reach the relative `error` of the kernel matrix of these rows, or `pointwise` at each pair
    of them with probability `confidence` (`ks.compile`). The plan may keep some of the rows as landmarks, unless
    `landmarks="never"`.

    Columns of data frames are identified by name, in any order; columns of other tables by position. If the spec names
    columns, a table without column names is rejected, unless `feature_names` lists its column names in order. In a
    pipeline, `set_output(transform="pandas")` on earlier steps keeps the names.

    A kernel that compares hash keys (match(), minmax(), binning) has sparse features. `keys="auto"` has a column for
    every category that match() saw in fit (for a product with something sampled, a block of columns), and hashes other
    keys into `buckets` columns per sample, as `keys="hashed"` does with all; `keys="exact"` has a column for every key
    seen in fit; `keys="bits"` makes the lowest `bits` of a key one of 2**bits columns, without bias up to a constant
    that an intercept absorbs. Keys not seen in fit share a few columns with random signs, without bias, for which a
    linear model has no weight: transform warns of them (UnmetKeysWarning), and `count_unmet` counts them.
    `storage="dense"` gives arrays, for `set_output(transform="pandas")` and models that need them; `n_features` then
    bounds the columns, including zeros. `storage="sparse"` gives CSR.

    `side="both"` accepts asymmetric and indefinite kernels: left and right features side by side, for a linear model
    (`FeatureMap.transform`). The default, `side="one"`, rejects them in fit.

    fit records the types of the columns, and transform rejects categories of another type: `text` lists the columns, by
    name or position, that hold text whatever they look like. `missing="category"` makes missing cells (None, NaN) a
    category of their own in match(); by default they are rejected.

    `random_state`: an integer is the seed of `ks.compile`; from a RandomState, or None for NumPy's, a seed is drawn.

    fit warns of a kernel that is almost the identity, or almost constant, on its rows (DeadKernelWarning).

    Attributes: `feature_map_`, the FeatureMap, with its plan; `params_`, the values of the parameters of the spec;
    `n_features_in_`; `feature_names_in_` for frames.
    """

    feature_map_: FeatureMap
    params_: dict[str, float | None]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    @suggests_arguments(ALSO_CALLED)
    def __init__(
        self,
        spec: str | Spec,
        *,
        params: Mapping[str, float | Literal["median"]] | None = None,
        n_features: Budget = 1024,
        error: float | None = None,
        pointwise: float | None = None,
        confidence: float = 0.99,
        method: Method = "auto",
        draws: Draws = "auto",
        landmarks: Landmarks = "auto",
        keys: Keys = "auto",
        buckets: int = 256,
        bits: int = 8,
        storage: Storage = "auto",
        side: Literal["one", "both"] = "one",
        feature_names: Sequence[str] | None = None,
        text: Sequence[str | int] | None = None,
        missing: Missing = "refuse",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.spec = spec
        self.params = params
        self.n_features = n_features
        self.error = error
        self.pointwise = pointwise
        self.confidence = confidence
        self.method = method
        self.draws = draws
        self.landmarks = landmarks
        self.keys = keys
        self.buckets = buckets
        self.bits = bits
        self.storage = storage
        self.side = side
        self.feature_names = feature_names
        self.text = text
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Plan for the rows of X (n, d) and draw the feature map; y is ignored.

        Raises SpecError, DataError, PlanError (an asymmetric or indefinite kernel has no one-sided features). Warns
        DeadKernelWarning for a kernel that is almost the identity, or almost constant, on these rows.
        """
        table = self._table(X)
        if self.side not in ("one", "both"):
            raise PlanError(f"side must be 'one' or 'both', not {self.side!r}")
        spec = self._spec_on(table)
        feature_map = map_with(
            MapOptions.of(self, seed=self._seed()),
            spec,
            dim=table.width,
            columns=self.feature_names,
            data=table.data,
            text=table.text,
            missing=self.missing,
        )
        if self.side == "one" and not feature_map.is_one_sided:
            raise PlanError(
                f"the kernel is {feature_map.obstacle}, so one set of features represents another kernel. Use "
                "side='both' for a linear model, or ks.compile, with left(X), right(Y) and signs"
            )
        self.feature_map_ = feature_map
        self.params_ = spec.params
        table.remember(self)
        return self

    def transform(self, X: Any) -> NDArray[Any] | csr_array:
        """The features (n, columns): an array, or CSR if the kernel compares keys.

        Raises NotFittedError, DataError. Warns UnmetKeysWarning once for keys not seen in fit.
        """
        X = self._checked(X)
        features = self.feature_map_.transform(X, side="both" if self.side == "both" else None)
        warn_of_unmet_keys(self.feature_map_, features)
        return features

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[Any] | csr_array:
        """The features of the rows that the map is planned for: `fit(X).transform(X)`, in one pass over a stream."""
        table = as_table(X)
        return self.fit(table, y).transform(table)

    def count_unmet(self, X: Any) -> int:
        """The number of (row, sample) entries of X whose key was not seen in fit; 0 for hashed keys."""
        X = self._checked(X)
        return self.feature_map_.count_unmet(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The column names, (columns,), such as cos0, sin0, key3_17."""
        check_is_fitted(self)
        own = getattr(self, "feature_names_in_", None)
        if input_features is not None and own is not None and list(input_features) != own.tolist():
            raise DataError("input_features is not equal to feature_names_in_")
        return np.array(self.feature_map_.names("both" if self.side == "both" else "left"), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return checked_table(self, self.feature_map_.plan.layout, X)
