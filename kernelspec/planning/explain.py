"""A plan in words: the choice, the bias of its draws, its parts and alternatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.fourier import minmax_variance, normalized_variance, paired_variance, phase_variance
from kernelspec.laws.law import cut_lines
from kernelspec.laws.rules import DRAWS, words_of
from kernelspec.loading import loaded
from kernelspec.planning.options import LANDMARK_METHODS, Method
from kernelspec.planning.plan import Candidate, Plan
from kernelspec.planning.reference import Reference
from kernelspec.planning.strata import Stratum, kernel_value
from kernelspec.random.coupled import block_size
from kernelspec.tables.schema import types_in_words

__all__ = ["bias_of_draws", "cosine_notes", "explain_plan", "plan_in_brief", "reason_of"]

_FORMS = {
    "paired": "cosine and sine of every frequency",
    "phase": "√2 cos(ω·x + b) with a random offset b",
    "complex": "exp(i ω·x), complex columns",
}

_FAR_MORE = 16
"""Times more columns than nonzeros per row that a plan points out."""

_STORED = {"auto": "", "dense": " of an array", "sparse": " of a CSR matrix"}


def explain_plan(plan: Plan, n_columns: int | None, *, learnt: bool = False, biased_low: bool = False) -> str:
    """Strata with their samples, predicted variance, alternatives and explanation, as text.

    `n_columns` is None while the columns are not learned from data; `learnt` says that they have been, and `biased_low`
    that keys without a column are dropped.
    """
    size = "columns learned from data later" if n_columns is None else _counted(n_columns)
    lines = [
        f"plan: {plan.chosen.describe()} ({_meaning(plan.chosen)})",
        f"  {size}{_STORED[plan.storage]}, at most {plan.n_features} nonzeros per row, seed {plan.seed}",
    ]
    lines += [f"  {line}" for line in types_in_words(plan.layout)]
    if plan.noise:
        lines.append(f"  observation noise of variance {plan.noise:.6g}: not part of the features")
    if not plan.strata:
        lines.append("  the zero kernel: one column of zeros")
    if plan.landmarks is not None:
        lines.append(
            f"  {len(plan.landmarks.left)} landmarks: rows of the data, stored in the map and in saved maps "
            "(landmarks='never' forbids it)"
        )
    for stratum, n in plan.parts:
        if plan.chosen.is_biased:
            break
        lines.append(f"  {n} sample{'s' if n > 1 else ''}, weight {stratum.weight:.6g}:")
        lines += ["    " + line for line in stratum.law.lines(stratum.positions, plan.layout.mapped.names)]
        if stratum.known is not None:
            lines.append("    " + _categories(stratum))
    if any(stratum.law.has_key and stratum.known is None for stratum in plan.strata):
        lines.append("  keys: " + _keys(plan, learnt=learnt or n_columns is None, lost=biased_low))
    lines += _wide(plan, n_columns)
    how = " (measured)" if plan.is_measured else ""
    if not plan.chosen.is_biased:
        lines.append(
            f"  predicted standard error of an inner product: {_deviation(plan.chosen)} on {plan.reference}{how}"
        )
    if plan.chosen.error is not None:
        lines.append(_expected(plan))
    lines += [f"  considered: {other.describe()}: {_considered(other, plan)}" for other in plan.alternatives]
    lines.append(f"  why: {plan.reason}")
    lines += [f"  {note}" for note in plan.notes]
    biases = _biases(plan)
    if biased_low:
        biases.append("  biased low between rows whose keys had no column; unbiased between all others")
    lines += biases or [_unbiased(plan)]
    if plan.exactness:
        lines.append(f"  exact: {plan.exactness}")
    return "\n".join(lines)


def plan_in_brief(plan: Plan, n_columns: int | None) -> list[str]:
    """The plan, its size, expected error and bias: four lines, plus one per extra bias, and one if it is wide."""
    size = "columns learned from data later" if n_columns is None else _counted(n_columns)
    counts = " + ".join(f"{n:,}" for n in plan.chosen.counts if n)
    if sum(plan.chosen.counts):
        size += f", {counts} sample{'s' if sum(plan.chosen.counts) != 1 else ''}"
    said = [f"plan: {plan.chosen.describe()}", f"  {size}, at most {plan.n_features} nonzeros per row"]
    said += _wide(plan, n_columns)
    if plan.chosen.error is not None:
        said.append(_expected(plan))
    elif not plan.chosen.is_biased:
        said.append(f"  predicted standard error of an inner product: {_deviation(plan.chosen)} on {plan.reference}")
    return said + (_biases(plan) or ["  unbiased"])


def _wide(plan: Plan, n_columns: int | None) -> list[str]:
    """That n_features does not bound the columns, if keys make them far more numerous."""
    if n_columns is None or n_columns <= _FAR_MORE * plan.n_features:
        return []
    times = f"{n_columns / plan.n_features:.3g} times as many columns as n_features={plan.n_features}"
    return [f"  {times}, which bounds the nonzeros per row: storage='dense' bounds the columns"]


def _expected(plan: Plan) -> str:
    """The relative error, and its interval on new rows; landmarks have less than others."""
    chosen, rows = plan.chosen, "the data" if plan.landmarks is None else "rows like the data"
    assert chosen.error is not None
    said = f"  expected relative error of the kernel matrix of {rows}: {_shown(chosen.error)}"
    if chosen.error_interval is None or not chosen.error:
        return said
    low, high = (f"{end:.2g}" for end in chosen.error_interval)
    return said if low == high else f"{said} (on new rows between {low} and {high}, 95 % interval)"


def _meaning(chosen: Candidate) -> str:
    """The form, if some term has no scheme of its own, and every scheme, in words."""
    if chosen.is_biased:
        return "predictions from rows of the data"
    schemes, draws = map(words_of, chosen.named), (DRAWS[name].words for name in chosen.joint)
    return "; ".join([*[_FORMS[chosen.form]] * chosen.is_plain, *schemes, *draws])


def _unbiased(plan: Plan) -> str:
    tolerance = max((stratum.law.tolerance for stratum in plan.strata), default=0.0)
    how = f"from its law, to {tolerance:.1g} in the distribution function" if tolerance else "exactly from its law"
    why = f"every leaf is sampled {how}, and products use independent draws"
    if plan.chosen.joint:
        why = f"every sample alone is drawn {how}, and factors of products use separate coordinates"
    if plan.landmarks is not None:
        why += "; the samples correct the landmarks' error, near the data and far from it"
    return f"  unbiased: {why}"


def _categories(stratum: Stratum) -> str:
    """The treatment of keys whose categories are known."""
    known, shared = len(stratum.known or ()), stratum.shared
    categories = f"{known} categor{'ies' if known != 1 else 'y'} in the data"
    if stratum.law.is_exact:
        return f"a column for each of {categories}, exactly; all others share {shared}, with random signs (unbiased)"
    return f"a block of columns for each of {categories}; all others share {shared}, with random signs (unbiased)"


def _keys(plan: Plan, *, learnt: bool, lost: bool) -> str:
    """The treatment of all other keys."""
    if learnt:
        others = "" if lost else "; all others share one per sample, with random signs (unbiased)"
        return f"a column for every key in the data{others}"
    if plan.bits is not None:
        return (
            f"their lowest {plan.bits} bits, one of {1 << plan.bits} columns per sample, and one constant column "
            "that corrects for chance agreement (unbiased)"
        )
    return f"hashed into {plan.buckets} buckets per sample, with random signs (unbiased)"


def _biases(plan: Plan) -> list[str]:
    """Every reason why the mean of the estimate is not the kernel, in words."""
    lines = cut_lines(plan.cuts)
    if plan.chosen.is_biased:
        how = "by at most √(r(x) r(y)), where fmap.residual(X) gives r" if plan.bounds_error else "without a bound"
        lines.append(f"  biased: too small away from the landmarks, {how}; method='landmarks' is unbiased")
    if plan.has_biased_draws:
        lines.append(
            f"  biased: directions of structured frequencies are not quite uniform; bias {plan.bias} "
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
    """The standard error, the expected error on the data, and how to get this plan if `auto` does not choose it."""
    shown = _deviation(other)
    if other.error is not None:
        shown += f", relative error {_shown(other.error)}"
    if plan.storage == "auto" and other.is_sparse != plan.chosen.is_sparse:
        first, *more = (other.method,) if other.is_biased else other.named or (other.form,)
        how = "" if more else f"; use it with method='{first}'"
        shown += f" ({'sparse' if other.is_sparse else 'dense'} features{how})"
    return shown


def _deviation(candidate: Candidate) -> str:
    return _shown(candidate.variance**0.5)


def _shown(error: float) -> str:
    return "infinite" if error == float("inf") else f"{error:.3g}"


_ONE, _ALL = 1.005, 1e9
"""A quotient of variances below this is shown with three digits; above it, the smaller variance is rounding."""


def reason_of(best: Candidate, others: Sequence[Candidate], method: Method, reference: str) -> str:
    """How much better it is than the next best of its kind, in error on the data, variance or work."""
    name = best.describe()
    if method in LANDMARK_METHODS:
        return f"method={method!r} was requested"
    rivals = [other for other in others if other.is_sparse == best.is_sparse and not other.is_biased]
    if not rivals:
        return "the only candidate" if method == "auto" else f"method={method!r} was requested"
    if best.variance == float("inf"):
        return (
            f"{name}: the variance is infinite on {reference}, like that of all other plans; it is "
            "finite for kernels of frequencies or keys, such as circle() or gaussian(), and with max_degree=… (biased)"
        )
    if best.landmarks or best.joint:
        return _by_error(best, rivals)
    runner_up = min(rivals, key=lambda other: (other.variance, other.work))
    if runner_up.variance == float("inf"):
        return f"{name}: the variance of {runner_up.describe()} is infinite on {reference}"
    if runner_up.variance == best.variance:
        if runner_up.work > best.work:
            # extra work of the sampler may be zero, so work per nonzero is not comparable
            times = f"{runner_up.work / best.work:.3g} times " if best.work else ""
            return f"{name}: {times}less work than {runner_up.describe()}"
        return f"{name}: no other plan has less variance on {reference}"
    ratio = runner_up.variance / best.variance if best.variance > 0 else float("inf")
    if ratio > _ALL:
        return f"{name}: hardly any variance on {reference}; {runner_up.describe()} has more"
    if ratio < _ONE:
        return f"{name}: the least variance on {reference}, but hardly less than {runner_up.describe()}"
    return f"{name}: {ratio:.3g} times less variance than {runner_up.describe()} on {reference}"


def _by_error(best: Candidate, rivals: Sequence[Candidate]) -> str:
    name = best.describe()
    known = [(other.error, other.describe()) for other in rivals if other.error is not None]
    if best.error is None or not known or min(known)[0] < best.error:
        return f"{name} was requested"
    error, other = min(known)
    if error > _ALL * best.error:
        return f"{name}: hardly any expected error on the data; {other} has more"
    if not best.error:
        return f"{name}: no expected error on the data, nor with {other}"
    return f"{name}: {error / best.error:.3g} times less expected error than {other}"


_FAR = 0.05
"""Relative to k(x, x): pairs with a smaller kernel value say little about closer ones."""


_NUMBERS = 1 << 20
"""Pairs times padded columns: the bias of wide rows, which falls as 1/p², is measured on fewer pairs."""


def bias_of_draws(strata: Sequence[Stratum], reference: Reference) -> str:
    """The largest |Σ w_i (E p_i − k_i)| ± its standard error on the reference pairs, or on some if rows are wide."""
    pairs, words = reference.pairs, reference.words
    biased = [
        (one, one.law)
        for one in strata
        if isinstance(one.law, loaded("kernelspec.laws.joint:JointLaw")) and one.law.is_biased
    ]
    reached = _NUMBERS // max((block_size(len(stratum.positions)) for stratum, _ in biased), default=1)
    if reached < len(pairs.x):
        pairs = pairs.some(max(1, reached))
        words = f"{len(pairs.x)} of {words}"
    total, squares = np.zeros(len(pairs.x)), np.zeros(len(pairs.x))
    for stratum, law in biased:
        mean, error = law.bias(pairs.select(stratum.positions))
        total += stratum.weight * mean
        squares += np.square(stratum.weight * error)
    worst = int(np.argmax(np.abs(total)))
    said = f"at most {abs(total[worst]):.2g} ± {np.sqrt(squares[worst]):.1g} on {words}"
    largest = float(np.abs(kernel_value(strata, pairs)).max())
    if largest >= _FAR * sum(abs(stratum.weight) * stratum.law.magnitude() for stratum in strata):
        return said
    return f"{said}, all so far apart that the kernel is at most {largest:.1g}; unknown for closer rows"


_ESTIMATORS = {
    "pairs of cosine and sine": paired_variance,
    "random offsets [Li 2017, theorem 2.1]": phase_variance,
    "normalized=True, biased [theorem 2.2]": normalized_variance,
    "estimate_rbf of min-max keys, under a model [theorem 3.1]": minmax_variance,
}


def cosine_notes(strata: Sequence[Stratum], budget: int, pairs: NumericPairs) -> tuple[str, ...]:
    """For one rbf_cosine(), the standard errors of four estimators with equally many columns or keys."""
    if len(strata) != 1 or not isinstance(strata[0].law, loaded("kernelspec.laws.coordinate:UnitRowsLaw")):
        return ()
    stratum, kernel = strata[0], strata[0].law.kernel
    rho = pairs.select(stratum.positions).cosine()
    gamma, scale = float(kernel.gamma), abs(stratum.weight) / np.sqrt(budget)
    errors = {name: scale * float(np.sqrt(f(rho, gamma).mean())) for name, f in _ESTIMATORS.items()}
    least = min(errors, key=errors.__getitem__)
    shown = [f"with {budget} columns or keys, {name}: {error:.3g}" for name, error in errors.items()]
    return (*shown, f"least error: {least}; features are unbiased as pairs or with offsets only")
