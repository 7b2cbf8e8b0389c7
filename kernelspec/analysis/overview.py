"""A kernel on one screen: the most important facts, and the smoothness of its functions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from kernelspec.analysis.expression_text import StructuredFormulas, with_superscripts
from kernelspec.analysis.facts import Facts, analyze, answer_or_reason
from kernelspec.analysis.profile import of_equal_categories, of_named_columns
from kernelspec.analysis.spectral_statements import moments, open_density, second_moment, tail_exponent
from kernelspec.analysis.statements import counted_columns
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic import patience
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.nodes.columns_and_lags import Select, Shift, Stretch, Tilt
from kernelspec.kernels.nodes.dual import Dual
from kernelspec.kernels.nodes.skeleton import Skeleton
from kernelspec.kernels.nodes.sums_and_products import Additive, Power, Product, Sum
from kernelspec.limits import MAX_BLOCK_BYTES
from kernelspec.loading import sympy
from kernelspec.tables.rows import Rows

__all__ = ["derivatives", "half_distances", "on_fewer_columns", "overview", "smoothness_in_words", "variance_lines"]

Derivatives = float | None
"""Mean-square derivatives along the numeric columns: 0, 1, …, ∞; None if unknown."""


def derivatives(kernel: Kernel) -> Derivatives:
    """m such that k(Δ) is 2m times differentiable at Δ = 0, and no more; categories do not count.

    A process with this covariance has m mean-square derivatives [Rasmussen and Williams 2006, section 4.1.1]. Raises
    TypeError for a kernel without a rule.
    """
    match kernel:
        case Leaf():
            return kernel.derivatives()
        case Sum():  # the minimum over the terms, if kinks cannot cancel
            return None if any(float(weight) < 0 for weight in kernel.weights) else _least(*kernel.terms)
        case Product():
            return _least(*kernel.factors)
        case Additive() | Power() | Select() | Stretch() | Tilt():
            return derivatives(kernel.base)
        case Dual() | Shift() | Skeleton():  # it depends on the activation, or on the kernel away from 0
            return None
    raise TypeError(f"no rule for the smoothness of {type(kernel).__name__}")


def smoothness_in_words(kernel: Kernel) -> str | None:
    """`all derivatives`, `1 derivative`, `continuous, no derivative`; None if unknown."""
    found = derivatives(kernel)
    if found is None or found == math.inf:
        return None if found is None else "all derivatives"
    return f"{found:g} derivative{'s' if found != 1 else ''}" if found else "continuous, no derivative"


def _least(*parts: Kernel) -> Derivatives:
    found = [derivatives(part) for part in parts]
    if 0 in found:
        return 0
    known = [one for one in found if one is not None]
    return None if len(known) < len(found) else min(known, default=math.inf)


_LAGS = np.geomspace(1e-9, 1e9, 721)
_WITHIN, _ROUNDS = 257, 4  # lags between two of these, refined twice: to a ratio of 1 + 1e-11

_BLOCK_BYTES = MAX_BLOCK_BYTES // 16

_MOST_VALUES = 1 << 20  # entries of the rows at all these lags, enough for up to 1,454 columns


def half_distances(kernel: Kernel, columns: Iterable[int]) -> dict[int, float | None] | None:
    """For each of these columns the smallest t with k(t e) ≤ k(0)/2, e the column's unit vector, categories being
    equal.

    None if k does not fall that far, or k(0) is not positive; None for all if there are too many columns. k must be a
    function of the lag, and of equalities.
    """
    if len(_LAGS) * int(kernel.dim) > _MOST_VALUES:
        return None
    return {column: _half_distance(kernel, column) for column in columns}


def _half_distance(kernel: Kernel, column: int) -> float | None:
    whole = float(_values(kernel, column, np.zeros(1))[0])
    if not whole > 0:
        return None
    lags = _LAGS
    for round_ in range(1 + _ROUNDS):
        below = np.flatnonzero(_values(kernel, column, lags) <= whole / 2)
        if not len(below):
            return None if round_ == 0 else float(lags[-1])
        if below[0] == 0:
            return 0.0 if round_ == 0 else float(lags[0])
        low, high = lags[below[0] - 1], lags[below[0]]
        lags = np.linspace(low, high, _WITHIN)
    return float(high)


def _values(kernel: Kernel, column: int, lags: NDArray[np.float64]) -> NDArray[np.float64]:
    """k at the lags in one column, in blocks."""
    dim = int(kernel.dim)
    size, found = max(1, _BLOCK_BYTES // (8 * dim)), np.empty(len(lags))
    for start in range(0, len(lags), size):
        some = lags[start : start + size]
        numbers = np.zeros((len(some), dim))
        codes = dict.fromkeys(range(dim), np.zeros(len(some), dtype=np.uint64))
        y = Rows(numbers.copy(), codes)
        numbers[:, column] = some
        found[start : start + size] = kernel.value(NumericPairs(Rows(numbers, codes), y, grid=False))
    return found


_SPEC_LINES, _LETS, _TERMS, _COLUMNS, _WIDTH = 5, 2, 4, 4, 240


def overview(facts: Facts) -> list[str]:
    """At most 20 lines: spec, verdict, columns, formula, spectral density with its moments and tail, and for every term
    its weight, half-width and smoothness.

    Formulas are short, with unexpanded norms, and get half the usual time.
    """
    with patience(0.5):
        return _lines(facts)


def _lines(facts: Facts) -> list[str]:
    formulas = StructuredFormulas(facts.spec, facts.columns)
    spec = str(facts.spec).splitlines()
    if len(spec) > _SPEC_LINES:
        spec = [*spec[: _SPEC_LINES - 1], f"… and {len(spec) - _SPEC_LINES + 1} lines"]
    lines = [
        *(_cut(line) for line in spec),
        "",
        _verdict(facts),
        _columns(facts),
        _cut(f"k(x, y) = {formulas.kernel()}"),
    ]
    if facts.noise is not None:
        lines.append(f"observation noise of variance {facts.noise} beside the kernel")
    lets = formulas.lets()
    lines += [_cut(f"  {line}") for line in lets[:_LETS]]
    lines += [f"  … and {len(lets) - _LETS} more"] * (len(lets) > _LETS)
    return lines + _spectrum(facts, formulas) + _terms(facts, formulas)


def _spectrum(facts: Facts, formulas: StructuredFormulas) -> list[str]:
    """The density, or the measure with its atoms, or why there is none; moments and tail in one line."""
    measure, missing = answer_or_reason(lambda: facts.spectral_measure)
    density, why = answer_or_reason(lambda: facts.spectral_density)
    fewer = on_fewer_columns(facts) if density is None else None
    if fewer is not None:
        words, own = fewer
        said = _spectrum(own, StructuredFormulas(own.spec, own.columns))
        return [_cut(said[0].replace(":", f" {words}:", 1)), *said[1:]]
    if measure is None or (density is None and measure.has(sympy.Integral)):  # an integral that diverges at the atoms
        return [_cut(f"no spectral density: {missing or why}")]
    name = "measure: μ" if density is None else "density: p"
    sizes = [line for fact in (second_moment, moments, tail_exponent) for line in fact(facts).lines]
    lines = [
        f"spectral {name}(ω) = {formulas.spectrum(measure)}",
        *open_density(facts).lines,
        with_superscripts(f"  {'; '.join(sizes)}"),
    ]
    return [_cut(line) for line in lines if line.strip()]


def on_fewer_columns(facts: Facts) -> tuple[str, Facts] | None:
    """The facts about k on the columns that it reads, between rows of equal categories, and words for that.

    None if these are the facts themselves, or do not have a spectral measure.
    """
    own = facts.spec
    if facts.columns.names is None:
        own = of_named_columns(own) or own
    equal = of_equal_categories(own)
    names = equal.columns().names
    if names is None or set(names) == set(facts.columns.names or ()):
        return None
    if equal != own:
        layout = layout_of(own.symbolic(own.columns()).kernel, own.mapped(own.columns()))
        if layout.names is None or any(layout.names[i] in names for i in layout.categorical):
            return None
    found, _ = answer_or_reason(lambda: analyze(equal, columns=names))
    measure, _ = answer_or_reason(lambda: found and found.spectral_measure)
    if found is None or measure is None:
        return None
    words = [] if equal == own else ["between equal categories"]
    if own != facts.spec:
        words.insert(0, f"on column{'s' * (len(names) > 1)} {_listed([str(int(name) - 1) for name in names])}")
    elif not words:
        words = [f"on {_listed(list(names))}"]
    return " ".join(words), found


def variance_lines(facts: Facts) -> list[str]:
    """The variances, with definitions of the names in their formulas."""
    formulas = StructuredFormulas(facts.spec, facts.columns)
    said = ["variance of one sample's inner product:", *(f"  {line}" for line in formulas.variances())]
    lets = formulas.lets()
    return [*said, *(f"  with {line}" for line in lets)]


def _verdict(facts: Facts) -> str:
    verdict = facts.verdict
    symmetric = {True: "symmetric", False: "not symmetric", None: "symmetry unknown"}[verdict.symmetric]
    stationary = {True: "stationary", False: "not stationary", None: "stationarity unknown"}[verdict.stationary]
    if verdict.stationary is not True and verdict.stationary_in_numbers is True:
        stationary = "stationary in its numeric columns"
    return f"positive definite: {verdict.positive_definite}; {symmetric}; {stationary}"


def _columns(facts: Facts) -> str:
    names = facts.mapped.names
    shown = counted_columns(facts) if names is None else ", ".join(names)
    return _cut(f"columns: {shown}{'' if facts.mapped is facts.columns else ' (all that follows is stated in these)'}")


def _terms(facts: Facts, formulas: StructuredFormulas) -> list[str]:
    """One line per term; without numbers if parameters are free."""
    table = facts.columns if facts.columns.count is not None else Columns(1)
    found, _ = answer_or_reason(lambda: facts.spec.elaborated(table))
    if found is None:
        return []
    kernel, columns = found.kernel, found.columns(table)
    terms = zip(kernel.weights, kernel.terms, strict=True) if isinstance(kernel, Sum) else [(1.0, kernel)]
    shown = [
        f"  {float(weight):.4g}  {_cut(text, 100)}: {_described(term, columns)}"
        for (weight, term), text in zip(terms, formulas.terms, strict=False)
    ]
    if len(shown) == 1 and not isinstance(kernel, Sum):
        return [f"  {_described(kernel, columns)}"]
    more = [f"  … and {len(shown) - _TERMS} more"] * (len(shown) > _TERMS)
    return ["terms (weight, term):", *shown[:_TERMS], *more]


def _described(term: Kernel, columns: Columns) -> str:
    layout = layout_of(term, columns)
    numeric = [i for i in layout.numeric if i not in layout.categorical]
    compared = [layout.names[i] if layout.names is not None else f"column {i}" for i in layout.categorical]
    said = [f"compares {_listed(compared)}"] if compared else []
    verdict = term.verdict()
    if numeric and (verdict.stationary is True or verdict.stationary_in_numbers is True):
        found = half_distances(term, numeric[:_COLUMNS]) if verdict.symmetric is True else None
        if found is not None:
            said += [f"k = ½ at {_halves(found, len(numeric), layout.names)}"]
        smooth = smoothness_in_words(term)
        said += [smooth] if smooth else []
    elif numeric:
        said.append("not a function of x − y alone")
    return "; ".join(said) or "constant"


def _halves(found: Mapping[int, float | None], n_columns: int, names: tuple[str, ...] | None) -> str:
    texts = {i: "no distance" if t is None else f"{t:.3g}" for i, t in found.items()}
    if len(set(texts.values())) == 1:
        (text,) = set(texts.values())
        return text if n_columns == 1 else f"{text} in each column"
    shown = [f"{text} of {names[i] if names else f'column {i}'}" for i, text in texts.items()]
    return ", ".join(shown) + (", …" if n_columns > _COLUMNS else "")


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_COLUMNS]) + (", …" if len(names) > _COLUMNS else "")


def _cut(text: str, most: int = _WIDTH) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
