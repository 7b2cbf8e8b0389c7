"""A kernel on one screen: its terms, how far and how smooth, its verdict, its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.half_distances import half_distances
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.structured_formulas import StructuredFormulas
from kernelspec.analysis.smoothness import smoothness_in_words
from kernelspec.analysis.symbolic_steps import patience
from kernelspec.elaboration.layout import layout_of
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.nodes.sum import Sum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernelspec.analysis.facts import Facts
    from kernelspec.kernels.kernel import Kernel

__all__ = ["overview", "variance_lines"]

_SPEC_LINES, _LETS, _TERMS, _COLUMNS, _WIDTH = 5, 2, 4, 4, 240


def overview(facts: Facts) -> list[str]:
    """At most 18 lines: spec, verdict, columns, formula, and for every term its weight, where k = ½, and smoothness.

    The formulas are short, with norms as they are, and have half the time of others.
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
    lets = formulas.lets()
    lines += [_cut(f"  {line}") for line in lets[:_LETS]]
    lines += [f"  … and {len(lets) - _LETS} more"] * (len(lets) > _LETS)
    return lines + _terms(facts, formulas)


def variance_lines(facts: Facts) -> list[str]:
    """The variances, with what formulas call by name."""
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
    names, count = facts.columns.names, facts.columns.count
    if names is None:
        return f"columns: {'d (any number)' if count is None else count}"
    return _cut(f"columns: {', '.join(names)}")


def _terms(facts: Facts, formulas: StructuredFormulas) -> list[str]:
    """A line for every term; of a spec with free parameters there are no numbers."""
    columns = facts.columns if facts.columns.count is not None else Columns(1)
    kernel, _ = answer_or_reason(lambda: facts.spec.kernel(columns))
    if kernel is None:
        return []
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
    layout = layout_of(term, Columns(columns.count, columns.names))
    numeric = [i for i in layout.numeric if i not in layout.categorical]
    compared = [layout.names[i] if layout.names is not None else f"column {i}" for i in layout.categorical]
    said = [f"compares {_listed(compared)}"] if compared else []
    if numeric and _is_of_the_lag(term):
        found = half_distances(term, numeric[:_COLUMNS]) if term.verdict().symmetric is True else None
        if found is not None:
            said += [f"k = ½ at {_halves(found, len(numeric), layout.names)}"]
        smooth = smoothness_in_words(term)
        said += [smooth] if smooth else []
    elif numeric:
        said.append("no function of x − y")
    return "; ".join(said) or "constant"


def _is_of_the_lag(term: Kernel) -> bool:
    verdict = term.verdict()
    return verdict.stationary is True or verdict.stationary_in_numbers is True


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
