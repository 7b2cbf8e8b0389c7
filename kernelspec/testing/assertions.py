"""The guarantees of every feature map as assertions: the predicted mean and variance.

They accept a spec, or features from elsewhere: an estimator with `fit` and `transform`, or a callable `features(X,
generator)`. Maps are drawn independently, so samples within a map may depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError
from kernelspec.planning.options import Draws, Method
from kernelspec.spec import Spec
from kernelspec.testing.laboratory import BUDGET, assert_mean, granted, note_power, seed_of_the_run, z_threshold
from kernelspec.testing.subjects import OfSpec, kernel_matrix, subject_of
from kernelspec.verification.statistics import (
    ALIKE,
    LARGE,
    ROUNDING,
    Deviations,
    detectable_shift,
    mean_limit,
    varies_often,
)

if TYPE_CHECKING:
    from kernelspec.testing.subjects import ByFit

__all__ = ["assert_deviations", "assert_exact", "assert_growth", "assert_unbiased", "assert_variance"]

Numbers = NDArray[np.float64]


def near_zero(predicted: Numbers, size: Numbers) -> NDArray[np.bool_]:
    """Whether a predicted variance is at most the rounding error of zero."""
    return np.asarray(predicted <= ROUNDING * size**2)


def assert_exact(deviations: Numbers, size: Numbers, what: str) -> None:
    """Estimates (N, P) without variance equal their target, to 1e-6 of its size. Raises AssertionError."""
    off = np.abs(deviations).max(axis=0, initial=0.0) / np.maximum(size, 1e-300)
    if off.size and not off.max() <= ALIKE:
        worst = int(np.argmax(off))
        raise AssertionError(
            f"{what}: entry {worst} has no variance, and is off by {off[worst]:.3g} of its size (allowed {ALIKE:g})"
        )


def assert_deviations(
    kept: Deviations,
    value: Numbers,
    size: Numbers,
    *,
    budget: float,
    what: str,
    mean: bool = True,
    variance: bool = True,
    of: str = "samples",
) -> int:
    """N independent errors (N, P) have mean zero and the predicted variances; returns how many variances were judged.

    For every law with these moments, the probability of a false alarm is at most `budget`, or the share of an open
    ledger, if a fourth moment is known; otherwise the variance is judged by a limit theorem, unless a few events
    dominate it. `value` and `size` (P,), of the kernel and of its summands, select the pairs whose power is entered in
    the ledger; `of` names what is estimated. Raises AssertionError with the worst entry.
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


def _require(scores: Numbers, limit: float, what: str, kind: str, kept: Deviations) -> None:
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


def assert_unbiased(
    subject: Spec | str | Any,
    X: Any,
    kernel: Spec | str | Callable[[Any, Any], Any] | Any = None,
    *,
    method: Method = "auto",
    draws: Draws = "independent",
    n_features: int = 32,
    n_maps: int = 300,
    budget: float = BUDGET,
    seed: int = 0,
    hashed: bool = False,
) -> None:
    """The mean of independent maps is the kernel matrix of X; the maps of a spec vary as they predict.

    One plan of a spec is drawn `n_maps` times, with seeds from `seed` on; an estimator is fitted as often, with
    `random_state` set; a callable gets as many generators. All pairs of rows of X (in both orders, unless the kernel of
    a spec is symmetric) are compared with `kernel`: the default is that of the spec; otherwise a spec, a callable k(X,
    Y) or a matrix.

    For a spec the predicted variance is known, and the budget holds for every law: rare events and heavy tails cause no
    false alarms. For coupled samples (`draws`), landmarks (`method`) and features from elsewhere, the central limit
    theorem is used: pairs whose variation stems from a few events are not judged, and if these are more than half the
    assertion fails. With `hashed` the estimates are inner products of the features of a spec themselves, in which two
    keys may share a bucket; `budget` is the probability of a false alarm.

    Raises AssertionError with the worst pair; SpecError, DataError, PlanError as `compile`.
    """
    seed = seed_of_the_run(seed)
    found = subject_of(subject, X, method=method, draws=draws, n_features=n_features, seed=seed, hashed=hashed)
    if isinstance(found, OfSpec) and kernel is None:
        if not found.first.plan.is_measured:
            _assert_spec(found, X, n_maps, seed, budget, mean=True)
            return
        kernel = found.exact(X)
    if kernel is None:
        raise PlanError("name the kernel of the features: pass kernel= as a spec, a callable k(X, Y) or the matrix")
    exact = kernel_matrix(kernel, X).ravel()
    estimates = np.stack([found.estimate(X, seed + m).ravel() for m in _seeds(n_maps)])
    common = varies_often(estimates)
    if 2 * common.sum() < len(common):
        raise AssertionError(
            f"mean of {found.name}: {len(common) - common.sum()} of {len(common)} pairs depend on rare events and were "
            "not judged: draw more maps, or use rows that are closer to each other"
        )
    assert_mean(estimates[:, common], exact[common], budget=budget, what=f"mean of {found.name}")


