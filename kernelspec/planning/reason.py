"""Why a candidate was taken, in words."""

from __future__ import annotations

from collections.abc import Sequence

from kernelspec.planning.methods import ANCHORED, Method
from kernelspec.planning.plan import Candidate

__all__ = ["reason_of"]

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
