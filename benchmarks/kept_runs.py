"""The last three runs of the engine's figures, as a table: python benchmarks/kept_runs.py [FILE]"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from llvmlite.binding import get_host_cpu_name
from threadpoolctl import threadpool_info

from kernelspec.numerics.threads import processors

__all__ = ["RESULTS", "Figure", "store"]

RESULTS = Path(__file__).parent / "results" / "engine.json"
_KEPT, _ENOUGH = 3, 2


@dataclass(frozen=True)
class Figure:
    """How many times as fast, or which fraction of a limit: median and quartiles over the rounds."""

    what: str
    median: float
    low: float
    high: float
    asked: float | None

    @property
    def is_met(self) -> bool:
        """Whether the median reaches what is asked."""
        return self.asked is None or self.median >= self.asked

    def spread(self) -> str:
        """Median [quartiles]."""
        return f"{self.median:.3g} [{self.low:.3g}, {self.high:.3g}]"

    def line(self) -> str:
        """A row of the table of one run."""
        return f"| {self.what} | {self.spread()} | {_asked(self.asked, self.is_met)} |"


def main() -> None:
    """Print a table of all figures and how many are met, in two runs of three, and name the others."""
    path = Path(sys.argv[1]) if sys.argv[1:] else RESULTS
    runs = [[Figure(**own) for own in run["figures"]] for run in _read(path)]
    print("| work |" + "".join(f" run {i + 1} |" for i in range(len(runs))) + " asked | |")
    print("|---|" + "---|" * (len(runs) + 2))
    missed, asked = [], 0
    for figures in zip(*runs, strict=True):
        first, is_met = figures[0], sum(figure.is_met for figure in figures) >= _ENOUGH
        spreads = "".join(f" {figure.spread()} |" for figure in figures)
        print(f"| {first.what} |{spreads} {_asked(first.asked, is_met)} |")
        asked += first.asked is not None
        if not is_met:
            medians = sorted(figure.median for figure in figures)
            missed.append(f"- {first.what}: {medians[0]:.3g} to {medians[-1]:.3g} of {first.asked:g}")
    print(f"\n{asked - len(missed)} of {asked} are met. Missed, in two runs of three at least:\n", *missed, sep="\n")


def store(found: list[Figure], rounds: int, path: Path) -> None:
    """Add a run to those that a file keeps: the last three, as a figure counts that holds in two of them."""
    own = {
        "date": date.today().isoformat(),
        "processor": get_host_cpu_name(),
        "products": sorted({str(pool.get("architecture")) for pool in threadpool_info() if pool["user_api"] == "blas"}),
        "processors": processors(),
        "load": round(os.getloadavg()[0], 1),
        "rounds": rounds,
        "figures": [asdict(each) for each in found],
    }
    kept = [*(_read(path) if path.exists() else []), own][-_KEPT:]
    path.write_text(json.dumps({"runs": kept}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _read(path: Path) -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return runs


def _asked(asked: float | None, is_met: bool) -> str:
    return " | " if asked is None else f"{asked:g} | {'met' if is_met else 'missed'}"


if __name__ == "__main__":
    main()