def assert_variance(
    subject: Spec | str | Any,
    X: Any,
    variance: Any = None,
    *,
    method: Method = "auto",
    draws: Draws = "independent",
    n_features: int = 32,
    n_maps: int = 300,
    budget: float = BUDGET,
    seed: int = 0,
    hashed: bool = False,
) -> None:
    """Independent maps vary as predicted: for a spec by its plan, for other features by the matrix `variance` (n, n).

    The arguments are those of `assert_unbiased`. Raises AssertionError with the worst pair.
    """
    seed = seed_of_the_run(seed)
    found = subject_of(subject, X, method=method, draws=draws, n_features=n_features, seed=seed, hashed=hashed)
    if isinstance(found, OfSpec) and variance is None:
        _assert_spec(found, X, n_maps, seed, budget, mean=False)
        return
    if variance is None:
        raise PlanError("give the expected variance of the estimates: pass variance= as a matrix")
    predicted = kernel_matrix(variance, X).ravel()
    estimates = np.stack([found.estimate(X, seed + m).ravel() for m in _seeds(n_maps)])
    centre = estimates.mean(axis=0)
    errors = (estimates - centre) * np.sqrt(n_maps / (n_maps - 1))
    size = np.sqrt(np.abs(centre) ** 2 + predicted)
    kept = Deviations(errors, predicted, ROUNDING * size**2, np.full(len(predicted), np.inf))
    judged = assert_deviations(kept, centre, size, budget=budget, what=found.name, mean=False, of="maps")
    varying = int((predicted > 100 * ROUNDING * size**2).sum())
    if 2 * judged < varying:
        raise AssertionError(f"variance of {found.name}: only {judged} of {varying} pairs could be judged")


def assert_growth(
    subject: Spec | str | Any,
    X: Any,
    kernel: Spec | str | Callable[[Any, Any], Any] | Any = None,
    *,
    sizes: Sequence[int] = (16, 64, 256),
    parameter: str = "n_components",
    method: Method = "auto",
    n_maps: int = 200,
    budget: float = BUDGET,
    seed: int = 0,
) -> None:
    """The mean squared error of the kernel matrix of X falls at least as fast as 1/n from each size n to the next.

    Sizes are `n_features` of a spec, the `parameter` of an estimator, and the third argument of a callable
    `features(X, generator, n)`. A floor that more features do not lower is a bias. By the limit theorem for the mean
    over maps of n‖K̂ − K‖²_F. Raises AssertionError with the two sizes.
    """
    seed = seed_of_the_run(seed)
    errors = []
    for size in sizes:
        found = _of_size(subject, X, size, parameter, method, seed)
        exact = found.exact(X) if isinstance(found, OfSpec) and kernel is None else kernel_matrix(kernel, X)
        squares = [np.square(found.estimate(X, seed + m) - exact).sum() for m in _seeds(n_maps)]
        errors.append(size * np.array(squares))
    limit = z_threshold(max(1, len(sizes) - 1), granted(budget), n_maps - 1)
    for i in range(len(sizes) - 1):
        before, after = errors[i], errors[i + 1]
        rise = after.mean() - before.mean()
        deviation = np.sqrt((after.var(ddof=1) + before.var(ddof=1)) / n_maps)
        if rise > limit * deviation + 1e-12 * before.mean():
            raise AssertionError(
                f"error of {found.name}: n times the mean squared error rises from {before.mean():.4g} at {sizes[i]} "
                f"features to {after.mean():.4g} at {sizes[i + 1]}, {rise / deviation:+.2f} standard errors "
                f"(allowed {limit:.2f})"
            )


def _seeds(n_maps: int) -> range:
    """0, …, n_maps − 1. Raises PlanError for fewer than two maps, which have no variance."""
    if n_maps < 2:
        raise PlanError(f"n_maps must be at least 2, not {n_maps}")
    return range(n_maps)


def _assert_spec(found: OfSpec, X: Any, n_maps: int, seed: int, budget: float, *, mean: bool) -> None:
    exact, n = found.exact(X), len(found.exact(X))
    upper = np.triu_indices(n) if found.is_symmetric else tuple(np.indices((n, n)).reshape(2, -1))
    estimates = np.stack([found.estimate(X, seed + m)[upper] for m in _seeds(n_maps)])
    diagonal = np.abs(np.diagonal(exact))
    size = np.maximum(np.sqrt(np.multiply.outer(diagonal, diagonal)), np.abs(exact).max(initial=0.0))[upper]
    kept = Deviations(
        estimates - exact[upper], found.variance(X)[upper], ROUNDING * size**2, found.fourth_moment(X)[upper]
    )
    finite = np.isfinite(kept.predicted)
    if 2 * finite.sum() < len(finite):
        raise AssertionError(f"mean of {found.name}: not judged, the predicted variance is infinite for most pairs")
    assert_deviations(
        kept.take(finite), exact[upper][finite], size[finite], budget=budget, what=found.name, mean=mean, of="maps"
    )


def _of_size(subject: Spec | str | Any, X: Any, size: int, parameter: str, method: Method, seed: int) -> OfSpec | ByFit:
    if hasattr(subject, "fit"):
        from sklearn.base import clone

        return subject_of(clone(subject).set_params(**{parameter: size}), X)
    if callable(subject) and not isinstance(subject, Spec | str):
        return subject_of(lambda rows, generator: subject(rows, generator, size), X)
    return subject_of(subject, X, method=method, n_features=size, seed=seed)
