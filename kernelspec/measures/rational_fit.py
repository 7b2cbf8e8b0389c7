"""Rational densities close to a given one on a line [Nakatsukasa, Sète and Trefethen 2018]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernelspec.expressions.integrals import half_line_integral
from kernelspec.loading import scipy
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.algebra.rational import RationalDensity, product, total
from kernelspec.measures.realization import NUMBERS

__all__ = ["rational_fit"]

Array = NDArray[Any]

_GRID = np.geomspace(1e-15, 1e15, 6001)
_MOST_POLES, _SMALLEST_SHARE = 16, 1e-7
"""Frequencies where ω S(ω) is below this share of its maximum are not fitted."""

_NARROW = 1e-3
"""Poles so close to the axis, as a share of their size, make peaks that a grid may miss."""


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
