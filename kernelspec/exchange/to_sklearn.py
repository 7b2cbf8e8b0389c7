"""A spec as an exact kernel for scikit-learn's Gaussian processes, with hyperparameters and gradient."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process import kernels

from kernelspec.catalogue import FaultsNamed
from kernelspec.elaboration.arithmetic import with_written_values
from kernelspec.elaboration.data_columns import kernel_and_layout, on_table
from kernelspec.elaboration.scope import Columns, written_number
from kernelspec.elaboration.valued_program import ValuedProgram, named
from kernelspec.errors import NoCounterpartError, ParameterError
from kernelspec.exchange.adjoints import PairsOnce, slopes
from kernelspec.exchange.derivatives import MovingColumns, TreeNumbers, compile_numbers
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic import monomial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Stationary
from kernelspec.language.nodes import Expression, Name, Number, Param, Program, Vector, with_parts
from kernelspec.loading import suggest, sympy
from kernelspec.spec import Spec, as_spec

__all__ = [
    "Bounds",
    "Hyperparameter",
    "SpecKernel",
    "accepted_bounds",
    "compiled",
    "hyperparameters_of",
    "proportional_waves",
    "to_sklearn",
    "values_of",
]

Bounds = tuple[float, float] | Literal["fixed"]

_LOW, _HIGH = 1e-5, 1e5
"""The default bounds of scikit-learn's kernels."""

_FARTHEST = 1e100
"""The bound in place of an infinite one."""

_REACH = 1e3
"""The factor by which a parameter may move from its start if that exceeds the usual bounds: an income may be in any
currency.
"""


@dataclass(frozen=True)
class Hyperparameter:
    """A parameter with its value, its bounds, and whether its logarithm is optimized."""

    name: str
    value: float
    bounds: tuple[float, float]
    is_logarithmic: bool

    @property
    def vector(self) -> str | None:
        """The parameter of which this is an entry, for vectors."""
        return self.name.partition("[")[0] if "[" in self.name else None

    @property
    def symbol(self) -> str:
        """Its symbol in formulas: the parameter's name, except for vector entries."""
        return self.name.replace("[", "__").removesuffix("]")

    @property
    def coordinate(self) -> float:
        """The logarithm, or the value itself."""
        return math.log(self.value) if self.is_logarithmic else self.value

    @property
    def coordinate_bounds(self) -> tuple[float, float]:
        """The bounds of the coordinate."""
        low, high = self.bounds
        return (math.log(low), math.log(high)) if self.is_logarithmic else (low, high)

    def within(self, value: float) -> float:
        """The value, clipped to bounds that it exceeds by rounding: exp(log(b)) may lie beyond b."""
        low, high = self.bounds
        slack = 1e-9 * max(abs(low), abs(high))
        return low if low - slack <= value < low else high if high < value <= high + slack else value


def hyperparameters_of(spec: ValuedProgram, bounds: Mapping[str, Bounds]) -> tuple[Hyperparameter, ...]:
    """The hyperparameters of a spec, in the order of its lines, without fixed ones and those with a formula as default.

    A parameter that is positive, by its line, its bounds or its value, is optimized on a logarithmic scale. Raises
    ParameterError for a parameter without a value, bounds for an unknown parameter, and bounds that do not contain the
    value.
    """
    known = spec.params
    for name in bounds:
        if name not in known:
            hint = suggest(name, known) or (f"; it has {', '.join(known)}" if known else "; it has none")
            raise ParameterError(f"bounds are given for '{name}', but the spec has no such parameter{hint}")
    found = []
    for line in spec.program.statements:
        if not isinstance(line, Param):
            continue
        given = bounds.get(line.name)
        if isinstance(given, str) and given == "fixed":
            continue
        value = known[line.name]
        if line.length is not None and isinstance(value, float):
            raise ParameterError(f"'{line.name}' needs a value for every entry, as in {{'{line.name}': [1, 2]}}")
        if value is None and line.default is None:
            raise ParameterError(
                f"parameter '{line.name}' has no initial value: give one, as in spec.with_params({{'{line.name}': 1}})"
            )
        entries = {f"{line.name}[{i}]": own for i, own in enumerate(value)} if isinstance(value, tuple) else {}
        for name, own in (entries or ({} if value is None else {line.name: value})).items():
            found.append(_hyperparameter(line, name, own, given))
    return tuple(found)


