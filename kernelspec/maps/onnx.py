"""Maps as ONNX graphs, from named columns to features: the array-API computation, recorded instead of done.

`array_features` runs once on `Traced` arrays, which note every operation as a node. Their first axis, the rows, has the
length 1 while tracing and any length in the graph. Checks of rows need numbers, so a graph has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from kernelspec import __version__
from kernelspec.errors import PlanError
from kernelspec.expressions.columns import COLUMN_FLOATS, CodedColumn, ComputedColumn
from kernelspec.expressions.formula import Column, Formula, Operation, Term, evaluate, terms_of
from kernelspec.loading import require_package
from kernelspec.maps.array_features import array_phasors, array_with_landmarks
from kernelspec.maps.arrays import ArrayValues
from kernelspec.maps.drawn_plan import DrawnPlan
from kernelspec.maps.learned_columns import CategoryBlocks
from kernelspec.planning.landmarks.landmarks import LandmarkRows
from kernelspec.tables.categories import KnownCategories
from kernelspec.tables.rows import Rows

__all__ = ["Graph", "Head", "Traced", "onnx_model"]

_OPSET = 19
"""The first with equality of strings."""

_OPERATIONS: Mapping[str, str] = MappingProxyType(
    {
        "abs": "Abs", "add": "Add", "cos": "Cos", "divide": "Div", "equal": "Equal", "exp": "Exp", "floor": "Floor",
        "greater": "Greater", "greater_equal": "GreaterOrEqual", "isnan": "IsNaN", "less": "Less",
        "less_equal": "LessOrEqual", "log": "Log", "logical_and": "And", "logical_not": "Not", "logical_or": "Or",
        "matmul": "MatMul", "maximum": "Max", "minimum": "Min", "multiply": "Mul", "negative": "Neg", "power": "Pow",
        "round": "Round", "sign": "Sign", "sin": "Sin", "sqrt": "Sqrt", "subtract": "Sub", "tanh": "Tanh",
        "where": "Where",
    }
)  # fmt: skip
"""NumPy's functions, by name, and the operators that ONNX Runtime has for float64."""

_ROUNDED_ALIKE = frozenset(
    ("abs", "fill", "is_missing", "max", "min", "negation", "product", "quotient", "sqrt", "sum")
)
"""Functions of columns with the same value, to the last bit, in every library [IEEE 754]."""

_OF_TRUTH = ("Equal", "Greater", "GreaterOrEqual", "IsNaN", "Less", "LessOrEqual", "And", "Not", "Or")


@dataclass(eq=False)
class Graph:
    """Nodes in order, and arrays by name. No input has a name that starts with `prefix`."""

    prefix: str = "_"
    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)

    def node(
        self,
        operator: str,
        inputs: Sequence[Any],
        shape: tuple[int, ...],
        dtype: Any,
        attributes: Mapping[str, Any] = MappingProxyType({}),
    ) -> Traced:
        """The output of a new node."""
        from onnx import helper

        name = f"{self.prefix}v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, [self._name(own) for own in inputs], [name], **attributes))
        return Traced(self, name, shape, np.dtype(dtype))

    def _name(self, given: Any) -> str:
        if isinstance(given, Traced):
            return given.name
        from onnx import numpy_helper

        name = f"{self.prefix}c{len(self.constants)}"
        own = np.array(given, order="C")
        self.constants[name] = numpy_helper.from_array(own.astype(object) if own.dtype.kind == "U" else own, name)
        return name

    def input(self, name: str, is_text: bool) -> Traced:
        """A column of the table, (n, 1)."""
        from onnx import TensorProto, helper

        kind = TensorProto.STRING if is_text else TensorProto.DOUBLE
        own = self.inputs.setdefault(name, helper.make_tensor_value_info(name, kind, ["rows", 1]))
        if own.type.tensor_type.elem_type != kind:
            raise PlanError(f"column {name!r} is read both as text and as numbers")
        return Traced(self, name, (1, 1), np.dtype(object if is_text else np.float64))

    def filled(self, width: int, value: float) -> Traced:
        """A table (n, width) of one number."""
        if not self.inputs:
            raise PlanError("the kernel is constant and reads no column, whose rows could be counted")
        first = next(iter(self.inputs))
        rows = self.node("Shape", [Traced(self, first, (1, 1), np.dtype(object))], (1,), np.int64, {"end": 1})
        shape = self.node("Concat", [rows, np.array([width])], (2,), np.int64, {"axis": 0})
        return self.node("Expand", [np.array([[value]]), shape], (1, width), np.float64)


