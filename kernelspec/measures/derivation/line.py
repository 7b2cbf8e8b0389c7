"""The derivation of a closed density on one column: pieces, their products, their transforms, the sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.line import line_members
from kernelspec.measures.algebra.line_transform import require_closed
from kernelspec.measures.algebra.member import Member
from kernelspec.measures.algebra.piece import NotClosed
from kernelspec.measures.algebra.piece_expressions import function_of
from kernelspec.measures.complex_frequency import ComplexFrequency
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.derivation.step import Journal
from kernelspec.measures.derivation.transforms import transforms
from kernelspec.measures.directional import Directional
from kernelspec.measures.embedding import Embedding
from kernelspec.measures.measure import Measure
from kernelspec.measures.mixture import Mixture
from kernelspec.measures.push_forward import PushForward
from kernelspec.measures.shifted import Shifted
from kernelspec.measures.spectral import Spectral
from kernelspec.notation.symbolic_pairs import SymbolicPairs

__all__ = ["derive_on_line"]

_Name = Callable[[Any], Any]


@dataclass(frozen=True)
class _Named:
    """A function of the lag times the transform of a density, by the names that steps gave them; one may be None."""

    lag: _Name | None = None
    density: _Name | None = None


def derive_on_line(measure: Measure, symbol: Any, omega: Any, journal: Journal) -> None:
    """Write down how μ(ω) = `symbol` comes about. Raises NotClosed where it is not one product of pieces."""
    member = _member(measure)
    require_closed(member)
    known = _steps_of(measure, journal)
    density = measure.expression(SymbolicPairs(1, lambda i: omega))
    if known.lag is None:
        assert known.density is not None
        journal.write("sum", "the density itself", symbol, known.density(omega), density)
        return
    total, words = transforms(member, known.lag, known.density, omega, journal)
    journal.write("sum", words, symbol, total, density)


def _member(measure: Measure) -> Member:
    members = line_members(measure, ExactNumbers())
    if len(members) != 1:
        raise NotClosed("a sum of products of two kinds is derived term by term")
    return members[0]


def _steps_of(measure: Measure, journal: Journal) -> _Named:
    import sympy

    match measure:
        case Spectral() | Directional():
            return _piece(measure, journal)
        case Embedding():
            return _steps_of(measure.part, journal)
        case ComplexFrequency():
            base = _steps_of(Spectral(measure.kernel), journal)
            by = sympy.S(measure.by[0])
            return _moved("tilt", measure, base, lambda f, t: sympy.exp(by * t) * f(t), _no_density, journal)
        case Shifted():
            base, by = _steps_of(measure.part, journal), sympy.S(measure.by[0])
            return _moved(
                "shift", measure, base, lambda f, t: f(t + by), lambda p, w: sympy.exp(sympy.I * by * w) * p(w), journal
            )
        case PushForward():
            base, scale = _steps_of(measure.part, journal), measure.matrix
            while isinstance(scale, tuple):
                (scale,) = scale
            a = sympy.S(scale)
            return _moved("stretch", measure, base, lambda f, t: f(a * t), lambda p, w: p(w / a) / abs(a), journal)
        case Mixture():
            return _sum(measure, journal)
        case Convolution():
            return _product(measure, journal)
    raise NotClosed(f"{measure.describe()} has no pieces")


def _no_density(density: _Name, omega: Any) -> Any:
    del density, omega
    raise NotClosed("a density that is tilted")


def _t() -> Any:
    import sympy

    return sympy.Symbol("t", real=True)


def _omega() -> Any:
    import sympy

    return sympy.Symbol("omega", real=True)


def _piece(measure: Spectral | Directional, journal: Journal) -> _Named:
    """A kernel by its pieces, beside what the kernel says of itself."""
    kernel, member = measure.kernel, _member(measure)
    if member.lag is not None:
        name, t = journal.name("f"), _t()
        stated = kernel.expression(SymbolicPairs(1, lambda i: t))
        journal.write("piece", f"{kernel} in pieces of the lag", name(t), stated, function_of(member.lag, t))
        return _Named(name)
    assert member.frequency is not None
    name, omega = journal.name("p"), _omega()
    stated = measure.expression(SymbolicPairs(1, lambda i: omega))
    words = f"the density of {kernel} in pieces of the frequency"
    journal.write("piece", words, name(omega), stated, function_of(member.frequency, omega))
    return _Named(density=name)


def _moved(
    rule: str,
    measure: Measure,
    base: _Named,
    of_lag: Callable[[_Name, Any], Any],
    of_density: Callable[[_Name, Any], Any],
    journal: Journal,
) -> _Named:
    """One factor changed as a whole."""
    member = _member(measure)
    lag = density = None
    if base.lag is not None and member.lag is not None:
        lag, t = journal.name("f"), _t()
        journal.write(rule, "as a function of the lag", lag(t), of_lag(base.lag, t), function_of(member.lag, t))
    if base.density is not None and member.frequency is not None:
        density, omega = journal.name("p"), _omega()
        if any(piece.wave != 0 for piece in member.frequency.pieces):
            raise NotClosed("a density with waves")
        stated = function_of(member.frequency, omega)
        journal.write(rule, "as a density", density(omega), of_density(base.density, omega), stated)
    return _Named(lag, density)


def _sum(measure: Mixture, journal: Journal) -> _Named:
    """A sum of functions of the lag, or of densities."""
    import sympy

    member = _member(measure)
    if member.lag is not None and member.frequency is not None:
        raise NotClosed("a sum of products")
    parts = [_steps_of(part, journal) for part in measure.parts]
    weights = [sympy.S(weight) for weight in measure.weights]
    if member.lag is not None:
        name, at, whole = journal.name("f"), _t(), member.lag
        terms = [w * part.lag(at) for w, part in zip(weights, parts, strict=True) if part.lag is not None]
    else:
        assert member.frequency is not None
        name, at, whole = journal.name("p"), _omega(), member.frequency
        terms = [w * part.density(at) for w, part in zip(weights, parts, strict=True) if part.density is not None]
    journal.write("sum of factors", "pieces of one kind add", name(at), sympy.Add(*terms), function_of(whole, at))
    return _Named(name) if member.lag is not None else _Named(density=name)


def _product(measure: Convolution, journal: Journal) -> _Named:
    """Functions of the lag are multiplied, densities convolved."""
    import sympy

    member = _member(measure)
    parts = [_steps_of(part, journal) for part in measure.parts]
    lags = [part.lag for part in parts if part.lag is not None]
    densities = [(part.density, factor) for part, factor in zip(parts, measure.parts, strict=True) if part.density]
    lag = lags[0] if len(lags) == 1 else None
    if len(lags) > 1 and member.lag is not None:
        lag, t = journal.name("f"), _t()
        words = "coefficients convolve, exponents add, intervals intersect"
        journal.write("product", words, lag(t), sympy.Mul(*[f(t) for f in lags]), function_of(member.lag, t))
    density = densities[0][0] if densities else None
    for i in range(1, len(densities)):
        below = _member(Convolution(tuple(factor for _, factor in densities[: i + 1]))).frequency
        name, omega, nu = journal.name("p"), _omega(), sympy.Symbol("nu", real=True)
        assert density is not None
        assert below is not None
        whole = sympy.Integral(density(omega - nu) * densities[i][0](nu), (nu, -sympy.oo, sympy.oo))
        words = "a convolution of pieces is one of pieces again"
        journal.write("convolution", words, name(omega), whole, function_of(below, omega))
        density = name
    return _Named(lag, density)
