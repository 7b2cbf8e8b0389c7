"""Keys that were not met when the columns of a map were learnt: warned of."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelspec.maps.feature_map import FeatureMap

__all__ = ["UnmetKeysWarning", "warn_of_unmet_keys"]


class UnmetKeysWarning(UserWarning):
    """Rows have keys (categories, bins) that were not met in fit, and share columns with all others of that kind."""


def warn_of_unmet_keys(feature_map: FeatureMap, features: Any) -> None:
    """Warn of the entries of features (n, columns), dense or CSR, in columns for keys that were not met.

    The warning is shown at the line that called the caller of this function.
    """
    unmet = feature_map.count_shared(features)
    if unmet:
        form = feature_map.plan.form
        due = features.shape[0] * sum(encoding.entries(part, form) for part, encoding in feature_map.encoded)
        warnings.warn(
            f"{unmet / due:.2%} of the keys of these rows were not met in fit: they share a few columns, without bias, "
            "which a linear model has not seen. count_unmet(X) counts them; keys='hashed' treats all keys alike",
            UnmetKeysWarning,
            stacklevel=3,
        )
