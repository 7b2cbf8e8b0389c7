"""Facts about the spectral measure: its density, atoms, masses, moments and tail."""

from __future__ import annotations

from functools import partial
from math import isinf
from typing import Any

import numpy as np

from kernelspec.analysis.expression_text import latex_of, shortened, shown, shown_size, text_of
from kernelspec.analysis.facts import Fact, Facts, answer_or_reason
from kernelspec.expressions.symbolic import derive
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.loading import sympy
from kernelspec.measures.masses import Masses

__all__ = ["moments", "open_density", "second_moment", "tail_exponent"]

_MOST_ATOMS = 6


def atoms(facts: Facts) -> Fact:
    """Points and weights, and the omitted mass; the text has only the first of them."""
    found, _ = answer_or_reason(lambda: facts.atoms)
    if found is None:
        return Fact(name="atoms", value=None)
    lines = [
        f"  atom {weight:.6g} at ({', '.join(f'{coordinate:.6g}' for coordinate in point)})"
        for point, weight in zip(found.points[:_MOST_ATOMS], found.weights, strict=False)
    ]
    more = len(found.points) - len(lines)
    lines += [f"  … and {more} more"] if more else []
    value = {"points": found.points.tolist(), "weights": found.weights.real.tolist(), "omitted": found.omitted}
    if np.iscomplexobj(found.weights):
        value["imaginary_weights"] = found.weights.imag.tolist()
    return Fact(name="atoms", value=value, lines=tuple(lines))


def masses(facts: Facts) -> Fact:
    """Total variation and Jordan parts with their error, or why they are unknown."""
    found, missing = answer_or_reason(lambda: facts.masses)
    if found is None:
        measure, _ = answer_or_reason(lambda: facts.spectral_measure)
        lines: tuple[str, ...] = () if measure is None else (f"masses: {missing}",)
        return Fact(name="masses", value=None, lines=lines, explains=True, missing=missing)
    exact = {name: text_of(value) for name, value in vars(found).items() if name not in ("error", "is_random")}
    value = exact | {"error": found.error, "is_random": found.is_random}
    return Fact(name="masses", value=value, lines=tuple(_lines(found)), explains=True)


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


_ORDERS = {4: "⁴", 6: "⁶"}


def moments(facts: Facts) -> Fact:
    """E ω⁴ and E ω⁶, up to the first that is infinite; the second moment is a separate fact, in any dimension.

    None if they are unknown: on several columns, out of time, or undefined.
    """
    value: dict[str, str] = {}
    lines, rows = [], []
    for order, mark in _ORDERS.items():
        found, _ = answer_or_reason(partial(derive, partial(facts.moment, order), lambda late: sympy.nan))
        if found is None or found is sympy.nan:
            break
        value[str(order)] = "infinite" if found == sympy.oo else text_of(found)
        lines.append(f"E ω{mark} = {shown_size(found)}")
        rows.append((rf"\mathbb{{E}}\,\omega^{order}", latex_of(found)))
        if found == sympy.oo:
            break
    return Fact(name="moments", value=value or None, lines=tuple(lines), latex=tuple(rows))


def second_moment(facts: Facts) -> Fact:
    """E‖ω‖², possibly infinite or undefined."""
    found, _ = answer_or_reason(lambda: facts.second_moment)
    if found is None:
        return Fact(name="second_moment", value=None)
    if found.has(sympy.nan):
        is_complex = facts.verdict.symmetric is False
        is_stated = facts.k0 == 0 or (is_complex and facts.mapped.count == 1)
        duals = [part for part in facts.spec.symbolic_kernel(facts.columns).parts() if isinstance(part, Dual)]
        cut = [str(dual.activation) for dual in duals if not dual.activation.is_complete]
        why = f"it depends on degrees left out of {cut[0]}" if cut else "infinite parts of both signs may cancel"
        why = "k(x, x) is 0" if facts.k0 == 0 else "the measure is complex" if is_complex else why
        line = f"E‖ω‖² = undefined, {why}" if is_stated else f"E‖ω‖² is not stated: {why}"
        return Fact(name="second_moment", value=None, lines=(line,))
    value = shown_size(found) if found.is_infinite else text_of(found)
    row = (r"\mathbb{E}\lVert\omega\rVert^2", latex_of(found))
    return Fact(name="second_moment", value=value, lines=(f"E‖ω‖² = {shown_size(found)}",), latex=(row,))


