"""Arrays of other libraries, torch's on a graphics processor for one: dense Fourier features where the numbers are.

The draws are those of the map; products, cosine and sine are the other library's, so the last digits may differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kernelspec.errors import DataError, PlanError
from kernelspec.loading import require_package
from kernelspec.samples.hadamard_frequencies import HadamardFrequencies
from kernelspec.tables.cells import not_finite

if TYPE_CHECKING:
    from kernelspec.maps.dense import DenseFeatures
    from kernelspec.maps.feature_map import FeatureMap
    from kernelspec.samples.samples import Side

__all__ = ["transform_array"]


def transform_array(fmap: FeatureMap, X: Any, side: Side | Literal["both"] | None) -> Any:
    """`fmap.transform` of an array of the array API: one of the same library, type and device, (n, columns).

    With ε the rounding of the type, d the columns of X and a_j √2 or 1 times the amplitude, a feature differs from
    NumPy's by at most a_j ((2d + 6) ε (Σ_i |x_i ω_ij| + |b_j|) + 8 ε). torch can differentiate it by X.
    Raises MissingPackageError without array-api-compat; PlanError for maps with keys, anchors, factors other than
    phasors, or complex features; DataError for anything but a table of finite float32 or float64.
    """
    require_package("array_api_compat", extra="array-api", purpose="features of arrays that are not NumPy's")
    from array_api_compat import array_namespace, device

    dense, xp = _plain(fmap), array_namespace(X)
    _check(fmap, X, xp)
    left = _phasors(fmap, dense, X, "right" if side == "right" else "left", xp, device(X))
    if side != "both":
        return left
    right = _phasors(fmap, dense, X, "right", xp, device(X))
    half, own = np.sqrt(0.5), np.flatnonzero(fmap.sided)
    scale = xp.asarray(np.where(fmap.sided, half, 1), dtype=X.dtype, device=device(X))
    kept = xp.take(right, xp.asarray(own, device=device(X)), axis=1)
    return xp.concat([left * scale, kept * float(half)], axis=1)


def _plain(fmap: FeatureMap) -> DenseFeatures:
    """The samples, if they are phasors and nothing else. Raises PlanError."""
    dense, plan = fmap.dense, fmap.plan
    if fmap.anchored is not None:
        raise PlanError(
            "the map has anchors, and other libraries compute real Fourier features only: compile it with "
            "anchors='never', or give it a NumPy array, as in X.cpu().numpy()"
        )
    if dense is None or fmap.has_keys or fmap.is_sparse:
        what = "keys"
    elif dense.growth is not None or dense.amplitudes or plan.normalized or plan.layout.domains:
        what = "factors that are no phasors, or is not for all rows of numbers"
    elif not isinstance(dense.phasors.frequencies, np.ndarray | HadamardFrequencies) or not all(
        isinstance(column, int) for column in dense.phasors.columns
    ):
        what = "frequencies of unit vectors, or sparse ones"
    elif plan.form == "complex":
        what = "complex features"
    else:
        return dense
    raise PlanError(
        f"the map has {what}, and other libraries compute real Fourier features only: give it a NumPy array, as in "
        "X.cpu().numpy()"
    )


def _check(fmap: FeatureMap, X: Any, xp: Any) -> None:
    """Raise DataError unless X is a table of finite floats."""
    layout = fmap.plan.layout
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


def _phasors(fmap: FeatureMap, dense: DenseFeatures, X: Any, side: Side, xp: Any, device: Any) -> Any:
    """Amplitudes times cosine and sine of 2π times the turns, of which whole ones are taken off first."""
    n, form = dense.n_turning, fmap.plan.form
    phases = dense.offsets + (dense.phasors.left if side == "left" else dense.phasors.right)
    rates = np.asarray(dense.phasors.frequencies)[:n] / (2 * np.pi)

    def there(values: Any) -> Any:
        return xp.asarray(np.ascontiguousarray(values), dtype=X.dtype, device=device)

    columns = list(dense.phasors.columns)
    read = X if columns == list(range(X.shape[1])) else xp.take(X, xp.asarray(columns, device=device), axis=1)
    turns = read @ there(rates.T) + there(phases[:n] / (2 * np.pi))
    _check_angles(read, rates, xp)
    angles = (turns - xp.round(turns)) * (2 * np.pi)
    size = np.sqrt(dense.weight[:n])
    if form == "phase":
        parts = [xp.cos(angles) * there(np.sqrt(2) * size)]
    else:
        parts = [xp.cos(angles) * there(size), xp.sin(angles) * there(size)]
    if dense.n_real:
        parts.append(xp.ones((X.shape[0], 1), dtype=X.dtype, device=device) * there(np.sqrt(dense.weight[n:])))
    return xp.concat(parts, axis=1)


def _check_angles(read: Any, rates: Any, xp: Any) -> None:
    """Raise DataError for numbers so large that rounding leaves nothing of half of the angles: as for NumPy's."""
    if not rates.size:
        return
    typical = float(np.median(np.abs(rates).max(axis=1)))
    bits = 52 if read.dtype == xp.float64 else 23
    if typical and bool(xp.any(xp.abs(read) > 2.0 ** (bits - 1) / typical)):
        raise DataError("a number is so large that rounding leaves nothing of the angles: divide the columns")
