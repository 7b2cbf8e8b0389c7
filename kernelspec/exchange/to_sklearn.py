"""A spec as an exact kernel of scikit-learn's Gaussian processes, with its hyperparameters and their gradient."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.gaussian_process import kernels

from kernelspec.elaboration.arithmetic import with_written_values
from kernelspec.elaboration.data_columns import kernel_and_layout
from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import ValuedProgram
from kernelspec.errors import NoCounterpartError, ParameterError
from kernelspec.exchange.derivatives import Place, TreeNumbers, compile_numbers, tangents
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.language.nodes import Number, Param, Program
from kernelspec.loading import suggest
from kernelspec.spec import Spec, as_spec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kernelspec.kernels.kernel import Kernel

__all__ = [
    "Bounds",
    "Hyperparameter",
    "SpecKernel",
    "compiled_kernel",
    "free_program",
    "hyperparameters_of",
    "to_sklearn",
]

Bounds = tuple[float, float] | Literal["fixed"]

_LOW, _HIGH = 1e-5, 1e5
_REACH = 1e3
"""How far, as a factor, a parameter may move from where it starts, if that is beyond the usual bounds: an income may be
measured in any currency."""

"""The bounds that scikit-learn's kernels have."""


@dataclass(frozen=True)
class Hyperparameter:
    """A parameter with its value, its bounds, and whether its logarithm is what is searched."""

    name: str
    value: float
    bounds: tuple[float, float]
    is_logarithmic: bool

    @property
    def coordinate(self) -> float:
        """The logarithm, or the value itself."""
        return math.log(self.value) if self.is_logarithmic else self.value

    @property
    def coordinate_bounds(self) -> tuple[float, float]:
        """The bounds of that."""
        low, high = self.bounds
        return (math.log(low), math.log(high)) if self.is_logarithmic else (low, high)

    def within(self, value: float) -> float:
        """The value, or the bound that it exceeds by rounding: exp(log(b)) may lie beyond b."""
        low, high = self.bounds
        slack = 1e-9 * max(abs(low), abs(high))
        return low if low - slack <= value < low else high if high < value <= high + slack else value


def hyperparameters_of(spec: ValuedProgram, bounds: Mapping[str, Bounds]) -> list[Hyperparameter]:
    """Those of a spec, in the order of its lines, but for the fixed ones and those with a formula as default.

    One that is positive, by its line, its bounds or its value, is searched on a logarithmic scale. Raises
    ParameterError for a parameter without a value, bounds of no parameter, and bounds that the value is not between.
    """
    known = spec.params
    for name in bounds:
        if name not in known:
            hint = suggest(name, known) or (f"; it has {', '.join(known)}" if known else "; it has none")
            raise ParameterError(f"bounds are given for '{name}', and the spec has no such parameter{hint}")
    found = []
    for line in spec.program.statements:
        if not isinstance(line, Param) or bounds.get(line.name) == "fixed":
            continue
        value = known[line.name]
        if value is None and line.default is None:
            raise ParameterError(
                f"parameter '{line.name}' has no value to start from: give one, as in "
                f"spec.with_params({{'{line.name}': 1}})"
            )
        if value is not None:
            found.append(_hyperparameter(line, value, bounds.get(line.name)))
    return found


def _hyperparameter(line: Param, value: float, given: Bounds | None) -> Hyperparameter:
    highest = max(_HIGH, _REACH * abs(value))
    low, high = -highest, highest
    limit = float(line.bound.value) if isinstance(line.bound, Number) else None
    if limit is not None and line.relation in (">", ">="):
        low = limit
    if limit is not None and line.relation in ("<", "<="):
        high = limit
    positive = value > 0 and (limit is None or low >= 0)
    if given is not None and given != "fixed":
        low, high = map(float, given)
        positive = low > 0
    elif positive:
        low = max(low, min(_LOW, value / _REACH))
    if not low <= value <= high:
        raise ParameterError(f"parameter '{line.name}' is {value:g}, and its bounds are {low:g} and {high:g}")
    return Hyperparameter(line.name, value, (low, high), positive)


def free_program(spec: ValuedProgram, found: list[Hyperparameter]) -> Program:
    """The program whose hyperparameters are free symbols, positive where they are; the others have their values."""
    logarithmic = {each.name: each.is_logarithmic for each in found}
    written = with_written_values(spec.program, dict(spec.values))
    return replace(
        written,
        statements=tuple(
            _freed(line, logarithmic[line.name]) if isinstance(line, Param) and line.name in logarithmic else line
            for line in written.statements
        ),
    )


def _freed(line: Param, positive: bool) -> Param:
    bound = Number(Fraction(0), span=line.span) if positive else None
    return replace(line, relation=">" if positive else None, bound=bound, default=None)


_KEPT = 32
"""Compiled kernels: one for every spec and number of columns."""