class Traced(NDArrayOperatorsMixin):
    """An array of a graph, with the interface that `array_features` uses."""

    def __init__(self, graph: Graph, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.graph, self.name, self.shape, self.dtype = graph, name, shape, dtype

    @property
    def T(self) -> Traced:  # noqa: N802  # NumPy's name
        """The transpose."""
        return self.graph.node("Transpose", [self], self.shape[::-1], self.dtype)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = {"absolute": "abs", "bitwise_invert": "logical_not", "invert": "logical_not"}.get(function.__name__)
        if method != "__call__" or options:
            return NotImplemented
        return self._elementwise(name or function.__name__, inputs)

    def _elementwise(self, name: str, inputs: Sequence[Any]) -> Traced:
        if name == "cos":  # = 1 − 2 sin²(x/2): few runtimes have the cosine of float64
            sine = self._elementwise("sin", [inputs[0] * 0.5])
            cosine: Traced = 1.0 - 2.0 * sine * sine
            return cosine
        operator = _OPERATIONS.get(name)
        if operator is None:
            raise AttributeError(f"{name} is not an operator for float64")
        given = [own if isinstance(own, Traced) else np.asarray(own) for own in inputs]
        if operator != "Where":
            kind = next(own.dtype for own in given if isinstance(own, Traced))
            given = [own if isinstance(own, Traced) else own.astype(kind) for own in given]
        shapes = [own.shape for own in given]
        shape = (*shapes[0][:-1], *shapes[1][1:]) if operator == "MatMul" else np.broadcast_shapes(*shapes)
        truth = operator in _OF_TRUTH
        return self.graph.node(operator, given, shape, np.bool_ if truth else np.float64)

    def __getitem__(self, index: Any) -> Traced:
        """Columns, one column, or a new axis; all rows."""
        found, axis = self, 0
        for own in index if isinstance(index, tuple) else (index,):
            if own is None:
                shape = (*found.shape[:axis], 1, *found.shape[axis:])
                found = self.graph.node("Unsqueeze", [found, np.array([axis])], shape, self.dtype)
            elif isinstance(own, int):
                shape = (*found.shape[:axis], *found.shape[axis + 1 :])
                found = self.graph.node("Gather", [found, np.array(own)], shape, self.dtype, {"axis": axis})
                continue
            elif axis and own != slice(None):
                start, stop, _ = own.indices(found.shape[axis])
                shape = (*found.shape[:axis], stop - start, *found.shape[axis + 1 :])
                bounds = [np.array([number]) for number in (start, stop, axis)]
                found = self.graph.node("Slice", [found, *bounds], shape, self.dtype)
            axis += 1
        return found


class _Namespace:
    """The functions of the array API for `Traced` arrays; NumPy computes what has only constants."""

    float32, float64, int32, int64 = map(np.dtype, ("f4", "f8", "i4", "i8"))
    bool = np.dtype(np.bool_)

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if {"pow": "power", "square": "multiply"}.get(name, name) not in _OPERATIONS:
            raise AttributeError(f"{name} is not an operator for float64")
        if name == "square":
            return lambda x: x * x
        name = {"pow": "power"}.get(name, name)

        def call(*inputs: Any) -> Any:
            traced = next((own for own in inputs if isinstance(own, Traced)), None)
            return getattr(np, name)(*inputs) if traced is None else traced._elementwise(name, inputs)

        return call

    def asarray(self, values: Any, dtype: Any = None, device: Any = None) -> Any:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers are not numbers of ONNX's operators")
        return values if isinstance(values, Traced) else np.asarray(values, dtype=dtype)

    def isdtype(self, dtype: Any, kind: str) -> bool:  # type: ignore[valid-type]
        return kind == "complex floating" and dtype.kind == "c"

    def astype(self, x: Any, dtype: Any) -> Any:
        if not isinstance(x, Traced):
            return x.astype(dtype)
        if x.dtype == dtype:
            return x
        from onnx import helper

        return self.graph.node("Cast", [x], x.shape, dtype, {"to": helper.np_dtype_to_tensor_dtype(np.dtype(dtype))})

    def isfinite(self, x: Any) -> Any:
        return self.logical_not(self.isnan(x))

    def all(self, _x: Any) -> bool:  # type: ignore[valid-type]
        """True: a check is passed while tracing."""
        return True

    def any(self, _x: Any) -> bool:  # type: ignore[valid-type]
        """False: no row fails a check."""
        return False

    def argmax(self, x: Any, axis: int) -> Any:
        return self.graph.node("ArgMax", [x], x.shape[:axis], np.int64, {"axis": axis, "keepdims": 0})

    def take(self, x: Any, index: Any, axis: int) -> Any:
        if not isinstance(x, Traced) and not isinstance(index, Traced):
            return np.take(x, index, axis=axis)
        shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
        return self.graph.node("Gather", [x, index], shape, x.dtype, {"axis": axis})

    def concat(self, parts: Sequence[Any], axis: int) -> Any:
        if len(parts) == 1 or not any(isinstance(own, Traced) for own in parts):
            return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)
        wide = [own for own in parts if own.shape[axis]]
        shape = list(wide[0].shape)
        shape[axis] = sum(own.shape[axis] for own in wide)
        return self.graph.node("Concat", wide, tuple(shape), wide[0].dtype, {"axis": axis})

    def _folded(self, operator: str, plain: Callable[..., Any], x: Any, axis: int, keepdims: Any) -> Any:
        if not isinstance(x, Traced):
            return plain(x, axis=axis, keepdims=keepdims)
        shape = list(x.shape)
        shape[axis : axis + 1] = [1] if keepdims else []
        own = [x, np.array([axis])]
        return self.graph.node(operator, own, tuple(shape), x.dtype, {"keepdims": int(keepdims)})

    def sum(self, x: Any, axis: int, keepdims: Any = False) -> Any:
        return self._folded("ReduceSum", np.sum, x, axis, keepdims)

    def max(self, x: Any, axis: int, keepdims: Any = False) -> Any:
        return self._folded("ReduceMax", np.max, x, axis, keepdims)

    def ones(self, shape: tuple[int, ...], dtype: Any = None, device: Any = None) -> Any:
        return self.graph.filled(shape[1], 1.0)

    def zeros(self, shape: tuple[int, ...], dtype: Any = None, device: Any = None) -> Any:
        return self.graph.filled(shape[1], 0.0)

    def ones_like(self, x: Any) -> Any:
        return self._like(x, 1.0)

    def zeros_like(self, x: Any) -> Any:
        return self._like(x, 0.0)

    def _like(self, x: Any, value: float) -> Any:
        if not isinstance(x, Traced):
            return np.full_like(x, value)
        shape = self.graph.node("Shape", [x], (len(x.shape),), np.int64)
        return self.graph.node("Expand", [np.full((1,) * len(x.shape), value), shape], x.shape, np.float64)


