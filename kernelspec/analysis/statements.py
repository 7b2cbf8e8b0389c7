"""The list of facts, in the order of all reports: each as text, LaTeX and JSON data."""

from __future__ import annotations

from functools import partial

from kernelspec.analysis.expression_text import latex_of, latex_text, shortened, shown, shown_size, text_of, variance_of
from kernelspec.analysis.facts import Fact, Facts, answer_or_reason
from kernelspec.analysis.variances import methods_by_variance, number, skeleton_to_dict
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import DimensionError, KernelspecError
from kernelspec.expressions.symbolic import patience
from kernelspec.kernels.kernel import Verdict
from kernelspec.loading import load_from

__all__ = ["STATEMENTS", "counted_columns", "kernel", "stated"]


def spec(facts: Facts) -> Fact:
    """The text of the spec."""
    text = str(facts.spec)
    return Fact(name="spec", value=text, lines=(text, ""))


def columns(facts: Facts) -> Fact:
    """Column names, a number, or any number of columns."""
    names = facts.mapped.names
    shown = counted_columns(facts) if names is None else ", ".join(names)
    lines = [f"columns: {shown}"]
    if facts.mapped is not facts.columns:
        lines.append("  functions of the table's columns: everything below is stated in these, stationarity too")
    return Fact(name="columns", value=names or facts.columns.count, lines=tuple(lines))


def counted_columns(facts: Facts) -> str:
    """The number of columns as text: "1" if implied, for a kernel such as circle()."""
    if facts.mapped.count is not None:
        return str(facts.mapped.count)
    try:
        facts.spec.symbolic_kernel(Columns(2))
    except DimensionError:
        fits_one = answer_or_reason(lambda: facts.spec.symbolic_kernel(Columns(1)))[0] is not None
        return "1" if fits_one else "d"
    except KernelspecError:
        pass
    return "d (any number)"


def kernel(facts: Facts) -> Fact:
    """k(x, y)."""
    found = facts.kernel
    text = text_of(found)
    return Fact(
        name="kernel", value=text, lines=(f"k(x, y) = {shortened(text)}",), latex=(("k(x, y)", latex_of(found)),)
    )


def verdict(facts: Facts) -> Fact:
    """The verdict with its reasons."""
    found = facts.verdict
    lines = (f"positive definite: {positive_definite_in_words(found)}", *found.lines(), "")
    return Fact(name="verdict", value=found.to_dict(), lines=lines)


def positive_definite_in_words(verdict: Verdict) -> str:
    """The answer, with the columns for which it differs."""
    if verdict.most_columns is None:
        return verdict.positive_definite
    columns = f"{verdict.most_columns} column{'s' * (verdict.most_columns != 1)}"
    return f"{verdict.positive_definite}: positive definite in up to {columns}, not in any number of them"


def diagonal(facts: Facts) -> Fact:
    """k(x, x), the mass of the spectral measure if there is one."""
    found = text_of(facts.k0)
    return Fact(name="k0", value=found, lines=(f"k(x, x) = {shortened(found)}",))


def noise(facts: Facts) -> Fact:
    """The variance of the observation noise; null without noise."""
    found = facts.noise
    if found is None:
        return Fact(name="noise", value=None)
    text = text_of(found)
    return Fact(name="noise", value=text, lines=(f"observation noise of variance {text} beside the kernel",))


def polya(facts: Facts) -> Fact:
    """Distribution, mean, E[1/R] and area of one Polya kernel."""
    found = facts.polya
    if found is None:
        return Fact(name="polya", value=None)
    mean, inverse, area = (shown_size(size) for size in (found.mean, found.inverse_mean, found.area))
    line = (
        f"Polya kernel of R ~ {found.distribution}: E R = {mean}, M = E[1/R] = {inverse}, area under the kernel "
        f"of one column = {area}"
    )
    return Fact(name="polya", value={name: text_of(value) for name, value in vars(found).items()}, lines=(line,))


def mean(facts: Facts) -> Fact:
    """The mean of the distribution of a Polya kernel; its line is that of the distribution."""
    return Fact(name="mean", value=None if facts.mean is None else text_of(facts.mean))


def composition(facts: Facts) -> Fact:
    """The number of factors and the norm, with their implications for the error."""
    found, _ = answer_or_reason(lambda: facts.composition)
    if found is None:
        return Fact(name="composition", value=None)
    norm, finite = found.norm, found.norm < float("inf")
    factors = "infinite" if found.complexity == float("inf") else f"{found.complexity:.6g}"
    size = f"its norm is at most C = {norm:.6g}" if finite else "its norm has no bound"
    lines = [f"a feature has {factors} factor{'' if factors == '1' else 's'} on average; {size}"]
    count, phase = found.concentration(), found.concentration(phase=True)
    if phase < float("inf"):
        lines.append(
            f"  {count:.6g} ln(2/δ)/ε² samples of one law keep the error of an inner product below ε with probability "
            f"1 − δ ({phase:.6g} with random offsets)"
        )
    value = {key: number(size) for key, size in vars(found).items()}
    return Fact(name="composition", value=value, lines=tuple(lines))


