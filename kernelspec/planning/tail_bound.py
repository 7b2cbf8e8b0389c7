"""How far the estimate for one pair of rows is off, at most, with a given probability."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.pair_sums import ROUNDING
from kernelspec.planning.strata import kernel_value

if TYPE_CHECKING:
    from kernelspec.planning.plan import Plan
    from kernelspec.planning.reference import Reference
    from kernelspec.planning.strata import Stratum

__all__ = ["bernstein", "chebyshev", "half_width", "tail_in_words"]


def half_width(plan: Plan, reference: Reference, confidence: float) -> float:
    """The least t with P(|k̂(x, y) − k(x, y)| > t) ≤ 1 − confidence for each single pair of the sample of the data.

    By the predicted variance and bias, and Bernstein's inequality where all samples are independent and bounded, else
    Chebyshev's, which holds for any law. Infinite where the variance is.
    """
    assert reference.sample is not None
    grid, rest = NumericPairs(reference.sample, reference.sample), 1 - confidence
    variance = plan.variance(grid, plan.collisions)
    squares = variance + np.square(plan.bias_on(grid))
    widest = chebyshev(squares, rest)
    bound = _bound(plan)
    found = widest if bound is None else min(widest, bernstein(variance, bound, rest))
    return found if plan.exactness else max(found, ROUNDING * float(np.abs(kernel_value(plan.strata, grid)).max()))


def chebyshev(squares: NDArray[np.float64], rest: float) -> float:
    """√(E e² / rest) of the largest mean square error: P(|e| ≥ t) ≤ E e² / t²."""
    largest = float(squares.max(initial=0.0))
    return math.sqrt(largest / rest) if math.isfinite(largest) else math.inf


def bernstein(variance: NDArray[np.float64], bound: float, rest: float) -> float:
    """The t for which 2 exp(−t² / (2 (V + b t / 3))) is `rest`, V the largest variance, |X_i − E X_i| ≤ b.

    For sums of independent X_i [Boucheron, Lugosi and Massart 2013, corollary 2.11].
    """
    logarithm = math.log(2 / rest)
    half = bound * logarithm / 3
    return half + math.sqrt(half**2 + 2 * float(variance.max(initial=0.0)) * logarithm)


def tail_in_words(plan: Plan) -> str:
    """The inequality that `half_width` has used."""
    if _bound(plan) is None:
        return "its predicted variance and Chebyshev's inequality"
    return "its predicted variance and Bernstein's inequality, or Chebyshev's where that says more"


def _bound(plan: Plan) -> float | None:
    """The most that one sample can move the estimate from its mean; None where there is none, or samples depend."""
    if plan.anchors is not None or plan.normalized or not plan.unbiased:
        return None
    bounds = [_bound_of(stratum, n, plan) for stratum, n in plan.parts]
    known = [bound for bound in bounds if bound is not None]
    return max(known, default=0.0) if len(known) == len(bounds) else None


def _bound_of(stratum: Stratum, n: int, plan: Plan) -> float | None:
    """2 |w| m / n for samples of size m at most: frequencies of unit amplitude, and keys that agree or do not."""
    law = stratum.law
    if stratum.draws is not None or (law.fourier_kernel() is None and (law.has_amplitude or not law.has_key)):
        return None
    largest = 2.0 if law.has_phasor and plan.form == "phase" else 1.0  # √2 cos · √2 cos
    return 2 * abs(stratum.weight) * largest * float(law.magnitude()) / n
