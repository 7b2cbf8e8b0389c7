"""The promise of every feature map, as assertions: the mean and the variance that were predicted.

They take a spec, or features of any other origin: an estimator with `fit` and `transform`, or a callable
`features(X, generator)`. Independent maps are drawn, so that samples within a map may depend on each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.compilation import map_with
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import sample_variance
from kernelspec.planning.options import MapOptions
from kernelspec.spec import Spec
from kernelspec.testing.laboratory import assert_mean, z_threshold
from kernelspec.testing.ledger import BUDGET, granted, note_power, seed_of_the_run
from kernelspec.testing.subjects import OfSpec, kernel_matrix, subject_of
from kernelspec.verification.judgement import sample_fourth_moment
from kernelspec.verification.statistics import Deviations, detectable_shift, mean_limit, samples_needed, varies_often

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from kernelspec.planning.options import Draws, Method
    from kernelspec.testing.subjects import ByFit

__all__ = [
    "LARGE",
    "assert_deviations",
    "assert_exact",
    "assert_growth",
    "assert_unbiased",
    "assert_variance",
    "near_zero",
    "samples_to_find",
]

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
    """Independent maps have the kernel matrix of X as their mean; those of a spec vary as they predict.

    One plan of a spec is drawn `n_maps` times, with the seeds from `seed` on; an estimator is fitted as often, its
    `random_state` set; a callable gets as many generators. All pairs of rows of X (in both orders, unless the kernel of
    a spec is symmetric) are held against `kernel` (that of the spec; else a spec, a callable k(X, Y) or a matrix).
    Of a spec the tests know the predicted variance, and keep the budget for every law: rare events and heavy tails are
    no false alarm. For samples that are drawn together (`draws`), landmarks (`method`) and features of other origin the
    limit theorem must do: pairs whose variation stems from a few events are not judged,
    and if these are more than half the assertion fails. With `hashed` the estimates are inner products of the features
    of a spec themselves, where two keys may meet in one bucket; `budget` is the chance of a false alarm.
    Raises AssertionError with the worst pair; SpecError, DataError, PlanError as `compile` does.
    """
    seed = seed_of_the_run(seed)
    found = subject_of(subject, X, method=method, draws=draws, n_features=n_features, seed=seed, hashed=hashed)
    if isinstance(found, OfSpec) and kernel is None:
        if not found.first.plan.is_measured:
            _assert_spec(found, X, n_maps, seed, budget, mean=True)
            return
        kernel = found.exact(X)
    if kernel is None:
        raise PlanError("say which kernel the features are of: a spec, a callable k(X, Y) or the matrix")
    exact = kernel_matrix(kernel, X).ravel()
    estimates = np.stack([found.estimate(X, seed + m).ravel() for m in range(n_maps)])
    common = varies_often(estimates)
    if 2 * common.sum() < len(common):
        raise AssertionError(
            f"mean of {found.name}: {len(common) - common.sum()} of {len(common)} pairs hang on rare events and were "
            "not judged: draw more maps, or take rows that are closer to each other"
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
    """Independent maps vary as predicted: a spec as its plan says, other features as the matrix `variance` (n, n) says.

    The arguments are those of `assert_unbiased`. Raises AssertionError with the worst pair.
    """
    seed = seed_of_the_run(seed)
    found = subject_of(subject, X, method=method, draws=draws, n_features=n_features, seed=seed, hashed=hashed)
    if isinstance(found, OfSpec) and variance is None:
        _assert_spec(found, X, n_maps, seed, budget, mean=False)
        return
    if variance is None:
        raise PlanError("say which variance the estimates should have, as a matrix")
    predicted = kernel_matrix(variance, X).ravel()
    estimates = np.stack([found.estimate(X, seed + m).ravel() for m in range(n_maps)])
    centre = estimates.mean(axis=0)
    errors = (estimates - centre) * np.sqrt(n_maps / (n_maps - 1))
    size = np.sqrt(np.abs(centre) ** 2 + predicted)
    kept = Deviations(errors, predicted, _ROUNDING * size**2, np.full(len(predicted), np.inf))
    judged = assert_deviations(kept, centre, size, budget=budget, what=found.name, mean=False, of="maps")
    varying = int((predicted > 100 * _ROUNDING * size**2).sum())
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
        squares = [np.square(found.estimate(X, seed + m) - exact).sum() for m in range(n_maps)]
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


def _assert_spec(found: OfSpec, X: Any, n_maps: int, seed: int, budget: float, *, mean: bool) -> None:
    exact, n = found.exact(X), len(found.exact(X))
    upper = np.triu_indices(n) if found.is_symmetric else tuple(np.indices((n, n)).reshape(2, -1))
    estimates = np.stack([found.estimate(X, seed + m)[upper] for m in range(n_maps)])
    diagonal = np.abs(np.diagonal(exact))
    size = np.maximum(np.sqrt(np.multiply.outer(diagonal, diagonal)), np.abs(exact).max(initial=0.0))[upper]
    kept = Deviations(
        estimates - exact[upper], found.variance(X)[upper], _ROUNDING * size**2, found.fourth_moment(X)[upper]
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


_ROUNDING_OF_POWER = 4e-13
_WIDEST = 10.0
"""A standard deviation of (p − k)², in units of its mean: variances that may hang on rarer events are left out."""


def samples_to_find(
    spec: Spec | str, X: Any, method: Method, *, bias: float = 0.01, variance: float = 0.05, level: float = 1e-12
) -> int:
    """Samples of each term that find, with probability 0.999, these relative errors at all pairs whose k is large.

    A bias of 1 % of the term, and a variance 5 % off, where |k| is at least 0.3 of its size; for a test at `level`, the
    chance of a false alarm at one pair. Variances that may hang on rare events, by what is known of fourth moments, are
    left out.
    """
    options = MapOptions(n_features=48, method=method, draws="independent", landmarks="never")
    plan = map_with(options, spec, data=X).plan
    rows = plan.layout.read(np.asarray(X, dtype=float))
    pairs, most = NumericPairs(rows, rows), 2
    for stratum in plan.strata:
        k = np.abs(np.broadcast_to(np.asarray(stratum.value(pairs), dtype=float), pairs.shape))
        second = sample_variance(stratum.law, pairs.select(stratum.positions), plan.form)
        fourth = sample_fourth_moment(stratum, pairs, plan.form)
        size = np.maximum(k, float(stratum.law.magnitude()))
        varies = (k >= LARGE * size) & np.isfinite(second) & (second > _ROUNDING_OF_POWER * size**2)
        known = varies & np.isfinite(fourth)
        spread = np.sqrt(np.maximum(fourth[known] / second[known] ** 2 - 1, 1e-3))
        spread = spread[spread <= _WIDEST]
        for shifts in (bias * k[varies] / np.sqrt(second[varies]), variance / spread):
            if len(shifts):
                most = max(most, samples_needed(float(shifts.min()), level))
    return most
