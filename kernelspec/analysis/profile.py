"""A kernel along one column: its values by lag, and the law of that column's frequency."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.analysis.facts import Facts, analyze
from kernelspec.analysis.variances import skeletons_in
from kernelspec.catalogue import KERNELS
from kernelspec.elaboration.forms.form import FORMS, load_form
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import ColumnError, DimensionError, NoDensityError, NotStationaryError
from kernelspec.kernels.atoms import Atoms
from kernelspec.kernels.leaf import load_kernel
from kernelspec.language.nodes import Call, Let, Name, Node, Number, Select, Slice, selectors_of
from kernelspec.measures.block_density import is_inverted
from kernelspec.measures.convolution import Composed, Convolution, convolve, factors_of
from kernelspec.measures.inversion import is_radial, marginals
from kernelspec.measures.measure import Measure, Spectral, measure_of
from kernelspec.measures.mixture import Embedding, Mixture, PushForward

__all__ = ["LineSpectrum", "Profile", "line_spectrum", "of_equal_categories", "of_named_columns"]

_MOST_TERMS = 64

_Terms = list[tuple[float, "Measure | None"]]  # weights and measures on the line; None is δ₀


@dataclass(frozen=True)
class LineSpectrum:
    """A measure on the line: ∫ … density(ω) dω + Σ weights[i] δ(points[i]).

    `density` maps frequencies (n,) to values, and is None if no part has one; it and the weights may be complex if
    k(−t) differs from k(t). `unknown` explains why a part is left out; `is_costly` tells whether every value of the
    density is a numerical integral.
    """

    density: Callable[[NDArray[np.float64]], NDArray[Any]] | None
    points: NDArray[np.float64]
    weights: NDArray[Any]
    unknown: str | None = None
    is_costly: bool = False


def line_spectrum(facts: Facts, axis: int = 0) -> LineSpectrum:
    """The law of ω_axis under the spectral measure of the kernel. Raises NotStationaryError."""
    none = np.zeros(0)
    measure = measure_of(facts.spec.kernel(facts.columns))
    if facts.mapped.count == 1:
        try:
            facts.spectral_density_at([[1.0]])
            is_costly = is_inverted(measure)
            return LineSpectrum(lambda x: facts.spectral_density_at(x[:, None]), none, none, is_costly=is_costly)
        except NoDensityError:
            if (found := measure.atoms()) is not None:
                return LineSpectrum(None, found.points[:, 0], found.weights)
    try:
        terms = _coordinate(measure, axis)
    except NoDensityError as error:
        return LineSpectrum(None, none, none, str(error))
    diffuse, points, weights, unknown = [], [none], [none], None
    for weight, law in terms:
        atoms = None if law is None else law.atoms()
        if law is None:
            points.append(np.zeros(1))
            weights.append(np.array([weight]))
        elif atoms is not None:
            points.append(atoms.points[:, 0])
            weights.append(weight * atoms.weights)
        elif law.without_density() is None:
            diffuse.append((weight, law))
        else:
            unknown = law.without_density()
    costly = any(is_inverted(law) for _, law in diffuse)

    def density(frequencies: NDArray[np.float64]) -> NDArray[Any]:
        return np.asarray(sum(weight * law.density(frequencies[:, None]) for weight, law in diffuse))

    return LineSpectrum(
        density if diffuse else None, *_merged(np.concatenate(points), np.concatenate(weights)), unknown, costly
    )


def _coordinate(measure: Measure, axis: int) -> _Terms:
    """The law of ω_axis as a sum of measures on the line. Raises NoDensityError if it is unknown."""
    if measure.dim == 1 and (measure.without_density() is None or measure.atoms() is not None):
        return [(1.0, measure)]
    match measure:
        case Mixture():
            parts = zip(measure.weights, measure.parts, strict=True)
            return [(float(w) * v, law) for w, part in parts for v, law in _coordinate(part, axis)]
        case Composed() if measure.at_zero > 0:
            return [(measure.at_zero, None), (1.0, measure)]  # the second explains why the rest has no density
        case Embedding() if axis not in measure.positions:
            return [(float(measure.total_mass()), None)]
        case Embedding():
            return _coordinate(measure.part, measure.positions.index(axis))
        case Convolution():
            return _sum(measure, axis)
        case PushForward() if not measure.is_matrix:
            scale = measure.matrix[axis] if isinstance(measure.matrix, tuple) else measure.matrix
            return _scaled(_coordinate(measure.part, axis), float(scale))
        case PushForward() if is_radial(measure.part):
            length = float(np.linalg.norm(np.asarray(measure.matrix, dtype=float)[:, axis]))
            return _scaled(_coordinate(measure.part, 0), length)
        case Spectral() if measure.kernel.is_radial:
            return [(1.0, Spectral(measure.kernel.on_line()))]
    independent = marginals(measure)
    if independent is None and measure.atoms() is not None:
        unit = tuple((int(row == axis),) for row in range(int(measure.dim)))
        return [(1.0, PushForward(measure, unit, 1))]
    if independent is None:
        raise NoDensityError("the law of one column's frequency cannot be evaluated")
    return [(1.0, independent[axis])]


def _sum(measure: Convolution, axis: int) -> _Terms:
    """The law of a sum of independent frequencies: every term of one with every term of the other."""
    found: list[tuple[float, tuple[Measure, ...]]] = [(1.0, ())]
    for part in measure.parts:
        others = [(w, () if law is None else factors_of(law)) for w, law in _coordinate(part, axis)]
        found = [(v * w, (*laws, *more)) for v, laws in found for w, more in others]
        if len(found) > _MOST_TERMS:
            raise NoDensityError(f"the law of one column's frequency has more than {_MOST_TERMS} terms")
    return [(weight, convolve(laws) if laws else None) for weight, laws in found]


def _scaled(terms: _Terms, scale: float) -> _Terms:
    return [(weight, None if law is None or scale == 0 else PushForward(law, scale, 1)) for weight, law in terms]


def _merged(points: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    if not len(points):
        return points, weights
    atoms = Atoms.merged(points[:, None], weights, 0.0)
    return atoms.points[:, 0], atoms.weights


_MOST_COLUMNS = 64  # the largest number of columns tried for a spec

_EVERY_LAG = np.geomspace(1e-9, 1e9, 1081)
_LEVELS = ((0.02, 1.0), (0.1, 2.5), (0.5, 25.0))
"""A kernel ends where |k| stays below 2 % of its maximum, or just after 10 % or 50 % for long tails."""

_SETTLED = 180  # values in the last decades that show whether a kernel is constant there

_PERIODS = 3
_FINEST = 64
_MOST_LAGS = 2**17


@dataclass(frozen=True)
class Profile:
    """The kernel t ↦ k(t e) for the unit vector e of column `axis`; all other columns stay at lag 0."""

    facts: Facts
    axis: int = 0

    @classmethod
    def of(cls, spec: ValuedProgram) -> Profile:
        """The profile along the first column that the spec names, or else that the kernel depends on.

        Raises NotStationaryError for a kernel that is not a function of x − y, ParameterError for a parameter without a
        value, and any other SpecError.
        """
        facts = _facts(spec)
        profiles = [cls(facts, axis) for axis in range(facts.mapped.count or 1)]
        return next((profile for profile in profiles if profile.varies()), profiles[0])

    @property
    def column(self) -> str | None:
        """A label for the column, if there are several: `age`, `column 2`."""
        columns = self.facts.mapped
        if (columns.count or 1) == 1:
            return None
        return columns.names[self.axis] if columns.names is not None else f"column {self.axis}"

    @property
    def is_even(self) -> bool:
        """Whether k(−t) = k(t) is known."""
        return self.facts.verdict.symmetric is True

    def kernel(self, lags: ArrayLike) -> NDArray[Any]:
        """k(t e) = ∫ exp(i ω t) ν(dω) at lags (n,) → (n,)."""
        lags = np.asarray(lags, dtype=np.float64)
        return self.facts.characteristic_function(lags[:, None] * np.eye(int(self.facts.mapped.dim))[self.axis])

    @cached_property
    def spectrum(self) -> LineSpectrum:
        """ν, the law of the column's frequency: its density, its atoms, and an explanation of missing parts.

        For a kernel whose measure has no closed form, only the atom at 0: the limit of k(t e).
        """
        try:
            return line_spectrum(self.facts, self.axis)
        except NotStationaryError as error:
            last = self.kernel(_EVERY_LAG[-_SETTLED:])
            rests = float(np.ptp(last)) < 1e-9 * float(np.abs(self.kernel([0.0]))[0])
            weights = last[-1:] if rests else np.zeros(0)
            return LineSpectrum(None, np.zeros(len(weights)), weights, str(error))

    @cached_property
    def lag_reach(self) -> float:
        """The lag at which the kernel has fallen to about 2 %, or that shows three periods; 1 if it is constant."""
        points, weights = self.spectrum.points, np.abs(self.spectrum.weights)
        turning = np.abs(points)[(points != 0) & (weights > 1e-3 * weights.max(initial=0))]
        reaches = [_PERIODS * 2 * math.pi / turning.min()] if len(turning) else []
        if self._diffuse_end is not None:
            reaches.append(self._diffuse_end)
        return max(reaches, default=1.0)

    @cached_property
    def frequency_reach(self) -> float:
        """The frequency below which most of |ν| lies: 99.5 %, or eight times the median if the tail is long."""
        weights = np.abs(self.spectrum.weights)
        order = np.argsort(np.abs(self.spectrum.points), kind="stable")
        mass = np.cumsum(weights[order])
        reaches = []
        if len(mass) and mass[-1] > 0:
            last = int(np.searchsorted(mass, 0.995 * mass[-1]))
            reaches.append(float(np.abs(self.spectrum.points[order])[last]))
        if self._diffuse_end is not None:
            median, nearly_all = self._diffuse_quantiles
            reaches.append(min(nearly_all, 8 * median))
        return max(reaches, default=0.0) * 1.1 or 1.0

    @cached_property
    def has_heavy_tail(self) -> bool:
        """Whether the density falls so slowly that a range with almost all of it would show nothing else."""
        if self._diffuse_end is None:
            return False
        median, nearly_all = self._diffuse_quantiles
        return nearly_all > 8 * median

    def varies(self) -> bool:
        """Whether the kernel is not constant."""
        values = self.kernel(np.concatenate([[0.0], _EVERY_LAG[::90]]))
        return bool(np.ptp(values) > 0)

    def _diffuse(self, lags: NDArray[Any]) -> NDArray[Any]:
        """The transform of ν without its atoms."""
        waves = np.exp(1j * lags[:, None] * self.spectrum.points)
        return np.asarray(self.kernel(lags) - np.real(waves @ self.spectrum.weights))

    @cached_property
    def _diffuse_size(self) -> NDArray[np.float64]:
        """The modulus of `_diffuse` at every lag, relative to its maximum; all zero if ν consists of atoms."""
        size = np.abs(self._diffuse(_EVERY_LAG))
        if not self.is_even:
            size = np.maximum(size, np.abs(self._diffuse(-_EVERY_LAG)))
        # the remainder after subtracting atoms is rounding
        largest = size.max()
        floor = 1e-6 * np.abs(self.spectrum.weights).sum()
        return size / largest if largest > floor else np.zeros_like(size)

    @cached_property
    def _diffuse_end(self) -> float | None:
        """The lag at which the part without atoms has ended; None without such a part."""
        size = self._diffuse_size
        if not size.any():
            return None
        ends = []
        for level, factor in _LEVELS:
            last = int(np.flatnonzero(size > level)[-1])
            if last < len(size) - 60:  # otherwise it is still above the level after nine decades, and does not end
                ends.append(factor * float(_EVERY_LAG[last]))
        return min(ends) if ends else 10 * self._half_lag

    @property
    def _half_lag(self) -> float:
        """The first lag at which the part without atoms is below half of its maximum."""
        peak = int(np.argmax(self._diffuse_size))
        below = np.flatnonzero(self._diffuse_size[peak:] < 0.5)
        return float(_EVERY_LAG[peak + below[0]]) if len(below) else 1.0

    @cached_property
    def _diffuse_quantiles(self) -> tuple[float, float]:
        """The frequencies below which 50 % and 99.5 % of the part without atoms lie, from a discrete Fourier transform.

        Parzen's weights, a cubic B-spline, keep the transform of a positive measure positive, with so little blurring
        that light tails stay light.
        """
        step, end = self._half_lag / _FINEST, self._diffuse_end or 1.0
        n = int(min(max(8 * end / step, 1024), _MOST_LAGS))
        lags = np.arange(-n, n).astype(np.float64) * step
        u = np.abs(lags) / (n * step)
        taper = np.where(u < 0.5, 1 - 6 * u**2 * (1 - u), 2 * (1 - u) ** 3)
        density = np.abs(np.fft.rfft(np.fft.ifftshift(self._diffuse(lags) * taper)))
        density[0] /= 2  # half of its cell lies on this side
        mass = np.cumsum(density)
        median, nearly_all = np.interp([0.5 * mass[-1], 0.995 * mass[-1]], mass, np.arange(n + 1) + 0.5)
        return float(median) * math.pi / (n * step), float(nearly_all) * math.pi / (n * step)


def _facts(spec: ValuedProgram) -> Facts:
    """The facts on the columns that the spec names, else on as few columns as possible."""
    named = spec.columns()
    if named.names is not None:
        return _stationary(analyze(spec, columns=named.names))
    first: ColumnError | DimensionError | None = None
    of_images = {skeleton.image.n_nodes for skeleton in skeletons_in(spec.provisional_kernel())}
    for count in sorted(of_images.union(range(1, _MOST_COLUMNS + 1))):
        try:
            return _stationary(analyze(spec, count))
        except (ColumnError, DimensionError) as error:
            first = first or error
    assert first is not None
    raise first


def _stationary(facts: Facts) -> Facts:
    try:
        facts.characteristic_function(np.zeros((1, int(facts.mapped.dim))))
    except NotStationaryError as error:
        raise NotStationaryError(f"k is not a function of the lag alone: {error}") from None
    return facts


def of_equal_categories(spec: ValuedProgram) -> ValuedProgram:
    """The spec between rows of equal categories: kernels that compare these are 1, and their columns are dropped."""
    return replace(spec, program=_of_equal_categories(spec.program))


def _of_equal_categories(node: Any) -> Any:
    if isinstance(node, tuple):
        return tuple(_of_equal_categories(item) for item in node)
    if not isinstance(node, Node):
        return node
    called = node.base if isinstance(node, Select) else node
    if isinstance(called, Call) and _is_one_between_equal(called):
        return replace(called, function="constant", positional=(), keywords=())
    return replace(node, **{part.name: _of_equal_categories(getattr(node, part.name)) for part in fields(node)})


def _is_one_between_equal(called: Call) -> bool:
    if called.function in FORMS:
        rule = load_form(called.function).is_one_between_equal
        return rule is not None and rule(called)
    leaf = load_kernel(called.function) if called.function in KERNELS else None
    return leaf is not None and leaf.compares_categories and not leaf.is_noise


class _OtherColumns(Exception):
    """A kernel whose columns are not listed by position."""


def of_named_columns(spec: ValuedProgram) -> ValuedProgram | None:
    """The spec with columns named 1, 2, … instead of the positions 0, 1, …, if every kernel has its own; else None."""
    try:
        body = _named(spec.program.body, is_selected=False)
    except _OtherColumns:
        return None
    has_kernels = any(isinstance(line, Let) for line in spec.program.statements)
    return None if has_kernels else replace(spec, program=replace(spec.program, body=body))


def _named(node: Any, *, is_selected: bool) -> Any:
    """Raises _OtherColumns for a kernel on all columns, and for other ways to select some."""
    if isinstance(node, tuple):
        return tuple(_named(item, is_selected=is_selected) for item in node)
    if not isinstance(node, Node):
        return node
    if isinstance(node, Select) and not is_selected:
        names = tuple(Name(str(i + 1), span=own.span) for own in node.selectors for i in _positions(own))
        return replace(node, selectors=names, base=_named(node.base, is_selected=True))
    if selectors_of(node) or (isinstance(node, Call) and not is_selected and _reads_all_columns(node)):
        raise _OtherColumns
    parts = {part.name: getattr(node, part.name) for part in fields(node)}
    return replace(node, **{name: _named(part, is_selected=is_selected) for name, part in parts.items()})


def _reads_all_columns(called: Call) -> bool:
    """Whether it is a kernel other than constant(), or a form that is not made of selected kernels."""
    if called.function in FORMS:
        return not any(isinstance(part, Select) for part in called.parts())
    return called.function in KERNELS and called.function != "constant"


def _positions(selector: Node) -> range:
    if isinstance(selector, Number) and selector.value.denominator == 1:
        return range(int(selector.value), int(selector.value) + 1)
    if isinstance(selector, Slice) and selector.stop is not None and selector.stop >= 0 and (selector.start or 0) >= 0:
        return range(selector.start or 0, selector.stop)
    raise _OtherColumns
