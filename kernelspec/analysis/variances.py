"""The variance of one sample, for each way to sample a kernel, its largest norm, and what features are composed of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelspec.activations.series import FiniteSeries
from kernelspec.expressions.arguments import Scalar
from kernelspec.expressions.pairs import Pairs
from kernelspec.expressions.symbolic import derive
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, Stationary
from kernelspec.kernels.leaves.of_rows import InnerProduct, RbfCosine, Shaped
from kernelspec.kernels.nodes.columns_and_lags import Select, Shift, Stretch, Tilt
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton, counted
from kernelspec.kernels.nodes.sums_and_products import Additive, Power, Product, Sum
from kernelspec.laws.compositional.dual import DualLaw
from kernelspec.laws.law import Law
from kernelspec.laws.rules import OF_SHARES, law_of, schemes_of
from kernelspec.loading import sympy

__all__ = [
    "DualNode",
    "PolyaFacts",
    "complexity",
    "cosine_estimators",
    "divergence",
    "dual_nodes",
    "methods_by_variance",
    "norm_bound",
    "number",
    "polya_facts",
    "sample_variances",
    "skeleton_to_dict",
    "skeletons_in",
]


def complexity(kernel: Kernel) -> float:
    """The expected number of catalogue-kernel samples that a feature multiplies; infinite for heavy tails.

    1 for a catalogue kernel, E l · C(k) for σ̂(k), E l = m σ̂′(m)/σ̂(m) if k has mass m; Σ q_i C(k_i) for a sum whose
    term i is drawn with probability q_i, Σ C(k_i) for a product [Daniely et al. 2017, equation 11]. Raises TypeError
    for a kernel without a rule.
    """
    match kernel:
        case Leaf(is_one=True):
            return 0.0
        case Leaf():
            return 1.0
        case Skeleton():
            own, below = float(kernel.complexity), complexity(kernel.image.base)
            return own * below if own and below else 0.0
        case Dual():
            below, mean = complexity(kernel.base), kernel.mean_degree()
            return mean * below if below and mean else 0.0
        case Additive():
            return kernel.order * complexity(kernel.base)
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


def constant_share(kernel: Kernel) -> float:
    """The probability that a sample has no base factor: Σ q_l c^l for a dual over a kernel with probability c.

    Raises TypeError for a kernel without a rule.
    """
    match kernel:
        case Leaf(is_one=True):
            return 1.0
        case Skeleton():
            return kernel.sparsity
        case Dual():
            mass, below = float(kernel.base.magnitude()), constant_share(kernel.base)
            if kernel.max_degree is None and below == 0:  # both sums may underflow
                return float(kernel.activation.law(np.zeros(1), mass)[0])
            if kernel.max_degree is None:
                sizes = kernel.activation.dual_absolute(np.array([mass * below, mass]))
                return float(sizes[0] / sizes[1])
            degree = np.arange(kernel.max_degree + 1, dtype=float)
            return float(1 - kernel.activation.law(degree, mass) @ (1 - below**degree))  # cut terms are zero
        case Additive():
            return constant_share(kernel.base) ** kernel.order
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


def cosine_estimators(kernel: Kernel) -> dict[str, Any]:
    """Variance of one column (or key) in SymPy, by estimator, for one rbf_cosine(); empty for other kernels.

    The numeric counterparts are in `cosine_variance`, with the theorems of Li 2017.
    """
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


_FIRST = 4
_MOST = 40


@dataclass(frozen=True)
class DualNode:
    """One dual(…) or layer(…): σ̂ of a kernel of mass m = `mass`, below `level` others.

    `probabilities` are the first of q_l ∝ a_l m^l; `constant_share` is the probability that a sample has no base
    factor; the variance is infinite if E|p|² of the kernel below exceeds `infinite_above`, None if it never is.
    """

    level: int
    activation: str
    max_degree: int | None
    mass: float
    probabilities: tuple[float, ...]
    mean_degree: float
    constant_share: float
    infinite_above: float | None

    def line(self) -> str:
        """The node as text."""
        first = ", ".join(f"{value:.3g}" for value in self.probabilities)
        over = "" if self.mass == 1 else f" over a kernel of mass {self.mass:.6g}"
        cut = "" if self.max_degree is None else f", cut at {self.max_degree}"
        words = [
            f"dual of {self.activation}{over}: degrees 0, 1, 2, 3, … with probability {first}, …{cut}",
            f"mean {counted(self.mean_degree)}",
            f"constant with probability {self.constant_share:.3g}",
        ]
        if self.infinite_above is not None:
            words.append(f"variance infinite where E|p|² below exceeds {self.infinite_above:.6g}")
        return "  " * self.level + "; ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """The node as JSON data; an infinite mean is the word "infinite"."""
        return vars(self) | {"probabilities": list(self.probabilities), "mean_degree": number(self.mean_degree)}


def dual_nodes(kernel: Kernel) -> tuple[DualNode, ...]:
    """The first 40 nodes, in prefix order; repeated expressions are listed repeatedly."""
    found: list[DualNode] = []
    pending = [(kernel, 0)]
    while pending and len(found) < _MOST:
        node, level = pending.pop()
        if isinstance(node, Dual):
            found.append(_described(node, level))
            level += 1
        pending.extend((child, level) for child in reversed(list(node.children())))
    return tuple(found)


def divergence(law: Law) -> str | None:
    """The condition under which the variance of samples is infinite, as text; None if it is finite for all rows."""
    nodes: list[DualNode] = []
    pending = [law]
    while pending and len(nodes) < _MOST:
        node = pending.pop()
        if isinstance(node, DualLaw):
            nodes.append(_described(node.kernel, 0))
        pending.extend(reversed(list(node.children())))
    found = {node.activation: node.infinite_above for node in nodes if node.infinite_above is not None}
    words = [f"E|p|² below the dual of {activation} exceeds {limit:.6g}" for activation, limit in found.items()]
    return " or ".join(words) or None


def number(value: float) -> float | str:
    """A number as JSON data; infinity is the word "infinite"."""
    return "infinite" if value == math.inf else float(value)


def _described(node: Dual, level: int) -> DualNode:
    mass, radius = float(node.base.magnitude()), float(node.activation.radius())
    bounded = norm_bound(node.base) ** 2 <= mass * (1 + 1e-12)
    return DualNode(
        level,
        str(node.activation),
        node.max_degree,
        mass,
        tuple(node.activation.law(np.arange(_FIRST), mass).tolist()),
        node.mean_degree(),
        constant_share(node),
        None if bounded or radius == math.inf or node.max_degree is not None else radius * mass,
    )


def sample_variances(kernel: Kernel, pairs: Pairs) -> dict[str, Any]:
    """E Z² − (E Z)² of one sample Z in SymPy, by method; E Z = k(x, y), unless max_degree truncates it.

    Cosine and sine ("paired"; "complex" agrees), random offsets ("phase"), and other schemes for some part, such as
    "binning". The symbol not_derived_in_time if it takes too long.
    """
    others = tuple(scheme for scheme in schemes_of(kernel) if scheme not in OF_SHARES)

    def found() -> dict[str, Any]:
        law = law_of(kernel)
        moments, square = law.moments(pairs), law.mean(pairs) ** 2
        paired = moments.paired() - square
        variances = {"paired": paired, "phase": moments.phase() - square, "complex": paired}
        for scheme in others:
            other = law_of(kernel, scheme)
            variances[scheme] = other.moments(pairs).paired() - other.mean(pairs) ** 2
        return {method: sympy.S(variance) for method, variance in variances.items()}

    return derive(found, lambda late: dict.fromkeys(("paired", "phase", "complex", *others), late))


def methods_by_variance(variances: Mapping[str, Any]) -> dict[Any, list[str]]:
    """The distinct variances, each with its methods."""
    shared: dict[Any, list[str]] = {}
    for method, variance in variances.items():
        shared.setdefault(variance, []).append(method)
    return shared


def skeletons_in(kernel: Kernel) -> tuple[Skeleton, ...]:
    """Every skeleton once, in the order of the kernel's text."""
    return tuple(dict.fromkeys(part for part in kernel.parts() if isinstance(part, Skeleton)))


def skeleton_to_dict(skeleton: Skeleton) -> dict[str, Any]:
    """A skeleton as JSON data: its image, its layers with the first probabilities of degrees, and its samples."""
    image = skeleton.image
    return {
        "image": [image.height, image.width, image.channels],
        "base": str(image.base),
        "depth": skeleton.depth,
        "complexity": number(float(skeleton.complexity)),
        "constant_share": skeleton.sparsity,
        "layers": [
            {
                "layer": str(layer),
                "below": list(layer.below),
                "shape": list(layer.windows.shape),
                "probabilities": layer.activation.law(np.arange(_FIRST)).tolist(),
                "mean_degree": number(layer.activation.mean_degree()),
            }
            for layer in skeleton.layers
        ],
    }


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
