"""The figures of speed to keep, before and after: python benchmarks/engine.py [ROUNDS] [--json FILE] [--data-dir DIR]

What is compared runs in one process, in random order within every round; a figure is the median of the ratios within a
round, with its quartiles, so that others on the machine slow both sides. With --cpu-time seconds are those of all
threads of a side, for a machine with other work: what is compared with one thread then looks half as fast. Both sides
write into memory that is used again where they can. Prints one table: the last run in FILE before this one, and this
one, which is added to FILE. To compare two versions, run the same script with PYTHONPATH set to each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.csv
from binning import BLOCKS, compiled, data, streamed_with_numpy
from minmax import signed_parts, tables
from provenance import commit, processor
from skeleton import CASES, drawn
from sklearn.kernel_approximation import RBFSampler
from timing import cpu_time, interleaved_seconds, spread_of

import kernelspec as ks
from kernelspec.numerics.threads import processors
from kernelspec.tables.rows import Rows

Work = Mapping[str, Callable[[], object]]
Clock = Callable[[], float]

RESULTS = Path(__file__).parent / "results" / "engine.json"
_KEPT = 2
_FASTER = {
    "float64": {8: 15.0, 54: 10.0, 784: 3.5},
    "float32": {8: 3.0, 54: 3.0, 784: 1.5},
}
"""Times as fast as RBFSampler at 512 columns, by type and columns of the data."""


@dataclass(frozen=True)
class Figure:
    """A median with its quartiles, and the bound that it is to keep."""

    what: str
    unit: str
    bound: float
    is_least: bool
    median: float
    low: float
    high: float

    def shown(self) -> str:
        """Median [quartiles]."""
        return f"{self.median:.3g} [{self.low:.3g}, {self.high:.3g}]"

    def asked(self) -> str:
        """`at least 15 times`."""
        return f"at {'least' if self.is_least else 'most'} {self.bound:g} {self.unit}"

    @property
    def is_kept(self) -> bool:
        """Whether the median is within the bound."""
        return self.median >= self.bound if self.is_least else self.median <= self.bound


def main() -> None:
    """Print the table, a line as each figure is measured; exit with 1 if a figure is not kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=9)
    parser.add_argument("--json", type=Path, default=RESULTS, help="runs that are kept  [default: %(default)s]")
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cpu-time", action="store_true", help="seconds of all threads, on a machine with other work")
    options = parser.parse_args()
    clock = cpu_time if options.cpu_time else time.perf_counter
    warnings.filterwarnings("ignore")
    runs: list[dict[str, Any]] = json.loads(options.json.read_text())["runs"] if options.json.exists() else []
    before = {own["what"]: Figure(**own) for own in runs[-1]["figures"]} if runs else {}
    print(f"| work | asked | before ({runs[-1]['commit'] if runs else 'none'}) | after ({commit()}) | |")
    print("|---|---|---|---|---|")
    found = []
    for figure in figures(options.rounds, options.data_dir, clock):
        old = before[figure.what].shown() if figure.what in before else ""
        kept = "kept" if figure.is_kept else "missed"
        print(f"| {figure.what} | {figure.asked()} | {old} | {figure.shown()} | {kept} |", flush=True)
        found.append(figure)
    own = {
        "commit": commit(),
        "date": date.today().isoformat(),
        "command": f"python benchmarks/engine.py {options.rounds}{' --cpu-time' * options.cpu_time}",
        "processor": processor(),
        "processors": processors(),
        "load": round(os.getloadavg()[0], 1),
        "figures": [asdict(each) for each in found],
    }
    text = json.dumps({"runs": [*runs, own][-_KEPT:]}, indent=1, ensure_ascii=False)
    options.json.write_text(text + "\n", encoding="utf-8")
    sys.exit(0 if all(each.is_kept for each in found) else 1)


