"""Rational densities, and state-space matrices: sums and products, a density with simple poles, and the Gaussian.

A density that is not rational is fitted by one that is [Nakatsukasa, Sète and Trefethen 2018].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, reduce
from math import factorial, inf
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.integrals import half_line_integral
from kernelspec.loading import scipy
from kernelspec.measures.algebra.numbers import Coefficients, MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed, Piece
from kernelspec.measures.algebra.pieces import polynomial_product as product
from kernelspec.measures.algebra.pieces import polynomial_sum as total

__all__ = [
    "NUMBERS",
    "RationalDensity",
    "StateSpace",
    "TooManyStates",
    "direct_sum",
    "gaussian_approximation",
    "identity",
    "kronecker",
    "modal",
    "normalized",
    "object_matrix",
    "power",
    "product",
    "rational_density",
    "rational_fit",
    "spectral_factor",
    "total",
]

Matrix = NDArray[Any]

NUMBERS = MultiprecisionNumbers(60)
"""Digits for the matrices of rational densities."""

MOST_STATES = 64
"""The most states: the cost of a filter is cubic in them."""


class TooManyStates(NotClosed):
    """The state space has more states than the limit."""


@dataclass(frozen=True, eq=False)
class StateSpace:
    """F (n, n), L (n, r), q (r, r), H (1, n), P (n, n); `error` bounds |k(τ) − H e^{F|τ|} P H'| at every τ.

    The error is 0 for a rational density and finitely many atoms, and excludes rounding.
    """

    F: Matrix
    L: Matrix
    q: Matrix
    H: Matrix
    P: Matrix
    error: float = 0.0

    @property
    def n_states(self) -> int:
        """n."""
        return len(self.F)

    def kernel(self, lags: NDArray[np.float64]) -> NDArray[np.float64]:
        """H e^{F|τ|} P H' at lags (m,) → (m,)."""
        column = self.P @ self.H[0]
        return np.array([float((self.H @ scipy.linalg.expm(self.F * abs(lag)) @ column)[0]) for lag in lags])

    def in_floats(self) -> StateSpace:
        """The matrices in floats."""
        F, L, q, H, P = (matrix.astype(np.float64) for matrix in (self.F, self.L, self.q, self.H, self.P))
        return StateSpace(F, L, q, H, P, float(self.error))

    def to_dict(self) -> dict[str, Any]:
        """The matrices as lists, and the error."""
        return {name: getattr(self, name).tolist() for name in ("F", "L", "q", "H", "P")} | {"error": self.error}


def object_matrix(rows: list[Any]) -> Matrix:
    """A matrix of numbers of any kind."""
    return np.array(rows, dtype=object)


def identity(n: int, size: Any) -> Matrix:
    """size · I."""
    return object_matrix([[size if i == j else 0 * size for j in range(n)] for i in range(n)])


def block_matrix(left: Matrix, right: Matrix) -> Matrix:
    """Two matrices on the diagonal."""
    zero = np.zeros((left.shape[0], right.shape[1]), dtype=left.dtype)
    other = np.zeros((right.shape[0], left.shape[1]), dtype=left.dtype)
    return np.block([[left, zero], [other, right]])


def _require_few(n: int) -> None:
    if n > MOST_STATES:
        raise TooManyStates(f"no state space: {n} states, more than the limit of {MOST_STATES}")


def direct_sum(left: StateSpace, right: StateSpace) -> StateSpace:
    """Two independent states side by side. Raises TooManyStates."""
    _require_few(left.n_states + right.n_states)
    F, L, q, P = (block_matrix(getattr(left, name), getattr(right, name)) for name in ("F", "L", "q", "P"))
    return StateSpace(F, L, q, np.concatenate([left.H, right.H], axis=1), P, left.error + right.error)


def kronecker(left: StateSpace, right: StateSpace) -> StateSpace:
    """e^{F τ} ⊗ e^{G τ} = e^{(F ⊗ I + I ⊗ G) τ}; the noise keeps P ⊗ Q stationary.

    Raises TooManyStates.
    """
    _require_few(left.n_states * right.n_states)
    one, other = (np.eye(side.n_states, dtype=left.F.dtype) for side in (left, right))
    F = np.kron(left.F, other) + np.kron(one, right.F)
    P, H = np.kron(left.P, right.P), np.kron(left.H, right.H)
    q = np.asarray(F @ P + P @ F.T) * -1
    sizes = [float((side.H @ side.P @ side.H.T)[0, 0]) for side in (left, right)] if left.error or right.error else []
    error = left.error * (sizes[1] + right.error) + right.error * sizes[0] if sizes else 0.0
    return StateSpace(F, np.eye(len(F), dtype=F.dtype), q, H, P, error)


