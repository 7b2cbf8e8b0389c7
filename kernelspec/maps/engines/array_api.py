"""Arrays of other libraries, torch's on a graphics processor for one: dense features where the numbers are.

The draws are those of the map; products, cosine and sine are the other library's, so the last digits may differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kernelspec.errors import DataError, PlanError
from kernelspec.loading import require_package
from kernelspec.maps.engines.array_anchors import anchored_array
from kernelspec.maps.engines.array_phasors import array_phasors
from kernelspec.tables.cells import not_finite

if TYPE_CHECKING:
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.samples.samples import Side

__all__ = ["transform_array"]


def transform_array(fmap: FeatureMap, X: Any, side: Side | Literal["both"] | None) -> Any:
    """`fmap.transform` of an array of the array API: one of the same library, type and device, (n, columns).

    With ε the rounding of the type, d the columns of X and a_j √2 or 1 times the amplitude, a feature differs from
    NumPy's by at most a_j ((2d + 6) ε (Σ_i |x_i ω_ij| + |b_j|) + 8 ε), each part of a complex one; 2d + 8 where x is
    divided by its norm. What grows like e^{β·x} differs by (2d + 6) ε Σ |x_i β_i| + 8 ε of itself more. Other
    amplitudes are float64 until they are multiplied: the bound is times their size, and a rounding more; neurons are
    functions of w·x, which is wrong by (d + 2) 2⁻⁵² Σ |w_i x_i| in each. Columns of anchors are kernel values k(x, R)
    in float64 times a matrix V, rounded to the type: where the values of m anchors differ by δ they differ by at most
    (δ + 2⁻⁵¹ m max|k|) Σ_i |V_ij| and a rounding. torch can differentiate all of it.
    Raises MissingPackageError without array-api-compat; PlanError for maps with keys, for some rows only, and with
    neurons or anchors that the array API has no functions for; DataError for anything but a table of finite float32 or
    float64, and for numbers too large for the kernel.
    """
    require_package("array_api_compat", extra="array-api", purpose="features of arrays that are not NumPy's")
    from array_api_compat import array_namespace, device

    _refuse_others(fmap)
    xp = array_namespace(X)
    _check(fmap, X, xp)
    with np.errstate(over="ignore", invalid="ignore"):  # in libraries that compute with NumPy
        left = _features(fmap, X, "right" if side == "right" else "left", xp, device(X))
        if side != "both":
            return left
        right = _features(fmap, X, "right", xp, device(X))
    half, own = np.sqrt(0.5), np.flatnonzero(fmap.sided)
    scale = xp.asarray(np.where(fmap.sided, half, 1), dtype=X.dtype, device=device(X))
    kept = xp.take(right, xp.asarray(own, dtype=xp.int64, device=device(X)), axis=1)
    return xp.concat([left * scale, kept * float(half)], axis=1)


def _refuse_others(fmap: FeatureMap) -> None:
    """Raise PlanError unless samples have no keys, and rows are any numbers."""
    dense, plan = fmap.dense, fmap.plan
    keys = plan.layout.categorical if fmap.anchored is not None else dense is None or fmap.has_keys
    if keys or fmap.is_sparse:
        what = "has keys"
    elif plan.normalized:
        what = "divides features by their norm"
    elif plan.layout.domains:
        what = "is not for all rows of numbers"
    else:
        return
    raise PlanError(
        f"the map {what}, and other libraries compute dense features of such rows only: give it a NumPy array, as in "
        "X.cpu().numpy()"
    )


def _features(fmap: FeatureMap, X: Any, side: Side, xp: Any, device: Any) -> Any:
    """One side, (n, columns). Raises DataError for numbers too large for the kernel."""
    samples: Any = None if fmap.dense is None else array_phasors(fmap.dense, fmap.plan.form, X, side, xp, device)
    features = samples
    if fmap.anchored is not None:
        features = anchored_array(fmap.plan, fmap.anchored, X, samples, side, xp, device)
    if not bool(xp.all(xp.isfinite(features))):
        raise DataError("features are lost: numbers are too large for this kernel; scale the columns down")
    return features


def _check(fmap: FeatureMap, X: Any, xp: Any) -> None:
    """Raise DataError unless X is a table of finite floats."""
    layout, stored = fmap.plan.layout, str(getattr(X, "layout", "strided"))
    if "strided" not in stored or getattr(X, "is_meta", False):
        raise DataError(f"a dense tensor with numbers in it is needed, not one of {X.device}, {stored}")
    if X.ndim != 2 or X.dtype not in (xp.float32, xp.float64):
        raise DataError(f"a table of float32 or float64 is needed, not {X.ndim} dimensions of {X.dtype}")
    layout.number_type(np.empty((0, X.shape[1])))  # says what is wrong with the number of columns
    if not X.shape[0]:
        raise DataError("the table is empty: 0 sample(s), while a minimum of 1 is required")
    for position in layout.used:
        finite = xp.isfinite(X[:, position])
        if not bool(xp.all(finite)):
            row = int(xp.argmax(xp.astype(~finite, xp.int32)))
            raise not_finite(row, layout.name_of(position), float(X[row, position]))
