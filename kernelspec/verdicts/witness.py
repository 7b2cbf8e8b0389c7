"""Disproving positive definiteness: a negative spectral density, or few rows with a negative eigenvalue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.elaboration.data_columns import kernel_and_layout, layout_of
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import DataError, NoDensityError, NotStationaryError, RangeError
from kernelspec.expressions.arguments import declared
from kernelspec.expressions.columns import CodedColumn
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel, rebuilt
from kernelspec.kernels.nodes.sums_and_products import Sum
from kernelspec.limits import counted_work
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.measures.mixture import Mixture
from kernelspec.tables.layout import Layout
from kernelspec.tables.rows import Rows

__all__ = [
    "Points",
    "asymmetry",
    "evidence",
    "few_rows_against",
    "negative_density",
    "negative_eigenvalue",
    "negative_on_table",
    "points_against",
]

_STEPS = (0.25, 0.5, 0.75, 1.0, 1.5)  # distances of neighbors, in units of half a wavelength

_ON_LINE = (8, 24, 64)
_SIDES = {2: (5, 10), 3: (4,)}
_DRAWN, _POINT_SCALES = 120, (0.5, 1.0, 2.0, 4.0)
ROUNDING = 1e-11
"""The error of the entries of a kernel matrix, as a share of Σ |w| k(0)."""


@dataclass(frozen=True)
class Points:
    """Rows, the code that makes them, and the least eigenvalue of their kernel matrix, beyond rounding.

    `steps` state v'Kv < 0 for a vector v, if there are few rows.
    """

    rows: tuple[tuple[Any, ...], ...]
    words: str
    eigenvalue: float
    steps: tuple[str, ...] = ()


def points_against(kernel: Kernel, frequency: tuple[float, ...]) -> Points | None:
    """The first rows, among those tried, that disprove the kernel numerically; None if none do.

    Lattices with spacings of various multiples of half the wavelength, or normal rows if there are too many columns for
    a lattice.
    """
    size = float(kernel.magnitude())
    for rows, words in _tried(np.asarray(frequency, dtype=float)):
        matrix = _of_rows(kernel, Rows(rows))
        if not np.isfinite(matrix).all():
            continue
        least = _least(matrix)
        # an eigenvalue moves by at most the norm of the perturbation [Weyl 1912]
        if least < -ROUNDING * len(rows) * max(size, float(np.abs(matrix).max())):
            return Points(tuple(tuple(map(float, row)) for row in rows), words, least)
    return None


def _tried(frequency: NDArray[np.float64]) -> Iterator[tuple[NDArray[Any], str]]:
    dim, length = len(frequency), float(np.linalg.norm(frequency))
    wave = np.pi / length if length > 0 else 1.0
    for step in (_rounded(wave * share) for share in (_STEPS if length else (0.3, 1.0, 3.0))):
        if dim == 1:
            for count in _ON_LINE:
                yield np.arange(count)[:, None] * step, f"np.arange({count})[:, None]*{step:g}"
        for side in _SIDES.get(dim, ()):
            lattice = np.array(list(product(range(side), repeat=dim)), dtype=float) * step
            yield lattice, f"np.array(list(itertools.product(range({side}), repeat={dim})))*{step:g}"
    for scale in (_rounded(wave * share) for share in _POINT_SCALES):
        if dim > 1:
            rows = np.random.default_rng(0).standard_normal((_DRAWN, dim)) * scale
            yield rows, f"np.random.default_rng(0).standard_normal(({_DRAWN}, {dim}))*{scale:g}"


def _rounded(value: float) -> float:
    """The number as shown, with three digits."""
    return float(f"{value:.3g}")


_POINTS = 40
_SCALES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

_LAST_BITS = 4 * np.finfo(float).eps
_NEARBY = 3
_BEYOND = 8.0  # a counterexample counts if it exceeds this multiple of the largest change from perturbed last bits


def asymmetry(kernel: Kernel) -> str | None:
    """Rows with k(x, y) ≠ k(y, x), far beyond rounding, as text; None if none are found."""
    size = float(kernel.magnitude())  # a kernel of weights ±w has the size Σ|w|, however small k is
    for scale in _SCALES[::-1]:
        matrix = _matrix(kernel, scale)
        if not np.isfinite(matrix).all():
            continue
        gap = np.abs(matrix - matrix.T)
        if gap.max() <= 1e-9 * max(size, float(np.abs(matrix).max())):
            continue
        error = _error(kernel, scale, matrix)
        beyond = np.where(gap > error + error.T, gap, 0.0)
        if beyond.max() > 1e-9 * max(size, float(np.abs(matrix).max())):
            i, j = np.unravel_index(int(np.argmax(beyond)), gap.shape)
            return (
                f"k(x, y) = {matrix[i, j]:.6g} and k(y, x) = {matrix[j, i]:.6g} for two of {_POINTS} normal rows of "
                f"scale {scale:g}"
            )
    return None


def evidence(kernel: Kernel) -> str:
    """The attempts to disprove the kernel numerically, and the smallest numbers seen."""
    found = []
    for scale in _SCALES:
        matrix = _matrix(kernel, scale)
        if np.isfinite(matrix).all():
            found.append(_least(matrix))
    tried = f"smallest eigenvalue of {_POINTS} normal rows at {len(_SCALES)} scales: {min(found, default=np.nan):.3g}"
    try:
        measure = measure_of(kernel) if kernel.is_stationary else None
        places = _frequencies(int(kernel.dim))
        is_real = measure is not None and measure.without_density() is None and not measure.is_complex
        if measure is not None and is_real and not _is_slow(measure, places):
            density = np.real(measure.density(places))
            tried = f"smallest value of the density on a grid: {float(np.nanmin(density)):.3g}; {tried}"
    except (NotStationaryError, NoDensityError):
        pass
    return f"tried in numbers: {tried}; not a proof"


_MOST_WORK = 10_000  # millions of operations for the density at all frequencies tried, about milliseconds


def _is_slow(measure: Measure, places: NDArray[Any]) -> bool:
    """Whether the density at all of these frequencies takes too long, by the work at the first."""
    with counted_work() as of_one:
        measure.density_and_error(places[:1])
    return of_one.done * len(places) > _MOST_WORK


_ROUNDS, _BETWEEN = 4, 17
"""Grids, each between the neighbors of the place where the terms cancel most on the one before, and their size."""

_TERM, _BOUNDS = 1e-10, 10
"""Share of the largest value of a term, and number of error bounds, below which a density proves nothing."""


def negative_density(kernel: Kernel) -> str | None:
    """A frequency at which the density of a stationary kernel is negative, far beyond the errors of its terms, as text.

    None if none is found on a grid, which proves nothing, or if that would take too long.
    """
    if not kernel.is_stationary:
        return None
    try:
        measure, places = measure_of(kernel), _frequencies(int(kernel.dim))
        if measure.is_complex or measure.without_density() is not None:
            return None
        weights, parts = (measure.weights, measure.parts) if isinstance(measure, Mixture) else ((1,), (measure,))
        largest = np.zeros(len(parts))
        if not parts or _is_slow(measure, places):
            return None
        for _ in range(_ROUNDS):
            found = [part.density_and_error(places) for part in parts]
            with np.errstate(all="ignore"):
                terms = np.array([float(w) * np.real(values) for w, (values, _) in zip(weights, found, strict=True)])
                errors = [abs(float(w)) * doubt for w, (_, doubt) in zip(weights, found, strict=True)]
                largest = np.maximum(largest, np.abs(terms).max(axis=1))
                density, doubt = terms.sum(axis=0), _BOUNDS * np.sum(errors, axis=0) + _TERM * largest.sum()
                share = np.nan_to_num(density / np.abs(terms).sum(axis=0), nan=np.inf)
            place = int(np.argmin(np.where(density + doubt < 0, density, share)))
            if density[place] + doubt[place] < 0:
                at = ", ".join(f"{entry:.6g}" for entry in places[place])
                size = f"{density[place]:.3g} ± {doubt[place]:.1g}"
                return f"the spectral density is {size} < 0 at ω = ({at}) [Bochner 1932]"
            ends = places[max(place - 1, 0)], places[min(place + 1, len(places) - 1)]
            places = np.linspace(*ends, _BETWEEN)
    except (NotStationaryError, NoDensityError):
        pass
    return None


def negative_eigenvalue(kernel: Kernel) -> str | None:
    """Rows whose kernel matrix has a negative eigenvalue, as text; None if none are found, which proves nothing.

    40 normal rows at several scales are tried. An eigenvalue counts only if it is negative far beyond its error: the
    effect of rounding in the numbers of the kernel and of the rows is measured by perturbing their last bits.
    """
    size = float(kernel.magnitude())
    for scale in _SCALES:
        matrix = _matrix(kernel, scale)
        if not np.isfinite(matrix).all():
            continue
        least = _least(matrix)
        rounding = 1e-9 * _POINTS * max(size if np.isfinite(size) else 0.0, float(np.abs(matrix).max()))
        if not least < -rounding:
            continue
        # an eigenvalue moves by at most the norm of the perturbation [Weyl 1912]
        error = _error(kernel, scale, matrix) + np.abs(matrix - matrix.T) / 2
        with np.errstate(over="ignore"):  # an error whose square overflows is infinite
            doubt = float(np.linalg.norm(error))
        if least < -doubt:
            return f"the kernel matrix of {_POINTS} normal rows of scale {scale:g} has the eigenvalue {least:.3g} < 0"
    return None


_RANGES = ((-1, 1), (0, 1), (-5, 5), (0, 5), (-90, 90), (0, 1000), (0, 20_000))
"""Ranges of columns that functions are applied to: of any sign, shares, angles, sizes and dates."""
_TABLE_ROWS = 200


def negative_on_table(spec: ValuedProgram, columns: Columns) -> str | None:
    """Rows of a table, before functions of its columns, whose kernel matrix has a negative eigenvalue, as text.

    None if none are found, which proves nothing. Raises SpecError.
    """
    kernel, layout = kernel_and_layout(spec, replace(columns, by_name=False))
    coded = {own.position: own.levels for own in spec.elaborated(columns).sources if isinstance(own, CodedColumn)}
    generator = np.random.default_rng(0)
    for (low, high), whole in product(_RANGES, (False, True)):
        cells = generator.uniform(low, high, (_TABLE_ROWS, int(columns.dim)))
        table = (np.rint(cells) if whole else cells).astype(object)
        for position, levels in coded.items():
            table[:, position] = [levels[i] for i in generator.integers(len(levels), size=_TABLE_ROWS)]
        try:
            rows = layout.read(table)
            matrix = _of_rows(kernel, rows)
            if not np.isfinite(matrix).all():
                continue
            least = _least(matrix)
            if not least < -1e-9 * _TABLE_ROWS * _sizes_at(kernel, rows).max():
                continue
            doubt = _doubt(kernel, layout, table, matrix)
        except DataError:  # outside the domain of a function, or of the kernel
            continue
        with np.errstate(over="ignore"):  # an eigenvalue moves by at most the norm of the perturbation [Weyl 1912]
            is_beyond = least < -np.linalg.norm(doubt)
        if is_beyond:
            shown = f"{_TABLE_ROWS} rows of {'whole ' if whole else ''}numbers from {low} to {high}"
            return f"the kernel matrix of {shown} has the eigenvalue {least:.3g} < 0"
    return None


def _of_rows(kernel: Kernel, rows: Rows) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        value = kernel.value(NumericPairs(rows, rows))
    return np.broadcast_to(np.asarray(value, dtype=float), (len(rows), len(rows)))


def _least(matrix: NDArray[np.float64]) -> float:
    """The least eigenvalue of the symmetric part."""
    return float(np.linalg.eigvalsh(matrix / 2 + matrix.T / 2)[0])


def _doubt(kernel: Kernel, layout: Layout, table: NDArray[Any], matrix: NDArray[Any]) -> NDArray[np.float64]:
    """A bound on the error of every entry, from the kernel of tables with numbers larger by their last bits.

    Equal ones stay equal, and whole parts the same. Raises DataError.
    """
    changes = []
    for n in range(1, _NEARBY + 1):
        moved = table.copy()
        moved[:, sorted(layout.numeric)] *= 1 + n * _LAST_BITS
        changes.append(np.abs(_of_rows(kernel, layout.read(moved)) - matrix))
    return np.asarray(_BEYOND * np.max(changes, axis=0))


def _sizes_at(kernel: Kernel, rows: Rows) -> NDArray[np.float64]:
    """The scale of rounding at every row, whose terms may cancel: Σ |w| k(x, x), and at least that of samples."""
    with np.errstate(all="ignore"):
        value = _with_positive_weights(kernel).value(NumericPairs(rows, rows, grid=False))
    size = float(kernel.magnitude())
    found = np.maximum(np.abs(np.asarray(value, dtype=float)), size if np.isfinite(size) else 0.0)
    return np.broadcast_to(found, len(rows))


def _with_positive_weights(kernel: Kernel) -> Kernel:
    found = rebuilt(kernel, Kernel, _with_positive_weights)
    return replace(found, weights=tuple(map(abs, found.weights))) if isinstance(found, Sum) else found


def _frequencies(dim: int) -> NDArray[np.float64]:
    """Along an axis, the diagonal and one other direction."""
    oblique = np.random.default_rng(0).standard_normal(dim)
    directions = [np.eye(dim)[0], np.ones(dim) / np.sqrt(dim), oblique / np.linalg.norm(oblique)]
    radii = np.concatenate([[0.0], np.geomspace(1e-2, 1e2, 40)])
    return np.concatenate([radii[:, None] * direction for direction in directions[: 1 if dim == 1 else 3]])


def _normal_rows(kernel: Kernel, scale: float, seed: int | None = None) -> Rows:
    """The same 40 normal rows at every scale, moved to where the kernel is defined; perturbed by a seed.

    Categories are rounded, so that rows share them: kernels such as match() vanish for others.
    """
    drawn = np.random.default_rng(0).standard_normal((_POINTS, int(kernel.dim)))
    layout = layout_of(kernel, Columns(int(kernel.dim)))
    compared = sorted(set(layout.categorical) - set(layout.numeric))
    normal = drawn * scale
    if seed is not None:
        normal *= 1 + _LAST_BITS * np.random.default_rng(seed).choice([-1.0, 1.0], normal.shape)
    normal[:, compared] = np.rint(2 * drawn[:, compared])
    return Rows(layout.fitted(normal))


def _matrix(kernel: Kernel, scale: float, seed: int | None = None) -> NDArray[np.float64]:
    return _of_rows(kernel, _normal_rows(kernel, scale, seed))


def _error(kernel: Kernel, scale: float, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """A bound on the error of every entry of the kernel matrix; infinite if there is none."""
    rows = _normal_rows(kernel, scale)  # those of a nearby kernel may be others, if its domain is
    nearby = (_with_other_numbers(kernel, np.random.default_rng(seed)) for seed in range(_NEARBY))
    others = [_of_rows(other, rows) for other in nearby]
    moved = [_matrix(kernel, scale, seed) for seed in range(_NEARBY)]
    with np.errstate(invalid="ignore"):
        found = _BEYOND * np.max(np.abs(np.array([*others, *moved]) - matrix), axis=0)
    return np.where(np.isfinite(found), found, np.inf)


def _with_other_numbers(kernel: Kernel, generator: np.random.Generator) -> Kernel:
    """The kernel with perturbed last bits in its numbers, which were rounded from those of the spec."""

    def other(value: Any) -> Any:
        if isinstance(value, float):
            return value * (1 + _LAST_BITS * float(generator.choice([-1.0, 1.0])))
        if isinstance(value, tuple):
            return tuple(other(entry) for entry in value)
        return _with_other_numbers(value, generator) if isinstance(value, Kernel) else value

    changed = {part.name: other(getattr(kernel, part.name)) for part in fields(kernel) if part.name != "span"}
    for name, (argument, _) in declared(type(kernel)).items():
        if isinstance(changed[name], float) and not argument.accepts(changed[name]):
            changed[name] = getattr(kernel, name)  # at the end of its range
    try:
        return replace(kernel, **changed)
    except RangeError:  # for arguments that bound each other
        return kernel


Matrix = NDArray[np.float64]

_MOST_ROWS, _LONGEST_LINE, _CATEGORIES = 200, 24, (0, 1, 2)
"""Rows of a lattice and values of a numeric column, at most, and the values of a column that is compared."""

_SPACINGS = 4.0 ** np.arange(-10, 11)
_FEW, _CLEAR, _SHARE = 12, 1e-3, 0.2
"""The number of rows, at most; their eigenvalue is this share of the largest entry, or per row of the lattice's."""

