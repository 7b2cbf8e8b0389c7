"""Tests of `kernels/leaf.py`."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
import sympy

from kernelspec.errors import UnknownNameError
from kernelspec.kernels.leaf import load_kernel
from kernelspec.kernels.leaves.coordinatewise import Laplace


def test_unknown_name():
    with pytest.raises(UnknownNameError, match="unknown kernel 'gausian': use one of"):
        load_kernel("gausian")


@pytest.mark.slow
def test_the_catalogue_itself_imports_no_kernel_and_no_heavy_package():
    code = (
        "import sys, kernelspec.kernels.leaf, kernelspec.distributions.distribution\n"
        "before = set(sys.modules)\n"
        "assert not {'sympy', 'scipy', 'kernelspec.kernels.leaves.radial'} & before, before\n"
        "from kernelspec.kernels.leaf import KERNELS, load_kernel\n"
        "from kernelspec.distributions.distribution import DISTRIBUTIONS, load_distribution\n"
        "[load_kernel(name) for name in KERNELS], [load_distribution(name) for name in DISTRIBUTIONS]\n"
        "assert not {'sympy', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_zero_times_infinity_is_zero():
    assert Laplace(scale=1.0, dim=2).second_moment(np.zeros((2, 2))) == 0
    assert Laplace(scale=1.0, dim=2).second_moment() == math.inf
    s, d = sympy.Symbol("s", positive=True), sympy.Symbol("d", positive=True, integer=True)
    assert Laplace(scale=s, dim=d).second_moment() == sympy.oo
    assert Laplace(scale=s, dim=d).second_moment(0) == 0
