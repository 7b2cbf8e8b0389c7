"""Kernels of scikit-learn, GPflow, GPyTorch and celerite2 as specs: one table of classes per library, both ways."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from numbers import Real
from operator import add, mul
from string import Formatter
from typing import Any, Literal, NoReturn, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from kernelspec.elaboration.names_elsewhere import CLASSES, is_template
from kernelspec.elaboration.scope import check_dim
from kernelspec.errors import ArgumentError, NoCounterpartError
from kernelspec.spec import Spec, parse

__all__ = ["LIBRARIES", "Counterpart", "from_celerite2", "from_gpflow", "from_gpytorch", "from_sklearn"]

Norm = Literal["l1", "l2"]
"""The norm: the sum of absolute differences, or the root of the sum of their squares."""


def no_counterpart(kernel: Any, reason: str) -> NoReturn:
    """Raise NoCounterpartError with the kernel's name and the reason."""
    name = kernel if isinstance(kernel, str) else type(kernel).__name__
    raise NoCounterpartError(f"{name} has no counterpart: {reason}")


def attribute(kernel: Any, name: str) -> Any:
    """An attribute of a kernel. Raises NoCounterpartError if it is missing, as in a class of the
    same name elsewhere.
    """
    if not hasattr(kernel, name):
        no_counterpart(kernel, f"it has no attribute '{name}', which every kernel of this name in its library has")
    return getattr(kernel, name)


def numbers(kernel: Any, name: str) -> tuple[float, ...]:
    """The numbers of an attribute: a float, an array, or a PyTorch or TensorFlow tensor with one row.

    Raises NoCounterpartError for several rows, which are a batch of kernels, and for non-finite numbers.
    """
    found = array(kernel, name)
    if found.ndim > 1 and found.size != found.shape[-1]:
        no_counterpart(kernel, f"its {name} has the shape {found.shape}: it is a batch of kernels; pass one of them")
    return tuple(found.ravel().tolist())


def array(kernel: Any, name: str) -> NDArray[np.float64]:
    """`numbers` in their original shape. Raises NoCounterpartError unless they are finite numbers."""
    value = attribute(kernel, name)
    for unwrap in ("detach", "cpu", "numpy"):
        value = getattr(value, unwrap)() if hasattr(value, unwrap) else value
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        no_counterpart(kernel, f"its {name} is not a number: {value!r:.60}")
    if not np.isfinite(found).all():
        no_counterpart(kernel, f"its {name} is not finite")
    return found


def number(kernel: Any, name: str) -> float:
    """The single number of an attribute. Raises as `numbers`, and NoCounterpartError if there are several."""
    found = numbers(kernel, name)
    if len(found) != 1:
        no_counterpart(kernel, f"its {name} has {len(found)} numbers; expected one")
    return found[0]


def of_distance(
    kernel: Any, name: str, arguments: str, lengths: Sequence[float], norm: Norm | None, dim: int | None
) -> Spec:
    """A kernel of the catalogue as a function of ‖Δ/ℓ‖₂, with one length or one per column.

    With the sum of absolute differences, only exp(−‖Δ/ℓ‖₁) is in the language; on one column the norms agree. Raises
    NoCounterpartError for others.
    """
    if norm == "l1" and dim != 1:
        if arguments not in ("nu=0.5", "nu=1/2") and name != "exponential":
            more = (
                "; for orders above 1/2 it is not positive definite on two or more columns" if name == "matern" else ""
            )
            no_counterpart(
                kernel,
                f"the language has no {name}() of the sum of absolute differences (norm='l1'){more}. With the "
                f"Euclidean norm it is {name}(…); the product of {name}(…)[i] over the columns i is a different kernel",
            )
        name, arguments = "laplace", ""
    if len(lengths) == 1:
        return parse(f"{name}({arguments}{', ' if arguments else ''}scale={lengths[0]!r})")
    return parse(f"stretch({name}({arguments}), {list(lengths)!r})")


