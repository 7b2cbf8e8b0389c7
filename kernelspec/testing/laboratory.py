"""Checks of random samples with a stated probability of a false alarm, and a ledger of them.

Every check asks one question about a whole family of numbers. `budget` is the probability that it fails although all of
them are right; it is shared equally among them (Bonferroni), which sets the threshold. A failing check reports the
worst number, its deviation in standard errors, and the limit.

Under a ledger no check spends more than its share of the budget of the whole run: with 10⁻⁶ for 50,000 assertions, each
fails by chance with probability at most 2·10⁻¹¹, and any of them with probability at most 10⁻⁶. The limits grow only
like the root of a logarithm: 6.8 standard errors instead of 4.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernelspec.errors import PlanError

__all__ = ["BUDGET", "Ledger", "assert_mean", "granted", "note_power", "seed_of_the_run", "z_threshold"]

Numbers = NDArray[np.float64]

BUDGET = 1e-6
"""The probability of a false alarm of a single assertion, and of a whole run under a ledger."""

_SHARES = 50_000

_APART = 1_000_003
"""Distance between the seeds of two runs: more than an assertion counts up from its own."""

_OPEN: ContextVar[Ledger | None] = ContextVar("open ledger", default=None)


@dataclass
class Ledger:
    """A budget for a run, in `shares` equal parts; the amount spent, and the reported power of the tests.

    With another `seed`, all assertions of the run draw different numbers.
    """

    budget: float = BUDGET
    shares: int = _SHARES
    seed: int = 0
    spent: float = 0.0
    n_assertions: int = 0
    powers: dict[str, list[float]] = field(default_factory=dict)

    def grant(self, asked: float) -> float:
        """What an assertion may spend: the amount requested, capped at one share. Recorded as spent."""
        given = min(asked, self.budget / self.shares)
        self.spent += given
        self.n_assertions += 1
        return given

    def note_power(self, what: str, found: float) -> None:
        """Record the relative error that a test would have found with probability 0.999."""
        self.powers.setdefault(what, []).append(found)

    @property
    def is_overspent(self) -> bool:
        """Whether there were more assertions than shares."""
        return self.spent > self.budget * (1 + 1e-9)

    @contextmanager
    def open(self) -> Iterator[Ledger]:
        """Assertions inside are recorded here."""
        token = _OPEN.set(self)
        try:
            yield self
        finally:
            _OPEN.reset(token)

    @staticmethod
    @contextmanager
    def closed() -> Iterator[None]:
        """Assertions inside are not recorded, and get the budget they request."""
        token = _OPEN.set(None)
        try:
            yield
        finally:
            _OPEN.reset(token)

    def lines(self) -> list[str]:
        """The account as text."""
        said = [
            f"false alarms: {self.n_assertions:,} assertions spent {self.spent:.2g} of {self.budget:.2g}"
            + (": OVERSPENT, raise the number of shares" if self.is_overspent else "")
        ]
        for what, found in sorted(self.powers.items()):
            worst, middle = max(found), sorted(found)[len(found) // 2]
            said.append(
                f"power: {what}: {100 * worst:.2g} % at worst, {100 * middle:.2g} % in the middle of {len(found)}"
            )
        return said


def granted(asked: float) -> float:
    """The budget of an assertion: what it requests, capped at a share if a ledger is open. Raises PlanError."""
    if not isinstance(asked, Real) or not 0 < float(asked) <= 1:
        raise PlanError(f"budget must be a probability between 0 and 1, not {asked!r:.60}")
    ledger = _OPEN.get()
    return asked if ledger is None else ledger.grant(asked)


def note_power(what: str, found: float) -> None:
    """Record a power in the open ledger, if there is one."""
    ledger = _OPEN.get()
    if ledger is not None:
        ledger.note_power(what, found)


def seed_of_the_run(seed: int) -> int:
    """The seed of an assertion, shifted by the seed of an open ledger."""
    ledger = _OPEN.get()
    return seed if ledger is None else seed + _APART * ledger.seed


_EXACT = 1e-12


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
    """The columns of `samples` (M, k) have means `expected` (k,), by their own standard errors.

    A column without variance must agree to 1e-12, relative or absolute.
    """
    values, target = _columns(samples, expected)
    budget, count = granted(budget), len(values)
    spread = values - values[0]  # keeps rounding of long sums out of columns without variance
    mean, deviation = values[0] + spread.mean(axis=0), spread.std(axis=0, ddof=1)
    constant = deviation <= _EXACT * np.maximum(1, np.abs(mean))
    _require_equal(mean, target, constant, what)
    z = np.where(constant, 0.0, (mean - target) / np.where(constant, 1.0, deviation) * np.sqrt(count))
    _require(z, z_threshold(len(target), budget, count - 1), mean, target, what, budget)


def _columns(samples: ArrayLike, expected: ArrayLike) -> tuple[Numbers, Numbers]:
    values, target = np.asarray(samples, dtype=float), np.atleast_1d(np.asarray(expected, dtype=float))
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or target.shape != values.shape[1:] or len(values) < 4:
        raise ValueError(
            f"samples must be (M, k) with M ≥ 4 and expected (k,): they are {values.shape} and {target.shape}"
        )
    if not np.isfinite(values).all():
        raise AssertionError(f"{int((~np.isfinite(values)).sum())} of the samples are not finite")
    return values, target


def _require_equal(found: Numbers, expected: Numbers, which: NDArray[np.bool_], what: str) -> None:
    off = np.where(which, np.abs(found - expected) / np.maximum(1, np.abs(expected)), 0.0)
    if not (off <= _EXACT).all():
        worst = int(np.argmax(off))
        raise AssertionError(
            f"{what}: entry {worst} has no variance and is {found[worst]:.12g}, expected {expected[worst]:.12g}: "
            f"z is infinite, allowed is a difference of {_EXACT:g}"
        )


def _require(z: Numbers, threshold: float, found: Numbers, expected: Numbers, what: str, budget: float) -> None:
    worst = int(np.argmax(np.abs(z)))
    if not abs(z[worst]) <= threshold:
        raise AssertionError(
            f"{what}: z = {z[worst]:+.2f} at entry {worst} of {len(z)}, allowed ±{threshold:.2f} (budget {budget:g}); "
            f"found {found[worst]:.8g}, expected {expected[worst]:.8g}"
        )
