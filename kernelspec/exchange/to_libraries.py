"""Specs as kernels of GPyTorch, GPflow and celerite2, by the tables of classes in `from_libraries`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from importlib import import_module
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from kernelspec.elaboration.column_functions import Elaborated
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import DimensionError, KernelspecError, NoCounterpartError
from kernelspec.exchange.from_libraries import LIBRARIES, Counterpart, Factors
from kernelspec.expressions.columns import CodedColumn, ComputedColumn
from kernelspec.expressions.formula import Constant, terms_of
from kernelspec.kernels.formula import FormulaRadial
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaf import Leaf, is_one
from kernelspec.kernels.nodes.columns_and_lags import Select, Stretch
from kernelspec.kernels.nodes.sums_and_products import Additive, Power, Product, Sum
from kernelspec.kernels.stationary import Coordinatewise
from kernelspec.loading import load_from
from kernelspec.measures.algebra.line import is_even, line_members
from kernelspec.measures.measure import measure_of
from kernelspec.measures.realization import NUMBERS
from kernelspec.spec import Spec, as_spec, parse

__all__ = ["to_celerite2", "to_gpflow", "to_gpytorch"]


def to_gpytorch(
    spec: Spec | str, *, dim: int | None = None, columns: Sequence[str] | None = None, noise: bool = True
) -> Any:
    """The spec as a kernel of `gpytorch.kernels` in float64; its numbers become parameters to train.

    `dim` is the number of columns of the rows, or `columns` lists their names. Observation noise belongs in GPyTorch's
    likelihood: a spec with noise is refused with the number to set there, unless `noise=False`. In GPyTorch, equal
    rows of two tables may be 1e-8 apart, and products of low rank may get 1e-8 on their diagonal.

    Raises NoCounterpartError with the part that GPyTorch does not have; MissingPackageError, SpecError.
    """
    library, torch = load_from("gpytorch:kernels"), import_module("torch")

    def make(name: str, own: Mapping[str, Any], columns: list[int] | None = None, parts: Sequence[Any] = ()) -> Any:
        arrays = {key: torch.tensor(value) for key, value in own.items() if isinstance(value, np.ndarray)}
        given = {key: value for key, value in own.items() if key not in arrays}
        if np.size(own.get("lengthscale", 0)) > 1:
            given["ard_num_dims"] = len(own["lengthscale"])
        if columns is not None:
            given["active_dims"] = columns
        return getattr(library, name)(*parts, **given).double().initialize(**arrays)

    return _made("GPyTorch", make, spec, noise, dim, columns)


def to_gpflow(
    spec: Spec | str, *, dim: int | None = None, columns: Sequence[str] | None = None, noise: bool = True
) -> Any:
    """The spec as a kernel of `gpflow.kernels`; its numbers become parameters to train.

    `dim` is the number of columns of the rows, or `columns` lists their names. Observation noise becomes a White kernel
    in the sum, unless `noise=False` leaves it to the likelihood.

    Raises NoCounterpartError with the part that GPflow does not have; MissingPackageError, SpecError.
    """
    library = load_from("gpflow:kernels")

    def make(name: str, own: Mapping[str, Any], columns: list[int] | None = None, parts: Sequence[Any] = ()) -> Any:
        single = {key: value[0] for key, value in own.items() if isinstance(value, np.ndarray) and value.shape == (1,)}
        given = {**own, **single}
        assigned = {key: given.pop(key) for key in own if key in ("W", "kappa")}
        if "base_kernel" in own:
            given["base_kernel"] = make("SquaredExponential", own["base_kernel"])
        kernel = getattr(library, name)(*([parts] if parts else []), **given)
        for key, value in assigned.items():
            getattr(kernel, key).assign(value)
        if columns is not None:
            kernel.active_dims = columns
        return kernel

    return _made("GPflow", make, spec, noise, dim, columns)


def to_celerite2(spec: Spec | str, *, noise: bool = True) -> Any:
    """The spec, a kernel on one column, as a term of `celerite2.terms`: exponentials times cosines.

    A Matern32Term, and an SHOTerm of quality near 1/2, are off by 1e-11 of the variance. celerite2 adds observation
    noise to the diagonal: a spec with noise is refused with the number to pass there, unless `noise=False`.

    Raises NoCounterpartError with the part that celerite2 does not have; MissingPackageError, SpecError.
    """
    library, names = load_from("celerite2:terms"), as_spec(spec).columns().names or ()
    if len(names) > 1:
        raise NoCounterpartError(f"celerite2 has kernels of one column, but the spec reads {', '.join(names)}")

    def make(name: str, own: Mapping[str, Any], _: list[int] | None = None, parts: Sequence[Any] = ()) -> Any:
        return getattr(library, name)(*parts, **own)

    return _made("celerite2", make, spec, noise, None if names else 1)


_COMBINED: Mapping[str, tuple[str, str, str]] = {
    "GPyTorch": ("AdditiveKernel", "ProductKernel", "in the likelihood, as in likelihood.noise = {}"),
    "GPflow": ("Sum", "Product", ""),
    "celerite2": ("TermSum", "TermProduct", "on the diagonal, as in gp.compute(t, diag={})"),
}
"""The classes of a sum and a product, and where noise is, if no kernel has it."""


def _made(library: str, make: Any, spec: Any, noise: bool, dim: int | None, columns: Any = None) -> Any:
    table = as_spec(spec).columns(dim, columns)
    if table.by_name and len(table.names or ()) > 1:
        shown = ", ".join(map(repr, table.names or ()))
        raise DimensionError(f"the order of the columns is needed here: set columns=, as in columns=[{shown}]")
    read = as_spec(spec).elaborated(table)
    writer = _Writer(library, make, read, int(table.dim))
    kernel = writer.of(read.kernel, range(int(read.kernel.dim)), np.ones(1))
    if not (read.noise and noise):
        return kernel
    if where := _COMBINED[library][2].format(float(read.noise)):
        raise NoCounterpartError(f"{library} has observation noise {where}, not in a kernel: pass noise=False")
    return writer.combined(0, [kernel, make("White", {"variance": np.array([float(read.noise)])})])


_MOST_SETS = 64
"""Sets of columns that are written out for additive()."""

_ALIKE: Mapping[str, str] = {
    "cauchy": "rational_quadratic(alpha=1, scale={scale!r}/sqrt(2))",
    "circle": "cosine(by=1)",
    "exponential": "matern(nu=1/2, scale={scale!r})",
    "laplace": "exponential(scale={scale!r})",
}
"""The same kernel under another name; on one column, for products over the columns."""

_OF_CODES: Mapping[str, str] = {"linear": "levels"}
"""What is a kernel of categories if it reads the numbers of their levels."""


@dataclass(frozen=True)
class _Writer:
    """Kernel nodes as kernels of a library, which `make` makes from a class, attributes, columns and parts.

    With `alone`, the kernels are given this column and no other.
    """

    library: str
    make: Callable[..., Any]
    read: Elaborated
    dim: int
    alone: int | None = None

    def of(self, node: Kernel, at: Sequence[int], factors: Factors, weight: float = 1.0) -> Any:
        """weight · node. Raises NoCounterpartError."""
        match node:
            case Sum():
                return self._sum(node, at, factors, weight)
            case Select():
                return self.of(node.base, *_selected(at, factors, node.positions), weight)
            case Stretch() if not node.is_matrix:
                return self.of(node.base, at, factors * np.array(node.matrix, float), weight)
            case Leaf():
                return self._leaf(node, at, factors, weight)
        terms = self._exponentials(node, at, factors, weight)
        if terms is not None and (len(terms) == 1 or not isinstance(node, Product | Power)):
            return self.combined(0, terms)
        match node:
            case Product():
                parts = [self.of(factor, at, factors) for factor in node.factors if not is_one(factor)]
                return self._product(node, parts, weight)
            case Power():
                if (made := self._polynomial(node, at, factors, weight)) is not None:
                    return made
                return self._product(node, [self.of(node.base, at, factors)] * node.exponent, weight)
            case Additive() if node.n_sets <= _MOST_SETS:
                sets = combinations(range(int(node.dim)), node.order)
                parts = [
                    self.combined(1, [self.of(node.base, *_selected(at, factors, (i,))) for i in own]) for own in sets
                ]
                return self.weighed(self.combined(0, parts), weight / node.n_sets)
            case Additive():
                self._refuse(node, f"it has {node.n_sets:,} sets of columns, and up to {_MOST_SETS} are written out")
        return self._refuse(node)

    def combined(self, which: int, parts: Sequence[Any]) -> Any:
        """A sum (0) or product (1) of parts, as one kernel; celerite2 multiplies two at a time."""
        name = _COMBINED[self.library][which]
        if name == "TermProduct":
            return reduce(lambda left, right: self.make(name, {}, None, [left, right]), parts)
        return parts[0] if len(parts) == 1 else self.make(name, {}, None, parts)

    def weighed(self, kernel: Any, weight: float) -> Any:
        """weight · kernel."""
        if weight == 1:
            return kernel
        if self.library == "GPyTorch":
            return self.make("ScaleKernel", {"outputscale": np.array(weight)}, None, [kernel])
        return self.combined(1, [self._named(SimpleNamespace(name="constant"), None, np.ones(1), weight, []), kernel])

    def _refuse(self, node: Kernel, reason: str = "") -> NoReturn:
        rules = (rule for rule in LIBRARIES[self.library].values() if isinstance(rule, Counterpart))
        known = ", ".join(sorted({f"{name}()" for rule in rules for name in rule.written}))
        known += " and exponentials times cosines" * (self.library == "celerite2")
        shown = str(node) if node.span is None else node.span.text
        message = f"{shown} has no counterpart in {self.library}: {reason or f'it has sums and products of {known}'}"
        raise NoCounterpartError(message if node.span is None else node.span.report(message))

    def _sum(self, node: Sum, at: Sequence[int], factors: Factors, weight: float) -> Any:
        parts, sides = [], dict[tuple[int, Any, Any], dict[int, Any]]()
        for size, term in zip(node.weights, node.terms, strict=True):
            if size < 0 and self.library != "celerite2":
                self._refuse(term, "it is subtracted, and weights there are positive")
            if (found := self._side(term, at)) is None:
                parts.append(self.of(term, at, factors, weight * float(size)))
            else:
                switch, side, kernel = found
                inside = replace(self, dim=1, alone=switch[0])
                sides.setdefault(switch, {})[side] = inside.of(kernel, at, factors, weight * float(size))
        for (column, place, width), both in sides.items():
            if len(both) < 2:
                self._refuse(node, "a change point there has a kernel on either side")
            own = {"locations": [float(place)], "steepness": np.array([float(1 / width)])}
            parts.append(self.make("ChangePoints", own, self._chosen(node, [column]), [both[0], both[1]]))
        return self.combined(0, parts) if parts else self._refuse(node, "it is 0")

    def _side(self, term: Kernel, at: Sequence[int]) -> tuple[tuple[int, Any, Any], int, Kernel] | None:
        """The column, place and width of a change point, the side of it, and the kernel there; None for others."""
        factors = term.factors if isinstance(term, Product) else (term,)
        for factor in factors if "ChangePoints" in LIBRARIES[self.library] and self.read.sources else ():
            source = self.read.sources[at[factor.positions[0]]] if isinstance(factor, Select) else 0
            if not isinstance(source, ComputedColumn):
                continue
            numbers = [own.value for own in terms_of(source.body) if isinstance(own, Constant)]
            switch = (min(source.reads()), -numbers[-2], numbers[-1]) if len(numbers) == 4 else (0, 0, 1)
            text = "changepoint(constant(), constant(), on={}, at={}, width={})".format(*switch)
            made = parse(text).elaborated(Columns(switch[0] + 1)).sources
            bodies = [own.body for own in made if isinstance(own, ComputedColumn)]
            if source.body in bodies:
                rest = tuple(own for own in factors if own is not factor)
                whole = Product(factors=rest, dim=term.dim, span=term.span) if len(rest) > 1 else None
                return (
                    switch,
                    bodies.index(source.body),
                    whole or (rest or (parse("constant()").kernel(Columns(1)),))[0],
                )
        return None

    def _product(self, node: Kernel, factors: list[Any], weight: float) -> Any:
        if self.library == "celerite2" and sum(map(_is_steep, factors)) > 1:
            self._refuse(node, "its terms approximate t e^{−ct}, and not t² e^{−ct}")
        return self.weighed(self.combined(1, factors), weight)

    def _polynomial(self, node: Power, at: Sequence[int], factors: Factors, weight: float) -> Any | None:
        """(a x·y + c)ⁿ; None for others."""
        base = node.base if isinstance(node.base, Sum) else Sum(terms=(), weights=(), dim=node.dim)
        sizes = {getattr(term, "name", ""): size for size, term in zip(base.weights, base.terms, strict=True)}
        if sizes.keys() != {*_OF_CODES, "constant"} or min(sizes.values()) <= 0:
            return None
        size = sizes["linear"]
        part = SimpleNamespace(name="polynomial", offset=sizes["constant"] / size, degree=node.exponent)
        return self._named(part, self._columns(base, at), factors, weight * size**node.exponent, [])

    def _columns(self, node: Kernel, at: Sequence[int]) -> list[int] | None:
        """The columns of the table, None for all. Raises NoCounterpartError for functions of columns."""
        found = [self.read.sources[i] if self.read.sources else i for i in at]
        for source, i in zip(found, at, strict=True):
            if not isinstance(source, int):
                self._refuse(node, f"it reads {self.read.names[i]}: make that a column of the table")
        return self._chosen(node, found)

    def _chosen(self, node: Kernel, columns: list[Any]) -> list[int] | None:
        if self.alone is not None and columns != [self.alone]:
            self._refuse(node, "a change point there has kernels of its own column")
        return None if self.alone is not None or columns == list(range(self.dim)) else columns

    def _leaf(self, leaf: Leaf, at: Sequence[int], factors: Factors, weight: float) -> Any:
        reasons: list[str] = []
        if (coded := self._levels(leaf, at)) is not None:
            return self._named(coded[1], self._chosen(leaf, [coded[0]]), factors, weight, reasons)
        columns = self._columns(leaf, at) if leaf.reads_numbers else None
        for part in _alike(leaf):
            if (made := self._named(part, columns, factors, weight, reasons)) is not None:
                return made
        if isinstance(leaf, Coordinatewise) and leaf.dim != 1:
            parts = [self._leaf(leaf.on_line(), *_selected(at, factors, (i,)), 1.0) for i in range(int(leaf.dim))]
            return self.weighed(self.combined(1, parts), weight)
        terms = self._exponentials(leaf, at, factors, weight)
        return self._refuse(leaf, ", ".join(dict.fromkeys(reasons))) if terms is None else self.combined(0, terms)

    def _named(
        self, part: Any, columns: list[int] | None, factors: Factors, weight: float, reasons: list[str]
    ) -> Any | None:
        """The kernel of the first class that can be this one; None without one, with the reasons."""
        for name, rule in LIBRARIES[self.library].items():
            if isinstance(rule, Counterpart) and part.name in rule.written:
                inside = rule.weighs and (weight > 0 or not isinstance(part, Leaf))  # sigma is a root
                found = rule.written[part.name](part, factors, weight if inside else 1.0)
                if not isinstance(found, str):
                    return self.weighed(self.make(name, found, columns), 1.0 if inside else weight)
                reasons.append(f"in {name}, {found}")
        return None

    def _levels(self, leaf: Leaf, at: Sequence[int]) -> tuple[int, Any] | None:
        """The column and the matrix of categories 0, 1, …; None for another kernel."""
        read = [self.read.sources[i] for i in at] if self.read.sources else []
        codes = [own for own in read if isinstance(own, CodedColumn)]
        if leaf.name not in _OF_CODES or not codes or len(codes) < len(read):
            return None
        levels = codes[0].levels
        if {*levels} != {*range(len(levels))}:
            self._refuse(leaf, f"categories there are 0, 1, …, and not {', '.join(map(repr, levels))}")
        factor = np.array([own.numbers for own in codes])[:, np.argsort([int(level) for level in levels])]
        return codes[0].position, SimpleNamespace(name=_OF_CODES[leaf.name], matrix=factor.T @ factor)

    def _exponentials(self, node: Kernel, at: Sequence[int], factors: Factors, weight: float) -> list[Any] | None:
        """Terms of celerite2 whose sum is weight · node; None for another form, or another library."""
        if self.library != "celerite2" or node.dim != 1:
            return None
        found: dict[tuple[float, float], Any] = {}
        with suppress(KernelspecError):
            for member in line_members(measure_of(node), NUMBERS):
                if member.lag is None or member.frequency is not None or not is_even(member):
                    return None
                for piece in (*member.lag.whole_line.pieces, *member.lag.with_ends.after_zero.pieces):
                    if piece.curvature or piece.high is not None or piece.low or len(piece.weights) > 1:
                        return None
                    size, turn = float(piece.weights[0] * NUMBERS.exponential(piece.level)), float(piece.phase)
                    wave = float(piece.wave)  # with another piece at −wave, as the kernel is real
                    rate = float(piece.rate) * abs(factors[0]), abs(wave * factors[0])
                    amplitudes = np.array([math.cos(turn), -math.sin(turn) * np.sign(wave)])
                    found[rate] = found.get(rate, 0) + weight * size * amplitudes
            return [
                self.make(*(("ComplexTerm", {"a": a, "b": b, "c": c, "d": d}) if d else ("RealTerm", {"a": a, "c": c})))
                for (c, d), (a, b) in found.items()
            ]
        return None


def _selected(at: Sequence[int], factors: Factors, positions: Sequence[int]) -> tuple[list[int], Factors]:
    return [at[i] for i in positions], factors if len(factors) == 1 else factors[list(positions)]


def _is_steep(term: Any) -> bool:
    """Whether a term of celerite2 is nearly t e^{−ct}, with coefficients that cancel: a product has one at most."""
    real, _, a, b, _, _ = term.get_coefficients()
    return bool(sum(abs(own).sum() for own in (real, a, b)) > 1e3 * abs(real.sum() + a.sum()))


def _alike(leaf: Leaf) -> Iterator[Any]:
    """The kernel, and others of the catalogue that are the same function."""
    yield leaf
    own: Kernel = leaf.simplest()
    while isinstance(own, Leaf):
        yield own
        if own.name not in _ALIKE or (own.dim != 1 and isinstance(own, Coordinatewise)):
            break
        own = parse(_ALIKE[own.name].format(**vars(own))).kernel(Columns(own.dim))
    formula: Any = terms_of(leaf.shape.body) if isinstance(leaf, FormulaRadial) else ()
    scales = {own.value for own in formula if isinstance(own, Constant)} | {getattr(leaf, "width", 0)}
    for order, scale in product(range(3), scales):
        with suppress(KernelspecError):
            if scale > 0 and parse(f"wendland(order={order}, scale={scale})").kernel(Columns(leaf.dim)) == leaf:
                yield SimpleNamespace(name="wendland", order=order, scale=float(scale))
