"""Checks of random numbers beside those of `kernelspec.testing`, and how many samples find an error of a given size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import chi2, norm

from kernelspec.compilation import map_with
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import sample_variance
from kernelspec.planning.options import MapOptions
from kernelspec.samples.frequencies import phasors
from kernelspec.testing.assertions import LARGE
from kernelspec.testing.laboratory import (
    _EXACT,
    BUDGET,
    _columns,
    _require,
    _require_equal,
    assert_mean,
    granted,
    z_threshold,
)
from kernelspec.verification.judgement import sample_fourth_moment
from kernelspec.verification.statistics import samples_needed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from kernelspec.planning.options import Method
    from kernelspec.spec import Spec

__all__ = ["assert_characteristic_function", "assert_proportions", "assert_variance", "samples_to_find"]

_SMALLEST_CELL = 5.0


def assert_variance(samples: ArrayLike, expected: ArrayLike, *, budget: float = BUDGET, what: str = "variance") -> None:
    """The columns of `samples` (M, k) have the variances `expected` (k,).

    The sample variance is compared with a χ² law whose degrees of freedom are matched to the kurtosis of the
    samples, 2M / (κ − (M − 3)/(M − 1)): M − 1 for normal samples. The fourth moment must exist.
    """
    values, target = _columns(samples, expected)
    budget, count = granted(budget), len(values)
    spread = values - values[0]
    centred = spread - spread.mean(axis=0)
    variance = np.square(centred).sum(axis=0) / (count - 1)
    constant = (variance <= (_EXACT * np.maximum(1, np.abs(values[0]))) ** 2) | (target == 0)
    _require_equal(variance, target, constant, what)
    safe = np.where(constant, 1.0, variance)
    kurtosis = np.mean(np.square(centred) ** 2, axis=0) / safe**2
    degrees = 2 * count / np.maximum(kurtosis - (count - 3) / (count - 1), 100 / count)  # two-point laws are not χ²
    statistic = degrees * safe / np.where(constant, 1.0, target)
    below, above = chi2.logcdf(statistic, degrees), chi2.logsf(statistic, degrees)
    tail = np.minimum(np.minimum(below, above), np.log(0.5))
    exact = np.copysign(norm.isf(np.exp(np.maximum(tail, -700))), below - above)
    ninth = 2 / (9 * degrees)  # Wilson and Hilferty, where the tail underflows
    cubic = (np.cbrt(statistic / degrees) - 1 + ninth) / np.sqrt(ninth)
    z = np.where(constant, 0.0, np.where(tail > -700, exact, cubic))
    _require(z, z_threshold(len(target), budget), variance, target, what, budget)


def assert_proportions(
    counts: ArrayLike, probabilities: ArrayLike, *, budget: float = BUDGET, what: str = "proportions"
) -> None:
    """The `counts` (k,) of a sample over k cells fit the `probabilities` (k,), by Pearson's χ².

    Cells that expect fewer than five are pooled; a cell of probability zero must be empty.
    """
    observed, chance = np.asarray(counts, dtype=float).ravel(), np.asarray(probabilities, dtype=float).ravel()
    if observed.shape != chance.shape or abs(chance.sum() - 1) > 1e-9 or (chance < 0).any():
        raise ValueError("there must be one probability for each count, none negative, with sum 1")
    _require_equal(np.where(chance == 0, observed, 0), np.zeros_like(observed), chance == 0, what)
    expected = chance * observed.sum()
    small = expected < _SMALLEST_CELL
    pooled = [(observed[i], expected[i], f"cell {i}") for i in np.flatnonzero(~small)]
    if expected[small].sum() > 0:
        pooled.append((observed[small].sum(), expected[small].sum(), "the small cells together"))
    if len(pooled) < 2:
        raise ValueError("too few counts: at least two cells must expect five or more")
    seen, right = np.array([cell[0] for cell in pooled]), np.array([cell[1] for cell in pooled])
    z, budget = (seen - right) / np.sqrt(right), granted(budget)
    statistic, limit = float(np.square(z).sum()), float(chi2.isf(budget, len(z) - 1))
    if not statistic <= limit:
        worst = int(np.argmax(np.abs(z)))
        raise AssertionError(
            f"{what}: χ² = {statistic:.1f} on {len(z) - 1} degrees of freedom, allowed {limit:.1f} "
            f"(budget {budget:g}); worst: {pooled[worst][2]} with {seen[worst]:g}, "
            f"expected {right[worst]:.6g}, z = {z[worst]:+.2f}"
        )


def assert_characteristic_function(
    frequencies: ArrayLike,
    lags: ArrayLike,
    expected: ArrayLike,
    *,
    budget: float = BUDGET,
    what: str = "characteristic function",
) -> None:
    """Draws (M, d) of a symmetric law: E cos ω·Δ = `expected` (n,) at `lags` (n, d), and E sin ω·Δ = 0."""
    waves = phasors(np.asarray(frequencies, dtype=float) @ np.asarray(lags, dtype=float).T)
    target = np.asarray(expected, dtype=float)
    assert_mean(waves.real, target, budget=budget / 2, what=f"{what}, real part")
    assert_mean(waves.imag, np.zeros_like(target), budget=budget / 2, what=f"{what}, imaginary part")


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