def _left_roots(monic: list[Any]) -> list[Any]:
    """The roots in s of P(−s²) in the left half-plane, with double roots on the axis listed once."""
    context = NUMBERS.context
    found, side = [], 1
    roots = context.polyroots(monic[::-1], maxsteps=500, extraprec=400)
    for root in sorted(roots, key=lambda root: (context.re(root), context.im(root))):
        s = -context.sqrt(-context.mpc(root))
        if context.im(root) == 0 and context.re(root) > 0:
            s, side = side * s, -side
        found.append(s)
    return found


def spectral_factor(monic: list[Any]) -> list[Any]:
    """The polynomial with these roots, real coefficients and leading coefficient 1."""
    one = NUMBERS.context.mpc(1)
    return [c.real for c in reduce(product, ([-root, one] for root in _left_roots(monic)))]


def modal(poles: list[tuple[Any, Any]], zeros: list[Any], q: Any) -> StateSpace:
    """b(s)/a(s) = Σ r/(s − p) over simple poles p = −a + iw: one state per real pole, two per pair."""
    context = NUMBERS.context
    places = [context.mpc(re, im) for re, im in poles]
    F, L, H, rows = np.zeros((0, 0), dtype=object), [], [], []
    for p in places:
        if p.imag < 0:
            continue
        r = sum(c * p**n for n, c in enumerate(zeros)) / reduce(mul, [p - o for o in places if o != p], context.mpc(1))
        size = 1 if p.imag == 0 else 2
        F = block_matrix(F, object_matrix([[p.real, -p.imag], [p.imag, p.real]])[:size, :size])
        L += [[context.mpf(1)], [context.mpf(0)]][:size]
        H += [size * r.real, -size * r.imag][:size]
        rows += [(p, 0), (p, 1)][:size]
    P = object_matrix([[_covariance(x, y, q) for y in rows] for x in rows])
    return normalized(StateSpace(F, object_matrix(L), object_matrix([[q]]), object_matrix([H]), P))


def normalized(found: StateSpace) -> StateSpace:
    """In coordinates with P = I, F + F' = −q L L': e^{Fτ} never exceeds 1, and rounding does not grow."""
    context = NUMBERS.context
    root = context.cholesky(context.matrix(found.P.tolist()))
    inverse = context.inverse(root)
    C, D = (np.array(matrix.tolist(), dtype=object) for matrix in (root, inverse))
    return StateSpace(D @ found.F @ C, D @ found.L, found.q, found.H @ C, identity(len(C), context.mpf(1)))


def _covariance(x: tuple[Any, int], y: tuple[Any, int], q: Any) -> Any:
    """E of the real (0) or imaginary (1) part of z_p, times that of z_r; z_p = ∫ e^{ps} dβ, E z_p z_r = −q/(p + r)."""
    (p, i), (r, j) = x, y
    same, conjugate = -q / (p + r), -q / (p + r.conjugate())
    if i == j:
        return ((conjugate + same) / 2 if i == 0 else (conjugate - same) / 2).real
    return ((same + conjugate) / 2 if i else (same - conjugate) / 2).imag


@cache
def gaussian_approximation(above: int = 4, below: int = 10) -> StateSpace:
    """e^{−τ²/2}: the Padé approximant of its density e^{−ω²/2}/√2π, with ∫|difference| as the error.

    The degrees of its numerator, even and without real zeros, and its denominator in ω².
    """
    context = NUMBERS.context
    series = context.taylor(lambda x: context.exp(-x), 0, above + below)
    p, q = context.pade(series, above, below)
    numerator = [c / 2**n for n, c in enumerate(p)]
    denominator = [c / 2**n for n, c in enumerate(q)]
    scale = context.sqrt(2 * context.pi)
    poles = [(root.real, root.imag) for root in _left_roots([c / denominator[-1] for c in denominator])]
    zeros = spectral_factor([c / numerator[-1] for c in numerator])
    found = modal(poles, zeros, scale * numerator[-1] / denominator[-1])
    tops, bottoms = ([float(c) for c in side[::-1]] for side in (numerator, denominator))

    def difference(omega: NDArray[np.float64]) -> NDArray[np.float64]:
        near = np.minimum(omega, 1e10)  # beyond, both are negligible
        values = np.exp(-(near**2) / 2) - np.polyval(tops, near**2) / np.polyval(bottoms, near**2)
        return np.where(omega <= near, np.abs(values), 0.0)

    return replace(found, error=float(1.01 * 2 * half_line_integral(difference) / np.sqrt(2 * np.pi)))


