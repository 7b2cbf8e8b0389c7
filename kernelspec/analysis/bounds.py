"""How many samples make the error small, at a point or on a ball."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Real

import numpy as np

from kernelspec.analysis.variances import complexity, norm_bound
from kernelspec.errors import NoDensityError, NotAvailableYet, NotStationaryError, PlanError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.measures.inversion import widest_direction
from kernelspec.measures.jordan import jordan_moments
from kernelspec.measures.masses import Masses
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.random.streams import Stream

__all__ = ["Bound", "Composition", "SimulatedError", "composition_of", "guarantee_of", "simulated_error"]


@dataclass(frozen=True)
class Composition:
    """For a kernel with dual activations: the expected number of factors of a feature, and a bound C on its norm."""

    complexity: float
    norm: float

    def concentration(self, *, phase: bool = False) -> float:
        """2C⁴, or 8C⁴ with random offsets, which enlarge C by √2: the factor of ln(2/δ)/ε².

        Infinite on overflow.
        """
        square = self.norm * self.norm
        return (8 if phase else 2) * square * square

    def samples(self, eps: float, delta: float, *, phase: bool = False) -> int:
        """Samples that keep the error of one inner product below ε with probability 1 − δ: 2C⁴ ln(2/δ)/ε².

        The error is about the mean of the features: k, unless degrees are left out. With random offsets 8C⁴ ln(2/δ)/ε².
        Raises PlanError for an infinite C, for ε or δ out of range, and if the number overflows [Daniely et al. 2017,
        Theorem 3].
        """
        self._check(delta)
        if not eps > 0:
            raise PlanError(f"eps must be positive, not {eps:g}")
        found = self.concentration(phase=phase) * math.log(2 / delta) / eps / eps
        if not math.isfinite(found):
            raise PlanError(f"features of norm {self.norm:.3g} need more samples than floats can count")
        return math.ceil(found)

    def error(self, n: int, delta: float, *, phase: bool = False) -> float:
        """The ε for which n samples suffice: the inverse of `samples`. Raises PlanError."""
        self._check(delta)
        if n < 1:
            raise PlanError(f"n must be at least 1, not {n}")
        return self.norm * self.norm * math.sqrt((8 if phase else 2) * math.log(2 / delta) / n)

    def learning_bound(self, n_rows: int, n_samples: int, *, radius: float, lipschitz: float = 1.0) -> float:
        """The excess risk of learning with random features: √8 ρBC/√m + ρBC/√q.

        For a convex ρ-Lipschitz loss, against the best f of norm at most B = `radius` in the space of the kernel, with
        m rows, q samples and λ = √2 ρC/(√m B), in expectation [Daniely et al. 2017, Theorem 5]. Raises PlanError for an
        infinite C.
        """
        self._check(0.5)
        if n_rows < 1 or n_samples < 1 or not radius >= 0 or not lipschitz >= 0:
            raise PlanError("rows and samples must be at least 1, the radius and the Lipschitz constant non-negative")
        size = lipschitz * radius * self.norm
        return math.sqrt(8 / n_rows) * size + size / math.sqrt(n_samples)

    def _check(self, delta: float) -> None:
        if not 0 < delta < 1:
            raise PlanError(f"delta must lie between 0 and 1, not {delta:g}")
        if not math.isfinite(self.norm):
            raise PlanError("the features of this kernel are unbounded, so the theorem does not apply")


def composition_of(kernel: Kernel) -> Composition | None:
    """Complexity and norm of the features of a kernel, in numbers; None without a dual activation."""
    if not any(isinstance(part, Dual | Skeleton) for part in kernel.parts()):
        return None
    return Composition(complexity(kernel), norm_bound(kernel))


@dataclass(frozen=True)
class Bound:
    """Frequencies that suffice (for each part of a complex measure), and the columns of their cosines and sines."""

    samples: int
    columns: int


@dataclass(frozen=True)
class SimulatedError:
    """An estimate, not a bound: the 1 − δ quantile of the largest error over pairs of some rows, from `maps` draws."""

    error: float
    maps: int
    rows: int


_SPLITS = np.linspace(0.01, 1, 100)[:, None]
"""Candidates for the share θ of ε allotted to changes of the error between two centers."""

_EXCESSES = np.exp(np.linspace(-4, 12, 161))
"""Candidates for u: how many σ the mean length of the frequencies may exceed its expectation."""

_SHARE = 0.1  # the largest share of δ for long frequencies


@dataclass(frozen=True)
class Guarantee:
    """How many samples keep |s − k| below ε for all rows x, y of a set of diameter l, with probability 1 − δ.

    s is the average of n independent functions of Δ = x − y of modulus at most ‖μ‖ = `size`: cosines of frequencies of
    a positive definite kernel, or cosines and sines of one frequency from each of the `parts` of a measure. With σ² =
    `spread`² a bound on the second moment of their Lipschitz constants, the Lipschitz constant of s − k exceeds (2 + u)
    σ with probability at most 1/(n u²), by Chebyshev's inequality. Otherwise the error changes by at most θε within r =
    θε/((2 + u)σ), and the lags, which lie in a ball of radius l, are covered by (1 + 2l/r)^d balls of radius r centered
    at lags. At each center Bernstein's and Hoeffding's inequalities hold with t = (1 − θ)ε and the variance v:

     P(|s − k| ≥ t) ≤ 2 exp(−n t²/(2 min(‖μ‖², v + 2‖μ‖t/3))).

    The bound is the smallest n over θ and u. It is below the bounds of Rahimi and Recht 2007 (Claim 1), Sutherland and
    Schneider 2015 (Proposition 1, with α = min(1, v + ε/3)) and He, He, Liu and Huang 2022 (Proposition 6), which are
    this argument with θ = ½ and Markov's inequality in place of Chebyshev's.
    """

    dim: int
    parts: int
    size: float
    spread: float
    variance: Callable[[float], float] = lambda diameter: math.inf
    """The largest variance of one function over lags up to a length, in units of ‖μ‖²; infinite if unknown."""

    def bound(self, eps: float, delta: float, diameter: float) -> Bound:
        """The smallest number of samples. Raises PlanError if ε, δ or the diameter is out of range."""
        given = all(isinstance(number, Real) for number in (eps, delta, diameter))
        if not (given and 0 < eps < math.inf and 0 < delta < 1 and 0 < diameter < math.inf):
            raise PlanError("a bound needs a positive, finite eps, 0 < delta < 1 and a positive, finite diameter")
        if math.isinf(self.spread):
            raise PlanError("no uniform bound exists: the second moment of the spectral measure is infinite")
        samples = max(1, math.ceil(self._needed(eps, delta, diameter))) if self.spread else 1  # constants have no error
        return Bound(samples, 2 * self.parts * samples)

    def _needed(self, eps: float, delta: float, diameter: float) -> float:
        eps, reach = eps / self.size, self.spread / self.size * diameter * (2 + _EXCESSES)
        at_centres = (1 - _SPLITS) * eps
        variance = np.minimum(1, self.variance(diameter) + 2 * at_centres / 3)
        with np.errstate(divide="ignore", over="ignore"):
            logarithm = math.log(2 / (1 - _SHARE) / delta) + self.dim * np.log1p(2 * reach / (_SPLITS * eps))
            found = 2 * variance / at_centres**2 * logarithm
            found[reach <= _SPLITS * eps] = 0.0  # s − k is 0 at Δ = 0, the only center
            return float(np.maximum(found, 1 / (_SHARE * delta * _EXCESSES**2)).min())


_FEWEST_LAGS, _MOST_ENTRIES = 64, 2**22
_FINENESS = 40


def _largest_variance(measure: Measure, k0: float, spread: float, diameter: float) -> float:
    """A bound on ½ + ½k(2Δ) − k(Δ)² for ‖Δ‖ ≤ diameter, k(0) = 1, from values along a line; infinite without one.

    The second derivative along the line is at most 6σ², so a maximum between lags h apart is at most ¾σ²h² above.
    """
    direction = widest_direction(measure)
    if direction is None:
        return math.inf
    reach = spread / k0 * diameter
    count = int(
        min(max(_FEWEST_LAGS, math.ceil(_FINENESS * reach)), max(_FEWEST_LAGS, _MOST_ENTRIES // len(direction)))
    )
    lags = np.linspace(0, diameter, count + 1)[:, None] * direction
    once, twice = (measure.characteristic_function(by * lags) / k0 for by in (1, 2))
    return float((0.5 + twice / 2 - once**2).max()) + 0.75 * (reach / count) ** 2 + _ROUNDING


_ROUNDING = 1e-6  # exceeds any error in the values of k


def guarantee_of(numeric: Callable[[], Kernel], masses: Callable[[], Masses], *, positive_definite: bool) -> Guarantee:
    """The guarantee for a kernel; `numeric` gives it in numbers, `masses` those of its measure.

    For a measure that is not positive, one sample is a frequency from each Jordan part, with the imaginary parts
    together: ‖μ‖ is the Jordan mass and σ² = (Σ squared masses)(Σ second moments), by the Cauchy–Schwarz inequality.
    Raises NotStationaryError for a positive definite kernel without a spectral measure, PlanError for any other kernel
    whose masses and second moments are unknown.
    """
    if positive_definite:
        from kernelspec.measures.algebra.kernel_series import second_moment

        kernel = numeric()
        measure = measure_of(kernel)  # first: a kernel without one may have no k(0) either
        k0 = float(kernel.diagonal())
        moment = float(second_moment(measure, positive_definite=True)) if k0 else 0.0
        if math.isnan(moment):
            raise PlanError("the second moment of the spectral measure is unknown, so no uniform bound is known")
        spread = k0 * math.sqrt(moment)
        read = len(measure.coordinates_read())
        return Guarantee(read, 1, k0, spread, partial(_largest_variance, measure, k0, spread))
    try:
        found, kernel = masses(), numeric()
        moments = jordan_moments(kernel, found)
    except (NoDensityError, NotAvailableYet, NotStationaryError) as error:
        raise PlanError(f"this kernel has no uniform bound: {error}") from None
    sizes = np.array([found.real_positive, found.real_negative, found.imaginary_positive], float)
    spreads = np.array([moments.real_positive, moments.real_negative, moments.imaginary])
    twice = np.array([1, 1, 2])
    spread = math.sqrt(twice @ sizes**2) * math.sqrt(twice @ spreads)
    read = len(measure_of(kernel).coordinates_read())
    return Guarantee(read, int((sizes > 0).sum()), float(twice @ sizes), spread)


_MOST_ROWS, _FEWEST_MAPS, _MOST_MAPS = 100, 100, 1000


def simulated_error(measure: Measure, rows: np.ndarray, n: int, delta: float, seed: int) -> SimulatedError:
    """The 1 − δ quantile of the largest |s − k| over pairs of rows, up to 100 of them, from maps of n frequencies.

    Raises PlanError for n or δ out of range, and for a measure with negative parts.
    """
    if not (isinstance(n, int) and n >= 1 and isinstance(delta, Real) and 2 / _MOST_MAPS <= delta < 1):
        raise PlanError(f"a simulated error needs a whole n of at least 1, and {2 / _MOST_MAPS:g} <= delta < 1")
    stream = Stream(seed)
    if len(rows) > _MOST_ROWS:
        rows = rows[np.sort(stream.generator("rows").permutation(len(rows))[:_MOST_ROWS])]
    k0 = float(measure.total_mass())
    exact = measure.characteristic_function((rows[:, None] - rows).reshape(-1, rows.shape[1])).reshape(len(rows), -1)
    maps = min(max(_FEWEST_MAPS, math.ceil(10 / delta)), _MOST_MAPS)
    largest = []
    for i in range(maps):
        angles = rows @ measure.sample(stream.child(i), n).T
        features = np.hstack([np.cos(angles), np.sin(angles)])
        largest.append(np.abs(k0 / n * features @ features.T - exact).max())
    return SimulatedError(float(np.sort(largest)[math.ceil((1 - delta) * (maps + 1)) - 1]), maps, len(rows))