def on_one_column(kernel: Any, text: str, dim: int | None, function: str) -> Spec:
    """A function of the norm that is a kernel of the catalogue on one column, and not a kernel on several.

    Raises NoCounterpartError unless `dim` is 1.
    """
    if dim != 1:
        no_counterpart(
            kernel,
            f"it is {function} of the norm of the difference, which is not positive definite on two or more columns. "
            f"On one column it is {text}: pass dim=1",
        )
    return parse(text)


def selected(spec: Spec, columns: Sequence[int] | None) -> Spec:
    """The kernel on some columns, by position; on all if None."""
    return spec if columns is None else parse(f"({spec})[{', '.join(map(str, columns))}]")


# -- rules that the libraries share ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """How to turn parts of a kernel into specs: the function, the norm, and the number of columns, if known."""

    part: Callable[..., Spec]
    norm: Norm | None
    dim: int | None

    @classmethod
    def of(cls, function: Callable[..., Spec], norm: Norm | None, dim: int | None) -> _Asked:
        """The arguments of a function. Raises ArgumentError for another norm, DimensionError for another `dim`."""
        if norm not in (None, *get_args(Norm)):
            raise ArgumentError(f"norm must be 'l1', 'l2' or None, not {norm!r:.60}")
        if dim is not None:
            check_dim(dim)
        return cls(partial(function, norm=norm, dim=dim), norm, dim)

    def on(self, columns: Sequence[int] | None) -> _Asked:
        """The same on some columns; on all if None."""
        return self if columns is None else replace(self, part=partial(self.part, dim=len(columns)), dim=len(columns))


Rule: TypeAlias = Callable[[Any, _Asked], Spec]


Attributes: TypeAlias = Mapping[str, Any]
Factors: TypeAlias = NDArray[np.float64]
Write: TypeAlias = Callable[[Any, Factors, float], Attributes | str]
"""From k(sΔ), the factors s (one, or one per column) and a weight: attributes (an array is a parameter), or why not."""


@dataclass(frozen=True)
class Counterpart:
    """A class of a library: its rule, and the kernels here that it can be, of any weight if it `weighs`."""

    read: Rule
    written: Mapping[str, Write]
    weighs: bool = True

    def __call__(self, kernel: Any, asked: _Asked) -> Spec:
        """The spec of a kernel of the class."""
        return self.read(kernel, asked)


_DISTANCE = re.compile(
    r"(?:{(?P<variance>\w+)}\*)?(?P<name>[a-z_]+)\("
    r"(?:(?P<own>\w+)=(?P<value>[\d/]+|{(?P<argument>\w+)}), )?scale=(?:(?P<times>\d+)\*)?{(?P<lengths>\w+)}\)"
)


def _of_template(library: str, name: str, orders: str = "") -> Rule:
    """The rule of a class from its template in `CLASSES`; an argument with only these `orders` is not trained."""
    text = CLASSES[library][name]
    if (constant := re.fullmatch(r"{(\w+)}\*constant\(\)", text)) is not None:
        return _sized("constant", constant[1], _written(text))
    if (found := _DISTANCE.fullmatch(text)) is None or found["name"] == "periodic":
        return _written(text)
    times, values = float(found["times"] or 1), orders or ("" if found["argument"] else found["value"] or "")

    def write(kernel: Any, factors: Factors, weight: float) -> Attributes | str:
        made = {found["lengths"]: kernel.scale / (times * abs(factors))}
        own: Any = getattr(kernel, found["own"]) if found["own"] else None
        if values and own not in [*map(Fraction, values.split())]:
            return f"{found['own']} is {' or '.join(values.split())}"
        if found["argument"]:
            made[found["argument"]] = own if orders else np.array([own])
        return made | ({found["variance"]: np.array([weight])} if found["variance"] else {})

    def rule(kernel: Any, asked: _Asked) -> Spec:
        value = repr(number(kernel, found["argument"])) if found["argument"] else found["value"]
        scales = [times * length for length in numbers(kernel, found["lengths"])]
        own = f"{found['own']}={value}" if found["own"] else ""
        made = of_distance(kernel, found["name"], own, scales, asked.norm, asked.dim)
        return number(kernel, found["variance"]) * made if found["variance"] else made

    return Counterpart(rule, {found["name"]: write}, bool(found["variance"]))


