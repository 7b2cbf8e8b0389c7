"""Similarities that are functions of the share of keys that agree, and no kernels of the language."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.errors import DataError

__all__ = ["estimate_rbf"]

_AT_ONCE = 1 << 24
"""Keys compared at a time."""


def estimate_rbf(keys_x: ArrayLike, keys_y: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """e^{−γ(1−ρ)} of the rows that min-max keys (n, k) and (m, k) were made from, (n, m).

    e^{−2γ((1−X)/(1+X))²} with X the share of the k keys that agree [Li 2017, Theorem 3.1]. It stands on a model: the
    coordinates of a pair of rows are independent draws of an elliptical law with bounded moments, ρ their cosine, and
    there are many of them. Under it the estimate is consistent, with variance V_g/k (analysis.cosine_variance); on
    other data it tends to another function. A function of a mean of keys is no inner product of features.
    Raises DataError for keys of different length or another type than uint64, `FeatureMap.keys`' own.
    """
    from kernelspec.laws.fourier import rbf_of_minmax

    x, y = np.asarray(keys_x), np.asarray(keys_y)
    for keys in (x, y):
        if keys.ndim != 2 or keys.dtype != np.uint64:
            raise DataError(f"keys must be an array (n, k) of uint64, as keys(X) gives, not {keys.dtype} {keys.shape}")
    if x.shape[1] != y.shape[1] or x.shape[1] == 0:
        raise DataError(f"the keys of a row must be as many on both sides, not {x.shape[1]} and {y.shape[1]}")
    if not gamma > 0:
        raise DataError(f"gamma must be greater than 0, not {gamma}")
    rows = max(1, _AT_ONCE // max(1, y.size))
    shares = [
        (x[i : i + rows, None, :] == y[None, :, :]).mean(axis=2) if len(y) else np.zeros((min(rows, len(x) - i), 0))
        for i in range(0, len(x), rows)
    ]
    agreement = np.concatenate(shares) if shares else np.zeros((0, len(y)))
    return rbf_of_minmax(agreement, gamma)
