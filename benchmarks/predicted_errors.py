"""How often the error of feature maps lies in the interval that was predicted: data sets × specs × maps, on new rows.

    python benchmarks/predicted_errors.py [--data-dir ../shared/data] [--quick] [--held-out] [--results FILE]

Every cell is one plan, made for some rows of a table. The root mean square of ‖K̂ − K‖_F / ‖K‖_F over maps of the
plan, on rows that the plan has not seen, is compared with two intervals: `FeatureMap.predicted_error_interval` of these
rows, and `Plan.chosen.error_interval`, which the plan states without them. --quick uses made tables with heavy tails,
--held-out other rows of the tables and other specs, on which nothing was tuned. --results keeps every cell in a file
as soon as it is judged: started again, a run continues with the missing cells.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kernelspec as ks
from benchmarks.provenance import made_by
from kernelspec.maps.feature_map import draw_map

__all__ = ["SPECS", "Cell", "coverage", "judged", "made_tables", "main", "read", "real_tables"]

SETS = (
    "california_housing", "cod_rna", "shuttle", "magic", "page_blocks", "letter", "pendigits", "cpu_act", "satimage",
    "spambase",
)  # fmt: skip
"""From few columns to many: the cheap ones first."""

SPECS = (
    "gaussian(scale=sqrt(d))",
    "laplace(scale=2*d)",
    "matern(nu=3/2, scale=sqrt(d))",
    "0.5*gaussian(scale=3)[0:5] + 0.5*cauchy(scale=2)[6]",
    "mean(gaussian(scale=2)[0], gaussian(scale=2)[1], gaussian(scale=2)[2])",
    "matern(nu=3/2, scale=4)[0:4]*gaussian(scale=2)[5]",
    "rational_quadratic(alpha=1, scale=3)[0:3] + 0.3*linear()",
    "gaussian(scale=2)[0]*laplace(scale=3)[1] + gaussian(scale=4)[2:6]",
    "gaussian(scale=sqrt(d))**2 + 0.1*constant()",
    "cauchy(scale=4)[0]*gaussian(scale=3)[1:4]",
)
HELD_OUT = (
    "gaussian(scale=sqrt(d)/2)",
    "cauchy(scale=2*sqrt(d))",
    "rational_quadratic(alpha=2, scale=2*sqrt(d))",
    "matern(nu=5/2, scale=2)[1:5]",
    "0.6*laplace(scale=4)[0:3] + 0.4*gaussian(scale=1)[4]",
    "mean(matern(nu=3/2, scale=2)[1], cauchy(scale=3)[2:5], gaussian(scale=4))",
    "gaussian(scale=3)[0:6]*cauchy(scale=4)[2]",
    "gaussian(scale=1)[3] + 0.5*gaussian(scale=3)[0:3]*laplace(scale=4)[5]",
    "powered_exponential(alpha=3/2, scale=3)[2:6]",
    "exponential(scale=2*sqrt(d))",
)
FEATURES, COVERAGE = 192, 0.95


@dataclass(frozen=True)
class Cell:
    """One plan: what it predicts, on new rows and before it has seen them, and what its maps have there."""

    name: str
    spec: str
    maps: int
    plan: str
    real: float
    predicted: float
    of_rows: tuple[float, float]
    of_plan: tuple[float, float]
    before: float

    def __str__(self) -> str:
        marks = "".join("·" if _lies(self.real, interval) else "!" for interval in (self.of_rows, self.of_plan))
        intervals = "  ".join(f"[{low:.2g}, {high:.2g}]" for low, high in (self.of_rows, self.of_plan))
        return (
            f"{marks} {self.name:18} {self.spec:70} real {self.real:.3g}  predicted {self.predicted:.3g}"
            f" ({self.before:.3g} before)  {intervals}  {self.plan}"
        )


def real_tables(folder: Path, seed: int = 5) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Real data sets, standardised and permuted."""
    for name in SETS:
        table = np.load(folder / f"{name}.npz")["X"].astype(float)
        yield name, _standardised(table[np.random.default_rng(seed).permutation(len(table))[:4000]])