def _of_templates(library: str) -> dict[str, Rule]:
    return {name: _of_template(library, name) for name, text in CLASSES[library].items() if is_template(text)}


def _sized(name: str, variance: str, read: Rule) -> Counterpart:
    """A class whose only attribute is its weight."""
    return Counterpart(read, {name: lambda _, __, weight: {variance: np.array([weight])}})


def _power_of_sum(degree: str, read: Rule) -> Counterpart:
    return Counterpart(
        read, {"polynomial": lambda own, _, __: {degree: own.degree, "offset": np.array([own.offset])}}, weighs=False
    )


def _written(text: str) -> Rule:
    """A rule from a template with attribute names in braces."""

    def rule(kernel: Any, asked: _Asked) -> Spec:
        del asked
        names = {name for _, name, _, _ in Formatter().parse(text) if name}
        return parse(text.format(**{name: repr(number(kernel, name)) for name in names}))

    return rule


def _on_line(text: str, function: str) -> Rule:
    """A template rule for a function of the norm that is a kernel on one column only."""
    return lambda kernel, asked: on_one_column(kernel, str(_written(text)(kernel, asked)), asked.dim, function)


def _of_parts(operation: Callable[[Spec, Spec], Spec], *names: str) -> Rule:
    """The rule of a sum or a product of parts: several attributes, or one that lists them."""

    def rule(kernel: Any, asked: _Asked) -> Spec:
        found = [attribute(kernel, name) for name in names]
        parts = found if len(names) > 1 else list(found[0])
        if not parts:
            no_counterpart(kernel, "it has no parts")
        return reduce(operation, map(asked.part, parts))

    return rule


def _linear(kernel: Any, _asked: _Asked) -> Spec:
    weights = numbers(kernel, "variance")
    if len(weights) == 1:
        return parse(f"{weights[0]!r}*linear()")
    return reduce(add, (parse(f"{weight!r}*linear()[{i}]") for i, weight in enumerate(weights)))


def _periodics(periods: Sequence[float], lengths: Sequence[float], scale: Callable[[float], str]) -> Spec:
    """∏ periodic(…)[i]: one period and length, or one per column."""
    pairs = np.column_stack(np.broadcast_arrays(periods, lengths)).tolist()
    texts = [f"periodic(period={period!r}, scale={scale(length)})" for period, length in pairs]
    if len(texts) == 1:
        return parse(texts[0])
    return reduce(mul, (parse(f"{text}[{i}]") for i, text in enumerate(texts)))


def _levels(factor: str, diagonal: str, count: str) -> Counterpart:
    """Categories 0, 1, … with the matrix FF' + diag(v), in exact numbers, so that it stays semidefinite."""

    def write(kernel: Any, _: Factors, weight: float) -> Attributes:
        values, vectors = np.linalg.eigh(weight * kernel.matrix)
        own = max(values[0] / 2, 1e-18 * values[-1])  # positive, even if the matrix is singular
        columns, n = vectors * np.sqrt(np.maximum(values - own, 0)), len(values)
        return {count: n, "rank": n, factor: columns, diagonal: np.full(n, own)}

    def rule(kernel: Any, asked: _Asked) -> Spec:
        del asked
        parts, own = array(kernel, factor), array(kernel, diagonal).ravel()
        if parts.ndim != 2 or len(own) != len(parts):
            no_counterpart(kernel, f"its {factor} has the shape {parts.shape}: it is a batch of kernels; pass one")
        exact = [[Fraction(repr(entry)) for entry in row] for row in parts.tolist()]
        size = [[sum(map(mul, a, b), Fraction(0)) for b in exact] for a in exact]
        for i, entry in enumerate(own.tolist()):
            size[i][i] += Fraction(repr(entry))
        rows = ", ".join(f"[{', '.join(map(str, row))}]" for row in size)
        return parse(f"levels({list(range(len(own)))}, [{rows}])")

    return Counterpart(rule, {"levels": write})


