"""Samples whose normal vectors come in orthogonal blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.random.orthogonal import OrthogonalStream
from kernelspec.random.sobol import RecordingStream

if TYPE_CHECKING:
    from kernelspec.laws.law import Law
    from kernelspec.random.streams import Stream

__all__ = ["most_gained", "orthogonal", "orthogonal_runs"]


def orthogonal(law: Law, stream: Stream, n: int, columns: tuple[int, ...]) -> Stream | None:
    """The stream with normal vectors in orthogonal blocks; None where no sample has one of several entries."""
    del n
    trial = RecordingStream(0, stream.path)
    law.draw(trial, 1, columns)
    return OrthogonalStream(stream.seed, stream.path) if max(trial.vectors, default=1) > 1 else None


def most_gained(law: Law, n: int, columns: tuple[int, ...]) -> float:
    """A bound on the part of the variance that n orthogonal samples save: Σ (n − 1)/d over the normal vectors in R^d.

    Of two Gaussian frequencies in one block the products have a covariance of −z⁴ e^{−z²}/2d + O(d⁻²), z = ‖Δ‖/σ, by
    a variance of (1 − e^{−z²})²/2, and z⁴ e^{−z²} ≤ (1 − e^{−z²})² [Yu et al. 2016, Theorem 3]. What mixes Gaussians
    is n of d strata, which saves no more.
    """
    trial = RecordingStream(0, (0,))
    law.draw(trial, 1, columns)
    return sum((n - 1) / d for d in trial.vectors if d > 1)


def orthogonal_runs(law: Law, stream: Stream, n: int, columns: tuple[int, ...], runs: int) -> Stream:
    """The same for so many draws of n samples each, whose blocks have nothing in common."""
    del law, columns
    return OrthogonalStream(stream.seed, stream.path, lengths=(n,) * runs)
