"""How many samples of catalogue kernels a feature multiplies, in the mean."""

from __future__ import annotations

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

__all__ = ["complexity"]


def complexity(kernel: Kernel) -> float:
    """The expected number of samples of catalogue kernels that a feature multiplies; infinite for heavy tails.

    1 for a catalogue kernel, E l · C(k) for σ̂(k), E l = m σ̂′(m)/σ̂(m) where k has mass m; Σ q_i C(k_i) for a sum whose
    term i is drawn with probability q_i, Σ C(k_i) for a product [Daniely et al. 2017, equation 11]. Raises TypeError
    for a kernel without a rule.
    """
    match kernel:
        case Constant():
            return 0.0
        case Leaf():
            return 1.0
        case Skeleton():
            own, below = float(kernel.complexity), complexity(kernel.image.base)
            return own * below if own and below else 0.0
        case Dual():
            below, mean = complexity(kernel.base), kernel.mean_degree()
            return mean * below if below and mean else 0.0
        case Sum():
            parts = zip(kernel.shares(), kernel.terms, strict=True)
            return sum(float(q) * complexity(term) for q, term in parts)
        case Power():
            return kernel.exponent * complexity(kernel.base)
        case Product():
            return sum(complexity(factor) for factor in kernel.factors)
        case Select() | Stretch() | Shift() | Tilt():
            return complexity(kernel.base)
    raise TypeError(f"no rule for the number of factors of {type(kernel).__name__}")
