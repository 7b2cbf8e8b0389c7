"""Hypothesis strategies for specs that mean something: every one parses, compiles and has a Gram matrix.

Import this module only where Hypothesis is installed; nothing else in kernelspec needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import hypothesis.strategies as st
from hypothesis.extra import numpy as arrays

from kernelspec.spec import Spec, parse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LEAVES", "kernels", "specs", "tables"]

Numbers: TypeAlias = Callable[[float, float], st.SearchStrategy[str]]
"""Text of a number in an interval: digits, or the name of a parameter whose value lies there."""

Arguments: TypeAlias = Callable[[Numbers, int | None], Mapping[str, st.SearchStrategy[str]]]
"""The arguments of a kernel on so many columns (None: on any number), each with the strategy of its text."""


def _scale(numbers: Numbers, dim: int | None) -> dict[str, st.SearchStrategy[str]]:
    del dim
    return {"scale": numbers(0.25, 4)}


def _vector(numbers: Numbers, dim: int | None, low: float, high: float) -> st.SearchStrategy[str]:
    if dim is None:
        return numbers(low, high)
    entries = st.lists(numbers(low, high), min_size=dim, max_size=dim)
    return numbers(low, high) | entries.map(lambda parts: f"[{', '.join(parts)}]")


def _direction(numbers: Numbers, dim: int | None) -> dict[str, st.SearchStrategy[str]]:
    return {"scale": numbers(0.75, 1.5), "by": _vector(numbers, dim, 0.1, 0.5)}


def _laws(numbers: Numbers, dim: int | None) -> dict[str, st.SearchStrategy[str]]:
    scaled = st.builds("{}(scale={})".format, st.sampled_from(["gaussian", "laplace", "cauchy"]), numbers(0.25, 4))
    student = st.builds("student_t({}, scale={})".format, numbers(1, 8), numbers(0.25, 4))
    uniform = _number_text(0.5, 4).map(lambda b: f"uniform(-{b}, {b})")
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


LEAVES: Mapping[str, Arguments] = MappingProxyType(
    {
        "bochner": _laws,
        "cauchy": _scale,
        "cosh_gaussian": _direction,
        "cosine": lambda numbers, dim: {"by": _vector(numbers, dim, 0, 3)},
        "exponential": _scale,
        "gaussian": _scale,
        "laplace": _scale,
        "match": lambda numbers, dim: {},
        "matern": lambda numbers, dim: {"nu": numbers(0.5, 4), "scale": numbers(0.25, 4)},
        "minmax": lambda numbers, dim: {},
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
"""Every kernel of the catalogue that takes rows of any numbers, with arguments in range."""

_OF_ROWS = ("match", "minmax")
"""Kernels that are no functions of the difference of two rows."""

_ASYMMETRIC = frozenset({"cosh_gaussian", "shift_gaussian", "sinh_gaussian"})
"""Kernels that come where negative weights do: they are not positive definite."""


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
    return texts.map(parse)


def tables(dim: int, *, min_rows: int = 1, max_rows: int = 8) -> st.SearchStrategy[NDArray[np.float64]]:
    """Tables of `dim` columns of numbers between −3 and 3, many of them whole, so that categories repeat."""
    entries = st.integers(-3, 3).map(float) | st.floats(-3, 3, allow_subnormal=False)
    rows = st.integers(min_rows, max_rows)
    return rows.flatmap(lambda n: arrays.arrays("float64", (n, dim), elements=entries))


@dataclass(frozen=True)
class _Writer:
    """Writes kernels: what may stand where, and the names that the lines above define."""

    params: tuple[tuple[str, float], ...]
    lets: tuple[str, ...]
    signed: bool

    def numbers(self, low: float, high: float) -> st.SearchStrategy[str]:
        fitting = [name for name, value in self.params if low <= value <= high]
        return _number_text(low, high) | st.sampled_from(fitting) if fitting else _number_text(low, high)

    def leaf(self, draw: st.DrawFn, dim: int | None, match: bool) -> str:
        if self.lets and draw(st.integers(0, 3)) == 0:
            return draw(st.sampled_from(self.lets))
        left_out = {*(() if match else _OF_ROWS), *(() if self.signed else _ASYMMETRIC)}
        name = draw(st.sampled_from([name for name in LEAVES if name not in left_out]))
        arguments = LEAVES[name](self.numbers, dim)
        return f"{name}({', '.join(f'{key}={draw(value)}' for key, value in arguments.items())})"

    def kernel(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
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
        write = {
            "sum": self._sum,
            "mean": self._mean,
            "product": self._product,
            "scaled": self._scaled,
            "power": self._power,
            "normalize": self._normalize,
            "dual": self._dual,
            "modulate": self._modulate,
            "stretch": self._stretch,
            "select": self._select,
        }
        return write[form](draw, columns, leaves, match)

    def _parts(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> list[str]:
        left = draw(st.integers(1, leaves - 1))
        return [self.kernel(draw, columns, share, match) for share in (left, leaves - left)]

    def _weight(self, draw: st.DrawFn) -> str:
        return ("-" if self.signed and draw(st.booleans()) else "") + draw(self.numbers(0.25, 2))

    def _sum(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        parts = self._parts(draw, columns, leaves, match)
        sign = draw(st.sampled_from(["+", "-"])) if self.signed else "+"
        return f"({self._weight(draw)} * {parts[0]} {sign} {parts[1]})"

    def _mean(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        return f"mean({', '.join(self._parts(draw, columns, leaves, match))})"

    def _product(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        return f"({' * '.join(self._parts(draw, columns, leaves, match))})"

    def _scaled(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        return f"({self._weight(draw)} * {self.kernel(draw, columns, leaves - 1, match)})"

    def _power(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        return f"({self.kernel(draw, columns, leaves - 1, match)}) ** {draw(st.integers(1, 3))}"

    def _normalize(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        positive = _Writer(self.params, self.lets, signed=False)
        return f"normalize({positive.kernel(draw, columns, leaves - 1, match)})"

    def _dual(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        named, scaled = st.sampled_from(["relu", "abs", "cos(1)"]), st.builds("exp(c={})".format, self.numbers(0.25, 2))
        activation = draw(named | scaled)
        return f"dual({activation}, normalize({self.kernel(draw, columns, leaves - 1, match)}))"

    def _modulate(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        by = draw(_vector(self.numbers, len(columns), 0, 3))
        return f"modulate({self.kernel(draw, columns, leaves - 1, False)}, by={by})"

    def _stretch(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        height = draw(st.integers(0, 3))
        if not height:
            by = draw(_vector(self.numbers, len(columns), 0.5, 3))
            return f"stretch({self.kernel(draw, columns, leaves - 1, False)}, {by})"
        entry = st.builds("{}{}".format, st.sampled_from(["", "-"]), self.numbers(0, 2))
        row = st.lists(entry, min_size=len(columns), max_size=len(columns)).map(lambda parts: f"[{', '.join(parts)}]")
        matrix = ", ".join(draw(row) for _ in range(height))
        return f"stretch({self.kernel(draw, (None,) * height, leaves - 1, False)}, [{matrix}])"

    def _select(self, draw: st.DrawFn, columns: Sequence[str | None], leaves: int, match: bool) -> str:
        chosen: list[str] = []
        seen: list[int] = []
        free = list(range(len(columns)))
        for _ in range(draw(st.integers(1, min(2, len(columns))))):
            start = draw(st.sampled_from(free))  # a column is selected once
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
            seen += range(start, stop)
            free = [i for i in free if i not in seen]
            if not free:
                break
        inner = [columns[i] for i in seen]
        return f"({self.kernel(draw, inner, leaves - 1, match)})[{', '.join(chosen)}]"


@st.composite
def _programs(
    draw: st.DrawFn, columns: tuple[str | None, ...], leaves: int, match: bool, signed: bool, statements: bool
) -> str:
    lines: list[str] = []
    params: list[tuple[str, float]] = []
    lets: list[str] = []
    for i in range(draw(st.integers(0, 2)) if statements else 0):
        value = draw(_number_text(0.5, 2))
        lines.append(f"param p{i} = {value}")
        params.append((f"p{i}", float(value)))
    writer = _Writer(tuple(params), (), signed)
    if statements and draw(st.booleans()):
        lines.append(f"let base = {writer.leaf(draw, None, False)}")
        lets.append("base")
    body = _Writer(tuple(params), tuple(lets), signed).kernel(draw, columns, leaves, match)
    return "\n".join([*lines, body])


def _number_text(low: float, high: float) -> st.SearchStrategy[str]:
    """Decimals with few digits, so that failures read well."""
    return st.integers(round(low * 100), round(high * 100)).map(lambda hundredths: f"{hundredths / 100:g}")


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
