"""Facts about the spectral measure: its density, atoms, masses, moments and tail."""

from __future__ import annotations

from functools import partial
from math import isinf
from typing import TYPE_CHECKING, Any

from kernelspec.analysis.expression_text import latex_of, shortened, shown, shown_size, text_of
from kernelspec.analysis.facts import Fact, answer_or_reason
from kernelspec.expressions.symbolic import derive

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.measures.masses import Masses

__all__ = [
    "atoms",
    "masses",
    "moments",
    "second_moment",
    "spectral_density",
    "spectral_measure",
    "state_space",
    "tail_exponent",
]

_MOST_ATOMS = 6


def atoms(facts: Facts) -> Fact:
    """Points and weights, and the mass left out; in words only the first of them."""
    found, _ = answer_or_reason(lambda: facts.atoms)
    if found is None:
        return Fact(name="atoms", value=None)
    lines = [
        f"  atom {weight:.6g} at ({', '.join(f'{coordinate:.6g}' for coordinate in point)})"
        for point, weight in zip(found.points[:_MOST_ATOMS], found.weights, strict=False)
    ]
    more = len(found.points) - len(lines)
    lines += [f"  … and {more} more"] if more else []
    value = {"points": found.points.tolist(), "weights": found.weights.tolist(), "omitted": found.omitted}
    return Fact(name="atoms", value=value, lines=tuple(lines))


def masses(facts: Facts) -> Fact:
    """Total variation and Jordan parts with their error, or why they are not known."""
    found, missing = answer_or_reason(lambda: facts.masses)
    if found is None:
        measure, _ = answer_or_reason(lambda: facts.spectral_measure)
        lines: tuple[str, ...] = () if measure is None else (f"masses: {missing}",)
        return Fact(name="masses", value=None, lines=lines, explains=True, missing=missing)
    return Fact(name="masses", value=_to_dict(found), lines=tuple(_lines(found)), explains=True)


def _lines(masses: Masses) -> list[str]:
    lines = [f"total variation = {shown(masses.total_variation)}"]
    if masses.jordan == masses.real_positive:
        return lines
    lines += [
        f"masses of the real part = {shown(masses.real_positive)} and {shown(masses.real_negative)} (negative)",
        f"masses of the imaginary part = {shown(masses.imaginary_positive)}, either sign",
    ]
    if masses.error:
        how = "standard error of the masses" if masses.is_random else "error of the masses at most"
        lines.append(f"  {how} {masses.error:.1g}")
    return lines


def _to_dict(masses: Masses) -> dict[str, Any]:
    exact = {name: text_of(value) for name, value in vars(masses).items() if name not in ("error", "is_random")}
    return exact | {"error": masses.error, "is_random": masses.is_random}


_ORDERS = {4: "⁴", 6: "⁶"}


def moments(facts: Facts) -> Fact:
    """E ω⁴ and E ω⁶, up to the first that is infinite; the second moment is a fact of its own, in any dimension.

    None where they are not known: on several columns, in time, or where a moment is undefined.
    """
    import sympy

    value: dict[str, str] = {}
    lines, rows = [], []
    for order, mark in _ORDERS.items():
        found, _ = answer_or_reason(partial(_in_time, facts, order))
        if found is None or found is sympy.nan:
            break
        value[str(order)] = "infinite" if found == sympy.oo else text_of(found)
        lines.append(f"E ω{mark} = {shown_size(found)}")
        rows.append((rf"\mathbb{{E}}\,\omega^{order}", latex_of(found)))
        if found == sympy.oo:
            break
    return Fact(name="moments", value=value or None, lines=tuple(lines), latex=tuple(rows))


def _in_time(facts: Facts, order: int) -> Any:
    import sympy

    return derive(lambda: facts.moment(order), lambda late: sympy.nan)


def second_moment(facts: Facts) -> Fact:
    """E‖ω‖², which may be infinite, or undefined."""
    import sympy

    found, _ = answer_or_reason(lambda: facts.second_moment)
    if found is None:
        return Fact(name="second_moment", value=None)
    if found.has(sympy.nan):
        why = "k(x, x) is 0" if facts.k0 == 0 else "the measure is complex"
        return Fact(name="second_moment", value=None, lines=(f"E‖ω‖² = undefined, {why}",))
    value = "infinite" if found == sympy.oo else text_of(found)
    row = (r"\mathbb{E}\lVert\omega\rVert^2", latex_of(found))
    return Fact(name="second_moment", value=value, lines=(f"E‖ω‖² = {shown_size(found)}",), latex=(row,))


def spectral_density(facts: Facts) -> Fact:
    """The density, or why there is none."""
    found, missing = answer_or_reason(lambda: facts.spectral_density)
    if found is None:
        return Fact(name="spectral_density", value=None, explains=True, missing=missing)
    text = text_of(found)
    lines = (f"spectral density = {shortened(text)}",)
    return Fact(name="spectral_density", value=text, lines=lines, explains=True)


def spectral_measure(facts: Facts) -> Fact:
    """The measure as an expression with its atoms, or why there is none; in words where it has no density."""
    found, missing = answer_or_reason(lambda: facts.spectral_measure)
    if found is None:
        lines: tuple[str, ...] = (f"spectral measure: none ({missing})",)
        return Fact(name="spectral_measure", value=None, lines=lines, explains=True, missing=missing)
    _, without_density = answer_or_reason(lambda: facts.spectral_density)
    text = text_of(found)
    lines = () if without_density is None else (f"spectral measure = {shortened(text)}", f"  ({without_density})")
    return Fact(
        name="spectral_measure",
        value=text,
        lines=lines,
        latex=((r"\mu(\omega)", latex_of(found)),),
        explains=True,
    )


def tail_exponent(facts: Facts) -> Fact:
    """α with |μ(ω)| = O(‖ω‖^−α), or why there is none: atoms have no density, symbols no number."""
    found, missing = answer_or_reason(lambda: facts.tail_exponent)
    if found is None:
        return Fact(name="tail_exponent", value=None, explains=True, missing=missing)
    if isinf(found):
        line, law = "the density falls faster than any power of ‖ω‖", r"O(\lVert\omega\rVert^{-n})\text{ for every }n"
        return Fact(
            name="tail_exponent", value="infinite", lines=(line,), latex=((r"\mu(\omega)", law),), explains=True
        )
    line, law = f"the density falls like ‖ω‖^−{found:g}", rf"O(\lVert\omega\rVert^{{-{found:g}}})"
    return Fact(name="tail_exponent", value=found, lines=(line,), latex=((r"\mu(\omega)", law),), explains=True)


def state_space(facts: Facts) -> Fact:
    """The matrices on one column, exactly where they are written down; null where there are none."""
    found, missing = answer_or_reason(lambda: facts.state_space)
    exact, _ = answer_or_reason(lambda: facts.exact_state_space)
    if found is None and exact is None:
        return Fact(name="state_space", value=None, explains=True, missing=missing)
    value: dict[str, Any] = {} if found is None else found.to_dict()
    for name, matrix in {} if exact is None else vars(exact).items():
        value[name] = [[text_of(entry) for entry in row] for row in matrix.tolist()]
    error = f", k within {found.error:.1g}" if found is not None and found.error else ""
    line = f"state space: {len(value['F'])} state{'s' * (len(value['F']) != 1)}{error}"
    rows = () if exact is None else tuple((name, latex_of(matrix)) for name, matrix in vars(exact).items())
    return Fact(name="state_space", value=value, lines=(line,), latex=rows, explains=True)
