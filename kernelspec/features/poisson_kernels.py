"""Compiled: samples of rows from one Poisson process for many samples at once. A module of compiled functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.compiling import compiled
from kernelspec.features.key_kernels import scramble
from kernelspec.features.logarithm import logarithm
from kernelspec.hashing import WEYL, Hashes

__all__ = ["NO_SAMPLE", "least_points"]

NO_SAMPLE = np.uint64(2**64 - 1)
"""Stands for the sample of a row of zeros."""

_ODD, _COORDINATE = np.uint64(WEYL), np.uint64(0xD1342543DE82EF95)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_1, _12, _24 = np.uint64(1), np.uint64(12), np.uint64(24)
_FINE, _WEIGHT = 2.0**-52, 2.0**-40
_DEPTH = 32
_SURE = 1 - 2.0**-53
_EXTRA = 3.0
_FURTHER = 4.0


@compiled
def least_points(
    pointers: NDArray[np.int64],
    coordinates: NDArray[np.int64],
    fractions: NDArray[np.float64],
    exponents: NDArray[Any],
    word: Any,
    needed: NDArray[np.bool_],
    of_coordinate: Any,
    keys: Hashes,
) -> None:
    """The point of least rank below the weights of a row, for each of `needed` (k,) samples, into `keys` (n, k).

    k is a power of two, at most 2²⁴. The weights are fractions·2^exponents with ½ ≤ fraction < 1. On every coordinate
    and for every octave of weights [2^a, 2^{a+1}) points arrive by rank, at rate k·2^a; each has a weight uniform in
    the octave and a sample uniform among k, all functions of `word`, the coordinate, the octave and the number of the
    arrival. Ranks are explored up to R = c/Σũ, where a sample is missing with probability e^{−c}; if one is, further.
    """
    k = needed.shape[0]
    wanted = 0
    for j in range(k):
        wanted += needed[j]
    best = np.empty(k, dtype=np.float64)
    words, limits = np.empty(128, dtype=np.uint64), np.empty(128, dtype=np.uint64)
    to_sample = np.uint64(k - 1)
    for row in range(pointers.shape[0] - 1):
        into, start, stop = keys[row], pointers[row], pointers[row + 1]
        if start == stop:
            for j in range(k):
                into[j] = NO_SAMPLE
            continue
        top = np.int64(exponents[start])
        for p in range(start, stop):
            top = max(top, np.int64(exponents[p]))
        total = 0.0  # Σũ/2^top
        for p in range(start, stop):
            total += math.ldexp(fractions[p], np.int64(exponents[p]) - top)
        # octaves that hold a sample with a probability below 2⁻³²c together are left out
        depth = _DEPTH + 1
        while 2 ** (depth - _DEPTH) < stop - start:
            depth += 1
        c = math.log(wanted) + _EXTRA
        missing = wanted
        while missing > 0:
            reach = c / total
            for octave in range(depth):  # weights of 2^{top − 1 − octave} to twice that
                chance = -math.expm1(-k * reach * 2.0 ** (-1 - octave))
                limits[octave] = np.uint64(min(chance * (1 + 1e-9), _SURE) * 2.0**64)
            for j in range(k):
                best[j] = np.inf
            missing = wanted
            for p in range(start, stop):
                first = top - np.int64(exponents[p])
                if first >= depth:
                    continue
                mantissa = 2 * fractions[p]
                state = scramble(word + (np.uint64(coordinates[p]) + _1) * _COORDINATE)
                state += np.uint64(np.int64(exponents[p]) + 4096) * _ODD
                limit, hits = limits[first:depth], 0
                for octave in range(limit.shape[0]):
                    z = state - np.uint64(octave) * _ODD
                    z = (z ^ (z >> _30)) * _FIRST
                    z = (z ^ (z >> _27)) * _SECOND
                    z = z ^ (z >> _31)
                    words[octave] = z
                    hits += z < limit[octave]
                octave = -1
                while hits > 0:
                    octave += 1
                    if words[octave] >= limit[octave]:
                        continue
                    hits -= 1
                    cell = words[octave]
                    arrival, rank = cell, 0.0
                    unit = 2.0 ** (1 + first + octave) / k
                    while True:
                        rank -= logarithm(1 - (np.float64(arrival >> _12) + 0.5) * _FINE)
                        if rank * unit > reach:
                            break
                        point = scramble(arrival + _COORDINATE)
                        weight = 1 + (np.float64(point >> _24) + 0.5) * _WEIGHT
                        if octave > 0 or weight <= mantissa:
                            j = np.int64(point & to_sample)
                            if rank * unit < best[j]:
                                missing -= needed[j] and best[j] == np.inf
                                best[j] = rank * unit
                                into[j] = scramble(np.uint64(coordinates[p]) + _ODD) if of_coordinate else point
                        cell += _ODD
                        arrival = scramble(cell)
                        if arrival >= limit[octave]:  # the gap alone is too long
                            break
            c += _FURTHER
