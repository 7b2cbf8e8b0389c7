"""Linear stochastic differential equations whose stationary solution has a given kernel on a line.

dx = F x dt + L dβ, E dβ dβ' = q dt, f = H x: k(τ) = H e^{F|τ|} P H', F P + P F' + L q L' = 0. A density 2πμ(ω) =
q |b(iω)|²/|a(iω)|² has one with as many states as a has roots; sums are direct sums, products Kronecker sums
[Hartikainen and Särkkä 2010; Solin and Särkkä 2014].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import is_even, line_members
from kernelspec.measures.algebra.numbers import Coefficients, MultiprecisionNumbers
from kernelspec.measures.algebra.pieces import NotClosed, Piece, Piecewise
from kernelspec.measures.algebra.rational import RationalDensity, power, product, rational_density
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Embedding, Mixture, PushForward

__all__ = ["ExactStateSpace", "StateSpace", "columns_of", "exact_state_space", "state_space"]

Matrix = NDArray[Any]

_NUMBERS = MultiprecisionNumbers(60)
_MOST_STATES = 64
_MOST_EXACT = 4
"""States up to which the matrices are written down exactly."""

_MOST_HARMONICS = 12
_SMALLEST_WEIGHT = 1e-9
"""A harmonic of this share of k(0) is left out."""

_PADE = (4, 10)
"""Degrees of the numerator and denominator in ω² for a Gaussian density: its zeros are not real."""


@dataclass(frozen=True, eq=False)
class StateSpace:
    """F (n, n), L (n, r), q (r, r), H (1, n), P (n, n); `error` bounds |k(τ) − H e^{F|τ|} P H'| at every τ.

    The error is 0 for a rational density and finitely many atoms, and does not count rounding.
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
        from scipy.linalg import expm

        column = self.P @ self.H[0]
        return np.array([float((self.H @ expm(self.F * abs(lag)) @ column)[0]) for lag in lags])

    def to_dict(self) -> dict[str, Any]:
        """The matrices as lists, and the error."""
        return {name: getattr(self, name).tolist() for name in ("F", "L", "q", "H", "P")} | {"error": self.error}


@dataclass(frozen=True, eq=False)
class ExactStateSpace:
    """The same with SymPy's matrices."""

    F: Any
    L: Any
    q: Any
    H: Any
    P: Any


def state_space(measure: Measure) -> StateSpace:
    """The state space of a measure on one column that is not negative.

    Periodic kernels by their heaviest harmonics, Gaussians by a Padé approximation, both with a bound on the error of
    k. Raises NotClosed, with what is missing.
    """
    _require_one_column(measure)
    found = _Builder(_NUMBERS).of(measure)
    if found.n_states > _MOST_STATES:
        raise NotClosed(f"no state space: {found.n_states} states, and at most {_MOST_STATES} are of use")
    matrices = {name: getattr(found, name).astype(np.float64) for name in ("F", "L", "q", "H", "P")}
    return StateSpace(**matrices, error=float(found.error))


def _require_one_column(measure: Measure) -> None:
    if measure.dim != 1 and (not isinstance(measure.dim, int) or len(columns_of(measure)) > 1):
        raise NotClosed("no state space: a state evolves along one column, and the kernel reads several")


