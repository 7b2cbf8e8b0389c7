"""Formulas whose numerical spectral density is below 0 by more than its error."""

from __future__ import annotations

import numpy as np

from kernelspec.errors import KernelspecError
from kernelspec.kernels.families.formula_product import FormulaProduct
from kernelspec.kernels.families.formula_radial import FormulaRadial
from kernelspec.verdicts.rule import Finding, Question

__all__ = ["by_negative_frequency"]

_RADII = np.concatenate([np.geomspace(1e-2, 1.0, 30)[:-1], np.linspace(1.0, 60.0, 237)])
_BEYOND = 10
_NOISE = 1e-10
"""Of the largest value of the density: what is nearer to 0 proves nothing."""


def by_negative_frequency(question: Question) -> Finding | None:
    """Disproved where the density of a formula is negative at some frequency, beyond ten error bounds [Bochner 1932].

    The density is the Hankel transform of f on so many columns, on one for product(t -> f(t)), with the error bound of
    its quadrature.
    """
    kernel = question.kernel
    if not isinstance(kernel.dim, int):
        return None
    line = kernel.line() if isinstance(kernel, FormulaProduct) else kernel
    if not isinstance(line, FormulaRadial) or line.shape.unknowns() or line.without_density() is not None:
        return None
    try:
        radii = _RADII / line.length
        density, errors = line.radial_density(radii)
    except KernelspecError:
        return None
    if not np.isfinite(density).all():
        return None
    below = density + _BEYOND * errors + _NOISE * float(np.abs(density).max())
    place = int(np.argmin(below))
    if not below[place] < 0:
        return None
    radius, size = float(radii[place]), f"{density[place]:.3g} ± {errors[place]:.1g}"
    where = f"{line.dim} column{'s' * (line.dim != 1)}"
    reason = f"{kernel}: on {where} the spectral density is {size} < 0 at ‖ω‖ = {radius:.6g} [Bochner 1932]"
    others = 0.0 if line is kernel else float(radii[int(np.argmax(density))])
    return Finding("disproved", (reason,), (radius, *[others] * (kernel.dim - 1)))
