"""Scrambled Sobol' points through the quantiles of the laws drawn: each point uniform, all of them evenly spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.random.streams import LawDrawn, Stream, UnevenRuns, check_runs, lengths_of

__all__ = [
    "Coordinates",
    "RecordingStream",
    "SobolRunsStream",
    "SobolStream",
    "sobol_points",
    "sobol_points_of_runs",
]

Coordinates = Mapping[tuple[tuple[int, ...], str], tuple[int, int]]
"""Where in the points the numbers of a path and purpose are: their first coordinate and how many a sample has."""

_BITS = 52


@dataclass(frozen=True, slots=True)
class RecordingStream(Stream):
    """Finds out which numbers of known quantiles a law draws: a trial draw of one sample records them, in order."""

    asked: dict[tuple[tuple[int, ...], str], int] = field(default_factory=dict, compare=False)
    """How many numbers a sample has, by path and purpose."""
    vectors: list[int] = field(default_factory=list, compare=False)
    """The dimensions of the normal vectors."""

    def even(self, purpose: str, shape: int | tuple[int, ...], law: LawDrawn) -> None:
        width = 1 if isinstance(shape, int) else prod(shape[1:])
        self.asked[self.path, purpose] = width
        if law == "normal":
            self.vectors.append(width)

    def coordinates(self) -> tuple[Coordinates, int]:
        """A place for all that was asked for, one after the other, and how many coordinates that makes."""
        places, start = {}, 0
        for key, width in self.asked.items():
            places[key] = (start, width)
            start += width
        return places, start


@dataclass(frozen=True, slots=True, eq=False)
class SobolStream(Stream):
    """Numbers by inversion from the coordinates of one joint sequence of points; all factors of a product share it.

    What has no coordinates is independent.
    """

    points: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    coordinates: Coordinates = field(default_factory=dict)

    def even(self, purpose: str, shape: int | tuple[int, ...], law: LawDrawn) -> NDArray[np.float64] | None:
        del law
        place = self.coordinates.get((self.path, purpose))
        if place is None:
            return None
        start, width = place
        n = shape if isinstance(shape, int) else shape[0]
        return self.points[:n, start : start + width].reshape(shape)


@dataclass(frozen=True, slots=True, eq=False)
class SobolRunsStream(SobolStream):
    """The same for several draws, one after the other, each with a sequence of its own: `points` are those of all.

    Raises UnevenRuns where numbers are asked for that are not one for every sample, and so would mix the draws.
    """

    lengths: tuple[int, ...] = ()
    """The samples of each draw."""

    def part(self, index: int, chosen: NDArray[np.intp], n: int) -> Stream:
        check_runs(self.lengths, n)
        lengths, own = np.array(self.lengths), lengths_of(chosen, self.lengths)
        first = np.cumsum(lengths) - lengths - (np.cumsum(own) - own)
        rows = np.arange(len(chosen)) + np.repeat(first, own)  # each draw's sequence from its beginning
        return replace(self, path=(*self.path, index), points=self.points[rows], lengths=tuple(own))

    def even(self, purpose: str, shape: int | tuple[int, ...], law: LawDrawn) -> NDArray[np.float64] | None:
        n = shape if isinstance(shape, int) else shape[0]
        if (self.path, purpose) in self.coordinates and n != len(self.points):
            raise UnevenRuns
        return SobolStream.even(self, purpose, shape, law)


def sobol_points(generator: np.random.Generator, n: int, dim: int) -> NDArray[np.float64]:
    """The first n scrambled Sobol' points in (0, 1)^dim, (n, dim): each uniform, coordinates scrambled independently.

    Of a sequence whose length is a power of two. Those of SciPy, half a unit of the last place further: never 0 or 1,
    where quantiles are infinite [Owen 1995].
    """
    from scipy.stats import qmc

    points = qmc.Sobol(dim, bits=_BITS, seed=generator).random_base2(max(0, n - 1).bit_length())
    return np.asarray(points[:n] + 0.5 * 2.0**-_BITS)


def sobol_points_of_runs(generator: np.random.Generator, n: int, dim: int, runs: int) -> NDArray[np.float64]:
    """The first n points of so many sequences, each scrambled by itself, one after the other: (runs n, dim).

    The law of `sobol_points`, for all runs at once.
    """
    is_one = _digits(n, dim)
    columns = generator.integers(0, 1 << _BITS, (runs, dim, is_one.shape[2]), dtype=np.uint64)
    shifts = generator.integers(0, 1 << _BITS, (runs, dim), dtype=np.uint64)
    return _scrambled(is_one, columns, shifts)


def _digits(n: int, dim: int) -> NDArray[np.bool_]:
    """The binary digits of the first n plain Sobol' points that are not all zero, (n, dim, digits)."""
    from scipy.stats import qmc

    digits = max(0, n - 1).bit_length()
    plain = qmc.Sobol(dim, scramble=False, bits=_BITS).random_base2(digits)[:n]
    found = np.ldexp(plain[:, :, None], np.arange(1, digits + 1)).astype(np.uint64) & np.uint64(1)
    return np.asarray(found.astype(bool))


def _scrambled(is_one: NDArray[np.bool_], columns: NDArray[np.uint64], shifts: NDArray[np.uint64]) -> NDArray[Any]:
    """Points of these digits, scrambled by each run's triangles and shifts, one run after the other: (runs n, dim).

    The digits of a point are those of the plain one times a random triangular matrix over {0, 1}, whose column j is one
    at place j and `columns` below it, (runs, dim, digits), plus a random shift, (runs, dim) [Matoušek 1998].
    """
    n, dim, digits = is_one.shape
    lead = np.uint64(1) << (_BITS - np.arange(1, digits + 1)).astype(np.uint64)
    columns = (columns & (lead - np.uint64(1))) | lead
    found = np.repeat(shifts[:, None, :], n, axis=1)
    for j in range(digits):
        found ^= np.where(is_one[:, :, j], columns[:, None, :, j], np.uint64(0))
    return np.asarray((found.reshape(-1, dim) + 0.5) * 2.0**-_BITS)
