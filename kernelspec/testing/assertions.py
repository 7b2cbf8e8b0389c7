"""The promise of every feature map, as assertions: the right mean, the variance predicted, an error that falls.

They take a spec, or features of any other origin: an estimator with `fit` and `transform`, or a callable
`features(X, generator)`. Independent maps are drawn, so that samples within a map may depend on each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kernelspec.errors import PlanError
from kernelspec.spec import Spec
from kernelspec.testing.deviations import assert_deviations
from kernelspec.testing.laboratory import assert_mean, z_threshold
from kernelspec.testing.ledger import BUDGET, granted, seed_of_the_run
from kernelspec.testing.subjects import OfSpec, kernel_matrix, subject_of
from kernelspec.verification.statistics import Deviations, varies_often

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernelspec.planning.methods import Draws, Method
    from kernelspec.testing.subjects import ByFit

__all__ = ["assert_growth", "assert_unbiased", "assert_variance"]

_ROUNDING = 4e-15


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
    no false alarm. For samples that are drawn together (`draws`), anchors (`method`) and features of other origin the
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
