"""Samples and landmarks computed by another array library.

The draws are those of the map; products, cosines and sines come from the other library, so the last digits may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.loading import require_package
from kernelspec.maps.arrays import ArrayPairs, ArrayRows, ArrayValues, refused
from kernelspec.maps.evaluation import warn_of_loss
from kernelspec.numerics.packed import LOSS, AngleSizes, largest_size, least_lost_turns, loss_of_a_turn, with_scatter
from kernelspec.numerics.phasor import Form, width
from kernelspec.samples.amplitudes import ColumnShapes, LinearForms, Neurons, shaped
from kernelspec.samples.factor import AmplitudeFactor, AmplitudeRuns
from kernelspec.samples.frequencies import ColumnRead, Growth, UnitColumn, no_finite_growth
from kernelspec.samples.samples import Side
from kernelspec.tables.cells import FROM_ZERO, not_finite

if TYPE_CHECKING:
    from kernelspec.maps.dense import DenseFeatures, Placed
    from kernelspec.maps.drawn_plan import DrawnPlan
    from kernelspec.maps.landmarks import LandmarkCorrection
    from kernelspec.planning.plan import Plan

__all__ = ["Read", "transform_array"]


def array_phasors(dense: DenseFeatures, form: Form, X: Any, side: Side, xp: Any, device: Any) -> Any:
    """The features of samples, (n, n_columns): `DenseFeatures.evaluate` in another library.

    Raises DataError for numbers so large that angles lose all digits, and for rows of zeros or overflowing growth, like
    the original; PlanError for amplitudes without a rule.
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
    """Amplitudes √weight times cosine and sine of 2π times the turns, reduced to one turn first."""
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
    """Raise DataError for rows whose angles lose all digits, warn if some do: `AngleSizes` in another library."""
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
            f"features are not finite in row {row}: a number of size {float(largest[row]):g} is too large for this "
            f"kernel in {kind}; center or scale the columns{FROM_ZERO}"
        )
    squared = angles**2 * (loss_of_a_turn(kind) * all_sizes.roundings)
    found = with_scatter(xp.mean(xp.where(squared < 1, squared, xp.ones_like(squared)), axis=1), all_sizes.n_distinct)
    worst = int(xp.argmax(found))
    if float(found[worst]) > LOSS:
        warn_of_loss(f"row {worst}", float(largest[worst]), kind, float(found[worst]))


def _first(which: Any, xp: Any) -> int | None:
    """The index of the first row that is true, or None."""
    return int(xp.argmax(xp.astype(which, xp.int64))) if bool(xp.any(which)) else None


Read = Callable[[tuple[ColumnRead, ...]], Any]
"""The numbers of some columns, (n, p), as `ArrayValues`."""


def array_amplitudes(placed: Sequence[Placed], start: int, stop: int, read: Read, n: int) -> Any:
    """The amplitudes of the samples from `start` up to `stop`, (n, stop − start); None if they have no factors."""
    total: Any = None
    for one in placed:
        if start <= one.start and one.stop <= stop:
            found = array_amplitude(one.factor, read)
            xp, device = found.xp, found.device
            before, after = (
                xp.ones((n, width), dtype=found.values.dtype, device=device)
                for width in (one.start - start, stop - one.stop)
            )
            whole = xp.concat([before, found.values, after], axis=1)
            total = whole if total is None else total * whole
    return total


@singledispatch
def array_amplitude(factor: AmplitudeFactor, _read: Read) -> ArrayValues:
    """`factor.values` of the rows, (n, samples), float64 or complex128. Raises PlanError for a kind without a rule."""
    raise PlanError(
        f"the map has amplitudes that only NumPy computes ({type(factor).__name__}): pass a NumPy array, "
        "as in X.cpu().numpy()"
    )


@array_amplitude.register
def _linear_forms(factor: LinearForms, read: Read) -> ArrayValues:
    data = read(factor.reads)
    xp = data.xp
    padded = xp.concat([data.values, xp.zeros_like(data.values[:, :1])], axis=1)  # for those without imaginary parts

    def at(terms: Any) -> Any:
        own = _columns(data, data.values, factor.first[terms]) * data.there(factor.scale[terms])
        if not factor.is_complex:
            return own
        other = _columns(data, padded, factor.second[terms] % padded.shape[1])
        other = other * data.there(factor.scale[terms] * factor.turn[terms])
        return xp.astype(own, xp.complex128) + 1j * xp.astype(other, xp.complex128)

    return _products(data, factor, at)


