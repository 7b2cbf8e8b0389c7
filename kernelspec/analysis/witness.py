"""Disproving positive definiteness: a finite set of rows whose kernel matrix has a negative eigenvalue."""

from __future__ import annotations

import numpy as np

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.pairs import NumericPairs
from kernelspec.rows import Rows

__all__ = ["find_witness"]

_POINTS = 40
_SCALES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


def find_witness(kernel: Kernel) -> str | None:
    """What disproves the kernel, in words, or None if nothing was found (which proves nothing).

    Tries 40 normal rows at several scales. An eigenvalue counts only if it is negative far beyond rounding.
    """
    generator = np.random.default_rng(0)
    # sampled, a kernel of weights ±w has the size Σ|w|, and that is what its rounding is relative to
    one = Rows(np.zeros((1, int(kernel.dim))))
    size = float(np.sqrt(np.max(kernel.moments(NumericPairs(one, one)).a, initial=0.0)))
    normal = generator.standard_normal((_POINTS, int(kernel.dim)))
    for scale in _SCALES:
        rows = Rows(normal * scale)
        matrix = np.asarray(kernel.value(NumericPairs(rows, rows)), dtype=float)
        least = float(np.linalg.eigvalsh(matrix)[0])
        if least < -1e-9 * _POINTS * size:
            return f"the kernel matrix of {_POINTS} normal rows of scale {scale:g} has the eigenvalue {least:.3g} < 0"
    return None
