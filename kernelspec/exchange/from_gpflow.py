"""Kernels of GPflow as specs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np

from kernelspec.exchange.pieces import Norm, attribute, no_counterpart, number, numbers, of_distance, selected
from kernelspec.spec import Spec, parse

__all__ = ["from_gpflow"]

Rule = Callable[[Any, Norm | None, int | None], Spec]


def from_gpflow(kernel: Any, *, norm: Norm | None = None, dim: int | None = None) -> Spec:
    """The spec of a kernel of `gpflow.kernels`, with the numbers it has now; `active_dims` become columns.

    GPflow is not imported: classes are known by their names and attributes. Its Exponential is exp(−r/2), its Periodic
    exp(−½ Σ sin²(πΔ_i/p)/ℓ²): scales are twice theirs. White becomes noise(), which is the same matrix for one table
    of different rows. `norm="l1"` is for kernels of the sum of absolute differences, which GPflow's are not, but those
    of sines inside Periodic; `dim=1` says that there is one column, where both norms are one.
    Raises NoCounterpartError, with the reason; SpecError for numbers out of the language's range.
    """
    if type(kernel).__name__ not in _RULES:
        no_counterpart(kernel, f"from_gpflow knows {', '.join(_RULES)}; a subclass may be another kernel")
    columns = _columns(kernel)
    return selected(_RULES[type(kernel).__name__](kernel, norm, dim if columns is None else len(columns)), columns)


def _columns(kernel: Any) -> list[int] | None:
    """The columns that a kernel reads, by position; None for all."""
    chosen = getattr(kernel, "active_dims", None)
    if chosen is None or (isinstance(chosen, slice) and chosen in (slice(None), slice(0, None))):
        return None
    if isinstance(chosen, slice):
        if chosen.stop is None or min(chosen.start or 0, chosen.stop) < 0:
            no_counterpart(kernel, f"its active_dims are {chosen}: give them as a list of columns")
        return list(range(chosen.stop))[chosen]
    return [int(column) for column in np.asarray(chosen).tolist()]


def _stationary(name: str, arguments: str = "", times: float = 1.0) -> Rule:
    """The rule of σ² k(Δ/ℓ), k of the catalogue at `times` the length."""

    def rule(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
        lengths = [times * length for length in numbers(kernel, "lengthscales")]
        return number(kernel, "variance") * of_distance(kernel, name, arguments, lengths, norm, dim)

    return rule


def _rational_quadratic(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    return _stationary("rational_quadratic", f"alpha={number(kernel, 'alpha')!r}")(kernel, norm, dim)


def _cosine(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    """σ² cos(2π Σ Δ_i/ℓ_i), one cosine of a sum."""
    del norm, dim
    waves = [f"2*pi/{length!r}" for length in numbers(kernel, "lengthscales")]
    return number(kernel, "variance") * parse(
        f"cosine(by={waves[0]})" if len(waves) == 1 else f"cosine(by=[{', '.join(waves)}])"
    )


def _linear(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    weights = numbers(kernel, "variance")
    if len(weights) == 1:
        return parse(f"{weights[0]!r}*linear()")
    return reduce(add, (parse(f"{weight!r}*linear()[{i}]") for i, weight in enumerate(weights)))


def _polynomial(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    inner = _linear(kernel, norm, dim) + parse(f"{number(kernel, 'offset')!r}*constant()")
    return inner ** number(kernel, "degree")


def _constant(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    return parse(f"{number(kernel, 'variance')!r}*constant()")


def _white(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    return parse(f"{number(kernel, 'variance')!r}*noise()")


def _periodic(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    base = attribute(kernel, "base_kernel" if hasattr(kernel, "base_kernel") else "base")
    if type(base).__name__ not in ("RBF", "SquaredExponential"):
        no_counterpart(
            kernel,
            f"over {type(base).__name__} it is a function of the sum of |sin(πΔ_i/p)|/ℓ, an L1 norm, for which the "
            "language has no kernel; over SquaredExponential it is periodic(…)",
        )
    periods, lengths = numbers(kernel, "period"), numbers(base, "lengthscales")
    variance = number(base, "variance")
    if len(periods) == len(lengths) == 1:
        return parse(f"{variance!r}*periodic(period={periods[0]!r}, scale={2 * lengths[0]!r})")
    pairs = np.column_stack(np.broadcast_arrays(periods, lengths)).tolist()
    return variance * reduce(
        mul, (parse(f"periodic(period={p!r}, scale={2 * length!r})[{i}]") for i, (p, length) in enumerate(pairs))
    )


def _sum(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    return reduce(add, (from_gpflow(part, norm=norm, dim=dim) for part in attribute(kernel, "kernels")))


def _product(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    return reduce(mul, (from_gpflow(part, norm=norm, dim=dim) for part in attribute(kernel, "kernels")))


_RULES: Mapping[str, Rule] = {
    "Constant": _constant,
    "Cosine": _cosine,
    "Exponential": _stationary("exponential", times=2.0),
    "Linear": _linear,
    "Matern12": _stationary("matern", "nu=1/2"),
    "Matern32": _stationary("matern", "nu=3/2"),
    "Matern52": _stationary("matern", "nu=5/2"),
    "Periodic": _periodic,
    "Polynomial": _polynomial,
    "Product": _product,
    "RationalQuadratic": _rational_quadratic,
    "SquaredExponential": _stationary("gaussian"),
    "Sum": _sum,
    "White": _white,
}
"""Class name → its rule. Exact names: a subclass may compute something else."""
