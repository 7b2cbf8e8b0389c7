"""Random numbers that depend only on seed, place and index, and hashes that are equal on every machine.

The mixer is the finalizer of SplitMix64 [Steele, Lea and Flood 2014]; text is hashed by BLAKE2b.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import prod
from typing import Any, Literal, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MULTIPLIERS",
    "WEYL",
    "Hashes",
    "LawDrawn",
    "Stream",
    "UnevenRuns",
    "check_runs",
    "hash_numbers",
    "hash_text",
    "lengths_of",
    "mix",
    "scramble",
]

Hashes = NDArray[np.uint64]

LawDrawn: TypeAlias = Literal["normal", "uniform", "gamma", "exponential", "laplace"]

WEYL = 0x9E3779B97F4A7C15
"""2⁶⁴ over the golden ratio, odd: the steps of SplitMix64."""

MULTIPLIERS = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Multipliers of `scramble`."""

_MASK = (1 << 64) - 1


def scramble(values: ArrayLike) -> Hashes:
    """A bijection of 64-bit words that changes about half of the output bits for any one input bit."""
    z = np.array(values, dtype=np.uint64)
    z ^= z >> np.uint64(30)
    z *= np.uint64(MULTIPLIERS[0])
    z ^= z >> np.uint64(27)
    z *= np.uint64(MULTIPLIERS[1])
    z ^= z >> np.uint64(31)
    return z


def mix(first: ArrayLike, second: ArrayLike, salt: int = 0) -> Hashes:
    """One hash of two, order-sensitive: `mix(a, b)` differs from `mix(b, a)`, and `mix(a, a)` does not cancel."""
    offset = np.uint64((salt + 1) * WEYL & _MASK)
    with np.errstate(over="ignore"):
        return scramble(scramble(np.asarray(first, np.uint64) + offset) + np.asarray(second, np.uint64))


def mix_words(first: int, second: int, salt: int = 0) -> int:
    """`mix` of two words, 0 ≤ word < 2⁶⁴: the same bits, ten times as fast as for arrays."""
    return _scramble_word((_scramble_word((first + (salt + 1) * WEYL) & _MASK) + second) & _MASK)


def _scramble_word(word: int) -> int:
    word = (word ^ word >> 30) * MULTIPLIERS[0] & _MASK
    word = (word ^ word >> 27) * MULTIPLIERS[1] & _MASK
    return word ^ word >> 31


def hash_numbers(values: ArrayLike) -> Hashes:
    """Equal numbers have equal hashes, whatever their type: 1, 1.0 and True agree, as do 0.0 and −0.0."""
    numbers: NDArray[Any] = np.asarray(values, dtype=np.float64) + 0.0  # −0.0 + 0.0 is 0.0
    return scramble(np.ascontiguousarray(numbers).view(np.uint64) + np.uint64(WEYL))


def hash_text(values: Iterable[str]) -> Hashes:
    """Equal strings have equal hashes; a string never equals a number."""
    digests = b"".join(blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).digest() for value in values)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


class UnevenRuns(Exception):
    """Several draws at once asked for numbers that are not one per sample."""