def _rule_of(kernel: Any, rules: Mapping[str, Rule], function: str, more: str = "") -> Rule:
    if type(kernel).__name__ not in rules:
        known = ", ".join(sorted(rules)) + more
        no_counterpart(kernel, f"{function} supports {known}; a subclass may compute something else")
    return rules[type(kernel).__name__]


# -- scikit-learn ------------------------------------------------------------------------------------------------------


def from_sklearn(kernel: Any, *, norm: Norm | None = None, dim: int | None = None) -> Spec:
    """The spec of a kernel of `sklearn.gaussian_process.kernels`, or of a name of `pairwise_kernels`, with its numbers.

    scikit-learn is not imported: classes are recognized by name and attributes. A name means the function with its
    default arguments, γ = 1/d; use PairwiseKernel for others. WhiteKernel becomes noise(): observation noise as a term
    of the whole kernel, as in scikit-learn; in a product, 1 if two rows are equal.

    `norm="l1"` reads Matérn, RBF and rational quadratic kernels as functions of the sum of absolute differences, unlike
    scikit-learn's own. `dim=1` allows kernels that exist on one column only, such as ExpSineSquared. Raises
    NoCounterpartError with the reason; SpecError for numbers out of the language's range, another norm or `dim`.
    """
    asked = _Asked.of(from_sklearn, norm, dim)
    if isinstance(kernel, str):
        return _pairwise(kernel, kernel, None, {})
    return _rule_of(kernel, _OF_SKLEARN, "from_sklearn", ", and names such as 'rbf'")(kernel, asked)


def _matern(kernel: Any, asked: _Asked) -> Spec:
    is_smooth = attribute(kernel, "nu") == math.inf
    return _of_template("scikit-learn", "RBF" if is_smooth else "Matern")(kernel, asked)


def _compound(kernel: Any, _asked: _Asked) -> Spec:
    no_counterpart(kernel, "it consists of several kernels, one per output: pass one of its kernels")


def _pairwise_kernel(kernel: Any, _asked: _Asked) -> Spec:
    metric = attribute(kernel, "metric")
    if not isinstance(metric, str):
        no_counterpart(kernel, "its metric is a Python function: only its values are known")
    return _pairwise(kernel, metric, number(kernel, "gamma"), attribute(kernel, "pairwise_kernels_kwargs") or {})


_CHI_SQUARED = (
    "the language has no chi-squared kernels; minmax(), its kernel for rows of non-negative sizes, is different"
)
_WITHOUT = {
    "additive_chi2": f"it is only conditionally positive definite, and {_CHI_SQUARED}",
    "chi2": _CHI_SQUARED,
    "sigmoid": "tanh(γ x·y + c) is not positive definite",
}


def _pairwise(kernel: Any, name: str, gamma: float | None, arguments: Mapping[str, Any]) -> Spec:
    """One of the functions named by `pairwise_kernels`; γ = 1/d if it is None."""
    if name in ("poly", "polynomial"):
        offset, degree = arguments.get("coef0", 1), arguments.get("degree", 3)
        if not (isinstance(offset, Real) and isinstance(degree, Real)):
            no_counterpart("PairwiseKernel", f"its coef0 and degree are not numbers: {offset!r:.60} and {degree!r:.60}")
        inner = "linear()/d" if gamma is None else f"{gamma!r}*linear()"
        return parse(f"{inner} + {float(offset)!r}*constant()") ** float(degree)
    texts = {
        "cosine": "normalize(linear())",
        "laplacian": "laplace(scale=d)" if gamma is None else f"laplace(scale=1/{gamma!r})",
        "linear": "linear()",
        "rbf": "gaussian(scale=sqrt(d/2))" if gamma is None else f"gaussian(scale=sqrt(1/(2*{gamma!r})))",
    }
    if name not in texts:
        shown = repr(kernel) if isinstance(kernel, str) else kernel
        no_counterpart(shown, _WITHOUT.get(name, "pairwise_kernels has no such name"))
    return parse(texts[name])


