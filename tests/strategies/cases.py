"""Random specs over the whole language, with rows on which each is defined, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import hypothesis.strategies as st
import numpy as np

from tests.strategies.ingredients import ACTIVATED, DISTRIBUTED, FAMILIES, PLACES, SYMMETRIC, decimals

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OPERATORS", "Case", "cases", "everything"]

_ROWS, _WIDTH = 5, 10


@dataclass(frozen=True)
class Case:
    """The text of a spec on ten columns, and what it is made of: `kernel gaussian`, `operator sum`, and the like."""

    text: str
    rows_seed: int
    parts: frozenset[str]

    @property
    def rows(self) -> NDArray[np.float64]:
        """Five rows on which the spec is defined, (5, 10), each further from the first than the one before.

        Numbers in columns 0 to 2, a unit vector in 3 to 5, a sign in 6, a category in 7, sizes in 8 and 9.
        """
        generator = np.random.default_rng(self.rows_seed)
        steps = np.array([0.0, 0.3, 0.7, 1.2, 2.0])[:, None] * generator.standard_normal((_ROWS, 3))
        table = np.empty((_ROWS, _WIDTH))
        table[:, :3] = generator.standard_normal(3) + steps
        table[:, 3:6] = generator.standard_normal(3) + steps[:, ::-1]
        table[:, 3:6] /= np.linalg.norm(table[:, 3:6], axis=1, keepdims=True)
        table[:, 6] = [1, -1, 1, 1, -1]
        table[:, 7] = [0, 0, 1, 0, 2]
        table[:, 8:] = np.abs(1 + generator.standard_normal(2) + steps[:, :2])
        return table


@dataclass(frozen=True)
class _Node:
    """A kernel as text: on all columns, or, if it is `of_lags`, on the three of numbers, relative to them."""

    text: str
    of_lags: bool
    positive: bool
    of_size_one: bool

    def whole(self) -> str:
        """The text on all columns."""
        return f"({self.text})[{PLACES['numbers']}]" if self.of_lags else self.text


_Operator: TypeAlias = "Callable[[_Writer, int], _Node]"


@st.composite
def cases(draw: st.DrawFn, containing: str | None = None, *, max_depth: int = 3) -> Case:
    """Specs with at most so many operators above one another, that have the part `containing` (of `everything`).

    What fails shrinks to one or two kernels below one operator: simple parts come first in every choice.
    """
    writer = _Writer(draw)
    node = writer.with_part(containing, draw(st.integers(0, 1))) if containing else writer.node(max_depth)
    text = "\n".join([*writer.lines, node.whole()])
    return Case(text, draw(st.integers(0, 7)), frozenset(writer.parts))


class _Writer:
    """Writes one spec and remembers what it is made of."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw, self.parts = draw, set[str]()
        self.lines: list[str] = []

    def node(self, depth: int) -> _Node:
        """Any kernel."""
        if depth == 0 or self.draw(st.integers(0, 2)) == 0:
            return self.leaf(self.draw(st.sampled_from(list(FAMILIES))))
        return self.operator(self.draw(st.sampled_from(list(OPERATORS))), depth - 1)

    def leaf(self, family: str) -> _Node:
        """One of a family."""
        self.parts.add(f"kernel {family}")
        own = FAMILIES[family]
        text = self.draw(own.write)
        text = text if own.of_lags else f"{text}[{PLACES[own.holds]}]"
        return _Node(text, own.of_lags, own.positive, own.of_size_one)

    def operator(self, name: str, depth: int) -> _Node:
        """An operator over any kernels that it may have."""
        self.parts.add(f"operator {name}")
        return OPERATORS[name](self, depth)

    def suitable(
        self, depth: int, *, of_lags: bool = False, positive: bool = False, of_size_one: bool = False
    ) -> _Node:
        """A kernel with such properties: any that happens to have them, or else one of a family that does."""
        before = set(self.parts), list(self.lines)
        found = self.node(depth)
        kept = (found.of_lags or not of_lags) and (found.positive or not positive)
        if kept and (found.of_size_one or not of_size_one):
            return found
        self.parts, self.lines = before
        names = [
            name
            for name, own in FAMILIES.items()
            if (own.of_lags or not of_lags) and (own.positive or not positive) and (own.of_size_one or not of_size_one)
        ]
        return self.leaf(self.draw(st.sampled_from(names)))

    def with_part(self, part: str, wrapped: int) -> _Node:
        """A kernel that has a part, alone or below an operator."""
        kind, _, name = part.partition(" ")
        self.parts.add(part)
        if kind == "kernel":
            node = self.leaf(name)
        elif kind == "operator":
            node = self.operator(name, 0)
        elif kind == "activation":
            self.parts.add("operator dual")
            node = _dual_of(self, self.draw(ACTIVATED[name]), name, 0)
        else:
            family = "bochner" if name in SYMMETRIC else "polya"
            self.parts.add(f"kernel {family}")
            text = self.draw({**DISTRIBUTED, **SYMMETRIC}[name])
            node = _Node(f"{family}({text})", of_lags=True, positive=True, of_size_one=True)
        return self.wrapped(node) if wrapped else node

    def wrapped(self, node: _Node) -> _Node:
        """The kernel below an operator, perhaps with another kernel beside it."""
        other = self.node(0)
        kind = self.draw(st.sampled_from(["product", "sum", "power", "difference", "mean"]))
        self.parts.add(f"operator {kind}")
        return _combined(self, kind, node, other)