@dataclass(frozen=True, slots=True)
class Stream:
    """The randomness of one node of a plan.

    Every node has its own path from the root, and every array that it draws has its own generator, named by its
    purpose. Generators fill arrays row by row, so the first n samples do not depend on how many follow, and no node's
    numbers depend on what another node drew.
    """

    seed: int
    path: tuple[int, ...] = ()

    def child(self, index: int) -> Stream:
        """The stream of the `index`-th child of this node."""
        return replace(self, path=(*self.path, index))

    def part(self, index: int, chosen: NDArray[np.intp], n: int) -> Stream:
        """The stream of the child that draws the samples `chosen` out of n."""
        return self.child(index)

    def apart(self) -> Stream:
        """A stream for the same place whose numbers are all independent, for samples that are multiplied."""
        return Stream(self.seed, self.path)

    def in_blocks(self, size: int) -> Stream:
        """The stream for numbers that belong to vectors of `size` entries, in blocks of that many samples.

        No effect on independent numbers.
        """
        return self

    def even(self, purpose: str, shape: int | tuple[int, ...], law: LawDrawn) -> NDArray[np.float64] | None:
        """Numbers in (0, 1), evenly spread over the samples, for quantile functions; None for independent ones."""
        return None

    def normal(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Standard normal numbers."""
        even = self.even(purpose, shape, "normal")
        if even is None:
            return self.generator(purpose).standard_normal(shape)
        from scipy.special import ndtri

        return np.asarray(ndtri(even))

    def uniform(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Numbers uniform on [0, 1)."""
        even = self.even(purpose, shape, "uniform")
        return self.generator(purpose).random(shape) if even is None else even

    def gamma(self, purpose: str, order: float, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Gamma(order) numbers, of density t^{order − 1} e^{−t} / Γ(order)."""
        even = self.even(purpose, shape, "gamma")
        if even is None:
            return self.generator(purpose).standard_gamma(order, shape)
        from scipy.special import gammaincinv

        return np.asarray(gammaincinv(order, even))

    def exponential(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Numbers of density e^{−t}."""
        even = self.even(purpose, shape, "exponential")
        return self.generator(purpose).standard_exponential(shape) if even is None else -np.log1p(-even)

    def laplace(self, purpose: str, shape: int | tuple[int, ...]) -> NDArray[np.float64]:
        """Numbers of density ½e^{−|t|}."""
        even = self.even(purpose, shape, "laplace")
        if even is None:
            return self.generator(purpose).laplace(0, 1, shape)
        return np.where(even < 0.5, np.log(2 * even), -np.log(2 * (1 - even)))

    def generator(self, purpose: str) -> np.random.Generator:
        """A fresh generator for the array called `purpose`, the same on every call."""
        key = (len(self.path), *self.path, crc32(purpose.encode()))
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed, spawn_key=key)))

    def uniforms(self, purpose: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Numbers uniform on (0, 1), never 0 or 1: SplitMix64 of seed, path, purpose and index.

        Unlike a generator's, they are the same in every version of NumPy, which hash keys rely on.
        """
        words = self._counted((crc32(purpose.encode()),), shape)
        return np.asarray(((words >> np.uint64(12)) + 0.5) * 2.0**-52)

    def words(self, purpose: str, shape: tuple[int, ...]) -> Hashes:
        """Uniform 64-bit words: SplitMix64 as in `uniforms`, but from a different state for the same purpose."""
        return self._counted((crc32(purpose.encode()), 1), shape)

    def choose(self, probabilities: Sequence[float], n: int) -> list[NDArray[np.intp]]:
        """For each alternative, the samples out of 0, …, n − 1 that are assigned to it at random."""
        edges = np.cumsum(probabilities)[:-1]
        choice = np.searchsorted(edges, self.uniform("choice", n), side="right")
        return [np.flatnonzero(choice == i) for i in range(len(probabilities))]

    def _counted(self, steps: tuple[int, ...], shape: tuple[int, ...]) -> Hashes:
        """SplitMix64 from the state at the end of the path plus `steps`."""
        state = mix_words(int(self.seed) & _MASK, len(self.path), salt=int(self.seed) >> 64)
        for step in (*self.path, *steps):
            state = mix_words(state, int(step))
        counted = np.arange(1, prod(shape) + 1, dtype=np.uint64) * np.uint64(WEYL) + np.uint64(state)
        return scramble(counted).reshape(shape)


def check_runs(lengths: Sequence[int], n: int) -> None:
    """Raise UnevenRuns unless draws of these lengths have n numbers in total, one per sample."""
    if n != sum(lengths):
        raise UnevenRuns


def lengths_of(chosen: NDArray[np.intp], lengths: Sequence[int]) -> list[int]:
    """How many of the samples `chosen`, in order, fall into each of the consecutive draws of these lengths."""
    own = np.searchsorted(np.cumsum(lengths), chosen, side="right")
    return [int(count) for count in np.bincount(own, minlength=len(lengths))]
