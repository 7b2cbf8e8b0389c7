"""Kernels and laws by the text of the kernel."""

from __future__ import annotations

import kernelspec as ks
from kernelspec.kernels.kernel import Kernel
from kernelspec.laws.law import Law
from kernelspec.laws.rules import law_of, schemes_of

__all__ = ["kernel_of", "law"]


def kernel_of(text: str, dim: int) -> Kernel:
    """The kernel of a text on so many columns."""
    spec = ks.parse(text)
    return spec.kernel(spec.columns(dim, None))


def law(text: str, dim: int, scheme: str | None = None) -> Law:
    """The law of its samples, under a scheme that some node of it must have."""
    kernel = kernel_of(text, dim)
    assert scheme is None or scheme in schemes_of(kernel), f"{text} is not sampled by {scheme}"
    return law_of(kernel, scheme)