def dual_nodes(facts: Facts) -> Fact:
    """The law of degrees of every dual activation; null if numbers are missing."""
    found, _ = answer_or_reason(lambda: facts.dual_nodes)
    if found is None:
        return Fact(name="dual_nodes", value=None)
    value = [node.to_dict() for node in found]
    return Fact(name="dual_nodes", value=value, lines=tuple(node.line() for node in found))


def skeletons(facts: Facts) -> Fact:
    """Every skeleton with its layers; null if numbers are missing."""
    found, _ = answer_or_reason(lambda: facts.skeletons)
    if found is None:
        return Fact(name="skeletons", value=None)
    lines: list[str] = []
    for skeleton in found:
        first, *rest = skeleton.lines()
        lines += [f"skeleton: {first}", *(f"  {line}" for line in rest)]
    return Fact(name="skeletons", value=[skeleton_to_dict(skeleton) for skeleton in found], lines=tuple(lines))


def norm(facts: Facts) -> Fact:
    """C with |z(x)| ≤ C; the line of a compositional kernel reports it with the number of its factors."""
    found, _ = answer_or_reason(lambda: facts.norm)
    if found is None:
        return Fact(name="norm", value=None)
    composition, _ = answer_or_reason(lambda: facts.composition)
    told = composition is None and found < float("inf")
    lines = (f"a feature has norm at most C = {found:.6g}",) if told else ()
    return Fact(name="norm", value=number(found), lines=lines)


def cosine_estimators(facts: Facts) -> Fact:
    """By estimator, in the cosine ρ; null for other kernels."""
    found = facts.cosine_estimators
    if not found:
        return Fact(name="cosine_estimators", value=None)
    first = "variance of one column (or key) at the cosine rho [Li 2017]:"
    return Fact(
        name="cosine_estimators",
        value={name: text_of(variance) for name, variance in found.items()},
        lines=(first, *(f"  {name}: {shown(variance)}" for name, variance in found.items())),
        latex=tuple((variance_of([name]), latex_of(variance)) for name, variance in found.items()),
    )


def variance(facts: Facts) -> Fact:
    """The variance of every method, or the condition under which it is infinite and the expression meaningless."""
    found, missing = answer_or_reason(lambda: facts.variance)
    if found is None:
        line = f"variance of one sample's inner product: not known ({missing})"
        return Fact(name="variance", value=None, lines=(line,))
    lines, rows = ["variance of one sample's inner product:"], []
    values: dict[str, str] = {}
    for value, methods in methods_by_variance(found).items():
        where, _ = answer_or_reason(partial(facts.infinite_variance, methods[0]))
        words = None if where is None else f"infinite where {where}"
        text = words or text_of(value)
        lines.append(f"  {', '.join(methods)}: {shortened(text)}")
        rows.append((variance_of(methods), latex_of(value) if words is None else latex_text(words)))
        values |= dict.fromkeys(methods, text)
    ordered = {method: values[method] for method in found}
    return Fact(name="variance", value=ordered, lines=tuple(lines), latex=tuple(rows))


STATEMENTS: tuple[str, ...] = (
    "kernelspec.analysis.statements:spec",
    "kernelspec.analysis.statements:columns",
    "kernelspec.analysis.statements:verdict",
    "kernelspec.analysis.statements:kernel",
    "kernelspec.analysis.statements:diagonal",
    "kernelspec.analysis.statements:noise",
    "kernelspec.analysis.spectral_statements:spectral_measure",
    "kernelspec.analysis.spectral_statements:spectral_density",
    "kernelspec.analysis.spectral_statements:open_density",
    "kernelspec.analysis.spectral_statements:atoms",
    "kernelspec.analysis.spectral_statements:second_moment",
    "kernelspec.analysis.spectral_statements:moments",
    "kernelspec.analysis.spectral_statements:tail_exponent",
    "kernelspec.analysis.spectral_statements:masses",
    "kernelspec.analysis.spectral_statements:state_space",
    "kernelspec.analysis.spectral_statements:paths",
    "kernelspec.analysis.spectral_statements:mean_embedding",
    "kernelspec.analysis.statements:mean",
    "kernelspec.analysis.statements:polya",
    "kernelspec.analysis.statements:norm",
    "kernelspec.analysis.statements:composition",
    "kernelspec.analysis.statements:dual_nodes",
    "kernelspec.analysis.statements:skeletons",
    "kernelspec.analysis.statements:cosine_estimators",
    "kernelspec.analysis.statements:variance",
)
"""Functions from facts to one `Fact`, as "module:function"."""


def stated(facts: Facts) -> tuple[Fact, ...]:
    """All facts about one kernel, ready for any report."""
    with patience():
        return tuple(load_from(statement)(facts) for statement in STATEMENTS)