Array = NDArray[Any]

_GRID = np.geomspace(1e-15, 1e15, 6001)
_MOST_POLES, _SMALLEST_SHARE = 16, 1e-7  # frequencies where ω S(ω) is below this share of its maximum are not fitted

_NARROW = 1e-3  # poles so close to the axis, as a share of their size, make peaks that a grid may miss


class _Fit(NamedTuple):
    """(d + Σ r/(x − p))/(x + b), x = ω²."""

    poles: Array
    residues: Array
    limit: float
    shift: float

    def numerator(self, x: Array) -> Array:
        parts = (np.real(r / (x - p)) for r, p in zip(self.residues, self.poles, strict=True))
        return np.asarray(sum(parts, np.full(x.shape, self.limit)))

    def at(self, omega: Array) -> Array:
        x: Array = np.minimum(omega, 1e100) ** 2  # beyond, S is negligible
        return np.asarray(np.where(omega < 1e100, self.numerator(x) / (x + self.shift), 0.0))

    def density(self) -> RationalDensity:
        """The same in 60 digits; the roots of every x − p are ω = ±i√−p."""
        context = NUMBERS.context
        poles, one = [context.mpc(p) for p in self.poles], context.mpc(1)
        above = reduce(product, ([-p, one] for p in poles), [context.mpc(self.limit)])
        for i, r in enumerate(self.residues):
            above = total(above, reduce(product, ([-p, one] for p in poles[:i] + poles[i + 1 :]), [context.mpc(r)]))
        places = [context.sqrt(-p) for p in [*poles, context.mpc(-self.shift)]]
        return RationalDensity([c.real * context.pi for c in above], {(a.real, a.imag): 1 for a in places})


def rational_fit(density: Callable[[Array], Array], size: float, wanted: float) -> tuple[RationalDensity, float]:
    """A positive rational density with few poles within `wanted` of an even S(ω) ≥ 0 in ∫ |·| dω, and this error.

    The closest one with at most 16 poles in ω² if none is: `size` = ∫ S dω is the most it may miss. Raises NotClosed.
    """

    def values(omega: Array) -> Array:
        with np.errstate(all="ignore"):
            found = np.real(density(omega.reshape(-1, 1))).reshape(omega.shape)
        return np.asarray(np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0))

    S, step = values(_GRID), 2 * float(np.log(_GRID[1] / _GRID[0]))
    best, error = None, size
    for fit in _fits(S):
        rough = step * float((np.abs(S - fit.at(_GRID)) * _GRID).sum())
        best, error = (fit, rough) if rough < error else (best, error)
        if error < wanted:
            break
    if best is None:
        raise NotClosed("no rational density is close to this one")
    closest = best
    return closest.density(), 2.02 * half_line_integral(lambda omega: np.abs(values(omega) - closest.at(omega)))


def _fits(S: Array) -> Iterator[_Fit]:
    """Interpolants of S(ω)(ω² + b), raised until they are positive, with more and more poles."""
    kept = S * _GRID / (S * _GRID).max() > _SMALLEST_SHARE
    omega, S = _GRID[kept], S[kept]
    b = float(omega[np.argmax(S * omega)]) ** 2
    x, weights = omega**2, np.sqrt(omega / S) / (omega**2 + b)
    f = S * (x + b)
    is_free, R, nodes = np.ones(len(x), dtype=bool), np.full(len(x), f.mean()), np.zeros(0, dtype=int)
    for _ in range(_MOST_POLES):
        worst = int(np.argmax(np.where(is_free, np.abs(f - R) * weights, -1.0)))
        nodes, is_free[worst] = np.append(nodes, worst), False
        cauchy = 1 / (x[is_free, None] - x[nodes])
        w = np.linalg.svd((f[is_free, None] - f[nodes]) * cauchy * weights[is_free, None], full_matrices=False)[2][-1]
        R = f.copy()
        R[is_free] = (cauchy @ (w * f[nodes])) / (cauchy @ w)
        yield from _partial_fractions(x[nodes], f[nodes], w, b)


