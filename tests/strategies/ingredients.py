"""The kernels, distributions, activations and tables that random specs are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import hypothesis.strategies as st
from hypothesis.extra import numpy as arrays

from kernelspec.activations.activation import load_activation
from kernelspec.catalogue import ACTIVATIONS, DISTRIBUTIONS, KERNELS
from kernelspec.distributions.distribution import Isotropic, Positive, load_distribution
from kernelspec.expressions.arguments import Argument, declared
from kernelspec.kernels.leaf import Stationary, load_kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "ACTIVATED",
    "DISTRIBUTED",
    "FAMILIES",
    "PLACES",
    "SYMMETRIC",
    "Ingredient",
    "Numbers",
    "argument_texts",
    "call_texts",
    "decimals",
    "tables",
    "vectors",
]

Numbers: TypeAlias = Callable[[float, float], st.SearchStrategy[str]]
"""Text of a number in an interval: digits, or the name of a parameter whose value lies there."""


def decimals(low: float, high: float) -> st.SearchStrategy[str]:
    """Decimals with few digits, so that failures read well."""
    return st.integers(round(low * 100), round(high * 100)).map(lambda hundredths: f"{hundredths / 100:g}")


def vectors(numbers: Numbers, dim: int | None, low: float, high: float) -> st.SearchStrategy[str]:
    """One number for all columns, or a number for each of `dim`; one alone on any number of columns (None)."""
    if dim is None:
        return numbers(low, high)
    entries = st.lists(numbers(low, high), min_size=dim, max_size=dim)
    return numbers(low, high) | entries.map(lambda parts: f"[{', '.join(parts)}]")


def tables(dim: int, *, min_rows: int = 1, max_rows: int = 8) -> st.SearchStrategy[NDArray[np.float64]]:
    """Tables of `dim` columns of numbers between −3 and 3, many of them whole, so that categories repeat."""
    entries = st.integers(-3, 3).map(float) | st.floats(-3, 3, allow_subnormal=False)
    rows = st.integers(min_rows, max_rows)
    return rows.flatmap(lambda n: arrays.arrays("float64", (n, dim), elements=entries))


_LOW, _HIGH = 0.5, 4.0
"""Numbers lie between the two, and so far inside an open end of their range:"""
_STEP = 0.01


def argument_texts(cls: type, *, table: str) -> Mapping[str, st.SearchStrategy[str]]:
    """For every declared argument of a class the strategy of its text: numbers from ½ to 4, as far as they are allowed.

    Raises TypeError for an argument that is no number, and for a range without any of these, with the `table` in which
    its strategy has to be written.
    """
    return {name: _texts(cls, name, argument, table) for name, (argument, _) in declared(cls).items()}


def call_texts(name: str, cls: type, *, table: str) -> st.SearchStrategy[str]:
    """Calls of what is called `name`, with all its arguments. Raises TypeError as `argument_texts` does."""
    arguments = argument_texts(cls, table=table)
    text = ", ".join(f"{argument}={{}}" for argument in arguments)
    return st.builds(f"{name}({text})".format, *arguments.values())


def _texts(cls: type, name: str, argument: Argument, table: str) -> st.SearchStrategy[str]:
    low = max(_LOW, argument.low + _STEP * argument.low_open)
    high = min(_HIGH, argument.high - _STEP * argument.high_open)
    if argument.kind == "integer" and ceil(low) <= int(high):
        return st.integers(ceil(low), int(high)).map(str)
    if argument.kind == "number" and low <= high:
        return decimals(low, high)
    raise TypeError(
        f"which texts shall random specs have for the argument {name!r} of {cls.__name__}? It is {argument.interval()} "
        f"of the kind {argument.kind!r}, not one from {_LOW:g} to {_HIGH:g}: add a line to {table}"
    )


Texts: TypeAlias = st.SearchStrategy[str]

PLACES: Mapping[str, str] = MappingProxyType(
    {
        "numbers": "0:3",
        "angle": "0",
        "unit vectors": "3:6",
        "signs": "6",
        "categories": "7",
        "sizes": "8:10",
        "size": "8",
    }
)
"""Where a table of ten columns holds what."""


@dataclass(frozen=True)
class Ingredient:
    """The text of a kernel, on columns that hold what `holds` says.

    `of_lags`: whether shifts of the lag mean something; `positive`: positive definite; `of_size_one`: k(x, x) = 1 and
    no sample is larger, so that any activation may come above.
    """

    write: Texts
    holds: str = "numbers"
    of_lags: bool = True
    positive: bool = True
    of_size_one: bool = True


def _call(name: str, *arguments: tuple[str, float, float]) -> Texts:
    names = ", ".join(f"{argument}={{}}" for argument, _, _ in arguments)
    return st.builds(f"{name}({names})".format, *(decimals(low, high) for _, low, high in arguments))


def _vector(low: float, high: float) -> Texts:
    entry = decimals(low, high)
    return entry | st.builds("[{}, {}, {}]".format, entry, entry, entry)


_DISTRIBUTED: Mapping[str, Texts] = MappingProxyType(
    {
        "chi": _call("chi", ("dof", 1, 4)),
        "chi_square": _call("chi_square", ("dof", 1, 4)),
        "discrete": st.just("discrete([1, 2, 4], [0.5, 0.25, 0.25])"),
        "erlang": st.builds("erlang(shape={}, scale={})".format, st.integers(1, 4), decimals(1, 3)),
        "exponential": _call("exponential", ("scale", 1, 4)),
        "gamma": _call("gamma", ("shape", 0.5, 4), ("scale", 1, 3)),
        "half_normal": _call("half_normal", ("scale", 1, 4)),
        "inverse_gamma": _call("inverse_gamma", ("shape", 0.5, 4), ("scale", 1, 4)),
        "lognormal": _call("lognormal", ("mu", 0, 1), ("sigma", 0.25, 1)),
        "nakagami": _call("nakagami", ("shape", 0.5, 4), ("spread", 1, 8)),
        "pareto": _call("pareto", ("shape", 0.75, 4), ("scale", 1, 3)),
        "rayleigh": _call("rayleigh", ("scale", 1, 4)),
        "rice": _call("rice", ("nu", 0, 3), ("sigma", 0.5, 2)),
        "shifted_poisson": _call("shifted_poisson", ("rate", 0.5, 4)),
        "weibull": _call("weibull", ("shape", 0.5, 4), ("scale", 1, 4)),
        "uniform": _call("uniform", ("low", 0.5, 1), ("high", 2, 6)),
    }
)

_SYMMETRIC: Mapping[str, Texts] = MappingProxyType(
    {
        "gaussian": _call("gaussian", ("scale", 0.25, 2)),
        "laplace": _call("laplace", ("scale", 0.25, 2)),
        "cauchy": _call("cauchy", ("scale", 0.25, 1)),
        "student_t": _call("student_t", ("dof", 0.5, 8), ("scale", 0.25, 1)),
    }
)


def _other_laws(family: type) -> Mapping[str, Texts]:
    """The laws of a family that neither table names, with numbers from ½ to 4."""
    others = {name: load_distribution(name) for name in DISTRIBUTIONS if name not in {*_DISTRIBUTED, *_SYMMETRIC}}
    table = f"_DISTRIBUTED or _SYMMETRIC in {__file__}"
    return {name: call_texts(name, cls, table=table) for name, cls in others.items() if issubclass(cls, family)}


DISTRIBUTED: Mapping[str, Texts] = MappingProxyType({**_DISTRIBUTED, **_other_laws(Positive)})
"""Laws of R > 0, for polya()."""

SYMMETRIC: Mapping[str, Texts] = MappingProxyType({**_SYMMETRIC, **_other_laws(Isotropic)})
"""Laws symmetric about zero, for bochner(), in any number of columns."""

_ACTIVATED: Mapping[str, Texts] = MappingProxyType(
    {
        "exp": st.builds("exp(c={})".format, decimals(0.25, 2)),
        "identity": st.just("identity"),
        "relu": st.just("relu"),
        "abs": st.just("abs"),
        "cos": st.builds("cos({})".format, decimals(0.5, 1.5)),
        "sin": st.builds("sin({})".format, decimals(0.5, 1.5)),
        "erf": st.just("erf"),
        "gaussian": st.builds("gaussian(a={})".format, decimals(0.25, 1)),
        "gelu": st.just("gelu"),
        "hermite": st.builds("hermite({})".format, st.integers(1, 3)),
        "leaky_relu": st.builds("leaky_relu(slope={})".format, decimals(0, 0.5)),
        "polynomial": st.just("polynomial([1, 0.5, 0.5])"),
        "sign": st.just("sign"),
        "step": st.just("step"),
    }
)

ACTIVATED: Mapping[str, Texts] = MappingProxyType(
    {
        **_ACTIVATED,
        **{
            name: call_texts(name, load_activation(name), table=f"_ACTIVATED in {__file__}")
            for name in ACTIVATIONS
            if name not in _ACTIVATED
        },
    }
)
"""Activations of duals."""

_POLYA_TYPE = st.sampled_from(["max(0, 1 - abs(t)/4)", "exp(-abs(t))", "1/(1 + abs(t))"])
"""Formulas that have features: convex, falling from one to zero."""


def _direction(name: str, low: float, high: float) -> Texts:
    return st.builds((name + "(scale={}, by={})").format, decimals(0.75, 1.5), _vector(low, high))


def _polya() -> Texts:
    return st.one_of(*DISTRIBUTED.values()).map("polya({})".format)


def _bochner() -> Texts:
    law = st.one_of(*SYMMETRIC.values())
    return st.builds("bochner({}{})".format, law, st.sampled_from(["", ", isotropic=true"]))


_SCALE = ("scale", 0.5, 4.0)

_FAMILIES: Mapping[str, Ingredient] = MappingProxyType(
    {
        "gaussian": Ingredient(_call("gaussian", _SCALE)),
        "laplace": Ingredient(_call("laplace", _SCALE)),
        "match": Ingredient(st.just("match()"), "categories", of_lags=False),
        "bochner": Ingredient(_bochner()),
        "binary": Ingredient(st.just("binary()"), "signs", of_lags=False),
        "brownian": Ingredient(
            st.builds("brownian(order={}, until=20)".format, st.integers(1, 2)),
            "size",
            of_lags=False,
            of_size_one=False,
        ),
        "cauchy": Ingredient(_call("cauchy", _SCALE)),
        "circle": Ingredient(st.just("circle()"), "angle", of_lags=False),
        "cosh_gaussian": Ingredient(_direction("cosh_gaussian", 0.1, 0.5), positive=False, of_size_one=False),
        "cosine": Ingredient(_vector(0, 3).map("cosine(by={})".format)),
        "exponential": Ingredient(_call("exponential", _SCALE)),
        "linear": Ingredient(st.just("linear()"), of_lags=False, of_size_one=False),
        "matern": Ingredient(_call("matern", ("nu", 0.5, 4), _SCALE)),
        "minmax": Ingredient(st.just("minmax()"), "sizes", of_lags=False),
        "noise": Ingredient(st.just("noise()"), "categories", of_lags=False),
        "normalised linear": Ingredient(st.just("normalize(linear())"), of_lags=False, of_size_one=False),
        "periodic": Ingredient(_call("periodic", ("period", 1, 6), ("scale", 0.5, 4))),
        "polya": Ingredient(_polya()),
        "powered_exponential": Ingredient(_call("powered_exponential", ("alpha", 0.5, 2), _SCALE)),
        "product": Ingredient(_POLYA_TYPE.map("product(t -> {})".format)),
        "rational_quadratic": Ingredient(_call("rational_quadratic", ("alpha", 0.25, 4), _SCALE)),
        "rbf_cosine": Ingredient(_call("rbf_cosine", ("gamma", 0.25, 3)), of_lags=False),
        "shift_gaussian": Ingredient(_direction("shift_gaussian", 0.1, 1), positive=False, of_size_one=False),
        "sho": Ingredient(_call("sho", ("frequency", 0.5, 3), ("quality", 0.2, 4))),
        "sinc": Ingredient(_call("sinc", ("bandwidth", 0.25, 2))),
        "sinh_gaussian": Ingredient(_direction("sinh_gaussian", 0.1, 0.5), positive=False, of_size_one=False),
        "sphere": Ingredient(st.just("sphere()"), "unit vectors", of_lags=False, of_size_one=False),
        "triangle": Ingredient(_call("triangle", ("width", 2, 8))),
    }
)


def _other_family(name: str) -> Ingredient:
    """A kernel of the catalogue that the table does not name: a function of the lag with numbers from ½ to 4."""
    cls, table = load_kernel(name), f"_FAMILIES in {__file__}"
    if not issubclass(cls, Stationary):
        raise TypeError(f"on which columns shall random specs have the kernel {name}? Add a line to {table}")
    return Ingredient(call_texts(name, cls, table=table))


FAMILIES: Mapping[str, Ingredient] = MappingProxyType(
    {**_FAMILIES, **{name: _other_family(name) for name in KERNELS if name not in _FAMILIES}}
)
"""The kernels of the catalogue, and those of a formula; simple ones first, to which examples shrink."""
