"""Keys that were not met when the columns of a map were learnt: counted, and warned of."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from kernelspec.maps.feature_map import FeatureMap

__all__ = ["UnmetKeysWarning", "count_unmet_keys", "warn_of_unmet_keys"]


class UnmetKeysWarning(UserWarning):
    """Rows have keys (categories, bins) that were not met in fit, and so have no column."""


def count_unmet_keys(feature_map: FeatureMap, X: Any) -> int:
    """How many (row, sample) entries of X have a key without a column; 0 where columns are not learnt.

    Raises DataError.
    """
    if feature_map.occupied is None:
        return 0
    from kernelspec.maps.columns.exact_columns import count_unmet

    rows = feature_map.plan.layout.read(X)
    return sum(
        count_unmet(part, keys, rows) for part, keys in zip(feature_map.keyed, feature_map.occupied, strict=True)
    )


def warn_of_unmet_keys(feature_map: FeatureMap, features: csr_array) -> None:
    """Warn of the entries that are missing in the features (n, n_columns) of a map with learnt columns.

    The warning is shown at the line that called the caller of this function.
    """
    plan, dense, keyed = feature_map.plan, feature_map.dense, feature_map.keyed
    first = 0 if dense is None else dense.n_columns(plan.form)
    due = features.shape[0] * sum(len(part) * part.entries(plan.form) for part in keyed)
    unmet = due - int(np.count_nonzero(features.indices >= first))
    if unmet:
        warnings.warn(
            f"{unmet / due:.2%} of the keys of these rows were not met in fit and have no column: products between "
            "new rows are biased low. count_unmet(X) counts them; columns='buckets' has a column for every key",
            UnmetKeysWarning,
            stacklevel=3,
        )
