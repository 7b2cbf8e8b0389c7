"""From a kernel to its spectral measure: by rules that stand beside the measures."""

from __future__ import annotations

from functools import cache, singledispatch
from importlib import import_module

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.unavailable import Unavailable
from kernelspec.measures.measure import Measure

__all__ = ["measure_of", "measure_rule"]

_MEASURES = (
    "composed",
    "convolution",
    "directional",
    "embedding",
    "mixture",
    "push_forward",
    "shifted",
    "spectral",
    "tilted",
)
"""The modules whose rules say what the measures of kernels are."""


def measure_of(kernel: Kernel) -> Measure:
    """The spectral measure on R^dim with k(Δ) = ∫ exp(i ω·Δ) μ(dω).

    Raises NotStationaryError where there is none; TypeError for a kernel without a rule.
    """
    _rules()
    return measure_rule(kernel)


@singledispatch
def measure_rule(kernel: Kernel) -> Measure:
    """What the measure of a kind of kernel is; each measure registers it for the kernels it is that of."""
    raise TypeError(f"there is no rule for the spectral measure of {type(kernel).__name__}: register measure_rule")


@measure_rule.register
def _(kernel: Leaf) -> Measure:
    raise NotStationaryError(kernel.without_measure())


@measure_rule.register
def _(kernel: Unavailable) -> Measure:
    kernel.refuse()


@measure_rule.register
def _(kernel: Skeleton) -> Measure:
    del kernel
    raise NotStationaryError(
        "the spectral measure of a skeleton is a mixture over all paths to its base kernels, which has no closed "
        "form here; its samples are drawn exactly"
    )


@cache
def _rules() -> None:
    for module in _MEASURES:
        import_module(f"kernelspec.measures.{module}")
