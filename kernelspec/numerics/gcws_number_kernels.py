"""Compiled: the random numbers of consistent weighted samples, and their words. A module of compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled
from kernelspec.numerics.key_kernels import scramble
from kernelspec.numerics.logarithm import logarithm
from kernelspec.random.hashing import WEYL, Hashes

__all__ = ["fill_entry", "logarithms", "random_tables", "sample_word", "word_of"]

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

    Each is a function of the sample's word and of the coordinate alone, through five numbers of a counter.
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
    """The numbers (3, tile) of one coordinate: samples go several at a time, as their words stand side by side."""
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
    # the bound, met once in 10¹² times, keeps the steps t of all floating-point numbers within 32 bits
    r = max(-logarithm(u1 * u2), _LEAST_R)
    return np.float32(r), np.float32((np.float64(scramble(start + _5 * _ODD) >> _41) + 0.5) * _COARSE)


@compiled
def sample_word(coordinate: Any, log: Any, r: Any, beta: Any) -> Any:
    """i*·2³² + (t* mod 2³²)."""
    step = np.int64(np.floor(np.divide(log, r) + beta))
    return (np.uint64(coordinate) << _32) | (np.uint64(step) & _STEP)


@compiled
def word_of(word: Any, coordinate: Any, log: Any) -> Any:
    """The same, with random numbers made for it."""
    r, beta = _rate_and_shift(scramble(word + np.uint64(coordinate) * _COORDINATE))
    return sample_word(coordinate, log, r, beta)
