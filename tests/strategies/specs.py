"""Random specs: kernels of every form, with `param` and `let` lines above."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import hypothesis.strategies as st

from kernelspec.catalogue import KERNELS
from kernelspec.errors import RangeError
from kernelspec.kernels.leaf import Stationary, load_kernel
from kernelspec.spec import Spec, parse
from tests.strategies.ingredients import Numbers, argument_texts, decimals, vectors

__all__ = ["LEAVES", "KernelWriter", "draw_leaf", "draw_selection", "kernels", "specs"]


def draw_selection(draw: st.DrawFn, columns: Sequence[str | None]) -> tuple[str, list[int]]:
    """The text between the brackets, and the positions it selects, in order; no column is selected twice."""
    chosen: list[str] = []
    positions: list[int] = []
    free = list(range(len(columns)))
    for _ in range(draw(st.integers(1, min(2, len(columns))))):
        start = draw(st.sampled_from(free))
        stop = start + 1
        name = columns[start]
        if name is not None and draw(st.booleans()):
            chosen.append(_quoted(name))
        elif draw(st.booleans()):
            chosen.append(str(draw(st.sampled_from([start, start - len(columns)]))))
        else:
            while stop in free and draw(st.booleans()):
                stop += 1
            chosen.append(f"{start}:{stop}")
        positions += range(start, stop)
        free = [i for i in free if i not in positions]
        if not free:
            break
    return ", ".join(chosen), positions


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


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

_ELSEWHERE = frozenset({"binary", "brownian", "circle", "linear", "rbf_cosine", "sphere"})
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


@dataclass(frozen=True)
class KernelWriter:
    """Writes kernels: what may stand where, and the names that the lines above define."""

    params: tuple[tuple[str, float], ...]
    lets: tuple[str, ...]
    signed: bool

    def numbers(self, low: float, high: float) -> st.SearchStrategy[str]:
        """Numbers of an interval, and the parameters whose values lie there."""
        fitting = [name for name, value in self.params if low <= value <= high]
        return decimals(low, high) | st.sampled_from(fitting) if fitting else decimals(low, high)

    def leaf(self, draw: st.DrawFn, dim: int | None, match: bool) -> str:
        """A kernel of the catalogue, or one that a line above defines."""
        if self.lets and draw(st.integers(0, 3)) == 0:
            return draw(st.sampled_from(self.lets))
        return draw_leaf(draw, self.numbers, dim, match=match, signed=self.signed)

    def kernel(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        """A kernel on columns, with a name or without, made of at most so many `leaves`."""
        forms = ["leaf", "leaf", "select", "scaled", "stretch", "modulate", "power", "normalize"]
        if leaves > 1:
            forms += ["sum", "product", "mean"] * 2
        if not self.signed:  # the mass of a difference may lie beyond the radius of convergence
            forms.append("dual")
        form = draw(st.sampled_from(forms)) if leaves > 0 else "leaf"
        if form == "leaf":
            return self.leaf(draw, len(columns), match)
        return self._form(form, draw, columns, leaves, match)

    def _form(self, form: str, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        def below(writer: KernelWriter = self, columns: Sequence[str | None] = columns, match: bool = match) -> str:
            return writer.kernel(draw, columns, leaves - 1, match)

        if form in ("sum", "mean", "product"):
            left = draw(st.integers(1, leaves - 1))
            parts = [self.kernel(draw, columns, share, match) for share in (left, leaves - left)]
            if form == "sum":
                sign = draw(st.sampled_from(["+", "-"])) if self.signed else "+"
                return f"({self._weight(draw)} * {parts[0]} {sign} {parts[1]})"
            return f"mean({', '.join(parts)})" if form == "mean" else f"({' * '.join(parts)})"
        if form == "scaled":
            return f"({self._weight(draw)} * {below()})"
        if form == "power":
            return f"({below()}) ** {draw(st.integers(1, 3))}"
        if form == "normalize":
            return f"normalize({below(KernelWriter(self.params, self.lets, signed=False))})"
        if form == "dual":
            scaled = st.builds("exp(c={})".format, self.numbers(0.25, 2))
            activation = draw(st.sampled_from(["relu", "abs", "cos(1)"]) | scaled)
            return f"dual({activation}, normalize({below()}))"
        if form == "modulate":
            by = draw(vectors(self.numbers, len(columns), 0, 3))
            return f"modulate({below(match=False)}, by={by})"
        if form == "select":
            chosen, positions = draw_selection(draw, columns)
            return f"({below(columns=[columns[i] for i in positions])})[{chosen}]"
        height = draw(st.integers(0, 3))
        if not height:
            by = draw(vectors(self.numbers, len(columns), 0.5, 3))
            return f"stretch({below(match=False)}, {by})"
        entry = st.builds("{}{}".format, st.sampled_from(["", "-"]), self.numbers(0, 2))
        row = st.lists(entry, min_size=len(columns), max_size=len(columns)).map(lambda parts: f"[{', '.join(parts)}]")
        matrix = ", ".join(draw(row) for _ in range(height))
        return f"stretch({below(columns=(None,) * height, match=False)}, [{matrix}])"

    def _weight(self, draw: st.DrawFn) -> str:
        return ("-" if self.signed and draw(st.booleans()) else "") + draw(self.numbers(0.25, 2))


def kernels(
    dim: int,
    *,
    names: Sequence[str] | None = None,
    max_leaves: int = 4,
    match: bool = True,
    signed: bool = False,
    statements: bool = True,
) -> st.SearchStrategy[str]:
    """Texts of kernels on `dim` columns (called `names`, if given), with at most `max_leaves` catalogue kernels.

    All forms of the language that compile: weighted sums, means, products, whole powers, stretches by a number, a
    vector or a matrix, modulations, normalisations, duals of activations, selections by name, position and slice.
    `match` lets categories and sizes be compared, `signed` allows negative weights and asymmetric kernels,
    `statements` puts `param` and `let` lines above.
    """
    return _programs(tuple(names) if names is not None else (None,) * dim, max_leaves, match, signed, statements)


def specs(
    dim: int,
    *,
    names: Sequence[str] | None = None,
    max_leaves: int = 4,
    match: bool = True,
    signed: bool = False,
    statements: bool = True,
) -> st.SearchStrategy[Spec]:
    """The same, parsed."""
    texts = kernels(dim, names=names, max_leaves=max_leaves, match=match, signed=signed, statements=statements)
    return texts.filter(_has_duals).map(parse)


def _has_duals(text: str) -> bool:
    """Whether all its duals converge: a kernel that stands in a `let` may have a mass beyond 1, and no dual then."""
    try:
        parse(text)
    except RangeError:
        return False
    return True


@st.composite
def _programs(
    draw: st.DrawFn, columns: tuple[str | None, ...], leaves: int, match: bool, signed: bool, statements: bool
) -> str:
    lines: list[str] = []
    params: list[tuple[str, float]] = []
    lets: list[str] = []
    for i in range(draw(st.integers(0, 2)) if statements else 0):
        value = draw(decimals(0.5, 2))
        lines.append(f"param p{i} = {value}")
        params.append((f"p{i}", float(value)))
    writer = KernelWriter(tuple(params), (), signed)
    if statements and draw(st.booleans()):
        lines.append(f"let base = {writer.leaf(draw, None, False)}")
        lets.append("base")
    body = KernelWriter(tuple(params), tuple(lets), signed).kernel(draw, columns, leaves, match)
    return "\n".join([*lines, body])
