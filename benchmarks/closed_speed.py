"""Time per value of closed densities, beside the numerical inversion of the version before there were any.

    git worktree add ../before 7dc9bde
    PYTHONPATH=../before python benchmarks/closed_speed.py measure before.json 8
    python -m benchmarks.closed_speed measure now.json 256
    python -m benchmarks.closed_speed compare before.json now.json

The first call of a product, which makes the closed form ready, is timed by itself.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import kernelspec as ks
from benchmarks.provenance import made_by
from kernelspec.errors import KernelspecError

__all__ = ["PRODUCTS", "compare", "measure"]

PRODUCTS = (
    ("gaussian()*laplace()", 1),
    ("gaussian()*matern(nu=3/2)", 1),
    ("laplace()*triangle(2)", 1),
    ("gaussian()*cauchy()", 1),
    ("laplace()*cauchy()", 1),
    ("sinc()*laplace()", 1),
    ("sinc()*gaussian()", 1),
    ("gaussian()*laplace()*triangle(2)", 1),
    ("cosine(2)*laplace()*gaussian()", 1),
    ("shift_gaussian(by=1/2)*laplace()", 1),
    ("tilt(laplace(), by=1/2)*gaussian()", 1),
    ("matern(nu=5/2)*rational_quadratic(alpha=2)", 1),
    ("exponential()*matern(nu=3/2)", 3),
    ("exponential()*gaussian()", 3),
    ("matern(nu=3/2)*matern(nu=5/2)", 2),
)
REPEATS = 7


def measure(count: int) -> dict[str, Any]:
    """For every product the seconds of the first call, and per value those of seven others of `count` frequencies."""
    found: dict[str, Any] = {}
    for text, dim in PRODUCTS:
        omega = np.random.default_rng(0).uniform(0.05, 5, (16, dim))
        many = np.random.default_rng(1).uniform(0.05, 5, (count, dim))
        facts = ks.analyze(text, dim=dim)
        try:
            start = perf_counter()
            values = facts.spectral_density_at(omega)
            first = perf_counter() - start
        except KernelspecError as error:
            found[f"{text}, d = {dim}"] = {"error": str(error)}
            continue
        facts.spectral_density_at(many)
        seconds = []
        for _ in range(REPEATS):
            start = perf_counter()
            facts.spectral_density_at(many)
            seconds.append((perf_counter() - start) / count)
        alone = []
        for i in range(REPEATS):
            start = perf_counter()
            facts.spectral_density_at(many[i : i + 1])
            alone.append(perf_counter() - start)
        row = {
            "first": first,
            "seconds": seconds,
            "alone": alone,
            "values": [[complex(v).real, complex(v).imag] for v in values],
        }
        found[f"{text}, d = {dim}"] = row
        print(f"{text}, d = {dim}: {statistics.median(seconds) * 1e6:.3g} µs", file=sys.stderr, flush=True)
    return found


def compare(before: dict[str, Any], now: dict[str, Any]) -> str:
    """A table in Markdown: medians and ranges in µs a value, how many times faster, the largest difference."""
    lines = [
        "| product | before, µs | now, µs | times faster | now, one at a time | values differ |",
        "|---|---|---|---|---|---|",
    ]
    for name, new in now.items():
        old = before[name]
        if "error" in old:
            lines.append(f"| `{name}` | refused | {_spread(new)} | | | |")
            continue
        times = statistics.median(old["seconds"]) / statistics.median(new["seconds"])
        alone = statistics.median(new["alone"]) * 1e6
        peak = max(abs(complex(*value)) for value in new["values"])
        apart = max(abs(complex(*a) - complex(*b)) for a, b in zip(old["values"], new["values"], strict=True))
        speed, single, far = f"{times:,.0f}", f"{alone:,.3g}", f"{apart / peak:.0e} of the peak"
        lines.append(f"| `{name}` | {_spread(old)} | {_spread(new)} | {speed} | {single} | {far} |")
    return "\n".join(lines)


def _spread(row: dict[str, Any]) -> str:
    seconds = [value * 1e6 for value in row["seconds"]]
    return f"{statistics.median(seconds):,.3g} ({min(seconds):,.3g} to {max(seconds):,.3g})"


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        Path(sys.argv[2]).write_text(json.dumps(measure(int(sys.argv[3]))))
    else:
        print(made_by(" ".join(["python -m benchmarks.closed_speed", *sys.argv[1:]])), end="\n\n")
        print(compare(*(json.loads(Path(name).read_text()) for name in sys.argv[2:4])))