def columns_of(measure: Measure) -> set[int]:
    """The columns along which frequencies are not zero."""
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
    import sympy

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

    @property
    def _is_exact(self) -> bool:
        return not isinstance(self.numbers, MultiprecisionNumbers)

    def of(self, measure: Measure) -> StateSpace:
        """By the rules for sums, products and stretched lags, or else from the pieces of the whole."""
        try:
            found = self._of_parts(measure)
        except NotClosed:
            found = None
        return self._of_pieces(measure) if found is None else found

    def _of_parts(self, measure: Measure) -> StateSpace | None:
        match measure:
            case Embedding():
                return self.of(measure.part)
            case Mixture() if measure.parts and all(map(self._is_positive, measure.weights)):
                parts = zip(measure.weights, measure.parts, strict=True)
                return reduce(_sum, (self._scaled(self.of(part), weight) for weight, part in parts))
            case Convolution() if not self._has_one_rate(measure):
                return reduce(_product, map(self.of, measure.parts))
            case PushForward():
                factors = np.ravel(np.asarray(measure.matrix, dtype=object))
                if len(set(factors)) > 1:
                    raise NotClosed("no state space: lags stretched by several numbers")
                return self._faster(self.of(measure.part), abs(self.numbers.number(factors[0])))
        return None

    def _is_positive(self, weight: Any) -> bool:
        return self.numbers.less(self.numbers.number(0), self.numbers.number(weight)) is True

    def _scaled(self, found: StateSpace, weight: Any) -> StateSpace:
        size = self.numbers.number(weight)
        error = found.error * float(weight) if found.error else 0.0
        return replace(found, q=found.q * size, P=found.P * size, error=error)

    def _faster(self, found: StateSpace, speed: Any) -> StateSpace:
        """k(speed · τ)."""
        return replace(found, F=found.F * speed, q=found.q * speed)

    def _has_one_rate(self, measure: Measure) -> bool:
        """Whether a product is better seen as a whole: t e^{−t} e^{−t} needs fewer states than its factors."""
        try:
            members = line_members(measure, self.numbers)
        except NotClosed:
            return False
        pieces = [piece for member in members if member.lag is not None for piece in member.lag.pieces]
        return len({(abs(piece.rate), abs(piece.wave)) for piece in pieces}) == 1

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
                    found.append(self._rational(rational_density(decaying, self.numbers)))
                except NotClosed as error:
                    raise NotClosed(f"no state space: {error}; {_WANTED}") from None
        if not found:
            raise NotClosed("no state space: the kernel is 0")
        return reduce(_sum, found)

    def _whole_line(self, lag: Piecewise) -> list[StateSpace]:
        """Waves, and Gaussians times waves: those with w > 0 stand for two."""
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
            found.append(one if piece.curvature == 0 else _product(one, self._gaussian(piece)))
        return found

    def _wave(self, size: Any, wave: Any) -> StateSpace:
        """size · cos wτ: a rotation without noise."""
        zero, one = self.numbers.number(0), self.numbers.number(1)
        n = 1 if wave == 0 else 2
        F = _matrix([[zero, -wave], [wave, zero]])[:n, :n]
        return StateSpace(F, _matrix([[]] * n), _matrix([]).reshape(0, 0), _matrix([[one, zero][:n]]), _eye(n, size))

    def _gaussian(self, piece: Piece) -> StateSpace:
        """e^{−bt²}, from that with b = ½ in another unit of time."""
        if self._is_exact:
            raise NotClosed("approximate")
        return self._faster(_gaussian_approximation(), self.numbers.root(2 * piece.curvature))

    def _of_atoms(self, measure: Measure) -> StateSpace:
        """Σ w cos ωτ over the heaviest atoms."""
        atoms = None if self._is_exact else measure.atoms()
        if atoms is None or np.iscomplexobj(atoms.weights) or (atoms.weights < 0).any():
            raise NotClosed(f"no state space: {_WANTED}")
        mass = float(atoms.weights.sum()) + atoms.omitted
        weights: dict[float, float] = {}
        for point, weight in zip(np.abs(atoms.points[:, 0]), atoms.weights, strict=True):
            weights[float(point)] = weights.get(float(point), 0.0) + float(weight)
        kept = sorted(weights.items(), key=lambda pair: -pair[1])[:_MOST_HARMONICS]
        kept = [(point, weight) for point, weight in kept if weight > _SMALLEST_WEIGHT * mass]
        number = self.numbers.number
        found = reduce(_sum, (self._wave(number(weight), number(point)) for point, weight in kept))
        return replace(found, error=max(mass - sum(weight for _, weight in kept), 0.0))

    def _rational(self, density: RationalDensity) -> StateSpace:
        """2πμ = 2P/Q: b has the roots of P, a those of Q, in the left half-plane."""
        numerator, square = list(density.numerator), sum(a * a + w * w for a, w in density.poles)
        while numerator:  # leading coefficients that cancel, of the size that terms have at frequencies like the poles
            sizes = [(c * square**n) ** 2 for n, c in enumerate(numerator)]
            if not self.numbers.is_zero(sizes[-1], sum(sizes)):
                break
            numerator.pop()
        if not numerator:
            raise NotClosed("no state space: the kernel is 0")
        zeros = self._spectral_factor(numerator)
        q = 2 * numerator[-1]
        if self._is_exact:
            return self._companion(density.poles, zeros, q)
        if max(density.poles.values()) > 1:
            return _normalized(self._companion(density.poles, zeros, q))
        return _modal([(-a, w) for a, w in density.poles], zeros, q)

    def _spectral_factor(self, numerator: list[Any]) -> list[Any]:
        """b, with leading coefficient 1 and b(iω)b(−iω) = P(ω²)/c, c the last coefficient of P."""
        one = self.numbers.number(1)
        monic = [c / numerator[-1] for c in numerator]

        def root(value: Any) -> Any:  # of what is 0, rounding may leave a negative number
            return self.numbers.root(value if self._is_exact else max(value, 0 * one))

        if len(monic) == 1:
            return [one]
        if len(monic) == 2:
            return [root(monic[0]), one]
        if len(monic) == 3:
            return [root(monic[0]), root(monic[1] + 2 * root(monic[0])), one]
        if self._is_exact:
            raise NotClosed("a spectral factor that is not written down")
        return _factor_of(monic)

    def _companion(self, poles: dict[tuple[Any, Any], int], zeros: list[Any], q: Any) -> StateSpace:
        """In units of time in which the product of all poles is of size 1: x = (ξ, ξ′, …), a(D) ξ = white noise."""
        one = self.numbers.number(1)
        a: list[Any] = [one]
        for (rate, wave), times in poles.items():
            if wave == 0:
                a = product(a, power([rate, one], times))
            elif self._is_positive(wave):
                a = product(a, power([rate * rate + wave * wave, 2 * rate, one], times))
        n = len(a) - 1
        speed = next(iter(poles))[0] if len(poles) == 1 else a[0] ** (one / n)
        a = [c / speed ** (n - i) for i, c in enumerate(a)]
        b = [c / speed ** (len(zeros) - 1 - i) for i, c in enumerate(zeros)]
        q = q / speed ** (2 * n - 2 * (len(b) - 1) - 1)
        zero = 0 * one
        F = _matrix([[one if j == i + 1 else zero for j in range(n)] for i in range(n - 1)] + [[-c for c in a[:n]]])
        L, H = _matrix([[zero]] * (n - 1) + [[one]]), _matrix([b + [zero] * (n - len(b))])
        moments = self._moments(a, q)
        P = _matrix(
            [[zero if (i + j) % 2 else _sign(i, j) * moments[(i + j) // 2] for j in range(n)] for i in range(n)]
        )
        return StateSpace(F * speed, L, _matrix([[q * speed]]), H, P)

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
            import sympy

            return list(sympy.Matrix(rows).LUsolve(sympy.Matrix(right)))
        context = _NUMBERS.context
        return list(context.lu_solve(context.matrix(rows), context.matrix(right)))


_WANTED = (
    "it takes a rational density: Matérn kernels of half-integer order, exponential(), cosine(), their sums, products "
    "and stretched lags; periodic() and gaussian() approximately"
)


def _matrix(rows: list[Any]) -> Matrix:
    return np.array(rows, dtype=object)


def _eye(n: int, size: Any) -> Matrix:
    return _matrix([[size if i == j else 0 * size for j in range(n)] for i in range(n)])


def _sign(i: int, j: int) -> int:
    """Of E D^i ξ D^j ξ, i + j even."""
    return 1 - abs(i - j) % 4


def _blocks(left: Matrix, right: Matrix) -> Matrix:
    zero = np.zeros((left.shape[0], right.shape[1]), dtype=object)
    other = np.zeros((right.shape[0], left.shape[1]), dtype=object)
    return np.block([[left, zero], [other, right]])


def _sum(left: StateSpace, right: StateSpace) -> StateSpace:
    """Two independent states side by side."""
    F, L, q, P = (_blocks(getattr(left, name), getattr(right, name)) for name in ("F", "L", "q", "P"))
    return StateSpace(F, L, q, np.concatenate([left.H, right.H], axis=1), P, left.error + right.error)


def _product(left: StateSpace, right: StateSpace) -> StateSpace:
    """e^{F τ} ⊗ e^{G τ} = e^{(F ⊗ I + I ⊗ G) τ}; the noise is what keeps P ⊗ Q stationary."""
    one, other = (_eye(side.n_states, 1) for side in (left, right))
    F = np.kron(left.F, other) + np.kron(one, right.F)
    P, H = np.kron(left.P, right.P), np.kron(left.H, right.H)
    q = np.asarray(F @ P + P @ F.T, dtype=object) * -1
    sizes = [float((side.H @ side.P @ side.H.T)[0, 0]) for side in (left, right)] if left.error or right.error else []
    error = left.error * (sizes[1] + right.error) + right.error * sizes[0] if sizes else 0.0
    return StateSpace(F, _eye(len(F), 1), q, H, P, error)


def _left_roots(monic: list[Any]) -> list[Any]:
    """The roots in s of P(−s²) in the left half-plane; of the double roots on the axis each once."""
    context = _NUMBERS.context
    found, side = [], 1
    roots = context.polyroots(monic[::-1], maxsteps=500, extraprec=400)
    for root in sorted(roots, key=lambda root: (context.re(root), context.im(root))):
        s = -context.sqrt(-context.mpc(root))
        if context.im(root) == 0 and context.re(root) > 0:
            s, side = side * s, -side
        found.append(s)
    return found


def _factor_of(monic: list[Any]) -> list[Any]:
    """The polynomial with these roots, real coefficients and leading coefficient 1."""
    one = _NUMBERS.context.mpc(1)
    return [c.real for c in reduce(product, ([-root, one] for root in _left_roots(monic)))]


def _modal(poles: list[tuple[Any, Any]], zeros: list[Any], q: Any) -> StateSpace:
    """b(s)/a(s) = Σ r/(s − p) over simple poles p = −a + iw: one state for each real one, two for each pair."""
    context = _NUMBERS.context
    places = [context.mpc(re, im) for re, im in poles]
    F, L, H, rows = np.zeros((0, 0), dtype=object), [], [], []
    for p in places:
        if p.imag < 0:
            continue
        r = sum(c * p**n for n, c in enumerate(zeros)) / reduce(mul, [p - o for o in places if o != p], context.mpc(1))
        size = 1 if p.imag == 0 else 2
        F = _blocks(F, _matrix([[p.real, -p.imag], [p.imag, p.real]])[:size, :size])
        L += [[context.mpf(1)], [context.mpf(0)]][:size]
        H += [size * r.real, -size * r.imag][:size]
        rows += [(p, 0), (p, 1)][:size]
    P = _matrix([[_covariance(x, y, q) for y in rows] for x in rows])
    return _normalized(StateSpace(F, _matrix(L), _matrix([[q]]), _matrix([H]), P))


def _normalized(found: StateSpace) -> StateSpace:
    """In coordinates with P = I, F + F' = −q L L': no e^{Fτ} is larger than 1, and rounding does not grow."""
    context = _NUMBERS.context
    root = context.cholesky(context.matrix(found.P.tolist()))
    inverse = context.inverse(root)
    C, D = (np.array(matrix.tolist(), dtype=object) for matrix in (root, inverse))
    return StateSpace(D @ found.F @ C, D @ found.L, found.q, found.H @ C, _eye(len(C), context.mpf(1)))


def _covariance(x: tuple[Any, int], y: tuple[Any, int], q: Any) -> Any:
    """E of the real (0) or imaginary (1) part of z_p, times that of z_r; z_p = ∫ e^{ps} dβ, E z_p z_r = −q/(p + r)."""
    (p, i), (r, j) = x, y
    same, conjugate = -q / (p + r), -q / (p + r.conjugate())
    if i == j:
        return ((conjugate + same) / 2 if i == 0 else (conjugate - same) / 2).real
    return ((same + conjugate) / 2 if i else (same - conjugate) / 2).imag


@cache
def _gaussian_approximation() -> StateSpace:
    """e^{−τ²/2}: the Padé approximant of its density e^{−ω²/2}/√2π, with ∫|difference| as the error."""
    from kernelspec.expressions.integrals import half_line_integral

    context = _NUMBERS.context
    above, below = _PADE
    series = context.taylor(lambda x: context.exp(-x), 0, above + below)
    p, q = context.pade(series, above, below)
    numerator = [c / 2**n for n, c in enumerate(p)]
    denominator = [c / 2**n for n, c in enumerate(q)]
    scale = context.sqrt(2 * context.pi)
    poles = [(root.real, root.imag) for root in _left_roots([c / denominator[-1] for c in denominator])]
    zeros = _factor_of([c / numerator[-1] for c in numerator])
    found = _modal(poles, zeros, scale * numerator[-1] / denominator[-1])
    tops, bottoms = ([float(c) for c in side[::-1]] for side in (numerator, denominator))

    def difference(omega: NDArray[np.float64]) -> NDArray[np.float64]:
        near = np.minimum(omega, 1e10)  # beyond, both are nothing
        values = np.exp(-(near**2) / 2) - np.polyval(tops, near**2) / np.polyval(bottoms, near**2)
        return np.where(omega <= near, np.abs(values), 0.0)

    return replace(found, error=float(1.01 * 2 * half_line_integral(difference) / np.sqrt(2 * np.pi)))
