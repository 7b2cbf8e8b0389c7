"""Published estimators as changes of a plan, and a similarity of min-max keys that is not a kernel."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.errors import DataError, PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.fourier import FourierLaw, rbf_of_minmax
from kernelspec.laws.jordan import JordanPart
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.plan import EstimatedMasses, Plan, with_weights, with_zero_bit
from kernelspec.planning.reference import reference_pairs
from kernelspec.planning.strata import Stratum
from kernelspec.special.wave_parts import WavePart
from kernelspec.tables.rows import Rows

if TYPE_CHECKING:
    from kernelspec.planning.request import Published

__all__ = ["estimate_rbf", "published_plan"]


def fit_masses(
    gram: NDArray[np.float64],
    k0: float,
    positive: NDArray[np.float64],
    negative: NDArray[np.float64] | None,
    imaginary: NDArray[np.float64] | None,
) -> tuple[float, float, float]:
    """ξ ≥ 0 with ξ₁ − ξ₂ = k(0) that minimises ‖K − ξ₁A + ξ₂B − 2ξ₃C‖_F.

    K = `gram`; A, B and C (n, n) are the estimates with only the positive real, negative real and imaginary part; the
    paper's Φ_ν Ψ_ν' is −C. A part of None has mass zero. Substituting the constraint, ξ₁ = k(0) + ξ₂ (or ξ₂ = ξ₁ −
    k(0)), leaves a nonnegative least-squares problem in two numbers [He et al. 2022, equation 12].
    """
    from scipy.optimize import nnls

    other = np.zeros_like(positive) if negative is None else negative
    columns = [] if negative is None else [(positive - other).ravel()]
    if imaginary is not None:
        columns.append(2 * imaginary.ravel())
    target = (gram - (k0 * positive if k0 >= 0 else k0 * other)).ravel()
    found = nnls(np.stack(columns, axis=1), target)[0].tolist() if columns else []
    free = found.pop(0) if negative is not None else 0.0
    size = found.pop(0) if imaginary is not None else 0.0
    return free + max(k0, 0.0), free - min(k0, 0.0), size


def estimate_masses(plan: Plan, rows: Rows, n_rows: int) -> Plan:
    """The plan with the weights of its Jordan parts fitted on `n_rows` of the rows (Algorithm 2 of He et al. 2022).

    Weights that depend on the samples make the estimate slightly biased. Raises PlanError for a plan
    that is not the Jordan decomposition of one kernel.
    """
    kinds = [_kind(stratum) for stratum in plan.strata]
    directions = {s.law.direction for s in plan.strata if isinstance(s.law, JordanPart)}
    if None in kinds or len(directions) != 1 or len(set(kinds)) < len(kinds):
        raise PlanError(
            "masses='estimated' fits the weights of the Jordan parts of one kernel: use method='jordan' (or "
            "'rejection') and a multiple of shift_gaussian(), sinh_gaussian() or cosh_gaussian()"
        )
    n = len(rows)
    chosen = np.sort(np.random.default_rng([plan.seed, 2]).permutation(n)[:n_rows])
    some = rows.take(chosen)
    pairs = NumericPairs(some, some)
    gram = np.asarray(sum(s.weight * np.asarray(s.value(pairs)) for s in plan.strata), dtype=float)
    diagonal = float(np.mean(np.diag(gram)))
    # the sign of the multiple: that of a part that is positive in the kernel itself
    scale = next(s.weight for s, kind in zip(plan.strata, kinds, strict=True) if kind != "negative")
    sign = -1.0 if scale < 0 else 1.0
    alone = (with_weights(plan, EstimatedMasses(tuple(own), ())) for own in np.eye(len(kinds)).tolist())
    parts = {kind: draw_map(own).approximate(some) for kind, own in zip(kinds, alone, strict=True)}
    masses = fit_masses(
        sign * gram,
        sign * diagonal,
        parts.get("positive", np.zeros_like(gram)),
        parts.get("negative"),
        parts.get("imaginary"),
    )
    fitted = {"positive": masses[0], "negative": -masses[1], "imaginary": 2 * masses[2]}
    weights = tuple(sign * fitted[str(kind)] for kind in kinds)
    return with_weights(plan, EstimatedMasses(weights, tuple(chosen.tolist())))


def _kind(stratum: Stratum) -> str | None:
    law = stratum.law
    if isinstance(law, FourierLaw) and isinstance(law.kernel, Gaussian):
        return "positive"  # the real part of sinh_gaussian()
    if not isinstance(law, JordanPart):
        return None
    if law.wave.odd:
        return "imaginary"
    return "positive" if law.wave is WavePart.POSITIVE_COSINE else "negative"


_ROWS = 64


def measured_bias(plan: Plan, pairs: NumericPairs) -> str:
    """How much more often the samples agree than those with whole keys, on 64 × 64 pairs of rows.

    Both use the same samples, so all of the difference is bias, which is never negative for positive weights.
    """
    whole = replace(plan, strata=with_zero_bit(plan.strata, zero_bit=False))
    x, y = pairs.x.take(slice(0, _ROWS)), pairs.y.take(slice(0, _ROWS))
    short, full = (draw_map(each).approximate(x, y) for each in (plan, whole))
    excess = short - full
    return f"by {np.mean(excess):.2g} on average and {np.max(excess):.2g} at most over {excess.size} pairs of rows"


def published_plan(plan: Plan, published: Published, rows: Rows | None) -> Plan:
    """The plan with shortened keys and masses fitted to `rows`, as requested, and the measured bias.

    Raises PlanError for a kernel without such keys or parts, and for masses without rows.
    """
    if published.zero_bit:
        chosen = replace(plan.chosen, error=None, error_interval=None)  # the bias has no formula
        plan = replace(plan, strata=with_zero_bit(plan.strata), zero_bit=True, chosen=chosen)
        plan = replace(plan, bias=measured_bias(plan, reference_pairs(plan.layout.mapped, rows)[0]))
    if published.masses == "exact":
        return plan
    if rows is None:
        raise PlanError("masses='estimated' fits weights to rows of the data: set data=")
    return estimate_masses(plan, rows, published.n_rows_for_masses)


_AT_ONCE = 1 << 24  # keys compared at a time


def estimate_rbf(keys_x: ArrayLike, keys_y: ArrayLike, gamma: float) -> NDArray[np.float64]:
    """Estimate e^{−γ(1−ρ)} for rows with min-max keys (n, k) and (m, k); returns (n, m).

    e^{−2γ((1−X)/(1+X))²}, X the share of the k keys that agree [Li 2017, Theorem 3.1]. It assumes that the coordinates
    of a pair of rows are many independent draws of an elliptical distribution with bounded moments, with cosine ρ.
    Under this model the estimate is consistent, with variance V_g/k (analysis.cosine_variance); on other data it tends
    to another function. A function of a mean of keys is not an inner product of features. Raises DataError for keys of
    different lengths, or of another type than uint64, the type of `FeatureMap.keys`.
    """
    x, y = np.asarray(keys_x), np.asarray(keys_y)
    for keys in (x, y):
        if keys.ndim != 2 or keys.dtype != np.uint64:
            raise DataError(f"keys must be an array (n, k) of uint64, as keys(X) gives, not {keys.dtype} {keys.shape}")
    if x.shape[1] != y.shape[1] or x.shape[1] == 0:
        raise DataError(f"rows must have equally many keys on both sides, not {x.shape[1]} and {y.shape[1]}")
    if not isinstance(gamma, Real) or not gamma > 0:
        raise DataError(f"gamma must be greater than 0, not {gamma!r:.60}")
    rows = max(1, _AT_ONCE // max(1, y.size))
    shares = [
        (x[i : i + rows, None, :] == y[None, :, :]).mean(axis=2) if len(y) else np.zeros((min(rows, len(x) - i), 0))
        for i in range(0, len(x), rows)
    ]
    agreement = np.concatenate(shares) if shares else np.zeros((0, len(y)))
    return rbf_of_minmax(agreement, gamma)
