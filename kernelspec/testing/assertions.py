"""The promise of every feature map, as an assertion: the right mean, and the variance that was predicted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from kernelspec.compilation import compile_spec
from kernelspec.maps.draw import draw
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.spec import Spec, as_spec
from kernelspec.testing.laboratory import assert_mean, assert_variance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.planning.methods import Method

__all__ = ["assert_unbiased"]


def assert_unbiased(
    spec: Spec | str,
    X: Any,
    *,
    method: Method = "auto",
    n_features: int = 32,
    n_maps: int = 300,
    budget: float = 1e-6,
    seed: int = 0,
    hashed: bool = False,
) -> None:
    """Independent maps of a kernel have its Gram matrix of X as mean, and vary as they predict.

    One plan is drawn `n_maps` times, with the seeds from `seed` on. All pairs of rows of X (in both orders, if the
    kernel is not symmetric) are held against the exact Gram matrix by z-scores, and their variance against
    `predicted_variance` by χ² laws matched to the kurtosis. With `hashed` the estimates are inner products of the
    features themselves, where two keys may meet in one bucket. `budget` is the chance of a false alarm, over both and
    all pairs.
    Raises AssertionError with the worst pair; SpecError, DataError, PlanError as `compile` does.
    """
    spec = as_spec(spec)
    first = compile_spec(spec, n_features=n_features, seed=seed, method=method, data=X)
    rows = first.plan.layout.read(X)
    symmetric = spec.kernel(spec.columns(first.plan.layout.dim, first.plan.layout.names)).verdict().symmetric
    upper = np.triu_indices(len(rows)) if symmetric else tuple(np.indices((len(rows), len(rows))).reshape(2, -1))
    maps = (_drawn_again(first, seed + m) for m in range(n_maps))
    estimates = np.stack([_estimate(feature_map, X, hashed)[upper] for feature_map in maps])
    what = f"{spec} as {first.plan.chosen.describe()}".replace("\n", "; ")
    exact = spec.gram(X, columns=first.plan.layout.names)[upper]
    assert_mean(estimates, exact, budget=budget / 2, what=f"mean of {what}")
    predicted = first.predicted_variance(X, hashed=hashed)[upper]
    assert_variance(estimates, predicted, budget=budget / 2, what=f"variance of {what}")


def _drawn_again(feature_map: FeatureMap, seed: int) -> FeatureMap:
    plan = replace(feature_map.plan, seed=seed)
    return FeatureMap(plan, *draw(plan))


def _estimate(feature_map: FeatureMap, X: Any, hashed: bool) -> NDArray[np.float64]:
    if not hashed:
        return feature_map.approximate(X)
    left, right = csr_array(feature_map.left(X)), csr_array(feature_map.right(X))
    return np.real((left.multiply(feature_map.signs).tocsr() @ right.conj().T).toarray())