def to_sklearn(
    spec: Spec | str, *, columns: Sequence[str] | None = None, bounds: Mapping[str, Bounds] | None = None
) -> SpecKernel:
    """A kernel of `sklearn.gaussian_process.kernels` that computes the spec, for `GaussianProcessRegressor`.

    Every parameter with a value is a hyperparameter: θ is its logarithm where it is positive, as in scikit-learn, and
    else itself. `bounds` are (low, high) or "fixed", by name; otherwise those of its line, within 1e-5 and 1e5.
    `columns` names the columns of an array. The gradient is exact: SymPy's derivatives of the catalogue's kernels
    and of the numbers in the spec, compiled once, and the chain rule over the tree.

    Raises NoCounterpartError for an asymmetric kernel, and, when the gradient is asked for, for a parameter that
    reaches a kernel whose derivatives are not known; ParameterError, SpecError.
    """
    made = SpecKernel(as_spec(spec), columns=columns, limits=bounds)
    hyperparameters_of(made.spec, made.limits or {})
    if made.spec.provisional_kernel().verdict().symmetric is False:
        raise NoCounterpartError("the kernel is not symmetric, and scikit-learn's kernels are")
    return made


class SpecKernel(kernels.Kernel):  # type: ignore[misc, unused-ignore]
    """The kernel of a spec, made by `to_sklearn`, which says what its arguments are (`limits` are the bounds)."""

    def __init__(
        self, spec: Spec, *, columns: Sequence[str] | None = None, limits: Mapping[str, Bounds] | None = None
    ) -> None:
        self.spec = spec
        self.columns = columns
        self.limits = limits

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """k(X, Y), (n, m); with `eval_gradient` also its derivatives by θ, (n, n, p), for Y that is not given.

        Raises DataError, SpecError, NoCounterpartError; ValueError for a gradient between two tables.
        """
        if not eval_gradient:
            return self.spec.gram(X, Y, columns=self.columns)
        if Y is not None:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        return self._with_gradient(X)

    def diag(self, X: Any) -> NDArray[np.float64]:
        """k(x, x) for every row, (n,)."""
        table = self._table(X)
        kernel, layout = kernel_and_layout(self.spec, table)
        rows = layout.read(X)
        pairs = NumericPairs(rows, rows, grid=False)
        return np.broadcast_to(np.asarray(kernel.value(pairs), dtype=float), pairs.shape).copy()

    def is_stationary(self) -> bool:
        """Whether k is a function of x − y."""
        return self.spec.provisional_kernel().verdict().stationary is True

    @property
    def hyperparameters(self) -> list[kernels.Hyperparameter]:
        """The parameters of the spec that are not fixed, as scikit-learn describes them."""
        return [kernels.Hyperparameter(each.name, "numeric", each.bounds) for each in self._own()]

    @property
    def theta(self) -> NDArray[np.float64]:
        """The values of the hyperparameters, in the order of the spec: logarithms of those that are positive."""
        return np.array([each.coordinate for each in self._own()])

    @theta.setter
    def theta(self, theta: Any) -> None:
        own, given = self._own(), np.asarray(theta, dtype=float)
        if given.shape != (len(own),):
            raise ValueError(f"theta has the shape {given.shape}, and there are {len(own)} hyperparameters")
        self.spec = self.spec.with_params(
            {
                each.name: each.within(np.exp(value) if each.is_logarithmic else value)
                for each, value in zip(own, given.tolist(), strict=True)
            }
        )

    @property
    def bounds(self) -> NDArray[np.float64]:
        """The bounds of θ, (p, 2)."""
        return np.array([each.coordinate_bounds for each in self._own()]).reshape(-1, 2)

    def __repr__(self) -> str:
        return f"SpecKernel({' '.join(str(self.spec).splitlines()[-1:])!r}, {self.spec.params})"

    def _own(self) -> list[Hyperparameter]:
        return hyperparameters_of(self.spec, self.limits or {})

    def _table(self, X: Any) -> Columns:
        return self.spec.columns(None if self.columns is not None else np.shape(X)[1], self.columns)

    def _with_gradient(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        own, table = self._own(), self._table(X)
        kernel, numbers = compiled_kernel(self.spec, own, table)
        rows = kernel_and_layout(self.spec, table)[1].read(X)
        values = [each.value for each in own]
        place = Place(NumericPairs(rows, rows), (None,) * len(own), numbers(values))
        found, slopes = tangents(kernel, place)
        gradient = np.zeros((*found.shape, len(own)))
        for i, (each, slope) in enumerate(zip(own, slopes, strict=True)):
            if slope is not None:
                gradient[..., i] = slope * (each.value if each.is_logarithmic else 1.0)
        return np.array(found), gradient


def compiled_kernel(
    spec: ValuedProgram, found: list[Hyperparameter], columns: Columns
) -> tuple[Kernel, Callable[[Sequence[float]], TreeNumbers]]:
    """The kernel in symbols, and from values of these hyperparameters to the numbers in it."""
    return _compiled(free_program(spec, found), tuple(each.name for each in found), columns)


@lru_cache(maxsize=_KEPT)
def _compiled(
    program: Program, names: tuple[str, ...], table: Columns
) -> tuple[Kernel, Callable[[Sequence[float]], TreeNumbers]]:
    """The kernel in symbols, and from values of the parameters to the numbers in it."""
    found = ValuedProgram(program).symbolic(table)
    for name in names:
        if name in found.symbols():
            raise ParameterError(
                f"parameter '{name}' is part of a function of columns and can be neither tuned nor differentiated: "
                f"keep its value, as in fixed=['{name}']"
            )
    return found.kernel, compile_numbers(found.kernel, names)