Head: TypeAlias = Callable[[Traced, Any], Mapping[str, Any]]
"""From features (n, D) and a namespace to outputs by name, each an array of the graph."""


def onnx_model(drawn: DrawnPlan, head: Head, named: Sequence[KnownCategories] = ()) -> Any:
    """The `onnx.ModelProto` that computes the outputs of a head on the features of a map.

    Inputs are the columns that the map reads, (n, 1) each, by name (x0, x1, … without names): numbers as float64, dates
    as days since 1970-01-01, categories as text, or numbers. A category that was not seen differs from all others;
    where it would be hashed into shared columns, its features are 0. `named` are categories beside those in the map.
    Raises MissingPackageError without onnx; PlanError for a column that has the name of an output, and, naming it, for
    what ONNX has no operators for: hashed keys, special functions, learned ranks, parts of dates. Where `transform`
    rejects a level that levels() does not list, features are NaN.
    """
    require_package("onnx", extra="onnx", purpose="ONNX graphs")
    from onnx import checker, helper

    if drawn.plan.normalized or not drawn.is_one_sided:
        raise PlanError("ONNX: maps that divide features by their norm, or have two sides, are not supported")
    if any(not isinstance(encoding, CategoryBlocks) for _, encoding in drawn.encoded):
        raise PlanError(
            "ONNX: the map compares keys; use method='paired' or 'nystrom', or keys='exact' for match() alone"
        )
    names, prefix = drawn.plan.layout.names or (), "_"
    while any(own.startswith(prefix) for own in names):
        prefix += "_"
    graph = Graph(prefix)
    xp = _Namespace(graph)
    try:
        outputs = head(_features(drawn, graph, xp, _categories(drawn, named)), xp)
    except (AttributeError, TypeError) as error:  # what a stand-in for an array lacks
        raise PlanError(f"ONNX cannot compute this map: {error}") from error
    except PlanError as error:
        raise PlanError(f"ONNX: {str(error).partition(': pass')[0]}") from None
    results = []
    for name, own in outputs.items():
        if name in graph.inputs:
            raise PlanError(f"ONNX: the graph has an output {name!r}, and the table a column of that name: rename it")
        kind = helper.np_dtype_to_tensor_dtype(own.dtype)
        graph.nodes.append(helper.make_node("Identity", [own.name], [name]))
        results.append(helper.make_tensor_value_info(name, kind, ["rows", *own.shape[1:]]))
    nodes, needed = [], set(outputs)
    for node in reversed(graph.nodes):  # without those of checks
        if needed.intersection(node.output):
            nodes.append(node)
            needed.update(node.input)
    constants = [own for name, own in graph.constants.items() if name in needed]
    found = helper.make_graph(nodes[::-1], "kernelspec", list(graph.inputs.values()), results, constants)
    opsets = [helper.make_opsetid("", _OPSET)]
    made = helper.make_model(found, opset_imports=opsets, producer_name="kernelspec", producer_version=__version__)
    made.ir_version = 9  # the version of these operators: older readers refuse newer ones
    checker.check_model(made)
    return made


