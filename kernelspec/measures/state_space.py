"""Linear stochastic differential equations whose stationary solution has a given kernel on a line.

dx = F x dt + L dβ, E dβ dβ' = q dt, f = H x: k(τ) = H e^{F|τ|} P H', F P + P F' + L q L' = 0. A density 2πμ(ω) = q
|b(iω)|²/|a(iω)|² has one with as many states as a has roots; sums are direct sums, products Kronecker sums [Hartikainen
and Särkkä 2010; Solin and Särkkä 2014].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from kernelspec.errors import KernelspecError
from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import is_even, line_members
from kernelspec.measures.algebra.numbers import Coefficients, MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.realization import (
    NUMBERS,
    RationalDensity,
    StateSpace,
    TooManyStates,
    direct_sum,
    gaussian_approximation,
    identity,
    kronecker,
    modal,
    normalized,
    object_matrix,
    power,
    product,
    rational_density,
    rational_fit,
    spectral_factor,
)
from kernelspec.special.closed_forms import Falling

__all__ = ["ExactStateSpace", "StateSpace", "columns_of", "exact_state_space", "state_space"]

_MOST_EXACT = 4  # states up to which exact matrices are written

_MOST_POLES = 16  # poles of a density not treated as a sum or a product, whose cost is cubic in them

_MOST_LOST = 0.01  # share of k(0) that an approximation may leave out

_SETTINGS = ((12, (4, 10), 3e-5), (6, (2, 7), 3e-4), (4, (2, 7), 1e-3), (3, (2, 6), 1e-3))
"""Harmonics, degrees of the Padé approximant of a Gaussian, and error wanted of a fitted density, less and less."""

_SMALLEST_WEIGHT = 1e-9  # harmonics below this share of k(0) are dropped


@dataclass(frozen=True, eq=False)
class ExactStateSpace:
    """A state space with SymPy matrices."""

    F: Any
    L: Any
    q: Any
    H: Any
    P: Any


def state_space(measure: Measure) -> StateSpace:
    """The state space, in floats, of a non-negative measure on one column.

    Periodic kernels by their largest harmonics, Gaussians by a Padé approximation, other densities by a rational one,
    all with an error bound on k; coarser ones if there are too many states. Raises NotClosed with the obstacle.
    """
    _require_one_column(measure)
    first: NotClosed | None = None
    for harmonics, degrees, wanted in _SETTINGS:
        try:
            return _within_bounds(measure, _Builder(NUMBERS, harmonics, degrees, wanted))
        except TooManyStates as error:
            first = first or error
        except NotClosed as error:
            raise first or error from None
    raise first or NotClosed("no state space")


def _within_bounds(measure: Measure, builder: _Builder) -> StateSpace:
    from mpmath.libmp import NoConvergence

    try:
        found = builder.of(measure)
    except KernelspecError:
        raise
    except (ArithmeticError, ValueError, NoConvergence):  # a singular matrix even with 60 digits, or lost roots
        raise NotClosed("no state space: its matrices are not found with 60 digits") from None
    with np.errstate(all="ignore"):
        variance = float((found.H @ found.P @ found.H.T)[0, 0])
    if not np.isfinite(variance):
        raise NotClosed("no state space: its matrices are beyond the range of floats")
    lost = found.error / variance
    if lost > _MOST_LOST:
        raise NotClosed(f"no state space: {builder.harmonics} harmonics leave {lost:.0%} of k(0)")
    return found


def _require_one_column(measure: Measure) -> None:
    if measure.dim != 1 and (not isinstance(measure.dim, int) or len(columns_of(measure)) > 1):
        raise NotClosed("no state space: a state evolves along one column, and the kernel reads several")


def columns_of(measure: Measure) -> set[int]:
    """The columns with nonzero frequencies."""
    match measure:
        case Mixture() | Convolution():
            return {column for part in measure.parts for column in columns_of(part)}
        case Embedding():
            return {measure.positions[i] for i in columns_of(measure.part)}
        case PushForward() if not measure.is_matrix:
            return columns_of(measure.part)
    atoms = measure.atoms()
    return set() if atoms is not None and not atoms.points.any() else set(range(int(measure.dim)))


def exact_state_space(measure: Measure) -> ExactStateSpace | None:
    """The matrices in SymPy for a rational density with at most two zeros in ω² and few states; None for others."""
    try:
        _require_one_column(measure)
        found = _Builder(ExactNumbers()).of(measure)
    except (NotClosed, TypeError):
        return None
    if found.n_states > _MOST_EXACT or found.error:
        return None
    matrices = (sympy.Matrix(getattr(found, name)).applyfunc(sympy.simplify) for name in ("F", "L", "q", "H", "P"))
    return ExactStateSpace(*matrices)


@dataclass(frozen=True)
class _Builder:
    """State spaces with entries of one number system."""

    numbers: Coefficients
    harmonics: int = 0
    degrees: tuple[int, int] = (0, 0)
    wanted: float = 0.0

    @property
    def _is_exact(self) -> bool:
        return not isinstance(self.numbers, MultiprecisionNumbers)

    def of(self, measure: Measure) -> StateSpace:
        """By the rules for sums, products and stretched lags, or else from the pieces of the whole."""
        try:
            found = self._of_parts(measure)
        except NotClosed as error:
            try:
                return self._of_pieces(measure)
            except NotClosed:
                raise error from None
        if found is not None:
            return found
        try:
            return self._of_pieces(measure)
        except NotClosed as error:
            try:
                return self._fitted(measure)
            except NotClosed:
                raise error from None

    def _of_parts(self, measure: Measure) -> StateSpace | None:
        match measure:
            case Embedding():
                return self.of(measure.part)
            case Mixture() if measure.parts and all(map(self._is_positive, measure.weights)):
                parts = zip(measure.weights, measure.parts, strict=True)
                return reduce(direct_sum, (self._scaled(self.of(part), weight) for weight, part in parts))
            case Convolution() if not self._has_one_rate(measure):
                return reduce(kronecker, map(self.of, measure.parts))
            case PushForward():
                factors = np.ravel(np.asarray(measure.matrix, dtype=object))
                if len(set(factors)) > 1 or (measure.is_matrix and measure.factor is None):
                    raise NotClosed("no state space: lags stretched by several numbers")
                return self._faster(self.of(measure.part), abs(self.numbers.number(factors[0])))
        return None

    def _is_positive(self, weight: Any) -> bool:
        return self.numbers.less(self.numbers.number(0), self.numbers.number(weight)) is True

    def _scaled(self, found: StateSpace, weight: Any) -> StateSpace:
        size = self._entry(self.numbers.number(weight))
        error = found.error * float(weight) if found.error else 0.0
        return replace(found, q=found.q * size, P=found.P * size, error=error)

    def _entry(self, value: Any) -> Any:
        """A number as a matrix entry of this system: after the leaves are built, those are floats."""
        return value if self._is_exact else float(value)

    def _faster(self, found: StateSpace, speed: Any) -> StateSpace:
        """k(speed · τ)."""
        speed = self._entry(speed)
        return replace(found, F=found.F * speed, q=found.q * speed)

    def _has_one_rate(self, measure: Measure) -> bool:
        """Whether a product is better treated as a whole: t e^{−t} e^{−t} needs fewer states than its factors."""
        try:
            members = line_members(measure, self.numbers)
        except NotClosed:
            return False
        if any(member.lag is None or member.frequency is not None for member in members):
            return False
        pieces = [piece for member in members if member.lag is not None for piece in member.lag.pieces]
        is_decay = all(piece.curvature == 0 for piece in pieces)
        return is_decay and len({(abs(piece.rate), abs(piece.wave)) for piece in pieces}) == 1

    # -- from pieces -------------------------------------------------------------------------------------------------

    def _of_pieces(self, measure: Measure) -> StateSpace:
        try:
            members = line_members(measure, self.numbers)
        except NotClosed:
            return self._of_atoms(measure)
        if any(member.lag is None or member.frequency is not None or not is_even(member) for member in members):
            raise NotClosed(f"no state space: {_WANTED}")
        found = []
        for member in members:
            assert member.lag is not None
            found += self._whole_line(member.lag)
            decaying = member.lag.with_ends.after_zero.pieces
            if decaying:
                try:
                    density = rational_density(decaying, self.numbers, _MOST_POLES)
                except NotClosed as error:
                    raise NotClosed(f"no state space: {error}; {_WANTED}") from None
                found.append(self._rational(density))
        if not found:
            raise NotClosed("no state space: the kernel is 0")
        return reduce(direct_sum, found)

    def _whole_line(self, lag: Piecewise) -> list[StateSpace]:
        """Waves, and Gaussians times waves: those with w > 0 represent pairs."""
        found = []
        for piece in lag.pieces:
            if not piece.is_whole_line:
                continue
            is_negative = self.numbers.less(piece.wave, self.numbers.number(0))
            if is_negative:
                continue
            if len(piece.weights) > 1 or piece.rate != 0 or piece.phase != 0 or is_negative is None:
                raise NotClosed(f"no state space: {_WANTED}")
            size = piece.weights[0] * self.numbers.exponential(piece.level) * (1 if piece.wave == 0 else 2)
            if not self._is_positive(size):
                raise NotClosed("no state space: a Gaussian or a cosine with a negative weight")
            one = self._wave(size, piece.wave)
            found.append(one if piece.curvature == 0 else kronecker(one, self._gaussian(piece)))
        return found

    def _wave(self, size: Any, wave: Any) -> StateSpace:
        """size · cos wτ: a rotation without noise."""
        zero, one = self.numbers.number(0), self.numbers.number(1)
        n = 1 if wave == 0 else 2
        F = object_matrix([[zero, -wave], [wave, zero]])[:n, :n]
        L, q = object_matrix([[]] * n), object_matrix([]).reshape(0, 0)
        return self._finished(StateSpace(F, L, q, object_matrix([[one, zero][:n]]), identity(n, size)))

    def _finished(self, found: StateSpace) -> StateSpace:
        return found if self._is_exact else found.in_floats()

    def _gaussian(self, piece: Piece) -> StateSpace:
        """e^{−bt²}, from the one with b = ½ in another unit of time."""
        if self._is_exact:
            raise NotClosed("approximate")
        return self._faster(gaussian_approximation(*self.degrees).in_floats(), self.numbers.root(2 * piece.curvature))

    def _of_atoms(self, measure: Measure) -> StateSpace:
        """Σ w cos ωτ over the largest atoms."""
        atoms = None if self._is_exact else measure.atoms()
        if atoms is None or np.iscomplexobj(atoms.weights) or (atoms.weights < 0).any():
            raise NotClosed(f"no state space: {_WANTED}")
        mass = float(atoms.weights.sum()) + atoms.omitted
        weights: dict[float, float] = {}
        for point, weight in zip(np.abs(atoms.points[:, 0]), atoms.weights, strict=True):
            weights[float(point)] = weights.get(float(point), 0.0) + float(weight)
        kept = sorted(weights.items(), key=lambda pair: -pair[1])[: self.harmonics]
        kept = [(point, weight) for point, weight in kept if weight > _SMALLEST_WEIGHT * mass]
        number = self.numbers.number
        found = reduce(direct_sum, (self._wave(number(weight), number(point)) for point, weight in kept))
        return replace(found, error=max(mass - sum(weight for _, weight in kept), 0.0))

    def _fitted(self, measure: Measure) -> StateSpace:
        """By a rational density near that of the measure, with ∫ |difference| as the error."""
        if self._is_exact or not isinstance(measure, Spectral):
            raise NotClosed("approximate")
        if not isinstance(measure.kernel.comparable_density(1), Falling):
            raise NotClosed("a density that is not known to fall smoothly, in closed form")
        size = float(measure.total_mass())
        density, error = rational_fit(measure.density, size, self.wanted * size)
        found = replace(self._rational(density), error=error)
        if not error < _MOST_LOST * size or abs(float((found.H @ found.P @ found.H.T)[0, 0]) - size) > error:
            raise NotClosed("approximate")
        return found

    def _rational(self, density: RationalDensity) -> StateSpace:
        """2πμ = 2P/Q: b has the roots of P, a those of Q, in the left half-plane."""
        numerator, square = list(density.numerator), sum(a * a + w * w for a, w in density.poles)
        while numerator:  # leading coefficients that cancel, relative to the terms at frequencies like the poles
            sizes = [(c * square**n) ** 2 for n, c in enumerate(numerator)]
            if not self.numbers.is_zero(sizes[-1], sum(sizes)):
                break
            numerator.pop()
        if not numerator:
            raise NotClosed("no state space: the kernel is 0")
        if sum(density.poles.values()) > _MOST_POLES:
            raise NotClosed(f"no state space: the density has more than {_MOST_POLES} poles in a half-plane")
        numerator = list(map(self.numbers.simplified, numerator))
        zeros = self._spectral_factor(numerator)
        q = 2 * numerator[-1]
        if self._is_exact:
            return self._companion(density.poles, zeros, q)
        if max(density.poles.values()) > 1:
            return normalized(self._companion(density.poles, zeros, q)).in_floats()
        return modal([(-a, w) for a, w in density.poles], zeros, q).in_floats()

    def _spectral_factor(self, numerator: list[Any]) -> list[Any]:
        """b, with leading coefficient 1 and b(iω)b(−iω) = P(ω²)/c, c the last coefficient of P."""
        one = self.numbers.number(1)
        monic = [c / numerator[-1] for c in numerator]

        def root(value: Any) -> Any:  # rounding may turn 0 into a negative number
            return self.numbers.root(value if self._is_exact else max(value, 0 * one))

        if len(monic) == 1:
            return [one]
        if len(monic) == 2:
            return [root(monic[0]), one]
        if len(monic) == 3:
            return [root(monic[0]), root(monic[1] + 2 * root(monic[0])), one]
        if self._is_exact:
            raise NotClosed("a spectral factor without a short form")
        return spectral_factor(monic)

    def _companion(self, poles: dict[tuple[Any, Any], int], zeros: list[Any], q: Any) -> StateSpace:
        """In units of time in which the product of all poles is of size 1: x = (ξ, ξ′, …), a(D) ξ = white noise."""
        one = self.numbers.number(1)
        a: list[Any] = [one]
        paired: set[tuple[Any, Any]] = set()
        for (rate, wave), times in poles.items():
            if wave == 0:
                a = product(a, power([rate, one], times))
            elif (rate, -wave) not in paired:  # which of the two is positive may be unknown
                paired.add((rate, wave))
                a = product(a, power([rate * rate + wave * wave, 2 * rate, one], times))
        a = list(map(self.numbers.simplified, a))
        n = len(a) - 1
        speed = next(iter(poles))[0] if len(poles) == 1 else a[0] ** (one / n)
        a = [c / speed ** (n - i) for i, c in enumerate(a)]
        b = [c / speed ** (len(zeros) - 1 - i) for i, c in enumerate(zeros)]
        q = q / speed ** (2 * n - 2 * (len(b) - 1) - 1)
        zero = 0 * one
        F = object_matrix(
            [[one if j == i + 1 else zero for j in range(n)] for i in range(n - 1)] + [[-c for c in a[:n]]]
        )
        L, H = object_matrix([[zero]] * (n - 1) + [[one]]), object_matrix([b + [zero] * (n - len(b))])
        moments = self._moments(a, q)
        P = object_matrix(
            [[zero if (i + j) % 2 else _sign(i, j) * moments[(i + j) // 2] for j in range(n)] for i in range(n)]
        )
        return StateSpace(F * speed, L, object_matrix([[q * speed]]), H, P)

    def _moments(self, a: list[Any], q: Any) -> list[Any]:
        """m_k = E (D^k ξ)², k < n, from the last column of F P + P F' + q L L' = 0; P_ij is ± m_{(i+j)/2}, or 0."""
        n = len(a) - 1
        zero = self.numbers.number(0)
        rows, right = [], [zero] * (n - 1) + [q / 2]
        for i in range(n):
            row = [zero] * n
            for j in range(n):
                if (i + j) % 2 == 0:
                    row[(i + j) // 2] += _sign(i, j) * a[j]
            if i + 1 < n and (i + n) % 2 == 0:
                row[(i + n) // 2] -= _sign(i + 1, n - 1)
            rows.append(row)
        if self._is_exact:
            return list(sympy.Matrix(rows).LUsolve(sympy.Matrix(right)))
        context = NUMBERS.context
        return list(context.lu_solve(context.matrix(rows), context.matrix(right)))


_WANTED = (
    "it requires a rational density: Matérn kernels of half-integer order, exponential(), cosine(), their sums, "
    "products and stretched lags; periodic(), gaussian() and smooth densities are approximated"
)


def _sign(i: int, j: int) -> int:
    """The sign of E D^i ξ D^j ξ, i + j even."""
    return 1 - abs(i - j) % 4
