"""How often a Gaussian process with this kernel can be differentiated, by rules over the tree."""

from __future__ import annotations

import math
from functools import singledispatch

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.columns_and_lags import Select, Shift, Stretch, Tilt
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.sum import Sum

__all__ = ["Derivatives", "derivatives", "smoothness_in_words"]

Derivatives = float | None
"""Mean-square derivatives along the numeric columns: 0, 1, …, ∞; None where no rule says it."""


@singledispatch
def derivatives(kernel: Kernel) -> Derivatives:
    """m such that k(Δ) is 2m times differentiable at Δ = 0, and no more; categories do not count.

    A process with this covariance has m derivatives in the mean square [Rasmussen and Williams 2006, section 4.1.1].
    Raises TypeError for a kernel without a rule.
    """
    raise TypeError(f"no rule for the smoothness of {type(kernel).__name__}")


@derivatives.register
def _(kernel: Leaf) -> Derivatives:
    return kernel.derivatives()


@derivatives.register
def _(kernel: Sum) -> Derivatives:
    """The least of all terms, where kinks cannot cancel."""
    if any(float(weight) < 0 for weight in kernel.weights):
        return None
    return _least(*kernel.terms)


@derivatives.register
def _(kernel: Product) -> Derivatives:
    return _least(*kernel.factors)


@derivatives.register(Power)
@derivatives.register(Select)
@derivatives.register(Stretch)
@derivatives.register(Tilt)
def _(kernel: Power | Select | Stretch | Tilt) -> Derivatives:
    return derivatives(kernel.base)


@derivatives.register(Dual)
@derivatives.register(Shift)
@derivatives.register(Skeleton)
def _(kernel: Kernel) -> Derivatives:
    """It depends on the activation, or on the kernel away from 0."""
    del kernel
    return None


def smoothness_in_words(kernel: Kernel) -> str | None:
    """`all derivatives`, `1 derivative`, `continuous, no derivative`; None where no rule says it."""
    found = derivatives(kernel)
    if found is None or found == math.inf:
        return None if found is None else "all derivatives"
    return f"{found:g} derivative{'s' if found != 1 else ''}" if found else "continuous, no derivative"


def _least(*parts: Kernel) -> Derivatives:
    found = [derivatives(part) for part in parts]
    if 0 in found:
        return 0
    known = [one for one in found if one is not None]
    return None if len(known) < len(found) else min(known, default=math.inf)