_LONGEST_TEXT = 160


def few_rows_against(spec: ValuedProgram, columns: Columns) -> Points | None:
    """Few rows of a table that disprove a kernel numerically; None if none of those tried do. Raises SpecError.

    Lattices of a few categories and of multiples of a spacing; if they are too large, rows drawn from them. Of the one
    with the least eigenvalue per row, the best two rows, then always the row that lowers the eigenvalue most.
    """
    kernel, layout = kernel_and_layout(spec, replace(columns, by_name=False))
    coded = {own.position: own.levels for own in spec.elaborated(columns).sources if isinstance(own, CodedColumn)}
    found = []
    for spacing in _SPACINGS if layout.numeric else (1.0,):
        table = _lattice(layout, coded, spacing)
        i, j = np.triu_indices(len(table))
        try:
            rows = layout.read(table)
            with np.errstate(all="ignore"):
                value = kernel.value(NumericPairs(rows.take(i), rows.take(j), grid=False))
            matrix = np.empty((len(table),) * 2)
            matrix[i, j] = matrix[j, i] = value
            sizes, doubt = _sizes_at(kernel, rows), np.zeros_like(matrix)
            share = _share(matrix, sizes.max(), doubt) if np.isfinite(matrix).all() else 0.0
            if share < 0 and layout.mapped is not layout:
                doubt = _doubt(kernel, layout, table, matrix)
                share = _share(matrix, sizes.max(), doubt)
        except DataError:  # outside the domain of a function, or of the kernel
            continue
        if share < 0:
            found.append((share, table, matrix, sizes, doubt))
    if not found:
        return None
    share, table, matrix, sizes, doubt = min(found, key=lambda one: one[0])
    for few in _chosen(matrix):
        inner = matrix[np.ix_(few, few)]
        least = _share(inner, sizes[few].max(), doubt[np.ix_(few, few)]) * len(few)
        if least < 0 and least <= max(-_CLEAR, _SHARE * share * len(few)):
            return _points(table[few], inner)
    return None


