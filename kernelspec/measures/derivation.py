"""The derivation of a closed spectral density, step by step, each with its formula, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.formula import FormulaProduct, FormulaRadial
from kernelspec.kernels.leaf import Stationary
from kernelspec.loading import sympy
from kernelspec.measures.algebra.closed_density import column_terms, reason_not_closed
from kernelspec.measures.algebra.members import outside_pieces
from kernelspec.measures.algebra.pieces import NotClosed
from kernelspec.measures.block_density import moved_by_atoms, summed_over_atoms
from kernelspec.measures.convolution import (
    Convolution,
    convolve,
    expanded_mixture,
    independent_blocks,
    without_embedding,
)
from kernelspec.measures.derivation_steps import Journal, Step, derive_on_line, derive_radial
from kernelspec.measures.measure import Measure, Spectral
from kernelspec.measures.mixture import Embedding, Mixture, PushForward
from kernelspec.measures.translated import Continued, Shifted

__all__ = ["derivation", "is_open", "why_open"]


def derivation(measure: Measure, frequency: SymbolicPairs) -> tuple[Step, ...]:
    """The steps from the kernel to the spectral measure at ω, in order; the last gives the whole, called μ.

    The rules: the piece of each factor, tilts, shifts, stretches, products, the transform of each piece, sums; atoms
    translate the density of the rest; independent columns multiply. A part without a closed form is a step that says
    so.
    """
    journal = Journal()
    _derive(measure, _at(sympy.Function("mu"), frequency), frequency, journal)
    return tuple(journal.steps)


def _at(name: Any, frequency: SymbolicPairs) -> Any:
    if not isinstance(frequency.dim, int) or not frequency.written_out:
        return name(sympy.Symbol("omega", real=True))
    return name(*frequency.components())


def _derive(measure: Measure, symbol: Any, frequency: SymbolicPairs, journal: Journal) -> None:
    if isinstance(measure, Mixture) and len(measure.parts) > 1:
        _of_terms(list(zip(measure.weights, measure.parts, strict=True)), measure, symbol, frequency, journal)
        return
    parts = measure.parts if isinstance(measure, Convolution) else (measure,)
    blocks = independent_blocks(parts) if isinstance(measure.dim, int) else []
    if len(blocks) > 1 or (blocks and len(blocks[0][0]) < int(measure.dim)):
        _of_blocks(blocks, measure, symbol, frequency, journal)
        return
    if all(part.finite_atoms() is not None for part in parts):
        journal.write("atoms", "k is a sum of waves", symbol, None, measure.expression(frequency))
        return
    for of_rest in (moved_by_atoms, summed_over_atoms):
        if _of_atoms(parts, of_rest, measure, symbol, frequency, journal):
            return
    for attempt in (_on_line, derive_radial, _of_columns):
        kept = len(journal.steps)
        try:
            attempt(measure, symbol, frequency, journal)
        except NotClosed:
            del journal.steps[kept:]
            continue
        return
    expanded = expanded_mixture(parts)
    if expanded is not None:
        _of_terms(expanded, measure, symbol, frequency, journal)
        return
    _stated(measure, symbol, frequency, journal)


def _stated(measure: Measure, symbol: Any, frequency: SymbolicPairs, journal: Journal) -> None:
    """Parts known without steps: the catalogue's own density, a closed form, or none."""
    density = measure.expression(frequency)
    open_forms = (sympy.Integral, sympy.Function("Convolution"))
    if density.has(*open_forms):
        journal.write("convolution", f"no closed form is known: {measure.describe()}", symbol, None, density)
    else:
        journal.write("catalogue", measure.describe(), symbol, None, density)


def _on_line(measure: Measure, symbol: Any, frequency: SymbolicPairs, journal: Journal) -> None:
    if frequency.dim != 1:
        raise NotClosed("more than one column")
    derive_on_line(measure, symbol, frequency.component(1), journal)


def _of_terms(
    terms: list[tuple[Any, Measure]], measure: Measure, symbol: Any, frequency: SymbolicPairs, journal: Journal
) -> None:
    """A sum, term by term."""
    found = [(sympy.S(weight), _named(term, frequency, journal)) for weight, term in terms]
    total = sympy.Add(*[weight * _at(name, frequency) for weight, name in found])
    journal.write("sum", "the measures of the terms add", symbol, total, measure.expression(frequency))


def _named(measure: Measure, frequency: SymbolicPairs, journal: Journal) -> Any:
    """The steps of a part, and the name given to its density."""
    name = journal.name("mu")
    _derive(measure, _at(name, frequency), frequency, journal)
    return name


