"""Compiled: products of columns for every sample. A module of compiled functions."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled

__all__ = ["multiply_complex", "multiply_real"]


@compiled
def multiply_real(
    data: NDArray[Any], starts: NDArray[Any], first: NDArray[Any], scale: NDArray[Any], out: NDArray[Any]
) -> None:
    """out_rj = ∏ scale_t x_{r, first_t} over t from starts_j up to starts_{j+1}; 0 if any of the factors is."""
    for r in range(data.shape[0]):
        row, values = data[r], out[r]
        for j in range(values.shape[0]):
            value = 1.0
            for t in range(starts[j], starts[j + 1]):
                factor = scale[t] * row[first[t]]
                if factor == 0.0:  # also where the others overflow
                    value = 0.0
                    break
                value *= factor
            values[j] = value


@compiled
def multiply_complex(
    data: NDArray[Any],
    starts: NDArray[Any],
    first: NDArray[Any],
    second: NDArray[Any],
    turn: NDArray[Any],
    scale: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """The same of the factors scale_t (x_{r, first_t} + i turn_t x_{r, second_t}), real where second_t is −1."""
    for r in range(data.shape[0]):
        row, values = data[r], out[r]
        for j in range(values.shape[0]):
            real, imaginary = 1.0, 0.0
            for t in range(starts[j], starts[j + 1]):
                a, b = scale[t] * row[first[t]], 0.0
                if second[t] >= 0:
                    b = scale[t] * turn[t] * row[second[t]]
                if a == 0.0 and b == 0.0:
                    real, imaginary = 0.0, 0.0
                    break
                real, imaginary = real * a - imaginary * b, real * b + imaginary * a
            values[j] = complex(real, imaginary)