def _lattice(layout: Layout, coded: dict[int, tuple[Any, ...]], spacing: float) -> NDArray[Any]:
    compared = {i: coded.get(i, _CATEGORIES) for i in layout.categorical if i not in layout.numeric}
    kept = 3 if len(compared) < 3 else 2
    room = float(np.prod([float(len(own[:kept])) for own in compared.values()]))
    count = max((n for n in range(3, _LONGEST_LINE) if room * float(n) ** len(layout.numeric) <= _MOST_ROWS), default=3)
    start = -count // 2 if layout.domains else 1  # domains are fitted to numbers of both signs
    values: list[list[Any]] = [[0]] * layout.dim
    for column in layout.numeric:
        values[column] = [float(f"{n * spacing:.6g}") for n in range(start, start + count)]
    for column, categories in compared.items():
        values[column] = list(categories[:kept])
    if room * float(count) ** len(layout.numeric) <= _MOST_ROWS:
        rows = list(product(*values))
    else:
        generator = np.random.default_rng(0)
        rows = [tuple(own[generator.integers(len(own))] for own in values) for _ in range(_MOST_ROWS)]
    is_plain = layout.mapped is layout
    return layout.fitted(np.array(rows, dtype=float)) if is_plain else np.array(rows, dtype=object)


def _share(matrix: Matrix, size: float, doubt: Matrix) -> float:
    """The least eigenvalue per row, as a share of the largest entry; 0 unless it is negative beyond rounding."""
    least, largest = _least(matrix), float(np.abs(matrix).max())
    # an eigenvalue moves by at most the norm of the perturbation [Weyl 1912]
    with np.errstate(over="ignore"):  # an error whose square overflows is infinite
        error = max(ROUNDING * len(matrix) * max(size, largest), float(np.linalg.norm(doubt)))
    return least / (len(matrix) * largest) if least < -error else 0.0


