"""The engine against what else computes the same features: python benchmarks/engine.py [ROUNDS] [--json FILE]

Everything that is compared runs in one process, in random order within every round; what is printed are medians of the
ratios within a round, with their quartiles, so that others on the machine slow both sides. A figure counts as met where
its median is. `pairs` is cosine and sine of half as many frequencies as scikit-learn draws, at equal columns; `like for
like` is scikit-learn's own estimator, a cosine with an offset for every column. Where new memory of Fourier features,
binning and landmarks is timed, it consists of pages that the machine has: as many bytes are written to and freed before
each timing of either side. Runs are kept in results/engine.json, the last three.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv
from binning import BLOCKS, GRIDS, ROWS, compiled, data, memory, streamed_with_numpy, with_numpy
from kept_runs import RESULTS, Figure, store
from minmax import signed_parts, tables
from skeleton import CASES, drawn
from sklearn.kernel_approximation import Nystroem, RBFSampler
from threadpoolctl import threadpool_limits
from timing import interleaved_seconds, spread_of

import kernelspec as ks
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.numerics.threads import in_this_thread, processors
from kernelspec.tables.rows import Rows

Work = Mapping[str, Callable[[], object]]

_MANY = 9
"""Rounds at least for what takes 10 to 30 ms: of fewer, some are disturbed too often."""

_FLOATS = {"float32": np.float32, "float64": np.float64}
_ASKED = {
    ("pairs", "float64", 512): (26, 16, 3.8), ("pairs", "float64", 4096): (26, 16, 3.8),
    ("pairs", "float32", 512): (3.8, 3.3, 2.1), ("pairs", "float32", 4096): (8.5, 3.7, 2.1),
    ("fresh", "float32", 512): (2.3, 2.8, 1.5), ("fresh", "float32", 4096): (2.3, 2.8, 1.5),
    ("like for like", "float32", 512): (3, 2.1, 1.1), ("like for like", "float32", 4096): (3, 2.1, 1.1),
}  # fmt: skip


def main() -> None:
    """Print one line a figure, as each is measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=9)
    parser.add_argument("--json", type=Path, default=RESULTS, help="runs that are kept  [default: %(default)s]")
    parser.add_argument("--data-dir", type=Path, default=Path("../shared/data"))
    parser.add_argument("--memory", action="store_true", help="only the memory added, in this process")
    options = parser.parse_args()
    if options.memory:
        print(added_memory())
        return
    warnings.filterwarnings("ignore")
    print("| work | times as fast, median [quartiles] | asked | |\n|---|---|---|---|")
    found = []
    for figures in (
        fourier,
        structured,
        one_row,
        binning,
        partial(gcws, options.data_dir),
        skeletons,
        correction,
        table_in_text,
        stream,
        stream_to_file,
    ):
        for figure in figures(options.rounds):
            print(figure.line(), flush=True)
            found.append(figure)
    store(found, options.rounds, options.json)


def with_pages(n_bytes: int) -> Callable[[], None]:
    """What lets the next arrays, of so many bytes in all, have pages that this machine holds.

    A virtual machine returns free pages to its host after two seconds. To get them back takes up to ten times as long
    as to compute the features that are written there, and says nothing of either side.
    """

    def touch() -> None:
        np.empty(n_bytes, dtype=np.uint8).fill(1)

    return touch


def figure(what: str, base: np.ndarray, own: np.ndarray, asked: float | None = None) -> Figure:
    """base/own, round by round."""
    spread = spread_of(base / own)
    return Figure(what, spread.median, spread.low, spread.high, asked)


