"""The results of a verification, as data and as text."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.rendering.notebooks import coloured, folded, html_grid, html_rows, latex_rows, preformatted, quoted

__all__ = ["Certificate", "EstimatorCheck", "Refused"]

_HEAD = ("estimator", "verdict", "worst z of the mean", "variance, observed/predicted (allowed)", "pairs judged")

Pair = tuple[int, int]
Interval = tuple[float, float]

Refused = tuple[str, str]
"""A method, and why it is unavailable for these parameters."""


@dataclass(frozen=True, kw_only=True)
class EstimatorCheck:
    """One estimator against the exact kernel; pairs are (row of X, row of Y). Untested quantities are None.

    - bias: the largest |z| and its limit, over the `n_judged` pairs of finite variance, and the pair;
    - variance: over the `n_variances` pairs whose variance does not depend on rare events, the average of observed over
      predicted variance with its interval, their range, and the ratio closest to the ends of its own interval;
    - `n_exact` pairs have no variance: the largest deviation there, relative to its limit;
    - `n_rare` pairs have a variance that depends on events too rare for this many maps, or on rounding: only their bias
      is judged; `n_infinite` have infinite variance: nothing is judged;
    - `found_bias` and `found_variance` are the relative errors of k and of its variance that would have been found with
      probability 0.999 at every judged pair of large k; `maps_for_bias` and `maps_for_variance` would find 1 % and 5 %;
    - `sees_bias`: a bias of 10 % would have been found, or large values have no variance; `maps_to_see_bias` maps would
      find it.
    """

    method: str
    hashed: bool
    n_maps: int
    n_pairs: int
    n_judged: int
    n_variances: int = 0
    n_bias_tests: int = 0
    n_variance_tests: int = 0
    n_exact: int
    n_rare: int = 0
    n_infinite: int
    bias_passed: bool = True
    worst_z: float | None = None
    z_limit: float | None = None
    worst_z_pair: Pair | None = None
    variance_passed: bool = True
    variance_ratio: float | None = None
    variance_interval: Interval | None = None
    ratio_range: Interval | None = None
    worst_ratio: float | None = None
    worst_ratio_interval: Interval | None = None
    worst_ratio_pair: Pair | None = None
    exact_passed: bool = True
    exact_deviation: float | None = None
    exact_limit: float | None = None
    exact_pair: Pair | None = None
    found_bias: float | None = None
    maps_for_bias: int | None = None
    sees_bias: bool
    maps_to_see_bias: int | None = None
    found_variance: float | None = None
    maps_for_variance: int | None = None
    z_scores: NDArray[np.float64] = field(repr=False, compare=False)

    @property
    def n_tests(self) -> int:
        """The tests that share the budget."""
        return self.n_bias_tests + self.n_variance_tests

    @property
    def is_judged(self) -> bool:
        """Whether at least half of the pairs were judged, and a bias of 10 % would have been found."""
        return self.sees_bias and 2 * (self.n_judged + self.n_exact) >= max(1, self.n_pairs)

    @property
    def refuted(self) -> bool:
        """Whether some test failed."""
        return not (self.bias_passed and self.variance_passed and self.exact_passed)

    @property
    def passed(self) -> bool:
        """Whether nothing was refuted, at least half of the pairs were judged, and a bias of 10 % would be found."""
        return self.is_judged and not self.refuted

    @property
    def verdict(self) -> str:
        """`passed`, `FAILED` or `not judged`."""
        return "FAILED" if self.refuted else "passed" if self.is_judged else "not judged"

    @property
    def name(self) -> str:
        """`paired`, or `paired, hashed`."""
        return f"{self.method}, hashed" if self.hashed else self.method

    def row(self) -> tuple[str, str, str, str, str]:
        """Name, verdict, the worst z-score, the average variance ratio and the pairs judged: a line of a table."""
        z = "" if self.worst_z is None else f"{self.worst_z:+.2f} (limit ±{self.z_limit:.2f})"
        ratio = "" if self.variance_ratio is None else f"{self.variance_ratio:.3f}"
        if self.variance_interval is not None:
            ratio += f" ({_interval(self.variance_interval)})"
        return self.name, self.verdict, z, ratio, f"{self.n_judged + self.n_exact} of {self.n_pairs}"

    def lines(self) -> list[str]:
        """The check as text."""
        said = [f"{self.name}: {self.verdict}"]
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
                f"at rows {_pair(self.worst_ratio_pair)}, over {self.n_variances} pairs"
            )
        if self.exact_deviation is not None:
            said.append(
                f"  no variance: {_verdict(self.exact_passed)}; {self.n_exact} pairs, largest deviation "
                f"{self.exact_deviation:.1e} of the kernel's size (limit {self.exact_limit:.0e}) at rows "
                f"{_pair(self.exact_pair)}"
            )
        if self.n_rare:
            said.append(
                f"  variance not judged: {self.n_rare} pairs, where it depends on rare events (use more maps) "
                "or on rounding"
            )
        if self.n_infinite:
            said.append(f"  not judged: {self.n_infinite} pairs without a finite predicted variance")
        if not self.sees_bias and self.maps_to_see_bias is None:
            said.append("  not judged: k is nearly 0 at all pairs, so a bias of k cannot be found; use other rows")
        elif not self.sees_bias:
            said.append(f"  not judged: to find a bias of 10 %, draw at least {self.maps_to_see_bias:,} maps")
        return said + self._power()

    def to_dict(self) -> dict[str, Any]:
        """The check as JSON data."""
        found = {"passed": self.passed, "verdict": self.verdict, "n_tests": self.n_tests, **asdict(self)}
        del found["z_scores"]
        return found

    def _power(self) -> list[str]:
        said = []
        if self.found_bias is not None:
            said.append(f"a bias of {100 * self.found_bias:.2g} % of k (1 % needs {self.maps_for_bias:,} maps)")
        if self.found_variance is not None:
            said.append(f"a variance off by {100 * self.found_variance:.2g} % (5 % needs {self.maps_for_variance:,})")
        where = "at every pair whose k is 0.3 of its size or more"
        return [f"  these {self.n_maps} maps find, {where}: {'; '.join(said)}"] if said else []


@dataclass(frozen=True, repr=False)
class Certificate:
    """The checks of all estimators of one spec, on the rows of X (and Y) with these indices;
    `refused` ones have none.
    """

    spec: str
    columns: int
    rows_x: tuple[int, ...] | None
    rows_y: tuple[int, ...] | None
    n_features: int
    n_maps: int
    seed: int
    budget: float
    checks: tuple[EstimatorCheck, ...]
    refused: tuple[Refused, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether there are estimators, and all of them passed."""
        return self.verdict == "passed"

    @property
    def n_tests(self) -> int:
        """The number of tests that share the budget of false alarms."""
        return sum(check.n_tests for check in self.checks)

    @property
    def verdict(self) -> str:
        """`passed`, `FAILED` or `not judged`: the least favorable of the checks."""
        said = {check.verdict for check in self.checks}
        return "FAILED" if "FAILED" in said else "passed" if said == {"passed"} else "not judged"

    def __str__(self) -> str:
        rows = "standard normal rows" if self.rows_x is None else f"rows {_listed(self.rows_x)} of X"
        if self.rows_y is not None:
            rows += f" against rows {_listed(self.rows_y)} of Y"
        said = [
            f"certificate: {self.verdict}",
            *("  " + line for line in self.spec.splitlines()),
            f"{self.columns} columns; {rows}",
            f"{self.n_maps} independent maps of at most {self.n_features} nonzeros per row, from seed {self.seed}",
            f"{self.n_tests} tests; if all is right, the chance that any one fails is at most {self.budget:.0e}; "
            "detectable errors are found with probability 0.999",
        ]
        said += [line for check in self.checks for line in check.lines()]
        return "\n".join(said + [f"{method}: not tested; {why}" for method, why in self.refused])

    def __repr__(self) -> str:
        estimators = f"{len(self.checks)} estimator{'s' if len(self.checks) != 1 else ''}"
        return f"Certificate({quoted(self.spec)}, {self.verdict}, {estimators}, {self.n_maps} maps)"

    def _repr_html_(self) -> str:
        """A table of verdicts, and the full certificate as a fold-out."""
        table = html_grid(_HEAD, [check.row() for check in self.checks])
        return "".join(
            [
                coloured(self.spec),
                html_rows(f"Certificate: {self.verdict}", self._rows()),
                table,
                folded("the whole certificate", preformatted(str(self))),
            ]
        )

    def _repr_latex_(self) -> str:
        checks = ((check.name, check.verdict) for check in self.checks)
        return latex_rows([("certificate", self.verdict), *checks, *self._rows()])

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("tests", f"{self.n_tests}; any fails by chance with probability {self.budget:.0e} at most"),
            ("maps", f"{self.n_maps} of at most {self.n_features} nonzeros per row, from seed {self.seed}"),
            *((method, f"not tested; {why}") for method, why in self.refused),
        ]

    def to_dict(self) -> dict[str, Any]:
        """The certificate as JSON data."""
        found = {"passed": self.passed, "verdict": self.verdict, "n_tests": self.n_tests, **self.__dict__}
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