_OF_SKLEARN: Mapping[str, Rule] = _of_templates("scikit-learn") | {
    "CompoundKernel": _compound,
    "ExpSineSquared": _on_line(CLASSES["scikit-learn"]["ExpSineSquared"], "exp(−2 sin²(π r/p)/ℓ²)"),
    "Exponentiation": lambda kernel, asked: asked.part(attribute(kernel, "kernel")) ** number(kernel, "exponent"),
    "Matern": _matern,
    "PairwiseKernel": _pairwise_kernel,
    "Product": _of_parts(mul, "k1", "k2"),
    "Sum": _of_parts(add, "k1", "k2"),
}
"""Class name → its rule, here and below. Names are exact: a subclass may compute something else."""


# -- GPflow ------------------------------------------------------------------------------------------------------------


def from_gpflow(kernel: Any, *, norm: Norm | None = None, dim: int | None = None) -> Spec:
    """The spec of a kernel of `gpflow.kernels` with its current numbers; `active_dims` become columns.

    GPflow is not imported: classes are recognized by name and attributes. Its Exponential is exp(−r/2), its Periodic
    exp(−½ Σ sin²(πΔ_i/p)/ℓ²), so scales here are twice GPflow's. White becomes noise(): observation noise as a term of
    the whole kernel, whatever its columns. `norm="l1"` reads kernels as functions of the sum of absolute differences,
    which in GPflow only Periodic uses, for sines; `dim=1` declares a single column, on which the norms agree. Raises
    NoCounterpartError with the reason; SpecError for numbers out of the language's range.
    """
    rule, asked = _rule_of(kernel, _OF_GPFLOW, "from_gpflow"), _Asked.of(from_gpflow, norm, dim)
    columns = None if type(kernel).__name__ == "White" else _columns(kernel)  # White compares positions, not rows
    return selected(rule(kernel, asked.on(columns)), columns)


def _columns(kernel: Any) -> list[int] | None:
    """The columns of a kernel, by position; None for all."""
    chosen = getattr(kernel, "active_dims", None)
    if chosen is None or (isinstance(chosen, slice) and chosen in (slice(None), slice(0, None))):
        return None
    if isinstance(chosen, slice):
        if chosen.stop is None or min(chosen.start or 0, chosen.stop) < 0:
            no_counterpart(kernel, f"its active_dims are {chosen}: give them as a list of columns")
        return list(range(chosen.stop))[chosen]
    places = np.atleast_1d(array(kernel, "active_dims"))
    if (places != np.floor(places)).any():
        no_counterpart(kernel, f"its active_dims are not whole numbers: {places.tolist()}")
    return [int(place) for place in places]


def _cosine_of_sum(kernel: Any, _asked: _Asked) -> Spec:
    """σ² cos(2π Σ Δ_i/ℓ_i), one cosine of a sum."""
    waves = [f"2*pi/{length!r}" for length in numbers(kernel, "lengthscales")]
    return number(kernel, "variance") * parse(
        f"cosine(by={waves[0]})" if len(waves) == 1 else f"cosine(by=[{', '.join(waves)}])"
    )


def _to_cosine(kernel: Any, factors: Factors, weight: float) -> Attributes | str:
    waves = np.asarray(kernel.wave, dtype=float) * factors
    if waves.min() <= 0 <= waves.max():
        return "all entries of by= have one sign"
    return {"variance": np.array([weight]), "lengthscales": 2 * np.pi / abs(waves)}


def _to_periodic(kernel: Any, factors: Factors, weight: float) -> Attributes:
    base = {"variance": np.array([weight]), "lengthscales": np.array([kernel.scale / 2])}
    return {"base_kernel": base, "period": kernel.period / abs(factors)}


def _polynomial(kernel: Any, asked: _Asked) -> Spec:
    return (_linear(kernel, asked) + _written("{offset}*constant()")(kernel, asked)) ** number(kernel, "degree")


