"""The variances of the estimators of rbf_cosine() as expressions in the cosine ρ."""

from __future__ import annotations

from typing import Any

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.rbf_cosine import RbfCosine
from kernelspec.kernels.nodes.select import Select

__all__ = ["cosine_estimators"]


def cosine_estimators(kernel: Kernel) -> dict[str, Any]:
    """Variance of one column (or key) in SymPy, by estimator, for one rbf_cosine(); empty for other kernels.

    The numerical twins are in `cosine_variance`, with the theorems of Li 2017.
    """
    import sympy

    while isinstance(kernel, Select):
        kernel = kernel.base
    if not isinstance(kernel, RbfCosine):
        return {}
    rho, half = sympy.Symbol("rho", real=True), sympy.Rational(1, 2)
    gamma = sympy.S(kernel.gamma)
    k = sympy.exp(-gamma * (1 - rho))
    s = sympy.sqrt((1 - rho) / 2)
    g = (1 - s) / (1 + s)
    phase = half + half * (1 - k**2) ** 2
    return {
        "cosine and sine": (1 - k**2) ** 2,
        "random offsets, theorem 2.1": phase,
        "normalized=True (biased), theorem 2.2": phase - k**2 * (3 - k**4) / 4,
        "estimate_rbf of min-max keys (a model), theorem 3.1": 64 * gamma**2 * k**2 * g * (1 - g) ** 3 / (1 + g) ** 6,
    }
