"""What features cannot be faster than: the matrix product alone, and writing them alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kernelspec.maps.feature_map import FeatureMap

__all__ = ["product_alone", "writing_alone"]


def product_alone(fmap: FeatureMap, X: Any) -> Callable[[], object] | None:
    """The matrix products that dense features of rows (n, d) take, by NumPy with all its threads.

    Rows times frequencies; with anchors rows times anchors, and what these make of each other. None where there is
    no such product: keys, and frequencies that are mostly zero.
    """
    shapes = []
    if fmap.dense is not None and isinstance(fmap.dense.phasors.frequencies, np.ndarray):
        shapes.append((len(fmap.dense.phasors.columns), fmap.dense.n_turning))
    anchors = fmap.plan.anchors
    if anchors is not None:
        shapes += [(X.shape[1], len(anchors.left.rows)), anchors.left_root.shape]
    if not shapes or any(0 in shape for shape in shapes):
        return None
    generator = np.random.default_rng(1)
    products = []
    for depth, width in shapes:
        left = X[:, :depth] if depth <= X.shape[1] else generator.standard_normal((len(X), depth))
        left = np.ascontiguousarray(left, dtype=X.dtype)
        right = generator.standard_normal((depth, width)).astype(X.dtype)
        products.append((left, right, np.zeros((len(X), width), dtype=X.dtype)))

    def multiply() -> None:
        for left, right, out in products:
            np.matmul(left, right, out=out)

    return multiply


def writing_alone(features: Any) -> Callable[[], object]:
    """Numbers written where features stand, an array or the entries of CSR: one pass over memory that is there."""
    if isinstance(features, np.ndarray):
        return lambda: features.fill(0.5)
    values, places = np.zeros_like(features.data), np.zeros_like(features.indices)

    def fill() -> None:
        values.fill(0.5)
        places.fill(1)

    return fill
