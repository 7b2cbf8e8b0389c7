"""Samples whose random numbers come from the coordinates of one sequence of scrambled Sobol' points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.random.sobol import RecordingStream, SobolRunsStream, SobolStream, sobol_points, sobol_points_of_runs

if TYPE_CHECKING:
    from kernelspec.laws.law import Law
    from kernelspec.random.sobol import Coordinates
    from kernelspec.random.streams import Stream

__all__ = ["sobol", "sobol_runs"]

_MOST_COORDINATES = 256
"""Beyond some fifty coordinates there is nothing to gain."""


def sobol(law: Law, stream: Stream, n: int, columns: tuple[int, ...]) -> Stream | None:
    """The stream with the law's numbers from n points; None where it draws none of known quantiles, or too many."""
    coordinates, count = _coordinates(law, stream, columns)
    if not 0 < count <= _MOST_COORDINATES:
        return None
    points = sobol_points(stream.generator("sobol"), n, count)
    return SobolStream(stream.seed, stream.path, points, coordinates)


def sobol_runs(law: Law, stream: Stream, n: int, columns: tuple[int, ...], runs: int) -> Stream:
    """The same of so many sequences, n points of each, scrambled apart; for laws with numbers of known quantiles."""
    coordinates, count = _coordinates(law, stream, columns)
    points = sobol_points_of_runs(stream.generator("sobol"), n, count, runs)
    return SobolRunsStream(stream.seed, stream.path, points, coordinates, (n,) * runs)


def _coordinates(law: Law, stream: Stream, columns: tuple[int, ...]) -> tuple[Coordinates, int]:
    trial = RecordingStream(0, stream.path)
    law.draw(trial, 1, columns)
    return trial.coordinates()
