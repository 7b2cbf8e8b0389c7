"""Shorter sums of error functions: terms with one exponential are added, and those with opposite arguments."""

from __future__ import annotations

from typing import Any

__all__ = ["gathered_terms"]


def gathered_terms(expression: Any) -> Any:
    """Σ q e^{g} (erf a − erf b) with equal g written as e^{g} Σ p erf a, where erf(−a) counts as −erf(a).

    The same expression where no two terms have one exponential, or nothing is saved.
    """
    import sympy

    if not expression.has(sympy.erf):
        return expression
    number, rest = expression.as_independent(*expression.free_symbols, as_Add=False)
    groups: dict[Any, list[tuple[Any, Any]]] = {}
    others = []
    for term in sympy.Add.make_args(rest):
        exponentials = [part for part in term.args if part.func is sympy.exp] if term.is_Mul else []
        if len(exponentials) == 1 and term.has(sympy.erf):
            (found,) = exponentials
            groups.setdefault(sympy.expand(found.args[0]), []).append((found, term / found))
        else:
            others.append(term)
    if all(len(group) < 2 for group in groups.values()):
        return expression
    for group in groups.values():
        exponential = group[0][0]
        total = sympy.Add(*[factor for _, factor in group])
        others.append(exponential * (_by_arguments(total) if len(group) > 1 else total))
    content, rest = sympy.Add(*others).as_content_primitive()
    found = number * content * rest
    return found if found.count_ops() < expression.count_ops() else expression


def _by_arguments(total: Any) -> Any:
    """Σ p erf a with one term for every argument up to its sign."""
    import sympy

    names: dict[Any, tuple[Any, Any]] = {}
    replaced = {}
    for function in sorted(total.atoms(sympy.erf), key=sympy.default_sort_key):
        key = sympy.expand(function.args[0])
        if -key in names:
            replaced[function] = -names[-key][0]
        else:
            names[key] = (sympy.Dummy(), function)
            replaced[function] = names[key][0]
    symbols = [symbol for symbol, _ in names.values()]
    weights = sympy.Poly(total.xreplace(replaced), *symbols)
    terms = [
        sympy.factor_terms(sympy.expand(weights.coeff_monomial(symbol))) * function
        for symbol, function in names.values()
    ]
    return sympy.factor_terms(sympy.Add(*terms, weights.coeff_monomial(1)))
