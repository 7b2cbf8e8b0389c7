"""The law behind a Polya kernel: its mean, E[1/R], and the area under the kernel."""

from __future__ import annotations

from dataclasses import dataclass

from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.kernels.leaves.polya import Polya
from kernelspec.kernels.nodes.select import Select
from kernelspec.notation.arguments import Scalar

__all__ = ["PolyaFacts", "polya_facts"]


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
    given = kernel.distribution if isinstance(kernel, Polya) else law
    return PolyaFacts(str(given), given.mean(), given.inverse_mean(), law.mean())
