"""Kernels of GPyTorch as specs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np

from kernelspec.exchange.pieces import (
    Norm,
    array,
    attribute,
    no_counterpart,
    number,
    numbers,
    of_distance,
    on_one_column,
    selected,
)
from kernelspec.spec import Spec, parse

__all__ = ["from_gpytorch"]

Rule = Callable[[Any, Norm | None, int | None], Spec]


def from_gpytorch(kernel: Any, *, norm: Norm | None = None, dim: int | None = None) -> Spec:
    """The spec of a kernel of `gpytorch.kernels`, with the numbers it has now; `active_dims` become columns.

    GPyTorch is not imported: classes are known by their names and attributes. PeriodicKernel is
    exp(−2 Σ_i sin²(πΔ_i/p_i)/ℓ_i), as in version 1.13, so that `scale` is √ℓ; the first versions took the sine of a
    norm: `norm="l1"` or `"l2"` says so, and then it is a kernel on one column alone, `dim=1`. So is CosineKernel.
    SpectralMixtureKernel is the product over columns of mixtures, as version 1.13 computes it.
    `norm="l1"` is also for Matérn, RBF and RQ kernels of the sum of absolute differences, which GPyTorch's are not.
    Raises NoCounterpartError, with the reason; SpecError for numbers out of the language's range.
    """
    rule, columns = _rule_of(kernel), None
    if getattr(kernel, "active_dims", None) is not None:
        columns = [int(column) for column in numbers(kernel, "active_dims")]
        dim = len(columns)
    return selected(rule(kernel, norm, dim), columns)


def _rule_of(kernel: Any) -> Rule:
    if type(kernel).__name__ not in _RULES:
        no_counterpart(kernel, f"from_gpytorch knows {', '.join(_RULES)}; a subclass may be another kernel")
    return _RULES[type(kernel).__name__]


def _rbf(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    return of_distance(kernel, "gaussian", "", numbers(kernel, "lengthscale"), norm, dim)


def _matern(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    return of_distance(kernel, "matern", f"nu={number(kernel, 'nu')!r}", numbers(kernel, "lengthscale"), norm, dim)


def _rq(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    arguments = f"alpha={number(kernel, 'alpha')!r}"
    return of_distance(kernel, "rational_quadratic", arguments, numbers(kernel, "lengthscale"), norm, dim)


def _periodic(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    periods, lengths = numbers(kernel, "period_length"), numbers(kernel, "lengthscale")
    if norm is not None:
        text = f"periodic(period={number(kernel, 'period_length')!r}, scale=sqrt({number(kernel, 'lengthscale')!r}))"
        return on_one_column(kernel, text, dim, "exp(−2 sin²(π r/p)/ℓ)")
    if len(periods) == len(lengths) == 1:
        return parse(f"periodic(period={periods[0]!r}, scale=sqrt({lengths[0]!r}))")
    pairs = np.column_stack(np.broadcast_arrays(periods, lengths)).tolist()
    return reduce(
        mul, (parse(f"periodic(period={p!r}, scale=sqrt({length!r}))[{i}]") for i, (p, length) in enumerate(pairs))
    )


def _cosine(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm
    return on_one_column(kernel, f"cosine(by=pi/{number(kernel, 'period_length')!r})", dim, "cos(π r/p)")


def _linear(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    weights = numbers(kernel, "variance")
    if len(weights) == 1:
        return parse(f"{weights[0]!r}*linear()")
    return reduce(add, (parse(f"{weight!r}*linear()[{i}]") for i, weight in enumerate(weights)))


def _polynomial(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    return parse(f"linear() + {number(kernel, 'offset')!r}*constant()") ** number(kernel, "power")


def _constant(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    return parse(f"{number(kernel, 'constant')!r}*constant()")


def _spectral_mixture(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    """∏_i Σ_q w_q exp(−2π²σ_qi²Δ_i²) cos(2πμ_qiΔ_i): the mixture is taken in every column, then the product."""
    del norm, dim
    weights = array(kernel, "mixture_weights")
    means, scales = array(kernel, "mixture_means"), array(kernel, "mixture_scales")
    if weights.ndim != 1 or means.shape != scales.shape or means.shape[:2] != (len(weights), 1):
        no_counterpart(kernel, f"its mixture_means have the shape {means.shape}: it is a batch of kernels; pass one")
    factors = []
    for i, (of_means, of_scales) in enumerate(zip(means[:, 0].T.tolist(), scales[:, 0].T.tolist(), strict=True)):
        terms = (
            f"{w!r}*modulate(gaussian(scale=1/(2*pi*{s!r})), by=2*pi*{m!r})"
            for w, m, s in zip(weights.tolist(), of_means, of_scales, strict=True)
        )
        factors.append(parse(f"({' + '.join(terms)})[{i}]"))
    return reduce(mul, factors)


def _scale(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    """Its base is called on the columns that are chosen already: ScaleKernel takes over the base's active_dims."""
    base = attribute(kernel, "base_kernel")
    return number(kernel, "outputscale") * _rule_of(base)(base, norm, dim)


def _sum(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    return reduce(add, (from_gpytorch(part, norm=norm, dim=dim) for part in attribute(kernel, "kernels")))


def _product(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    return reduce(mul, (from_gpytorch(part, norm=norm, dim=dim) for part in attribute(kernel, "kernels")))


_RULES: Mapping[str, Rule] = {
    "AdditiveKernel": _sum,
    "ConstantKernel": _constant,
    "CosineKernel": _cosine,
    "LinearKernel": _linear,
    "MaternKernel": _matern,
    "PeriodicKernel": _periodic,
    "PolynomialKernel": _polynomial,
    "ProductKernel": _product,
    "RBFKernel": _rbf,
    "RQKernel": _rq,
    "ScaleKernel": _scale,
    "SpectralMixtureKernel": _spectral_mixture,
}
"""Class name → its rule. Exact names: a subclass may compute something else."""
