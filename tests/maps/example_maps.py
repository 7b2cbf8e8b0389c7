"""Maps of every kind that the tests of maps, of their features and of their files are about."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

import kernelspec as ks
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.planning.options import Method

__all__ = ["BOTH", "DENSE", "KEYED", "METHODS", "SIGNED", "ZERO", "X", "as_array", "compiled", "same_maps"]

_GENERATOR = np.random.default_rng(0)

X = np.column_stack([_GENERATOR.standard_normal((30, 2)), _GENERATOR.integers(0, 3, 30)])
METHODS: list[Method] = ["paired", "phase", "complex"]
DENSE = "0.7 * gaussian(scale=2) + 0.3 * laplace()[0]"
KEYED = "gaussian()[0:2] * match()[2] + 0.5 * match()[2]"
BOTH = f"{KEYED} + {DENSE}"
SIGNED = "gaussian() - 0.5 * laplace() + 0.25 * match()[2]"
ZERO = "gaussian() - gaussian()"


def compiled(text: str, n: int = 40, *, method: Method = "auto", seed: int = 0) -> FeatureMap:
    """The map of a kernel on the columns of X."""
    return ks.compile(text, dim=3, n_features=n, method=method, seed=seed)


def as_array(features: np.ndarray | csr_array) -> np.ndarray:
    """The features as a dense array."""
    return features if isinstance(features, np.ndarray) else features.toarray()


def same_maps(a: FeatureMap, b: FeatureMap) -> bool:
    """Whether two maps are one: their plans, and all that they say of rows."""
    return (
        a.plan == b.plan
        and np.array_equal(a.signs, b.signs)
        and np.array_equal(as_array(a.left(X)), as_array(b.left(X)))
        and np.array_equal(as_array(a.right(X)), as_array(b.right(X)))
        and np.array_equal(a.approximate(X), b.approximate(X))
        and np.array_equal(a.predicted_variance(X), b.predicted_variance(X))
        and a.explain() == b.explain()
        and a.names() == b.names()
    )
