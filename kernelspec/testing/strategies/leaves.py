"""The kernels of the catalogue, with arguments in range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import hypothesis.strategies as st

from kernelspec.kernels.catalogue import KERNELS, load_kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.testing.strategies.declared_arguments import argument_texts
from kernelspec.testing.strategies.numbers import Numbers, decimals, vectors

__all__ = ["LEAVES", "draw_leaf"]

Arguments: TypeAlias = Callable[[Numbers, int | None], Mapping[str, st.SearchStrategy[str]]]
"""The arguments of a kernel on so many columns (None: on any number), each with the strategy of its text."""


def _scale(numbers: Numbers, dim: int | None) -> dict[str, st.SearchStrategy[str]]:
    del dim
    return {"scale": numbers(0.25, 4)}


def _direction(numbers: Numbers, dim: int | None) -> dict[str, st.SearchStrategy[str]]:
    return {"scale": numbers(0.75, 1.5), "by": vectors(numbers, dim, 0.1, 0.5)}


def _laws(numbers: Numbers, dim: int | None) -> dict[str, st.SearchStrategy[str]]:
    scaled = st.builds("{}(scale={})".format, st.sampled_from(["gaussian", "laplace", "cauchy"]), numbers(0.25, 4))
    student = st.builds("student_t({}, scale={})".format, numbers(1, 8), numbers(0.25, 4))
    uniform = decimals(0.5, 4).map(lambda b: f"uniform(-{b}, {b})")
    # a uniform marginal is isotropic up to three columns
    isotropic = st.sampled_from(["false", "true"] if dim is not None and dim <= 3 else ["false"])
    return {"distribution": scaled | student | uniform, "isotropic": isotropic}


def _positive_laws(numbers: Numbers, dim: int | None) -> dict[str, st.SearchStrategy[str]]:
    del dim
    shaped = st.builds(
        "{}({}, {})".format, st.sampled_from(["gamma", "nakagami", "weibull"]), numbers(0.5, 4), numbers(0.5, 4)
    )
    interval = st.builds("uniform({}, {})".format, numbers(0.1, 1), numbers(2, 4))
    return {"distribution": shaped | interval, "area": numbers(0.5, 8)}


_LEAVES: Mapping[str, Arguments] = MappingProxyType(
    {
        "bochner": _laws,
        "cauchy": _scale,
        "cosh_gaussian": _direction,
        "cosine": lambda numbers, dim: {"by": vectors(numbers, dim, 0, 3)},
        "exponential": _scale,
        "gaussian": _scale,
        "laplace": _scale,
        "match": lambda numbers, dim: {},
        "matern": lambda numbers, dim: {"nu": numbers(0.5, 4), "scale": numbers(0.25, 4)},
        "minmax": lambda numbers, dim: {},
        "noise": lambda numbers, dim: {},
        "periodic": lambda numbers, dim: {"period": numbers(0.5, 4), "scale": numbers(0.5, 4)},
        "polya": _positive_laws,
        "powered_exponential": lambda numbers, dim: {"alpha": numbers(0.25, 2), "scale": numbers(0.25, 4)},
        "rational_quadratic": lambda numbers, dim: {"alpha": numbers(0.25, 4), "scale": numbers(0.25, 4)},
        "shift_gaussian": _direction,
        "sinc": lambda numbers, dim: {"bandwidth": numbers(0.25, 4)},
        "sinh_gaussian": _direction,
        "triangle": lambda numbers, dim: {"width": numbers(0.5, 4)},
    }
)

_ELSEWHERE = frozenset({"binary", "circle", "linear", "rbf_cosine", "sphere"})
"""Kernels that do not take rows of any numbers in any number of columns, or have no size to be divided by."""


def _other_leaf(name: str) -> Arguments:
    """The arguments of a kernel that the table does not name: numbers from ½ to 4."""
    cls, table = load_kernel(name), f"_LEAVES or _ELSEWHERE in {__file__}"
    if not issubclass(cls, Stationary):
        raise TypeError(f"does the kernel {name} take rows of any numbers? Add a line to {table}")
    texts = argument_texts(cls, table=table)
    return lambda numbers, dim: texts


LEAVES: Mapping[str, Arguments] = MappingProxyType(
    {**_LEAVES, **{name: _other_leaf(name) for name in KERNELS if name not in {*_LEAVES, *_ELSEWHERE}}}
)
"""Every kernel of the catalogue that takes rows of any numbers, with arguments in range."""

_OF_ROWS = ("match", "minmax", "noise")
"""Kernels that are no functions of the difference of two rows."""

_ASYMMETRIC = frozenset({"cosh_gaussian", "shift_gaussian", "sinh_gaussian"})
"""Kernels that come where negative weights do: they are not positive definite."""


def draw_leaf(draw: st.DrawFn, numbers: Numbers, dim: int | None, *, match: bool, signed: bool) -> str:
    """The text of one of `LEAVES` on so many columns (None: on any number).

    Without `match` none that is no function of the difference of two rows, without `signed` none that is asymmetric.
    """
    left_out = {*(() if match else _OF_ROWS), *(() if signed else _ASYMMETRIC)}
    name = draw(st.sampled_from([name for name in LEAVES if name not in left_out]))
    arguments = LEAVES[name](numbers, dim)
    return f"{name}({', '.join(f'{key}={draw(value)}' for key, value in arguments.items())})"