@array_amplitude.register
def _runs(factor: AmplitudeRuns, read: Read) -> ArrayValues:
    own = array_amplitude(factor.factor, read)
    return _products(own, factor, lambda terms: _columns(own, own.values, terms))


@array_amplitude.register
def _neurons(factor: Neurons, read: Read) -> ArrayValues:
    inputs: Any = read(factor.reads) @ factor.weights.T
    try:
        found: Any = factor.activation.evaluate(inputs)
    except (AttributeError, TypeError) as error:  # what a stand-in for an array lacks
        raise refused(f"neurons {factor.activation}", error) from error
    own: ArrayValues = found - (factor.constant + factor.slope * inputs)
    return own


@array_amplitude.register
def _shapes(factor: ColumnShapes, read: Read) -> ArrayValues:
    data = read(factor.reads)
    columns = _columns(data, data.values, factor.which)
    found: ArrayValues = data.like(shaped(factor.shape, factor.power, columns, data.there(factor.numbers), data.xp))
    return found


def _columns(own: ArrayValues, values: Any, places: Any) -> Any:
    index = own.xp.asarray(np.ascontiguousarray(places), dtype=own.xp.int64, device=own.device)
    return own.xp.take(values, index, axis=1)


def _products(own: ArrayValues, factor: Any, at: Callable[[Any], Any]) -> ArrayValues:
    """∏ of the terms from starts_j up to starts_{j+1}; `at` gives the values of some terms, (n, terms).

    Step by step over the products with that many terms, longest first, so the work is linear in the number of terms.
    """
    xp, lengths = own.xp, np.diff(factor.starts)
    order = np.argsort(-lengths, kind="stable")
    first, done = factor.starts[:-1][order], []
    kind = xp.complex128 if factor.is_complex else xp.float64
    total = xp.ones((own.shape[0], len(lengths)), dtype=kind, device=own.device)
    for step in range(int(lengths.max()) + 1):
        more = int((lengths > step).sum())
        done.append(total[:, more:])
        total = total[:, :more]
        if more:
            total = total * at(first[:more] + step)
    return own.like(_columns(own, xp.concat(done[::-1], axis=1), np.argsort(order, kind="stable")))


_ENTRIES, _IN_CACHE = 2**22, 2**17
"""Kernel values per block: 32 MB, of which a few are kept; on CPUs 1 MB, which takes a sixth of the time."""


