"""Gaussian processes with a stationary kernel: integrals of the kernel against a law, and smoothness of paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import NotAvailableYet, ParameterError
from kernelspec.expressions.arguments import Scalar
from kernelspec.loading import sympy
from kernelspec.measures.algebra.closed_density import terms_by_column
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import density_of_member, line_members
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.numbers import Coefficients, MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise, transform
from kernelspec.measures.convolution import convolve
from kernelspec.measures.inversion import half_width
from kernelspec.measures.measure import Measure
from kernelspec.measures.tails import roughness
from kernelspec.measures.translated import landmarks
from kernelspec.special.elementary import product_and_error
from kernelspec.special.legendre import legendre_pieces

__all__ = ["Law", "MeanEmbedding", "Paths", "embedding_expression", "law_of_columns", "mean_embedding", "paths_of"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Law:
    """N(first, second²), or the uniform law between the two, on one column."""

    is_normal: bool
    first: Scalar
    second: Scalar

    def about(self, place: Any, numbers: Coefficients) -> Piecewise:
        """p(place − t), p the density, as a function of t; `place` is a number of the algebra."""
        first, second = numbers.number(self.first), numbers.number(self.second)
        zero = 0 * second
        if not self.is_normal:
            weight = 1 / (second - first)
            return Piecewise.of([Piece(place - second, place - first, (weight,), *[zero] * 5)], numbers)
        curvature, c = 1 / (2 * second**2), place - first
        weight = 1 / (second * numbers.root(2 * numbers.pi()))
        shape = (-curvature * c**2, -2 * curvature * c, curvature, zero, zero)
        return Piecewise.of([Piece(None, None, (weight,), *map(numbers.simplified, shape))], numbers)

    def differences(self, numbers: Coefficients) -> Piecewise:
        """The density of the difference of two independent numbers with this law."""
        if self.is_normal:
            return Law(True, 0, self.second * numbers.root(numbers.number(2))).about(numbers.number(0), numbers)
        width = numbers.number(self.second) - numbers.number(self.first)
        zero = 0 * width
        piece = Piece(zero, width, (1 / width, -1 / width**2), *[zero] * 5)
        return Piecewise.of([piece, piece.mirrored()], numbers)

    def density(self, t: Array) -> Array:
        """p at places with positive density."""
        first, second = float(self.first), float(self.second)
        if self.is_normal:
            return np.asarray(np.exp(-(((t - first) / second) ** 2) / 2) / (second * math.sqrt(2 * math.pi)))
        return np.full(len(t), 1 / (second - first))

    def difference_density(self, t: Array) -> Array:
        """The density of the difference of two independent numbers."""
        first, second = float(self.first), float(self.second)
        if self.is_normal:
            return Law(True, 0, math.sqrt(2) * second).density(t)
        return np.asarray(np.maximum(0.0, 1 - np.abs(t) / (second - first)) / (second - first))

    def transform(self, frequencies: Array) -> NDArray[np.complex128]:
        """E e^{iωY}."""
        first, second = float(self.first), float(self.second)
        if self.is_normal:
            return np.asarray(np.exp(1j * frequencies * first - (frequencies * second) ** 2 / 2))
        half = (second - first) / 2
        return np.asarray(np.exp(1j * frequencies * (first + half)) * np.sinc(frequencies * half / np.pi))

    def reach(self) -> tuple[float, float]:
        """An interval that contains all but 1e-25 of the mass."""
        first, second = float(self.first), float(self.second)
        return (first - 11 * second, first + 11 * second) if self.is_normal else (first, second)


@dataclass(frozen=True, eq=False)
class MeanEmbedding:
    """m(x) = ∫ k(x, y) ν(dy) for a law ν of rows: call it with rows to get values.

    `at` returns values and error bounds, `mean` is ∫ m dν within `error`, `expression` is m in SymPy, None without a
    closed form. Errors of closed forms are rounding; others come from adaptive quadrature.
    """

    at: Callable[[Any], tuple[Array, Array]]
    mean: float
    error: float
    expression: Any = None

    def __call__(self, X: Any) -> Array:
        """m at rows (n, d) → (n,)."""
        return self.at(X)[0]


def law_of_columns(kind: str, numbers: Any, dim: int) -> tuple[Law, ...]:
    """The laws of independent columns from a pair of numbers, or of sequences with one entry per column.

    Raises ParameterError unless they define a normal or uniform law.
    """
    if not isinstance(numbers, tuple | list) or len(numbers) != 2:
        raise ParameterError(f"{kind}= needs a pair of numbers")
    given = [np.atleast_1d(np.asarray(entry, dtype=object)) for entry in numbers]
    if any(entry.shape not in ((1,), (dim,)) for entry in given):
        raise ParameterError(f"{kind}= needs two numbers, or two sequences of {dim}, one for every column")
    pairs = list(zip(*(np.broadcast_to(entry, dim).tolist() for entry in given), strict=True))
    try:
        right = all(map(math.isfinite, np.array(pairs, dtype=float).ravel()))
        right = right and all(float(b) > (0 if kind == "normal" else float(a)) for a, b in pairs)
    except (TypeError, ValueError):
        right = False
    if not right:
        form = "(mean, positive deviation)" if kind == "normal" else "(low, high) with low < high"
        raise ParameterError(f"{kind}= needs {form}, both finite numbers")
    exact = [[sympy.Rational(str(v)) if isinstance(v, float) else sympy.S(v) for v in pair] for pair in pairs]
    return tuple(Law(kind == "normal", a, b) for a, b in exact)


def mean_embedding(measure: Measure, laws: tuple[Law, ...]) -> MeanEmbedding:
    """m for independent columns: products over columns of embeddings on lines. Raises NotAvailableYet for others."""
    terms = _line_terms(measure)

    def total(of_column: Callable[[Measure, Law, int], tuple[Array, Array]], n: int) -> tuple[Array, Array]:
        values, errors = np.zeros(n), np.zeros(n)
        for weight, columns in terms:
            read = [of_column(part, laws[i], i) for i, part in enumerate(columns) if part is not None]
            found, doubt = product_and_error(read) if read else (np.ones(n), np.zeros(n))
            values, errors = values + float(weight) * found, errors + abs(float(weight)) * doubt
        return values, errors

    def at(rows: Array) -> tuple[Array, Array]:
        return total(lambda part, law, i: _on_line(part, law, rows[:, i]), len(rows))

    mean, error = total(lambda part, law, i: _on_line(part, law, None), 1)
    return MeanEmbedding(at, float(mean[0]), float(error[0]))


def _line_terms(measure: Measure) -> list[tuple[Any, tuple[Measure | None, ...]]]:
    if measure.dim == 1:
        return [(1, (measure,))]
    try:
        found = terms_by_column(measure)
    except NotClosed:
        raise NotAvailableYet(
            "the integral over several columns is known for sums of products over columns, and this kernel depends on "
            "their distance: give rows X in place of a law"
        ) from None
    return [(weight, tuple(convolve(parts) if parts else None for parts in columns)) for weight, columns in found]


_DIGITS = (50, 80)
_AGREEMENT = 1e-13
_ROUNDING = 4e-16


def _on_line(measure: Measure, law: Law, places: Array | None) -> tuple[Array, Array]:
    """m at places on a line with error bounds; for `places` None, at two independent places, (1,)."""
    rough, fine = (_values(measure, law, places, MultiprecisionNumbers(digits)) for digits in _DIGITS)
    if rough is not None and fine is not None:
        apart = np.abs(fine - rough)
        if (apart <= _AGREEMENT * (1 + np.abs(fine))).all():
            return fine, apart + _ROUNDING * np.abs(fine)
    atoms = measure.atoms()
    if atoms is None:
        return _by_quadrature(measure, law, places)
    points = atoms.points[:, 0]
    weights = atoms.weights * law.transform(points).conj()
    if places is None:
        weights, places = atoms.weights * np.abs(law.transform(points)) ** 2, np.zeros(1)
    found = (np.exp(1j * np.outer(places, points)) @ weights).real
    angles = 1 + np.abs(points) * max(1.0, *np.abs(places), *np.abs(law.reach()))
    return found, np.full(len(places), atoms.omitted + _ROUNDING * float(np.abs(atoms.weights) @ angles))


def _values(measure: Measure, law: Law, places: Array | None, numbers: MultiprecisionNumbers) -> Array | None:
    try:
        members = line_members(measure, numbers)
        laws = [law.differences(numbers)] if places is None else [law.about(numbers.number(x), numbers) for x in places]
        return np.array([float(_integral(members, each, numbers).real) for each in laws])
    except (NotClosed, ArithmeticError, ValueError, TypeError):
        return None


def _integral(members: Sequence[Member], law: Piecewise, numbers: Any) -> Any:
    """∫ k(t) p(t) dt as 2π times the density of their product at 0."""
    total = numbers.real(numbers.number(0))
    for member in members:
        product = Member(law if member.lag is None else member.lag * law, member.frequency)
        total = total + density_of_member(product, numbers.frequency(numbers.number(0)), numbers)
    return total * numbers.real(2 * numbers.pi())


_MOST_PIECES = 1 << 12


def _by_quadrature(measure: Measure, law: Law, places: Array | None) -> tuple[Array, Array]:
    """Legendre series on pieces around the peaks and kinks of k; the errors bound what these do not resolve."""
    low, high = law.reach()
    density, peak = law.density, float(law.first)
    if places is None:
        density, places, low, high, peak = law.difference_density, np.zeros(1), low - high, high - low, 0.0
    half, marks = (high - low) / 2, np.array(sorted(landmarks(measure)))

    def kernel(lags: Array) -> Array:
        return np.asarray(measure.characteristic_function(lags[:, None]))

    scale = min(half_width(kernel), half)

    def around(x: float) -> tuple[float, float]:
        start = x - low - half  # t = start + u, |u| ≤ half
        pieces = legendre_pieces(
            lambda u: kernel(start + u) * density(x - start - u),
            np.append(marks - start, x - peak - start),
            scale,
            both_sides=True,
            within=half,
            most_pieces=_MOST_PIECES,
        )
        (value,), (error,) = pieces.transform(np.zeros(1))
        return float(value.real), float(error)

    found = np.array([around(x) for x in places.tolist()]).reshape(-1, 2)
    return found[:, 0], found[:, 1] + 1e-15 * abs(float(measure.total_mass()))


def embedding_expression(measure: Measure, laws: Sequence[Law], at: Sequence[Any]) -> Any | None:
    """m(x) in SymPy at x = `at`, one real symbol per column; None without a closed form."""
    try:
        terms = _line_terms(measure)
        return sympy.Add(
            *[
                weight * sympy.Mul(*[_expression(p, laws[i], at[i]) for i, p in enumerate(parts) if p is not None])
                for weight, parts in terms
            ]
        )
    except (NotAvailableYet, TypeError, ZeroDivisionError):
        return None


def _expression(measure: Measure, law: Law, x: Any) -> Any:
    numbers = ExactNumbers()
    members = line_members(measure, numbers)
    place = sympy.Dummy("place", real=True)
    try:
        if law.is_normal:
            found = _integral(members, Law(True, 0, law.second).about(place, numbers), numbers).re
            found = found.replace(sympy.exp, lambda exponent: sympy.exp(sympy.cancel(exponent)))
            return sympy.factor_terms(found.xreplace({place: x - law.first}))
        return sympy.factor_terms(_integral(members, law.about(x, numbers), numbers).re)
    except NotClosed:
        if law.is_normal or any(m.frequency is not None or m.lag is None or not m.lag.is_even for m in members):
            raise
    to = sympy.Dummy("T", positive=True)  # ∫_a^b k(x − y) dy = K(x − a) − K(x − b), K odd
    inner = [transform(m.lag.restricted(0, to).pieces, numbers.real(0), numbers, numbers) for m in members if m.lag]
    area = sympy.Add(*[each.re for each in inner])
    ends = [(x - end, sympy.Abs(x - end)) for end in (law.first, law.second)]
    upper, lower = (sympy.sign(place) * area.xreplace({to: size}) for place, size in ends)
    return sympy.factor_terms((upper - lower) / (law.second - law.first))


@dataclass(frozen=True)
class Paths:
    """The smoothness of a Gaussian process with the kernel, and how often it crosses its mean.

    It has `derivatives` mean-square derivatives (infinite for all); with as many derivatives its paths are almost
    surely Hölder continuous of every order below `hoelder`, None if unknown. `crossing_rate` is the expected number of
    crossings of the mean per unit of length, √(E ω²)/π, on one column [Rice 1945]; None on several.
    """

    derivatives: float
    hoelder: float | None
    crossing_rate: Any


def paths_of(measure: Measure, second_moment: Any) -> Paths:
    """The regularity of paths for a measure without negative parts, from the exponents β of k(0) − k(t) ~ |t|^β.

    Increments along a column have variance 2(k(0) − k), so β is the minimum over the columns [Cramér and Leadbetter
    1967, chapters 4 and 9]. Raises NotAvailableYet if it is unknown.
    """
    rate = sympy.sqrt(second_moment) / sympy.pi if measure.dim == 1 and second_moment is not sympy.nan else None
    try:
        exponent = roughness(measure)
    except NotClosed:
        raise NotAvailableYet(
            "the smoothness of paths needs the exponent of k(0) − k(t) at t = 0, which is not known for this kernel"
        ) from None
    if math.isinf(exponent):
        return Paths(math.inf, None, rate)
    derivatives = math.ceil(exponent / 2) - 1
    return Paths(derivatives, exponent / 2 - derivatives, rate)