def fourier(rounds: int) -> Iterator[Figure]:
    """Fourier features against RBFSampler, and against the two limits: half the product, and writing the output."""
    for name, dtype in _FLOATS.items():
        for place, d in enumerate((8, 54, 784)):
            for n_features, n in ((512, 40_000), (4096, 8_000)):
                n_rows = n // 4 if d == 784 else n
                X = np.random.default_rng(0).standard_normal((n_rows, d)).astype(dtype)
                sampler = RBFSampler(gamma=0.5 / d, n_components=n_features, random_state=0).fit(X)
                pairs, offsets = (
                    ks.compile(f"gaussian(scale={d**0.5})", d, n_features, method=method)
                    for method in ("paired", "phase")
                )
                out, half = (
                    np.zeros((n_rows, n_features), dtype=dtype),
                    np.zeros((n_rows, n_features // 2), dtype=dtype),
                )
                weights = np.random.default_rng(1).standard_normal((d, n_features // 2)).astype(dtype)
                times = interleaved_seconds(
                    {
                        "sklearn": lambda s=sampler, X=X: s.transform(X),
                        "pairs": lambda m=pairs, X=X, o=out: m.transform(X, o),
                        "fresh": lambda m=pairs, X=X: m.transform(X),
                        "like for like": lambda m=offsets, X=X, o=out: m.transform(X, o),
                        "product": lambda X=X, w=weights, h=half: np.matmul(X, w, out=h),
                        "writing": lambda o=out: o.fill(0.5),
                    },
                    rounds,
                    with_pages(out.nbytes),
                )
                case = f"{name}, d = {d}, D = {n_features}"
                for kind in ("pairs", "fresh", "like for like"):
                    asked = _ASKED.get((kind, name, n_features), (None,) * 3)[place]
                    yield figure(f"{kind}, {case}", times["sklearn"], times[kind], asked)
                least = 0.75 if d <= 54 and n_features == 512 else 0.92
                limit = times["product"] + times["writing"]
                yield figure(
                    f"limit (half the product and writing, all threads) / pairs, {case}", limit, times["pairs"], least
                )


def structured(rounds: int) -> Iterator[Figure]:
    """Structured frequencies against RBFSampler, d = 784, D = 4,096, reused output: on the wall, and on one."""
    d, n_features, n_rows = 784, 4096, 4000
    fmap = ks.compile(f"gaussian(scale={d**0.5})", d, n_features, draws="hadamard")
    for (name, dtype), asked in zip(_FLOATS.items(), (15.0, 28.0), strict=True):
        X = np.random.default_rng(0).standard_normal((n_rows, d)).astype(dtype)
        sampler = RBFSampler(gamma=0.5 / d, n_components=n_features, random_state=0).fit(X)
        out = np.zeros((n_rows, n_features), dtype=dtype)
        work: Work = {"sklearn": lambda s=sampler, X=X: s.transform(X), "ours": lambda X=X, o=out: fmap.transform(X, o)}
        times = interleaved_seconds(work, max(_MANY, rounds), with_pages(out.nbytes))
        yield figure(f"structured, d = {d}, D = {n_features:,}, {name}", times["sklearn"], times["ours"], asked)
        with threadpool_limits(1), in_this_thread():
            alone = {what: np.array([processor_time(run) for _ in range(rounds)]) for what, run in work.items()}
        yield figure("the same, processor time of one thread", alone["sklearn"], alone["ours"])


def processor_time(run: Callable[[], object]) -> float:
    """Seconds of this process."""
    start = time.process_time()
    run()
    return time.process_time() - start


def one_row(rounds: int) -> Iterator[Figure]:
    """One row through transform; the second figure is 25 µs over the time it took."""
    X = np.random.default_rng(0).standard_normal((1, 54))
    sampler = RBFSampler(n_components=512, random_state=0).fit(X)
    fmap = ks.compile("gaussian()", 54, 512, method="paired")
    work: Work = {"sklearn": lambda: sampler.transform(X), "ours": lambda: fmap.transform(X)}
    times = interleaved_seconds(work, 3 * rounds)
    yield figure("one row, d = 54, D = 512", times["sklearn"], times["ours"])
    yield figure("the same: 25 µs / its time", np.full(3 * rounds, 25e-6), times["ours"], 1)


def binning(rounds: int) -> Iterator[Figure]:
    """Random binning of 100,000 rows into 256 grids against NumPy with as many threads and the best of its blocks.

    Into new memory, and block by block into memory that is used again, which both sides do then.
    """
    threads = processors()
    for d, asked in ((8, 8.0), (54, 12.0)):
        fmap, X = compiled(d), data(d)
        new: Work = {"ours": lambda m=fmap, X=X: m.transform(X)}
        again: Work = {"ours": lambda m=fmap, X=X: deque(m.blocks(X), maxlen=0)}
        for way, ours, theirs in (("new memory", new, with_numpy), ("memory used again", again, streamed_with_numpy)):
            numpy: Work = {str(b): lambda b=b, f=theirs, m=fmap, X=X: f(m, X, b, threads) for b in BLOCKS}
            entry = np.dtype(np.float64).itemsize + np.dtype(np.int32).itemsize
            times = interleaved_seconds({**ours, **numpy}, max(_MANY, rounds), with_pages(ROWS * GRIDS * entry))
            best = min(numpy, key=lambda block, times=times: float(np.median(times[block])))
            yield figure(f"binning, d = {d}, {way}, against NumPy", times[best], times["ours"], asked)


def gcws(folder: Path, rounds: int) -> Iterator[Figure]:
    """64-bit keys of dense rows against datasketch's `minhash_many`, whose lower quartile counts, a row each."""
    from datasketch import WeightedMinHashGenerator
    from scipy.sparse import csr_matrix

    for (name, X), asked in zip(tables(folder), (120, 150), strict=False):
        parts = signed_parts(X[:400])
        many, generator = csr_matrix(parts), WeightedMinHashGenerator(parts.shape[1], 256, 1)
        fmap = ks.compile("minmax()", X.shape[1], 256, method="gcws")
        work: Work = {
            "theirs": lambda m=many, g=generator: g.minhash_many(m),
            "ours": lambda f=fmap, X=X: f.keys(X),
        }
        times = interleaved_seconds(work, rounds)
        quartile = np.full(rounds, np.quantile(times["theirs"], 0.25) / len(parts))
        yield figure(f"gcws keys, {name}, k = 256, a row", quartile, times["ours"] / len(X), asked)


def skeletons(rounds: int) -> Iterator[Figure]:
    """10,000 varying features of 1,728 columns against NumPy that adds their phases, a row each; reused memory."""
    for text in CASES:
        features, gathered = drawn(ks.parse(CASES[text]), varying=True)
        for (name, dtype), asked in zip(_FLOATS.items(), (15.0, 25.0), strict=True):
            X = (np.random.default_rng(0).random((4000, 1728)) * np.pi).astype(dtype)
            out = np.zeros((len(X), features.n_columns("paired")), dtype=dtype)
            rows, kind, some = Rows(X), np.dtype(dtype), X[:200]
            work: Work = {
                "numpy": lambda g=gathered, X=some, o=out: g.add(X, o[: len(X)]),
                "ours": lambda f=features, r=rows, k=kind, o=out: f.evaluate(r, "left", "paired", k, o),
            }
            times = interleaved_seconds(work, max(3, rounds // 2))
            yield figure(f"skeleton: {text}, {name}", times["numpy"] / len(some), times["ours"] / len(X), asked)


def correction(rounds: int) -> Iterator[Figure]:
    """256 columns of a map with landmarks for 20,000 × 54 rows, float64, against `Nystroem` of as many; new memory."""
    X = np.random.default_rng(0).standard_normal((20_000, 54))
    fmap = ks.compile("gaussian(scale=10)", data=X[:4000], n_features=256, method="landmarks")
    sampler = Nystroem(gamma=0.005, n_components=256, random_state=0).fit(X[:4000])
    work: Work = {"sklearn": lambda: sampler.transform(X), "ours": lambda: fmap.transform(X)}
    times = interleaved_seconds(work, rounds, with_pages(2 * len(X) * 256 * X.itemsize))
    yield figure("landmarks, d = 54, 256 columns, against Nystroem", times["sklearn"], times["ours"], 1.5)


def table_in_text(rounds: int) -> Iterator[Figure]:
    """2,000,000 × 12 numbers in CSV to 64 float32 features in NPY, against reading it with PyArrow; processes.

    With bytecode that is kept, as Python does unless it is told otherwise: else one of the sides compiles its modules
    in every run.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "table.csv", Path(folder) / "features.npy"
        X = np.round(np.random.default_rng(0).standard_normal((2_000_000, 12)), 4)
        pyarrow.csv.write_csv(pyarrow.table({f"c{i}": column for i, column in enumerate(X.T)}), path)
        read = f"import pyarrow.csv; pyarrow.csv.read_csv({str(path)!r})"
        options = ["--n-features", "64", "--dtype", "float32", "--quiet"]
        command = ["-m", "kernelspec.cli", "features", "-e", "gaussian(scale=4)", str(path), "-o", str(out), *options]

        def features() -> None:
            out.unlink(missing_ok=True)  # a new file, as in a first run: to free an old one takes time, too
            subprocess.run([sys.executable, *command], check=True, env=kept)

        def reading() -> None:
            subprocess.run([sys.executable, "-c", read], check=True, env=kept)

        work: Work = {"reading": reading, "features": features}
        times = interleaved_seconds(work, max(3, rounds // 2))
    yield figure(
        "CSV, 2,000,000 × 12 to 64 features: reading alone / its time", times["reading"], times["features"], 0.5
    )


def stream(rounds: int) -> Iterator[Figure]:
    """1,000,000 × 54 rows in single precision to 512 features through `blocks`, beside writing as many numbers.

    To memory, and into the buffer that `blocks` uses again, which stays in the cache.
    """
    X, fmap = streamed(1_000_000)
    buffer, memory = (np.zeros((rows, 512), dtype=np.float32) for rows in (block_height(X, fmap), len(X) // 8))

    def writes(target: np.ndarray) -> None:
        for _ in range(0, len(X), len(target)):
            target.fill(0.5)

    work: Work = {
        "blocks": lambda: deque(fmap.blocks(X), 0),
        "buffer": lambda: writes(buffer),
        "memory": lambda: writes(memory),
    }
    times, what = interleaved_seconds(work, rounds), "1,000,000 × 54 to 512 through blocks, which nobody keeps:"
    yield figure(f"{what} writing to memory alone / its time", times["memory"], times["blocks"], 0.4)
    yield figure(f"{what} filling its buffer, in the cache / its time", times["buffer"], times["blocks"])
    grown = float(subprocess.run([sys.executable, __file__, "--memory"], capture_output=True, check=True).stdout)
    yield Figure("10,000,000 rows so: 64 MB / the memory added", *[64 / grown] * 3, 1)


def stream_to_file(rounds: int) -> Iterator[Figure]:
    """10,000,000 × 54 rows in single precision to 512 features through `blocks` into a file of 20 GB, beside writing
    such a file: half a minute each, and so in one round where other figures have three.
    """
    X, fmap = streamed(10_000_000)
    buffer = np.zeros((block_height(X, fmap), 512), dtype=np.float32)

    def seconds(parts: Iterable[np.ndarray]) -> float:
        began = time.perf_counter()
        with tempfile.TemporaryFile() as file:
            for part in parts:
                file.write(part.data)
            return time.perf_counter() - began

    times = np.array(
        [
            [seconds(buffer for _ in range(0, len(X), len(buffer))), seconds(fmap.blocks(X))]
            for _ in range(max(1, rounds // 3))
        ]
    )
    what = "10,000,000 × 54 to 512 through blocks into a file: writing it alone / its time"
    yield figure(what, times[:, 0], times[:, 1], 0.4)


def block_height(X: np.ndarray, fmap: FeatureMap) -> int:
    """Rows of a block."""
    return len(next(iter(fmap.blocks(X))))


def streamed(n_rows: int) -> tuple[np.ndarray, FeatureMap]:
    """The rows and the map."""
    X = np.random.default_rng(0).standard_normal((n_rows, 54), dtype=np.float32)
    return X, ks.compile("gaussian(scale=7)", 54, 512, method="paired")


def added_memory() -> float:
    """MB at the peak of ten million rows through a map, beyond those before; compiled code is loaded by then."""
    X, fmap = streamed(10_000_000)
    fmap.transform(X[:10])
    before = memory("VmRSS")
    deque(fmap.blocks(X), 0)
    return (memory("VmHWM") - before) / 1e6


if __name__ == "__main__":
    main()
