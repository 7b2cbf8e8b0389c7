"""Assertions about draws: frequencies follow the measure of a kernel, numbers a law on the line, with any tails.

All checks use bounded functions of the draws (characteristic functions, distribution functions), whose means and
variances are known, so laws without moments are judged like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.errors import PlanError, SpecError
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import cosines, phasors
from kernelspec.spec import Spec, parse
from kernelspec.testing.assertions import assert_deviations
from kernelspec.testing.laboratory import BUDGET, granted, seed_of_the_run
from kernelspec.verification.statistics import Deviations

__all__ = ["assert_measure", "assert_sampler"]

Numbers = NDArray[np.float64]

_LAGS = 24
_POINTS = 8


def assert_measure(
    subject: Spec | str | Any,
    kernel: Spec | str | Callable[[Numbers], Any] | None = None,
    *,
    dim: int,
    n: int = 20_000,
    budget: float = BUDGET,
    seed: int = 0,
) -> None:
    """Frequencies follow the spectral measure of a kernel: E cos ω·Δ = k(Δ)/k(0) and E sin ω·Δ = 0.

    `subject` is a spec, whose measure is sampled; a callable draw(n, generator) → (n, dim); or an estimator with
    `random_weights_` (dim, n) after fitting, like those of scikit-learn. `kernel` is a spec or a callable k(Δ) of lags
    (m, dim), divided by k(0); the default is that of the spec. The variances are known too, (1 + k(2Δ))/2 − k(Δ)² and
    (1 − k(2Δ))/2 for k(0) = 1, so the budget holds for laws without moments. Lags lie on the axes and off them. Raises
    AssertionError with the worst lag, and PlanError for another number of frequencies.
    """
    seed = seed_of_the_run(seed)
    target = kernel if kernel is not None else subject
    frequencies = _frequencies(subject, dim, n, seed)
    rows = len(frequencies) if hasattr(subject, "fit") and frequencies.ndim else n
    if frequencies.shape != (rows, dim) or not rows:
        raise PlanError(f"frequencies must have the shape (n, dim), here {n, dim}, not {frequencies.shape}")
    lags = _lags(frequencies, dim, seed)
    one, two = _profile(target, lags), _profile(target, 2 * lags)
    waves = phasors(frequencies @ lags.T)
    size, nothing = np.ones(len(lags)), np.zeros(len(lags))
    name = str(subject).replace("\n", "; ")
    for errors, variance, part in (
        (waves.real - one, (1 + two) / 2 - one**2, "real"),
        (waves.imag, (1 - two) / 2, "imaginary"),
    ):
        fourth = np.minimum((1 + np.abs(one)) ** 2, 4) * variance
        kept = Deviations(errors, np.maximum(variance, 0), nothing + 4e-15, fourth)
        assert_deviations(kept, one, size, budget=budget / 2, what=f"{part} part of the measure of {name}")


def assert_sampler(
    subject: str | Any, law: str | Any, *, n: int = 20_000, budget: float = BUDGET, seed: int = 0
) -> None:
    """Numbers follow a law on the line, with tails of any weight.

    `subject` is a callable draw(n, generator) → (n,), an object with `rvs(size=, random_state=)`, or the text of a
    distribution, which is sampled. `law` is the text of a distribution of the catalogue, compared by its characteristic
    function or its Polya kernel E max(0, 1 − t/R); or an object with `cdf`, or a callable distribution function,
    compared by P(sup|F_n − F| > ε) ≤ 2 exp(−2nε²) [Massart 1990]. Raises AssertionError with the worst point, and
    PlanError for another number of draws.
    """
    seed = seed_of_the_run(seed)
    draws = np.asarray(_draws(subject, n, seed), dtype=float)
    if draws.shape != (n,):
        raise PlanError(f"draws must have the shape (n,), here {(n,)}, not {draws.shape}")
    name = str(getattr(subject, "__name__", subject))
    cdf = law if callable(law) else getattr(law, "cdf", None)
    if cdf is None:
        _assert_by_transform(draws, _distribution(law), budget, name)
        return
    ordered = np.sort(draws)
    expected = np.asarray(cdf(ordered), dtype=float)
    # atoms: the limit from the left accounts for the step from below
    below = np.searchsorted(ordered, ordered, side="left") / len(ordered)
    above = np.searchsorted(ordered, ordered, side="right") / len(ordered)
    before = np.asarray(cdf(np.nextafter(ordered, -np.inf)), dtype=float)
    off = np.maximum(np.abs(above - expected), np.abs(before - below))
    limit = np.sqrt(np.log(2 / granted(budget)) / (2 * len(ordered)))
    worst = int(np.argmax(off))
    if not off[worst] <= limit:
        raise AssertionError(
            f"law of {name}: the distribution function is off by {off[worst]:.4g} at {ordered[worst]:.6g}, "
            f"allowed {limit:.4g} for {len(ordered)} draws"
        )


def _assert_by_transform(draws: Numbers, law: Any, budget: float, name: str) -> None:
    middle = float(np.median(np.abs(draws))) or 1.0
    points = np.geomspace(0.1, 4, _POINTS) / middle
    if law.is_symmetric:
        one, two = (np.asarray(law.characteristic_function(t), dtype=float) for t in (points, 2 * points))
        angles = np.multiply.outer(draws, points)
        errors = np.concatenate(
            [cosines(angles) - one, np.sin(angles)], axis=1
        )  # E sin is 0: draws of one sign are not
        variance = np.concatenate([(1 + two) / 2 - one**2, (1 - two) / 2])
        one = np.concatenate([one, np.zeros(len(one))])
    else:
        points = middle * np.geomspace(0.1, 2, _POINTS)
        one = np.asarray(law.polya_kernel(points), dtype=float)
        seen = np.maximum(0.0, 1 - points / draws[:, None])
        errors, variance = seen - one, one * (1 - one)  # an upper bound: the values lie between 0 and 1
    fourth = (1 + np.abs(one)) ** 2 * variance
    kept = Deviations(errors, np.maximum(variance, 0), np.full(len(one), 4e-15), fourth)
    ones, known = np.ones(len(one)), bool(law.is_symmetric)
    assert_deviations(kept, one, ones, budget=budget, what=f"law of {name}", variance=known)


def _frequencies(subject: Any, dim: int, n: int, seed: int) -> Numbers:
    if isinstance(subject, Spec | str):
        spec = parse(subject) if isinstance(subject, str) else subject
        return np.asarray(measure_of(spec.kernel(spec.columns(dim))).sample(Stream(seed), n), dtype=float)
    if hasattr(subject, "fit"):
        from sklearn.base import clone

        fitted = clone(subject).set_params(random_state=seed).fit(np.zeros((1, dim)))
        return np.asarray(fitted.random_weights_, dtype=float).T
    return np.asarray(subject(n, np.random.default_rng(seed)), dtype=float)


def _lags(frequencies: Numbers, dim: int, seed: int) -> Numbers:
    """Lags on the scale of the frequencies: along each axis, and off the axes."""
    generator = np.random.default_rng([seed, 7])
    lags = generator.standard_normal((_LAGS, dim)) / np.sqrt(dim)
    for i in range(0, _LAGS, 3):
        lags[i] = np.eye(dim)[(i // 3) % dim]
    scale = float(np.median(np.linalg.norm(frequencies, axis=1))) or 1.0
    return np.asarray(lags * np.geomspace(0.3, 3, _LAGS)[:, None] / scale * np.sqrt(dim))


def _profile(kernel: Any, lags: Numbers) -> Numbers:
    if isinstance(kernel, Spec | str):
        spec = parse(kernel) if isinstance(kernel, str) else kernel
        gram = spec.gram(np.concatenate([lags, np.zeros((1, lags.shape[1]))]), np.zeros((1, lags.shape[1])))
        return np.asarray(gram[:-1, 0] / gram[-1, 0])
    if not callable(kernel):
        raise PlanError("name the kernel of the frequencies: pass kernel= as a spec or a callable k(Δ)")
    at_zero = float(np.asarray(kernel(np.zeros((1, lags.shape[1])))).ravel()[0])
    return np.asarray(kernel(lags), dtype=float).ravel() / at_zero


def _draws(subject: Any, n: int, seed: int) -> Any:
    if isinstance(subject, str):
        return _distribution(subject).draw(Stream(seed), (n,))
    if hasattr(subject, "rvs"):
        return subject.rvs(size=n, random_state=np.random.default_rng(seed))
    if hasattr(subject, "draw"):
        return subject.draw(Stream(seed), (n,))
    return subject(n, np.random.default_rng(seed))


def _distribution(law: Any) -> Any:
    if not isinstance(law, str):
        return law
    for form in ("polya({})", "bochner({})"):
        try:
            spec = parse(form.format(law))
            return spec.kernel(spec.columns(1)).distribution  # type: ignore[attr-defined]
        except SpecError as error:
            refused = error
    raise refused
