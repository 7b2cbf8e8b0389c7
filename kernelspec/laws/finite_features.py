"""Kernels with finitely many features: sums and products of columns, of equal categories and of single frequencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from kernelspec.activations.series import FiniteSeries
from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.leaves.of_rows import InnerProduct, Match
from kernelspec.kernels.nodes.columns_and_lags import Named, Select, Shift, Stretch, Tilt, Unavailable
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.sums_and_products import Additive, Power, Product, Sum
from kernelspec.kernels.parts import written_out
from kernelspec.laws.fourier import opposite_atoms
from kernelspec.samples.frequencies import ColumnRead, UnitColumn

__all__ = ["Feature", "finite_features"]

_MOST_PRODUCTS = 1 << 16
"""Most products of two features to form while expanding a kernel; a larger kernel is sampled instead."""

Wave: TypeAlias = tuple[tuple[int, float], ...]
"""The nonzero entries of a frequency, by column; the first is positive."""


class Feature(NamedTuple):
    """m(x) = ∏ x_j over `reads` times cos(ω·x) and sin(ω·x), ω = `wave`, in a column of its own for every category of
    the columns `compared`: m(x) m(y) cos(ω·Δ) 1[x and y agree there]."""

    compared: tuple[int, ...] = ()
    wave: Wave = ()
    reads: tuple[ColumnRead, ...] = ()

    def on(self, columns: tuple[int, ...]) -> Feature:
        """The same feature, on these columns instead of 0, 1, …"""
        wave: dict[int, float] = {}
        for i, entry in self.wave:
            wave[columns[i]] = wave.get(columns[i], 0.0) + entry
        reads = (_moved(read, columns) for read in self.reads)
        compared = tuple(sorted({columns[i] for i in self.compared}))
        return Feature(compared, _canonical(wave), tuple(sorted(reads, key=_place)))


_Features: TypeAlias = dict[Feature, "Scalar"]


@lru_cache(maxsize=256)
def finite_features(kernel: Kernel) -> Mapping[Feature, float] | None:
    """k(x, y) = Σ c_t m_t(x) m_t(y): every feature once with its coefficient, sorted by categories, waves and degree.

    The features of a product are the products of its factors' features, with equal ones merged: (d + 1)(d + 2)/2 of
    them for (x·y + 1)² on d columns. None for a kernel without a finite list, or with one too long to form.
    """
    try:
        found = _expanded(kernel) if isinstance(kernel.dim, int) else None
    except OverflowError:
        return None
    try:
        known = {feature: float(coefficient) for feature, coefficient in (found or {}).items()}
    except (OverflowError, TypeError):  # symbolic parameters
        return None
    order = sorted(known, key=lambda own: (own.compared, bool(own.wave), len(own.reads), _places(own), own.wave))
    return None if found is None else {feature: known[feature] for feature in order if known[feature] != 0}


def _expanded(kernel: Kernel) -> _Features | None:
    match kernel:
        case Leaf(is_one=True):
            return {Feature(): 1}
        case Match():
            return {Feature(compared=tuple(range(kernel.dim))): 1}
        case InnerProduct():
            columns = tuple(range(kernel.dim))
            reads = (UnitColumn(i, columns) for i in columns) if kernel.of_directions else columns
            return {Feature(reads=(read,)): 1 for read in reads}
        case Stationary():
            return _waves(kernel) if kernel.is_discrete else None
        case Select():
            inner = _expanded(kernel.base)
            return inner and _sum((feature.on(kernel.positions), c) for feature, c in inner.items())
        case Sum():
            return _weighted(zip(kernel.weights, map(_expanded, kernel.terms), strict=True))
        case Additive():  # features of all sets of columns, if they are few enough
            base = _expanded(kernel.base)
            is_short = base is not None and kernel.n_sets * max(1, len(base)) ** kernel.order <= _MOST_PRODUCTS
            return _expanded(written_out(kernel)) if is_short else None
        case Product():
            return _product(map(_expanded, kernel.factors))
        case Power():
            return _product([_expanded(kernel.base)] * kernel.exponent)
        case Dual(activation=FiniteSeries() as series) if series.is_complete and kernel.max_degree is None:
            return _series(series, _expanded(kernel.base))
        case Leaf() | Dual() | Named() | Shift() | Skeleton() | Stretch() | Tilt() | Unavailable():
            return None
    raise TypeError(f"no rule for the features of {type(kernel).__name__}: add one to laws/finite_features.py")


def _waves(kernel: Stationary) -> _Features | None:
    atoms = opposite_atoms(kernel)
    if atoms is None:
        return None
    found: _Features = {Feature(): atoms.constant} if atoms.constant else {}
    for frequency, weight in zip(atoms.frequencies.tolist(), atoms.weights.tolist(), strict=True):
        found[Feature(wave=_canonical(dict(enumerate(frequency))))] = weight
    return found


def _series(series: FiniteSeries, base: _Features | None) -> _Features | None:
    """Σ a_l k^l."""
    power: _Features | None = {Feature(): 1}
    terms, degree = [], 0
    for own, mass in series.terms():
        while degree < own:
            power, degree = _multiplied(power, base), degree + 1
        terms.append((mass, power))
    return _weighted(terms)


def _weighted(terms: Iterable[tuple[Scalar, _Features | None]]) -> _Features | None:
    known = [(weight, features) for weight, features in terms if features is not None or weight != 0]
    if any(features is None for _, features in known):
        return None
    return _sum((feature, weight * c) for weight, features in known for feature, c in (features or {}).items())


def _product(factors: Iterable[_Features | None]) -> _Features | None:
    """The features of a product, if it needs few enough multiplications."""
    found: _Features | None = {Feature(): 1}
    spent = 0
    for factor in factors:
        spent += _work(found or {}, factor or {})
        if spent > _MOST_PRODUCTS + len(factor or ()):
            return None
        found = _multiplied(found, factor)
    return found


def _work(left: _Features, right: _Features) -> int:
    """Products of two features; those of two waves count as 32, since each gives two waves on several columns."""
    waves = any(feature.wave for feature in left) and any(feature.wave for feature in right)
    return len(left) * len(right) * (32 if waves else 1)


def _multiplied(left: _Features | None, right: _Features | None) -> _Features | None:
    if left is None or right is None or _work(left, right) > _MOST_PRODUCTS:
        return None
    return _sum(
        (Feature(_union(a.compared, b.compared), wave, tuple(sorted(a.reads + b.reads, key=_place))), share * c * e)
        for a, c in left.items()
        for b, e in right.items()
        for wave, share in _times(a.wave, b.wave)
    )


def _sum(terms: Iterable[tuple[Feature, Scalar]]) -> _Features:
    """Equal features merged; drops those whose coefficients cancel."""
    total: _Features = {}
    for feature, coefficient in terms:
        total[feature] = total.get(feature, 0) + coefficient
    return {feature: coefficient for feature, coefficient in total.items() if coefficient != 0}


def _times(a: Wave, b: Wave) -> list[tuple[Wave, Scalar]]:
    """cos(a·Δ) cos(b·Δ) as cosines, with their coefficients."""
    if not a or not b:
        return [(a or b, 1)]
    columns = {i for i, _ in (*a, *b)}
    first, second = dict(a), dict(b)
    sides = ({i: first.get(i, 0.0) + sign * second.get(i, 0.0) for i in columns} for sign in (1, -1))
    return [(_canonical(wave), 0.5) for wave in sides]


def _canonical(wave: Mapping[int, float]) -> Wave:
    entries = tuple(sorted((i, entry) for i, entry in wave.items() if entry != 0))
    return tuple((i, -entry) for i, entry in entries) if entries and entries[0][1] < 0 else entries


def _union(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return a if a == b or not b else b if not a else tuple(sorted({*a, *b}))


def _moved(read: ColumnRead, columns: tuple[int, ...]) -> ColumnRead:
    if isinstance(read, UnitColumn):
        return UnitColumn(columns[read.position], tuple(columns[i] for i in read.among))
    return columns[read]


def _place(read: ColumnRead) -> tuple[tuple[int, ...], int]:
    return ((), read) if isinstance(read, int) else (read.among, read.position)


def _places(feature: Feature) -> list[tuple[tuple[int, ...], int]]:
    return [_place(read) for read in feature.reads]