def _of_blocks(
    blocks: list[tuple[tuple[int, ...], tuple[Measure, ...]]],
    measure: Measure,
    symbol: Any,
    frequency: SymbolicPairs,
    journal: Journal,
) -> None:
    """Factors on different columns: the product of their densities."""
    total = sympy.S.One
    for columns, parts in blocks:
        own = frequency.select(columns)
        block = convolve(tuple(map(without_embedding, parts))) if len(parts) == 1 else convolve(parts)
        total *= _at(_named(block, own, journal), own)
    used = {column for columns, _ in blocks for column in columns}
    for column in range(int(measure.dim)):
        if column not in used:
            total *= sympy.DiracDelta(frequency.component(column + 1))
    words = "factors on different columns: densities multiply, and a column without a factor has the frequency zero"
    journal.write("blocks", words, symbol, total, measure.expression(frequency))


def _of_atoms(
    parts: tuple[Measure, ...],
    of_rest: Callable[..., Any],
    measure: Measure,
    symbol: Any,
    frequency: SymbolicPairs,
    journal: Journal,
) -> bool:
    """Factors with atoms translate the density of the others; False without such factors."""
    names: dict[tuple[Measure, ...], Any] = {}

    def density(rest: tuple[Measure, ...], at: SymbolicPairs) -> Any:
        if rest not in names:
            names[rest] = _named(convolve(rest), frequency, journal)
        return _at(names[rest], at)

    total = of_rest(parts, frequency, density)
    if total is None:
        return False
    journal.write("atoms", "atoms move the density of the rest", symbol, total, measure.expression(frequency))
    return True


def _of_columns(measure: Measure, symbol: Any, frequency: SymbolicPairs, journal: Journal) -> None:
    """A product over the columns, or a sum of such products."""
    line = SymbolicPairs.frequency(1)
    terms = column_terms(measure)
    if frequency.dim == 1 or any(part.without_density() is not None for _, parts in terms for part in parts):
        raise NotClosed("not a product over the columns")
    names: dict[Measure, Any] = {}
    for _, parts in terms:
        for part in parts:
            if part not in names:
                names[part] = _named(part, line, journal)
    total = []
    for weight, parts in terms:
        if len(parts) == 1:
            value = frequency.product(names[parts[0]])
        else:
            value = sympy.Mul(*[names[part](frequency.component(i)) for i, part in enumerate(parts, 1)])
        total.append(sympy.S(weight) * value)
    words = "the columns are independent: densities multiply"
    journal.write("columns", words, symbol, sympy.Add(*total), measure.expression(frequency))


_UNDONE = ("Convolution", "convolution_power", "push_forward", "not_derived_in_time")


def is_open(expression: Any) -> bool:
    """Whether an integral or a convolution is left over; one that states a value at single points does not count."""
    name = expression.name if isinstance(expression, sympy.Symbol) else type(expression).__name__
    if isinstance(expression, sympy.Integral) or name in _UNDONE:
        return True
    if isinstance(expression, sympy.Piecewise):
        return any(is_open(value) for value, where in expression.args if not isinstance(where, sympy.Eq | sympy.Or))
    return any(map(is_open, expression.args))


def why_open(measure: Measure) -> str | None:
    """Why the density of a measure is left as an integral or a convolution; None for a closed form and for atoms."""
    frequency = SymbolicPairs.frequency(measure.dim)
    if measure.without_density() is not None or not is_open(measure.expression(frequency)):
        return None
    match measure:
        case Mixture():
            return _first(measure.parts)
        case Shifted() | Embedding() | PushForward():
            return why_open(measure.part)
        case Convolution():
            return _of_product(measure, frequency)
        case Spectral() | Continued():
            return _of_kernel(measure.kernel) or reason_not_closed(measure, frequency)
    return f"no closed form is known for {measure.describe()}"


def _first(parts: tuple[Measure, ...]) -> str | None:
    return next((reason for part in parts if (reason := why_open(part)) is not None), None)


def _of_product(measure: Convolution, frequency: SymbolicPairs) -> str | None:
    blocks = independent_blocks(measure.parts) if isinstance(measure.dim, int) else []
    if len(blocks) > 1:
        return _first(tuple(convolve(parts) for _, parts in blocks))
    expanded = expanded_mixture(measure.parts)
    if expanded is not None:
        return _first(tuple(term for _, term in expanded))
    diffuse = tuple(part for part in measure.parts if part.without_density() is None)
    if len(diffuse) == 1:
        return why_open(diffuse[0])
    reasons = (_of_kernel(part.kernel) for part in diffuse if isinstance(part, Spectral))
    return next((reason for reason in reasons if reason), None) or reason_not_closed(convolve(diffuse), frequency)


def _of_kernel(kernel: Stationary) -> str | None:
    """By what the kernel is: a formula, or one that states its own reason; None for others."""
    if not isinstance(kernel, FormulaProduct | FormulaRadial):
        return kernel.density_if or None
    outside = outside_pieces(kernel.shape)
    if outside is None:
        return None
    return (
        f"{outside[0]} is {outside[1]}; transforms are known here for polynomials times exponentials, Gaussians and "
        "waves on intervals, and for a few named functions"
    )
