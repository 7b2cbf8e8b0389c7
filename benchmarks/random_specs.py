"""Ten thousand random specs over the whole language: are the means of their samples normal about the kernel?

Run with `python -m benchmarks.random_specs [--specs 10000] [--seed 0] [--figure FILE]`. For every spec, every method it
offers and every term of the plan, one pair of rows is chosen at random, and the mean of 1,000 samples is compared with
the kernel, in units of its predicted standard error. If all is right these z-scores are standard normal, nearly: where
the predicted fourth moment of a sample is more than 25 times the square of its variance, or not bounded, the normal law
is no good approximation, and the pair is counted and not judged. Two-sided p-values are compared with the uniform law.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from numpy.typing import NDArray
from scipy.stats import kstest, norm

from benchmarks.provenance import made_by
from kernelspec.compilation import compile_spec
from kernelspec.errors import KernelspecError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import sample_variance
from kernelspec.planning.options import Method
from kernelspec.random.streams import Stream
from kernelspec.testing.samples import methods_of, sample_values
from kernelspec.verification.judgement import sample_fourth_moment
from tests.strategies.cases import Case, cases

__all__ = ["figure", "report", "scores"]

SAMPLES, HEAVIEST = 1000, 25.0


def drawn(n: int, number: int) -> list[Case]:
    """So many random specs, all different."""
    found: dict[str, Case] = {}
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    round_number = 0
    while len(found) < n:

        @seed(1_000_003 * number + round_number)
        @settings(
            max_examples=min(n, 2000),
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=checks,
        )
        @given(case=cases())
        def collect(case: Case) -> None:
            if len(found) < n:
                found.setdefault(case.text, case)

        collect()
        round_number += 1
    return list(found.values())


def scores(case: Case, number: int, generator: np.random.Generator) -> Iterator[tuple[str, float | None]]:
    """(method, z) for every method and term of a spec; z is None where the pair is not judged."""
    for method in methods_of(case.text, case.rows):
        try:
            yield from of_method(case, method, number, generator)
        except KernelspecError:
            yield method, None


def of_method(
    case: Case, method: Method, number: int, generator: np.random.Generator
) -> Iterator[tuple[str, float | None]]:
    """The scores of one method, a term at a time."""
    plan = compile_spec(
        case.text, n_features=1536, method=method, draws="independent", landmarks="never", data=case.rows, keys="hashed"
    ).plan
    rows = plan.layout.read(case.rows)
    pairs = NumericPairs(rows, rows)
    for position, stratum in enumerate(plan.strata):
        a, b = (int(i) for i in generator.choice(len(case.rows), 2, replace=False))
        value = np.broadcast_to(np.asarray(stratum.value(pairs), dtype=float), pairs.shape)[a, b]
        second = float(sample_variance(stratum.law, pairs.select(stratum.positions), plan.form)[a, b])
        fourth = float(np.broadcast_to(sample_fourth_moment(stratum, pairs, plan.form), pairs.shape)[a, b])
        size = max(abs(value), float(stratum.law.magnitude()))
        if not (1e-12 * size**2 < second < np.inf) or not fourth <= HEAVIEST * second**2:
            yield method, None
            continue
        places = (np.array([a]), np.array([b]))
        values = sample_values(stratum, plan.form, SAMPLES, Stream(number, (7, position)), rows, rows, places)
        yield method, float((values.mean() - value) / np.sqrt(second / SAMPLES))


def report(found: dict[str, list[float]], n_specs: int, unjudged: Counter[str]) -> str:
    """By method: how many means, the largest |z| and how likely one as large is, and the test of p-values."""
    lines = [
        f"{n_specs:,} specs",
        "",
        "| method | means judged | not judged | largest z | chance of one as large | p of uniform |",
    ]
    lines.append("|---|---|---|---|---|---|")
    everything = [z for each in found.values() for z in each]
    for name, z in [*sorted(found.items()), ("all", everything)]:
        values = np.array(z)
        if not len(values):
            continue
        largest = float(np.abs(values).max())
        chance = -np.expm1(len(values) * np.log1p(-2 * norm.sf(largest)))
        uniform = kstest(2 * norm.sf(np.abs(values)), "uniform").pvalue
        left = sum(unjudged.values()) if name == "all" else unjudged[name]
        lines.append(f"| {name} | {len(values):,} | {left:,} | {largest:.2f} | {chance:.2f} | {uniform:.3f} |")
    return "\n".join(lines)


def figure(values: NDArray[np.float64], path: Path) -> None:
    """The p-values: their histogram, and how far their distribution function is from the diagonal."""
    import matplotlib.pyplot as plt

    p = np.sort(2 * norm.sf(np.abs(values)))
    fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    counts, edges = np.histogram(p, bins=50, range=(0, 1))
    left.bar(edges[:-1], counts, width=1 / 50, align="edge", color="0.75", edgecolor="white", linewidth=0.4)
    expected, spread = len(p) / 50, np.sqrt(len(p) / 50 * (1 - 1 / 50))
    left.axhspan(
        expected - 2 * spread, expected + 2 * spread, color="C0", alpha=0.25, label="expected, ± 2 standard errors"
    )
    left.set(xlabel="p-value", ylabel="means", xlim=(0, 1), title=f"{len(p):,} means of 1,000 samples")
    left.legend(loc="lower center")
    grid = (np.arange(1, len(p) + 1) - 0.5) / len(p)
    right.plot(grid, (p - grid) * np.sqrt(len(p)), color="C0", linewidth=1)
    band = 1.358
    right.axhline(band, color="0.5", linestyle="--", linewidth=0.8, label="95 % of uniform samples stay between")
    right.axhline(-band, color="0.5", linestyle="--", linewidth=0.8)
    right.set(xlabel="expected p-value", ylabel="√n · (observed − expected)", xlim=(0, 1), ylim=(-2, 2))
    right.set_title("distance from the uniform law")
    right.legend(loc="upper center")
    fig.savefig(path, dpi=130)


def main() -> int:
    """Draw the specs, print the table, and exit with 1 if a mean or the whole is further off than chance allows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--specs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--figure", type=Path)
    given_arguments = parser.parse_args()
    print(made_by(" ".join(["python -m benchmarks.random_specs", *sys.argv[1:]])), end="\n\n")
    warnings.simplefilter("ignore")
    start, generator = perf_counter(), np.random.default_rng(given_arguments.seed)
    found: dict[str, list[float]] = {}
    unjudged: Counter[str] = Counter()
    chosen = drawn(given_arguments.specs, given_arguments.seed)
    for number, case in enumerate(chosen):
        for method, z in scores(case, given_arguments.seed * 10**6 + number, generator):
            if z is None:
                unjudged[method] += 1
            else:
                found.setdefault(method, []).append(z)
                if abs(z) > 4.5:
                    print(f"z = {z:+.2f} by {method} of\n{case.text}\nrows_seed={case.rows_seed}", flush=True)
        if number % 500 == 499:
            print(f"{number + 1} specs after {perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    print(report(found, len(chosen), unjudged))
    values = np.array([z for each in found.values() for z in each])
    if given_arguments.figure:
        figure(values, given_arguments.figure)
    chance = -np.expm1(len(values) * np.log1p(-2 * norm.sf(np.abs(values).max())))
    return int(min(chance, kstest(2 * norm.sf(np.abs(values)), "uniform").pvalue) < 1e-3)


if __name__ == "__main__":
    sys.exit(main())
