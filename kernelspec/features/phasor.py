"""The numerical kernel of dense Fourier features: a matrix product, then cosine and sine."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.features.projection import project, rows_per_block
from kernelspec.features.threads import run_blocks

__all__ = ["Form", "evaluate_phasors", "phases_of", "width"]

Form = Literal["paired", "phase", "complex"]

def width(form: Form, n_samples: int) -> int:
    """Columns taken by n samples: cosine and sine, or one."""
    return 2 * n_samples if form == "paired" else n_samples


def evaluate_phasors(
    data: Any, frequencies: NDArray[Any], phases: NDArray[Any], amplitudes: NDArray[Any], form: Form, out: NDArray[Any]
) -> None:
    """Write the features of `data` (n, p), dense or CSR, into `out` (n, width).

    With t = x·ω_j + phase_j and a_j the amplitude: paired [a cos t | a sin t], phase a √2 cos t,
    complex a exp(i t). `frequencies` is (p, N), all of one floating type.
    """
    scale = amplitudes * np.sqrt(2.0).astype(amplitudes.dtype) if form == "phase" else amplitudes
    if form == "paired":
        scale = np.concatenate([scale, scale])

    def work(start: int, stop: int) -> None:
        projected = project(data[start:stop], frequencies)
        projected += phases
        part = out[start:stop]
        if form == "phase":
            np.cos(projected, out=part)
        elif form == "paired":
            n = frequencies.shape[1]
            np.cos(projected, out=part[:, :n])
            np.sin(projected, out=part[:, n:])
        else:
            np.cos(projected, out=part.real)
            np.sin(projected, out=part.imag)
        part *= scale

    run_blocks(data.shape[0], rows_per_block(frequencies), work)


def phases_of(data: Any, frequencies: NDArray[Any]) -> NDArray[Any]:
    """x·ω_j for every row and sample, (n, N)."""
    out = np.empty((data.shape[0], frequencies.shape[1]), dtype=frequencies.dtype)

    def work(start: int, stop: int) -> None:
        out[start:stop] = project(data[start:stop], frequencies)

    run_blocks(data.shape[0], rows_per_block(frequencies), work)
    return out
