"""The derivation of a closed density of radial kernels: profiles, their product, its transform in d columns."""

from __future__ import annotations

from typing import Any

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.piece_expressions import function_of
from kernelspec.measures.algebra.radial_profile import RadialTerm, radial_terms
from kernelspec.measures.algebra.radial_transform import has_curvature, require_radial
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.derivation.step import Journal
from kernelspec.measures.measure import Measure
from kernelspec.measures.spectral import Spectral
from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["derive_radial"]


def derive_radial(measure: Measure, symbol: Any, frequency: SymbolicPairs, journal: Journal) -> None:
    """Write down how μ(ω) = `symbol` comes about for a product of radial kernels. Raises NotClosed for others."""
    import sympy

    parts = measure.parts if isinstance(measure, Convolution) else (measure,)
    terms = [_term(part) for part in parts]
    whole = _term(measure)
    require_radial(whole.profile, frequency.dim)
    r, rho = sympy.symbols("r rho", positive=True)
    names = []
    for part, term in zip(parts, terms, strict=True):
        name = journal.name("f")
        kernel = part.kernel if isinstance(part, Spectral) else None
        stated = None if kernel is None else kernel.on_line().expression(SymbolicPairs(1, lambda i: r))
        words = "a factor" if kernel is None else str(kernel)
        journal.write("piece", f"{words} as a function of the distance", name(r), stated, function_of(term.profile, r))
        names.append(name)
    if len(names) > 1:
        name = journal.name("f")
        product = sympy.Mul(*[f(r) for f in names])
        words = "coefficients convolve, exponents add"
        journal.write("product", words, name(r), product, function_of(whole.profile, r))
        names = [name]
    dim = sympy.S(frequency.dim)
    bessel = sympy.besselj(dim / 2 - 1, r * rho)
    hankel = rho ** (1 - dim / 2) / (2 * sympy.pi) ** (dim / 2)
    integral = hankel * sympy.Integral(r ** (dim / 2) * bessel * names[0](r), (r, 0, sympy.oo))
    density = measure.expression(frequency)
    square = frequency.squared_norm()
    words = (
        "with a Gaussian in an odd number of columns, from the line: S_{d+2}(ρ) = −S_d′(ρ)/(2πρ); ρ = ‖ω‖"
        if has_curvature(whole.profile)
        else "rⁿe^{−cr} has the transform (−∂/∂c)ⁿ of Γ(h) π^{−h} c (c² + ρ²)^{−h}, h = (d + 1)/2; ρ = ‖ω‖"
    )
    journal.write("transform", words, symbol, integral.subs(rho, sympy.sqrt(square)), density)


def _term(measure: Measure) -> RadialTerm:
    found = radial_terms(measure, ExactNumbers())
    if len(found) != 1 or found[0].tilt:
        raise NotClosed("a sum of tilted profiles")
    return found[0]
