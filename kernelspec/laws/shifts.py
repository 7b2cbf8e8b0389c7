"""The sinh kernel as a sum of three shifted Gaussians."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.kernels.leaves.shift_gaussian import ShiftGaussian
from kernelspec.kernels.leaves.sinh_gaussian import SinhGaussian
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.mixture import MixtureLaw
from kernelspec.laws.polar import PolarLaw

if TYPE_CHECKING:
    from kernelspec.kernels.kernel import Kernel

__all__ = ["shifts"]


def shifts(kernel: Kernel) -> MixtureLaw | None:
    """The scheme "shifts": G(Δ)(1 + sinh β·Δ) = G(Δ) + (g/2) G(Δ + s) − (g/2) G(Δ − s), s = −σ²β, g = e^{σ²‖β‖²/2}."""
    if not isinstance(kernel, SinhGaussian) or kernel.is_symmetric:
        return None

    def moved(sign: int) -> PolarLaw:
        by = tuple(sign * entry for entry in kernel.step)
        return PolarLaw(ShiftGaussian(scale=kernel.scale, by=by, dim=kernel.dim, span=kernel.span))

    half = kernel.gain / 2
    return MixtureLaw((FourierLaw(kernel.gaussian), moved(1), moved(-1)), (1, half, -half))
