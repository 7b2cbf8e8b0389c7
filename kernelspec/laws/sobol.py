"""Samples whose random numbers come from the coordinates of one sequence of scrambled Sobol' points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.random.sobol import RecordingStream, SobolStream, sobol_points

if TYPE_CHECKING:
    from kernelspec.laws.law import Law
    from kernelspec.random.streams import Stream

__all__ = ["sobol"]

_MOST_COORDINATES = 256
"""Beyond some fifty coordinates there is nothing to gain."""


def sobol(law: Law, stream: Stream, n: int, columns: tuple[int, ...]) -> Stream | None:
    """The stream with the law's numbers from n points; None where it draws none of known quantiles, or too many."""
    trial = RecordingStream(0, stream.path)
    law.draw(trial, 1, columns)
    coordinates, count = trial.coordinates()
    if not 0 < count <= _MOST_COORDINATES:
        return None
    points = sobol_points(stream.generator("sobol"), n, count)
    return SobolStream(stream.seed, stream.path, points, coordinates)
