"""Notes of a plan: why it was chosen, the bias of its draws, estimators of rbf_cosine() compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.fourier import minmax_variance, normalized_variance, paired_variance, phase_variance
from kernelspec.loading import loaded
from kernelspec.planning.methods import ANCHORED, Method
from kernelspec.planning.plan import Candidate
from kernelspec.planning.reference import Reference
from kernelspec.planning.strata import Stratum, kernel_value

__all__ = ["bias_of_draws", "cosine_notes", "reason_of"]

_ONE, _ALL = 1.005, 1e9
"""A quotient of variances below is 1 in three digits; above, the smaller one is rounding."""


def reason_of(best: Candidate, others: Sequence[Candidate], method: Method, reference: str) -> str:
    """How much better it is than the next best of its kind, by error on the data, variance or work."""
    name = best.describe()
    if method in ANCHORED:
        return f"method={method!r} was asked for"
    rivals = [other for other in others if other.is_sparse == best.is_sparse and not other.is_biased]
    if not rivals:
        return "the only candidate" if method == "auto" else f"method={method!r} was asked for"
    if best.variance == float("inf"):
        return (
            f"{name}: the variance is infinite on {reference}, and so is that of all other plans; it is "
            "finite over kernels of frequencies or keys, such as circle() or gaussian(), and with max_degree=… (biased)"
        )
    if best.anchors or best.joint:
        return _by_error(best, rivals)
    runner_up = min(rivals, key=lambda other: (other.variance, other.work))
    if runner_up.variance == float("inf"):
        return f"{name}: the variance of {runner_up.describe()} is infinite on {reference}"
    if runner_up.variance == best.variance:
        if runner_up.work > best.work:
            # what a sampler does beyond its stored entries may be nothing, and is then no measure for that of others
            times = f"{runner_up.work / best.work:.3g} times " if best.work else ""
            return f"{name}: {times}less work than {runner_up.describe()}"
        return f"{name}: no other plan has less variance on {reference}"
    ratio = runner_up.variance / best.variance if best.variance > 0 else float("inf")
    if ratio > _ALL:
        return f"{name}: no variance on {reference}, or as good as none; {runner_up.describe()} has some"
    if ratio < _ONE:
        return f"{name}: the least variance on {reference}, though hardly less than {runner_up.describe()}"
    return f"{name}: {ratio:.3g} times less variance than {runner_up.describe()} on {reference}"


def _by_error(best: Candidate, rivals: Sequence[Candidate]) -> str:
    name = best.describe()
    known = [(other.error, other.describe()) for other in rivals if other.error is not None]
    if best.error is None or not known or min(known)[0] < best.error:
        return f"{name} was asked for"
    error, other = min(known)
    if error > _ALL * best.error:
        return f"{name}: no error is expected on the data, or as good as none; of {other} some is"
    if not best.error:
        return f"{name}: no error is expected on the data, and none of {other}"
    return f"{name}: {error / best.error:.3g} times less expected error than {other}"


_FAR = 0.05
"""Of k(x, x): pairs between which the kernel is smaller than this say little of nearer ones."""


def bias_of_draws(strata: Sequence[Stratum], reference: Reference) -> str:
    """The largest |Σ w_i (E p_i − k_i)| over the reference pairs, as it is measured there, ± its standard error."""
    pairs = reference.pairs
    total, squares = np.zeros(len(pairs.x)), np.zeros(len(pairs.x))
    for stratum in strata:
        if isinstance(stratum.law, loaded("kernelspec.laws.joint:JointLaw")):
            mean, error = stratum.law.bias(pairs.select(stratum.positions))
            total += stratum.weight * mean
            squares += np.square(stratum.weight * error)
    worst = int(np.argmax(np.abs(total)))
    said = f"at most {abs(total[worst]):.2g} ± {np.sqrt(squares[worst]):.1g} on {reference.words}"
    largest = float(np.abs(kernel_value(strata, pairs)).max())
    if largest >= _FAR * sum(abs(stratum.weight) * stratum.law.magnitude() for stratum in strata):
        return said
    return f"{said}, all so far apart that the kernel is at most {largest:.1g}: of nearer rows nothing is known"


_ESTIMATORS = {
    "pairs of cosine and sine": paired_variance,
    "random offsets [Li 2017, theorem 2.1]": phase_variance,
    "normalized=True, biased [theorem 2.2]": normalized_variance,
    "estimate_rbf of min-max keys, under a model [theorem 3.1]": minmax_variance,
}


def cosine_notes(strata: Sequence[Stratum], budget: int, pairs: NumericPairs) -> tuple[str, ...]:
    """For a kernel that is one rbf_cosine(), the standard errors of four estimators with as many columns or keys."""
    if len(strata) != 1 or not isinstance(strata[0].law, loaded("kernelspec.laws.coordinate:UnitRowsLaw")):
        return ()
    stratum, kernel = strata[0], strata[0].law.kernel
    rho = pairs.select(stratum.positions).cosine()
    gamma, scale = float(kernel.gamma), abs(stratum.weight) / np.sqrt(budget)
    errors = {name: scale * float(np.sqrt(f(rho, gamma).mean())) for name, f in _ESTIMATORS.items()}
    least = min(errors, key=errors.__getitem__)
    shown = [f"with {budget} columns or keys, {name}: {error:.3g}" for name, error in errors.items()]
    return (*shown, f"least error: {least}; features are unbiased as pairs or with offsets only")
