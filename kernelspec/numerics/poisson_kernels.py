"""Compiled: samples of rows from one Poisson process for many samples at once. A module of compiled functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled, logarithm
from kernelspec.numerics.key_kernels import scramble
from kernelspec.random.streams import WEYL, Hashes

__all__ = ["NO_SAMPLE", "least_points"]

NO_SAMPLE = np.uint64(2**64 - 1)
"""Stands for the sample of a row of zeros."""

_ODD, _COORDINATE = np.uint64(WEYL), np.uint64(0xD1342543DE82EF95)
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
    Octaves that hold a sample with a probability below 2⁻³²c together are left out.
    """
    k, wanted = needed.shape[0], 0
    for j in range(k):
        wanted += needed[j]
    best = np.empty(k, dtype=np.float64)
    words, limits = np.empty(128, dtype=np.uint64), np.empty(128, dtype=np.uint64)
    units = np.empty(words.shape[0], dtype=np.float64)
    for octave in range(words.shape[0]):
        units[octave] = 2.0**octave
    for row in range(pointers.shape[0] - 1):
        into, start, stop = keys[row], pointers[row], pointers[row + 1]
        if start == stop:
            into.fill(NO_SAMPLE)
            continue
        top, total = _size(fractions[start:stop], exponents[start:stop], units)
        depth = _DEPTH + 1 + np.int64(math.ceil(math.log2(stop - start)))
        c, missing = math.log(wanted) + _EXTRA, wanted
        while missing > 0:
            reach = c / total
            _set_limits(limits[:depth], k * reach)
            best.fill(np.inf)
            missing = wanted
            for p in range(start, stop):
                first = top - np.int64(exponents[p])
                if first < depth:
                    identity = scramble(word + (np.uint64(coordinates[p]) + _1) * _COORDINATE)
                    limit, octave = limits[first:depth], -1
                    hits = _arrivals(identity + np.uint64(np.int64(exponents[p]) + 4096) * _ODD, limit, words)
                    while hits > 0:
                        octave += 1
                        if words[octave] < limit[octave]:
                            hits -= 1
                            below = 2.0 if octave > 0 else 2 * fractions[p]
                            unit = 2 * units[first + octave] / k
                            same = identity if of_coordinate else np.uint64(0)
                            missing -= _visit(
                                words[octave], limit[octave], below, unit, reach, same, needed, best, into
                            )
            c += _FURTHER


@compiled
def _size(fractions: NDArray[np.float64], exponents: NDArray[Any], units: NDArray[np.float64]) -> tuple[Any, Any]:
    """The largest exponent, and the sum of the weights in units of two to that power: as `units` go, down to 2⁻¹²⁷."""
    top, total = np.int64(exponents[0]), 0.0
    for p in range(exponents.shape[0]):
        top = max(top, np.int64(exponents[p]))
    for p in range(exponents.shape[0]):
        down = top - np.int64(exponents[p])
        if down < units.shape[0]:
            total += fractions[p] / units[down]
    return top, total


@compiled
def _set_limits(limits: Hashes, rate: Any) -> None:
    """A word below `limits[i]` means an arrival within reach in octave i from the top, of width 2^{−1−i}."""
    for octave in range(limits.shape[0]):
        chance = -math.expm1(-rate * 2.0 ** (-1 - octave))
        limits[octave] = np.uint64(min(chance * (1 + 1e-9), _SURE) * 2.0**64)


@compiled
def _arrivals(state: Any, limits: Hashes, words: Hashes) -> Any:
    """Fill `words` with one for every octave downwards, and count those below their limits."""
    hits = 0
    for octave in range(limits.shape[0]):
        z = scramble(state - np.uint64(octave) * _ODD)
        words[octave] = z
        hits += z < limits[octave]
    return hits


@compiled
def _visit(
    cell: Any,
    limit: Any,
    below: Any,
    unit: Any,
    reach: Any,
    same: Any,
    needed: NDArray[np.bool_],
    best: NDArray[np.float64],
    into: Hashes,
) -> Any:
    """Give every arrival of an octave to its sample where it is the least so far; how many had none and needed one.

    Arrivals of weight above `below`, in units of the octave's lower end, are not of this row.
    """
    to_sample, found = np.uint64(needed.shape[0] - 1), 0
    arrival, rank = cell, 0.0
    while arrival < limit:  # beyond it the gap alone is too long
        rank -= logarithm(1 - (np.float64(arrival >> _12) + 0.5) * _FINE)
        if rank * unit > reach:
            break
        point = scramble(arrival + _COORDINATE)
        if 1 + (np.float64(point >> _24) + 0.5) * _WEIGHT <= below:
            j = np.int64(point & to_sample)
            if rank * unit < best[j]:
                found += needed[j] and best[j] == np.inf
                best[j] = rank * unit
                into[j] = same if same != 0 else point
        cell += _ODD
        arrival = scramble(cell)
    return found
