"""Real and imaginary parts, modulus and envelope of a spectral density."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.loading import sympy
from kernelspec.measures.algebra.closed_density import closed_parts
from kernelspec.measures.convolution import Composed, Convolution, convolve
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import ComplexFrequency, Directional, Shifted

__all__ = ["cartesian", "envelope", "polar"]


def cartesian(measure: Measure, frequency: SymbolicPairs) -> tuple[Any, Any]:
    """(Re μ, Im μ) at ω, written out for phases, selections and sums; SymPy's re and im for the rest."""
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
            closed = closed_parts(measure, frequency)
            if closed is not None:
                return closed
    whole = measure.expression(frequency)
    return sympy.re(whole), sympy.im(whole)


def polar(measure: Measure, frequency: SymbolicPairs) -> tuple[Any, Any]:
    """(|μ|, arg μ) at ω; a known phase is not reduced to (−π, π]."""
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


def envelope(measure: Measure) -> Measure:
    """The measure with every weight replaced by its modulus and every phase dropped; a positive measure is unchanged.

    |μ(dω)| ≤ c·envelope(dω) for some constant c, so integrals of μ are averages over draws of the envelope.
    """
    match measure:
        case Directional():
            return Spectral(measure.kernel.gaussian)
        case ComplexFrequency():
            return Spectral(measure.kernel)
        case Shifted():
            return envelope(measure.part)
        case Mixture():
            return Mixture(tuple(map(envelope, measure.parts)), tuple(map(abs, measure.weights)), measure.space)
        case Convolution():
            return convolve(tuple(map(envelope, measure.parts)))
        case Embedding() | Composed() | PushForward():
            return replace(measure, part=envelope(measure.part))
    return measure