def _features(drawn: DrawnPlan, graph: Graph, xp: Any, known: Mapping[int, KnownCategories]) -> Any:
    plan, layout = drawn.plan, drawn.plan.layout
    columns: list[Any] = []
    for position, function in enumerate(getattr(layout, "functions", range(layout.dim))):
        if isinstance(function, int):
            own = function
            if position not in layout.mapped.used:
                columns.append(None)
            elif position in known:
                values = [value for (value,) in known[position].values]
                column = graph.input(_name(layout, own), is_text=isinstance(values[0], str))
                columns.append(_codes(graph, xp, column, values))
            else:
                columns.append(graph.input(_name(layout, own), is_text=False))
        elif isinstance(function, CodedColumn):
            columns.append(_levels(graph, xp, _name(layout, function.position), function))
        elif position in known:
            column = _computed(graph, xp, layout, function)
            others = {own.name for own in terms_of(function.body) if isinstance(own, Operation)} - _ROUNDED_ALIKE
            if others:
                raise PlanError(f"match() compares values of {min(others)}(), which each library rounds in its own way")
            columns.append(_codes(graph, xp, column, [value for (value,) in known[position].values]))
        else:
            columns.append(_computed(graph, xp, layout, function))
    X = xp.concat([graph.filled(1, 0.0) if own is None else own for own in columns], axis=1)
    parts = []
    samples: Any = None if drawn.dense is None else array_phasors(drawn.dense, plan.form, X, "left", xp, None)
    if drawn.correction is not None:
        coded = _with_codes(drawn, known)
        parts.append(array_with_landmarks(coded, drawn.correction, X, samples, "left", xp, None))
    elif samples is not None:
        parts.append(samples)
    for part, encoding in drawn.encoded:
        assert isinstance(encoding, CategoryBlocks)
        inner = array_phasors(part.without_keys, plan.form, X, "left", xp, None)
        parts.append(_in_blocks(graph, xp, layout.mapped, inner, X, encoding, known))
    return xp.concat(parts, axis=1) if parts else graph.filled(1, 0.0)


def _name(layout: Any, position: int) -> str:
    return layout.names[position] if layout.names is not None else f"x{position}"


def _categories(drawn: DrawnPlan, named: Sequence[KnownCategories]) -> dict[int, KnownCategories]:
    """The categories of each compared column, with their values. Raises PlanError if they cannot be compared."""
    layout, strata = drawn.plan.layout.mapped, drawn.plan.strata
    given = [*named, *(own.known for own in strata if own.known is not None)]
    found = {}
    for position in layout.categorical:
        known = [own.alone(position) for own in given if position in own.positions and len(own) and own.is_named]
        if not known:
            raise PlanError(
                f"the map knows the categories of {layout.name_of(position)} only as hashes: models keep up to 65,536 "
                "by name, and so do maps with exact features of match()"
            )
        found[position] = reduce(KnownCategories.joined, known)
        _check_values(layout.name_of(position), [value for (value,) in found[position].values])
    return found


