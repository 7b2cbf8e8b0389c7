"""How large the random features of a compositional kernel are, and how many of them suffice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelspec.analysis.complexity import complexity
from kernelspec.analysis.norm_bound import norm_bound
from kernelspec.errors import PlanError
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel

__all__ = [
    "Composition",
    "composition_of",
    "concentration",
    "learning_bound",
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


def concentration(norm: float, *, phase: bool = False) -> float:
    """2C⁴, and 8C⁴ with random offsets, which make C = `norm` larger by √2: the factor of ln(2/δ)/ε².

    Infinite where it is no float.
    """
    square = norm * norm
    return (8 if phase else 2) * square * square


def pointwise_samples(norm: float, eps: float, delta: float, *, phase: bool = False) -> int:
    """Samples that keep the error of one inner product below ε with probability 1 − δ: 2C⁴ ln(2/δ)/ε².

    C = `norm`; with random offsets 8C⁴ ln(2/δ)/ε². Raises PlanError for an infinite C, for ε
    or δ out of range, and for a number beyond all floats [Daniely et al. 2017, Theorem 3].
    """
    _check(norm, delta)
    if not eps > 0:
        raise PlanError(f"eps must be positive, not {eps:g}")
    found = concentration(norm, phase=phase) * math.log(2 / delta) / eps / eps
    if not math.isfinite(found):
        raise PlanError(f"features of norm {norm:.3g} need more samples than floats can count")
    return math.ceil(found)


def pointwise_error(norm: float, n: int, delta: float, *, phase: bool = False) -> float:
    """The ε for which n samples suffice: the inverse of `pointwise_samples`. Raises PlanError."""
    _check(norm, delta)
    if n < 1:
        raise PlanError(f"n must be at least 1, not {n}")
    return norm * norm * math.sqrt((8 if phase else 2) * math.log(2 / delta) / n)


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


def _check(norm: float, delta: float) -> None:
    if not 0 < delta < 1:
        raise PlanError(f"delta must lie between 0 and 1, not {delta:g}")
    if not math.isfinite(norm):
        raise PlanError("the features of this kernel have no bound, so that this theorem says nothing of them")
