"""Samples whose normal vectors come in orthogonal blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.random.orthogonal import OrthogonalStream
from kernelspec.random.sobol import RecordingStream

if TYPE_CHECKING:
    from kernelspec.laws.law import Law
    from kernelspec.random.streams import Stream

__all__ = ["orthogonal", "orthogonal_runs"]


def orthogonal(law: Law, stream: Stream, n: int, columns: tuple[int, ...]) -> Stream | None:
    """The stream with normal vectors in orthogonal blocks; None where no sample has one of several entries."""
    del n
    trial = RecordingStream(0, stream.path)
    law.draw(trial, 1, columns)
    return OrthogonalStream(stream.seed, stream.path) if max(trial.vectors, default=1) > 1 else None


def orthogonal_runs(law: Law, stream: Stream, n: int, columns: tuple[int, ...], runs: int) -> Stream:
    """The same for so many draws of n samples each, whose blocks have nothing in common."""
    del law, columns
    return OrthogonalStream(stream.seed, stream.path, lengths=(n,) * runs)
