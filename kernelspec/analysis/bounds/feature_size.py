"""How large the random features of a compositional kernel are, and how many of them suffice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelspec.activations.finite_series import FiniteSeries
from kernelspec.errors import PlanError
from kernelspec.kernels.families.inner_product import InnerProduct
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.leaves.linear import Linear
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.power import Power
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.kernels.nodes.tilt import Tilt

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel

__all__ = [
    "Composition",
    "complexity",
    "composition_of",
    "concentration",
    "learning_bound",
    "norm_bound",
    "pointwise_error",
    "pointwise_samples",
]


@dataclass(frozen=True)
class Composition:
    """Of a kernel with dual activations: the expected number of factors of a feature, and a bound on its norm."""

    complexity: float
    norm: float

    def samples(self, eps: float, delta: float, *, phase: bool = False) -> int:
        """See `pointwise_samples`."""
        return pointwise_samples(self.norm, eps, delta, phase=phase)

    def error(self, n: int, delta: float, *, phase: bool = False) -> float:
        """See `pointwise_error`."""
        return pointwise_error(self.norm, n, delta, phase=phase)

    def learning_bound(self, n_rows: int, n_samples: int, *, radius: float, lipschitz: float = 1.0) -> float:
        """See `learning_bound`."""
        return learning_bound(self.norm, n_rows, n_samples, radius=radius, lipschitz=lipschitz)


def composition_of(kernel: Kernel) -> Composition | None:
    """Complexity and norm of the features of a kernel in numbers; None if no dual activation is part of it."""
    if not any(isinstance(part, Dual | Skeleton) for part in kernel.parts()):
        return None
    return Composition(complexity(kernel), norm_bound(kernel))


def complexity(kernel: Kernel) -> float:
    """The expected number of samples of catalogue kernels that a feature multiplies; infinite for heavy tails.

    1 for a catalogue kernel, E l · C(k) for σ̂(k), E l = m σ̂′(m)/σ̂(m) where k has mass m; Σ q_i C(k_i) for a sum whose
    term i is drawn with probability q_i, Σ C(k_i) for a product [Daniely et al. 2017, equation 11].
    """
    match kernel:
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
    children = list(kernel.children())
    return complexity(children[0]) if len(children) == 1 else 1.0


def norm_bound(kernel: Kernel) -> float:
    """C with |z(x)| ≤ C for every feature z: k = E z(x) conj z(y) has a C-bounded random feature scheme.

    1 for keys and frequencies, √(d/2) for rows of norm 1, infinite for linear() and what is tilted, and for formulas
    not proved to have features. A power series of features that may be larger than the root of their mass has no
    bound, unless its degrees have one [Daniely et al. 2017, section 4].
    """
    match kernel:
        case Linear() | Tilt():
            return math.inf
        case Stationary() if kernel.verdict().positive_definite != "proved":
            return math.inf
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
        case Power():
            return norm_bound(kernel.base) ** kernel.exponent
        case Dual():
            size, ratio = float(kernel.magnitude()), norm_bound(kernel.base) ** 2 / float(kernel.base.magnitude())
            return math.sqrt(size) if ratio <= 1 + 1e-12 else math.sqrt(size * _power(ratio, _largest_degree(kernel)))
    children = list(kernel.children())
    return norm_bound(children[0]) if len(children) == 1 else math.inf


def concentration(norm: float, *, phase: bool = False) -> float:
    """2C⁴, and 8C⁴ with random offsets, which make C = `norm` larger by √2: the factor of ln(2/δ)/ε²."""
    return (8 if phase else 2) * norm**4


def pointwise_samples(norm: float, eps: float, delta: float, *, phase: bool = False) -> int:
    """Samples that keep the error of one inner product below ε with probability 1 − δ: 2C⁴ ln(2/δ)/ε².

    C = `norm`; with random offsets 8C⁴ ln(2/δ)/ε². Raises PlanError for an infinite C, or ε
    or δ out of range [Daniely et al. 2017, Theorem 3].
    """
    _check(norm, delta)
    if not eps > 0:
        raise PlanError(f"eps must be positive, not {eps:g}")
    return math.ceil(concentration(norm, phase=phase) * math.log(2 / delta) / eps**2)


def pointwise_error(norm: float, n: int, delta: float, *, phase: bool = False) -> float:
    """The ε for which n samples suffice: the inverse of `pointwise_samples`. Raises PlanError."""
    _check(norm, delta)
    if n < 1:
        raise PlanError(f"n must be at least 1, not {n}")
    return math.sqrt(concentration(norm, phase=phase) * math.log(2 / delta) / n)


def learning_bound(norm: float, n_rows: int, n_samples: int, *, radius: float, lipschitz: float = 1.0) -> float:
    """The excess risk of learning with random features: √8 ρBC/√m + ρBC/√q.

    For a convex ρ-Lipschitz loss, against the best f of norm at most B = `radius` in the space of the kernel, with m
    rows, q samples and λ = √2 ρC/(√m B), in expectation [Daniely et al. 2017, Theorem 5]. Raises PlanError for an
    infinite C.
    """
    _check(norm, 0.5)
    if n_rows < 1 or n_samples < 1 or not radius >= 0 or not lipschitz >= 0:
        raise PlanError("rows and samples must be at least 1, the radius and the Lipschitz constant not negative")
    size = lipschitz * radius * norm
    return math.sqrt(8 / n_rows) * size + size / math.sqrt(n_samples)


def _largest_degree(node: Dual) -> float:
    """The largest l with a_l > 0 that is not cut; ∞ for a series that does not end."""
    if node.max_degree is not None:
        kept = node.activation.coefficient(np.arange(node.max_degree + 1, dtype=float))
        return int(np.flatnonzero(kept).max(initial=0))
    return node.activation.terms()[-1][0] if isinstance(node.activation, FiniteSeries) else math.inf


def _power(ratio: float, degree: float) -> float:
    try:
        return float(ratio**degree)
    except OverflowError:
        return math.inf


def _check(norm: float, delta: float) -> None:
    if not 0 < delta < 1:
        raise PlanError(f"delta must lie between 0 and 1, not {delta:g}")
    if not math.isfinite(norm):
        raise PlanError("the features of this kernel have no bound, so that this theorem says nothing of them")
