"""One assertion about estimates: the mean and the variance that were claimed, by tests that keep their budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.testing.ledger import granted, note_power
from kernelspec.verification.mean_tests import detectable_shift, mean_limit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.verification.statistics import Deviations

__all__ = ["LARGE", "assert_deviations", "assert_exact", "near_zero"]

LARGE = 0.3
"""Power is that at pairs whose kernel is at least this share of its size."""

_ROUNDING = 4e-15
"""Share of size² that cancellation may cost a predicted variance."""

_ALIKE = 1e-6
"""Agreement of estimates without variance, as a share of the size: below √_ROUNDING none can be told from a little."""


def near_zero(predicted: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where a predicted variance is no more than what rounding leaves of zero."""
    return np.asarray(predicted <= _ROUNDING * size**2)


def assert_exact(deviations: NDArray[np.float64], size: NDArray[np.float64], what: str) -> None:
    """Estimates (N, P) without variance are what they estimate, to 1e-6 of its size. Raises AssertionError."""
    off = np.abs(deviations).max(axis=0, initial=0.0) / np.maximum(size, 1e-300)
    if off.size and not off.max() <= _ALIKE:
        worst = int(np.argmax(off))
        raise AssertionError(
            f"{what}: entry {worst} has no variance, and is off by {off[worst]:.3g} of its size (allowed {_ALIKE:g})"
        )


def assert_deviations(
    kept: Deviations,
    value: NDArray[np.float64],
    size: NDArray[np.float64],
    *,
    budget: float,
    what: str,
    mean: bool = True,
    variance: bool = True,
    of: str = "samples",
) -> int:
    """N independent errors (N, P) have mean zero and the variances predicted; returns how many variances were judged.

    For every law with these moments the chance of a false alarm is at most `budget`, or the share of an open ledger,
    where a fourth moment is known; where none is, the variance is judged by a limit theorem, if no few events make it.
    `value` and `size` (P,), of the kernel and of what it is added up from, say at which pairs the power is entered in
    the ledger; `of` what the estimates are. Raises AssertionError with the worst entry.
    """
    exact = near_zero(kept.predicted, size)
    if exact.any():
        assert_exact(kept.errors[:, exact], size[exact], f"mean of {what}")
    kept, value, size = kept.take(~exact), value[~exact], size[~exact]
    if not len(value):
        return 0
    level = granted(budget) / (mean + variance) / len(value)
    n, large = kept.n_maps, np.abs(value) >= LARGE * size
    if mean:
        _require(kept.z_scores(level), mean_limit(n, level), f"mean of {what}", "bias", kept)
        if large.any():
            share = np.sqrt(kept.predicted[large]) / np.abs(value[large])
            note_power(f"bias of k by {of}", float(share.max()) * detectable_shift(n, level))
    if not variance:
        return 0
    sure = (kept.predicted > 100 * kept.rounding) & kept.can_judge_variance(level)
    if not sure.any():
        return 0
    judged = kept.take(sure)
    _require(judged.ratio_scores(level), mean_limit(n, level), f"variance of {what}", "ratio", judged)
    if (sure & large).any():
        note_power(f"variance by {of}", float(kept.spread()[sure & large].max()) * detectable_shift(n, level))
    return int(sure.sum())


def _require(scores: NDArray[np.float64], limit: float, what: str, kind: str, kept: Deviations) -> None:
    worst = int(np.argmax(np.abs(scores)))
    if not abs(scores[worst]) <= limit:
        errors, predicted = kept.errors[:, worst], float(kept.predicted[worst])
        found = (
            f"mean error {errors.mean():+.4g}, predicted deviation of it {np.sqrt(predicted / len(errors)):.4g}"
            if kind == "bias"
            else f"observed/predicted {np.square(errors).mean() / predicted:.4g}"
        )
        raise AssertionError(
            f"{what}: z = {scores[worst]:+.2f} at entry {worst} of {len(scores)}, allowed ±{limit:.2f}; {found}, "
            f"from {len(errors)} estimates"
        )