def _periodic(kernel: Any, _asked: _Asked) -> Spec:
    base = attribute(kernel, "base_kernel" if hasattr(kernel, "base_kernel") else "base")
    if type(base).__name__ not in ("RBF", "SquaredExponential"):
        no_counterpart(
            kernel,
            f"over {type(base).__name__} it is a function of the sum of |sin(πΔ_i/p)|/ℓ, an L1 norm, which the "
            "language does not support; over SquaredExponential it is periodic(…)",
        )
    found = _periodics(numbers(kernel, "period"), numbers(base, "lengthscales"), lambda length: repr(2 * length))
    return number(base, "variance") * found


def _change_points(kernel: Any, asked: _Asked) -> Spec:
    """(1 − σ)(1 − σ)k₁ + σσk₂ with one change point, on one column that the kernels read too."""
    kernels, places = attribute(kernel, "kernels"), numbers(kernel, "locations")
    steepness, on = numbers(kernel, "steepness"), int(getattr(kernel, "switch_dim", 0))
    if len(places) != 1 or len(kernels) != 2 or len(steepness) != 1:
        no_counterpart(kernel, "it has several change points; changepoint() supports one")
    shown = (f"({part})[:]" for part in map(asked.part, kernels))
    return parse(f"changepoint({', '.join(shown)}, on={on}, at={places[0]!r}, width=1/{steepness[0]!r})")


_OF_GPFLOW: Mapping[str, Rule] = _of_templates("GPflow") | {
    "ChangePoints": _change_points,
    "Coregion": _levels("W", "kappa", "output_dim"),
    "Cosine": Counterpart(_cosine_of_sum, {"cosine": _to_cosine}),
    "Linear": _sized("linear", "variance", _linear),
    "Periodic": Counterpart(_periodic, {"periodic": _to_periodic}),
    "Polynomial": _power_of_sum("degree", _polynomial),
    "Product": _of_parts(mul, "kernels"),
    "Sum": _of_parts(add, "kernels"),
}


# -- GPyTorch ----------------------------------------------------------------------------------------------------------


def from_gpytorch(kernel: Any, *, norm: Norm | None = None, dim: int | None = None) -> Spec:
    """The spec of a kernel of `gpytorch.kernels` with its current numbers; `active_dims` become columns.

    GPyTorch is not imported: classes are recognized by name and attributes. PeriodicKernel is exp(−2 Σ_i
    sin²(πΔ_i/p_i)/ℓ_i), as in version 1.13, so `scale` is √ℓ; early versions used the sine of a norm, which `norm="l1"`
    or `"l2"` selects, and which is a kernel on one column only, `dim=1`. So is CosineKernel. SpectralMixtureKernel is
    the product over columns of mixtures, as in version 1.13. `norm="l1"` also reads Matérn, RBF and RQ kernels as
    functions of the sum of absolute differences, unlike GPyTorch's own. Raises NoCounterpartError with the reason;
    SpecError for numbers out of the language's range.
    """
    rule, asked = _rule_of(kernel, _OF_GPYTORCH, "from_gpytorch"), _Asked.of(from_gpytorch, norm, dim)
    columns = _columns(kernel)
    return selected(rule(kernel, asked.on(columns)), columns)


def _periodic_kernel(kernel: Any, asked: _Asked) -> Spec:
    periods, lengths = numbers(kernel, "period_length"), numbers(kernel, "lengthscale")
    if asked.norm is not None:
        text = f"periodic(period={number(kernel, 'period_length')!r}, scale=sqrt({number(kernel, 'lengthscale')!r}))"
        return on_one_column(kernel, text, asked.dim, "exp(−2 sin²(π r/p)/ℓ)")
    return _periodics(periods, lengths, lambda length: f"sqrt({length!r})")


def _to_periodic_kernel(kernel: Any, factors: Factors, _: float) -> Attributes:
    return {"period_length": kernel.period / abs(factors), "lengthscale": np.full(len(factors), kernel.scale**2)}


def _to_cosine_kernel(kernel: Any, factors: Factors, _: float) -> Attributes | str:
    if len(kernel.wave) > 1 or kernel.wave[0] == 0:
        return "it is a function of the norm of the differences, on one column the cosine"
    return {"period_length": np.pi / abs(kernel.wave[0] * factors)}