def made_tables(n: int) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Tables of eight columns with heavy tails: Student's t, a mixture with rare far rows, and a skewed one."""
    generator = np.random.default_rng(0)
    mixing = generator.standard_normal((8, 8)) / 3 + np.eye(8)
    yield "student_t", _standardised(generator.standard_t(3, (n, 8)) @ mixing)
    far = np.where(generator.random((n, 1)) < 0.01, 6.0, 1.0)
    yield "rare_far_rows", _standardised(generator.standard_normal((n, 8)) * far)
    yield "lognormal", _standardised(np.exp(generator.standard_normal((n, 8)) @ mixing))


def judged(name: str, spec: str, table: NDArray[np.float64], rows: int, maps: int) -> Cell:
    """The cell of one plan, made for the first rows of the table and judged on as many that follow."""
    known, new = table[:rows], table[rows : 2 * rows]
    fmap = ks.compile(spec, data=known, n_features=FEATURES, seed=1)
    exact = ks.parse(spec).gram(new)
    errors = [np.linalg.norm(draw_map(replace(fmap.plan, seed=1000 + i)).approximate(new) - exact) for i in range(maps)]
    real = float(np.sqrt(np.mean(np.square(errors))) / np.linalg.norm(exact))
    chosen = fmap.plan.chosen
    return Cell(
        name,
        spec,
        maps,
        chosen.describe(),
        real,
        fmap.predicted_error(new),
        fmap.predicted_error_interval(new, coverage=COVERAGE, maps=maps),
        chosen.error_interval or (0.0, 0.0),
        chosen.error or 0.0,
    )


def read(results: Path | None) -> list[Cell]:
    """The cells that a file has, one a line."""
    lines = results.read_text().splitlines() if results is not None and results.exists() else []
    found = [json.loads(line) for line in lines]
    intervals = ("of_rows", "of_plan")
    return [Cell(**{key: tuple(own) if key in intervals else own for key, own in cell.items()}) for cell in found]


def coverage(cells: list[Cell]) -> tuple[float, float]:
    """The share of the cells whose error lies in the interval for the new rows, and in that of the plan."""
    of_rows, of_plan = (
        np.mean([_lies(cell.real, interval(cell)) for cell in cells])
        for interval in (lambda cell: cell.of_rows, lambda cell: cell.of_plan)
    )
    return float(of_rows), float(of_plan)


def main() -> None:
    """Print a line for every cell, and the coverage."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--quick", action="store_true", help="made tables, 8 maps")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--results", type=Path, help="a file that keeps the cells, and from which a run goes on")
    parser.add_argument("--held-out", action="store_true", help="other rows and specs, on which nothing was tuned")
    arguments = parser.parse_args()
    print(made_by(" ".join(["python -m benchmarks.predicted_errors", *sys.argv[1:]])), end="\n\n")
    rows, maps = (300, 8) if arguments.quick else (500, 32)
    tables = (
        made_tables(2 * rows) if arguments.quick else real_tables(arguments.data_dir, 11 if arguments.held_out else 5)
    )
    cells = read(arguments.results)
    done = {(cell.name, cell.spec, cell.maps) for cell in cells}
    for name, table in tables:
        for spec in HELD_OUT if arguments.held_out else SPECS:
            if (arguments.quick or name in arguments.sets) and (name, spec, maps) not in done:
                cells.append(judged(name, spec, table, rows, maps))
                print(cells[-1], flush=True)
                if arguments.results is not None:
                    with arguments.results.open("a") as file:
                        print(json.dumps(asdict(cells[-1])), file=file)
    of_rows, of_plan = coverage(cells)
    widths = [
        float(np.median([high / low for low, high in intervals if low > 0]))
        for intervals in ([cell.of_rows for cell in cells], [cell.of_plan for cell in cells])
    ]
    print("from end to end, the median: {:.2f} times for the rows, {:.2f} times for the plan".format(*widths))
    print(
        f"{len(cells)} plans, {maps} maps each: {of_rows:.0%} within the interval of the rows, {of_plan:.0%} the plan's"
    )


def _lies(real: float, interval: tuple[float, float]) -> bool:
    return interval[0] - 1e-7 <= real <= interval[1] + 1e-7


def _standardised(table: NDArray[np.float64]) -> NDArray[np.float64]:
    spread = table.std(axis=0)
    return np.asarray((table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


if __name__ == "__main__":
    main()
