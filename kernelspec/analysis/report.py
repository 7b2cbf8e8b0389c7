"""Facts as text, LaTeX and JSON data."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kernelspec.analysis.bounded import within
from kernelspec.errors import KernelspecError, NoDensityError, NotStationaryError, SpecError

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.analysis.masses import Masses

__all__ = ["facts_to_dict", "latex_report", "text_report"]

_SECONDS = 1.0
_LONGEST = 1200
_MOST_ATOMS = 6


def text_report(facts: Facts) -> str:
    """Verdict with reasons, kernel, spectral measure, masses, moments and variances, as lines of text."""
    verdict = facts.verdict
    lines = [str(facts.spec), "", f"columns: {_columns(facts)}", f"positive definite: {verdict.positive_definite}"]
    lines += [f"  - {reason}" for reason in verdict.reasons]
    stationary = {True: "yes", False: "no", None: "in its numeric columns"}[verdict.stationary]
    lines += [f"symmetric: {'yes' if verdict.symmetric else 'no'}", f"stationary: {stationary}", ""]
    lines += [f"k(x, y) = {_shown(facts.kernel)}", f"k(x, x) = {_shown(facts.k0)}"]
    lines += _measure_lines(facts)
    lines += _polya_lines(facts)
    lines += _composition_lines(facts)
    lines += _skeleton_lines(facts)
    lines += _cosine_lines(facts)
    lines.append("variance of one sample's inner product:")
    return "\n".join(
        lines + [f"  {', '.join(methods)}: {_shown(value)}" for value, methods in _variances(facts).items()]
    )


def _variances(facts: Facts) -> dict[Any, list[str]]:
    """The variances, with the methods that have each one."""
    shared: dict[Any, list[str]] = {}
    for method, value in facts.variance.items():
        shared.setdefault(value, []).append(method)
    return shared


def latex_report(facts: Facts) -> str:
    """Kernel, spectral measure and variances as a LaTeX `align*` environment."""
    rows = [("k(x, y)", facts.kernel)]
    with suppress(NotStationaryError):
        rows.append((r"\mu(\omega)", facts.spectral_measure))
    rows += [
        (rf"\operatorname{{Var}}_{{\text{{{', '.join(methods)}}}}}", value)
        for value, methods in _variances(facts).items()
    ]
    body = " \\\\\n".join(f"  {left} &= {_latex(value)}" for left, value in rows)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"


def facts_to_dict(facts: Facts) -> dict[str, Any]:
    """All facts as JSON data; expressions as SymPy's text, what does not exist as null with the reason beside it."""
    verdict = facts.verdict
    measure, no_measure = _or_reason(lambda: str(facts.spectral_measure))
    density, no_density = _or_reason(lambda: str(facts.spectral_density))
    moment, _ = _or_reason(lambda: str(facts.second_moment))
    masses, no_masses = _or_reason(lambda: _masses_to_dict(facts.masses))
    composition, _ = _or_reason(lambda: facts.composition)
    atoms, _ = _or_reason(lambda: _atoms_to_dict(facts))
    return {
        "spec": str(facts.spec),
        "columns": facts.columns.names or facts.columns.count,
        "verdict": {
            "positive_definite": verdict.positive_definite,
            "symmetric": verdict.symmetric,
            "stationary": verdict.stationary,
            "reasons": list(verdict.reasons),
        },
        "kernel": str(facts.kernel),
        "k0": str(facts.k0),
        "spectral_measure": measure,
        "spectral_density": density,
        "no_spectral_measure": no_measure,
        "no_spectral_density": no_density,
        "atoms": atoms,
        "second_moment": {"oo": "infinite", "nan": None}.get(str(moment), moment),
        "masses": masses,
        "no_masses": no_masses,
        "mean": None if facts.mean is None else str(facts.mean),
        "polya": None if facts.polya is None else {name: str(value) for name, value in vars(facts.polya).items()},
        "composition": None if composition is None else {name: str(value) for name, value in vars(composition).items()},
        "variance": {name: str(value) for name, value in facts.variance.items()},
    }


def _measure_lines(facts: Facts) -> list[str]:
    import sympy

    try:
        measure = facts.spectral_measure
    except NotStationaryError as error:
        return [f"spectral measure: none ({error})"]
    lines = []
    try:
        lines.append(f"spectral density = {_shown(facts.spectral_density)}")
    except NoDensityError as error:
        lines += [f"spectral measure = {_shown(measure)}", f"  ({error})"]
        lines += _atom_lines(facts)
    moment = facts.second_moment
    if moment.has(sympy.nan):
        size = "undefined, " + ("k(x, x) is 0" if facts.k0 == 0 else "the measure is complex")
    else:
        size = "infinite" if moment.is_infinite else _shown(moment)
    lines.append(f"E‖ω‖² = {size}")
    try:
        return lines + _mass_lines(facts.masses)
    except SpecError as error:
        return [*lines, f"masses: {error.message}"]


