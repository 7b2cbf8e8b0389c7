"""Real and imaginary part of a spectral density, and its modulus and argument, as SymPy expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelspec.measures.convolution import Convolution
from kernelspec.measures.directional import Directional
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.shifted import Shifted

if TYPE_CHECKING:
    from kernelspec.measures.measure import Measure
    from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["cartesian", "polar"]


def cartesian(measure: Measure, frequency: SymbolicPairs) -> tuple[Any, Any]:
    """(Re μ, Im μ) at ω, written out for phases, selections and sums; SymPy's re and im for what is left."""
    import sympy

    if not measure.is_complex:
        return measure.expression(frequency), sympy.S.Zero
    match measure:
        case Directional():
            kernel = measure.kernel
            normal = kernel.gaussian.density_expression(frequency)
            angle = frequency.inner(kernel.step)
            real = sympy.S.One if kernel.has_constant_real_part else kernel.gain * sympy.cos(angle)
            return normal * real, normal * kernel.gain * sympy.sin(angle)
        case Shifted():
            real, imaginary = cartesian(measure.part, frequency)
            angle = frequency.inner(measure.by)
            c, s = sympy.cos(angle), sympy.sin(angle)
            return real * c - imaginary * s, real * s + imaginary * c
        case Mixture():
            parts = [cartesian(part, frequency) for part in measure.parts]
            weighted = [(w * a, w * b) for w, (a, b) in zip(measure.weights, parts, strict=True)]
            return sympy.Add(*[a for a, _ in weighted]), sympy.Add(*[b for _, b in weighted])
        case Embedding() if measure.fills_space:
            return cartesian(measure.part, frequency.select(measure.positions))
        case Convolution():
            from kernelspec.measures.algebra.closed_density import closed_parts

            closed = closed_parts(measure, frequency)
            if closed is not None:
                return closed
    whole = measure.expression(frequency)
    return sympy.re(whole), sympy.im(whole)


def polar(measure: Measure, frequency: SymbolicPairs) -> tuple[Any, Any]:
    """(|μ|, arg μ) at ω; a phase that is known is left as it is, without reduction to (−π, π]."""
    import sympy

    match measure:
        case Directional() if not measure.kernel.has_constant_real_part:
            kernel = measure.kernel
            return kernel.gain * kernel.gaussian.density_expression(frequency), frequency.inner(kernel.step)
        case Shifted():
            modulus, argument = polar(measure.part, frequency)
            return modulus, argument + frequency.inner(measure.by)
        case Embedding() if measure.fills_space:
            return polar(measure.part, frequency.select(measure.positions))
    real, imaginary = cartesian(measure, frequency)
    if imaginary == 0:
        return sympy.Abs(real), sympy.Piecewise((0, real >= 0), (sympy.pi, True))
    return sympy.sqrt(real**2 + imaginary**2), sympy.atan2(imaginary, real)
