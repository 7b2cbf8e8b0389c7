"""How many samples of a kernel are constant."""

from __future__ import annotations

import math

import numpy as np

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.leaves.constant import Constant
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.select import Select
from kernelspec.kernels.nodes.shift import Shift
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.stretch import Stretch
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.nodes.tilt import Tilt

__all__ = ["constant_share"]


def constant_share(kernel: Kernel) -> float:
    """The probability that a sample has no base factor: Σ q_l c^l for a dual over a kernel that is so with c.

    Raises TypeError for a kernel without a rule.
    """
    match kernel:
        case Constant():
            return 1.0
        case Skeleton():
            return kernel.sparsity
        case Dual():
            mass, below = float(kernel.base.magnitude()), constant_share(kernel.base)
            if kernel.max_degree is None and below == 0:  # both sums may be too small for a float
                return float(kernel.activation.law(np.zeros(1), mass)[0])
            if kernel.max_degree is None:
                sizes = kernel.activation.dual_absolute(np.array([mass * below, mass]))
                return float(sizes[0] / sizes[1])
            degree = np.arange(kernel.max_degree + 1, dtype=float)
            return float(1 - kernel.activation.law(degree, mass) @ (1 - below**degree))  # what is cut is zero
        case Sum():
            parts = zip(kernel.shares(), kernel.terms, strict=True)
            return sum(float(q) * constant_share(term) for q, term in parts)
        case Product():
            return math.prod(map(constant_share, kernel.factors))
        case Power():
            return constant_share(kernel.base) ** kernel.exponent
        case Leaf():
            return 0.0
        case Select() | Stretch() | Shift() | Tilt():
            return constant_share(kernel.base)
    raise TypeError(f"no rule for the share of constant samples of {type(kernel).__name__}")