def _partial_fractions(x: Array, f: Array, w: Array, b: float) -> Iterator[_Fit]:
    """Σ w f/(z − x) over Σ w/(z − x); none with poles on the axis or near it."""
    arrow, below = np.diag(np.append(0.0, x)), np.eye(len(x) + 1)
    arrow[0, 1:], arrow[1:, 0], below[0, 0] = w, 1, 0
    found = scipy.linalg.eigvals(arrow, below)
    p = found[np.isfinite(found) & (np.abs(found) < 1e6 * x.max())]
    if ((p.real > 0) & (np.abs(p.imag) < _NARROW * np.abs(p))).any() or abs(w.sum()) < 1e-300:
        return
    cauchy = 1 / (p[:, None] - x)
    fit = _Fit(p, (cauchy @ (w * f)) / -(cauchy**2 @ w), float((w * f).sum() / w.sum()), b)
    raised = max(0.0, -1.1 * float(fit.numerator(_GRID**2).min())) + 1e-14 * float(np.abs(f).max())
    yield fit._replace(limit=fit.limit + raised)


Polynomial = list[Any]
"""Coefficients, the constant first."""


def power(base: Polynomial, exponent: int) -> Polynomial:
    """baseⁿ."""
    return reduce(product, [base] * exponent, [0 * base[0] + 1])


@dataclass(frozen=True)
class RationalDensity:
    """π μ(ω) = P(ω²)/Π ((ω − w)² + a²)^m, m = `poles[a, w]`; both w and −w are listed."""

    numerator: Polynomial
    poles: dict[tuple[Any, Any], int]


def rational_density(pieces: tuple[Piece, ...], numbers: Coefficients, most_poles: float = inf) -> RationalDensity:
    """The density of an even k(t) = Σ c tⁿ e^{g − at} e^{i(qπ/2 + wt)} for t > 0. Raises NotClosed for other pieces,
    and for more poles in a half-plane.

    Re Σ i^q c n! e^g (a − i(ω − w))^{n+1}/(a² + (ω − w)²)^{n+1}, over one denominator, in powers of ω².
    """
    zero = numbers.number(0)
    poles: dict[tuple[Any, Any], int] = {}
    for piece in pieces:
        if piece.low != 0 or piece.high is not None or piece.curvature != 0 or _quarters(piece.phase, numbers) is None:
            raise NotClosed("a function with breakpoints, a Gaussian or a phase")
        if numbers.less(zero, piece.rate) is not True:
            raise NotClosed("a function that does not decay")
        key = (piece.rate, piece.wave)
        poles[key] = max(poles.get(key, 0), len(piece.weights))
    if sum(poles.values()) > most_poles:  # before they are multiplied
        raise NotClosed(f"a density with more than {most_poles} poles in a half-plane")
    one = [numbers.number(1)]
    found: Polynomial = []
    for piece in pieces:
        a, w = piece.rate, piece.wave
        square = [a * a + w * w, -2 * w, one[0]]
        size = numbers.exponential(piece.level)
        above: Polynomial = []
        real: Polynomial = one
        imaginary: Polynomial = []
        for n, weight in enumerate(piece.weights):
            # times a − i(ω − w)
            turn = [-w, one[0]]
            real, imaginary = (
                total(product([a], real), product(turn, imaginary)),
                total(product([a], imaginary), [-c for c in product(turn, real)]),
            )
            quarters = _quarters(piece.phase, numbers)
            turned = real if quarters == 0 else [-c if quarters == 1 else c for c in imaginary]
            raised = product(turned, power(square, poles[a, w] - n - 1))
            above = total(above, [weight * size * factorial(n) * c for c in raised])
        for (b, v), times in poles.items():
            if (b, v) != (a, w):
                above = product(above, power([b * b + v * v, -2 * v, one[0]], times))
        found = total(found, above)
    squares = [c * c for c in found]
    if not all(numbers.is_zero(square, sum(squares)) for square in squares[1::2]):
        raise NotClosed("a density that may not be even")
    return RationalDensity(found[::2], poles)


def _quarters(phase: Any, numbers: Coefficients) -> int | None:
    """q = −1, 0 or 1 if the phase is qπ/2; None for others."""
    turn = numbers.pi() / 2
    return next((q for q in (0, 1, -1) if numbers.is_zero(phase - q * turn, turn)), None)