def array_with_landmarks(
    plan: Plan, features: LandmarkCorrection, X: Any, samples: Any | None, side: Side, xp: Any, device: Any
) -> Any:
    """h(x) and the samples minus their prediction from h, (n, r + D), of X's type: `write_with_landmarks` elsewhere.

    Kernel values are computed in float64, whatever the type. Raises PlanError, naming the kernel, if its values need
    functions outside the array API.
    """
    landmarks = plan.landmarks
    assert landmarks is not None
    own = ArrayValues(X, xp, device)
    others = (landmarks.rows_for_left if side == "left" else landmarks.left).rows.dense()
    rows, there = xp.astype(X, xp.float64), ArrayRows(own.like(own.there(others)))
    root = own.there(landmarks.left_root if side == "left" else landmarks.right_root)
    entries = _IN_CACHE if "cpu" in str(device).lower() else _ENTRIES
    height, blocks = max(1, entries // max(1, len(others))), []
    for first in range(0, X.shape[0], height):
        block = ArrayRows(own.like(rows[first : min(first + height, X.shape[0]), :]), first=first)
        pairs = ArrayPairs(block, there) if side == "left" else ArrayPairs(there, block)
        values = _kernel_value(plan, pairs).values
        blocks.append((values if side == "left" else values.T) @ root)
    columns = blocks[0] if len(blocks) == 1 else xp.concat(blocks, axis=0)
    parts = [xp.astype(columns, X.dtype)]
    if samples is not None:
        known = own.there(features.left if side == "left" else features.right)
        parts.append(xp.astype(xp.astype(samples, xp.float64) - columns @ known, X.dtype))
    return xp.concat(parts, axis=1)


def _kernel_value(plan: Plan, pairs: ArrayPairs) -> ArrayValues:
    """Σ w_i k_i(x, y) of all strata, (n, m)."""
    own: ArrayValues = pairs.x.numbers
    total = own.like(own.xp.zeros(pairs.shape, dtype=own.xp.float64, device=own.device))
    for stratum in plan.strata:
        try:
            total = total + stratum.weight * stratum.value(pairs)
        except (AttributeError, TypeError) as error:  # what a stand-in for an array lacks
            raise refused(stratum.law.lines(stratum.positions, plan.layout.mapped.names)[0], error) from error
    return total


def transform_array(drawn: DrawnPlan, X: Any, side: Side | Literal["both"] | None) -> Any:
    """`FeatureMap.transform` for an array-API array: same library, type and device, (n, columns).

    With ε the unit roundoff of the type, d the columns of X and a_j √2 or 1 times the amplitude, a feature differs from
    NumPy's by at most a_j ((2d + 6) ε (Σ_i |x_i ω_ij| + |b_j|) + 8 ε), each part of a complex one; 2d + 8 if x is
    divided by its norm. Growth e^{β·x} adds a relative difference of (2d + 6) ε Σ |x_i β_i| + 8 ε. Other amplitudes are
    float64 until they are multiplied: the bound is times their size, plus a rounding; neurons are functions of w·x,
    whose error is (d + 2) 2⁻⁵² Σ |w_i x_i| in each. Landmark columns are kernel values k(x, R) in float64 times a
    matrix V, rounded to the type: if the values of m landmarks differ by δ, they differ by at most (δ + 2⁻⁵¹ m max|k|)
    Σ_i |V_ij| and a rounding. torch can differentiate all of it.

    Raises MissingPackageError without array-api-compat; PlanError for maps with keys, maps defined on some rows only,
    and neurons or landmarks that need functions outside the array API; DataError for anything but a table of finite
    float32 or float64, and for numbers too large for the kernel.
    """
    require_package("array_api_compat", extra="array-api", purpose="features of arrays that are not NumPy's")
    from array_api_compat import array_namespace, device

    _refuse_others(drawn)
    xp = array_namespace(X)
    _check(drawn, X, xp)
    with np.errstate(over="ignore", invalid="ignore"):  # for libraries that compute with NumPy
        left = _features(drawn, X, "right" if side == "right" else "left", xp, device(X))
        if side != "both":
            return left
        right = _features(drawn, X, "right", xp, device(X))
    half, own = np.sqrt(0.5), np.flatnonzero(drawn.sided)
    scale = xp.asarray(np.where(drawn.sided, half, 1), dtype=X.dtype, device=device(X))
    kept = xp.take(right, xp.asarray(own, dtype=xp.int64, device=device(X)), axis=1)
    return xp.concat([left * scale, kept * float(half)], axis=1)


def _refuse_others(drawn: DrawnPlan) -> None:
    """Raise PlanError unless samples have no keys, and rows may be any numbers."""
    dense, plan = drawn.dense, drawn.plan
    keys = plan.layout.categorical if drawn.correction is not None else dense is None or drawn.has_keys
    if keys or drawn.is_sparse:
        what = "has keys"
    elif plan.normalized:
        what = "divides features by their norm"
    elif plan.layout.domains:
        what = "is not for all rows of numbers"
    elif plan.layout.mapped is not plan.layout:
        what = "applies functions to columns"
    else:
        return
    raise PlanError(f"the map {what}, which other libraries do not support: pass a NumPy array, as in X.cpu().numpy()")


def _features(drawn: DrawnPlan, X: Any, side: Side, xp: Any, device: Any) -> Any:
    """One side, (n, columns). Raises DataError for numbers too large for the kernel."""
    samples: Any = None if drawn.dense is None else array_phasors(drawn.dense, drawn.plan.form, X, side, xp, device)
    features = samples
    if drawn.correction is not None:
        features = array_with_landmarks(drawn.plan, drawn.correction, X, samples, side, xp, device)
    if not bool(xp.all(xp.isfinite(features))):
        raise DataError("features are not finite: numbers are too large for this kernel; scale the columns down")
    return features


def _check(drawn: DrawnPlan, X: Any, xp: Any) -> None:
    """Raise DataError unless X is a table of finite floats."""
    layout, stored = drawn.plan.layout, str(getattr(X, "layout", "strided"))
    if "strided" not in stored or getattr(X, "is_meta", False):
        raise DataError(f"expected a dense tensor with data, not one on {X.device}, {stored}")
    if X.ndim != 2 or X.dtype not in (xp.float32, xp.float64):
        raise DataError(f"expected a table of float32 or float64, not {X.ndim} dimensions of {X.dtype}")
    layout.number_type(np.empty((0, X.shape[1])))  # raises for a wrong number of columns
    if not X.shape[0]:
        raise DataError("the table is empty: 0 sample(s), while a minimum of 1 is required")
    for position in layout.used:
        finite = xp.isfinite(X[:, position])
        if not bool(xp.all(finite)):
            row = int(xp.argmax(xp.astype(~finite, xp.int32)))
            raise not_finite(row, layout.name_of(position), float(X[row, position]))
