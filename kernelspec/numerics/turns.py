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

from kernelspec.numerics.compiled import compiled, in_widest_registers, multiply_add

__all__ = ["DOUBLE", "SINGLE", "cosine_of_turns", "sine_of_turns", "write_circle", "write_turns"]

_APART = 4096
"""Bytes between cosine and sine from which both are written at a time: two places of one page slow each other."""

_NEAR = 2**14
"""Bytes of turns that are read twice, for the cosines and then for the sines: they and their features stay near."""

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
    m, n = lines.shape[0], lines.shape[1] // 2 if paired else lines.shape[1]
    many = max(0, min(sizes.shape[0], n - first))
    if paired and n * lines.itemsize >= _APART:
        _write_both(turns, sizes[:many], coefficients, first, n + first, lines)
        return
    height = max(1, _NEAR // max(1, many * lines.itemsize))
    for top in range(0, m, height):
        some, own = turns[top : top + height], lines[top : min(top + height, m)]
        _write_cosines(some, sizes[:many], coefficients, first, own)
        if paired:
            _write_sines(some, sizes[:many], coefficients, n + first, own)


@compiled
def _write_cosines(turns: NDArray[Any], sizes: NDArray[Any], coefficients: Any, at: int, lines: NDArray[Any]) -> None:
    in_widest_registers()
    for i in range(lines.shape[0]):
        own, cosines = turns[i], lines[i, at : at + sizes.shape[0]]
        for j in range(cosines.shape[0]):
            cosines[j] = sizes[j] * cosine_of_turns(own[j], coefficients)


@compiled
def _write_sines(turns: NDArray[Any], sizes: NDArray[Any], coefficients: Any, at: int, lines: NDArray[Any]) -> None:
    in_widest_registers()
    for i in range(lines.shape[0]):
        own, sines = turns[i], lines[i, at : at + sizes.shape[0]]
        for j in range(sines.shape[0]):
            sines[j] = sizes[j] * sine_of_turns(own[j], coefficients)


@compiled
def _write_both(
    turns: NDArray[Any], sizes: NDArray[Any], coefficients: Any, at: int, sines_at: int, lines: NDArray[Any]
) -> None:
    in_widest_registers()
    for i in range(lines.shape[0]):
        own, line = turns[i], lines[i]
        cosines, sines = line[at : at + sizes.shape[0]], line[sines_at : sines_at + sizes.shape[0]]
        for j in range(sines.shape[0]):
            cosines[j] = sizes[j] * cosine_of_turns(own[j], coefficients)
            sines[j] = sizes[j] * sine_of_turns(own[j], coefficients)


@compiled
def write_circle(angles: NDArray[Any], coefficients: Any, out: NDArray[Any]) -> None:
    """Write cos θ and sin θ of angles (n,) into `out` (2 n,), one beside the other."""
    in_widest_registers()
    for i in range(angles.shape[0]):
        turn = angles[i] * 0.15915494309189535
        out[2 * i] = cosine_of_turns(turn, coefficients)
        out[2 * i + 1] = sine_of_turns(turn, coefficients)
