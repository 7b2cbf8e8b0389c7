"""A plan in words."""

from __future__ import annotations

from kernelspec.laws.law import cut_lines
from kernelspec.laws.rules import DRAWS, words_of
from kernelspec.planning.plan import Candidate, Plan
from kernelspec.planning.strata import Stratum
from kernelspec.tables.schema import types_in_words

__all__ = ["explain_plan", "plan_in_brief"]

_FORMS = {
    "paired": "cosine and sine of every frequency",
    "phase": "√2 cos(ω·x + b) with a random offset b",
    "complex": "exp(i ω·x), complex columns",
}

_STORED = {"auto": "", "dense": " of an array", "sparse": " of a CSR matrix"}


def explain_plan(plan: Plan, n_columns: int | None, *, learnt: bool = False, biased_low: bool = False) -> str:
    """Strata with their samples, predicted variance, alternatives and the reason, as text.

    `n_columns` is None while the columns are still to be learnt from data; `learnt` says that they have been, and
    `biased_low` that keys without a column are lost.
    """
    size = "columns to be learnt from data" if n_columns is None else _counted(n_columns)
    lines = [
        f"plan: {plan.chosen.describe()} ({_meaning(plan.chosen)})",
        f"  {size}{_STORED[plan.storage]}, at most {plan.n_features} stored entries a row, seed {plan.seed}",
    ]
    lines += [f"  {line}" for line in types_in_words(plan.layout)]
    if not plan.strata:
        lines.append("  the zero kernel: one column of zeros")
    if plan.anchors is not None:
        lines.append(
            f"  {len(plan.anchors.left)} anchors: rows of the data, which the map keeps and a saved map holds "
            "(anchors='never' forbids it)"
        )
    for stratum, n in plan.parts:
        if plan.chosen.is_biased:
            break
        lines.append(f"  {n} sample{'s' if n > 1 else ''}, weight {stratum.weight:.6g}:")
        lines += ["    " + line for line in stratum.law.lines(stratum.positions, plan.layout.names)]
        if stratum.known is not None:
            lines.append("    " + _categories(stratum))
    if any(stratum.law.has_key and stratum.known is None for stratum in plan.strata):
        lines.append("  keys: " + _keys(plan, learnt=learnt or n_columns is None, lost=biased_low))
    how = " (measured)" if plan.is_measured else ""
    if not plan.chosen.is_biased:
        lines.append(
            f"  predicted standard error of an inner product: {_deviation(plan.chosen)} on {plan.reference}{how}"
        )
    if plan.chosen.error is not None:
        lines.append(_expected(plan.chosen))
    lines += [f"  considered: {other.describe()}: {_considered(other, plan)}" for other in plan.alternatives]
    lines.append(f"  why: {plan.reason}")
    lines += [f"  {note}" for note in plan.notes]
    biases = _biases(plan)
    if biased_low:
        biases.append("  biased low between rows with keys that had no column; unbiased between all others")
    lines += biases or [_unbiased(plan)]
    if plan.exactness:
        lines.append(f"  exact: {plan.exactness}")
    return "\n".join(lines)


def plan_in_brief(plan: Plan, n_columns: int | None) -> list[str]:
    """What the plan is, its size, the error that is expected, and whether it is biased: four lines, or one a bias."""
    size = "columns to be learnt from data" if n_columns is None else _counted(n_columns)
    counts = " + ".join(f"{n:,}" for n in plan.chosen.counts if n)
    if sum(plan.chosen.counts):
        size += f", {counts} sample{'s' if sum(plan.chosen.counts) != 1 else ''}"
    said = [f"plan: {plan.chosen.describe()}", f"  {size}, at most {plan.n_features} stored entries a row"]
    if plan.chosen.error is not None:
        said.append(_expected(plan.chosen))
    elif not plan.chosen.is_biased:
        said.append(f"  predicted standard error of an inner product: {_deviation(plan.chosen)} on {plan.reference}")
    return said + (_biases(plan) or ["  unbiased"])


def _expected(chosen: Candidate) -> str:
    """The relative error, and the interval in which it lies on as many new rows."""
    assert chosen.error is not None
    said = f"  expected relative error of the kernel matrix of the data: {_shown(chosen.error)}"
    if chosen.error_interval is None or not chosen.error:
        return said
    low, high = map(_rounded, chosen.error_interval)
    return said if low == high else f"{said} (on new rows between {low} and {high}, 95 % interval)"