def _within_ranges(spec: ValuedProgram, found: tuple[Hyperparameter, ...], own: Hyperparameter) -> Hyperparameter:
    """A hyperparameter whose bounds the spec accepts, if the others keep their values.

    An end outside the range of an argument or formula becomes the last number of four digits before it.
    """

    def accepts(value: float) -> bool:
        return spec.accepts(values_of(found, [each.value if each is not own else value for each in found]))

    def end(outside: float) -> float:
        if accepts(outside):
            return outside
        inside = own.value
        for _ in range(60):
            if own.is_logarithmic:
                middle = math.sqrt(inside) * math.sqrt(outside)
            else:
                is_far = abs(outside) > _REACH * max(1.0, abs(inside))
                middle = outside / _REACH if is_far else (inside + outside) / 2
            middle = float(f"{middle:.4g}")
            if not min(inside, outside) < middle < max(inside, outside):
                break
            inside, outside = (middle, outside) if accepts(middle) else (inside, middle)
        return inside

    low, high = own.bounds
    return replace(own, bounds=(end(low), end(high)))


@lru_cache(maxsize=16)
def accepted_bounds(spec: ValuedProgram, found: tuple[Hyperparameter, ...]) -> tuple[Hyperparameter, ...]:
    """The hyperparameters with bounds inside the ranges that arguments and formulas declare, each alone."""
    return tuple(_within_ranges(spec, found, own) for own in found)


def values_of(found: Sequence[Hyperparameter], values: Sequence[float]) -> dict[str, Any]:
    """The values of hyperparameters by parameter name, those of a vector as a list."""
    grouped: dict[str, Any] = {}
    for own, value in zip(found, values, strict=True):
        if own.vector is None:
            grouped[own.name] = value
        else:
            grouped.setdefault(own.vector, []).append(value)
    return grouped


def _limit(node: Expression | None) -> float | None:
    found = written_number(node)
    return None if found is None else float(found)


def _hyperparameter(line: Param, name: str, value: float, given: Bounds | None) -> Hyperparameter:
    highest = max(_HIGH, _REACH * abs(value))
    low, high = -highest, highest
    limit = _limit(line.bound)
    if limit is not None and line.relation in (">", ">="):
        low = limit
    if limit is not None and line.relation in ("<", "<="):
        high = limit
    if line.interval is not None:
        ends = _limit(line.interval.low), _limit(line.interval.high)
        low, high = (usual if end is None else end for end, usual in zip(ends, (low, high), strict=True))
        limit = ends[0]
    positive = value > 0 and (limit is None or low >= 0)
    if given is not None:
        try:
            low, high = (min(max(float(end), -_FARTHEST), _FARTHEST) for end in given)
        except (TypeError, ValueError):
            raise ParameterError(f"the bounds of '{name}' must be (low, high) or 'fixed', not {given!r:.60}") from None
        positive = low > 0
        if positive:
            low = max(low, min(1 / _FARTHEST, value))
        if not low <= high:
            raise ParameterError(f"the bounds of '{name}' are {low:g} and {high:g}, not in order")
    elif positive:
        low = max(low, min(_LOW, value / _REACH))
    if not low <= value <= high:
        raise ParameterError(f"parameter '{name}' is {value:g}, outside its bounds {low:g} and {high:g}")
    return Hyperparameter(name, value, (low, high), positive)


def free_program(spec: ValuedProgram, found: Sequence[Hyperparameter]) -> Program:
    """The program with its hyperparameters as free symbols, positive if they are; the others keep their values."""
    written = with_written_values(spec.program, dict(spec.values))
    entries: dict[str, list[Hyperparameter]] = {}
    for each in found:
        entries.setdefault(each.vector or each.name, []).append(each)
    parts: dict[int, Any] = {}
    for line in written.statements:
        if isinstance(line, Param) and line.name in entries:
            parts[id(line)] = tuple(_freed(line, each) for each in entries[line.name])
    for node in named(written):
        if isinstance(node, Name) and (own := entries.get(node.identifier)) and own[0].vector is not None:
            symbols = tuple(Name(each.symbol, span=node.span) for each in own)
            parts[id(node)] = Vector(symbols, span=node.span)
    return with_parts(written, parts)