def spectral_density(facts: Facts) -> Fact:
    """The density, or the reason for its absence."""
    found, missing = answer_or_reason(lambda: facts.spectral_density)
    if found is None:
        return Fact(name="spectral_density", value=None, explains=True, missing=missing)
    text = text_of(found)
    lines = (f"spectral density = {shortened(text)}",)
    return Fact(name="spectral_density", value=text, lines=lines, explains=True)


def open_density(facts: Facts) -> Fact:
    """Why the density is left as an integral or a convolution; null for a closed form, and without a density."""
    found, _ = answer_or_reason(lambda: facts.open_density)
    return Fact(name="open_density", value=found, lines=() if found is None else (f"  open: {found}",))


def spectral_measure(facts: Facts) -> Fact:
    """The measure as an expression with its atoms, or the reason for its absence, with a note if it has no density."""
    found, missing = answer_or_reason(lambda: facts.spectral_measure)
    if found is None:
        lines: tuple[str, ...] = (f"spectral measure: none ({missing})",)
        return Fact(name="spectral_measure", value=None, lines=lines, explains=True, missing=missing)
    _, without_density = answer_or_reason(lambda: facts.spectral_density)
    text = text_of(found)
    lines = () if without_density is None else (f"spectral measure = {shortened(text)}", f"  ({without_density})")
    return Fact(
        name="spectral_measure", value=text, lines=lines, latex=((r"\mu(\omega)", latex_of(found)),), explains=True
    )


def tail_exponent(facts: Facts) -> Fact:
    """α with |μ(ω)| = O(‖ω‖^−α), or the reason for its absence: atoms have no density, symbols no number."""
    found, missing = answer_or_reason(lambda: facts.tail_exponent)
    if found is None:
        return Fact(name="tail_exponent", value=None, explains=True, missing=missing)
    if isinf(found):
        line, law = "the density falls faster than any power of ‖ω‖", r"O(\lVert\omega\rVert^{-n})\text{ for every }n"
        return Fact(
            name="tail_exponent", value="infinite", lines=(line,), latex=((r"\mu(\omega)", law),), explains=True
        )
    line, law = (
        f"the density falls like ‖ω‖^−{found:g}, logarithms aside",
        rf"O(\lVert\omega\rVert^{{-{found:g}+o(1)}})",
    )
    return Fact(name="tail_exponent", value=found, lines=(line,), latex=((r"\mu(\omega)", law),), explains=True)


def state_space(facts: Facts) -> Fact:
    """The matrices on one column, exact if short enough; null without a state space."""
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


def paths(facts: Facts) -> Fact:
    """Smoothness of the paths of a Gaussian process, and its crossings of the mean; null if unknown."""
    found, missing = answer_or_reason(lambda: facts.paths)
    if found is None:
        return Fact(name="paths", value=None, explains=True, missing=missing)
    count, rate = found.derivatives, found.crossing_rate
    words = "all mean-square derivatives"
    if not isinf(count):
        kind = (
            f"{count} mean-square derivative{'s' * (count != 1)}" if count else "continuous, no mean-square derivative"
        )
        words = f"{kind}, Hölder of every order below {found.hoelder:.6g}"
    lines = [f"paths of a Gaussian process: {words}"]
    if rate is not None:
        often = "infinitely often" if rate == sympy.oo else f"{shown_size(rate)} times"
        lines.append(f"  expected to cross the mean {often} per unit of length")
    value = {
        "derivatives": "infinite" if isinf(count) else count,
        "hoelder": found.hoelder,
        "crossing_rate": None if rate is None else "infinite" if rate == sympy.oo else text_of(rate),
    }
    return Fact(name="paths", value=value, lines=tuple(lines), explains=True)


def mean_embedding(facts: Facts) -> Fact:
    """∫ k(x, y) N(y; m, s²) dy on one column if it is closed; null otherwise."""
    found, _ = answer_or_reason(lambda: facts.normal_embedding)
    if found is None:
        return Fact(name="mean_embedding", value=None)
    text, integral = text_of(found), r"\int k(x, y)\,\mathcal{N}(y; m, s^2)\,dy"
    line = f"∫ k(x, y) N(y; m, s²) dy = {shortened(text)}"
    return Fact(
        name="mean_embedding", value={"normal(m, s)": text}, lines=(line,), latex=((integral, latex_of(found)),)
    )