def _polynomial_kernel(kernel: Any, asked: _Asked) -> Spec:
    return _written("linear() + {offset}*constant()")(kernel, asked) ** number(kernel, "power")


def _spectral_mixture(kernel: Any, _asked: _Asked) -> Spec:
    """∏_i Σ_q w_q exp(−2π²σ_qi²Δ_i²) cos(2πμ_qiΔ_i): a mixture in every column, then the product."""
    weights = array(kernel, "mixture_weights")
    means, scales = array(kernel, "mixture_means"), array(kernel, "mixture_scales")
    if weights.ndim != 1 or means.shape != scales.shape or means.shape[:2] != (len(weights), 1):
        no_counterpart(kernel, f"its mixture_means have the shape {means.shape}: it is a batch of kernels; pass one")
    factors = []
    for i, columns in enumerate(zip(means[:, 0].T.tolist(), scales[:, 0].T.tolist(), strict=True)):
        own, deviations = (", ".join(f"2*pi*{entry!r}" for entry in part) for part in columns)
        factors.append(parse(f"spectral_mixture({weights.tolist()}, [{own}], [{deviations}])[{i}]"))
    return reduce(mul, factors)


def _scale(kernel: Any, asked: _Asked) -> Spec:
    """The base is called on columns already selected: ScaleKernel takes over the base's active_dims."""
    base = attribute(kernel, "base_kernel")
    return number(kernel, "outputscale") * _rule_of(base, _OF_GPYTORCH, "from_gpytorch")(base, asked)


def _over_columns(form: str) -> Rule:
    """A sum or a product of the base on every column."""

    def rule(kernel: Any, asked: _Asked) -> Spec:
        base = attribute(kernel, "base_kernel")
        own = _rule_of(base, _OF_GPYTORCH, "from_gpytorch")(base, replace(asked, dim=1))
        return parse(form.format(own))

    return rule


_WRONG_ORDER = "for q=2 GPyTorch computes (5j + 3)/3 r², where its documentation has (j² + 4j + 3)/3 r²"


def _to_compact(kernel: Any, factors: Factors, _: float) -> Attributes | str:
    return _WRONG_ORDER if kernel.order > 1 else {"q": kernel.order, "lengthscale": kernel.scale / abs(factors)}


def _compact(kernel: Any, asked: _Asked) -> Spec:
    """The polynomial for this number of columns, as in GPyTorch's `forward`."""
    order, lengths = number(kernel, "q"), numbers(kernel, "lengthscale")
    if order == 2:
        no_counterpart(kernel, f"{_WRONG_ORDER}. The documented kernel is wendland(order=2, scale={lengths[0]!r})")
    if order > 2:
        no_counterpart(kernel, "wendland() supports the orders 0, 1 and 2; write the formula, as in radial(r -> …)")
    return of_distance(kernel, "wendland", f"order={order:g}", lengths, asked.norm, asked.dim)


_OF_GPYTORCH: Mapping[str, Rule] = _of_templates("GPyTorch") | {
    "AdditiveKernel": _of_parts(add, "kernels"),
    "AdditiveStructureKernel": _over_columns("d*each({})"),
    "CosineKernel": Counterpart(
        _on_line(CLASSES["GPyTorch"]["CosineKernel"], "cos(π r/p)"), {"cosine": _to_cosine_kernel}, weighs=False
    ),
    "IndexKernel": _levels("covar_factor", "var", "num_tasks"),
    "LinearKernel": _sized("linear", "variance", _linear),
    "MaternKernel": _of_template("GPyTorch", "MaternKernel", orders="1/2 3/2 5/2"),
    "PeriodicKernel": Counterpart(_periodic_kernel, {"periodic": _to_periodic_kernel}, weighs=False),
    "PiecewisePolynomialKernel": Counterpart(_compact, {"wendland": _to_compact}, weighs=False),
    "PolynomialKernel": _power_of_sum("power", _polynomial_kernel),
    "ProductKernel": _of_parts(mul, "kernels"),
    "ProductStructureKernel": _over_columns("additive({}, order=d)"),
    "ScaleKernel": _scale,
    "SpectralMixtureKernel": _spectral_mixture,
}