def _freed(line: Param, each: Hyperparameter) -> Param:
    bound = Number(Fraction(0), span=line.span) if each.is_logarithmic else None
    return Param(each.symbol, relation=None if bound is None else ">", bound=bound, span=line.span)


_ASYMMETRIC = "scikit-learn requires symmetric kernels, and this one is asymmetric"
_KEPT = 32
"""Compiled kernels, one per spec and number of columns."""


def to_sklearn(
    spec: Spec | str, *, columns: Sequence[str] | None = None, bounds: Mapping[str, Bounds] | None = None
) -> SpecKernel:
    """A kernel of `sklearn.gaussian_process.kernels` that computes the spec, for `GaussianProcessRegressor`.

    Every parameter with a value is a hyperparameter: θ is its logarithm if it is positive, as in scikit-learn, and
    otherwise the parameter itself. `bounds` are (low, high) or "fixed", by name; the default is the range of its line,
    within 1e-5 and 1e5; both end where the ranges of arguments do. `columns` names the columns of an array. The
    gradient is exact: SymPy's derivatives of the catalogue's kernels and of the numbers in the spec, compiled once, and
    the chain rule over the tree. Derivatives are known for radial kernels, products over the columns, cosine(),
    rbf_cosine(), gibbs(), gneiting() and brownian().

    Raises NoCounterpartError for an asymmetric kernel, and when the gradient is evaluated, for a parameter of a kernel
    whose derivatives are not known; ParameterError, SpecError.
    """
    made = SpecKernel(as_spec(spec), columns=columns, limits=bounds)
    hyperparameters_of(made.spec, made.limits or {})
    if made.spec.provisional_kernel().verdict().symmetric is False:
        raise NoCounterpartError(_ASYMMETRIC)
    return made


