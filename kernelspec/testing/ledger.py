"""The ledger of a run of tests: one budget of false alarms, shared by all assertions.

Every assertion of the laboratory takes an equal share of what is left open by the caller: under a ledger of 10⁻⁶ for
50,000 assertions none has a chance above 2·10⁻¹¹ of failing although all is right, so that the chance that any of them
does is at most 10⁻⁶. The limits grow only like the root of a logarithm: 6.8 standard errors instead of 4.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

__all__ = ["BUDGET", "Ledger", "granted", "note_power", "seed_of_the_run"]

BUDGET = 1e-6
"""The chance of a false alarm of an assertion alone, and of a whole run under a ledger."""

_SHARES = 50_000

_APART = 1_000_003
"""Between the seeds of two runs: more than an assertion counts up from its own."""

_OPEN: ContextVar[Ledger | None] = ContextVar("open ledger", default=None)


@dataclass
class Ledger:
    """A budget for a run, in `shares` equal parts; what was spent, and the power of the tests, as they say it.

    With another `seed` all assertions of the run draw other numbers.
    """

    budget: float = BUDGET
    shares: int = _SHARES
    seed: int = 0
    spent: float = 0.0
    n_assertions: int = 0
    powers: dict[str, list[float]] = field(default_factory=dict)

    def grant(self, asked: float) -> float:
        """What an assertion may spend: what it asks for, and no more than a share. Entered as spent."""
        given = min(asked, self.budget / self.shares)
        self.spent += given
        self.n_assertions += 1
        return given

    def note_power(self, what: str, found: float) -> None:
        """Enter the relative error that a test would have found with probability 0.999."""
        self.powers.setdefault(what, []).append(found)

    @property
    def is_overspent(self) -> bool:
        """Whether there were more assertions than shares."""
        return self.spent > self.budget * (1 + 1e-9)

    @contextmanager
    def open(self) -> Iterator[Ledger]:
        """Assertions inside are entered here."""
        token = _OPEN.set(self)
        try:
            yield self
        finally:
            _OPEN.reset(token)

    @staticmethod
    @contextmanager
    def closed() -> Iterator[None]:
        """Assertions inside are entered nowhere, and get what they ask for."""
        token = _OPEN.set(None)
        try:
            yield
        finally:
            _OPEN.reset(token)

    def lines(self) -> list[str]:
        """The account in words."""
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
    """The budget of an assertion: what it asks for, or its share where a ledger is open."""
    ledger = _OPEN.get()
    return asked if ledger is None else ledger.grant(asked)


def note_power(what: str, found: float) -> None:
    """Enter a power in the open ledger, if there is one."""
    ledger = _OPEN.get()
    if ledger is not None:
        ledger.note_power(what, found)


def seed_of_the_run(seed: int) -> int:
    """The seed of an assertion as asked for, moved by the seed of an open ledger."""
    ledger = _OPEN.get()
    return seed if ledger is None else seed + _APART * ledger.seed
