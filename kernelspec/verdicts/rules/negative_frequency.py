"""Functions of the distance whose numerical spectral density is below 0 by more than its error."""

from __future__ import annotations

import numpy as np

from kernelspec.errors import KernelspecError
from kernelspec.kernels.families.formula_radial import FormulaRadial
from kernelspec.verdicts.rule import Finding, Question

__all__ = ["by_negative_frequency"]

_RADII = np.concatenate([np.geomspace(1e-2, 1.0, 30)[:-1], np.linspace(1.0, 60.0, 237)])
_BEYOND = 10
_NOISE = 1e-10
"""Of the largest value of the density: what is nearer to 0 proves nothing."""


def by_negative_frequency(question: Question) -> Finding | None:
    """Disproved where the density of radial(r -> f(r)) is negative at some ‖ω‖, beyond ten error bounds [Bochner 1932].

    The density is the Hankel transform of f on so many columns, with the error bound of its quadrature.
    """
    kernel = question.kernel
    if not isinstance(kernel, FormulaRadial) or not isinstance(kernel.dim, int) or kernel.shape.unknowns():
        return None
    if kernel.without_density() is not None:
        return None
    try:
        radii = _RADII / kernel.length
        density, errors = kernel.radial_density(radii)
    except KernelspecError:
        return None
    if not np.isfinite(density).all():
        return None
    below = density + _BEYOND * errors + _NOISE * float(np.abs(density).max())
    place = int(np.argmin(below))
    if not below[place] < 0:
        return None
    radius = float(radii[place])
    size = f"{density[place]:.3g} ± {errors[place]:.1g}"
    where = f"{kernel.dim} column{'s' * (kernel.dim != 1)}"
    reason = f"{kernel}: on {where} the spectral density is {size} < 0 at ‖ω‖ = {radius:.6g} [Bochner 1932]"
    return Finding("disproved", (reason,), (radius, *[0.0] * (kernel.dim - 1)))