def _mass_lines(masses: Masses) -> list[str]:
    lines = [f"total variation = {_shown(masses.total_variation)}"]
    if masses.jordan == masses.real_positive:
        return lines
    lines += [
        f"masses of the real part = {_shown(masses.real_positive)} and {_shown(masses.real_negative)} (negative)",
        f"masses of the imaginary part = {_shown(masses.imaginary_positive)}, either sign",
    ]
    if masses.error:
        how = "standard error of the masses" if masses.is_random else "error of the masses at most"
        lines.append(f"  {how} {masses.error:.1g}")
    return lines


def _polya_lines(facts: Facts) -> list[str]:
    if facts.polya is None:
        return []
    mean, inverse, area = (_shown_size(size) for size in (facts.polya.mean, facts.polya.inverse_mean, facts.polya.area))
    return [
        f"Polya kernel of R ~ {facts.polya.distribution}: E R = {mean}, M = E[1/R] = {inverse}, area under the kernel "
        f"of one column = {area}"
    ]


def _cosine_lines(facts: Facts) -> list[str]:
    found = facts.cosine_estimators
    first = ["variance of one column (or key) at the cosine rho [Li 2017]:"] if found else []
    return first + [f"  {name}: {_shown(variance)}" for name, variance in found.items()]


def _composition_lines(facts: Facts) -> list[str]:
    found, _ = _or_reason(lambda: facts.composition)
    if found is None:
        return []
    sizes = ["infinite" if size == float("inf") else f"{size:.6g}" for size in (found.complexity, found.norm)]
    lines = [f"a feature has {sizes[0]} factors in the mean; its norm is at most C = {sizes[1]}"]
    if found.norm < float("inf"):
        count = 2 * found.norm**4
        lines.append(
            f"  {count:.6g} ln(2/δ)/ε² samples keep the error of an inner product below ε with probability 1 − δ "
            f"({4 * count:.6g} with random offsets)"
        )
    return lines


def _skeleton_lines(facts: Facts) -> list[str]:
    """The layers of every skeleton in the kernel."""
    found, _ = _or_reason(lambda: facts.skeletons)
    lines: list[str] = []
    for skeleton in found or ():
        first, *rest = skeleton.lines()
        lines += [f"skeleton: {first}", *(f"  {line}" for line in rest)]
    return lines


def _shown_size(size: Any) -> str:
    import sympy

    return "infinite" if sympy.S(size).is_infinite else _shown(size)


def _atom_lines(facts: Facts) -> list[str]:
    found, _ = _or_reason(lambda: facts.atoms)
    if found is None:
        return []
    shown = [
        f"  atom {weight:.6g} at ({', '.join(f'{coordinate:.6g}' for coordinate in point)})"
        for point, weight in zip(found.points[:_MOST_ATOMS], found.weights, strict=False)
    ]
    more = len(found.points) - len(shown)
    return [*shown, f"  … and {more} more"] if more else shown


def _atoms_to_dict(facts: Facts) -> dict[str, Any] | None:
    atoms = facts.atoms
    if atoms is None:
        return None
    return {"points": atoms.points.tolist(), "weights": atoms.weights.tolist(), "omitted": atoms.omitted}


def _masses_to_dict(masses: Masses) -> dict[str, Any]:
    exact = {name: str(value) for name, value in vars(masses).items() if name not in ("error", "is_random")}
    return exact | {"error": masses.error, "is_random": masses.is_random}


def _or_reason(question: Callable[[], Any]) -> tuple[Any, str | None]:
    """The answer, or None and why there is none."""
    try:
        return question(), None
    except SpecError as error:
        return None, error.message
    except KernelspecError as error:
        return None, str(error)


def _columns(facts: Facts) -> str:
    if facts.columns.names is not None:
        return ", ".join(facts.columns.names)
    return str(facts.columns.count) if facts.columns.count is not None else "d (any number)"


def _shown(expression: Any) -> str:
    text = within(_SECONDS, lambda: str(expression), lambda: "(too long to be printed in time)")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def _latex(expression: Any) -> str:
    import sympy

    return within(_SECONDS, lambda: str(sympy.latex(expression)), lambda: r"\text{too long to be printed in time}")
