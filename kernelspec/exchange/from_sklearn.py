"""Kernels of scikit-learn as specs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from kernelspec.exchange.pieces import Norm, attribute, no_counterpart, number, numbers, of_distance, on_one_column
from kernelspec.spec import Spec, parse

__all__ = ["from_sklearn"]

_CHI_SQUARED = (
    "the language has no chi-squared kernels; its kernel of rows of sizes of at least 0 is minmax(), which is another"
)
_WITHOUT = {
    "additive_chi2": f"it is not positive definite, only conditionally so, and {_CHI_SQUARED}",
    "chi2": _CHI_SQUARED,
    "sigmoid": "tanh(γ x·y + c) is not positive definite, and no kernel of the language",
}


def from_sklearn(kernel: Any, *, norm: Norm | None = None, dim: int | None = None) -> Spec:
    """The spec of a kernel of `sklearn.gaussian_process.kernels`, or of a name of `pairwise_kernels`, with its numbers.

    scikit-learn is not imported: classes are known by their names and attributes. A name stands for the function with
    its default arguments, γ = 1/d; PairwiseKernel has others. WhiteKernel becomes noise(), which is the same matrix
    for one table of different rows, and differs between two tables.

    `norm="l1"` is for Matérn, RBF and rational quadratic kernels of the sum of absolute differences, which
    scikit-learn's own are not. `dim=1` allows what is a kernel on one column alone: ExpSineSquared.
    Raises NoCounterpartError, with the reason; SpecError for numbers out of the language's range.
    """
    if isinstance(kernel, str):
        return _pairwise(kernel, kernel, None, {})
    if type(kernel).__name__ not in _RULES:
        no_counterpart(
            kernel, f"from_sklearn knows {', '.join(_RULES)}, and names such as 'rbf'; a subclass may be another kernel"
        )
    return _RULES[type(kernel).__name__](kernel, norm, dim)


def _rbf(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    return of_distance(kernel, "gaussian", "", numbers(kernel, "length_scale"), norm, dim)


def _matern(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    order = float(attribute(kernel, "nu"))
    if order == math.inf:
        return _rbf(kernel, norm, dim)
    return of_distance(kernel, "matern", f"nu={order!r}", numbers(kernel, "length_scale"), norm, dim)


def _rational_quadratic(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    arguments = f"alpha={number(kernel, 'alpha')!r}"
    return of_distance(kernel, "rational_quadratic", arguments, numbers(kernel, "length_scale"), norm, dim)


def _exp_sine_squared(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm
    text = f"periodic(period={number(kernel, 'periodicity')!r}, scale={number(kernel, 'length_scale')!r})"
    return on_one_column(kernel, text, dim, "exp(−2 sin²(π r/p)/ℓ²)")


def _constant(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    return parse(f"{number(kernel, 'constant_value')!r}*constant()")


def _white(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    return parse(f"{number(kernel, 'noise_level')!r}*noise()")


def _dot_product(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    return parse(f"linear() + {number(kernel, 'sigma_0')!r}**2*constant()")


def _sum(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    left, right = (from_sklearn(attribute(kernel, part), norm=norm, dim=dim) for part in ("k1", "k2"))
    return left + right


def _product(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    left, right = (from_sklearn(attribute(kernel, part), norm=norm, dim=dim) for part in ("k1", "k2"))
    return left * right


def _power(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    return from_sklearn(attribute(kernel, "kernel"), norm=norm, dim=dim) ** number(kernel, "exponent")


def _compound(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    no_counterpart(kernel, "it is several kernels, one for each output: pass one of its kernels")


def _pairwise_kernel(kernel: Any, norm: Norm | None, dim: int | None) -> Spec:
    del norm, dim
    metric = attribute(kernel, "metric")
    if not isinstance(metric, str):
        no_counterpart(kernel, "its metric is a function, of which only values are known")
    return _pairwise(kernel, metric, number(kernel, "gamma"), attribute(kernel, "pairwise_kernels_kwargs") or {})


def _pairwise(kernel: Any, name: str, gamma: float | None, arguments: Mapping[str, Any]) -> Spec:
    """One of the functions that `pairwise_kernels` has names for; γ is 1/d where it is None."""
    if name == "linear":
        return parse("linear()")
    if name == "cosine":
        return parse("normalize(linear())")
    if name == "rbf":
        return parse("gaussian(scale=sqrt(d/2))" if gamma is None else f"gaussian(scale=sqrt(1/(2*{gamma!r})))")
    if name == "laplacian":
        return parse("laplace(scale=d)" if gamma is None else f"laplace(scale=1/{gamma!r})")
    if name in ("poly", "polynomial"):
        offset, degree = float(arguments.get("coef0", 1)), float(arguments.get("degree", 3))
        inner = "linear()/d" if gamma is None else f"{gamma!r}*linear()"
        return parse(f"{inner} + {offset!r}*constant()") ** degree
    return no_counterpart(
        repr(kernel) if isinstance(kernel, str) else kernel, _WITHOUT.get(name, "it is no name of pairwise_kernels")
    )


_RULES: Mapping[str, Callable[[Any, Norm | None, int | None], Spec]] = {
    "CompoundKernel": _compound,
    "ConstantKernel": _constant,
    "DotProduct": _dot_product,
    "ExpSineSquared": _exp_sine_squared,
    "Exponentiation": _power,
    "Matern": _matern,
    "PairwiseKernel": _pairwise_kernel,
    "Product": _product,
    "RBF": _rbf,
    "RationalQuadratic": _rational_quadratic,
    "Sum": _sum,
    "WhiteKernel": _white,
}
"""Class name → its rule. Exact names: a subclass may compute something else."""
