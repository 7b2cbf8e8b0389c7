"""Samples without keys, computed by another library: cosine and sine, what rows grow by, and other amplitudes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import DataError
from kernelspec.maps.engines.array_amplitudes import array_amplitudes
from kernelspec.maps.engines.array_rows import ArrayRows
from kernelspec.maps.engines.array_values import ArrayValues
from kernelspec.maps.finite import warn_of_loss
from kernelspec.numerics.lost_angles import LOSS, AngleSizes, largest_size, least_lost_turns, loss_of_a_turn
from kernelspec.numerics.phasor import width
from kernelspec.samples.columns_read import UnitColumn
from kernelspec.samples.growth import no_finite_growth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.maps.dense import DenseFeatures
    from kernelspec.numerics.phasor import Form
    from kernelspec.samples.columns_read import ColumnRead
    from kernelspec.samples.growth import Growth
    from kernelspec.samples.samples import Side

__all__ = ["array_phasors"]


def array_phasors(dense: DenseFeatures, form: Form, X: Any, side: Side, xp: Any, device: Any) -> Any:
    """The features of samples, (n, n_columns): `DenseFeatures.evaluate` in another library.

    Raises DataError for numbers so large that rounding leaves nothing of the angles, and for rows of zeros or rows that
    grow beyond all numbers, as that does; PlanError for amplitudes of a kind without a rule.
    """
    if not dense.amplitudes:
        return _without_amplitudes(dense, form, X, side, xp, device)

    def read(columns: tuple[ColumnRead, ...]) -> ArrayValues:
        return ArrayValues(xp.astype(_read(columns, X, xp, device), xp.float64), xp, device)

    n, rows = dense.n_turning, X.shape[0]
    turned = array_amplitudes(dense.amplitudes, 0, n, read, rows)
    real = array_amplitudes(dense.amplitudes, n, len(dense.weight), read, rows)
    mixes = turned is not None and xp.isdtype(turned.dtype, "complex floating")
    inner: Form = "paired" if form == "phase" and mixes else form
    features = _without_amplitudes(dense, inner, X, side, xp, device)
    kind, shift = features.dtype, width(inner, n) - n
    wide = xp.astype(features, xp.complex128 if inner == "complex" else xp.float64)
    parts = [wide[:, :n], wide[:, n : n + shift], wide[:, n + shift :]]
    if turned is not None and inner == "paired" and mixes:  # a complex factor mixes cosine and sine
        both = (xp.astype(parts[0], xp.complex128) + 1j * xp.astype(parts[1], xp.complex128)) * turned
        parts[:2] = [xp.real(both), xp.imag(both)]
    elif turned is not None:
        parts[:2] = [part * turned if part.shape[1] else part for part in parts[:2]]
    if real is not None:
        parts[2] = parts[2] * real
    if inner != form:
        parts = [float(np.sqrt(2)) * parts[0], parts[2]]
    return xp.astype(xp.concat(parts, axis=1), kind)


def _without_amplitudes(dense: DenseFeatures, form: Form, X: Any, side: Side, xp: Any, device: Any) -> Any:
    """Amplitudes √weight times cosine and sine of 2π times the turns, of which whole ones are taken off first."""
    n = dense.n_turning
    phases = dense.offsets + (dense.phasors.left if side == "left" else dense.phasors.right)
    frequencies: Any = dense.phasors.frequencies[:n]
    rates = (frequencies if isinstance(frequencies, np.ndarray) else frequencies.toarray()) / (2 * np.pi)

    def there(values: Any) -> Any:
        return xp.asarray(np.ascontiguousarray(values), dtype=X.dtype, device=device)

    read = _read(dense.phasors.columns, X, xp, device)
    turns = read @ there(rates.T) + there(phases[:n] / (2 * np.pi))
    _check_angles(read, rates, xp, device)
    angles = (turns - xp.round(turns)) * (2 * np.pi)
    size = np.sqrt(dense.weight[:n])
    if form == "phase":
        parts = [xp.cos(angles) * there(np.sqrt(2) * size)]
    elif form == "complex":
        kind = xp.complex128 if X.dtype == xp.float64 else xp.complex64
        cosine, sine = (xp.astype(part, kind) for part in (xp.cos(angles) * there(size), xp.sin(angles) * there(size)))
        parts = [cosine + 1j * sine]
    else:
        parts = [xp.cos(angles) * there(size), xp.sin(angles) * there(size)]
    if dense.n_real:
        constant = xp.ones((X.shape[0], 1), dtype=X.dtype, device=device) * there(np.sqrt(dense.weight[n:]))
        parts.append(xp.astype(constant, parts[0].dtype))
    features = xp.concat(parts, axis=1)
    if dense.growth is None:
        return features
    return features * xp.astype(_grown(dense.growth, dense.owners(form), X, side, xp, device), features.dtype)


def _taken(X: Any, positions: list[int], xp: Any, device: Any) -> Any:
    if positions == list(range(X.shape[1])):
        return X
    return xp.take(X, xp.asarray(positions, dtype=xp.int64, device=device), axis=1)


def _read(columns: tuple[ColumnRead, ...], X: Any, xp: Any, device: Any) -> Any:
    """The numbers that the frequencies act on: `numbers_on` in another library."""
    own = [column for column in columns if isinstance(column, int)]
    parts = [_taken(X, own, xp, device)] if own or not columns else []
    groups: dict[tuple[int, ...], list[int]] = {}
    for column in columns[len(own) :]:
        assert isinstance(column, UnitColumn)
        groups.setdefault(column.among, []).append(column.among.index(column.position))
    rows = ArrayRows(ArrayValues(xp.astype(X, xp.float64), xp, device)) if groups else None
    for among, kept in groups.items():
        assert rows is not None
        unit = rows.select(among).on_unit_sphere().dense().values
        parts.append(xp.astype(_taken(unit, kept, xp, device), X.dtype))
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=1)


def _grown(growth: Growth, owners: Any, X: Any, side: Side, xp: Any, device: Any) -> Any:
    """e^{β·x} or e^{−β·x} for every column of the features."""
    rates = growth.rates if side == "left" else -growth.rates
    slopes = xp.asarray(np.ascontiguousarray(rates[owners].T), dtype=X.dtype, device=device)
    exponent = _taken(X, list(growth.columns), xp, device) @ slopes
    largest = xp.max(exponent, axis=1)
    row = _first(~(largest < float(np.log(xp.finfo(X.dtype).max))), xp)
    if row is not None:
        raise no_finite_growth(row, float(largest[row]))
    return xp.exp(exponent)


def _check_angles(read: Any, rates: NDArray[np.float64], xp: Any, device: Any) -> None:
    """Raise DataError for rows of whose angles rounding leaves nothing, and warn of those that lose a share of their
    features: `AngleSizes` in another library."""
    kind = np.dtype(np.float64 if read.dtype == xp.float64 else np.float32)
    if not rates.size:
        return
    numbers = xp.astype(read, xp.float64)
    largest, fastest = xp.max(xp.abs(numbers), axis=1), largest_size(rates) or 1.0
    all_sizes = AngleSizes(rates, more_roundings=2)  # products alone, and offsets
    if bool(xp.all(largest <= all_sizes.accurate(kind))):
        return
    sizes = xp.where(largest > 0, largest, xp.ones_like(largest))[:, None]
    squares = xp.asarray(np.ascontiguousarray((rates / fastest).T ** 2), device=device)
    angles = xp.sort(xp.sqrt((numbers / sizes) ** 2 @ squares) * (sizes * fastest), axis=1)
    n = rates.shape[0]
    median = (angles[:, (n - 1) // 2] + angles[:, n // 2]) / 2
    row = _first(~(median <= least_lost_turns(kind)), xp)
    if row is not None:
        raise DataError(
            f"features are lost in row {row}: a number of size {float(largest[row]):g} is too large for this kernel in "
            f"{kind}; scale the columns down"
        )
    squared = angles**2 * (loss_of_a_turn(kind) * all_sizes.roundings)
    found = xp.mean(xp.where(squared < 1, squared, xp.ones_like(squared)), axis=1)
    worst = int(xp.argmax(found))
    if float(found[worst]) > LOSS:
        warn_of_loss(f"row {worst}", float(largest[worst]), kind, float(found[worst]))


def _first(which: Any, xp: Any) -> int | None:
    """The number of the first row that is true; None if none is."""
    return int(xp.argmax(xp.astype(which, xp.int64))) if bool(xp.any(which)) else None