def figures(rounds: int, folder: Path, clock: Clock) -> Iterator[Figure]:
    """All of them."""
    yield from fourier(rounds, clock)
    yield one_row(rounds, clock)
    yield from binning(rounds, clock)
    yield from gcws(folder, rounds, clock)
    yield from skeletons(max(3, rounds // 2), clock)
    yield table_in_text(max(3, rounds // 2), clock)
    yield streamed_memory()


def times(what: str, base: np.ndarray, own: np.ndarray, least: float) -> Figure:
    """base / own, round by round."""
    spread = spread_of(base / own)
    return Figure(what, "times as fast", least, True, spread.median, spread.low, spread.high)


def fourier(rounds: int, clock: Clock) -> Iterator[Figure]:
    """Cosine and sine of 256 frequencies against RBFSampler's 512 cosines; `out=` is used again."""
    for name, bounds in _FASTER.items():
        for d, least in bounds.items():
            n = 10_000 if d == 784 else 40_000
            X = np.random.default_rng(0).standard_normal((n, d)).astype(name)
            sampler = RBFSampler(gamma=0.5 / d, n_components=512, random_state=0).fit(X)
            fmap = ks.compile(f"gaussian(scale={d**0.5})", d, 512, method="paired")
            out = np.zeros((n, 512), dtype=name)
            work: Work = {
                "sklearn": lambda s=sampler, X=X: s.transform(X),
                "ours": lambda m=fmap, X=X, o=out: m.transform(X, o),
            }
            seconds = interleaved_seconds(work, rounds, with_pages(out.nbytes), clock)
            yield times(f"{name}, d = {d}, 512 columns, RBFSampler", seconds["sklearn"], seconds["ours"], least)


def with_pages(n_bytes: int) -> Callable[[], None]:
    """What lets the next arrays, of so many bytes in all, have pages that this machine holds.

    A virtual machine returns free pages to its host, and getting them back may take ten times as long as the features:
    RBFSampler writes into new memory.
    """

    def touch() -> None:
        np.empty(n_bytes, dtype=np.uint8).fill(1)

    return touch


def one_row(rounds: int, clock: Clock) -> Figure:
    """One row of 54 numbers through transform, 512 columns, new memory."""
    X = np.random.default_rng(0).standard_normal((1, 54))
    fmap = ks.compile("gaussian()", 54, 512, method="paired")
    spread = spread_of(1e6 * interleaved_seconds({"ours": lambda: fmap.transform(X)}, 3 * rounds, clock=clock)["ours"])
    return Figure("one row, d = 54, 512 columns", "µs", 40, False, spread.median, spread.low, spread.high)


def binning(rounds: int, clock: Clock) -> Iterator[Figure]:
    """100,000 rows into 256 grids, block by block, against NumPy with as many threads and the best of its blocks."""
    threads = processors()
    for d in (8, 54):
        fmap, X = compiled(d), data(d)
        ours: Work = {"ours": lambda m=fmap, X=X: deque(m.blocks(X), maxlen=0)}
        numpy: Work = {str(b): lambda b=b, m=fmap, X=X: streamed_with_numpy(m, X, b, threads) for b in BLOCKS}
        seconds = interleaved_seconds({**ours, **numpy}, rounds, clock=clock)
        best = min(numpy, key=lambda block, seconds=seconds: float(np.median(seconds[block])))
        yield times(f"binning, d = {d}, 256 grids, NumPy in blocks", seconds[best], seconds["ours"], 5)


def gcws(folder: Path, rounds: int, clock: Clock) -> Iterator[Figure]:
    """256 keys of dense rows against datasketch's `minhash_many`, whose lower quartile counts, a row each."""
    from datasketch import WeightedMinHashGenerator
    from scipy.sparse import csr_matrix

    for name, X in tables(folder):
        parts = signed_parts(X[:400])
        many, generator = csr_matrix(parts), WeightedMinHashGenerator(parts.shape[1], 256, 1)
        fmap = ks.compile("minmax()", X.shape[1], 256, method="gcws")
        work: Work = {
            "theirs": lambda m=many, g=generator: g.minhash_many(m),
            "ours": lambda f=fmap, X=X: f.keys(X),
        }
        seconds = interleaved_seconds(work, rounds, clock=clock)
        quartile = np.full(rounds, np.quantile(seconds["theirs"], 0.25) / len(parts))
        yield times(f"gcws keys, {name}, datasketch, a row", quartile, seconds["ours"] / len(X), 100)


def skeletons(rounds: int, clock: Clock) -> Iterator[Figure]:
    """10,000 varying features of 1,728 columns against NumPy that adds their phases, a row each."""
    for text in CASES:
        features, gathered = drawn(ks.parse(CASES[text]), varying=True)
        for name in _FASTER:
            X = (np.random.default_rng(0).random((4000, 1728)) * np.pi).astype(name)
            out = np.zeros((len(X), features.n_columns("paired")), dtype=name)
            rows, kind, some = Rows(X), np.dtype(name), X[:200]
            work: Work = {
                "numpy": lambda g=gathered, X=some, o=out: g.add(X, o[: len(X)]),
                "ours": lambda f=features, r=rows, k=kind, o=out: f.evaluate(r, "left", "paired", k, o),
            }
            seconds = interleaved_seconds(work, rounds, clock=clock)
            yield times(
                f"skeleton: {text}, {name}, NumPy, a row", seconds["numpy"] / len(some), seconds["ours"] / len(X), 8
            )


def table_in_text(rounds: int, clock: Clock) -> Figure:
    """2,000,000 × 12 numbers in CSV to 64 float32 features in NPY, over reading it with PyArrow: whole processes."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "table.csv", Path(folder) / "features.npy"
        X = np.round(np.random.default_rng(0).standard_normal((2_000_000, 12)), 4)
        pyarrow.csv.write_csv(pyarrow.table({f"c{i}": column for i, column in enumerate(X.T)}), path)
        read = [sys.executable, "-c", f"import pyarrow.csv; pyarrow.csv.read_csv({str(path)!r})"]
        command = features_command("gaussian(scale=4)", path, out, 64)

        def features() -> None:
            out.unlink(missing_ok=True)  # a new file, as in a first run: to free an old one takes time, too
            subprocess.run(command, check=True, env=_with_bytecode())

        work: Work = {"reading": lambda: subprocess.run(read, check=True, env=_with_bytecode()), "features": features}
        seconds = interleaved_seconds(work, rounds, clock=clock)
    spread = spread_of(seconds["features"] / seconds["reading"])
    what = "CSV, 2,000,000 × 12 to 64 features, PyArrow's reading alone"
    return Figure(what, "times its time", 2.5, False, spread.median, spread.low, spread.high)


def streamed_memory() -> Figure:
    """Peak memory of a process that makes 512 float32 features of 2,000,000 × 54 float32 numbers: from NPY to NPY."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "table.npy", Path(folder) / "features.npy"
        generator = np.random.default_rng(0)
        with path.open("wb") as file:
            header = {"descr": "<f4", "fortran_order": False, "shape": (2_000_000, 54)}
            np.lib.format.write_array_header_1_0(file, header)
            for _ in range(20):
                generator.standard_normal((100_000, 54), dtype=np.float32).tofile(file)
        measured = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        measured += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        command = [sys.executable, "-c", measured, *features_command("gaussian(scale=7)", path, out, 512)]
        peak = float(subprocess.run(command, check=True, capture_output=True).stdout) * 1024 / 1e6
    return Figure("2,000,000 × 54 to 512 features, streamed", "MB at the peak", 300, False, peak, peak, peak)


def features_command(spec: str, table: Path, out: Path, n_features: int) -> list[str]:
    """Of features in single precision."""
    options = ["--n-features", str(n_features), "--dtype", "float32", "--quiet"]
    return [sys.executable, "-m", "kernelspec", "features", "-e", spec, str(table), "-o", str(out), *options]


def _with_bytecode() -> dict[str, str]:
    """The environment, with bytecode kept as Python does by default: else one side compiles its modules every time."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


if __name__ == "__main__":
    main()