def _combined(writer: _Writer, kind: str, a: _Node, b: _Node) -> _Node:
    """Two kernels as one: on the numbers alone if both are."""
    both = a.of_lags and b.of_lags
    left, right = (a.text, b.text) if both else (a.whole(), b.whole())
    w = writer.draw(decimals(0.25, 2))
    text = {
        "sum": f"({w} * {left} + {right})",
        "difference": f"({left} - {w} * {right})",
        "mean": f"mean({left}, {right}, {left})",
        "product": f"({left} * {right})",
        "power": f"({left if both else a.whole()}) ** {writer.draw(st.integers(2, 3))}",
    }[kind]
    if kind == "power":
        return replace(a, text=text, of_lags=both)
    signed = kind == "difference"
    one = a.of_size_one and b.of_size_one and kind in ("mean", "product")
    return _Node(text, both, a.positive and b.positive and not signed, one)


def _two(kind: str) -> _Operator:
    return lambda writer, depth: _combined(writer, kind, writer.node(depth), writer.node(depth))


def _scaled(writer: _Writer, depth: int) -> _Node:
    below = writer.node(depth)
    return replace(below, text=f"({writer.draw(decimals(0.25, 2))} * {below.text})", of_size_one=False)


def _of_lag(form: str, low: float, high: float, *, keeps: bool) -> _Operator:
    """An operator on the lag, with one number or three."""

    def write(writer: _Writer, depth: int) -> _Node:
        below = writer.suitable(depth, of_lags=True)
        entry = decimals(low, high)
        by = writer.draw(entry | st.builds("[{}, {}, {}]".format, entry, entry, entry))
        return _Node(form.format(below.text, by), True, below.positive and keeps, below.of_size_one and keeps)

    return write


def _additive(writer: _Writer, depth: int) -> _Node:
    del depth
    below = writer.leaf(writer.draw(st.sampled_from(["gaussian", "laplace", "matern", "linear", "periodic"])))
    base = "linear()" if below.text.startswith("linear") else below.text
    form = writer.draw(st.sampled_from(["each({})", "additive({}, order=2)", "additive({}, order=3)"]))
    return _Node(f"{form.format(base)}[{PLACES['numbers']}]", False, below.positive, below.of_size_one)


def _matrix(writer: _Writer, depth: int) -> _Node:
    below = writer.suitable(depth, of_lags=True)
    matrix = writer.draw(
        st.sampled_from(["[[1, 0, 0], [0, 2, 0], [0, 0, 1]]", "[[1, 0.5, 0], [-0.5, 1, 0], [0, 1, 2]]"])
    )
    return replace(below, text=f"stretch({below.text}, {matrix})")


def _select(writer: _Writer, depth: int) -> _Node:
    del depth
    names = ["gaussian", "laplace", "matern", "exponential", "polya"]  # on any number of columns
    below = writer.leaf(writer.draw(st.sampled_from(names)))
    return replace(below, text=f"{below.text}[{writer.draw(st.sampled_from(['0', '-1', '0, 2', '1:3']))}]")


def _normalized(writer: _Writer, depth: int) -> _Node:
    below = writer.suitable(depth, positive=True, of_lags=True)
    return _Node(f"normalize({below.text})", below.of_lags, True, of_size_one=True)


def _dual(writer: _Writer, depth: int) -> _Node:
    name = writer.draw(st.sampled_from(list(ACTIVATED)))
    return _dual_of(writer, writer.draw(ACTIVATED[name]), name, depth)


_HEAVY = ("sign", "step")
_ENTIRE = ("exp", "identity", "cos", "sin", "hermite", "polynomial")


