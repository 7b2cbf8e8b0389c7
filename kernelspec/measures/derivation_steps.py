"""The steps of a derivation: pieces, products and transforms, on a line or of the distance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.loading import sympy
from kernelspec.measures.algebra.exact_numbers import ExactNumbers, PlainNumbers
from kernelspec.measures.algebra.frequency_pieces import fraction_integral, smoothed
from kernelspec.measures.algebra.line import is_even, line_members, require_closed
from kernelspec.measures.algebra.members import Member
from kernelspec.measures.algebra.pieces import NotClosed, Piece, transform_of_piece
from kernelspec.measures.algebra.radial import RadialTerm, has_curvature, radial_terms, require_radial
from kernelspec.measures.algebra.symbolic_density import complex_value, function_of
from kernelspec.measures.convolution import Convolution
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import ComplexFrequency, Directional, Shifted

__all__ = ["Journal", "Step", "derive_on_line", "derive_radial", "transforms"]


@dataclass(frozen=True)
class Step:
    """symbol = left = right: a named function, its definition, and the form that was found.

    `rule` names the rule and `words` what it was applied to. `left` uses the names of earlier steps; it is None if a
    step only states a form. All three are SymPy expressions.
    """

    rule: str
    words: str
    symbol: Any
    left: Any
    right: Any

    @property
    def equals(self) -> tuple[Any, ...]:
        """The sides of the equation, without repetitions."""
        sides = [self.symbol, self.left, self.right]
        return tuple(side for i, side in enumerate(sides) if side is not None and side not in sides[:i])


@dataclass
class Journal:
    """The steps so far; it also hands out unused names."""

    steps: list[Step] = field(default_factory=list)
    _taken: Counter[str] = field(default_factory=Counter)

    def name(self, letter: str) -> Any:
        """A function f_1, f_2, … with the letter f, not used by earlier steps."""
        self._taken[letter] += 1
        return sympy.Function(f"{letter}_{self._taken[letter]}")

    def write(self, rule: str, words: str, symbol: Any, left: Any, right: Any) -> None:
        """Add a step."""
        self.steps.append(Step(rule, words, symbol, left, right))


_Name = Callable[[Any], Any]


def transforms(member: Member, lag: _Name, density: _Name | None, omega: Any, journal: Journal) -> tuple[Any, str]:
    """Write the transform of every piece; returns their sum over 2π in terms of their names, and a description.

    The pieces are those of the function called `lag`; if there is a density too, every transform H is convolved with
    it: ∫ p(ν) H(ω − ν) dν. For an even function the pieces for t > 0 represent all.
    """
    assert member.lag is not None
    even = is_even(member)
    whole, rest = member.lag.whole_line.pieces, member.lag.with_ends
    halves = rest.after_zero.pieces if even else _cut_at_zero(rest, density is not None)
    total = sympy.Add(*[_steps(piece, member, lag, density, omega, journal) for piece in whole])
    half = sympy.Add(*[_steps(piece, member, lag, density, omega, journal) for piece in halves])
    mirrored = even and bool(halves)
    words = "k is even: the pieces for t < 0 are the conjugates" if mirrored else "the transforms over 2π"
    return sympy.expand((total + (2 * sympy.re(half) if even else half)) / (2 * sympy.pi)), words


def _cut_at_zero(rest: Any, needed: bool) -> tuple[Piece, ...]:
    if not needed:
        return tuple(rest.pieces)
    return (*rest.restricted(None, rest.numbers.number(0)).pieces, *rest.after_zero.pieces)


def _steps(piece: Piece, member: Member, lag: _Name, density: _Name | None, omega: Any, journal: Journal) -> Any:
    assert member.lag is not None
    plain, numbers = PlainNumbers(), member.lag.numbers
    low = -sympy.oo if piece.low is None else piece.low
    high = sympy.oo if piece.high is None else piece.high
    t = sympy.Symbol("t", real=True)
    integrand = complex_value(piece, t) * sympy.exp(-sympy.I * omega * t)
    value = transform_of_piece(piece, omega, numbers, plain)
    name = journal.name("T")
    curved = "with a Gaussian factor" if piece.curvature != 0 else "without a Gaussian factor"
    words = f"a piece of {lag(t)} {curved}"
    journal.write("transform", words, name(omega), sympy.Integral(integrand, (t, low, high)), value)
    if density is None or member.frequency is None:
        return name(omega)
    pieces, nu = member.frequency.pieces, sympy.Symbol("nu", real=True)
    if piece.is_whole_line:
        value = smoothed([piece], pieces, omega, numbers, plain)
    elif piece.high is not None and numbers.less(0 * piece.high, piece.high) is not True:
        value = fraction_integral([piece.mirrored()], pieces, -omega, numbers, plain)
    else:
        value = fraction_integral([piece], pieces, omega, numbers, plain)
    mixed = journal.name("T")
    integral = sympy.Integral(density(nu) * name(omega - nu), (nu, -sympy.oo, sympy.oo))
    journal.write("transform", "convolved with the density", mixed(omega), integral, value)
    return mixed(omega)


@dataclass(frozen=True)
class _Named:
    """A function of the lag times the transform of a density, by the names from earlier steps; one may be None."""

    lag: _Name | None = None
    density: _Name | None = None


def derive_on_line(measure: Measure, symbol: Any, omega: Any, journal: Journal) -> None:
    """Write the derivation of μ(ω) = `symbol`. Raises NotClosed if it is not a single product of pieces."""
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
        case PushForward() if measure.factor is not None:
            base, a = _steps_of(measure.part, journal), sympy.S(measure.factor)
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
    return sympy.Symbol("t", real=True)


def _omega() -> Any:
    return sympy.Symbol("omega", real=True)


def _piece(measure: Spectral | Directional, journal: Journal) -> _Named:
    """A kernel by its pieces, beside its own formula."""
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
    """One factor transformed as a whole."""
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
        words = "a convolution of pieces is again made of pieces"
        journal.write("convolution", words, name(omega), whole, function_of(below, omega))
        density = name
    return _Named(lag, density)


def derive_radial(measure: Measure, symbol: Any, frequency: SymbolicPairs, journal: Journal) -> None:
    """Write the derivation of μ(ω) = `symbol` for a product of radial kernels. Raises NotClosed for others."""
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
