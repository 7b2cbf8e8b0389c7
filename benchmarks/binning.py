"""Random binning features against blocked NumPy: python benchmarks/binning.py [ROUNDS]

100,000 rows, 256 grids, 256 buckets a grid, float64. What is timed is the whole of transform, from the array to the CSR
matrix. The other side is the same algorithm in NumPy, the same matrix bit by bit, with blocks of rows of several sizes
and buffers that are reused; its best is taken, once in one thread, as NumPy runs, and once with a thread for every
processor. Peak memory is that of a process of its own, less what it had before and less the matrix.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from provenance import made_by
from scipy.sparse import csr_array
from timing import medians, shown

import kernelspec as ks
from kernelspec.maps.feature_map import FeatureMap
from kernelspec.random.streams import WEYL

ROWS, GRIDS, BUCKETS = 100_000, 256, 256
BLOCKS = (64, 128, 256, 512)
LEAST_RATIO, MOST_MEMORY = 10.0, 200.0


def main() -> None:
    """Print one line per case; exit with 1 if a ratio is below 10 or the memory above 200 MB."""
    if sys.argv[1:2] == ["--memory"]:
        print(extra_memory(int(sys.argv[2])))
        return
    print(made_by(), end="\n\n")
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    threads = len(os.sched_getaffinity(0))
    missed = False
    print(f"case    transform ms           NumPy ms (best block)           {threads} threads of NumPy        ratio")
    for d in (8, 54):
        feature_map, X = compiled(d), data(d)
        variants: dict[str, Callable[[], object]] = {"transform": lambda m=feature_map, X=X: m.transform(X)}
        for block in BLOCKS:
            variants[f"1 {block}"] = lambda b=block, m=feature_map, X=X: with_numpy(m, X, b, 1)
            variants[f"{threads} {block}"] = lambda b=block, m=feature_map, X=X: with_numpy(m, X, b, threads)
        check(feature_map, X[:3000])
        seconds = medians(variants, rounds)
        middle = {name: statistics.median(values) for name, values in seconds.items()}
        alone, together = (
            min((f"{n} {block}" for block in BLOCKS), key=middle.__getitem__) for n in dict.fromkeys((1, threads))
        )
        ratio = middle[alone] / middle["transform"]
        command = [sys.executable, __file__, "--memory", str(d)]
        memory = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        missed |= ratio < LEAST_RATIO or memory > MOST_MEMORY
        print(
            f"d={d:<4}  {shown(seconds['transform']):<22} {shown(seconds[alone])} ({alone.split()[1]})   "
            f"{shown(seconds[together])} ({together.split()[1]})   {ratio:.1f} "
            f"(threads {middle[together] / middle['transform']:.1f})   memory beyond the matrix {memory:.0f} MB"
        )
    sys.exit(1 if missed else 0)


def compiled(d: int) -> FeatureMap:
    """One of the Laplace kernel, whose pitches are gamma(2) [Rahimi and Recht 2007]."""
    return ks.compile(f"laplace(scale={d})", d, GRIDS, method="binning", buckets=BUCKETS)


def data(d: int) -> np.ndarray:
    """Standard normal rows."""
    return np.random.default_rng(0).standard_normal((ROWS, d))


def check(feature_map: FeatureMap, X: np.ndarray) -> None:
    """Both ways lead to the same matrix."""
    ours, other = feature_map.transform(X), with_numpy(feature_map, X, 256, 1)
    if not (np.array_equal(ours.indices, other.indices) and np.array_equal(ours.data, other.data)):
        raise SystemExit("the two matrices differ")


def with_numpy(feature_map: FeatureMap, X: np.ndarray, block: int, threads: int) -> csr_array:
    """The features by NumPy, column by column of the data on blocks of rows."""
    n = len(X)
    values, indices = np.empty((n, GRIDS)), np.empty((n, GRIDS), dtype=np.int32)
    write_blocks(feature_map, X, block, threads, lambda start, stop: (values[start:stop], indices[start:stop]))
    pointers = np.arange(n + 1, dtype=np.int32) * np.int32(GRIDS)
    return csr_array((values.ravel(), indices.ravel(), pointers), shape=(n, GRIDS * BUCKETS))


def streamed_with_numpy(feature_map: FeatureMap, X: np.ndarray, block: int, threads: int) -> None:
    """The same work, every block of a thread written over the one before, which is still in its cache."""
    own = threading.local()

    def memory(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        if not hasattr(own, "values"):
            own.values, own.indices = np.empty((block, GRIDS)), np.empty((block, GRIDS), dtype=np.int32)
        return own.values[: stop - start], own.indices[: stop - start]

    write_blocks(feature_map, X, block, threads, memory)


def write_blocks(
    feature_map: FeatureMap,
    X: np.ndarray,
    block: int,
    threads: int,
    memory: Callable[[int, int], tuple[np.ndarray, np.ndarray]],
) -> None:
    """Values and indices of every block of rows, written to `memory(start, stop)`."""
    (part,) = feature_map.keyed
    (key,) = part.factors
    inverse, offsets = np.ascontiguousarray(1 / key.pitches.T), np.ascontiguousarray(key.offsets.T)
    root, starts = np.sqrt(part.weight), np.arange(GRIDS, dtype=np.int32) * np.int32(BUCKETS)
    samples = part.identity + np.uint64(WEYL)  # hashing.mix of the identity and the key of the only factor
    scramble(samples, np.empty_like(samples))

    def work(first: int, last: int) -> None:
        index, spare = np.empty((block, GRIDS)), np.empty((block, GRIDS), dtype=np.uint64)
        state = np.empty((block, GRIDS), dtype=np.uint64)
        for start in range(first, last, block):
            stop = min(start + block, last)
            values, indices = memory(start, stop)
            t, h, s = (buffer[: stop - start] for buffer in (index, state, spare))
            h[:] = WEYL
            for i in range(X.shape[1]):
                np.multiply(X[start:stop, i, None], inverse[i], out=t)
                np.add(t, offsets[i], out=t)
                np.floor(t, out=t)
                np.bitwise_xor(h, t.view(np.uint64), out=h)
                np.multiply(h, np.uint64(WEYL), out=h)
                np.right_shift(h, np.uint64(32), out=s)
                np.bitwise_xor(h, s, out=h)
            scramble(h, s)
            np.add(h, samples, out=h)
            scramble(h, s)
            np.bitwise_and(h, np.uint64(1), out=s)
            np.multiply(s, -2.0, out=t)
            np.add(t, 1.0, out=t)
            np.multiply(t, root, out=values)
            np.right_shift(h, np.uint64(32), out=h)
            np.multiply(h, np.uint64(BUCKETS), out=h)
            np.right_shift(h, np.uint64(32), out=h)
            np.add(h, starts, out=indices, casting="unsafe", dtype=np.uint64)

    if threads == 1:
        work(0, len(X))
    else:
        edges = np.linspace(0, len(X), threads + 1).astype(int).tolist()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, edges[:-1], edges[1:]))


def scramble(h: np.ndarray, s: np.ndarray) -> None:
    """`hashing.scramble` in place."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        np.right_shift(h, np.uint64(shift), out=s)
        np.bitwise_xor(h, s, out=h)
        np.multiply(h, np.uint64(factor), out=h)
    np.right_shift(h, np.uint64(31), out=s)
    np.bitwise_xor(h, s, out=h)


def memory(which: str) -> int:
    """Memory of this process now (VmRSS) or at most (VmHWM), in bytes; getrusage may count that of its parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.split(f"{which}:")[1].split()[0])


def extra_memory(d: int) -> float:
    """Peak memory of transform in this process beyond what there was and the matrix itself, in MB."""
    feature_map, X = compiled(d), data(d)
    feature_map.transform(X[:500])  # compiled
    before = memory("VmRSS")
    features = feature_map.transform(X)
    peak = memory("VmHWM")
    own = features.data.nbytes + features.indices.nbytes + features.indptr.nbytes
    return (peak - before - own) / 1e6


if __name__ == "__main__":
    main()
