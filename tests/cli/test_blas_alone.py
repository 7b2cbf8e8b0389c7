"""One module of SciPy in front of its package: compiled code still has its products, and SciPy all of its parts."""

from __future__ import annotations

import subprocess
import sys

import pytest

AFTERWARDS = """
import sys
from kernelspec.cli.blas_alone import import_blas_alone
import_blas_alone()
import_blas_alone()
assert "scipy.linalg" not in sys.modules
import numpy as np
from kernelspec.numerics.key_kernels import mix_columns
mix_columns(np.zeros((2, 2), dtype=np.uint64))
assert "scipy.linalg" not in sys.modules
from numba import njit
double = njit(lambda x: np.dot(x, x))
assert double(2 * np.eye(3)).tolist() == (4 * np.eye(3)).tolist()
import scipy.linalg, scipy.spatial.distance
from scipy.linalg import cython_blas
assert cython_blas is sys.modules["scipy.linalg.cython_blas"]
assert scipy.linalg.inv(2 * np.eye(2)).tolist() == [[0.5, 0], [0, 0.5]]
"""


@pytest.mark.long
def test_nothing_else_changes() -> None:
    subprocess.run([sys.executable, "-c", AFTERWARDS], check=True)


def test_a_package_that_is_there_is_left_alone() -> None:
    import scipy.linalg
    from scipy.linalg import cython_blas

    from kernelspec.cli.blas_alone import import_blas_alone

    import_blas_alone()
    assert sys.modules["scipy.linalg.cython_blas"] is cython_blas
    assert sys.modules["scipy.linalg"] is scipy.linalg
