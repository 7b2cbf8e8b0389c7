"""Sources of independent estimates of a kernel matrix: specs, estimators to be fitted, callables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernelspec.compilation import compile_spec
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import Collisions
from kernelspec.maps.feature_map import FeatureMap, draw_map
from kernelspec.planning.options import LANDMARK_METHODS, Draws, Keys, Landmarks, Method
from kernelspec.spec import Spec, parse
from kernelspec.tables.table_kinds import as_table
from kernelspec.verification.judgement import estimate_fourth_moment
from kernelspec.verification.verifier import inner_products

__all__ = ["ByFit", "OfSpec", "kernel_matrix", "subject_of"]

Numbers = NDArray[np.float64]

Features: TypeAlias = Callable[[Any, np.random.Generator], Any]
"""Features of the rows X, drawn with a generator: an array or a sparse matrix (n, D), or the two sides of one."""


@dataclass(frozen=True)
class OfSpec:
    """The maps of one plan of a spec; if `hashed`, estimates are inner products of features, where keys may share a
    bucket.
    """

    spec: Spec
    first: FeatureMap
    hashed: bool

    @property
    def name(self) -> str:
        """Its description."""
        return f"{self.spec} as {self.first.plan.chosen.describe()}".replace("\n", "; ")

    def estimate(self, X: Any, seed: int) -> Numbers:
        """The estimate of the kernel matrix of X, (n, n), by a fresh map."""
        drawn = draw_map(replace(self.first.plan, seed=seed))
        return _of_features(drawn, X) if self.hashed else drawn.approximate(X)

    def products(self, X: Any) -> Numbers:
        """The inner products of the features of the first map itself."""
        return _of_features(self.first, X)

    def exact(self, X: Any) -> Numbers:
        """The kernel matrix."""
        return self.spec.gram(X, columns=self.first.plan.layout.names)

    def variance(self, X: Any) -> Numbers:
        """The variance that is predicted, (n, n)."""
        return self.first.predicted_variance(X, hashed=self.hashed)

    def fourth_moment(self, X: Any) -> Numbers:
        """An upper bound on the fourth central moment, (n, n)."""
        plan = self.first.plan
        rows = plan.layout.read(X)
        collisions = plan.collisions or Collisions.none() if self.hashed else None
        return estimate_fourth_moment(plan, NumericPairs(rows, rows), collisions)

    @property
    def is_symmetric(self) -> bool:
        """Whether k(x, y) = k(y, x)."""
        layout = self.first.plan.layout
        return bool(self.spec.kernel(self.spec.columns(layout.dim, layout.names)).verdict().symmetric)


@dataclass(frozen=True)
class ByFit:
    """An estimator with `fit` and `transform`, or a callable that returns features, fitted anew for every map."""

    subject: Any

    @property
    def name(self) -> str:
        return str(getattr(self.subject, "__name__", self.subject)).replace("\n", " ")

    def estimate(self, X: Any, seed: int) -> Numbers:
        if not hasattr(self.subject, "fit"):
            features = self.subject(X, np.random.default_rng(seed))
        else:
            features = _seeded(self.subject, seed).fit(X).transform(X)
        left, right = features if isinstance(features, tuple) and len(features) == 2 else (features, features)
        n = np.shape(as_table(X))[0]
        for shape in map(np.shape, (left, right)):
            if len(shape) != 2 or shape[0] != n:
                raise PlanError(f"features of {n} rows must have the shape ({n}, columns), not {shape}")
        return inner_products(left, right)


def subject_of(
    given: Spec | str | Any,
    X: Any,
    *,
    method: Method = "auto",
    draws: Draws = "independent",
    n_features: int = 32,
    seed: int = 0,
    hashed: bool = False,
) -> OfSpec | ByFit:
    """A source of estimates of the kernel matrix of X, from the given object.

    A spec uses landmarks only if `method` says so. Raises SpecError, DataError, PlanError as `compile`; PlanError for
    an object that can be neither fitted nor called.
    """
    if isinstance(given, Spec | str):
        spec = parse(given) if isinstance(given, str) else given
        keys: Keys = "hashed" if hashed else "auto"
        landmarks: Landmarks = "auto" if method in LANDMARK_METHODS else "never"
        first = compile_spec(
            spec, n_features=n_features, seed=seed, method=method, draws=draws, landmarks=landmarks, data=X, keys=keys
        )
        return OfSpec(spec, first, hashed)
    if not (hasattr(given, "fit") and hasattr(given, "transform")) and not callable(given):
        raise PlanError(f"the subject of a test must be a spec, have fit and transform, or be callable, not {given!r}")
    return ByFit(given)


def kernel_matrix(kernel: Any, X: Any) -> Numbers:
    """The matrix given by a spec, a callable k(X, Y) or a matrix itself. Raises PlanError for a wrong shape."""
    if isinstance(kernel, Spec | str):
        return (parse(kernel) if isinstance(kernel, str) else kernel).gram(X)
    values = np.asarray(kernel(X, X) if callable(kernel) else kernel, dtype=float)
    if values.shape != (len(X), len(X)):
        raise PlanError(f"the kernel matrix must have the shape {(len(X), len(X))}, not {values.shape}")
    return values


def _seeded(estimator: Any, seed: int) -> Any:
    """An unfitted copy, with the seed as its random state if it has one."""
    from sklearn.base import clone

    copy = clone(estimator)
    if "random_state" in copy.get_params(deep=False):
        copy.set_params(random_state=seed)
    return copy


def _of_features(drawn: FeatureMap, X: Any) -> Numbers:
    left = drawn.left(X)
    return inner_products(left, left if drawn.is_one_sided else drawn.right(X), drawn.signs)