# -- celerite2 ---------------------------------------------------------------------------------------------------------


def from_celerite2(term: Any) -> Spec:
    """The spec of a term of `celerite2.terms`, a kernel of one column, with its numbers.

    SHOTerm is S₀ω₀Q·sho(frequency=ω₀, quality=Q), RotationTerm a sum of two; Matern32Term becomes the exact Matérn
    kernel that celerite2 approximates. Raises NoCounterpartError with the reason; SpecError.
    """
    return _rule_of(term, _OF_CELERITE2, "from_celerite2")(term, _Asked(from_celerite2, None, 1))


def _rotation(term: Any, _asked: _Asked) -> Spec:
    """Two oscillators, at the period and at half of it."""
    period, low, more, share = (number(term, name) for name in ("period", "Q0", "dQ", "f"))
    if low <= 0 or more <= -low or share <= -1:
        no_counterpart(term, "Q0 and Q0 + dQ must be above 0, and f above -1")
    variance, texts = number(term, "sigma") ** 2 / (1 + share), []
    for size, quality, turns in ((variance, 0.5 + low + more, 4), (share * variance, 0.5 + low, 8)):
        frequency = turns * math.pi * quality / (period * math.sqrt(4 * quality**2 - 1))
        texts.append(f"{size!r}*sho(frequency={frequency!r}, quality={quality!r})")
    return parse(" + ".join(texts))


_EPS = 5e-6
"""The wave, relative to c, that approximates t e^{−ct} in celerite2: its square is an error, as is rounding over it."""


def _to_matern(kernel: Any, factors: Factors, weight: float) -> Attributes | str:
    rho = kernel.scale / abs(factors[0])
    own = {"sigma": math.sqrt(weight), "rho": rho, "eps": _EPS * math.sqrt(3) / rho}
    return own if kernel.nu == 1.5 else "nu is 1/2 or 3/2"


def _to_oscillator(kernel: Any, factors: Factors, weight: float) -> Attributes:
    frequency = kernel.frequency * abs(factors[0])
    return {"S0": weight / (frequency * kernel.quality), "w0": frequency, "Q": kernel.quality, "eps": _EPS**2}


def _real_term(term: Any, asked: _Asked) -> Spec:
    return _written(CLASSES["celerite2"]["RealTerm"] if number(term, "c") else "{a}*constant()")(term, asked)


def _complex_term(term: Any, asked: _Asked) -> Spec:
    """e^{−ct}(a cos dt + b sin dt): a damped wave, an oscillator if b/a = c/d, else a formula."""
    a, b, c, d = (number(term, name) for name in "abcd")
    if b == 0:
        return _written(f"{{a}}*{'exponential(scale=1/{c})*' if c else ''}cosine(by={{d}})")(term, asked)
    if math.isclose(a * c, b * d):
        size = "sqrt({c}**2 + {d}**2)"
        return _written(f"{{a}}*sho(frequency={size}, quality={size}/(2*{{c}}))")(term, asked)
    return _written("{a}*product(t -> exp(-{c}*t)*(cos({d}*t) + {b}/{a}*sin({d}*t)))")(term, asked)


_OF_CELERITE2: Mapping[str, Rule] = {
    "ComplexTerm": _complex_term,
    "Matern32Term": Counterpart(_of_template("celerite2", "Matern32Term"), {"matern": _to_matern}),
    "RealTerm": Counterpart(_real_term, {"constant": lambda _, __, weight: {"a": weight, "c": 0}}),
    "RotationTerm": _rotation,
    "SHOTerm": Counterpart(_of_template("celerite2", "SHOTerm"), {"sho": _to_oscillator}),
    "TermProduct": _of_parts(mul, "term1", "term2"),
    "TermSum": _of_parts(add, "terms"),
}

LIBRARIES: Mapping[str, Mapping[str, Rule]] = {
    "scikit-learn": _OF_SKLEARN,
    "GPyTorch": _OF_GPYTORCH,
    "GPflow": _OF_GPFLOW,
    "celerite2": _OF_CELERITE2,
}
