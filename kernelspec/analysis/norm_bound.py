"""The largest norm of a feature, and the law behind a Polya kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kernelspec.activations.series import FiniteSeries
from kernelspec.expressions.arguments import Scalar
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.leaves.of_rows import InnerProduct, Shaped
from kernelspec.kernels.nodes.columns_and_lags import Select, Shift, Stretch, Tilt
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.product import Power, Product
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.sum import Additive, Sum

__all__ = ["PolyaFacts", "norm_bound", "polya_facts"]


def norm_bound(kernel: Kernel) -> float:
    """C with |z(x)| ≤ C for every feature z: k = E z(x) conj z(y) has a C-bounded random feature scheme.

    1 for keys and frequencies, √(d/2) for rows of norm 1, infinite for linear(), neurons, tilted kernels, and formulas
    not proved to have features. A power series of features that may exceed the root of their mass has no bound, unless
    its degrees are bounded [Daniely et al. 2017, section 4]. Raises TypeError for a kernel without a rule.
    """
    match kernel:
        case Tilt() | Shaped():
            return math.inf
        case InnerProduct() if not kernel.has_constant_diagonal:
            return math.inf
        case Stationary() if kernel.verdict().positive_definite != "proved":
            return math.inf
        case Leaf(is_one=True):
            return 1.0
        case Skeleton():
            return 1.0 if norm_bound(kernel.image.base) <= 1 + 1e-12 else math.inf
        case InnerProduct():
            return math.sqrt(kernel.dim / 2) if kernel.has_unit_rows and kernel.dim != 1 else 1.0
        case Leaf():
            return math.sqrt(float(kernel.magnitude()))
        case Sum():
            parts = zip(kernel.weights, kernel.shares(), kernel.terms, strict=True)
            return max((math.sqrt(abs(w) / q) * norm_bound(term) for w, q, term in parts), default=0.0)
        case Product():
            return math.prod(norm_bound(factor) for factor in kernel.factors)
        case Additive() | Power():
            return _power(norm_bound(kernel.base), kernel.order if isinstance(kernel, Additive) else kernel.exponent)
        case Dual():
            size, ratio = float(kernel.magnitude()), _power(norm_bound(kernel.base), 2) / float(kernel.base.magnitude())
            return math.sqrt(size) if ratio <= 1 + 1e-12 else math.sqrt(size * _power(ratio, _largest_degree(kernel)))
        case Select() | Stretch() | Shift():
            return norm_bound(kernel.base)
    raise TypeError(f"no rule for the norm of the features of {type(kernel).__name__}")


def _largest_degree(node: Dual) -> float:
    """The largest l with a_l > 0 below the cut; ∞ for an infinite series."""
    if node.max_degree is not None:
        kept = node.activation.coefficient(np.arange(node.max_degree + 1, dtype=float))
        return int(np.flatnonzero(kept).max(initial=0))
    return node.activation.terms()[-1][0] if isinstance(node.activation, FiniteSeries) else math.inf


def _power(base: float, exponent: float) -> float:
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf


@dataclass(frozen=True)
class PolyaFacts:
    """k(Δ) = ∏ E max(0, 1 − |Δ_i|/R): the distribution as text, E R, E[1/R], and the area ∫ φ(t) dt over the line.

    The area is E R, unless polya(…, area=a) has replaced R by a·R/E R.
    """

    distribution: str
    mean: Scalar
    inverse_mean: Scalar
    area: Scalar


def polya_facts(kernel: Kernel) -> PolyaFacts | None:
    """The facts about the law of R for one Polya kernel, on some or all of the columns; None for other kernels."""
    while isinstance(kernel, Select):
        kernel = kernel.base
    law = kernel.pitch_law() if isinstance(kernel, Stationary) else None
    if law is None:
        return None
    given = law.unscaled()
    return PolyaFacts(str(given), given.mean(), given.inverse_mean(), law.mean())
