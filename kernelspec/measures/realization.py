"""State-space matrices: sums and products, a rational density with simple poles, and the Gaussian."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.integrals import half_line_integral
from kernelspec.loading import scipy
from kernelspec.measures.algebra.numbers import MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.algebra.rational import product

__all__ = [
    "NUMBERS",
    "StateSpace",
    "TooManyStates",
    "direct_sum",
    "gaussian_approximation",
    "identity",
    "kronecker",
    "modal",
    "normalized",
    "object_matrix",
    "spectral_factor",
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
