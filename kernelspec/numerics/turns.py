"""Compiled: cosine and sine of angles in turns. A module of compiled functions.

Whole turns are taken off without rounding, whatever their number: with r = t − ⌊t⌉ and S(v) = sin 2πv on |v| ≤ ¼,
cos 2πt = S(¼ − |r|) and sin 2πt = S(max(−½ − r, min(½ − r, r))). From 2²³ turns on in single precision, 2⁵² in double,
every number is whole, and its cosine 1. S is the odd polynomial of least relative error: 3e-19 in double precision,
5e-9 in single [Remez 1934].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.numerics.compiled import compiled, multiply_add

__all__ = ["DOUBLE", "SINGLE", "cosine_of_turns", "sine_of_turns", "write_circle", "write_turns"]

DOUBLE = (
    6.283185307179586,
    -41.341702240399755,
    81.60524927607341,
    -76.70585975279849,
    42.058693923785015,
    -15.09464162050552,
    3.819927050429838,
    -0.7177235798689506,
    0.10085633003758276,
)
"""Coefficients of v, v³, … in S."""

SINGLE = tuple(
    np.float32(c)
    for c in (6.2831852737922365, -41.341677478736045, 81.60223126192192, -76.57499255112155, 39.71092039153653)
)
"""The same in single precision."""


@compiled
def _sine_of_quarter(v: Any, coefficients: Any) -> Any:
    """sin 2πv for |v| ≤ ¼."""
    square = v * v
    value = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        value = multiply_add(value, square, coefficients[k])
    return v * value


@compiled
def cosine_of_turns(t: Any, coefficients: Any) -> Any:
    """cos 2πt."""
    return _sine_of_quarter(type(t)(0.25) - abs(t - np.rint(t)), coefficients)


@compiled
def sine_of_turns(t: Any, coefficients: Any) -> Any:
    """sin 2πt."""
    rest, half = t - np.rint(t), type(t)(0.5)
    v = half - rest
    v = v if v < rest else rest
    w = -half - rest
    return _sine_of_quarter(w if w > v else v, coefficients)


@compiled
def write_turns(
    turns: NDArray[Any], sizes: NDArray[Any], coefficients: Any, paired: Any, first: int, lines: NDArray[Any]
) -> None:
    """Write size_j cos 2πt_ij into `lines` (m, ·) from `first` on; size_j sin 2πt_ij half a line further if `paired`.

    `turns` has at least m rows. Of each as many are taken as there are sizes, or fit into the line. The rows are gone
    through below, not by the caller: to hand over one of them takes as long as a hundred cosines.
    """
    n = lines.shape[1] // 2 if paired else lines.shape[1]
    many = max(0, min(sizes.shape[0], n - first))
    for i in range(lines.shape[0]):
        own, cosines = turns[i], lines[i, first : first + many]
        for j in range(many):
            cosines[j] = sizes[j] * cosine_of_turns(own[j], coefficients)
        if paired:
            sines = lines[i, n + first : n + first + many]
            for j in range(many):
                sines[j] = sizes[j] * sine_of_turns(own[j], coefficients)


@compiled
def write_circle(angles: NDArray[Any], coefficients: Any, out: NDArray[Any]) -> None:
    """Write cos θ and sin θ of angles (n,) into `out` (2 n,), one beside the other."""
    for i in range(angles.shape[0]):
        turn = angles[i] * 0.15915494309189535
        out[2 * i] = cosine_of_turns(turn, coefficients)
        out[2 * i + 1] = sine_of_turns(turn, coefficients)
