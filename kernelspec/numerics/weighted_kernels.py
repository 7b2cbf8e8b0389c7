"""Compiled: consistent weighted samples, by Algorithm 1 of Li 2017 and by one Poisson process for many samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import Array, compiled, logarithm
from kernelspec.numerics.key_kernels import scramble
from kernelspec.random.streams import WEYL, Hashes

__all__ = ["compete", "least_points", "logarithms", "passing_winners", "random_tables", "scramble_words", "winners"]

_ODD, _COORDINATE = np.uint64(WEYL), np.uint64(0xD1342543DE82EF95)
_1, _2, _3, _4, _5, _12, _32, _41 = (np.uint64(i) for i in (1, 2, 3, 4, 5, 12, 32, 41))
_STEP, _FINE, _COARSE, _LEAST_R = np.uint64(2**32 - 1), 2.0**-52, 2.0**-23, 2.0**-20


@compiled
def logarithms(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """ln of positive numbers, rounded once from double to single precision."""
    result = np.empty(values.shape[0], dtype=np.float32)
    for p in range(values.shape[0]):
        result[p] = logarithm(values[p])
    return result


@compiled
def random_tables(words: Hashes, coordinates: NDArray[np.int64], tile: int) -> NDArray[np.float32]:
    """r ~ Gamma(2, 1), β ~ U(0, 1) and ln c, c ~ Gamma(2, 1), for samples × coordinates: (tiles, coordinates, 3, tile).

    Each depends on the sample's word and the coordinate alone, through five numbers of a counter.
    """
    n, many = words.shape[0], coordinates.shape[0]
    tables = np.ones(((n + tile - 1) // tile, many, 3, tile), dtype=np.float32)
    for b in range(tables.shape[0]):
        own = words[b * tile : min((b + 1) * tile, n)]
        for p in range(many):
            fill_entry(own, coordinates[p], tables[b, p])
    return tables


@compiled
def fill_entry(words: Hashes, coordinate: Any, entry: NDArray[np.float32]) -> None:
    """The numbers (3, tile) of one coordinate, several samples at a time, as their words are adjacent."""
    r, beta, log_c, offset = entry[0], entry[1], entry[2], np.uint64(coordinate) * _COORDINATE
    for j in range(words.shape[0]):
        start = scramble(words[j] + offset)
        r[j], beta[j] = _rate_and_shift(start)
        u3 = (np.float64(scramble(start + _3 * _ODD) >> _12) + 0.5) * _FINE
        u4 = (np.float64(scramble(start + _4 * _ODD) >> _12) + 0.5) * _FINE
        log_c[j] = logarithm(-logarithm(u3 * u4))


@compiled
def _rate_and_shift(start: Any) -> Any:
    u1 = (np.float64(scramble(start + _1 * _ODD) >> _12) + 0.5) * _FINE
    u2 = (np.float64(scramble(start + _2 * _ODD) >> _12) + 0.5) * _FINE
    # the bound, reached once in 10¹² times, keeps the steps t of all floats within 32 bits
    r = max(-logarithm(u1 * u2), _LEAST_R)
    return np.float32(r), np.float32((np.float64(scramble(start + _5 * _ODD) >> _41) + 0.5) * _COARSE)


@compiled
def sample_word(coordinate: Any, log: Any, r: Any, beta: Any) -> Any:
    """i*·2³² + (t* mod 2³²)."""
    step = np.int64(np.floor(np.divide(log, r) + beta))
    return (np.uint64(coordinate) << _32) | (np.uint64(step) & _STEP)


@compiled
def word_of(word: Any, coordinate: Any, log: Any) -> Any:
    """`sample_word` with random numbers generated for it."""
    r, beta = _rate_and_shift(scramble(word + np.uint64(coordinate) * _COORDINATE))
    return sample_word(coordinate, log, r, beta)


NO_SAMPLE = np.uint64(2**64 - 1)
"""The sample of a row of zeros."""


@compiled
def compete(table: Array, at: Array, log: Array, begin: int, first: int, least: Array, where: Array) -> None:
    """Let the entries of a row, numbered from `first` on, win the samples for which their a is below the `least`.

    Their random numbers are table[at − begin].
    """
    for p in range(at.shape[0]):
        entry, size, numbers = np.int32(first + p), log[p], table[at[p] - begin]
        for j in range(least.shape[0]):
            r, beta = numbers[0, j], numbers[1, j]
            a = numbers[2, j] - (np.floor(np.divide(size, r) + beta) - beta) * r - r
            where[j] = entry if a < least[j] else where[j]
            least[j] = a if a < least[j] else least[j]


@compiled
def winners(pointers: Array, coordinates: Array, places: Array, logs: Array, tables: Array, keys: Hashes) -> None:
    """The samples (i*, t*) of rows, as i*·2³² + (t* mod 2³²), into `keys` (n, at most tiles × tile).

    t = ⌊ln ũ / r + β⌋, a = ln c − r (t − β) − r, i* = argmin a, the first in case of ties. `places` are those of the
    coordinates in the tables. Single precision, one operation at a time.
    """
    tiles, tile = tables.shape[0], tables.shape[3]
    least, where = np.empty(tile, dtype=np.float32), np.empty(tile, dtype=np.int32)
    for b in range(tiles):
        table = tables[b]
        first = b * tile
        used = min(tile, keys.shape[1] - first)
        for row in range(pointers.shape[0] - 1):
            start = pointers[row]
            count = pointers[row + 1] - start
            at, log = places[start : start + count], logs[start : start + count]
            for j in range(tile):
                least[j], where[j] = np.inf, 0
            compete(table, at, log, 0, 0, least, where)
            into = keys[row, first : first + used]
            if count == 0:
                into[:] = NO_SAMPLE
                continue
            for j in range(used):
                e = where[j]
                into[j] = sample_word(coordinates[start + e], log[e], table[at[e], 0, j], table[at[e], 1, j])


@compiled
def scramble_words(keys: Hashes, without_steps: Any) -> None:
    """Scatter the words of `winners` over 64 bits, in place: a bijection; t* is dropped if `without_steps`."""
    for row in range(keys.shape[0]):
        line = keys[row]
        for j in range(line.shape[0]):
            word = line[j]
            line[j] = scramble((word | _STEP) if without_steps else word)


@compiled
def passing_winners(
    pointers: NDArray[np.int64],
    coordinates: NDArray[np.int64],
    places: NDArray[np.int64],
    met: NDArray[np.int64],
    logs: NDArray[np.float32],
    words: Hashes,
    table: NDArray[np.float32],
    keys: Hashes,
) -> None:
    """`winners` for rows with sorted coordinates; `places` index `met`, the sorted list of all coordinates that occur.

    Random numbers are generated for as many coordinates as fit into `table` (coordinates, 3, tile), which stays in the
    processor's cache, and used by all rows before the next ones are generated.
    """
    n, height, tile = pointers.shape[0] - 1, table.shape[0], table.shape[2]
    least, where = np.empty((n, tile), dtype=np.float32), np.empty((n, tile), dtype=np.int32)
    done = np.empty(n, dtype=np.int64)
    table.fill(1)  # samples beyond the last word are computed too
    for first in range(0, words.shape[0], tile):
        own = words[first : min(first + tile, words.shape[0])]
        least.fill(np.inf)
        where.fill(0)
        for i in range(n):
            done[i] = pointers[i]
        for begin in range(0, met.shape[0], height):
            end = min(begin + height, met.shape[0])
            for p in range(begin, end):
                fill_entry(own, met[p], table[p - begin])
            for i in range(n):
                start = done[i]
                stop = start
                while stop < pointers[i + 1] and places[stop] < end:
                    stop += 1
                if stop > start:
                    compete(table, places[start:stop], logs[start:stop], begin, start - pointers[i], least[i], where[i])
                done[i] = stop
        for i in range(n):
            into, start = keys[i, first : first + own.shape[0]], pointers[i]
            for j in range(into.shape[0]):
                if pointers[i + 1] == start:
                    into[j] = NO_SAMPLE
                else:
                    e = start + where[i, j]
                    into[j] = word_of(own[j], coordinates[e], logs[e])


_24 = np.uint64(24)
_WEIGHT = 2.0**-40
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
    the octave and a sample uniform among k, all functions of `word`, the coordinate, the octave and the arrival number.
    Ranks are explored up to R = c/Σũ, within which a sample is missing with probability e^{−c}; if one is missing,
    exploration continues. Octaves that together hold a sample with probability below 2⁻³²c are skipped.
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
    """The largest exponent, and the sum of the weights in units of two to that power, down to 2⁻¹²⁷."""
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
    """Fill `words` with one word per octave, downwards, and count those below their limits."""
    hits = 0
    for octave in range(limits.shape[0]):
        z = scramble(state - np.uint64(octave) * _ODD)
        words[octave] = z
        hits += z < limits[octave]
    return hits


@compiled
def _visit(
    cell: Any, limit: Any, below: Any, unit: Any, reach: Any, same: Any, needed: Array, best: Array, into: Hashes
) -> Any:
    """Assign every arrival of an octave to its sample if it is the least so far; returns how many needed ones were new.

    Arrivals of weight above `below`, in units of the octave's lower end, are outside this row.
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