def _check_values(name: str, values: Sequence[Any]) -> None:
    """Raise PlanError unless one input, of text or float64, can hold the categories."""
    if None in values:
        raise PlanError(f"missing is a category of {name}")
    if len({isinstance(value, str) for value in values}) > 1:
        raise PlanError(f"the categories of {name} are both text and numbers")
    if any(isinstance(value, int) and abs(value) >= 2**53 for value in values):
        raise PlanError(f"{name} has whole numbers that float64 rounds: write them as text")


def _equal(graph: Graph, xp: Any, column: Any, values: Sequence[Any]) -> Any:
    """1 where a row has the category, else 0, (n, categories)."""
    wanted = np.array([values], dtype=object if isinstance(values[0], str) else np.float64)
    return xp.astype(graph.node("Equal", [column, wanted], (1, len(values)), np.bool_), xp.float64)


def _codes(graph: Graph, xp: Any, column: Any, values: Sequence[Any]) -> Any:
    """The index of the category of each row, (n, 1); −1 for others."""
    return _equal(graph, xp, column, values) @ (1.0 + np.arange(len(values)))[:, None] - 1.0


def _levels(graph: Graph, xp: Any, name: str, function: CodedColumn) -> Any:
    """The number of the level of each row, (n, 1); NaN for a category that `transform` rejects."""
    _check_values(f"column {name!r} in levels()", function.levels)
    column = graph.input(name, is_text=isinstance(function.levels[0], str))
    equal = _equal(graph, xp, column, function.levels)
    other = np.array([[np.nan if function.other is None else function.other]])
    return xp.where(xp.max(equal, axis=1, keepdims=True) > 0, equal @ np.array(function.numbers)[:, None], other)


def _computed(graph: Graph, xp: Any, layout: Any, function: ComputedColumn) -> Any:
    columns = {
        i: ArrayValues(graph.input(_name(layout, i), is_text=False)[:, 0], xp, None) for i in sorted(function.reads())
    }

    def computed(term: Term) -> Any:
        return evaluate(Formula(term), columns, COLUMN_FLOATS)

    try:
        return computed(function.body).values[:, None]
    except (AttributeError, TypeError):
        for term in reversed(list(terms_of(function.body))):  # operands first
            try:
                computed(term)
            except (AttributeError, TypeError) as error:
                assert isinstance(term, Operation)
                read = dict.fromkeys(own.position for own in terms_of(term) if isinstance(own, Column))
                shown = f"{term.name}({', '.join(_name(layout, i) for i in read)})"
                raise PlanError(f"{shown} has no operator in ONNX for float64") from error
        raise


def _with_codes(drawn: DrawnPlan, known: Mapping[int, KnownCategories]) -> Any:
    """The plan with the indices of categories as numbers of its landmarks."""
    plan = drawn.plan
    assert plan.landmarks is not None
    rows = plan.landmarks.left.rows
    numbers = rows.dense().astype(np.float64)
    for position, own in known.items():
        numbers[:, position] = own.numbers(rows)
        if (numbers[:, position] < 0).any():
            raise PlanError(f"the map knows categories of {plan.layout.mapped.name_of(position)} by hash only")
    plain = LandmarkRows.of(Rows(numbers), tuple(range(numbers.shape[1])))
    return replace(plan, landmarks=replace(plan.landmarks, left=plain))


def _in_blocks(
    graph: Graph, xp: Any, layout: Any, inner: Any, X: Any, blocks: CategoryBlocks, known: Mapping[int, KnownCategories]
) -> Any:
    """The features of samples (n, W) in the block of the category of each row, (n, blocks W)."""
    columns = blocks.known.positions
    if not blocks.known.is_named:
        names = ", ".join(map(layout.name_of, columns))
        raise PlanError(f"the categories of {names} are too many to be kept by name")
    places = [[known[p].values.index((v,)) for p, v in zip(columns, own, strict=True)] for own in blocks.known.values]
    wanted = np.array(places, dtype=np.float64)
    agree: Any = None
    for place, position in enumerate(columns):
        own = graph.node(
            "Equal", [X[:, position : position + 1], wanted[:, place][None, :]], (1, len(wanted)), np.bool_
        )
        agree = own if agree is None else xp.logical_and(agree, own)
    inside = xp.concat([xp.astype(agree, xp.float64), graph.filled(blocks.shared, 0.0)], axis=1)
    width = (len(wanted) + blocks.shared) * inner.shape[1]
    both = inside[:, :, None] * inner[:, None, :]
    return graph.node("Reshape", [both, np.array([0, width])], (1, width), np.float64)
