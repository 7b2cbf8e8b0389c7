"""The numerical kernel of dense Fourier features: a matrix product, then cosine and sine."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.projection import project, rows_per_block
from kernelspec.numerics.threads import run_blocks

__all__ = ["Form", "evaluate_phasors", "phases_of", "width"]

Form = Literal["paired", "phase", "complex"]

_SAMPLES = 512
"""Samples computed at a time: their phases for one block of rows stay in the processor's cache."""


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
    n = frequencies.shape[1]

    def work(start: int, stop: int) -> None:
        for first in range(0, n, _SAMPLES):
            some = slice(first, min(first + _SAMPLES, n))
            projected = project(data[start:stop], frequencies[:, some])
            projected += phases[some]
            part, size = out[start:stop], scale[some]
            if form == "complex":
                np.multiply(np.cos(projected), size, out=part.real[:, some])
                np.multiply(np.sin(projected, out=projected), size, out=part.imag[:, some])
                continue
            if form == "paired":
                np.multiply(np.sin(projected), size, out=part[:, n:][:, some])
            np.multiply(np.cos(projected, out=projected), size, out=part[:, some])

    run_blocks(data.shape[0], rows_per_block(frequencies, _SAMPLES), work)


def phases_of(data: Any, frequencies: NDArray[Any]) -> NDArray[Any]:
    """x·ω_j for rows (n, p), dense or CSR, and frequencies (p, N) → (n, N), in the calling thread."""
    found = np.empty((data.shape[0], frequencies.shape[1]), dtype=frequencies.dtype)
    height = rows_per_block(frequencies, _SAMPLES)
    for start in range(0, data.shape[0], height):
        for first in range(0, frequencies.shape[1], _SAMPLES):
            some = slice(first, first + _SAMPLES)
            found[start : start + height, some] = project(data[start : start + height], frequencies[:, some])
    return found