def _dual_of(writer: _Writer, activation: str, name: str, depth: int) -> _Node:
    writer.parts.add(f"activation {name}")
    if name in _HEAVY:  # millions of factors: kernels of which a product is drawn at once
        below = writer.leaf(writer.draw(st.sampled_from(["gaussian", "circle"])))
    else:
        below = writer.suitable(0 if name not in _ENTIRE else depth, positive=True, of_size_one=True)
    return _Node(f"dual({activation}, {below.whole()})", False, True, of_size_one=True)


def _of_directions(writer: _Writer, depth: int) -> _Node:
    del depth
    name = writer.draw(st.sampled_from([name for name in ACTIVATED if name not in _HEAVY]))
    writer.parts.add(f"activation {name}")
    below = writer.leaf(writer.draw(st.sampled_from(["normalised linear", "sphere"])))
    return _Node(f"dual({writer.draw(ACTIVATED[name])}, {below.text})", False, True, of_size_one=False)


def _layer(writer: _Writer, depth: int) -> _Node:
    name = writer.draw(st.sampled_from(["exp", "relu", "erf", "gelu"]))
    writer.parts.add(f"activation {name}")
    below = [writer.suitable(depth, positive=True, of_size_one=True).whole() for _ in range(2)]
    return _Node(f"layer({writer.draw(ACTIVATED[name])}, {', '.join(below)})", False, True, of_size_one=True)


def _network(*, convolved: bool) -> _Operator:
    def write(writer: _Writer, depth: int) -> _Node:
        del depth
        base = writer.draw(st.sampled_from(["gaussian(scale=1)", "circle()", "laplace(scale=2)"]))
        writer.parts |= {f"kernel {base.split('(')[0]}", "operator full", "operator image"}
        text = f"image(1, 3, 1, base={base})"
        if convolved:
            writer.parts.add("operator conv")
            size, stride, padding = writer.draw(
                st.sampled_from([("1", "1", "valid"), ("2", "1", "same"), ("3", "2", "same")])
            )
            text = f"conv(exp(c=1), size={size}, stride={stride}, padding={padding}, input={text})"
        name = writer.draw(st.sampled_from(["exp", "relu", "cos"]))
        writer.parts.add(f"activation {name}")
        text = f"full({writer.draw(ACTIVATED[name])}, input={text})[{PLACES['numbers']}]"
        return _Node(text, False, True, of_size_one=True)

    return write


def _let(writer: _Writer, depth: int) -> _Node:
    below = writer.node(depth)
    name = f"k{len(writer.lines)}"
    writer.lines.append(f"let {name} = {below.whole()}")
    form = writer.draw(st.sampled_from(["({0} * {0})", "({0} + 0.5 * {0})", "({0} ** 2)"]))
    return _Node(form.format(name), False, below.positive, of_size_one=False)


def _param(writer: _Writer, depth: int) -> _Node:
    del depth
    name = f"s{len(writer.lines)}"
    writer.lines.append(f"param {name} = {writer.draw(decimals(0.5, 2))}")
    family = writer.draw(st.sampled_from(["gaussian", "laplace", "matern"]))
    writer.parts.add(f"kernel {family}")
    text = f"matern(nu=1.5, scale={name})" if family == "matern" else f"{family}(scale=2*{name})"
    return _Node(text, True, True, of_size_one=True)


OPERATORS: Mapping[str, _Operator] = {
    "sum": _two("sum"),
    "product": _two("product"),
    "power": _two("power"),
    "difference": _two("difference"),
    "mean": _two("mean"),
    "scale": _scaled,
    "select": _select,
    "additive": _additive,
    "stretch": _of_lag("stretch({}, {})", 0.75, 3, keeps=True),
    "stretch by a matrix": _matrix,
    "shift": _of_lag("shift({}, by={})", 0.1, 1, keeps=False),
    "tilt": _of_lag("tilt({}, by={})", 0.05, 0.2, keeps=False),
    "modulate": _of_lag("modulate({}, by={})", 0.1, 2, keeps=True),
    "normalize": _normalized,
    "dual": _dual,
    "dual of directions": _of_directions,
    "layer": _layer,
    "image": _network(convolved=False),
    "full": _network(convolved=False),
    "conv": _network(convolved=True),
    "let": _let,
    "param": _param,
}
"""The forms of the language by which kernels are made of kernels; simple ones first."""


def everything() -> tuple[str, ...]:
    """Every part that a case may have: kernels, operators, activations, distributions."""
    parts: dict[str, Mapping[str, object]] = {
        "kernel": FAMILIES,
        "operator": OPERATORS,
        "activation": ACTIVATED,
        "distribution": {**DISTRIBUTED, **SYMMETRIC},
    }
    return tuple(f"{kind} {name}" for kind, names in parts.items() for name in names)