def _chosen(matrix: Matrix) -> Iterator[list[int]]:
    """One row, two rows, and so on."""
    diagonal = np.diag(matrix)
    yield [int(np.argmin(diagonal))]
    least = np.add.outer(diagonal, diagonal) / 2 - np.hypot(np.subtract.outer(diagonal, diagonal) / 2, matrix)
    np.fill_diagonal(least, np.inf)
    rows = [int(i) for i in np.unravel_index(int(np.argmin(least)), matrix.shape)]
    while len(rows) <= min(_FEW, len(matrix) - 1):
        yield rows
        others = np.setdiff1d(np.arange(len(matrix)), rows)
        with_each = np.column_stack([np.tile(rows, (len(others), 1)), others])
        found = np.linalg.eigvalsh(matrix[with_each[:, :, None], with_each[:, None, :]])[:, 0]
        rows = [*rows, int(others[np.argmin(found)])]


def _points(table: NDArray[Any], matrix: Matrix) -> Points:
    rows = tuple(map(tuple, table.tolist()))
    shown = ([f'"{x}"' if isinstance(x, str) else f"{x:g}" for x in row] for row in rows)
    words = "[" + ", ".join("[" + ", ".join(row) + "]" for row in shown) + "]"
    values, vectors = np.linalg.eigh(matrix)
    v = np.round(vectors[:, 0], 2)
    weights, square = ", ".join(f"{x:g}" for x in v), float(v @ matrix @ v)
    steps = (f"the rows {words} with the weights v = ({weights}): v'Kv = {square:.6g} < 0",) if square < 0 else ()
    short = words if len(words) <= _LONGEST_TEXT else f"{words[:_LONGEST_TEXT]}… ({len(rows)} in the witness)"
    return Points(rows, short, float(values[0]), steps)
