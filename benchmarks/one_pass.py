"""Regression on more rows than memory holds: python benchmarks/one_pass.py [ROWS] [--folder FOLDER] [--markdown FILE]

ROWS × 12 standard normal columns and a target lie in Parquet files, single precision. Measured, one after the other, on
the same files:

- `kernelspec fit --stream`, 512 landmarks of a Gaussian kernel, as a process of its own: seconds, peak memory;
- the same on the first tenth and hundredth of the files, for the slope in rows;
- scikit-learn's `RBFSampler` with as many columns and `SGDRegressor.partial_fit`, on the same blocks;
- on the first tenth, beside its `fit`: what no program can do without (reading a block, its features, and one `dsyrk`
  of them, block by block), two workers of Dask, and `fit` on one processor.

Errors are those on a further file. 10⁸ rows take 5.3 GB of disk, which are given back, and about an hour.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from provenance import made_by

import kernelspec as ks

__all__ = ["main"]

COLUMNS, FEATURES, NOISE = 12, 512, 0.5
SPEC = "gaussian(scale=4)"
PER_FILE, BLOCK = 1_000_000, 65_536
MOST_TIMES, MOST_MEGABYTES, WORKERS = 1.3, 500, 2


def main() -> None:
    """Print a table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int, nargs="?", default=100_000_000)
    parser.add_argument("--folder", type=Path, help="where the files are written  [default: the temporary folder]")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        table = "\n".join(_lines(Path(folder), options.rows))
    if options.markdown is not None:
        options.markdown.write_text(table + "\n", encoding="utf-8")