def _rounded(error: float) -> str:
    return f"{error:.2g}"


def _meaning(chosen: Candidate) -> str:
    """The form, where some term has no scheme of its own, and every scheme, in words."""
    if chosen.is_biased:
        return "what rows of the data say of others"
    return "; ".join(
        [
            *[_FORMS[chosen.form]] * chosen.is_plain,
            *(words_of(name) for name in chosen.named),
            *(DRAWS[name].words for name in chosen.joint),
        ]
    )


def _unbiased(plan: Plan) -> str:
    tolerance = max((stratum.law.tolerance for stratum in plan.strata), default=0.0)
    how = f"from its law, to {tolerance:.1g} in the distribution function" if tolerance else "exactly from its law"
    why = f"every leaf is sampled {how}, and products use independent draws"
    if plan.chosen.joint:
        why = f"every sample alone is drawn {how}, and factors of products from coordinates of their own"
    if plan.anchors is not None:
        why += "; the samples take the anchors' error off, near the data and far from it"
    return f"  unbiased: {why}"


def _categories(stratum: Stratum) -> str:
    """What becomes of keys whose categories are known."""
    known, shared = len(stratum.known or ()), stratum.shared
    own = f"{known} categor{'ies' if known != 1 else 'y'} met in the data"
    if stratum.law.is_exact:
        return f"a column for each of {own}, exactly; all others share {shared}, with random signs (unbiased)"
    return f"a block of columns for each of {own}; all others share {shared}, with random signs (unbiased)"


def _keys(plan: Plan, *, learnt: bool, lost: bool) -> str:
    """What becomes of all other keys."""
    if learnt:
        others = "" if lost else "; all others share one a sample, with random signs (unbiased)"
        return f"a column for every key met in the data{others}"
    if plan.bits is not None:
        return (
            f"their lowest {plan.bits} bits, one of {1 << plan.bits} columns a sample, and one constant column "
            "that takes chance agreement off (unbiased)"
        )
    return f"hashed into {plan.buckets} buckets a sample, with random signs (unbiased)"


def _biases(plan: Plan) -> list[str]:
    """Every reason for which the estimate has another mean than the kernel, in words."""
    lines = cut_lines(plan.cuts)
    if plan.chosen.is_biased:
        lines.append(
            "  biased: low away from the anchors, by √(r(x) r(y)) at most, with r of every row from fmap.residual(X); "
            "method='anchored' is unbiased"
        )
    if plan.has_biased_draws:
        lines.append(
            f"  biased: directions of structured frequencies are not quite uniform; the mean is off by {plan.bias} "
            "(measured); draws='orthogonal' is unbiased"
        )
    if plan.zero_bit:
        lines.append(
            f"  zero_bit: keys of minmax() without t*, biased upwards, {plan.bias} (measured on these samples)"
        )
    if plan.normalized:
        lines.append(
            "  every row of features is divided by its norm: biased, of order 1/n; pairs of cosine and sine have less "
            "variance and no bias"
        )
    if plan.estimated is not None:
        lines.append(
            f"  weights fitted to {len(plan.estimated.rows)} rows of the data by least squares: not exactly unbiased; "
            "masses='exact' is"
        )
    return lines


def _counted(n_columns: int) -> str:
    return f"{n_columns} column{'s' if n_columns != 1 else ''}"


def _considered(other: Candidate, plan: Plan) -> str:
    """The standard error, the expected error on the data, and how to get a plan that `auto` does not choose."""
    shown = _deviation(other)
    if other.error is not None:
        shown += f", relative error {_shown(other.error)}"
    if plan.storage == "auto" and other.is_sparse != plan.chosen.is_sparse:
        first, *more = (other.method,) if other.is_biased else other.named or (other.form,)
        how = "" if more else f"; method='{first}' takes it"
        shown += f" ({'sparse' if other.is_sparse else 'dense'} features{how})"
    return shown


def _deviation(candidate: Candidate) -> str:
    return _shown(candidate.variance**0.5)


def _shown(error: float) -> str:
    return "infinite" if error == float("inf") else f"{error:.3g}"
