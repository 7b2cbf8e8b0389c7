"""What a verification found, as data and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Certificate", "EstimatorCheck"]

Pair = tuple[int, int]
Interval = tuple[float, float]


@dataclass(frozen=True)
class EstimatorCheck:
    """One estimator against the exact kernel; pairs are (row of X, row of Y). What was not tested is None.

    - bias: the largest |z| relative to its limit, over `n_judged` pairs, and where it is;
    - variance: the mean of observed over predicted variance with its interval, their range over the pairs, and
      the ratio that comes closest to the ends of its own interval;
    - `n_exact` pairs have no variance: the largest deviation there, relative to its limit;
    - `n_rare` pairs hang on events too rare for this many maps, `n_infinite` have no finite variance: not judged.
    """

    method: str
    hashed: bool
    n_pairs: int
    n_judged: int
    n_tests: int
    n_exact: int
    n_rare: int
    n_infinite: int
    bias_passed: bool
    worst_z: float | None
    z_limit: float | None
    worst_z_pair: Pair | None
    variance_passed: bool
    variance_ratio: float | None
    variance_interval: Interval | None
    ratio_range: Interval | None
    worst_ratio: float | None
    worst_ratio_interval: Interval | None
    worst_ratio_pair: Pair | None
    exact_passed: bool
    exact_deviation: float | None
    exact_limit: float | None
    exact_pair: Pair | None
    z_scores: NDArray[np.float64] = field(repr=False, compare=False)

    @property
    def passed(self) -> bool:
        """Whether nothing was refuted, and something was tested."""
        tested = self.n_judged + self.n_exact > 0
        return tested and self.bias_passed and self.variance_passed and self.exact_passed

    @property
    def name(self) -> str:
        """`paired`, or `paired, hashed`."""
        return f"{self.method}, hashed" if self.hashed else self.method

    def lines(self) -> list[str]:
        """The check in words."""
        said = [f"{self.name}: {_verdict(self.passed)}"]
        if self.worst_z is not None:
            said.append(
                f"  bias: {_verdict(self.bias_passed)}; worst z {self.worst_z:+.2f} (limit ±{self.z_limit:.2f}) "
                f"at rows {_pair(self.worst_z_pair)}, over {self.n_judged} pairs"
            )
        if self.variance_ratio is not None:
            said.append(
                f"  variance: {_verdict(self.variance_passed)}; observed/predicted {self.variance_ratio:.3f} "
                f"on average (allowed {_interval(self.variance_interval)}), pairs {_interval(self.ratio_range)}; worst "
                f"{self.worst_ratio:.3f} (allowed {_interval(self.worst_ratio_interval)}) "
                f"at rows {_pair(self.worst_ratio_pair)}"
            )
        if self.exact_deviation is not None:
            said.append(
                f"  no variance: {_verdict(self.exact_passed)}; {self.n_exact} pairs, largest deviation "
                f"{self.exact_deviation:.1e} of the kernel's size (limit {self.exact_limit:.0e}) at rows "
                f"{_pair(self.exact_pair)}"
            )
        if self.n_rare:
            said.append(f"  not judged: {self.n_rare} pairs whose estimates hang on rare events (more maps would do)")
        if self.n_infinite:
            said.append(f"  not judged: {self.n_infinite} pairs without a finite predicted variance")
        return said

    def to_dict(self) -> dict[str, Any]:
        """The check as JSON data."""
        found = {"passed": self.passed, **asdict(self)}
        del found["z_scores"]
        return found


@dataclass(frozen=True)
class Certificate:
    """The checks of all estimators of one spec, on the rows of X (and Y) with these indices."""

    spec: str
    columns: int
    rows_x: tuple[int, ...] | None
    rows_y: tuple[int, ...] | None
    n_features: int
    n_maps: int
    seed: int
    budget: float
    checks: tuple[EstimatorCheck, ...]

    @property
    def passed(self) -> bool:
        """Whether every estimator passed."""
        return all(check.passed for check in self.checks)

    @property
    def n_tests(self) -> int:
        """The size of the family that shares the budget of false alarms."""
        return sum(check.n_tests for check in self.checks)

    def __str__(self) -> str:
        rows = "standard normal rows" if self.rows_x is None else f"rows {_listed(self.rows_x)} of X"
        if self.rows_y is not None:
            rows += f" against rows {_listed(self.rows_y)} of Y"
        said = [
            f"certificate: {_verdict(self.passed)}",
            *("  " + line for line in self.spec.splitlines()),
            f"{self.columns} columns; {rows}",
            f"{self.n_maps} independent maps of at most {self.n_features} stored entries a row, from seed {self.seed}",
            f"{self.n_tests} tests; if all is right, the chance that any one fails is at most {self.budget:.0e}",
        ]
        return "\n".join([*said, *(line for check in self.checks for line in check.lines())])

    def to_dict(self) -> dict[str, Any]:
        """The certificate as JSON data."""
        found = {"passed": self.passed, "n_tests": self.n_tests, **self.__dict__}
        found["checks"] = [check.to_dict() for check in self.checks]
        return found


def _verdict(passed: bool) -> str:
    return "passed" if passed else "FAILED"


def _pair(pair: Pair | None) -> str:
    return "" if pair is None else f"{pair[0]} and {pair[1]}"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}"


def _listed(rows: tuple[int, ...]) -> str:
    if len(rows) > 2 and rows == tuple(range(rows[0], rows[-1] + 1)):
        return f"{rows[0]} to {rows[-1]}"
    return ", ".join(map(str, rows))
