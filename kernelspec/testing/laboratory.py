"""The statistical laboratory: checks of random samples with a stated chance of a false alarm, and their power.

Every check asks one question of a whole family of numbers. `budget` is the chance that it fails although
all of them are right; it is shared equally among them (Bonferroni), and the threshold follows. A check that
fails says which number is worst, by how many standard errors, and what was allowed. Under a ledger no check spends more
than its share of the budget of the whole run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernelspec.samples.growth import phasors
from kernelspec.testing.ledger import BUDGET, granted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["assert_characteristic_function", "assert_mean", "assert_proportions", "assert_variance", "z_threshold"]

_EXACT = 1e-12
_SMALLEST_CELL = 5.0


def z_threshold(n_tests: int, budget: float = BUDGET, degrees: float | None = None) -> float:
    """The |z| that `n_tests` standard normal numbers all stay below with probability 1 − budget.

    With `degrees` the numbers are Student's, divided by a standard error estimated from degrees + 1 samples.
    """
    from scipy.stats import norm, t

    if n_tests < 1 or not 0 < budget < 1:
        raise ValueError(f"n_tests must be at least 1 and budget in (0, 1), not {n_tests} and {budget}")
    share = budget / (2 * n_tests)
    return float(norm.isf(share) if degrees is None else t.isf(share, degrees))


def assert_mean(samples: ArrayLike, expected: ArrayLike, *, budget: float = BUDGET, what: str = "mean") -> None:
    """The columns of `samples` (M, k) have the means `expected` (k,), by their own standard errors.

    A column without variance must agree to 1e-12, relative or absolute.
    """
    values, target = _columns(samples, expected)
    budget, count = granted(budget), len(values)
    spread = values - values[0]  # keeps the rounding of long sums away from columns without variance
    mean, deviation = values[0] + spread.mean(axis=0), spread.std(axis=0, ddof=1)
    constant = deviation <= _EXACT * np.maximum(1, np.abs(mean))
    _require_equal(mean, target, constant, what)
    z = np.where(constant, 0.0, (mean - target) / np.where(constant, 1.0, deviation) * np.sqrt(count))
    _require(z, z_threshold(len(target), budget, count - 1), mean, target, what, budget)


def assert_variance(samples: ArrayLike, expected: ArrayLike, *, budget: float = BUDGET, what: str = "variance") -> None:
    """The columns of `samples` (M, k) have the variances `expected` (k,).

    The sample variance is compared with a χ² law whose degrees of freedom are matched to the kurtosis of the
    samples, 2M / (κ − (M − 3)/(M − 1)): M − 1 for normal samples. The fourth moment must exist.
    """
    from scipy.stats import chi2, norm

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
    from scipy.stats import chi2

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


def _columns(samples: ArrayLike, expected: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values, target = np.asarray(samples, dtype=float), np.atleast_1d(np.asarray(expected, dtype=float))
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or target.shape != values.shape[1:] or len(values) < 4:
        raise ValueError(
            f"samples must be (M, k) with M ≥ 4 and expected (k,): they are {values.shape} and {target.shape}"
        )
    if not np.isfinite(values).all():
        raise AssertionError(f"{int((~np.isfinite(values)).sum())} of the samples are not finite")
    return values, target


def _require_equal(
    found: NDArray[np.float64], expected: NDArray[np.float64], which: NDArray[np.bool_], what: str
) -> None:
    off = np.where(which, np.abs(found - expected) / np.maximum(1, np.abs(expected)), 0.0)
    if not (off <= _EXACT).all():
        worst = int(np.argmax(off))
        raise AssertionError(
            f"{what}: entry {worst} has no variance and is {found[worst]:.12g}, expected {expected[worst]:.12g}: "
            f"z is infinite, allowed is a difference of {_EXACT:g}"
        )


def _require(
    z: NDArray[np.float64],
    threshold: float,
    found: NDArray[np.float64],
    expected: NDArray[np.float64],
    what: str,
    budget: float,
) -> None:
    worst = int(np.argmax(np.abs(z)))
    if not abs(z[worst]) <= threshold:
        raise AssertionError(
            f"{what}: z = {z[worst]:+.2f} at entry {worst} of {len(z)}, allowed ±{threshold:.2f} (budget {budget:g}); "
            f"found {found[worst]:.8g}, expected {expected[worst]:.8g}"
        )