def _lines(folder: Path, n_rows: int) -> Iterator[str]:
    """The table, line by line, each printed as it is known."""
    files = [written(folder / f"part-{i:03}.parquet", i) for i in range(max(1, n_rows // PER_FILE))]
    held_out = next(blocks([written(folder / "held-out.parquet", 1_000_000)], 500_000))
    model, sizes = folder / "model.npz", sorted({max(1, len(files) // 100), max(1, len(files) // 10), len(files)})

    def shown(what: str, rows: int, seconds: float, rest: str) -> str:
        line = f"| {what} | {rows:,} | {seconds:,.1f} | {1e6 * seconds / rows:.2f} | {rest} |"
        print(line, flush=True)
        return line

    def said(line: str) -> str:
        print(line, flush=True)
        return line

    yield said(f"# One pass over more rows than memory holds\n\n{made_by()}\n")
    yield said("| | rows | s | µs a row | |\n|---|---|---|---|---|")
    times: dict[int, float] = {}
    for size in sizes:
        rows, (seconds, peak) = size * PER_FILE, fitted(files[:size], model)
        times[rows] = seconds
        error = root_mean_square(ks.load_model(model).predict(named(held_out[0])) - held_out[1])
        yield shown("`fit --stream`", rows, seconds, f"{peak:.0f} MB, held-out error {error:.4f}")
        if size != max(1, len(files) // 10):
            continue
        reading, features, products = parts_of(files[:size], model)
        yield shown("reading", rows, reading, "once; the fit reads twice")
        yield shown("features", rows, features, "")
        yield shown("`dsyrk`", rows, products, "")
        whole = seconds / (features + products)
        yield shown("features and `dsyrk`", rows, features + products, f"fit: {whole:.2f} times, {MOST_TIMES} asked")
        spread, _ = fitted(files[:size], model, "--engine", "dask")
        yield shown(f"`fit --engine dask`, {WORKERS} workers", rows, spread, f"{seconds / spread:.2f} times as fast")
        alone, _ = fitted(files[:size], model, alone=True)
        yield shown("`fit --stream`, one processor", rows, alone, f"workers: {alone / spread:.2f} times as fast")
    seconds, error = rival(files, held_out)
    yield shown("`RBFSampler` and `SGDRegressor`", rows, seconds, f"held-out error {error:.4f}")
    if len(times) > 1:
        (less, more), (first, last) = list(times)[-2:], list(times.values())[-2:]
        yield said(f"\nSlope in rows {math.log(last / first) / math.log(more / less):.2f}.")


def written(path: Path, seed: int) -> str:
    """A file of rows and targets: a smooth function of all columns and noise."""
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((PER_FILE, COLUMNS), dtype=np.float32)
    y = np.sin(X[:, 0] * X[:, 1]) + np.cos(X[:, 2:6].sum(axis=1)) + 0.3 * X[:, 6:].sum(axis=1)
    y += np.float32(NOISE) * generator.standard_normal(PER_FILE, dtype=np.float32)
    pq.write_table(pa.table(named(X) | {"y": y}), path, compression="none", use_dictionary=False)
    return str(path)


def named(X: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """The columns of the rows, by the names that the files give them."""
    return {f"x{j}": X[:, j] for j in range(COLUMNS)}


def blocks(files: Sequence[str], size: int = BLOCK) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Rows and targets of the files."""
    for file in files:
        for batch in pq.ParquetFile(file).iter_batches(size):
            columns = [np.asarray(column) for column in batch.columns]
            yield np.column_stack(columns[:-1]), columns[-1]


def fitted(files: Sequence[str], model: Path, *options: str, alone: bool = False) -> tuple[float, float]:
    """Seconds, and megabytes, of `kernelspec fit` on the files; `alone` on one processor."""
    command = [sys.executable, "-m", "kernelspec", "fit", "-e", SPEC, *files, "--target", "y", "-o", str(model), "-q"]
    command += ["--n-features", str(FEATURES), *(options or ["--stream"])]
    command = [*(["taskset", "-c", str(min(os.sched_getaffinity(0)))] if alone else []), *command]
    began, peak = perf_counter(), 0.0
    with subprocess.Popen(command) as process:
        while process.poll() is None:  # `ru_maxrss` of a child counts what its parent had when it was made
            with suppress(OSError, IndexError):
                status = Path(f"/proc/{process.pid}/status").read_text()
                peak = max(peak, float(status.split("VmHWM:")[1].split()[0]) / 1024)
            sleep(0.1)
    seconds = perf_counter() - began
    if process.returncode:
        raise SystemExit(f"kernelspec fit ended with status {process.returncode}")
    return seconds, peak


def parts_of(files: Sequence[str], model: Path) -> tuple[float, float, float]:
    """Seconds of reading all blocks once, of their features, and of the products of these."""
    from scipy.linalg.blas import dsyrk

    fmap = ks.load_model(model).fmap_
    total = np.zeros((fmap.n_columns, fmap.n_columns), order="F")
    out = np.empty((BLOCK, fmap.n_columns))
    seconds, began = np.zeros(3), perf_counter()
    for X, _ in blocks(files):
        read = perf_counter()
        Z = fmap.transform(X.astype(np.float64), out=out[: len(X)])
        made = perf_counter()
        total = dsyrk(1.0, Z.T, 1.0, total, overwrite_c=1)
        seconds += np.array([read - began, made - read, perf_counter() - made])
        began = perf_counter()
    return float(seconds[0]), float(seconds[1]), float(seconds[2])


def rival(files: Sequence[str], held_out: tuple[NDArray[np.float32], NDArray[np.float32]]) -> tuple[float, float]:
    """Seconds of scikit-learn's features and stochastic gradients, and their error."""
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import SGDRegressor

    sampler = RBFSampler(gamma=1 / 32, n_components=FEATURES, random_state=0)
    learner, began = SGDRegressor(random_state=0), perf_counter()
    for X, y in blocks(files):
        if not hasattr(sampler, "random_weights_"):
            sampler.fit(X)
        learner.partial_fit(sampler.transform(X), y)
    seconds = perf_counter() - began
    X, y = held_out
    found = [learner.predict(sampler.transform(X[i : i + BLOCK])) for i in range(0, len(X), BLOCK)]
    return seconds, root_mean_square(np.concatenate(found) - y)


def root_mean_square(errors: NDArray[np.floating]) -> float:
    """√ of the mean square."""
    return float(np.sqrt(np.mean(np.square(errors, dtype=np.float64))))


if __name__ == "__main__":
    main()
