"""Which products of two catalogue kernels have their spectral density in closed form: a table for d = 1, 2 and 3.

Run with `python -m benchmarks.closed_products`.
"""

from __future__ import annotations

import sys
from itertools import combinations_with_replacement
from time import perf_counter

import sympy

import kernelspec as ks
from benchmarks.provenance import made_by
from kernelspec.analysis.closed_products import EXAMPLES
from kernelspec.errors import KernelspecError
from kernelspec.measures.derivation import is_open

__all__ = ["closed", "table"]

WITHOUT_DENSITY = {("cosine", "cosine"), ("cosine", "periodic"), ("periodic", "periodic")}


def closed(first: str, second: str, dim: int) -> tuple[bool, bool, int, float]:
    """(closed, a Sum, operations, seconds) for the product of two kernels."""
    start = perf_counter()
    try:
        density = ks.analyze(f"{first} * {second}", dim=dim).spectral_density
    except KernelspecError:
        return False, False, 0, perf_counter() - start
    seconds = perf_counter() - start
    return not is_open(density), density.has(sympy.Sum), int(density.count_ops()), seconds


def table(dim: int) -> int:
    """Print the table for one dimension: y closed, s closed with a Sum, · open; returns how many are closed."""
    total, largest, slowest = 0, (0, ""), (0.0, "")
    print(f"d = {dim}")
    for pair in combinations_with_replacement(EXAMPLES, 2):
        if pair in WITHOUT_DENSITY:
            continue
        found, is_sum, operations, seconds = closed(EXAMPLES[pair[0]], EXAMPLES[pair[1]], dim)
        total += found
        if found:
            largest, slowest = max(largest, (operations, " * ".join(pair))), max(slowest, (seconds, " * ".join(pair)))
        mark = "s" if found and is_sum else "y" if found else "·"
        print(f"  {mark} {operations:5d} {seconds:6.2f}s {' * '.join(pair)}")
    print(f"d = {dim}: {total} of 117 closed; most operations {largest}, slowest {slowest}")
    return total


if __name__ == "__main__":
    print(made_by(" ".join(["python -m benchmarks.closed_products", *sys.argv[1:]])), end="\n\n")
    for d in map(int, sys.argv[1:] or ["1", "2", "3"]):
        table(d)