class SpecKernel(kernels.Kernel):  # type: ignore[misc, unused-ignore]
    """The kernel of a spec, made by `to_sklearn`, which documents the arguments (`limits` are the bounds)."""

    def __init__(
        self, spec: Spec, *, columns: Sequence[str] | None = None, limits: Mapping[str, Bounds] | None = None
    ) -> None:
        self.spec = spec
        self.columns = columns
        self.limits = limits

    @FaultsNamed()
    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """k(X, Y), (n, m); without Y, with observation noise on the diagonal, as WhiteKernel.

        With `eval_gradient` also its derivatives by θ, (n, n, p); Y must then be omitted. Raises DataError, SpecError,
        NoCounterpartError; ValueError for a gradient with Y.
        """
        if eval_gradient and Y is not None:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        values, gradient = (
            self._with_gradient(X) if eval_gradient else (self.spec.gram(X, Y, columns=self.columns), None)
        )
        if Y is None and np.abs(values - values.T).max() > 1e-9 * np.abs(values).max():
            raise NoCounterpartError(_ASYMMETRIC)  # no rule knew it before
        return values if gradient is None else (values, gradient)

    @FaultsNamed()
    def diag(self, X: Any) -> NDArray[np.float64]:
        """k(x, x) for every row, (n,)."""
        table = self._table(X)
        read, layout = on_table(self.spec, table)
        rows = layout.read(X)
        pairs = NumericPairs(rows, rows, grid=False)
        values = np.asarray(read.kernel.value(pairs), dtype=float) + float(read.noise)
        return np.broadcast_to(values, pairs.shape).copy()

    def is_stationary(self) -> bool:
        """Whether k is a function of x − y."""
        return self.spec.provisional_kernel().verdict().stationary is True

    @property
    def hyperparameters(self) -> list[kernels.Hyperparameter]:
        """The parameters of the spec that are not fixed, as scikit-learn's Hyperparameter tuples."""
        grouped: dict[str, list[Hyperparameter]] = {}
        for each in accepted_bounds(self.spec, self._own()):
            grouped.setdefault(each.vector or each.name, []).append(each)
        return [
            kernels.Hyperparameter(name, "numeric", np.array([each.bounds for each in own]), len(own))
            if own[0].vector is not None
            else kernels.Hyperparameter(name, "numeric", own[0].bounds)
            for name, own in grouped.items()
        ]

    @property
    def theta(self) -> NDArray[np.float64]:
        """The values of the hyperparameters, in the order of the spec, as logarithms if positive."""
        return np.array([each.coordinate for each in self._own()])

    @theta.setter
    def theta(self, theta: Any) -> None:
        own, given = self._own(), np.asarray(theta, dtype=float)
        if given.shape != (len(own),):
            raise ValueError(f"theta has the shape {given.shape}, but the kernel has {len(own)} hyperparameters")
        values = [
            each.within(np.exp(value) if each.is_logarithmic else value)
            for each, value in zip(own, given.tolist(), strict=True)
        ]
        self.spec = self.spec.with_params(values_of(own, values))

    @property
    def bounds(self) -> NDArray[np.float64]:
        """The bounds of θ, (p, 2)."""
        return np.array([each.coordinate_bounds for each in accepted_bounds(self.spec, self._own())]).reshape(-1, 2)

    def __repr__(self) -> str:
        return f"SpecKernel({' '.join(str(self.spec).splitlines()[-1:])!r}, {self.spec.params})"

    def _own(self) -> tuple[Hyperparameter, ...]:
        return hyperparameters_of(self.spec, self.limits or {})

    def _table(self, X: Any) -> Columns:
        return self.spec.columns(None if self.columns is not None else np.shape(X)[1], self.columns)

    def _with_gradient(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        own, table = self._own(), self._table(X)
        kernel, numbers, moving, noise_at = compiled(self.spec, own, table)
        layout = kernel_and_layout(self.spec, table)[1]
        rows, values = layout.read(X), [each.value for each in own]
        changes: Sequence[Any] = ()
        if moving is not None:
            rows, changes = moving.at(values, layout.read(X, mapped=False), rows)
        pairs, at = PairsOnce(rows, rows), numbers(values)
        found = np.broadcast_to(np.asarray(at.numeric(kernel).value(pairs), dtype=float), pairs.shape)
        gradient = np.zeros((*found.shape, len(own)))
        for i, slope in enumerate(slopes(kernel, pairs, at, changes)):
            gradient[..., i] = slope
        value, diagonal = np.array(found), np.diag_indices(len(found))
        noise, *by_noise = noise_at(*values)
        value[diagonal] += noise
        gradient[diagonal] += by_noise
        return value, gradient * [each.value if each.is_logarithmic else 1.0 for each in own]


_Compiled: TypeAlias = tuple[
    Kernel, Callable[[Sequence[float]], TreeNumbers], MovingColumns | None, Callable[..., list[float]]
]


def compiled(spec: ValuedProgram, found: Sequence[Hyperparameter], columns: Columns) -> _Compiled:
    """The kernel in symbols; a function from hyperparameter values to the numbers in it; the functions of columns that
    depend on them, None without any; and a function from values to the variance of the observation noise and its
    derivatives.
    """
    return _compiled(free_program(spec, found), tuple(each.symbol for each in found), columns)


def proportional_waves(kernel: Kernel, found: Sequence[Hyperparameter]) -> list[tuple[int, int]]:
    """The hyperparameters, by position, to which a frequency of an atom in a leaf of a symbolic kernel is proportional,
    with the exponent: 1 for a frequency, −1 for a period.
    """
    waves: list[Any] = []
    for leaf in kernel.parts():
        if isinstance(leaf, Stationary) and leaf.is_discrete:
            harmonics = leaf.harmonics()
            waves += [entry for point, _ in leaf.finite_atoms() or () for entry in point]
            waves += [] if harmonics is None else [harmonics[0]]
    numbers = {own.symbol: i for i, own in enumerate(found)}
    exponents: dict[int, int] = {}
    for wave in map(sympy.sympify, waves):
        for symbol in wave.free_symbols:
            exponent = next((own for own in (1, -1) if monomial(wave, symbol, own) is not None), 0)
            if exponent and symbol.name in numbers:
                exponents[numbers[symbol.name]] = exponent
    return sorted(exponents.items())


@lru_cache(maxsize=_KEPT)
def _compiled(program: Program, names: tuple[str, ...], table: Columns) -> _Compiled:
    found = ValuedProgram(program).symbolic(table)
    moving = MovingColumns.of(found.sources, names) if found.symbols() else None
    noise = sympy.S.Zero + found.noise
    symbols = [next((own for own in noise.free_symbols if own.name == name), sympy.Symbol(name)) for name in names]
    noise_at = sympy.lambdify(symbols, [noise, *(noise.diff(own) for own in symbols)], "math")
    return found.kernel, compile_numbers(found.kernel, names), moving, noise_at
